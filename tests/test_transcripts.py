"""Every transcript is replayed through our own consoles, by the grader and in a terminal.

A console that has been imported is forked, since to start it takes five times as long as all the
rest; `test_layout.py` starts it as it is handed in.
"""

import importlib
import os
import select
import sys
from functools import partial

import pytest
from graders import Forked, graded
from independent import write_modules
from running import SECONDS, terminal

from grading.installation import ROOT, all_transcripts
from grading.sessions.transcript import Transcript

CTRL_D = b'\4'
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
                     command=f'python3 {pair}_console.py',
                     sandbox=partial(Forked, errors=tmp_path / 'errors'))
    assert '\n\n'.join(test['output'] for test in results['tests'] if test['output']) == ''
    assert {test['status'] for test in results['tests']} == {'passed'}
    assert (tmp_path / 'errors').read_text() == ''


def in_terminal(transcript):
    """Play a transcript through our console, in a terminal that does not echo.

    Return what was printed before each input line and after the last, and the exit status.
    """
    termios = pytest.importorskip('termios')
    with terminal() as (leader, follower):
        mode = termios.tcgetattr(follower)
        mode[1] &= ~termios.OPOST       # which makes \\r\\n of \\n
        mode[3] &= ~termios.ECHO
        termios.tcsetattr(follower, termios.TCSANOW, mode)
        console = os.fork()
        if not console:
            become_console(transcript, follower)
        printed = []
        for step in transcript.steps:
            if transcript.reads_all_first and step is transcript.steps[-1]:
                os.write(leader, CTRL_D)
            printed.append(read(leader, step.size))
            os.write(leader, step.typed + CTRL_D * step.ends_input)
        status = os.waitpid(console, 0)[1] >> 8
        printed[-1] += read(leader, 1, seconds=0)
    return printed, status


def become_console(transcript, terminal):
    """Be our console in this process, which is a fork, and end it."""
    status = 99
    try:
        for stream in (0, 1):
            os.dup2(terminal, stream)
        sys.stdin, sys.stdout = (os.fdopen(number, mode, closefd=False)
                                 for number, mode in enumerate('rw'))
        sys.argv = transcript.command
        status = importlib.import_module(transcript.command[0][:-3]).main()
        sys.stdout.flush()
    finally:
        os._exit(status)


def read(leader, size, seconds=SECONDS):
    """Return so many bytes that were printed in a terminal; fewer if no more come for seconds."""
    text = b''
    while len(text) < size and select.select([leader], [], [], seconds)[0]:
        text += os.read(leader, 1 << 16)
    return text


@pytest.mark.parametrize('transcript', TRANSCRIPTS, ids=lambda one: one.name)
def test_replay_in_a_terminal(transcript):
    printed, status = in_terminal(transcript)
    assert printed == [step.output.encode() for step in transcript.steps]
    assert status == transcript.status
