"""A finding: one thing that is wrong with a program, as all reports show it.

The diagnosis makes it of a `Fault`, which has the sessions as they were played.

Text of unknown origin enters a finding only here. It is spelled out, so that no control character
reaches a terminal or a page, and cut, so that it cannot fill one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from typing import Iterable, Sequence

from ..game import FaultKind, GameModel
from ..printable import clean, printable
from ..sessions.verdict import Kind, Played

MANY_LINES = ('expected_text', 'printed_text', 'before', 'source', 'context')
WHOLE = ('output', 'smallest')          # texts of the grader itself, which are not cut


class Clean:
    """A record whose texts are escaped and shortened when it is made."""

    def __post_init__(self) -> None:
        for one in fields(self):        # type: ignore[arg-type]
            value = getattr(self, one.name)
            if isinstance(value, str) and one.name in WHOLE:
                object.__setattr__(self, one.name, printable(value, keep='\n'))
            elif isinstance(value, str):
                object.__setattr__(self, one.name, clean(value, one.name in MANY_LINES))
            elif one.type in ('list[str]', 'Sequence[str]'):
                object.__setattr__(self, one.name, [*map(clean, value)])


@dataclass(frozen=True)
class Crash(Clean):
    """An uncaught exception, and the last of the author's own lines that it went through."""

    error: str                          # its last line: `IndexError: list index out of range`
    file: str                           # as the author's folder has it
    line: int                           # from 1
    source: str                         # the text of that line, '' if it is not known

    @property
    def type(self) -> str:
        """The exception's name; the whole error where it does not begin with a name."""
        name = self.error.partition(':')[0]
        return name if re.fullmatch(r'[a-z.]*[A-Z][\w.]*|\w+\.\w+', name) else self.error


@dataclass(frozen=True)
class Place(Clean):
    """Some lines of a program, and why its author should look there."""

    file: str
    first: int                          # from 1
    last: int
    source: str                         # their text
    why: str                            # 'raised by', 'printed by', 'called by', 'decided by', ...
    sessions: Sequence[str]             # the names of those in which they ran so
    start: int                          # the first of the lines around them
    context: str                        # the text of the lines around them


@dataclass(frozen=True)
class Example(Clean):
    """One place in a session where a program departs from it."""

    session: str                        # its name
    line: int                           # in the session's file, from 1; 0 if it is hidden
    step: int                           # the index of the step, from 0
    kind: Kind                          # of the difference
    answers: str = ''                   # the file of that line, if the session is a pair of files
    way: str = ''                       # how it was played, if not line by line
    game: str = ''                      # whose positions a page can draw
    typed: str | None = None            # the input line before, None before the first
    typed_line: int = 0                 # where that stands in the file, from 1
    expected: str = ''                  # the first line that differs, '' if nothing was due
    printed: str = ''                   # what was printed there; a missing '\n' is a difference
    rule: str = ''                      # by what rule they were compared, if not as text
    expected_text: str = ''             # all that was due in the step
    printed_text: str = ''              # all that was printed in it
    before: str = ''                    # the last text before that shows a position
    status: int | None = None           # the exit status, negative for a signal; None: it ran on
    due_status: str = '0'               # the one that is due: a number, 'any' or 'not 0'
    seconds: float = 0                  # the time limit that it exceeded, 0 for none
    excess: str = ''                    # what it used too much of, if it was killed for that
    errors: Sequence[str] = ()          # the end of standard error, if it says why it ended
    file: str = ''                      # the file that is compared, '' for output
    complaint: str = ''                 # why it cannot be read
    crash: Crash | None = None
    hint: str = ''                      # what else is certain, in words
    is_hidden: bool = False             # whether all but the session and the kind is left out


@dataclass
class Finding(Clean):
    """One thing that is wrong with a program."""

    id: str                             # '' where no known fault explains it
    sentence: str                       # what the program does: 'puts one blank between ...'
    advice: str                         # what to do about it, or ''
    sessions: list[str]                 # the names of those that show it, the shortest first
    points: float                       # what fixing it alone certainly gives back
    example: Example                    # where it shows best
    plain: str = ''                     # a sentence that quotes nothing, '' if that one does so
    unseen: Sequence[str] = ()          # those in which more may be wrong than can be seen
    is_end: bool = False                # whether each session ends where it shows it
    is_printing: bool = False           # whether the program plays right, and only prints wrong
    places: list[Place] = field(default_factory=list)       # where in the program to look

    def with_sessions_of(self, other: Finding) -> Finding:
        """Return the finding with the sessions of another one, which has none of its own."""
        return replace(self, sessions=[*self.sessions, *other.sessions],
                       points=self.points + other.points, unseen=[*self.unseen, *other.unseen],
                       is_end=self.is_end and other.is_end)


@dataclass
class Fault:
    """One thing that is wrong with a program, known or unknown, and the sessions that show it."""

    place: Played                           # the best one where it shows
    sessions: list[Played] = field(default_factory=list)    # where it shows, each of them once
    id: str = ''                            # '' where no known fault explains it
    key: object = None                      # what is alike where it shows, its id if that is all
    told: list[str] = field(default_factory=list)       # examples, for its sentence
    then: str = ''                          # how the program crashes later, at this place
    elsewhere: str = ''                     # how it does so in another session
    sentence: str = ''                      # what the program does, '' where the place says it
    plain: str = ''                         # that without a quotation, '' if it has none
    advice: str = ''                        # what to do, in one sentence
    variant: type[GameModel] | None = None  # the game as the program plays it, in this
    kind: FaultKind = 'other'               # what its author has to change
    places: list[Place] = field(default_factory=list)       # where in the program to look

    def __post_init__(self) -> None:
        self.sessions = self.sessions or [self.place]
        self.key = self.key or self.id

    @property
    def names(self) -> list[str]:
        """The names of the sessions that show the fault."""
        return [one.session.name for one in self.sessions]

    @property
    def ending(self) -> str:
        """How the program crashes later, behind the sentence, '' if it does not."""
        if self.then:
            return f', and then {self.then}'
        return self.elsewhere and f', and in other sessions then {self.elsewhere}'

    @property
    def is_beyond(self) -> bool:
        """Whether only sessions beyond the assignment show the fault."""
        return all(one.session.is_beyond for one in self.sessions)


def grouped(faults: Iterable[Fault]) -> list[Fault]:
    """Return faults with those that have one key as one; the first place comes first."""
    groups: dict[object, Fault] = {}
    for fault in faults:
        same = groups.setdefault(fault.key, fault)
        if same is not fault:
            same.elsewhere = same.elsewhere or fault.then or fault.elsewhere
            same.told += [told for told in fault.told if told not in same.told]
            same.sessions += [one for one in fault.sessions if one.session.name not in same.names]
    return [*groups.values()]
