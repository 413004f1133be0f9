"""The faults behind the differences, each told once; and what comes next, which none explains.

A fault is known by its variant of the game. The set of faults is the one with which the game
prints most of what the program printed when it got all the input at once. A fault is told when it
is certain (see `explained`): with it more of the output is explained, and no session less.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Callable, Iterable, Iterator, Protocol, Sequence

from ..sessions.difference import Difference, Observation
from ..sessions.transcript import Transcript
from .explained import Explained
from .follow import Heard
from .groups import COSTS_NOTHING, Group, Shown, grouped, next_difference
from .known_fault import Known
from .model import GameModel
from .playing import Playing, scripted
from .printing_faults import PRINTING, TOLD
from .running_faults import AT_END, MANNERS
from .search import Search

SEARCH_SECONDS = 3.0                    # of the processor, for the search of each game


class Game(Protocol):
    """What the diagnosis knows of a game."""

    @property
    def model(self) -> type[GameModel]:
        """A session of the game, each of its decisions a method."""

    @property
    def faults(self) -> Sequence[Known]:
        """The faults that are known, the simplest first."""


@dataclass
class Fault:
    """One fault of a program: what its author is told, once."""

    id: str
    sentence: str                           # what the program does: `puts one blank between ...`
    advice: str                             # what to do, in one sentence
    sessions: list[Shown]                   # where it shows, the shortest first
    place: Difference                       # the shortest one where it shows
    variant: type[GameModel] | None = None  # the game as the program plays it, in this
    is_printing: bool = False               # whether it is of what is printed, not of the game

    @property
    def transcripts(self) -> list[Transcript]:
        """The transcripts that show it."""
        return [shown.transcript for shown in self.sessions]


@dataclass
class Diagnosis:
    """The faults of a program, the simplest first, and what happens beside them."""

    faults: list[Fault] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)

    def of(self, transcript: Transcript) -> list[Fault]:
        """Return the faults that a transcript shows."""
        return [fault for fault in self.faults
                if any(shown is transcript for shown in fault.transcripts)]


def diagnose(game_of: Callable[[Transcript], Game | None], failed: Iterable[Observation],
             passed: Iterable[Transcript] = ()) -> Diagnosis:
    """Return the faults that are certain of a program, and what they do not explain.

    What only sessions beyond the assignment show comes last, and has no part in the rest. Sessions
    of no game are searched for the faults of printing alone.
    """
    failed, passed = list(failed), list(passed)
    promised = [observed for observed in failed if not observed.transcript.is_beyond]
    diagnosis = diagnosis_of(game_of, promised, passed)
    if len(promised) < len(failed):
        add_beyond(diagnosis, diagnosis_of(game_of, failed, passed))
    return diagnosis


def add_beyond(diagnosis: Diagnosis, whole: Diagnosis) -> None:
    """Add what a diagnosis by all sessions says of those beyond the assignment."""
    faults = {fault.id: fault for fault in diagnosis.faults}
    for fault in whole.faults:
        beyond = [shown for shown in fault.sessions if shown.transcript.is_beyond]
        if fault.id in faults:
            faults[fault.id].sessions += beyond
        elif len(beyond) == len(fault.sessions):
            diagnosis.faults.append(replace(fault, advice=f'{fault.advice} {COSTS_NOTHING}'))
    diagnosis.groups += [group for group in whole.groups if group.is_beyond]


def diagnosis_of(game_of: Callable[[Transcript], Game | None], failed: list[Observation],
                 passed: list[Transcript]) -> Diagnosis:
    """Return what some sessions say of a program."""
    diagnosis = Diagnosis()
    differences: list[Difference] = []
    for game in dict.fromkeys(game_of(observed.transcript) for observed in failed):
        sessions = [Heard.from_observed(observed) for observed in failed
                    if game_of(observed.transcript) is game]
        sessions += [Heard(transcript, transcript.output) for transcript in passed
                     if game_of(transcript) is game]
        case = Case(game, sorted(sessions, key=lambda heard: len(heard.transcript.lines)))
        add(diagnosis.faults, case.faults())
        differences += case.unexplained(diagnosis)
    diagnosis.groups = grouped(sorted(
        differences, key=lambda difference: len(difference.transcript.lines)))
    return diagnosis


def add(faults: list[Fault], more: Iterable[Fault]) -> None:
    """Add the faults of another game."""
    for fault in more:
        same = next((old for old in faults if old.id == fault.id), None)
        if same:
            same.sessions += fault.sessions
        else:
            faults.append(fault)


class Case:
    """One game's sessions, and what explains them."""

    def __init__(self, game: Game | None, sessions: list[Heard]) -> None:
        known_faults = game.faults if game else ()
        playing = Playing(game.model if game else scripted(sessions), known_faults, sessions,
                          time.process_time() + SEARCH_SECONDS)
        self._known_faults = [*PRINTING, *known_faults]
        self._explained = Explained(playing, Search(playing).find())
        self._failed = [(heard, match) for heard, match
                        in zip(sessions, self._explained.matches) if heard.difference]

    def faults(self) -> Iterator[Fault]:
        """Yield the faults, the simplest first."""
        for known, shown_by in MANNERS:
            differences = shown_by(self._failed)
            if differences:
                yield fault_of(known, known.sentence, differences)
        style, faults = self._explained.explanation
        for known in self._known_faults:
            shown = self._explained.shown(known.id) if known.id in self._explained.without else []
            if shown:                   # it may have a part in sessions that pass alone
                made = faults.get(known.id)
                sentence = (known.sentence + getattr(made, 'detail', str)() if made
                            else TOLD[known.id](style))
                yield fault_of(known, sentence, shown, made)

    def unexplained(self, diagnosis: Diagnosis) -> Iterator[Difference]:
        """Yield where each session goes on in a way that no fault explains."""
        for heard, match in self._failed:
            is_told = any(fault.id in AT_END for fault in diagnosis.of(heard.transcript))
            if not (match.is_whole or (match.is_over and is_told)) or not diagnosis.of(
                    heard.transcript):
                yield next_difference(heard, match)


def fault_of(known: Known, sentence: str, shown: list[Difference],
             variant: type[GameModel] | None = None) -> Fault:
    """Return a fault that shows in some places, the best first."""
    sessions = sorted(shown, key=lambda place: len(place.transcript.lines))
    return Fault(known.id, sentence, known.advice,
                 [Shown(place.transcript, place.step) for place in sessions], shown[0], variant,
                 known.is_printing)
