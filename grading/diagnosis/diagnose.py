"""The faults behind the differences: each is told once, and only if it explains all of them.

A fault is known by its variant of the game. A program has some faults when the game with all their
variants prints, for each failing transcript, what the program printed when it got all the input at
once, up to where it stopped; when it is still right where the program is; and when without any of
them it explains less. What no set of faults explains gets no name.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Callable, Iterable, Iterator, Protocol, Sequence

from ..printable import decoded
from ..sessions.difference import Difference, Observed
from ..sessions.transcript import Transcript
from .follow import Match
from .models import Model, fixed
from .printing import PRINTING
from .search import Node, Search
from .session import Session

NO_FLUSH = Model('no-flush', 'does not flush: what it prints comes only after more input',
                 'Flush before each read; in Python: print(..., flush=True).', fixed())
READS_ON = Model('reads-on', 'wants input after the end',
                 'End the program, with exit status 0, when the last line is printed.', fixed())
EXIT_STATUS = Model('exit-status', 'ends with another exit status than 0',
                    'End with exit status 0 when the last line is printed.', fixed())
SECONDS = 6.0                               # after which the search is given up, for each game


class Game(Protocol):
    """What the diagnosis knows of a game."""

    @property
    def model(self) -> type[Session]:
        """A session of the game, each of its decisions a method."""

    @property
    def faults(self) -> Sequence[Model]:
        """The faults that are known, the simplest first."""


RANKS = {'departed': 0, 'crashed': 1, 'ended': 1, 'whole': 2}


@dataclass
class Fault:
    """One fault of a program: what its author is told, once."""

    id: str
    sentence: str                           # what the program does: `puts one blank between ...`
    advice: str                             # what to do, in one sentence
    transcripts: list[Transcript]           # that show it, the shortest first
    place: Difference                       # the shortest one where it shows
    variant: type[Session] | None = None    # the game as the program plays it, in this


@dataclass
class Diagnosis:
    """The faults of a program, the simplest first."""

    faults: list[Fault] = field(default_factory=list)

    def of(self, transcript: Transcript) -> list[Fault]:
        """Return the faults that a transcript shows."""
        return [fault for fault in self.faults
                if any(shown is transcript for shown in fault.transcripts)]


def diagnose(game_of: Callable[[Transcript], Game | None], failed: Iterable[Observed],
             passed: Iterable[Transcript] = ()) -> Diagnosis:
    """Return the faults that explain the transcripts that fail and those that pass."""
    diagnosis = Diagnosis()
    failed, passed = list(failed), list(passed)
    for game in dict.fromkeys(game_of(observed.transcript) for observed in failed):
        if game:
            of_game = sorted(
                (observed for observed in failed if game_of(observed.transcript) is game),
                key=lambda observed: len(observed.transcript.lines))
            of_game_too = [transcript for transcript in passed if game_of(transcript) is game]
            merge(diagnosis, Case(game, of_game, of_game_too,
                                  time.monotonic() + SECONDS).faults())
    return diagnosis


def merge(diagnosis: Diagnosis, faults: Iterable[Fault]) -> None:
    """Add the faults of another game."""
    for fault in faults:
        same = next((old for old in diagnosis.faults if old.id == fault.id), None)
        if same:
            same.transcripts += fault.transcripts
        else:
            diagnosis.faults.append(fault)


class Case:
    """One game's transcripts that fail, and what explains them."""

    def __init__(self, game: Game, failed: list[Observed], passed: list[Transcript],
                 deadline: float) -> None:
        self._models = [*PRINTING, *game.faults]
        self._failed = failed
        self._search = Search(game.model, self._models, failed, passed, deadline)
        self._node = self._search.find()

    def faults(self) -> Iterator[Fault]:
        """Yield the faults, the simplest first."""
        yield from self._manner(NO_FLUSH, self._unflushed)
        yield from self._manner(READS_ON, self._reading_on)
        yield from self._manner(EXIT_STATUS, self._with_another_status)
        if not self._node:
            return
        for model in self._models:
            if model.id in self._node.faults:
                yield from self._known(model, self._node)

    def _manner(self, model: Model, shown: Sequence[Difference]) -> Iterator[Fault]:
        """Yield a fault that is seen in how a program prints, not in what."""
        if shown:
            yield Fault(model.id, model.sentence, model.advice,
                        [difference.transcript for difference in shown], shown[0])

    @property
    def _unflushed(self) -> list[Difference]:
        """Return the differences where what was due came after more input than it needed.

        A program that reads a line too many does that too, but it does not print all.
        """
        late = [observed for observed in self._failed
                if observed.difference.kind == 'silent' and self._came_late(observed)]
        is_proved = any(self._explains(observed) for observed in late)
        return [observed.difference for observed in late] if is_proved else []

    def _came_late(self, observed: Observed) -> bool:
        difference, match = observed.difference, self._match(observed)
        due = difference.expected.output
        if match and match.kind == 'whole':
            due = ''.join(match.session.texts[difference.step:difference.step + 1])
        printed = decoded(difference.printed)
        return printed != due and decoded(difference.printed + difference.late).startswith(due)

    def _explains(self, observed: Observed) -> bool:
        """Whether all that was printed is known to be what it should be, but for known faults."""
        match = self._match(observed)
        return (match.kind == 'whole' if match
                else decoded(observed.output) == observed.transcript.output)

    @property
    def _with_another_status(self) -> list[Difference]:
        """Return the differences in the exit status alone, if no crash was the reason."""
        return [observed.difference for observed in self._failed
                if observed.difference.kind == 'status' and (observed.difference.status or 0) > 0
                and not observed.difference.errors]

    @property
    def _reading_on(self) -> list[Difference]:
        """Return the differences, with the whole run where that alone tells."""
        return [difference for observed in self._failed
                for difference in self._after_end(observed, self._match(observed))]

    def _after_end(self, observed: Observed, match: Match | None) -> Iterator[Difference]:
        difference = observed.difference
        if difference.kind == 'runs on':
            if difference.status is not None:
                yield difference
        elif (match and match.is_over and match.kind == 'whole' and observed.status
              and decoded(observed.errors).rstrip().rpartition('\n')[2].startswith('EOFError')):
            yield Difference(difference.transcript, len(difference.transcript.steps) - 1, 'status',
                             b'', status=observed.status, errors=observed.errors)

    def _match(self, observed: Observed) -> Match | None:
        """Return how a failing transcript is explained."""
        return self._search.follow(self._node.faults, observed) if self._node else None

    def _known(self, model: Model, node: Node) -> Iterator[Fault]:
        """Yield a fault, if without it any transcript is explained less."""
        # What was learned from the output is believed if any output is explained to its very end.
        is_proved = not model.is_learned
        others = {name: variant for name, variant in node.faults.items() if name != model.id}
        shown = []
        for observed in self._failed:
            match = self._search.follow(node.faults, observed)
            less = self._search.follow(others, observed)
            if RANKS[less.kind] < RANKS[match.kind]:
                shown.append(place_of(observed.difference, match, less))
                is_proved = is_proved or match.kind == 'whole'
        if shown and is_proved:
            detail = getattr(node.faults[model.id], 'detail', str)()
            place = next((place for place in shown if not place.is_derived), shown[0])
            yield Fault(model.id, model.sentence + detail, model.advice,
                        [place.transcript for place in shown], place, node.faults[model.id])


def place_of(difference: Difference, match: Match, less: Match) -> Difference:
    """Return where a fault shows: where a program departs from what all other faults explain."""
    line = difference.line
    printed = difference.expected.printed
    first = printed.index(line) if line else len(printed)
    if (less.step, less.line) == (difference.step, first) or is_prompt(difference, less):
        return difference
    # Another fault shows before. The lines of the step that show only that are left out.
    number = min(less.step, match.step)
    step = difference.transcript.steps[number]
    lines = match.session.texts[number].splitlines(keepends=True)
    if len(lines) == len(step.printed):
        lines[:less.line] = map(str, step.printed[:less.line])
    return replace(difference, step=number, kind='differs', printed=''.join(lines).encode(),
                   is_derived=True)


def is_prompt(difference: Difference, less: Match) -> bool:
    """Whether too much is printed before a line is read, so that the answer begins otherwise."""
    between = less.session.texts[difference.step + 1:]
    return bool(between) and not any(between) and difference.line is None
