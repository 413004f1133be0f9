"""A fault: one thing wrong with a program, and the played sessions that show it.

The diagnosis turns each fault into a `Finding`, and all reports show these findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..games.fault_kinds import OTHER, Kind
from ..games.model import Variant
from ..results import FOR_EXAMPLE, Place
from ..sessions.verdict import PlayedSession
from .crash import crash_at, is_end_of_input
from .protocol import shape_of, without_labeled_word

LIST = re.compile(r'\[[^\n]*\]')  # a list as Python prints it
REPEATED = re.compile(r'([^\w\s])\1+')  # a sign, several times


@dataclass
class Fault:
    """One thing wrong with a program, known or unknown, and the sessions that show it."""

    clearest: PlayedSession  # the session where the fault shows best
    sessions: list[PlayedSession] = field(default_factory=list)  # all sessions that show the fault
    id: str = ''  # '' if it is not a known fault
    key: object = None  # faults with equal keys are the same fault; by default, the id
    examples: list[str] = field(default_factory=list)  # what the sentence quotes or says
    claim: str = ''  # what the sentence claims, or '' if the id or the key says it
    then: str = ''  # how the program crashes later in the clearest session
    elsewhere: str = ''  # how the program crashes later in another session
    sentence: str = ''  # what the program does, or '' to word it from the examples or the session
    plain: str = ''  # a sentence without quotations, or '' if there is no such sentence
    advice: str = ''  # what to do, or '' for no advice
    variant: Variant | None = None  # what the program decides differently in the game
    kind: Kind = OTHER  # what the author has to change
    places: list[Place] = field(default_factory=list)  # where in the program to look
    has_line: bool = False  # whether the sentence names a line of the program

    def __post_init__(self) -> None:
        self.sessions = self.sessions or [self.clearest]
        self.key = self.key or self.id

    @property
    def names(self) -> list[str]:
        """The names of the sessions."""
        return [played.session.name for played in self.sessions]

    @property
    def ending(self) -> str:
        """The end of the sentence: how the program crashes later, or '' if it does not."""
        if self.then:
            return f', and then {self.then}'
        if self.elsewhere:
            return f'; in other sessions, it later {self.elsewhere}'
        return ''

    def by_example(self, examples: Iterable[str]) -> str:
        """Return the first example, after "for example, " if some sessions may show another."""
        words, *others = dict.fromkeys(examples) or ['']
        is_of_all = not others or not self.sessions[1:]
        return words if is_of_all else FOR_EXAMPLE + words

    @property
    def is_beyond(self) -> bool:
        """Whether only sessions beyond the assignment show the fault."""
        return all(played.session.is_beyond for played in self.sessions)


def group_faults(faults: Iterable[Fault]) -> list[Fault]:
    """Join faults with the same key: the first of them gains the sessions of the others."""
    groups: dict[object, Fault] = {}
    for fault in faults:
        same = groups.setdefault(fault.key, fault)
        if same is not fault:
            same.elsewhere = same.elsewhere or fault.then or fault.elsewhere
            same.examples += [text for text in fault.examples if text not in same.examples]
            same.sessions += [
                played for played in fault.sessions if played.session.name not in same.names
            ]
    return [*groups.values()]


def key_of_failure(played: PlayedSession) -> tuple[object, ...]:
    """Return a key for a failure: how the program fails, and where.

    Failures with equal keys probably have the same cause.
    """
    crash, place, wrong = crash_at(played), played.wrong_line, played.failure
    if wrong.kind == 'silent':  # how the program ended does not matter
        # If a program never ends, it does not matter which line is missing.
        return 'silent', None if played.dialogue.status is None else shape_of(place.expected)
    if crash:
        # Chance decides in which line a recursion becomes too deep, and the session decides where
        # the input ends.
        is_anywhere = crash.type == 'RecursionError' or is_end_of_input(crash)
        return 'crash', crash.file, 0 if is_anywhere else crash.line, crash.type
    if wrong.kind != 'differs':
        return wrong.kind, played.dialogue.status, played.dialogue.errors[-200:]
    return 'differs', pattern_of_line(place.expected), pattern_of_line(place.printed[:200])


def pattern_of_line(line: str) -> str:
    """Return a line without what may differ although the fault is the same.

    It is the shape of the line, without items of lists, words after labels, and repetitions.

    >>> pattern_of_line('WINNER: NONE') == pattern_of_line('WINNER: B')
    True
    >>> pattern_of_line('[1, 2] is taken: ****')
    '[] is taken: *'
    """
    line = without_labeled_word(LIST.sub('[]', line.rstrip('\n')))
    return REPEATED.sub(r'\1', shape_of(line))
