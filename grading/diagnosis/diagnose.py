"""The faults of a program, each found once, and the differences that no fault explains.

Each fault has a variant of the game. The diagnosis looks for the set of faults with which the game
prints most of what the program printed with all input at once. It names a fault that is certain
(see `evidence`): with it the game explains more of the output, and no session less.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Callable, Iterable, Iterator, NamedTuple, Protocol, Sequence

from ..limits import Limits
from ..sessions.difference import Difference, Observation, played_of
from ..sessions.transcript import Transcript
from .common_faults import AT_END, MANNERS, PRINTING, TOLD, advice_on
from .crash import crash_at
from .evidence import Evidence
from .example import HAPPENS, GameOf, explained_example, what_happens
from .fault_models import GameModel, Known
from .finding import Finding, Place
from .follow import Match
from .program_output import Heard
from .protocol import shape_of
from .search import Search
from .simulation import Playing
from .unexplained import next_difference
from .wrong_lines import PLAIN, Trouble, advice_of, sentence_of, troubles_of

SIGNS = re.compile(r'([^\w\s])\1+|(?<=: )[A-Z]+$')     # the same sign many times, or a name
COSTS_NOTHING = 'This costs no points: only sessions beyond the assignment show it.'


class ModelledGame(Protocol):
    """The parts of a game that the diagnosis uses."""

    @property
    def model(self) -> type[GameModel]:
        """The class that plays a session of the game, with a method for each decision."""

    @property
    def faults(self) -> Sequence[Known]:
        """The known faults, the simplest first."""


class Shown(NamedTuple):
    """A session that shows a fault, and the index of the step in which it does."""

    transcript: Transcript
    step: int


@dataclass
class Fault:
    """One thing that is wrong with a program, known or unknown."""

    place: Difference                       # the shortest one where it shows
    sessions: list[Shown]                   # where it shows, the shortest first
    id: str = ''                            # '' where no known fault explains it
    sentence: str = ''                      # what the program does, '' where the place says it
    plain: str = ''                         # that without a quotation, '' if it has none
    advice: str = ''                        # what to do, in one sentence
    variant: type[GameModel] | None = None  # the game as the program plays it, in this
    is_printing: bool = False               # whether it is of what is printed, not of the game

    @property
    def transcripts(self) -> list[Transcript]:
        """The transcripts that show the fault."""
        return [shown.transcript for shown in self.sessions]

    @property
    def is_beyond(self) -> bool:
        """Whether only sessions beyond the assignment show the fault."""
        return all(transcript.is_beyond for transcript in self.transcripts)


@dataclass
class Diagnosis:
    """The known faults of a program, the simplest first, and groups of unexplained differences.

    The largest group comes first.
    """

    faults: list[Fault] = field(default_factory=list)
    groups: list[Fault] = field(default_factory=list)
    # The sessions in which more may be wrong than is told, by their names: whether each ends there.
    unseen: dict[str, bool] = field(default_factory=dict)
    is_late: bool = False               # whether the time for the search was over before its end

    def of(self, transcript: Transcript) -> list[Fault]:
        """Return the known faults that a transcript shows."""
        return [fault for fault in self.faults
                if any(shown is transcript for shown in fault.transcripts)]

    def findings(self, points_of: Callable[[Transcript], float], game_of: GameOf,
                 where: Sequence[Sequence[Place]] = ()) -> list[Finding]:
        """Return the findings, first those that most sessions meet first.

        `points_of` returns the points of a session; fixing one finding alone gives back the points
        of the sessions that show only this finding, if all of the session can be seen. `where` are
        the places to look at for each fault, then for each group.
        """
        told = [*self.faults, *self.groups]
        worth = [{one.name: points_of(one) for one in fault.transcripts} for fault in told]
        number_of = Counter(name for points in worth for name in points)
        first: dict[str, tuple[int, int]] = {}      # in each session: the step, and the finding
        for number, fault in enumerate(told):
            for one in fault.sessions:
                name, place = one.transcript.name, (one.step, number)
                first[name] = min(first.get(name, place), place)
        meet_first = Counter(number for _, number in first.values())
        findings = []
        for number, (fault, points) in enumerate(zip(told, worth)):
            example = explained_example(played_of(fault.place), game_of(fault.place.transcript),
                                        is_named=bool(fault.id))
            alone = [name for name in points if number_of[name] == 1]
            is_hidden = not fault.sentence and fault.place.transcript.is_hidden
            findings.append(Finding(
                fault.id, fault.sentence or what_happens(example), fault.advice, [*points],
                sum(points[name] for name in alone if name not in self.unseen), example,
                HAPPENS[fault.place.kind] if is_hidden else fault.plain,
                [name for name in points if name in self.unseen],
                len(alone) == len(points) and all(map(self.unseen.get, points)),
                fault.is_printing, [*where[number]] if where else []))
        return [findings[number] for number in sorted(range(len(told)), key=lambda number: (
            told[number].is_beyond, -meet_first[number]))]


def diagnose(game_of: Callable[[Transcript], ModelledGame | None], failed: Iterable[Observation],
             passed: Iterable[Transcript] = (), seconds: float = Limits.search) -> Diagnosis:
    """Return the certain faults of a program, and the differences that they do not explain.

    The search for each game may take `seconds` of the processor. What only sessions beyond the
    assignment show comes last, and changes nothing else. In sessions of no game only faults of
    printing can be found.
    """
    failed, passed = list(failed), list(passed)
    promised = [observed for observed in failed if not observed.transcript.is_beyond]
    diagnosis = diagnosis_of(game_of, promised, passed, seconds)
    if len(promised) < len(failed):
        whole = diagnosis_of(game_of, failed, passed, seconds)
        add_beyond(diagnosis, whole)
        diagnosis.unseen = {**whole.unseen, **diagnosis.unseen}
    return diagnosis


def add_beyond(diagnosis: Diagnosis, whole: Diagnosis) -> None:
    """Add to a diagnosis what only sessions beyond the assignment show."""
    diagnosis.is_late |= whole.is_late
    faults = {fault.id or fault.sentence: fault for fault in diagnosis.faults}
    for fault in whole.faults:
        if (fault.id or fault.sentence) in faults:
            faults[fault.id or fault.sentence].sessions += [shown for shown in fault.sessions
                                          if shown.transcript.is_beyond]
        elif fault.is_beyond:
            diagnosis.faults.append(replace(fault, advice=f'{fault.advice} {COSTS_NOTHING}'))
    diagnosis.groups += [replace(group, advice=COSTS_NOTHING) for group in whole.groups
                         if group.is_beyond]


def diagnosis_of(game_of: Callable[[Transcript], ModelledGame | None], failed: list[Observation],
                 passed: list[Transcript], seconds: float) -> Diagnosis:
    """Return the diagnosis for some sessions."""
    diagnosis = Diagnosis()
    faults: dict[str, Fault] = {}
    differences: list[Difference] = []
    unmodelled: list[Fault] = []
    for game in dict.fromkeys(game_of(observed.transcript) for observed in failed):
        if game is None:
            troubles, unseen = troubles_of(
                observed for observed in failed if game_of(observed.transcript) is None)
            unmodelled = [*map(fault_without_model, troubles)]
            diagnosis.unseen.update(unseen)
            continue
        sessions = [Heard.from_observed(observed) for observed in failed
                    if game_of(observed.transcript) is game]
        sessions += [Heard(transcript, transcript.output) for transcript in passed
                     if game_of(transcript) is game]
        case = Case(game, sorted(sessions, key=lambda heard: len(heard.transcript.lines)), seconds)
        diagnosis.is_late |= case.is_late
        for fault in case.faults():
            same = faults.setdefault(fault.id, fault)
            if same is not fault:       # of another game
                same.sessions += fault.sessions
        diagnosis.faults = [*faults.values()]
        differences += case.unexplained(diagnosis)
        diagnosis.unseen.update(case.unseen())
    diagnosis.faults += unmodelled
    diagnosis.groups = grouped(sorted(differences, key=lambda difference: (
        difference.transcript.is_hidden, len(difference.transcript.lines))))
    return diagnosis


class Case:
    """The sessions of one game, and what explains them."""

    def __init__(self, game: ModelledGame, sessions: list[Heard], seconds: float) -> None:
        playing = Playing(game.model, game.faults, sessions, time.process_time() + seconds)
        self._known_faults = [*PRINTING, *game.faults]
        self._evidence = Evidence(playing, Search(playing).find())
        self.is_late = playing.is_late  # whether the search took all its time
        self._failed = [(heard, match) for heard, match
                        in zip(sessions, self._evidence.matches) if heard.difference]

    def faults(self) -> Iterator[Fault]:
        """Yield the faults, the simplest first."""
        for known, shown_by in MANNERS:
            differences = shown_by(self._failed)
            if differences:
                yield fault_of(known, known.sentence, differences)
        style, faults = self._evidence.explanation
        for known in self._known_faults:
            shown = self._evidence.shown(known.id) if known.id in self._evidence.without else []
            if shown:                   # it may have a part in sessions that pass alone
                made = faults.get(known.id)
                sentence = (known.sentence + getattr(made, 'detail', '') if made
                            else TOLD[known.id](style))
                advised = replace(known, advice=advice_on(known, style))
                yield fault_of(advised, sentence, shown, made)

    def unexplained(self, diagnosis: Diagnosis) -> Iterator[Difference]:
        """Yield for each session the first difference that no fault explains."""
        left = []
        for heard, match in self._failed:
            faults = diagnosis.of(heard.transcript)
            is_told = any(fault.id in AT_END for fault in faults)
            if not (match.is_whole or (match.is_over and is_told)) or not faults:
                left.append((heard, match))
        dues = self._evidence.due([heard for heard, _ in left])
        for (heard, match), due in zip(left, dues):
            yield next_difference(heard, match, due.texts)


    def unseen(self) -> Iterator[tuple[str, bool]]:
        """Yield the sessions in which more may be wrong than is told, and whether they end there.
        """
        for heard, match in self._failed:
            if not is_to_end(heard, match):
                yield heard.transcript.name, True
            elif not match.is_whole and not is_alone(heard, match):
                yield heard.transcript.name, False


def is_to_end(heard: Heard, match: Match) -> bool:
    """Return whether a program played a session that it fails to its end, as far as can be seen."""
    difference, transcript = heard.difference, heard.transcript
    if difference and difference.kind in ('runs on', 'status', 'file'):
        return True
    if not difference or not difference.dialogue:
        return False
    dialogue = difference.dialogue
    is_right_end = dialogue.end == 'asks' or (dialogue.end == 'exit' and (
        transcript.still_asks or transcript.accepts_status(dialogue.status or 0)))
    typed, due = (b''.join(turn.typed for turn in turns)
                  for turns in (dialogue.turns, transcript.steps))
    is_explained = match.step >= len(transcript.steps) - 1
    if len(dialogue.turns) > 1 or not is_right_end:
        # A line may have been typed when the program no longer read it.
        return is_right_end and typed == due and (is_explained or not match.is_whole) and (
            difference.kind != 'ended' or bool(dialogue.turns[-1].printed))
    # All input came at once.
    return is_explained or (
        not match.is_whole and '\n' in match.session.upcoming().rstrip('\n'))


def is_alone(heard: Heard, match: Match) -> bool:
    """Return whether all lines that are wrong are of one kind."""
    own, due = (text.splitlines() for text in (match.session.reading.text, heard.transcript.output))
    shapes = {(shape_of(line), shape_of(other)) for line, other in zip(own, due)
              if line != other}
    return len(shapes) == 1 if len(own) == len(due) else own == due[:len(own)]


def fault_without_model(trouble: Trouble) -> Fault:
    """Return what is wrong with a program in sessions of no known game."""
    is_printing = trouble.name in PLAIN
    plain = PLAIN.get(trouble.name, HAPPENS[trouble.place.kind] if trouble.told else '')
    return Fault(trouble.place, [Shown(place.transcript, place.step) for place in trouble.sessions],
                 trouble.name, sentence_of(trouble), plain, advice_of(trouble),
                 is_printing=is_printing)


def fault_of(known: Known, sentence: str, shown: list[Difference],
             variant: type[GameModel] | None = None) -> Fault:
    """Return a fault with the places that show it, the best first.

    Students cannot see a place in a hidden session.
    """
    sessions = sorted(shown, key=lambda place: len(place.transcript.lines))
    return Fault(min(shown, key=lambda place: place.transcript.is_hidden),
                 [Shown(place.transcript, place.step) for place in sessions], known.id, sentence,
                 known.sentence, known.advice, variant, known.is_printing)


def grouped(differences: Iterable[Difference]) -> list[Fault]:
    """Return differences in groups, the largest first; the best difference to show comes first."""
    groups: dict[object, Fault] = {}
    for difference in differences:
        group = groups.setdefault(what_is_alike(difference), Fault(difference, []))
        group.sessions.append(Shown(difference.transcript, difference.step))
    return sorted(groups.values(), key=lambda group: -len(group.sessions))


def what_is_alike(difference: Difference) -> object:
    """Return a key that is the same for differences of one group."""
    crash = crash_at(played_of(difference))
    if crash:
        is_deep = crash.type == 'RecursionError'        # where that comes is chance
        return crash.file, 0 if is_deep else crash.line, crash.type
    if difference.kind != 'differs':
        return difference.kind, difference.status, difference.errors[-200:]
    line = difference.line
    matched = sum(len(str(due)) for due in difference.expected.printed[
        :difference.expected.printed.index(line) if line else None])
    printed = difference.printed.decode(errors='backslashreplace')[matched:]
    return tuple(SIGNS.sub(r'\1?', shape_of(text)) for text in (
        line.text if line else '', printed.partition('\n')[0][:200]))
