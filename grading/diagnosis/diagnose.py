"""The faults of a program, each found once, and the differences that no fault explains.

Each fault has a variant of the game. The diagnosis looks for the set of faults with which the game
prints most of what the program printed with all input at once. It names a fault that is certain
(see `evidence`): with it the game explains more of the output, and no session less.
"""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import Callable, Iterable, Iterator, Protocol, Sequence

from ..limits import Limits
from ..sessions.transcript import Transcript
from ..sessions.verdict import Played
from .common_faults import (
    AFTER_GAME,
    PRINTING,
    advice_on,
    examples_in,
    manners_of,
    sentence_about,
)
from .crash import crash_at, crash_later
from .evidence import Evidence, next_place, spots_of, with_prompts_in_turn
from .example import HAPPENS, NOTHING, GameOf, explained_example, what_happens
from .fault_models import GameModel, Known
from .finding import Fault, Finding, Place, grouped
from .protocol import Heard, shape_of
from .search import Search
from .wrong_lines import wrong_lines

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
class Diagnosis:
    """The faults of a program: the known ones, the simplest first, then what none of them explains.
    """

    faults: list[Fault] = field(default_factory=list)
    # The sessions in which more may be wrong than is told, by their names: whether each ends there.
    unseen: dict[str, bool] = field(default_factory=dict)
    is_late: bool = False               # whether the time for the search was over before its end

    def findings(self, points_of: Callable[[Transcript], float], game_of: GameOf,
                 where: Sequence[list[Place]] = ()) -> list[Finding]:
        """Return the findings, first those that most sessions meet first.

        `points_of` returns the points of a session; fixing one finding alone gives back the points
        of the sessions that show only this finding, if all of the session can be seen. `where` are
        the places to look at for each fault.
        """
        shown = defaultdict(list)       # in each session: the steps and the numbers of its faults
        for number, fault in enumerate(self.faults):
            for one in fault.sessions:
                shown[one.session.name].append((one.place.step, number))
        meet_first = Counter(min(faults)[1] for faults in shown.values())
        found, places = [], dict(enumerate(where))
        for number, fault in enumerate(self.faults):
            session = fault.place.session
            example = explained_example(fault.place, game_of(session), is_named=bool(fault.id))
            points = {one.session.name: points_of(one.session) for one in fault.sessions}
            alone = [name for name in points if len(shown[name]) == 1]
            is_secret = session.is_hidden and not fault.sentence
            found.append((fault.is_beyond, -meet_first[number], number, Finding(
                fault.id, fault.sentence or what_happens(example) + fault.then, fault.advice,
                [*points], sum(points[name] for name in alone if name not in self.unseen), example,
                HAPPENS[fault.place.failure.kind] if is_secret else fault.plain,
                [name for name in points if name in self.unseen],
                len(alone) == len(points) and all(map(self.unseen.get, points)),
                fault.is_printing, places.get(number, []))))
        return [finding for *_, finding in sorted(found)]


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
        keys = [fault.key for fault in diagnosis.faults]
        diagnosis.faults = grouped([*diagnosis.faults, *(
            replace(fault, sessions=[one for one in fault.sessions if one.session.is_beyond],
                    advice=f'{fault.advice} {COSTS_NOTHING}'.lstrip())
            for fault in whole.faults if fault.is_beyond or fault.key in keys)])
        diagnosis.unseen = {**whole.unseen, **diagnosis.unseen}
        diagnosis.is_late |= whole.is_late
    for fault in diagnosis.faults:
        played = fault.place
        if fault.sentence == NOTHING or (
                not fault.id and played.wrong and played.wrong.kind == 'ended'
                and not played.dialogue.output and played.status == 0):
            reason, advice = why_silent()
            if reason:
                fault.sentence, fault.advice = reason, advice
    return diagnosis


def diagnosis_of(game_of: Callable[[Transcript], ModelledGame | None], failed: list[Played],
                 passed: Sequence[Transcript], seconds: float) -> Diagnosis:
    """Return the diagnosis for some sessions."""
    diagnosis = Diagnosis()
    left: list[Played] = []
    for game in dict.fromkeys(game_of(played.session) for played in failed):
        of_game = [played for played in failed if game_of(played.session) is game]
        if game is None:
            until = time.process_time() + seconds
            faults, unseen = wrong_lines(of_game, until)
            diagnosis.is_late |= time.process_time() > until
        else:
            sessions = [*map(Heard.from_played, of_game)]
            sessions += [Heard(transcript, [step.output for step in transcript.steps])
                         for transcript in passed if game_of(transcript) is game]
            sessions.sort(key=lambda heard: len(heard.transcript.lines))
            search = Search(game.model, game.faults, sessions, time.process_time() + seconds)
            evidence = Evidence(search, search.find())
            diagnosis.is_late |= search.is_late
            faults = [*known_faults(evidence, game.faults)]
            left += unexplained(evidence, faults)
            unseen = dict(unseen_in(evidence))
        diagnosis.faults += faults
        diagnosis.unseen.update(unseen)
    left.sort(key=lambda played: (played.session.is_hidden, len(played.session.lines)))
    groups = grouped(Fault(
        played, key=likeness_of(played), then=crash_later(played)) for played in left)
    groups.sort(key=lambda group: -len(group.sessions))
    diagnosis.faults = [*grouped(diagnosis.faults), *groups]
    return diagnosis


def known_faults(evidence: Evidence, of_game: Sequence[Known]) -> Iterator[Fault]:
    """Yield the faults that are certain, the simplest first."""
    for known, shown in manners_of(evidence.failed):
        yield fault_of(known, known.sentence, shown)
    style, faults = evidence.explanation
    for known in [*PRINTING, *of_game]:
        shown = evidence.shown(known.id) if known.id in evidence.without else []
        if shown:                       # it may have a part in sessions that pass alone
            made = faults.get(known.id)
            told, prompts = examples_in(style, known.id), style.lines.prompts
            sentence = (known.sentence + getattr(made, 'detail', '') if made
                        else sentence_about(known, told, prompts))
            yield fault_of(replace(known, advice=advice_on(known, told, prompts)), sentence, shown,
                           made)


def fault_of(known: Known, sentence: str, shown: list[Played],
             variant: type[GameModel] | None = None) -> Fault:
    """Return a fault with the places that show it, the best first.

    Students cannot see a place in a hidden session.
    """
    return Fault(min(shown, key=lambda one: one.session.is_hidden),
                 sorted(shown, key=lambda one: len(one.session.lines)), known.id,
                 sentence=sentence, plain=known.sentence, advice=known.advice, variant=variant,
                 kind=known.kind)


def unexplained(evidence: Evidence, faults: Sequence[Fault]) -> Iterator[Played]:
    """Yield for each session the first difference that no fault explains."""
    for heard, match in evidence.failed:
        told = [fault.id for fault in faults if heard.transcript.name in fault.names]
        is_explained = match.is_whole or (match.is_over and not {*told}.isdisjoint(AFTER_GAME))
        if not (told and is_explained):
            yield next_place(spots_of(heard), match, evidence.due(heard))


def unseen_in(evidence: Evidence) -> Iterator[tuple[str, bool]]:
    """Yield the sessions in which more may be wrong than is told, and whether they end there."""
    for heard, match in evidence.failed:
        dialogue, transcript = heard.failed.dialogue, heard.transcript
        own, due = heard.text.splitlines(), transcript.output.splitlines()
        shapes = {(shape_of(line), shape_of(other)) for line, other in zip(own, due)
                  if line != other}
        # A line may have been typed when the program no longer read it.
        typed, to_type = (b''.join(turn.typed for turn in turns)
                          for turns in (dialogue.turns, transcript.steps))
        is_to_end = heard.failed.failure.kind in ('runs on', 'status') or (
            dialogue.end == 'exit' and transcript.accepts_status(dialogue.status or 0)
            and typed == to_type
            and (heard.failed.failure.kind != 'ended' or bool(dialogue.turns[-1].printed)))
        if not is_to_end:
            yield transcript.name, True
        elif not match.is_whole and (len(own) != len(due) or len(shapes) != 1):
            yield transcript.name, False


def likeness_of(played: Played) -> object:
    """Return a key that is the same for sessions of one group."""
    crash, place, wrong = crash_at(played), played.place, played.wrong
    if crash:
        # Where a recursion becomes too deep is chance.
        return crash.file, 0 if crash.type == 'RecursionError' else crash.line, crash.type
    if wrong and wrong.kind != 'differs':
        return wrong.kind, played.dialogue.status, played.dialogue.errors[-200:]
    return tuple(SIGNS.sub(r'\1?', shape_of(text.rstrip('\n'))) for text in (
        place.line.text if place.line else '', place.printed[:200]))
