"""Replay of transcripts: a program gets each input line only once it has printed what is due.

`replay` does it twice, over pipes as a grader and in a pseudo-terminal as a person. What is
printed is compared whole, and the first difference told so that it can be mended.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pexpect
from report import MOST_BYTES, Difference, describe
from transcript import Transcript

QUIET = 0.05                            # seconds after which unexpected output counts as whole
PATIENCE = 0.5                          # seconds after which it is cut, if it goes on
LATE = 0.3                              # seconds that a program gets to end when its input has


class Pipes:
    """A program on pipes, its standard error in its standard output, as a grader runs it."""

    way = 'over pipes'

    def __init__(self, command: list[str], folder: Path, only_errors: bool = False) -> None:
        self._process = subprocess.Popen(
            command, cwd=folder, env=child_environment(), bufsize=0, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL if only_errors else subprocess.PIPE,
            stderr=subprocess.PIPE if only_errors else subprocess.STDOUT,
            start_new_session=True)
        self._output = self._process.stderr if only_errors else self._process.stdout

    def read(self, seconds: float) -> bytes | None:
        """Return what has been printed, `b''` at the end of output, `None` if nothing came."""
        if not select.select([self._output], [], [], seconds)[0]:
            return None
        return self._output.read(MOST_BYTES)

    def send(self, text: bytes) -> None:
        """Type a text, if the program still listens."""
        with suppress(OSError):
            self._process.stdin.write(text)

    def end_input(self) -> None:
        """End the program's input."""
        self._process.stdin.close()

    def status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal, `None` if the program runs on."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """Stop the program and all that it has started."""
        kill_group(self._process.pid)
        self._process.stdin.close()
        self._output.close()
        self._process.wait()


class Terminal:
    """A program in a pseudo-terminal that does not echo, as a person runs it."""

    way = 'in a terminal'

    def __init__(self, command: list[str], folder: Path) -> None:
        self._child = pexpect.spawn(command[0], command[1:], cwd=str(folder), echo=False,
                                    env=child_environment(), maxread=MOST_BYTES)
        self._child.delaybeforesend = None
        self._child.delayafterread = None
        self._child.ptyproc.delayafterclose = 0
        self._held = b''

    def read(self, seconds: float) -> bytes | None:
        """Return what has been printed, `b''` at the end of output, `None` if nothing came."""
        try:
            text = self._held + self._child.read_nonblocking(MOST_BYTES, seconds)
        except pexpect.TIMEOUT:
            return None
        except pexpect.EOF:
            text, self._held = self._held, b''
            return text
        # The terminal makes \r\n of each \n; half of it may have come.
        self._held = b'\r' if text.endswith(b'\r') else b''
        return text[:len(text) - len(self._held)].replace(b'\r\n', b'\n') or self.read(seconds)

    def send(self, text: bytes) -> None:
        """Type a text, if the program still listens."""
        with suppress(OSError):
            self._child.send(text)

    def end_input(self) -> None:
        """End the program's input."""
        self._child.sendeof()

    def status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal, `None` if the program runs on."""
        deadline = time.monotonic() + seconds
        while self._child.isalive():
            if time.monotonic() > deadline:
                return None
            time.sleep(0.001)
        if self._child.exitstatus is None:
            return -self._child.signalstatus
        return self._child.exitstatus

    def close(self) -> None:
        """Stop the program and all that it has started."""
        kill_group(self._child.pid)
        self._child.close(force=True)


def replay(transcript: Transcript, command: list[str], folder: Path, seconds: float) -> str:
    """Replay a transcript through a command line, both ways; return the message for its author.

    `command` is the program, without the transcript's arguments; `folder` is where it runs;
    for `seconds` the program may print nothing when something is due. The message is empty
    where nothing differs.
    """
    if not transcript.output:
        return f'{transcript.name}: no output is recorded in it; see --record'
    command = command + transcript.command[1:]
    for session_type in (Pipes, Terminal):
        try:
            session = session_type(command, folder)
        except (OSError, pexpect.ExceptionPexpect) as error:
            return f'{" ".join(command)} cannot be run: {error}'
        try:
            difference = first_difference(transcript, session, seconds)
        finally:
            session.close()
        if difference:
            if difference.kind in ('differs', 'ended') and not difference.is_runaway:
                difference.errors = printed_errors(transcript, command, folder, seconds)
            return describe(transcript, difference, session.way, seconds)
    return ''


def first_difference(
        transcript: Transcript, session: Pipes | Terminal, seconds: float) -> Difference | None:
    """Play the inputs of a transcript; return how the program first departs from it, if it does."""
    last = len(transcript.steps) - 1
    for number, step in enumerate(transcript.steps):
        if number == last and transcript.reads_all_first:
            session.end_input()
        due = step.output.encode()
        printed = b''
        while printed != due and due.startswith(printed):
            piece = session.read(seconds)
            if not piece:
                return interrupted(transcript, session, seconds, number, printed, piece is None)
            printed += piece
        if printed != due:
            return Difference(number, 'differs', printed + collect(session, QUIET))
        if step.input is not None:
            session.send(step.input.encode() + b'\n')
    return difference_at_end(transcript, session, seconds)


def interrupted(transcript: Transcript, session: Pipes | Terminal, seconds: float,
                number: int, printed: bytes, is_silent: bool) -> Difference:
    """Return the difference of a program that ends or falls silent while something is due."""
    if not is_silent:
        return Difference(number, 'ended', printed, status=session.status(seconds))
    for step in transcript.steps[number:-1]:
        session.send(step.input.encode() + b'\n')
    session.end_input()
    return Difference(number, 'silent', printed, late=collect(session, LATE))


def difference_at_end(
        transcript: Transcript, session: Pipes | Terminal, seconds: float) -> Difference | None:
    """Return what is wrong after the last line is printed: more output, no end, a bad status."""
    last = len(transcript.steps) - 1
    piece = session.read(seconds)
    if piece:
        return Difference(last, 'differs', transcript.steps[last].output.encode() + piece
                          + collect(session, QUIET))
    status = session.status(seconds) if piece is not None else None
    if status is None:
        session.end_input()
        late = collect(session, LATE)
        return Difference(last, 'runs on', b'', late=late, status=session.status(LATE))
    return Difference(last, 'status', b'', status=status) if status else None


def printed_errors(
        transcript: Transcript, command: list[str], folder: Path, seconds: float) -> bytes:
    """Run a program once more, with all its input at once; return its standard error alone."""
    session = Pipes(command, folder, only_errors=True)
    try:
        session.send(''.join(line + '\n' for line in transcript.inputs).encode())
        session.end_input()
        return collect(session, min(seconds, 0.5))
    finally:
        session.close()


def collect(session: Pipes | Terminal, seconds: float) -> bytes:
    """Return what is printed until nothing comes for some seconds, or too much, or too long."""
    printed = b''
    deadline = time.monotonic() + PATIENCE
    while len(printed) < MOST_BYTES and time.monotonic() < deadline:
        piece = session.read(seconds)
        if not piece:
            break
        printed += piece
    return printed


def child_environment() -> dict[str, str]:
    """Return the environment less Python's own settings, which can hide a missing flush."""
    return {name: value for name, value in os.environ.items() if not name.startswith('PYTHON')}


def kill_group(leader: int) -> None:
    """Kill the process that leads a group, and the group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
