"""One run of a program, whichever way it runs: what it prints, what it is given, how it ends.

Whatever the program does, nothing here waits for longer than it is told to. `pipes` and `running`
have the two kinds of runs.
"""

from __future__ import annotations

import time

PIECE = 1 << 16                         # bytes that are read at once
TAIL = 1 << 14                          # bytes kept of standard error, unless told otherwise
DRAINING = 0.2                          # seconds for reading what has come, which may be endless
LAST_SECONDS = 5.0                      # that it may come for, when output has ended
PIPES, TERMINAL = 'over pipes', 'in a terminal'


class Run:
    """A running program, which may take so many seconds in all; `running.running` starts one."""

    way = PIPES
    folder = ''                         # that it runs in, as it sees it; '' if that is its own

    def __init__(self, group: int, seconds: float) -> None:
        self.group = group              # of processes, that the program leads
        self.seconds = seconds
        self._deadline = time.monotonic() + seconds
        self.kept = TAIL                # bytes that are kept of the end of standard error
        self._tail = b''                # that end
        self._held = b''                # output that has come, and has not been read yet
        self._prints = True             # whether output may still come
        self._has_errors = True         # whether anything may still come on standard error
        self._return = b''              # the first half of what ends a line, maybe

    @property
    def errors(self) -> bytes:
        """The end of what it has printed on standard error: up to now, or in all if it has ended.

        The two ends come one after the other; but a process that goes on may keep one open.
        """
        until = time.monotonic() + (DRAINING if self._prints else LAST_SECONDS)
        while (self._has_errors and time.monotonic() < until
               and self._wait(0 if self._prints else until)):
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
        return False

    @property
    def was_memory_short(self) -> bool:
        """Whether the system has killed any process for want of memory since the run began."""
        return False

    @property
    def excess(self) -> str:
        """What it and all that it has started held too much of together, if it was ended for that.

        It is in words: 'more than 1,024 MB of memory'.
        """
        return ''

    def read(self, seconds: float) -> bytes | None:
        """Return what has been printed, `b''` at the end of output, `None` if nothing came."""
        until = min(time.monotonic() + seconds, self._deadline)
        while not self._held and self._prints:
            # Standard error may be printed on for ever meanwhile.
            if not self._wait(until) or (time.monotonic() > until and not self._held):
                return None
        piece, self._held = self._held, b''
        return piece

    def send(self, text: bytes, seconds: float) -> None:
        """Type a text, as far as the program takes it within some seconds."""
        raise NotImplementedError

    def end_input(self) -> None:
        """End the program's input."""
        raise NotImplementedError

    def status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal, `None` if the program runs on."""
        raise NotImplementedError

    def _wait(self, until: float) -> bool:
        """Take in what is printed until then; return whether anything came, an end included."""
        raise NotImplementedError

    def _take_output(self, piece: bytes) -> None:
        """Take in output, `b''` for its end."""
        self._prints = bool(piece)
        self._held += self._translated(piece)

    def _take_errors(self, piece: bytes) -> None:
        """Take in what was printed on standard error, `b''` for its end."""
        self._has_errors = bool(piece)
        self._tail = (self._tail + piece)[-self.kept:]

    def _translated(self, piece: bytes) -> bytes:
        """Return output with the line ends that the program wrote."""
        return piece

    def _with_plain_ends(self, piece: bytes) -> bytes:
        r"""Return a piece of output, or its end, with `\n` for `\r\n`; half of it may have come."""
        text = self._return + piece
        self._return = b'\r' if piece and text.endswith(b'\r') else b''
        return text[:len(text) - len(self._return)].replace(b'\r\n', b'\n')
