"""One run of a program: over pipes, as a grader runs it, or in a terminal, as a person does.

Whatever the program does, nothing here waits for longer than it is told to.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Iterator

import pexpect

from ..sandbox.cleanup import nothing_left, remove
from ..sandbox.kinds import Confinement, Room
from ..submissions.find import Program

PIECE = 1 << 16                         # bytes that are read at once
MOST_HELD = 1 << 20                     # bytes of output that may wait to be read
TAIL = 1 << 14                          # bytes that are kept of the end of standard error
DRAINING = 0.2                          # seconds for reading the rest of it, which may be endless
PIPES, TERMINAL = 'over pipes', 'in a terminal'


class Run(ABC):
    """A running program, which may take so many seconds in all."""

    way: str

    def __init__(self, room: Room, seconds: float, inlet: int, outlet: int, errors: int) -> None:
        self.folder = room.folder
        self.seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._inlet = inlet
        self._outlets = [outlet, errors]        # but for those that have ended
        self._outlet = outlet
        self._tail = b''                # of standard error
        self._held = b''                # output that has come, and has not been read yet
        for descriptor in (inlet, outlet, errors):
            os.set_blocking(descriptor, False)

    @property
    def errors(self) -> bytes:
        """The end of what it has printed on standard error up to now."""
        until = time.monotonic() + DRAINING
        while time.monotonic() < until and self._wait(0):
            pass
        return self._tail

    @property
    def is_overdue(self) -> bool:
        """Whether it has had all its time."""
        return time.monotonic() >= self._deadline

    def read(self, seconds: float) -> bytes | None:
        """Return what has been printed, `b''` at the end of output, `None` if nothing came."""
        until = min(time.monotonic() + seconds, self._deadline)
        while not self._held and self._outlet in self._outlets:
            # Standard error may be printed on for ever meanwhile.
            if not self._wait(until) or (time.monotonic() > until and not self._held):
                return None
        piece, self._held = self._held, b''
        return piece

    def send(self, text: bytes, seconds: float) -> None:
        """Type a text, as far as the program takes it within some seconds."""
        until = min(time.monotonic() + seconds, self._deadline)
        while text and self._wait(until, [self._inlet]):
            try:
                text = text[os.write(self._inlet, text):]
            except BlockingIOError:     # it was output that came
                if time.monotonic() > until:
                    break
            except OSError:             # nobody reads any more
                break

    def _wait(self, until: float, inlets: list[int] | None = None) -> bool:
        """Take in what is printed until then; return whether anything came, or can be sent."""
        outlets = [outlet for outlet in self._outlets
                   if outlet != self._outlet or len(self._held) < MOST_HELD]
        ready, free, _ = select.select(outlets, inlets or [], [],
                                       max(0, until - time.monotonic()))
        for outlet in ready:
            piece = self._take(outlet)
            if not piece:
                self._outlets.remove(outlet)
            if outlet == self._outlet:
                self._held += self._translated(piece)
            else:
                self._tail = (self._tail + piece)[-TAIL:]
        return bool(ready or free)

    def _take(self, outlet: int) -> bytes:
        """Return what has come out, `b''` at its end."""
        try:
            return os.read(outlet, PIECE)
        except OSError:                 # as a terminal ends
            return b''

    def _translated(self, piece: bytes) -> bytes:
        """Return what was printed of what has come out, `b''` for its end."""
        return piece

    @abstractmethod
    def end_input(self) -> None:
        """End the program's input."""

    @abstractmethod
    def status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal, `None` if the program runs on."""

    @abstractmethod
    def close(self) -> None:
        """End the program."""


class Pipes(Run):
    """A program on pipes, as a grader runs it."""

    way = PIPES

    def __init__(self, room: Room, seconds: float) -> None:
        self._process = subprocess.Popen(
            room.command, env=room.environment, bufsize=0, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        streams = [self._process.stdin, self._process.stdout, self._process.stderr]
        self._streams = [stream for stream in streams if stream]
        super().__init__(room, seconds, *(stream.fileno() for stream in self._streams))

    def end_input(self) -> None:
        self._streams[0].close()

    def status(self, seconds: float) -> int | None:
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        end_group(self._process.pid)
        self._process.wait()
        for stream in self._streams:
            stream.close()


class Terminal(Run):
    """A program in a pseudo-terminal that does not echo, as a person runs it."""

    way = TERMINAL

    def __init__(self, room: Room, seconds: float) -> None:
        # The terminal is its standard error too, in pexpect's hands: a FIFO takes that place.
        folder = tempfile.mkdtemp(prefix='terminal-')
        fifo = os.path.join(folder, 'errors')
        os.mkfifo(fifo, 0o600)
        self._errors = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)

        environment: Any = room.environment

        def redirect_errors() -> None:
            os.dup2(os.open(fifo, os.O_WRONLY), 2)

        try:
            self._child: Any = pexpect.spawn(
                room.command[0], room.command[1:], env=environment, echo=False,
                preexec_fn=redirect_errors)
        finally:
            remove(Path(folder))
        self._child.ptyproc.delayafterclose = 0
        self._return = b''
        super().__init__(room, seconds, self._child.child_fd, self._child.child_fd, self._errors)

    def _translated(self, piece: bytes) -> bytes:
        # The terminal makes \r\n of each \n; half of it may have come.
        text = self._return + piece
        self._return = b'\r' if piece and text.endswith(b'\r') else b''
        return text[:len(text) - len(self._return)].replace(b'\r\n', b'\n')

    def end_input(self) -> None:
        self._child.sendeof()

    def status(self, seconds: float) -> int | None:
        until = time.monotonic() + seconds
        while self._child.isalive():
            if time.monotonic() > until:
                return None
            time.sleep(0.001)
        if self._child.exitstatus is None:
            return -int(self._child.signalstatus)
        return int(self._child.exitstatus)

    def close(self) -> None:
        end_group(self._child.pid)
        self._child.close(force=True)
        os.close(self._errors)


def end_group(leader: int) -> None:
    """Kill the process that leads a group, and the group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


@contextmanager
def running(program: Program, confinement: Confinement, way: str, seconds: float,
            folder: Path | None = None) -> Iterator[Run]:
    """Start a program, and end all that it has started, when it is done with.

    `way` is `PIPES` or `TERMINAL`; `seconds` is what it may take in all; `folder` is where its
    copy shall stay, if it shall.
    """
    with confinement.room(program, folder) as room, nothing_left():
        run = (Pipes if way == PIPES else Terminal)(room, seconds)
        try:
            yield run
        finally:
            run.close()
            confinement.end_processes()
