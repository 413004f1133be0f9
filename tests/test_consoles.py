"""Both consoles with pipes, files, disks, signals, terminals, and different settings of Python."""

from __future__ import annotations

import importlib
import io
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from typing import NamedTuple

import pexpect
import pytest
from models import outputs, recorded, transcript
from random_sessions import nim_session, othello_session
from running import (
    BARE,
    ROOT,
    SECONDS,
    SETTINGS,
    bytes_in,
    command_of,
    environment_of,
    finished,
    is_one_line,
    paste_into_terminal,
    run,
    run_inside,
    run_with_shell,
    start,
    wait_for,
)

FULL_DISK = '/dev/full'
WORKED = transcript('othello/worked_example')
GAME = ''.join(line + '\n' for line in WORKED.inputs)
SETUP = ''.join(line + '\n' for line in WORKED.inputs[:8])
STATE = WORKED.steps[8].output
RECORDED = '12;3\n3;3;6\n0;3\n2;5\n1;3\n'
ZEROS = '2;100000\n2' + ';0' * 99_999 + '\n0;1\n'  # a game whose states are lines of 300,000 bytes
MOVES = '2001;1\n2001\n' + '0;1\n' * 2000  # a game whose output is more than a pipe holds


class Session(NamedTuple):
    """A session of a console: its arguments (`words`), its input and its output.

    `empty` is the result of an empty input: the exit status, the output and the error message.
    """

    console: str
    words: list[str]
    text: str
    output: str
    empty: tuple[int, str, str]

    @property
    def start(self):
        """What the console prints before it reads any input: nothing for a recorded game."""
        return '' if self.empty[1] == 'Invalid Game.\n' else self.empty[1]

    def error_line(self, message):
        return f'{self.console}: {message}\n'.encode()

    def result(self, status, output, error):
        return status, output.encode(), self.error_line(error) if error else b''

    def main(self, text, *words):
        """Play in this process, on streams in memory that have buffers of bytes."""
        return run_inside(importlib.import_module(self.console[:-3]), text, *words, has_bytes=True)


def session_of_nim(name):
    """Return the session of a transcript of Nim."""
    played = transcript(f'nim/{name}')
    first = played.steps[0].output
    question = played.steps[0].expected[-1].text.strip()
    return Session(
        'nim_console.py',
        played.arguments,
        ''.join(line + '\n' for line in played.inputs),
        played.output,
        (1, first, f'the input is empty: expected the answer to "{question}"'),
    )


ROWS = 'the input is empty: expected the number of rows, an even integer from 4 to 16'
OTHELLO = Session('othello_console.py', [], GAME, WORKED.output, (1, 'FULL\n', ROWS))
NIM = Session(
    'nim_console.py', [], RECORDED, recorded(RECORDED.splitlines()), (0, 'Invalid Game.\n', '')
)
LONG = [
    OTHELLO._replace(
        text=SETUP + 'x\n' * 10_000 + GAME[len(SETUP) :],
        output=WORKED.output.replace(STATE, STATE + 'INVALID\n' * 10_000, 1),
    ),
    NIM._replace(text=MOVES, output=recorded(MOVES.splitlines())),
]
WIDE = NIM._replace(text=ZEROS, output=recorded(ZEROS.splitlines()))
SESSIONS = [OTHELLO, NIM]
OF_NIM = [
    session_of_nim(name)
    for name in ('stones/worked_example', 'tlcw/with_prompts', 'piles/worked_example')
]
FIRST, SECOND = SETTINGS
IN_SETTINGS = [
    (OTHELLO, FIRST),
    (OTHELLO, SECOND),
    (NIM, FIRST),
    (NIM, SECOND),
    (OF_NIM[0], FIRST),
    (OF_NIM[1], SECOND),
]


@pytest.mark.parametrize(('session', 'setting'), [*IN_SETTINGS[1:3], IN_SETTINGS[4]])
def test_closed_streams(session, setting):
    """Closed input counts as empty; closed output is an error; closed standard error is not."""

    def closed(which, text=''):
        return run_with_shell(
            f'exec "$@" {which}', session.console, *session.words, text=text, setting=setting
        )

    assert closed('<&-') == session.result(*session.empty)
    assert closed('>&-') == session.result(1, '', 'cannot write to standard output: it is closed')
    assert closed('>&- 2>&-') == closed('<&- >&- 2>&-') == (1, b'', b'')
    assert closed('2>&-', session.text) == session.result(0, session.output, '')
    status, _, errors = closed('2>&-')
    assert (status, errors) == (session.empty[0], b'')


@pytest.mark.parametrize(
    ('console', 'words'),
    [
        ('othello_console.py', ['x']),
        ('nim_console.py', ['--prompts']),
        ('nim_console.py', ['piles', '--seed', 'x']),
    ],
)
def test_usage_errors_with_standard_error_closed(console, words):
    assert run_with_shell('exec "$@" 2>&-', console, *words, setting=SECOND) == (2, b'', b'')


@pytest.mark.parametrize('session', [*SESSIONS, OF_NIM[2]])
def test_unreadable_input(session):
    """A standard input that is open for writing only is an error."""
    status, output, errors = run_with_shell(
        'exec "$@" 0>/dev/null', session.console, *session.words
    )
    assert (status, output) == (1, session.start.encode())
    assert is_one_line(errors, f'{session.console}: cannot read standard input: ')


@pytest.mark.parametrize(
    ('session', 'words', 'setting'),
    [
        *((session, session.words, setting) for session, setting in IN_SETTINGS[1:]),
        (OTHELLO, ['--help'], FIRST),
        (NIM, ['--help'], SECOND),
    ],
)
@pytest.mark.long
def test_unwritable_output(session, words, setting):
    """A console ends silently if nobody reads its output; it reports a full disk as an error."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, 'wb') as pipe:
        status, _, errors = run(session.console, session.text, *words, setting=setting, stdout=pipe)
    assert (status, errors) == (1, b'')
    if os.path.exists(FULL_DISK):
        with open(FULL_DISK, 'wb') as disk:
            status, _, errors = run(
                session.console, session.text, *words, setting=setting, stdout=disk
            )
            assert run(session.console, '5\n', *words, stdout=disk, stderr=disk)[0] == 1
        assert (status, errors) == (
            1,
            session.error_line('cannot write to standard output: No space left on device'),
        )


@pytest.mark.parametrize(
    ('session', 'missing', 'setting'),
    [
        (OTHELLO, 1, FIRST),
        (OTHELLO, 10, SECOND),
        (OTHELLO, len(OTHELLO.output) - 20, FIRST),
        (NIM, 1, SECOND),
        (NIM, 10, FIRST),
    ],
)
@pytest.mark.long
def test_disk_that_fills_up(session, missing, setting, tmp_path):
    """A console prints as much as fits, and then reports an error."""
    resource = pytest.importorskip('resource')
    size = len(session.output) - missing
    with (tmp_path / 'output').open('w+b') as file:
        # Write no compiled modules: the limit would cut them short, too, and spoil all later runs.
        status, _, errors = run(
            session.console,
            session.text,
            setting=setting,
            stdout=file,
            env={**environment_of(setting), 'PYTHONDONTWRITEBYTECODE': '1'},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
        )
        file.seek(0)
        assert (status, file.read(), errors) == session.result(
            1, session.output[:size], 'cannot write to standard output: File too large'
        )


@pytest.mark.long
@pytest.mark.parametrize(
    ('session', 'setting'),
    [
        *IN_SETTINGS[3:],
        *zip(LONG, SETTINGS, strict=False),
        *zip(LONG[::-1], SETTINGS, strict=False),
    ],
)
def test_streams_in_non_blocking_mode(session, setting):
    """Non-blocking pipes change nothing, even if one is fed late and the other is read late."""
    reading, feeding = os.pipe()
    draining, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)

    def feed():
        with suppress(BrokenPipeError), open(feeding, 'wb', buffering=0) as pipe:
            for piece in (session.text[:7], session.text[7:23], session.text[23:]):
                time.sleep(0.1)
                pipe.write(piece.encode())

    with start(
        session.console, *session.words, setting=setting, stdin=reading, stdout=writing
    ) as process:
        os.close(reading)
        os.close(writing)
        feeder = threading.Thread(target=feed)
        feeder.start()
        time.sleep(0.3)
        with open(draining, 'rb') as output:
            printed = output.read()
        feeder.join(SECONDS)
        assert (process.wait(SECONDS), printed, process.stderr.read()) == (
            session.result(0, session.output, '')
        )


@pytest.mark.long
@pytest.mark.parametrize(
    ('session', 'setting'), [*zip(LONG, SETTINGS, strict=False), (WIDE, FIRST), (WIDE, SECOND)]
)
def test_stopped_and_continued_while_the_pipe_is_full(session, setting):
    with tempfile.TemporaryFile() as file:
        file.write(session.text.encode())
        file.seek(0)
        with start(session.console, setting=setting, stdin=file) as process:
            sizes = [0]

            def is_full():
                sizes.append(bytes_in(process.stdout))
                return sizes[-1] == sizes[-2] > 0  # nothing has been added since the last look

            wait_for(is_full)
            for number in (signal.SIGSTOP, signal.SIGCONT):
                process.send_signal(number)
                time.sleep(0.05)
            printed = process.stdout.read()
            assert (process.wait(SECONDS), printed, process.stderr.read()) == (
                session.result(0, session.output, '')
            )


@pytest.mark.parametrize('session', [*SESSIONS, *OF_NIM])
def test_captured_streams(session, capsys, monkeypatch):
    monkeypatch.setattr('sys.stdin', io.TextIOWrapper(io.BytesIO(session.text.encode())))
    monkeypatch.setattr('sys.argv', [session.console, *session.words])
    assert importlib.import_module(session.console[:-3]).main() == 0
    assert capsys.readouterr() == (session.output, '')


@pytest.mark.parametrize('session', [OTHELLO, *OF_NIM])
def test_main_works_twice_in_one_process(session, capsys, monkeypatch):
    """The second game reads on where the first has ended."""
    monkeypatch.setattr('sys.stdin', io.StringIO(session.text * 2))
    monkeypatch.setattr('sys.argv', [session.console, *session.words])
    streams = sys.stdin, sys.stdout, sys.stderr
    for _ in range(2):
        assert importlib.import_module(session.console[:-3]).main() == 0
        assert capsys.readouterr() == (session.output, '')
    assert (sys.stdin, sys.stdout, sys.stderr) == streams
    code = f'import {session.console[:-3]} as console; console.main(); console.main()'
    assert finished([BARE, '-c', code, *session.words], session.text * 2, cwd=ROOT) == (
        session.result(0, session.output * 2, '')
    )


@pytest.mark.parametrize('session', SESSIONS)
def test_streams_that_cannot_be_set_stay_as_they_are(session, monkeypatch):
    """IDLE's streams have no `reconfigure`; a stream that a shell has closed is None."""
    streams = io.StringIO(), io.StringIO(), None
    for name, stream in zip(('stdin', 'stdout', 'stderr'), streams, strict=True):
        monkeypatch.setattr(sys, name, stream)
    importlib.import_module(session.console[:-3]).prepare_streams()
    assert (sys.stdin, sys.stdout, sys.stderr) == streams


@pytest.mark.parametrize(
    ('session', 'head'), [(OTHELLO, SETUP), (NIM._replace(words=['piles']), '')]
)
def test_interrupt_in_a_flood_of_refused_lines(session, head):
    with start(session.console, *session.words, stdout=subprocess.DEVNULL) as process:
        process.stdin.write((head + 'x y\n' * 30_000).encode())
        process.send_signal(signal.SIGINT)
        with suppress(BrokenPipeError):
            process.communicate(b'x y\n' * 10_000, timeout=SECONDS)
    assert process.returncode == -signal.SIGINT


@pytest.mark.parametrize(('session', 'setting'), [*IN_SETTINGS[1:], (OF_NIM[2], FIRST)])
def test_interrupt(session, setting):
    with start(session.console, *session.words, setting=setting) as process:
        if session.start:
            assert process.stdout.read(5)
        else:
            process.stdin.write(b'1;1\n')
            wait_for(lambda: not bytes_in(process.stdin))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (-signal.SIGINT, b'')


@pytest.mark.parametrize(
    ('console', 'first'), [(['othello_console.py'], 'FULL'), (['nim_console.py', 'piles'], 'Nim')]
)
def test_interrupt_ends_a_loop_of_the_shell(console, first):
    command = shlex.join(command_of(*console))
    child = pexpect.spawn(
        'bash',
        ['-c', f'for one in 1 2; do {command}; done; echo after'],
        echo=False,
        env=environment_of(),
        timeout=SECONDS,
    )
    child.expect_exact(first)
    child.sendintr()
    # If a Ctrl-C arrives just as a read begins, Python may notice it only after the read.
    while child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=1):
        child.sendintr()
    child.close()
    assert (first in child.before.decode(), child.signalstatus) == (False, signal.SIGINT)


# A console, its arguments, what a session reads, and its exit status.
PASTED = [
    ('othello_console.py', [], GAME, 0),
    ('othello_console.py', [], '4\n5\n', 2),
    ('nim_console.py', ['piles'], '1\n1\n0\n1\n', 0),
    ('nim_console.py', ['tlcw'], '9\n3\nU\n4\n', 0),
]


@pytest.mark.parametrize(
    ('rest', 'gap'),
    [
        (['echo stolen\n' * 3_000], 0),
        (['echo sto', 'len\n'] * 20, 0.005),
        ([*'echo stolen; echo stolen; echo stolen'], 0.005),
    ],
    ids=['more than the terminal holds', 'in pieces', 'without a line end'],
)
@pytest.mark.parametrize(
    ('console', 'words', 'text', 'status'), PASTED, ids=['othello', 'setup', 'piles', 'tlcw']
)
def test_no_rest_of_a_paste_reaches_the_shell(console, words, text, status, rest, gap):
    """A console that ends in the middle of a paste into a terminal discards what follows."""
    assert paste_into_terminal(console, [text, *rest], *words, gap=gap) == (status, True, 0)


def modules_of(console, text, *words):
    """Return the names of all modules that a console loads while it plays over pipes."""
    name = console[:-3]
    code = (
        f'import sys; sys.path.insert(0, {str(ROOT)!r}); import {name}; sys.argv[1:] = {[*words]}; '
        f'{name}.main(); print(*sys.modules, file=sys.stderr)'
    )
    modules = finished([BARE, '-I', '-c', code], text)[2].decode().split()
    assert name in modules
    return {*modules}


@pytest.mark.parametrize('session', SESSIONS)
def test_sessions_over_pipes_import_only_what_they_need(session):
    modules = modules_of(session.console, session.text)
    assert not {'termios', 'tty', 'select', 'argparse', 'random'} & modules


@pytest.mark.parametrize('game', ['recorded', 'stones', 'tlcw', 'piles'])
def test_the_name_of_a_game_alone_needs_no_argparse(game):
    text = (ROOT / 'scenarios' / f'{game}.txt').read_text(encoding='utf-8')
    assert 'argparse' not in modules_of('nim_console.py', text, game)


OPTIONS_OF_PLAY = '[-h] [--explain] [--prompts] [--seed N]'


@pytest.mark.parametrize(
    ('session', 'words', 'usage'),
    [
        (OTHELLO, [], '[-h] [--explain]'),
        (NIM, [], f'{OPTIONS_OF_PLAY} [GAME] [FILE]'),
        (NIM, ['recorded'], 'recorded [-h] [--explain] [FILE]'),
        (NIM, ['game.txt'], 'recorded [-h] [--explain] [FILE]'),
        *((NIM, [game], f'{game} {OPTIONS_OF_PLAY}') for game in ('stones', 'tlcw', 'piles')),
    ],
)
def test_help(session, words, usage):
    """The help fits on the screen of a terminal: 24 lines, 80 columns."""
    for option, setting in zip(['-h', '--help'], SETTINGS, strict=False):
        status, output, errors = run(session.console, '', option, *words, setting=setting)
        lines = output.decode().splitlines()
        assert (status, lines[0], errors) == (0, f'usage: {session.console} {usage}', b'')
        assert 15 < len(lines) <= 24
        assert max(map(len, lines)) <= 80


WRONG_ARGUMENTS = {
    'othello_console.py': [
        ['game.txt'],
        ['--prompts'],
        ['-h', 'x'],
        [''],
        ['--he'],
        ['--expl'],
        ['--explain=1'],
        ['--x\n'],
        ['\x1b[2J'],
        ['\u202e'],
        ['--' + 'x' * 100_000],
    ],
    'nim_console.py': [
        ['--prompts'],
        ['--seed', '1'],
        ['recorded', '--prompts'],
        ['recorded', '--seed', '1'],
        ['recorded', 'a', 'b'],
        ['a', 'b'],
        ['piles', 'x'],
        ['piles', '--seed'],
        ['piles', '--seed', 'x'],
        ['stones', '--no-such-option'],
        ['piles', '--prom'],
        ['piles', '--see', '1'],
        ['--expl'],
        ['--he'],
        ['--help=1'],
        ['-h', 'a', 'b'],
        *(
            ['piles', '--seed', seed]
            for seed in ('1_0', '\u0663', '1.0', '', '- 1', '\x0b5', '1;2', 'x' * 100_000)
        ),
        ['piles', '\x1b[2J'],
        ['piles', '--\r'],
        ['piles', '--seed', '\u202e'],
        ['--' + 'x' * 100_000],
        ['piles', 'x' * 100_000],
        ['x' * 100_000, 'y'],
    ],
}


@pytest.mark.parametrize(
    ('session', 'words'),
    [(session, words) for session in SESSIONS for words in WRONG_ARGUMENTS[session.console]],
)
def test_usage_errors(session, words):
    status, output, errors = session.main(session.text.encode(), *words)
    assert (status, output) == (2, b'')
    assert is_one_line(errors, f'{session.console}: ')
    assert errors.endswith(b' (see --help)\n')


@pytest.mark.parametrize(
    ('random_session', 'seeds'), [(othello_session, range(30)), (nim_session, range(240))]
)
def test_random_sessions_agree_with_the_model(random_session, seeds):
    """Some sessions also have nonsense lines, except in the setup of Othello."""
    for seed in seeds:
        rng = random.Random(seed)
        words, lines = random_session(rng)
        if random_session is othello_session:
            game, session = 'othello', OTHELLO
        else:
            game, session = words[0] if words else 'recorded', NIM
        for _ in range(rng.choice([0, 3])):
            start = 4 + int(lines[0]) if game == 'othello' else 0
            lines.insert(rng.randint(start, len(lines)), rng.choice(['x', '', '-1', '3', 'x y']))
        if game not in ('othello', 'recorded'):
            lines += rng.choices([*'01234567nC', '30'], k=3000)  # enough to end the game
        assert session.main(''.join(line + '\n' for line in lines).encode(), *words) == (
            session.result(0, ''.join(outputs(game, lines, words)), '')
        ), seed
