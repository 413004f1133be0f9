"""The sessions of a game, played with sets of faults along what a program printed."""

from __future__ import annotations

import time
from typing import Dict, FrozenSet, Sequence, Type

from .follow import Heard, Match, follow, variant
from .known import Known
from .model import GameModel
from .protocol import Protocol

MOST_FOLLOWS = 15_000                   # sessions that are played in a search

Faults = Dict[str, Type[GameModel]]     # a variant for each id
Key = FrozenSet[object]


class Playing:
    """Sessions, failed and passed, that are played with any set of the known faults.

    After a deadline, a time of `time.process_time`, no more should be: a machine with other work
    to do plays as many.
    """

    def __init__(self, game: type[GameModel], known_faults: Sequence[Known],
                 sessions: list[Heard], deadline: float) -> None:
        self.known_faults = known_faults
        self.sessions = sessions
        self.order = {known.id: number for number, known in enumerate(known_faults)}
        self.protocol = Protocol.of(line.text for heard in sessions
                                    for step in heard.transcript.steps for line in step.printed)
        self._game = game
        self._deadline = deadline
        self._follows = 0
        self._matches: dict[Key, list[Match]] = {}

    @property
    def is_exhausted(self) -> bool:
        """Whether no more should be played."""
        return self._follows > MOST_FOLLOWS or time.process_time() > self._deadline

    def is_of_protocol(self, line: str) -> bool:
        """Return whether a line is like one that is due anywhere."""
        return bool(line) and self.protocol.has(line)

    def matches(self, faults: Faults) -> list[Match]:
        """Return how each session follows the program with some faults."""
        key = key_of(faults)
        if key not in self._matches:
            self._follows += len(self.sessions)
            played = variant(self._game, self._variants(faults))
            self._matches[key] = [follow(played, heard) for heard in self.sessions]
        return self._matches[key]

    def follow(self, faults: Faults, number: int, *more: type[GameModel]) -> Match:
        """Follow the program along one session, with some faults and perhaps one variant more."""
        self._follows += 1
        return follow(variant(self._game, [*more, *self._variants(faults)]), self.sessions[number])

    def _variants(self, faults: Faults) -> list[type[GameModel]]:
        return [faults[name] for name in self.order if name in faults]


def without(faults: Faults, name: str) -> Faults:
    """Return a set of faults less one."""
    return {other: made for other, made in faults.items() if other != name}


def key_of(faults: Faults) -> Key:
    """Return what is the same of two sets with which a game is the same."""
    return frozenset((name, made.__qualname__, made.__bases__, repr(settings_of(made)))
                     for name, made in faults.items())


def settings_of(made: type[GameModel]) -> dict[str, object]:
    """Return what a variant has learned."""
    return {name: value for name, value in vars(made).items() if not name.startswith('__')
            and name != 'lines_known'
            and not callable(value) and not isinstance(value, (staticmethod, classmethod))}
