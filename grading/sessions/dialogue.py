"""A dialogue: all that a program did in a session, as plain data that can be pickled.

A wrong line does not end a dialogue: the grader types on while the program waits for input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Literal

MOST_UNEXPECTED = 1 << 16               # bytes that are heard beyond what is due

End = Literal[
    'exit',                             # the program ended, with a status or by a signal
    'asks',                             # it still asked for input where that is due
    # The grader ended it, because
    'silence',                          # nothing came for the time that a silence may last,
    'time',                             # the time of the run was over,
    'excess',                           # the run used too much of something,
    'output',                           # the program printed without end, or
    'cut',                              # enough had been heard behind the first wrong byte.
]


@dataclass
class Turn:
    """What a program printed before it read, and the line that it then got."""

    printed: bytes = b''
    typed: bytes = b''                  # with its newline; b'' at the end, or where input ends
    ends_input: bool = False            # whether the input ended after what was typed
    was_waiting: bool = False           # whether a look saw that the program waited for input


@dataclass
class LeftFile:
    """A file that a session names, as the program left it."""

    content: bytes = b''
    complaint: str = ''                 # why it cannot be read: 'no such file'


@dataclass
class Dialogue:
    """All that a program did in a session, turn by turn, and how it ended."""

    turns: list[Turn] = field(default_factory=list)
    end: End = 'exit'
    status: int | None = None           # the exit status, negative for a signal; None: ended by us
    errors_begin: bytes = b''           # the first 16 KB of standard error
    errors: bytes = b''                 # the last 16 KB
    excess: str = ''                    # what the run used too much of
    files: dict[str, LeftFile] = field(default_factory=dict)    # by their paths
    folder: str = ''                    # where the program ran, as it sees it

    @classmethod
    def printing(cls, texts: Iterable[str]) -> Dialogue:
        """Return the dialogue of a program that prints these texts in its turns, and ends well."""
        return cls([Turn(text.encode()) for text in texts], status=0)

    @property
    def output(self) -> bytes:
        """All that the program printed."""
        return b''.join(turn.printed for turn in self.turns)

    @property
    def is_cut(self) -> bool:
        """Whether it was ended behind its first wrong byte, before the session was over."""
        return self.end in ('cut', 'output')

    def cut(self, most: int) -> None:
        """Keep only so many bytes of what was printed, from the beginning."""
        for turn in self.turns:
            turn.printed = turn.printed[:most]
            most -= len(turn.printed)
