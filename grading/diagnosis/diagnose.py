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
from typing import Callable, Iterable, Iterator, Mapping, Protocol, Sequence

from ..limits import Limits
from ..sessions.transcript import Transcript
from ..sessions.verdict import Played
from .common_faults import AFTER_GAME, PRINTING, TOLD, advice_on, manners_of
from .crash import crash_at
from .evidence import Evidence
from .example import HAPPENS, NOTHING, GameOf, explained_example, what_happens
from .fault_models import GameModel, Known
from .finding import Finding, Place
from .follow import Match
from .program_output import Heard
from .protocol import shape_of
from .search import Search
from .simulation import Playing
from .spots import next_place, with_prompts_in_turn
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


@dataclass
class Fault:
    """One thing that is wrong with a program, known or unknown."""

    place: Played                           # the best one where it shows
    sessions: list[Played]                  # where it shows, the shortest first
    id: str = ''                            # '' where no known fault explains it
    sentence: str = ''                      # what the program does, '' where the place says it
    plain: str = ''                         # that without a quotation, '' if it has none
    advice: str = ''                        # what to do, in one sentence
    variant: type[GameModel] | None = None  # the game as the program plays it, in this
    is_printing: bool = False               # whether it is of what is printed, not of the game

    @property
    def names(self) -> list[str]:
        """The names of the sessions that show the fault."""
        return [one.session.name for one in self.sessions]

    @property
    def is_beyond(self) -> bool:
        """Whether only sessions beyond the assignment show the fault."""
        return all(one.session.is_beyond for one in self.sessions)


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

    def findings(self, points_of: Callable[[Transcript], float], game_of: GameOf,
                 where: Sequence[Sequence[Place]] = ()) -> list[Finding]:
        """Return the findings, first those that most sessions meet first.

        `points_of` returns the points of a session; fixing one finding alone gives back the points
        of the sessions that show only this finding, if all of the session can be seen. `where` are
        the places to look at for each fault, then for each group.
        """
        told = [*self.faults, *self.groups]
        number_of = Counter(name for fault in told for name in {*fault.names})
        first: dict[str, tuple[int, int]] = {}      # in each session: the step, and the finding
        for number, fault in enumerate(told):
            for one in fault.sessions:
                name, place = one.session.name, (one.place.step, number)
                first[name] = min(first.get(name, place), place)
        meet_first = Counter(number for _, number in first.values())
        order = sorted(range(len(told)), key=lambda number: (
            told[number].is_beyond, -meet_first[number]))
        return [self._finding(told[number], points_of, game_of, number_of,
                              [*where[number]] if where else []) for number in order]

    def _finding(self, fault: Fault, points_of: Callable[[Transcript], float], game_of: GameOf,
                 number_of: Mapping[str, int], places: list[Place]) -> Finding:
        """Return a finding; `number_of` says how many findings a session shows."""
        session, wrong = fault.place.session, fault.place.wrong
        assert wrong
        example = explained_example(fault.place, game_of(session), is_named=bool(fault.id))
        points = {one.session.name: points_of(one.session) for one in fault.sessions}
        alone = [name for name in points if number_of[name] == 1]
        is_hidden = not fault.sentence and session.is_hidden
        return Finding(
            fault.id, fault.sentence or what_happens(example), fault.advice, [*points],
            sum(points[name] for name in alone if name not in self.unseen), example,
            HAPPENS[wrong.kind] if is_hidden else fault.plain,
            [name for name in points if name in self.unseen],
            len(alone) == len(points) and all(map(self.unseen.get, points)),
            fault.is_printing, places)


def diagnose(game_of: Callable[[Transcript], ModelledGame | None], failed: Iterable[Played],
             passed: Sequence[Transcript] = (), seconds: float = Limits.search,
             why_silent: Callable[[], tuple[str, str]] = lambda: ('', '')) -> Diagnosis:
    """Return the certain faults of a program, and the differences that they do not explain.

    The search for each game may take `seconds` of the processor. What only sessions beyond the
    assignment show comes last, and changes nothing else. In sessions of no game only faults of
    printing can be found. `why_silent` returns why a program prints nothing and ends well, and what
    to do, '' if the text of its file does not tell.
    """
    failed = [*map(with_prompts_in_turn, failed)]
    promised = [played for played in failed if not played.session.is_beyond]
    diagnosis = diagnosis_of(game_of, promised, passed, seconds)
    if len(promised) < len(failed):
        whole = diagnosis_of(game_of, failed, passed, seconds)
        add_beyond(diagnosis, whole)
        diagnosis.unseen = {**whole.unseen, **diagnosis.unseen}
    for fault in [*diagnosis.faults, *diagnosis.groups]:
        if fault.sentence == NOTHING or (not fault.id and ends_silently(fault.place)):
            reason, advice = why_silent()
            if reason:
                fault.sentence, fault.advice = reason, advice
    return diagnosis


def ends_silently(played: Played) -> bool:
    """Return whether a program ends well before it has printed anything."""
    return (played.wrong is not None and played.wrong.kind == 'ended'
            and not played.dialogue.output and played.status == 0)


def add_beyond(diagnosis: Diagnosis, whole: Diagnosis) -> None:
    """Add to a diagnosis what only sessions beyond the assignment show."""
    diagnosis.is_late |= whole.is_late
    faults = {fault.id or fault.sentence: fault for fault in diagnosis.faults}
    for fault in whole.faults:
        if (fault.id or fault.sentence) in faults:
            same = faults[fault.id or fault.sentence]
            same.sessions += [one for one in fault.sessions if one.session.is_beyond]
        elif fault.is_beyond:
            diagnosis.faults.append(replace(fault, advice=f'{fault.advice} {COSTS_NOTHING}'))
    diagnosis.groups += [replace(group, advice=COSTS_NOTHING) for group in whole.groups
                         if group.is_beyond]


def diagnosis_of(game_of: Callable[[Transcript], ModelledGame | None], failed: list[Played],
                 passed: Sequence[Transcript], seconds: float) -> Diagnosis:
    """Return the diagnosis for some sessions."""
    diagnosis = Diagnosis()
    faults: dict[str, Fault] = {}
    left: list[Played] = []
    unmodelled: list[Fault] = []
    for game in dict.fromkeys(game_of(played.session) for played in failed):
        of_game = [played for played in failed if game_of(played.session) is game]
        if game is None:
            troubles, unseen = troubles_of(of_game)
            unmodelled = [*map(fault_without_model, troubles)]
            diagnosis.unseen.update(unseen)
            continue
        sessions = [*map(Heard.from_played, of_game)]
        sessions += [Heard(transcript, [step.output for step in transcript.steps])
                     for transcript in passed if game_of(transcript) is game]
        case = Case(game, sorted(sessions, key=lambda heard: len(heard.transcript.lines)), seconds)
        diagnosis.is_late |= case.is_late
        for fault in case.faults:
            same = faults.setdefault(fault.id, fault)
            if same is not fault:       # of another game
                same.sessions += fault.sessions
        left += case.unexplained()
        diagnosis.unseen.update(case.unseen())
    diagnosis.faults = [*faults.values(), *unmodelled]
    diagnosis.groups = grouped(sorted(left, key=lambda played: (
        played.session.is_hidden, len(played.session.lines))))
    return diagnosis


class Case:
    """The sessions of one game, and what explains them."""

    def __init__(self, game: ModelledGame, sessions: list[Heard], seconds: float) -> None:
        playing = Playing(game.model, game.faults, sessions, time.process_time() + seconds)
        self._evidence = Evidence(playing, Search(playing).find())
        self.is_late = playing.is_late  # whether the search took all its time
        self._failed = [(heard, match) for heard, match
                        in zip(sessions, self._evidence.matches) if heard.played]
        self.faults = [*self._faults([*PRINTING, *game.faults])]

    def _faults(self, known_faults: Sequence[Known]) -> Iterator[Fault]:
        """Yield the faults, the simplest first."""
        for known, shown in manners_of(self._failed):
            yield fault_of(known, known.sentence, shown)
        style, faults = self._evidence.explanation
        for known in known_faults:
            shown = self._evidence.shown(known.id) if known.id in self._evidence.without else []
            if shown:                   # it may have a part in sessions that pass alone
                made = faults.get(known.id)
                sentence = (known.sentence + getattr(made, 'detail', '') if made
                            else TOLD[known.id](style))
                advised = replace(known, advice=advice_on(known, style))
                yield fault_of(advised, sentence, shown, made)

    def unexplained(self) -> Iterator[Played]:
        """Yield for each session the first difference that no fault explains."""
        left = []
        for heard, match in self._failed:
            faults = [fault.id for fault in self.faults if heard.transcript.name in fault.names]
            is_told = any(one in AFTER_GAME for one in faults)
            if not (match.is_whole or (match.is_over and is_told)) or not faults:
                left.append((heard, match))
        dues = self._evidence.due([heard for heard, _ in left])
        for (heard, match), due in zip(left, dues):
            yield next_place(self._evidence.spots(heard), match, due.texts)

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
    dialogue, transcript, kind = heard.failed.dialogue, heard.transcript, heard.wrong.kind
    if kind in ('runs on', 'status', 'file'):
        return True
    is_right_end = dialogue.end == 'asks' or (dialogue.end == 'exit' and (
        transcript.still_asks or transcript.accepts_status(dialogue.status or 0)))
    is_explained = match.step >= len(transcript.steps) - 1
    if heard.failed.session.in_turns and is_right_end:
        return is_explained or (
            not match.is_whole and '\n' in match.session.upcoming().rstrip('\n'))
    # A line may have been typed when the program no longer read it.
    typed, due = (b''.join(turn.typed for turn in turns)
                  for turns in (dialogue.turns, transcript.steps))
    return is_right_end and typed == due and (is_explained or not match.is_whole) and (
        kind != 'ended' or bool(dialogue.turns[-1].printed))


def is_alone(heard: Heard, match: Match) -> bool:
    """Return whether all lines that are wrong are of one kind."""
    own, due = (text.splitlines() for text in (match.session.reading.text, heard.transcript.output))
    shapes = {(shape_of(line), shape_of(other)) for line, other in zip(own, due)
              if line != other}
    return len(shapes) == 1 if len(own) == len(due) else own == due[:len(own)]


def fault_without_model(trouble: Trouble) -> Fault:
    """Return what is wrong with a program in sessions of no known game."""
    is_printing, wrong = trouble.name in PLAIN, trouble.place.wrong
    assert wrong
    plain = PLAIN.get(trouble.name, HAPPENS[wrong.kind] if trouble.told else '')
    return Fault(trouble.place, trouble.sessions, trouble.name, sentence_of(trouble), plain,
                 advice_of(trouble), is_printing=is_printing)


def fault_of(known: Known, sentence: str, shown: list[Played],
             variant: type[GameModel] | None = None) -> Fault:
    """Return a fault with the places that show it, the best first.

    Students cannot see a place in a hidden session.
    """
    return Fault(min(shown, key=lambda one: one.session.is_hidden),
                 sorted(shown, key=lambda one: len(one.session.lines)), known.id, sentence,
                 known.sentence, known.advice, variant, known.is_printing)


def grouped(failed: Iterable[Played]) -> list[Fault]:
    """Return sessions in groups, the largest first; the best one to show comes first."""
    groups: dict[object, Fault] = {}
    for played in failed:
        groups.setdefault(likeness_of(played), Fault(played, [])).sessions.append(played)
    return sorted(groups.values(), key=lambda group: -len(group.sessions))


def likeness_of(played: Played) -> object:
    """Return a key that is the same for sessions of one group."""
    crash, place, wrong = crash_at(played), played.place, played.wrong
    if crash:
        is_deep = crash.type == 'RecursionError'        # where that comes is chance
        return crash.file, 0 if is_deep else crash.line, crash.type
    if wrong and wrong.kind != 'differs':
        return wrong.kind, played.dialogue.status, played.dialogue.errors[-200:]
    due = place.line.text if place.line else ''
    return tuple(SIGNS.sub(r'\1?', shape_of(text.rstrip('\n'))) for text in (
        due, place.printed[:200]))
