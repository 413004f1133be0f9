"""One run of a program: what it prints, what it gets, how it ends.

Nothing here waits longer than it is told to, whatever the program does. `pipes` and `running` have
the two kinds of runs.
"""

from __future__ import annotations

import time

PIECE = 1 << 16                         # bytes that are read at once
TAIL = 1 << 14                          # bytes kept of standard error, unless told otherwise
DRAINING = 0.2                          # seconds for reading what has come, which may be endless
LAST_SECONDS = 5.0                      # that it may come for, when output has ended
PIPES, TERMINAL = 'over pipes', 'in a terminal'


class Run:
    """A running program with a limit of seconds; `running.running` starts one."""

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
        """The end of what it has printed on standard error, all of it if the program has ended.

        Standard output and standard error end one after the other, unless a process keeps one open.
        """
        until = time.monotonic() + (DRAINING if self._prints else LAST_SECONDS)
        while (self._has_errors and time.monotonic() < until
               and self._wait(0 if self._prints else until)):
            pass
        return self._tail

    @property
    def is_overdue(self) -> bool:
        """Whether all time of the run is used up."""
        return time.monotonic() >= self._deadline

    @property
    def was_killed_by_system(self) -> bool:
        """Whether signal 9 ended the program, which the grader sends only at the end of a run.

        The system sends it when memory runs out, but a program can also send it to itself: see
        `was_memory_short`.
        """
        return False

    @property
    def was_memory_short(self) -> bool:
        """Whether the system has killed any process since the start because memory ran out."""
        return False

    @property
    def excess(self) -> str:
        """What all processes of the run used too much of, in words; '' for nothing.

        For example: 'more than 1,024 MB of memory'.
        """
        return ''

    def read(self, seconds: float) -> bytes | None:
        """Return new output, `b''` at its end, `None` if nothing came."""
        until = min(time.monotonic() + seconds, self._deadline)
        while not self._held and self._prints:
            # Standard error may be printed on for ever meanwhile.
            if not self._wait(until) or (time.monotonic() > until and not self._held):
                return None
        piece, self._held = self._held, b''
        return piece

    def send(self, text: bytes, seconds: float) -> None:
        """Type a text, as far as the program reads it within some seconds."""
        raise NotImplementedError

    def end_input(self) -> None:
        """End the program's input."""
        raise NotImplementedError

    def status(self, seconds: float) -> int | None:
        """Return the exit status, negative for a signal, `None` if the program still runs."""
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
