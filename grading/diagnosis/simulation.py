"""The sessions of a game, played with sets of faults along a program's output."""

from __future__ import annotations

import time
from typing import Dict, FrozenSet, Iterable, NamedTuple, Sequence, Type

from .alignment import Played
from .fault_models import EndOfInput, GameModel, Known
from .follow import Followed, Match, Spoken, follow
from .program_output import CRASHES, Heard, Reading
from .protocol import Protocol
from .style import Style

MOST_FOLLOWS = 15_000                   # sessions that are played in a search

Faults = Dict[str, Type[GameModel]]     # a variant for each id
Key = FrozenSet[object]


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
        self._follows = 0
        self._matches: dict[Key, list[Match]] = {}
        self._readings: dict[tuple[int, int], tuple[Style, Reading]] = {}

    @property
    def is_exhausted(self) -> bool:
        """Whether no more sessions should be played."""
        return self._follows > MOST_FOLLOWS or time.process_time() > self._deadline

    def reading(self, style: Style, number: int) -> Reading:
        """Return a session as a style has it."""
        key = id(style), number         # the style is kept, so nothing else has its identity
        if key not in self._readings:
            self._readings[key] = style, Reading(self.sessions[number], style)
        return self._readings[key][1]

    def matches(self, explanation: Explanation) -> list[Match]:
        """Return for each session how far the program matches."""
        key = key_of(explanation)
        if key not in self._matches:
            self._follows += len(self.sessions)
            played = variant(self._game, self._variants(explanation.faults))
            self._matches[key] = [follow(played, self.reading(explanation.style, number))
                                  for number, _ in enumerate(self.sessions)]
        return self._matches[key]

    def follow(self, explanation: Explanation, number: int, *more: type[GameModel]) -> Match:
        """Follow the program along one session, perhaps with one more variant."""
        self._follows += 1
        played = variant(self._game, [*more, *self._variants(explanation.faults)])
        return follow(played, self.reading(explanation.style, number))

    def score(self, explanation: Explanation) -> float:
        """Return how much is explained: the sum of a part, up to 1, of each session."""
        return round(sum(match.part for match in self.matches(explanation)), 9)

    def is_as_good(self, one: Explanation, other: Explanation) -> bool:
        """Return whether an explanation explains as many lines of each session as another one."""
        return all(self.follow(one, number).lines >= least.lines
                   for number, least in enumerate(self.matches(other)))

    def played(self, explanation: Explanation) -> list[Played]:
        """Return the sessions that fail, with the output of a game that has some faults."""
        game = plain(self._game, self._variants(explanation.faults))
        return [played_of(heard, game, explanation.style.is_turned)
                for heard in self.sessions if heard.difference]

    def _variants(self, faults: Faults) -> list[type[GameModel]]:
        return [faults[name] for name in self.order if name in faults]


def played_of(heard: Heard, game: type[GameModel], is_turned: bool) -> Played:
    """Return a session with its output, perhaps with or without its prompts."""
    transcript = heard.transcript
    session = game(transcript.inputs, transcript.arguments)
    session.prompts ^= is_turned
    prompts: list[str] = []
    plain_ask = session.prompted

    def prompted(prompt: str) -> str:
        prompts.append(plain_ask(prompt))
        return prompts[-1]

    session.prompted = prompted         # type: ignore[method-assign]
    try:
        session.play()
        prompts += [''] * (len(session.texts) - len(prompts))
    except (EndOfInput, *CRASHES):
        prompts += [''] * (len(session.texts) - len(prompts))
    difference = heard.difference
    step, printed = -1, ''
    is_exact = transcript.rules.are_exact and not transcript.has_free_prompts
    if (difference and difference.whole is None and is_exact
            and difference.kind in ('differs', 'silent')):
        step, printed = difference.step, difference.printed.decode(errors='backslashreplace')
    return Played(session.texts, prompts, session.is_left_free, heard.output, heard.has_ended, step,
                  printed)


def key_of(explanation: Explanation) -> Key:
    """Return a key that is the same for sets of faults with the same effect."""
    return frozenset([id(explanation.style), *(
        (name, made.__qualname__, made.__bases__, repr(settings_of(made)))
        for name, made in explanation.faults.items())])


def settings_of(made: type[GameModel]) -> dict[str, object]:
    """Return what a variant has learned from the program."""
    return {name: value for name, value in vars(made).items() if not name.startswith('__')
            and not callable(value) and not isinstance(value, (staticmethod, classmethod))}


def variant(game: type[GameModel], variants: Iterable[type[GameModel]]) -> type[Followed]:
    """Return a class that combines variants, and follows a program."""
    return type('Variant', (Spoken, *variants, game, Followed), {})


def plain(game: type[GameModel], variants: Iterable[type[GameModel]]) -> type[GameModel]:
    """Return a class that combines variants."""
    return type('Plain', (*variants, game), {})
