"""A fault: one thing that is wrong with a program, and the sessions that show it, as played.

The diagnosis makes a `Finding` of it, which all reports show.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..games.kinds import OTHER, Kind
from ..games.model import Variant
from ..results import Place
from ..sessions.verdict import Played


@dataclass
class Fault:
    """One thing that is wrong with a program, known or unknown, and the sessions that show it."""

    place: Played  # the best one where it shows
    sessions: list[Played] = field(default_factory=list)  # where it shows, each of them once
    id: str = ''  # '' where no known fault explains it
    key: object = None  # what is alike where it shows, its id if that is all
    examples: list[str] = field(default_factory=list)  # examples, for its sentence
    claim: str = ''  # what its sentence says of each session, where its id does not tell
    # Those of its sessions that would show another fault if this one were fixed.
    others_follow: frozenset[str] = frozenset()
    then: str = ''  # how the program crashes later, at this place
    elsewhere: str = ''  # how it does so in another session
    sentence: str = ''  # what the program does, '' where the place says it
    plain: str = ''  # that without a quotation, '' if it has none
    advice: str = ''  # what to do, in one sentence
    variant: Variant | None = None  # the game as the program plays it, in this
    kind: Kind = OTHER  # what its author has to change
    places: list[Place] = field(default_factory=list)  # where in the program to look
    has_line: bool = False  # whether it is in a known line of the program

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
            same.others_follow |= fault.others_follow
            same.examples += [text for text in fault.examples if text not in same.examples]
            same.sessions += [one for one in fault.sessions if one.session.name not in same.names]
    return [*groups.values()]
