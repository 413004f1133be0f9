"""A running program: its input, its output, and its end.

Every wait has a limit, so no program can block the grader.
"""

from __future__ import annotations

import os
import select
import time
from array import array
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from typing import IO

from ..sandbox.program import HAS_SANDBOX

if HAS_SANDBOX:
    import fcntl
    import termios

    from ..sandbox.kernel import Process
    from ..sandbox.usage import Watch

PIECE = 1 << 16  # bytes to read at once
MAX_HELD = 1 << 20  # read no more output while this many bytes are buffered
MAX_WHILE_TYPING = 1 << 26  # the same while typing input: long input may cause a lot of output
TAIL = 1 << 14  # bytes to keep from the start of standard error and, by default, from its end
DRAINING = 0.2  # seconds for draining standard error while standard output is open
LAST_SECONDS = 5.0  # seconds for reading standard error after standard output has ended


class Run:
    """A running program, connected by pipes, with a time limit; `start.running` starts one."""

    folder = ''  # the path of the program's folder, as the program sees it, or '' for the real path
    kept = TAIL  # how many bytes to keep from the end of standard error
    first_errors = b''  # the beginning of standard error
    _tail = b''  # the end of standard error
    _prints = True  # whether standard output is open
    _has_errors = True  # whether standard error is open

    def __init__(
        self, process: Process, watch: Watch, seconds: float, pipes: Sequence[IO[bytes]]
    ) -> None:
        self.group = process.number  # the process group the program leads
        self.folder = process.folder
        self._deadline = time.monotonic() + seconds
        self._process, self._watch = process, watch
        self._held = bytearray()  # output that `read` has not returned yet
        self._input, output, errors = pipes
        self._inlet, self._outlet = self._input.fileno(), output.fileno()
        status = os.fstat(self._inlet)
        self.input_identity = status.st_dev, status.st_ino
        self._error_outlet = errors.fileno()
        for pipe in pipes:
            os.set_blocking(pipe.fileno(), False)

    def read_errors(self) -> bytes:
        """Return the end of standard error so far, at most `kept` bytes.

        If standard output is closed, first wait up to `LAST_SECONDS` for standard error to close,
        too: another process may be keeping it open.
        """
        until = time.monotonic() + (DRAINING if self._prints else LAST_SECONDS)
        while self._has_errors and time.monotonic() < until:
            if not self._wait(0 if self._prints else until):
                break
        return self._tail

    @property
    def is_overdue(self) -> bool:
        """Whether the run's time is used up."""
        return time.monotonic() >= self._deadline

    @property
    def was_killed_by_system(self) -> bool:
        """Whether the system seems to have killed the program because memory ran out."""
        return self._process.was_killed_by_system and not self.excess

    @property
    def excess(self) -> str:
        """The limit the run has exceeded, such as 'more than 1,024 MB of memory', or ''."""
        return self._watch.excess

    @property
    def refused(self) -> Sequence[str]:
        """What the run was seen to be refused: 'more than 256 processes and threads (EAGAIN)'."""
        return self._watch.refused

    def watched_while_busy(self) -> AbstractContextManager[None]:
        """Return a context in which the run's limits are checked while the grader is busy."""
        return self._watch.while_busy()

    @property
    def only_process(self) -> int | None:
        """The ID of the program's process if there is exactly one, or None."""
        return self._watch.only_process

    @property
    def has_unread_input(self) -> bool:
        """Whether the program is known to have unread input."""
        unread = array('i', [0])
        if not self._input.closed:
            fcntl.ioctl(self._inlet, termios.FIONREAD, unread)
        return unread[0] > 0

    def read(self, seconds: float) -> bytes | None:
        """Return new output, `b''` if the output has ended, or None after `seconds` without any.

        Also return None when the run's time is used up.
        """
        until = min(time.monotonic() + seconds, self._deadline)
        while not self._held and self._prints:
            # Endless output on standard error must not extend the wait.
            if not self._wait(until) or (time.monotonic() > until and not self._held):
                return None
        piece, self._held = bytes(self._held), bytearray()
        return piece

    def send(self, text: bytes, seconds: float) -> None:
        """Type input; give up if the program reads none of it for `seconds`."""
        left, until = memoryview(text), min(time.monotonic() + seconds, self._deadline)
        while left and self._wait(until, [self._inlet]):
            try:
                left = left[os.write(self._inlet, left) :]
                until = min(time.monotonic() + seconds, self._deadline)
            except BlockingIOError:  # output arrived, but there is no room for input
                if time.monotonic() > until:
                    break
            except OSError:  # the program no longer reads
                break

    def end_input(self) -> None:
        """End the program's input."""
        self._input.close()

    def status(self, seconds: float) -> int | None:
        """Return the exit status (negative for a signal), or None after `seconds` without one."""
        until = time.monotonic() + seconds
        while True:
            status = self._process.status(max(0, min(until, self._watch.next) - time.monotonic()))
            if status is not None or time.monotonic() >= until:
                return status
            self._watch.look()

    def _wait(self, until: float, inlets: Sequence[int] = ()) -> bool:
        """Wait for output or errors, no longer than `until`, and take what has arrived.

        Also stop when an inlet has room. Return whether anything arrived or an inlet has room.
        """
        most = MAX_WHILE_TYPING if inlets else MAX_HELD
        outlets = [self._outlet] if self._prints and len(self._held) < most else []
        outlets += [self._error_outlet] if self._has_errors else []
        while True:
            self._watch.look()
            ready, free, _ = select.select(
                outlets, inlets, [], max(0, min(until, self._watch.next) - time.monotonic())
            )
            if ready or free or time.monotonic() >= until:
                break
        for outlet in ready:
            with suppress(BlockingIOError):  # another process of this user has read the output
                self._take(os.read(outlet, PIECE), outlet == self._outlet)
        return bool(ready or free)

    def _take(self, piece: bytes, is_output: bool) -> None:
        """Add a piece of standard output or standard error; `b''` marks the end."""
        if is_output:
            self._prints = bool(piece)
            self._held += piece
        else:
            self._has_errors = bool(piece)
            self._tail = (self._tail + piece)[-self.kept :]
            self.first_errors += piece[: TAIL - len(self.first_errors)]
