"""The sessions of a game, played with sets of faults along what a program printed."""

from __future__ import annotations

import math
import os.path
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Callable, Dict, Iterable, Iterator, NamedTuple, Sequence, Tuple, Type

from ..sessions.comparison import words_of
from .fault_models import EndOfInput, GameModel, Known
from .program_output import CRASHES, MOST_HEARD, Heard
from .protocol import Protocol
from .style import Reading, Style

AHEAD = 1 << 13                         # characters that a session looks ahead
MOST_FOLLOWS = 15_000                   # sessions that are played in a search

Faults = Dict[str, Type[GameModel]]     # a variant for each id
Variants = Tuple[Type[GameModel], ...]
EQUAL = 1e-9                            # gains below this are of rounding


class Departed(Exception):
    """Raised when the model prints something that the program did not print."""


class Spoken(GameModel):
    """A session as a program prints it: the first base of a variant.

    Where the assignment leaves lines to the program, it prints what the program printed. It omits
    lines that the program omits, and prompts if the program has its own.
    """

    reading: Reading
    write_own: Callable[[], None]       # see Followed

    def say(self, line: str) -> None:
        if self.is_left_free(line):
            self.write_own()
        elif not self.reading.style.omits(line):
            super().say(line)

    def prompted(self, prompt: str) -> str:
        return '' if self.reading.style.has_own_prompts else super().prompted(prompt)


class Followed(GameModel):
    """A session that ends where the program departs from it: the last base of a variant.

    What a turn prints must have been printed in that turn, and nothing else.
    """

    at = 0                                  # how much of the reading's text has been followed
    reading: Reading

    def ask(self, prompt: str) -> str:
        line = super().ask(prompt)
        if self.at < self.reading.ends.get(len(self.texts) - 2, 0):
            self.texts.pop()
            raise Departed              # the program printed more before it read
        return line

    def write(self, text: str) -> None:
        most = self.reading.limits.get(len(self.texts) - 1)
        if not self.reading.text.startswith(text, self.at, most):
            self.due = text
            raise Departed
        self.at += len(text)
        self.texts[-1] += text

    def write_own(self) -> None:
        """Print the program's own lines, up to one of the protocol or a prompt that is due."""
        last = self.reading.ends.get(len(self.texts) - 1)
        own, end, _ = self.reading.text[self.at:last].partition('\n')
        while end and not self.reading.style.due_prompt(own) and (
                self.is_left_free(own) or words_of(own) not in self.reading.words):
            self.write(own + end)
            own, end, _ = self.reading.text[self.at:last].partition('\n')

    def upcoming(self) -> str:
        return self.reading.text[self.at:self.at + AHEAD]


@dataclass
class Match:
    """How far a model of the game explains a program's session."""

    session: Followed
    is_whole: bool                          # whether it explains all that the program did
    position: int                           # how many characters of its output are as predicted
    is_over: bool = False                   # whether the session came to its end
    is_crash: bool = False                  # whether it explains a crash

    @property
    def step(self) -> int:
        """The index of the step in which the program departs from the model, or ends."""
        return len(self.session.texts) - 1

    @property
    def upcoming(self) -> str:
        """The program's next line there, `''` if it printed no more."""
        return self.session.upcoming().partition('\n')[0]

    @property
    def part(self) -> float:
        """How much of the session is explained: 1 is all."""
        return 1 if self.is_whole else self.position / (len(self.session.reading.text) + 1)

    @property
    def lines(self) -> tuple[bool, int]:
        """How many lines are explained."""
        return self.is_whole, sum(text.count('\n') for text in self.session.texts)

    @property
    def reach(self) -> tuple[bool, int]:
        """How far the session is explained; more is greater."""
        return self.is_whole, self.position

    @property
    def place(self) -> tuple[int, float]:
        """The turn, and the place in it, where the program departs from the model."""
        turn, piece = self.session.reading.place_of(self.session.at)
        return turn, piece.start if piece else math.inf

    @property
    def steps(self) -> int:
        """The number of steps that are explained to their end."""
        is_known = self.is_whole and not self.is_crash and not self.session.reading.heard.is_cut
        return MOST_HEARD if is_known else self.step


def follow(played: type[Followed], reading: Reading) -> Match:
    """Play a model of the game along a program's output."""
    heard = reading.heard
    session = played(heard.transcript.inputs, heard.transcript.arguments)
    session.reading = reading
    end = ''                            # how the model comes to its end, '' where it departs
    try:
        session.play()
        end = 'over'
    except EndOfInput:
        end = 'input'
    except Departed:
        pass
    except CRASHES as error:
        end = 'crash' if heard.has_crashed_like(error) else ''
    rest = session.upcoming()
    is_silent = not heard.has_ended and not ''.join(session.texts[-2:])
    # What the program does at the end of its input is its own affair.
    if (heard.is_cut and session.due.startswith(rest)) or (
            end == 'input' and '\n' not in rest and not is_silent):
        return Match(session, True, len(reading.text))
    if not end:
        return Match(session, False, session.at + len(os.path.commonprefix([session.due, rest])))
    is_whole = not rest and (end == 'crash' or (end == 'over' and heard.has_ended))
    return Match(session, is_whole, session.at, end == 'over', end == 'crash')


class Explanation(NamedTuple):
    """A style of printing, and faults of the game, that explain a program."""

    style: Style
    faults: Faults

    def having(self, known: Known, made: type[GameModel]) -> Explanation:
        """Return the explanation with a fault at the end."""
        others = {name: fault for name, fault in self.faults.items() if name != known.id}
        return self._replace(faults={**others, known.id: made})

    def without(self, name: str, *keys: object) -> Explanation:
        """Return the explanation without a fault, a rule, or what the rule says about some things.
        """
        if name not in self.faults:
            return self._replace(style=self.style.without(name, *keys))
        return self._replace(faults={
            other: made for other, made in self.faults.items() if other != name})


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
        self.protocol = Protocol.of([heard.transcript for heard in sessions])
        self.game = game
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
                self._variant_of[variants] = variant(self.game, variants)
            self._matches[key] = follow(self._variant_of[variants],
                                        self.reading(explanation.style, number))
        return self._matches[key]

    def names(self, explanation: Explanation, number: int) -> set[str]:
        """Return the names of what a model uses, its decisions too, until a program departs."""
        names: set[str] = set()

        def look_up(session: object, name: str) -> object:
            names.add(name)
            return object.__getattribute__(session, name)

        model = variant(self.game, self._variants(explanation.faults))
        follow(type('Observed', (model,), {'__getattribute__': look_up}),
               self.reading(explanation.style, number))
        return names

    def matches(self, explanation: Explanation) -> list[Match]:
        """Return for each session how far the program matches."""
        return [self.match(explanation, number) for number, _ in enumerate(self.sessions)]

    def is_everything(self, explanation: Explanation) -> bool:
        """Return whether an explanation explains all sessions as a whole."""
        return all(self.match(explanation, number).is_whole
                   for number, _ in enumerate(self.sessions))

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
        game = type('Plain', (*self._variants(explanation.faults), self.game), {})
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
