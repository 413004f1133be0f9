"""One run of a program: over pipes, as a grader runs it, or in a terminal, as a person does.

Whatever the program does, nothing here waits for longer than it is told to.
"""

from __future__ import annotations

import os
import select
import termios
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import Callable, Iterator, Tuple

from ..sandbox.base import Started
from ..sandbox.kinds import Confinement
from ..sandbox.program import Program

PIECE = 1 << 16                         # bytes that are read at once
MOST_HELD = 1 << 20                     # bytes of output that may wait to be read
TAIL = 1 << 14                          # bytes that are kept of that, if no more are wanted
DRAINING = 0.2                          # seconds for reading the rest of it, which may be endless
PIPES, TERMINAL = 'over pipes', 'in a terminal'
LOCAL_MODES = 3                         # of a terminal's attributes
END_OF_INPUT = b'\x04'                  # as it is typed


class End:
    """One end of a pipe or terminal, which can be closed more than once."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._is_open = True

    def fileno(self) -> int:
        """Return its descriptor."""
        return self._number

    def close(self) -> None:
        """Close it, if it is still open."""
        if self._is_open:
            self._is_open = False
            os.close(self._number)


Ends = Tuple[End, End, End]             # of a program's input, output, and standard error


class Run:
    """A running program on pipes, which may take so many seconds in all."""

    way = PIPES

    def __init__(self, started: Started, seconds: float, ends: Ends) -> None:
        self.folder = started.process.folder
        self.seconds = seconds
        self.group = started.process.number     # of processes, that the program leads
        self._process, self._watch = started.process, started.watch
        self._deadline = time.monotonic() + seconds
        self._input, output, errors = ends
        self._inlet, self._outlet = self._input.fileno(), output.fileno()
        self._outlets = [self._outlet, errors.fileno()]     # but for those that have ended
        self.kept = TAIL                # bytes that are kept of the end of standard error
        self._tail = b''                # that end
        self._held = b''                # output that has come, and has not been read yet
        for end in ends:
            os.set_blocking(end.fileno(), False)

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

    @property
    def was_killed_by_system(self) -> bool:
        """Whether it was ended by signal 9, which the grader sends only when a run is over.

        The system sends it when the memory runs out; but a program can send it to itself, too:
        see `was_memory_short`.
        """
        return self._process.was_killed

    @property
    def was_memory_short(self) -> bool:
        """Whether the system has killed any process for want of memory since the run began."""
        return self._process.was_memory_short

    @property
    def excess(self) -> str:
        """What it and all that it has started held too much of together, if it was ended for that.

        It is in words: 'more than 1,024 MB of memory'.
        """
        return self._watch.excess

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

    def end_input(self) -> None:
        """End the program's input."""
        self._input.close()

    def status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal, `None` if the program runs on."""
        until = time.monotonic() + seconds
        while True:
            status = self._process.status(max(0, min(until, self._watch.next) - time.monotonic()))
            if status is not None or time.monotonic() >= until:
                return status
            self._watch.look()

    def _wait(self, until: float, inlets: list[int] | None = None) -> bool:
        """Take in what is printed until then; return whether anything came, or can be sent."""
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
            piece = self._take(outlet)
            if not piece:
                self._outlets.remove(outlet)
            if outlet == self._outlet:
                self._held += self._translated(piece)
            else:
                self._tail = (self._tail + piece)[-self.kept:]
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


class Terminal(Run):
    """A program in a pseudo-terminal that does not echo, as a person runs it."""

    way = TERMINAL
    _return = b''

    def end_input(self) -> None:
        with suppress(OSError):         # it is full, or nobody reads any more
            os.write(self._inlet, END_OF_INPUT)

    def _translated(self, piece: bytes) -> bytes:
        # The terminal makes \r\n of each \n; half of it may have come.
        text = self._return + piece
        self._return = b'\r' if piece and text.endswith(b'\r') else b''
        return text[:len(text) - len(self._return)].replace(b'\r\n', b'\n')


@contextmanager
def pipes() -> Iterator[tuple[Ends, Ends]]:
    """Make three pipes; yield the grader's ends and the program's, to be closed when started."""
    with ExitStack() as stack:
        (input_, inlet), (outlet, output), (errors, error) = (
            ends(stack, os.pipe()) for _ in range(3))
        yield (inlet, outlet, errors), (input_, output, error)


@contextmanager
def terminal() -> Iterator[tuple[Ends, Ends]]:
    """Make a pseudo-terminal that does not echo, and a pipe for standard error; yield the same."""
    with ExitStack() as stack:
        ours, theirs = ends(stack, os.openpty())
        errors, error = ends(stack, os.pipe())
        attributes = termios.tcgetattr(theirs.fileno())
        attributes[LOCAL_MODES] &= ~termios.ECHO
        termios.tcsetattr(theirs.fileno(), termios.TCSANOW, attributes)
        yield (ours, ours, errors), (theirs, theirs, error)


def ends(stack: ExitStack, descriptors: tuple[int, int]) -> tuple[End, End]:
    """Return two ends, which are closed when a stack is."""
    first, second = (End(number) for number in descriptors)
    stack.callback(first.close)
    stack.callback(second.close)
    return first, second


@contextmanager
def running(program: Program, confinement: Confinement, way: str, seconds: float,
            keep: Callable[[int], None] | None = None) -> Iterator[Run]:
    """Start a program, and end all that it has started, when it is done with.

    `way` is `PIPES` or `TERMINAL`; `seconds` is what it may take in all; for `keep` see
    `Confinement.started`. Raises `StartError`.
    """
    with (pipes if way == PIPES else terminal)() as (ours, theirs):
        input_, output, errors = (end.fileno() for end in theirs)
        with confinement.started(program, (input_, output, errors), keep) as started:
            for end in theirs:
                end.close()
            yield (Run if way == PIPES else Terminal)(started, seconds, ours)
