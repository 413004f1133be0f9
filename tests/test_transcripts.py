"""Every transcript is replayed through our own consoles, over pipes and in a terminal.

A console that has been imported is forked, since to start it takes five times as long as all the
rest; `test_layout.py` starts it as it is handed in.
"""

from functools import partial

import pytest
from graders import Forked, graded
from independent import write_modules

from grading.installation import ROOT, all_transcripts
from grading.sessions.transcript import Transcript

TRANSCRIPTS = [Transcript.read(path) for path in all_transcripts()]


def exact(transcript):
    """Return the same without lines that are free: of ours every word counts."""
    return Transcript(transcript.name, '\n'.join(
        '#' if line == '# free' else line for line in transcript.lines))


@pytest.mark.parametrize('pair', ['othello', 'nim'])
def test_replay(pair, tmp_path):
    own = [exact(transcript) for transcript in TRANSCRIPTS if pair in transcript.command[0]]
    assert len(own) > 20
    (tmp_path / 'errors').write_text('')
    modules = {f'{pair}_{part}': (ROOT / f'{pair}_{part}.py').read_text(encoding='utf-8')
               for part in ('logic', 'console')}
    results = graded(write_modules(tmp_path / pair, **modules), transcripts=own, game=pair,
                     command=f'python3 {pair}_console.py', terminal=True,
                     sandbox=partial(Forked, errors=tmp_path / 'errors'))
    assert '\n\n'.join(test['output'] for test in results['tests'] if test['output']) == ''
    assert {test['status'] for test in results['tests']} == {'passed'}
    assert (tmp_path / 'errors').read_text() == ''
