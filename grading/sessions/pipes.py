"""A program in the sandbox, on pipes watched by `select`: on Linux and macOS."""

from __future__ import annotations

import fcntl
import os
import select
import termios
import time
from array import array
from contextlib import ExitStack, contextmanager
from typing import Callable, Iterator, Tuple

from ..sandbox.kinds import Sandbox
from ..sandbox.processes import Watch
from ..sandbox.program import Program
from ..sandbox.start import Process
from .run import PIECE, Run

MOST_HELD = 1 << 20                     # bytes of output that may wait to be read


class End:
    """One end of a pipe, which can be closed more than once."""

    def __init__(self, number: int) -> None:
        self._number = number
        self.is_open = True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._number

    def close(self) -> None:
        """Close the end if it is open."""
        if self.is_open:
            self.is_open = False
            os.close(self._number)


Ends = Tuple[End, End, End]             # of a program's input, output, and standard error


class Piped(Run):
    """A program on pipes."""

    def __init__(self, process: Process, watch: Watch, seconds: float,
                 ends: Ends) -> None:
        super().__init__(process.number, seconds)
        self.folder = process.folder
        self._process, self._watch = process, watch
        self._input, output, errors = ends
        self._inlet, self._outlet = self._input.fileno(), output.fileno()
        self._outlets = [self._outlet, errors.fileno()]     # those that have not ended
        for end in ends:
            os.set_blocking(end.fileno(), False)

    @property
    def was_killed_by_system(self) -> bool:
        return self._process.was_killed and not self.excess

    @property
    def was_memory_short(self) -> bool:
        return self._process.was_memory_short

    @property
    def excess(self) -> str:
        return self._watch.excess

    @property
    def has_unread_input(self) -> bool:
        unread = array('i', [0])
        if self._input.is_open:
            fcntl.ioctl(self._inlet, termios.FIONREAD, unread)
        return unread[0] > 0

    def send(self, text: bytes, seconds: float) -> None:
        until = min(time.monotonic() + seconds, self._deadline)
        while text and self._wait(until, [self._inlet]):
            try:
                text = text[os.write(self._inlet, text):]
            except BlockingIOError:     # it was output that came
                if time.monotonic() > until:
                    break
            except OSError:             # the program no longer reads
                break

    def end_input(self) -> None:
        self._input.close()

    def status(self, seconds: float) -> int | None:
        until = time.monotonic() + seconds
        while True:
            status = self._process.status(max(0, min(until, self._watch.next) - time.monotonic()))
            if status is not None or time.monotonic() >= until:
                return status
            self._watch.look()

    def _wait(self, until: float, inlets: list[int] | None = None) -> bool:
        """Wait for output until a time; return whether some came, or an inlet has room."""
        outlets = [outlet for outlet in self._outlets
                   if outlet != self._outlet or len(self._held) < MOST_HELD]
        while True:
            self._watch.look()
            wake = min(until, self._watch.next)
            ready, free, _ = select.select(outlets, inlets or [], [],
                                           max(0, wake - time.monotonic()))
            if ready or free or time.monotonic() >= until:
                break
        for outlet in ready:
            try:
                piece = os.read(outlet, PIECE)      # b'' is its end
            except BlockingIOError:     # a program of the same user has read it itself
                continue
            if not piece:
                self._outlets.remove(outlet)
            if outlet == self._outlet:
                self._take_output(piece)
            else:
                self._take_errors(piece)
        return bool(ready or free)


def ends(stack: ExitStack, descriptors: tuple[int, int]) -> tuple[End, End]:
    """Return two ends, which a stack closes."""
    first, second = (End(number) for number in descriptors)
    stack.callback(first.close)
    stack.callback(second.close)
    return first, second


@contextmanager
def running_confined(program: Program, sandbox: Sandbox, seconds: float,
                     keep: Callable[[int], None] | None,
                     look: Callable[[int], None] | None) -> Iterator[Run]:
    """Start a program; at the end, kill all that it started; see `running`."""
    with ExitStack() as stack:
        (input_, inlet), (outlet, output), (errors, error) = (
            ends(stack, os.pipe()) for _ in range(3))
        theirs = input_, output, error
        process, watch = stack.enter_context(sandbox.started(
            program, (input_.fileno(), output.fileno(), error.fileno()), keep, look))
        for end in theirs:
            end.close()
        yield Piped(process, watch, seconds, (inlet, outlet, errors))
