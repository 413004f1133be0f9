"""Start programs, above all our consoles, as a user does, and wait for what they do."""

import io
import itertools
import os
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest import mock

import pexpect
import pytest

ROOT = Path(__file__).resolve().parent.parent

# A shell makes background jobs ignore Ctrl-C, and the programs that tests start would inherit this.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Outside the virtual environment the interpreter starts faster, because it reads no .pth files.
BARE = os.path.realpath(sys.executable)
PYTHON = shlex.quote(BARE)  # as a word of a command line
SECONDS = 60  # a run that takes longer counts as hanging, even on a slow machine
IS_PYPY = sys.implementation.name == 'pypy'
# For tests of patterns such as (a+)+b, which may search forever; the manual warns of them.
unless_matches_never_end = pytest.mark.skipif(
    IS_PYPY, reason='PyPy handles no signal during a match, which may never end'
)


def rest_long(rows, quick=1):
    """Return rows for `pytest.mark.parametrize`; all but the first `quick` ones are long tests."""
    rows = [*rows]
    rest = (pytest.param(*arguments_of(row), marks=pytest.mark.long) for row in rows[quick:])
    return [*rows[:quick], *rest]


def arguments_of(row):
    """Return the arguments of a row; a row with one argument may be the argument itself."""
    return row if isinstance(row, tuple) else (row,)


# Options and variables of Python that must not change what a console does.
SETTINGS = {
    '-O -u': (['-O', '-u'], {}),
    '-B, dev, ascii': (
        ['-B', '-X', 'dev'],
        {'LC_ALL': 'C', 'PYTHONCOERCECLOCALE': '0', 'PYTHONUTF8': '0', 'PYTHONIOENCODING': 'ascii'},
    ),
}
PLAIN = ([], {})


def child_environment():
    """Return the environment without Python's variables, which can hide a missing flush."""
    return {name: value for name, value in os.environ.items() if not name.startswith('PYTHON')}


def command_of(console, *arguments, setting=None):
    """Return the command line of a console."""
    return [BARE, *SETTINGS.get(setting, PLAIN)[0], str(ROOT / console), *arguments]


def environment_of(setting=None):
    """Return the environment of a setting."""
    return {**child_environment(), **SETTINGS.get(setting, PLAIN)[1]}


def finished(command, text='', **options):
    """Run a command to its end; return (status, output, errors). `text` may also be bytes."""
    result = subprocess.run(
        [*map(str, command)],
        input=text if isinstance(text, bytes) else text.encode(),
        check=False,
        timeout=SECONDS,
        **{
            'stdout': subprocess.PIPE,
            'stderr': subprocess.PIPE,
            'env': child_environment(),
            **options,
        },
    )
    return result.returncode, result.stdout, result.stderr


def run(console, text, *arguments, setting=None, **options):
    """Run a console to its end; return (status, output, errors). `text` may also be bytes."""
    return finished(
        command_of(console, *arguments, setting=setting),
        text,
        **{'env': environment_of(setting), **options},
    )


def run_with_shell(script, console, *arguments, text='', setting=None):
    """Run a shell script in which "$@" is a console; return (status, output, errors)."""
    command = ['sh', '-c', script, 'sh', *command_of(console, *arguments, setting=setting)]
    return finished(command, text, env=environment_of(setting))


def run_inside(console, text, *arguments, has_bytes=False):
    """Run a console's `main` in this process; return (status, output, errors).

    The standard streams are in memory. With `has_bytes` they have a buffer of bytes, as the
    streams of a terminal have.
    """
    data = text if isinstance(text, bytes) else text.encode()
    streams = {}
    for name, content in (('stdin', data), ('stdout', b''), ('stderr', b'')):
        if has_bytes:
            streams[name] = io.TextIOWrapper(io.BytesIO(content), 'utf-8')
        else:
            streams[name] = io.StringIO(content.decode('utf-8', 'replace'))
    with mock.patch.multiple(sys, argv=[console.PROGRAM, *arguments], **streams):
        status = console.main()
    for stream in streams.values():
        stream.seek(0)
    return status, streams['stdout'].read().encode(), streams['stderr'].read().encode()


def is_one_line(errors, start, longest=400):
    """Return whether `errors` is one short printable line that begins with `start`."""
    return (
        errors.startswith(start.encode())
        and errors.endswith(b'\n')
        and errors[:-1].decode().isprintable()
        and len(errors) < longest
    )


@contextmanager
def started(command, **options):
    """Start a program on pipes and yield its process, which never outlives the test."""
    with subprocess.Popen(
        command,
        **{
            'stdin': subprocess.PIPE,
            'stdout': subprocess.PIPE,
            'stderr': subprocess.PIPE,
            **options,
        },
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def start(console, *arguments, setting=None, **options):
    """Start a console on unbuffered pipes; a `with` statement gets its process."""
    return started(
        command_of(console, *arguments, setting=setting),
        env=environment_of(setting),
        bufsize=0,
        **options,
    )


def wait_for(condition):
    """Wait until a condition is true; it counts as false while a file that it needs is missing."""
    until = time.monotonic() + SECONDS
    while True:
        with suppress(FileNotFoundError):
            if condition():
                return
        assert time.monotonic() < until
        time.sleep(0.02)


def short_patience():
    """Return how many seconds to wait for a program that is known to hang.

    This is 20 times as long as Python now takes to start, and at least half a second: on any
    machine, enough for everything that the program prints before it hangs.
    """
    begin = time.monotonic()
    subprocess.run([BARE, '-c', 'pass'], check=True, timeout=SECONDS)
    return max(0.5, round(20 * (time.monotonic() - begin), 1))


def bytes_in(pipe):
    """Return how many unread bytes are in a pipe or a terminal."""
    fcntl = pytest.importorskip('fcntl')
    termios = pytest.importorskip('termios')
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b'\0' * 4), 'little')


@contextmanager
def terminal():
    """Open a pseudo-terminal and yield its two ends, (leader, follower)."""
    ends = os.openpty()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


def paste_into_terminal(console, pieces, *arguments, gap=0.0):
    """Paste pieces of text, `gap` seconds apart, into a terminal in which a console runs.

    Return (exit status, whether all was pasted, how many bytes are left for a shell). If this
    machine delayed a piece for longer than a console waits for more input, try again.
    """
    until = time.monotonic() + SECONDS
    while True:
        result, longest_pause = paste_once(console, pieces, arguments, gap)
        if longest_pause < 0.03:
            return result
        if time.monotonic() > until:
            pytest.skip('this machine holds up whatever is pasted')


def paste_once(console, pieces, arguments, gap):
    """Paste once; return (what `paste_into_terminal` returns, seconds of the longest pause)."""
    termios = pytest.importorskip('termios')
    tty = pytest.importorskip('tty')
    leader, follower = os.openpty()
    # Turn off the echo: nobody reads it, so it would fill up the terminal. Keep reading by lines.
    tty.setcbreak(follower)
    mode = termios.tcgetattr(follower)
    mode[3] |= termios.ICANON
    termios.tcsetattr(follower, termios.TCSANOW, mode)
    pasted, times = [], []
    over = threading.Event()

    def paste():
        os.set_blocking(leader, False)
        for piece in map(str.encode, pieces):
            while piece and not over.is_set():
                if select.select([], [leader], [], 0.1)[1]:
                    with suppress(BlockingIOError):
                        piece = piece[os.write(leader, piece) :]
            pasted.append(not piece)
            times.append(time.monotonic())
            if over.wait(gap):
                return

    try:
        with start(console, *arguments, stdin=follower) as process:
            paster = threading.Thread(target=paste)
            paster.start()
            process.communicate(timeout=SECONDS)
            paster.join(1)
            over.set()
            paster.join(SECONDS)
        time.sleep(0.1)  # What was written may arrive at the other end a little later.
        tty.setcbreak(follower, termios.TCSANOW)
        longest_pause = 0
        if gap:
            # Without gaps, the paste waits for the console, so pauses do not show a slow machine.
            pauses = (after - before for before, after in itertools.pairwise(times))
            longest_pause = max(pauses, default=0)
        return (process.returncode, all(pasted), bytes_in(follower)), longest_pause
    finally:
        over.set()
        os.close(leader)
        os.close(follower)


def only_numerals(text):
    """Return `int(text)`; tests replace `int` with this in modules that must pass it only numerals.

    On Python 3.11, an `int` that fails sometimes swallows a Ctrl-C that arrives at that moment.
    """
    try:
        return int(text)
    except ValueError:
        raise AssertionError(f'int({text!r})') from None


def start_in_terminal(console, *arguments):
    """Start a console in a pseudo-terminal that does not echo; return pexpect's child."""
    program, *arguments = command_of(console, *arguments)
    return pexpect.spawn(program, arguments, echo=False, env=environment_of(), timeout=SECONDS)
