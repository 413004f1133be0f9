"""A program in a pseudo-terminal, as a person runs it; needs the library pexpect."""

from __future__ import annotations

import os
import termios
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Iterator, cast

from pexpect import EOF
from pexpect.fdpexpect import fdspawn

from ..sandbox.base import Started
from .pipes import Ends, Piped, ends
from .run import PIECE, TERMINAL

LOCAL_MODES = 3                         # of a terminal's attributes
END_OF_INPUT = b'\x04'                  # as it is typed


class Terminal(Piped):
    """A program in a pseudo-terminal that does not echo: pexpect types, and reads what it shows."""

    way = TERMINAL

    def __init__(self, started: Started, seconds: float, ends: Ends) -> None:
        super().__init__(started, seconds, ends)
        self._child = fdspawn(self._inlet)      # reads and writes at once, without its delays

    def end_input(self) -> None:
        with suppress(OSError):         # it is full, or nobody reads any more
            self._child.send(END_OF_INPUT)

    def _put(self, text: bytes) -> int:
        return self._child.send(text)

    def _take(self, outlet: int) -> bytes:
        if outlet != self._outlet:
            return super()._take(outlet)
        try:
            piece: Any = self._child.read_nonblocking(PIECE, timeout=0)     # of bytes, not of text
            return cast(bytes, piece)
        except EOF:
            return b''

    def _translated(self, piece: bytes) -> bytes:
        return self._with_plain_ends(piece)     # the terminal makes \r\n of each \n


@contextmanager
def terminal() -> Iterator[tuple[Ends, Ends]]:
    """Make a pseudo-terminal that does not echo, and a pipe for standard error; see `pipes`."""
    with ExitStack() as stack:
        ours, theirs = ends(stack, os.openpty())
        errors, error = ends(stack, os.pipe())
        attributes = termios.tcgetattr(theirs.fileno())
        attributes[LOCAL_MODES] &= ~termios.ECHO
        termios.tcsetattr(theirs.fileno(), termios.TCSANOW, attributes)
        yield (ours, ours, errors), (theirs, theirs, error)
