"""The grader replays transcripts over pipes; broken consoles fail there, or in a terminal."""

import shlex

import pytest
import test_transcripts
from graders import graded
from programs import our_pair, write_files
from running import SECONDS, short_patience

from grading.assignments.choice import read_sessions


def failure_over_pipes(folder, pair, names='', patience=SECONDS):
    """Replay transcripts over pipes with the pair in a folder; return the report, or ''."""
    own = [
        transcript
        for transcript in read_sessions()
        if pair in transcript.command[0] and names in transcript.name
    ]
    assert own
    errors = folder.with_name('errors')
    script = f'exec python3 {pair}_console.py "$@" 2>>{shlex.quote(str(errors))}'
    results = graded(
        folder,
        transcripts=own,
        game=pair,
        timeout=patience,
        command=shlex.join(['sh', '-c', script, 'sh']),
    )
    assert errors.read_text() == ''
    failed = [test for test in results['tests'] if test['status'] != 'passed']
    return '\n\n'.join(test['output'] or test['name'] for test in failed)


def failure_in_terminal(folder, name, patience=SECONDS):
    """Replay a transcript with pexpect and the pair in a folder; return pytest's message, or ''."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(test_transcripts, 'ROOT', folder)
        patch.setattr(test_transcripts, 'SECONDS', patience)
        patch.setenv('CI', 'true')  # so that pytest does not shorten the message
        try:
            test_transcripts.test_replay(name, folder.parent)
        except AssertionError as failure:
            return str(failure)
    return ''


@pytest.mark.long
@pytest.mark.parametrize('pair', ['othello', 'nim'])
def test_replay_over_pipes(pair, tmp_path):
    assert failure_over_pipes(write_files(tmp_path / pair, our_pair(pair)), pair) == ''


END = """\
        sys.stdout.flush()
    except SystemExit"""
# For each fault: the right code, the broken code, and what the failure's message must contain.
BROKEN = {
    'VALID for INVALID': ("print('INVALID'", "print('VALID'", ['- INVALID', '+ VALID']),
    'INVALID for VALID': ("print('VALID'", "print('INVALID'", ['- VALID', '+ INVALID']),
    'a trailing space': (
        "f'TURN: {game.turn}'",
        "f'TURN: {game.turn} '",
        ['- TURN: B\n', '+ TURN: B \n'],
    ),
    'a line too many': ("print('FULL')", "print('FULL', 'READY', sep='\\n')", ['+ READY']),
    'a line too many at the end': (END, END.replace('sys', "print('BYE'); sys", 1), ['+ BYE']),
    'a missing last newline': (
        "print('VALID', describe(game), sep='\\n')",
        "print('VALID', describe(game), sep='\\n', end='\\n' * bool(game.turn))",
        ['NONE[it ends]', '- [it ends]'],
    ),
    'a line read too many': (
        'game.make_move(',
        "lines.ask(''); game.make_move(",
        ['- INVALID\n', '+ [it waits]'],
    ),
    'reads on after the end': (
        END,
        f'        sys.stdin.readline()\n{END}',
        ['- [it ends]', '+ [it waits]'],
    ),
    'exit 1': ('    return 0\n', '    return 1\n', ["(1, '') == (0, '')"]),
    'a word on standard error': (
        END,
        END.replace('sys', "complain('bye'); sys", 1),
        ["'othello_console.py: bye\\n' != ''"],
    ),
}


@pytest.mark.parametrize('fault', BROKEN)
def test_broken_consoles_fail_in_a_terminal(fault, tmp_path):
    """The message of the failure shows what was expected and what was printed."""
    old, new, shown = BROKEN[fault]
    folder = write_files(tmp_path / 'broken', our_pair('othello', [(old, new)]))
    for patience in (1, 10, SECONDS):  # On a busy machine, a slow console seems to wait.
        message = failure_in_terminal(folder, 'othello/invalid_moves', patience)
        missing = [words for words in shown if words not in message]
        if not missing:
            return
    assert missing == [], message


def test_a_missing_flush_fails_at_a_prompt_in_a_terminal_and_elsewhere_over_pipes(tmp_path):
    """In a terminal the end of a line flushes, so only a prompt needs an explicit flush."""
    without = (
        '        sys.stdout.flush()\n        try:\n            line = self.read()',
        '        try:\n            line = self.read()',
    )
    folder = write_files(tmp_path / 'broken', our_pair('nim', [without]))
    plain, prompts = 'nim/piles/prompt_free', 'nim/piles/worked_example'
    patience = short_patience()
    assert '+ [it waits]' in failure_in_terminal(folder, prompts, patience)
    assert failure_in_terminal(folder, plain) == ''
    assert 'flush' in failure_over_pipes(folder, 'nim', plain, patience)


@pytest.mark.parametrize('line', ['1 2\x03', '1' * 4096], ids=['control character', 'long line'])
def test_the_replay_in_a_terminal_skips_what_the_terminal_would_change(line, tmp_path, monkeypatch):
    """A transcript that a terminal would change is skipped there; the reason names it."""
    path = tmp_path / 'changed.txt'
    path.write_text(f'$ othello_console.py\n|FULL\n{line}\n')
    monkeypatch.setitem(test_transcripts.TRANSCRIPTS, 'changed', path)
    with pytest.raises(pytest.skip.Exception, match='over pipes only: changed'):
        test_transcripts.test_replay('changed', tmp_path)


@pytest.mark.parametrize('line', ['# free', '# exit status: 1', '# type: #3', '#hidden'])
def test_a_directive_that_the_replay_does_not_know_fails(line):
    with pytest.raises(ValueError, match='does not know the directive'):
        test_transcripts.parse(f'# A game.\n$ othello_console.py\n{line}\n|FULL\n')
