"""The sessions of a game, played with sets of faults along a program's output."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Dict, Iterable, Iterator, NamedTuple, Sequence, Tuple, Type

from .fault_models import EndOfInput, GameModel, Known
from .follow import Followed, Match, Spoken, follow
from .program_output import CRASHES, Heard, Reading
from .protocol import Protocol
from .style import Style

MOST_FOLLOWS = 15_000                   # sessions that are played in a search

Faults = Dict[str, Type[GameModel]]     # a variant for each id
Variants = Tuple[Type[GameModel], ...]
EQUAL = 1e-9                            # gains below this are of rounding


class Explanation(NamedTuple):
    """A style of printing, and faults of the game, that explain a program."""

    style: Style
    faults: Faults


class Playing:
    """Failed and passed sessions that can be played with any set of known faults.

    After a deadline, a time of `time.process_time`, no more should be played: so a busy machine
    plays as many sessions as an idle one.
    """

    def __init__(self, game: type[GameModel], known_faults: Sequence[Known],
                 sessions: list[Heard], deadline: float) -> None:
        self.known_faults = known_faults
        self.sessions = sessions
        self.order = {known.id: number for number, known in enumerate(known_faults)}
        self.protocol = Protocol([heard.transcript for heard in sessions])
        self._game = game
        self._deadline = deadline
        self.is_late = False            # whether the deadline ended a search
        self._follows = 0
        self._variant_of: dict[Variants, type[Followed]] = {}
        self._matches: dict[tuple[int, int, Variants], Match] = {}
        self._readings: dict[tuple[int, int], tuple[Style, Reading]] = {}

    @property
    def is_exhausted(self) -> bool:
        """Whether no more sessions should be played."""
        self.is_late |= time.process_time() > self._deadline
        return self._follows > MOST_FOLLOWS or self.is_late

    def reading(self, style: Style, number: int) -> Reading:
        """Return a session as a style has it."""
        key = id(style), number         # the style is kept, so nothing else has its identity
        if key not in self._readings:
            self._readings[key] = style, Reading(self.sessions[number], style)
        return self._readings[key][1]

    def match(self, explanation: Explanation, number: int) -> Match:
        """Return how far the program matches in a session."""
        variants = self._variants(explanation.faults)
        key = id(explanation.style), number, variants
        if key not in self._matches:
            self._follows += 1
            if variants not in self._variant_of:
                self._variant_of[variants] = variant(self._game, variants)
            self._matches[key] = follow(self._variant_of[variants],
                                        self.reading(explanation.style, number))
        return self._matches[key]

    def matches(self, explanation: Explanation) -> list[Match]:
        """Return for each session how far the program matches."""
        return [self.match(explanation, number) for number, _ in enumerate(self.sessions)]

    def gain(self, child: Explanation, parent: Explanation) -> float:
        """Return how much more a child explains than its parent, 0 if it is no more."""
        gain, most = 0.0, len(self.sessions) - self.score(parent)
        for number, less in enumerate(self.matches(parent)):
            gain += self.match(child, number).part - less.part
            most -= 1 - less.part
            if gain + most < EQUAL:     # no more can come
                return 0
        return gain

    def score(self, explanation: Explanation) -> float:
        """Return how much is explained: the sum of a part, up to 1, of each session."""
        return round(sum(match.part for match in self.matches(explanation)), 9)

    def is_as_good(self, one: Explanation, other: Explanation) -> bool:
        """Return whether an explanation explains as many lines of each session as another one."""
        return all(self.match(one, number).lines >= least.lines
                   for number, least in enumerate(self.matches(other)))

    def lines(self, explanation: Explanation) -> int:
        """Return how many steps and lines are explained, and sessions as a whole."""
        return sum(match.step + sum(match.lines) for match in self.matches(explanation))

    def outputs(self, explanation: Explanation, sessions: Iterable[Heard]) -> Iterator[list[str]]:
        """Yield for some sessions what a game that has some faults prints in each turn."""
        game = type('Plain', (*self._variants(explanation.faults), self._game), {})
        for heard in sessions:
            session = game(heard.transcript.inputs, heard.transcript.arguments)
            with suppress(EndOfInput, *CRASHES):
                session.play()
            yield session.texts

    def _variants(self, faults: Faults) -> Variants:
        return tuple([faults[name] for name in self.order if name in faults])


def variant(game: type[GameModel], variants: Variants) -> type[Followed]:
    """Return a class that combines variants, and follows a program."""
    return type('Variant', (Spoken, *variants, game, Followed), {})
