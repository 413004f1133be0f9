"""Where in the program to look, and what output does not show.

After its points are known, a program is run again, traced, in few and short sessions.

Ochiai's measure ranks what ran: Rui Abreu, Peter Zoeteweij and Arjan J. C. van Gemund, "On the
Accuracy of Spectrum-based Fault Localization", TAIC PART 2007. Many statements are equally
suspicious. More so are those on which what is wrong depends, a slice of the run (Mark Weiser,
"Program Slicing", ICSE 1981), those that ran last before it, what its author has to change for a
known kind of fault, and what makes the output right if it is changed. All this counts in one sum.

No model of a game can know of a caught exception, or of input that is read too early. A program
with `except: print('INVALID')` looks as if it had found a move illegal, though a mistake of its own
has raised an exception. A program that reads all input first looks as if it did not flush.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from ...games.kinds import CHECK, OTHER, TEXT, TEXT_AGAIN, TEXT_MISSING, Kind
from ...games.traced_program import Statement, TracedProgram, conditions_of, names_in
from ...printable import printable
from ...results import Crash, Place
from ...sandbox.program import Program, folder_of, given_starter, script_of
from ...sessions.play import Experience, play, retyped
from ...sessions.run import Run
from ...sessions.session import Session
from ...sessions.verdict import Dialogue, Played
from ..common_faults import NO_FLUSH, READS_EARLY, READS_FIRST
from ..crash import hint_for_crash
from ..diagnose import Diagnosis
from ..finding import Fault
from .sources import MOST_BYTES, Sources
from .trace import Failed, Line, Raised, Trace, TracedStep
from .trials import CHANGES, Trials, is_played

TRACER = Path(__file__).with_name('tracer.py').read_text(encoding='utf-8')
LINES, QUICK = 'lines', 'quick'  # the tracer's modes
MOST_SAID = 1 << 21  # bytes of what is said on standard error

MOST_CAUSES = 10
MOST_ROUNDS = 6
EACH = 3  # sessions in a round beside those that show a cause
SHARE = 0.5  # of the time left that one run may take
TRIES = 8  # of a session: a program may act at random

PRINTED, CALLED, DECIDED = 'printed by', 'called by', 'decided by'
READ, RAN, RAISED = 'read by', 'ran', 'raised by'
MOST_LINES = 10  # that are told; less if
FEW_SURE, FEW_LINES = 3, 6  # all is right with changes to few statements
MOST_PLACES = 3
AROUND = 2  # lines before and behind a place, that are shown
# What counts, in the sum by which statements are ranked. The numbers were found by trying: those
# around them do as well.
SUSPICION = 5.0  # of the most suspicious statement, less of others
# Of the last one before the output is wrong, or of the first one if the kind is early.
LATE = 1.0
NEEDED = 1.5, 1.0, 1.0, 1.0, 1.0  # of what is needed, by how far away
KIND = 4.0  # of what the kind of the fault says
CHANGED = 10.0  # of what makes all output right if it is changed, less if
FEW_CHANGED = 4  # more than a few statements do
SIZE = 0.2  # of the logarithm of how many expressions there are
# What only says that something follows, or runs because something has gone wrong already.
SAYS_LITTLE = ':', 'class', 'def', 'except', 'from', 'global', 'import', 'nonlocal', 'try'
# Types that only a mistake raises. Others may be a program's way to find that input is wrong. After
# a RecursionError, which the tracer does not survive, nothing is certain.
MISTAKES = (
    'AttributeError',
    'ImportError',
    'ModuleNotFoundError',
    'NameError',
    'TypeError',
    'UnboundLocalError',
)
# Plays a session through a program that some words start, for some seconds; returns what is made
# of the run, or None if there is none.
Play = Callable[[Session, Sequence[str], float, Callable[[Run], Any]], Any]
Try = Callable[[Sequence[Statement]], Mapping[Statement, float]]


def why_silent(program: Program) -> tuple[str, str]:
    """Return why a Python program that ends well has printed nothing, and advice; '' if not seen.

    The text of its file says so: there is no code in it, or its `main` is named nowhere else.
    """
    script = script_of(program.words)
    if script is None or program.words[script] == '-m' or given_starter(program):
        return '', ''
    folder, name = folder_of(program), Path(program.words[script]).name
    path = folder / program.below / name
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return '', ''
    lines = Sources(folder).text(os.path.join(program.below, name), 1, MOST_BYTES).split('\n')
    code = '\n'.join(line for line in lines if not re.match(r'\s*(#|$)', line))
    if not code:
        return (
            f'prints nothing: there is no code in {printable(name)}',
            'Save your program in your editor.',
        )
    if (
        re.search(r'^(async )?def main\(', code, re.MULTILINE)
        and len(re.findall(r'\bmain\b', code)) == 1
    ):
        return (
            'prints nothing: it defines main(), but never calls it',
            'Call main() at the end of the file, in a line that is not indented.',
        )
    return '', ''


def traced(program: Program, words: Sequence[str], root: str) -> Program:
    """Return a program that runs a Python program with the tracer, or with changes.

    `root` is the path of the folder with all its files, '' for the one that has its own file.
    """
    script = script_of(program.words)
    return replace(program, words=[*program.words[:script], *words, root, *program.words[script:]])


def play_traced(played: Played, run: Run, seconds: float, given: Collection[str]) -> Trace:
    """Play a session again through a traced program, which may be silent for some seconds.

    Of a session that was right nothing is kept: it must be right again. In others the program must
    print the same up to its first wrong byte; what follows that may be other each time.
    """
    run.kept = MOST_SAID
    if not played.wrong:
        experience = Experience(seconds)
        experience.is_looked_at = False
        again = play(played.session, run, experience, types_on=False)
        output, status = again.dialogue.output, again.dialogue.status
        is_same = not again.wrong or again.wrong.kind == 'status'
    else:
        output, status = retyped(played.dialogue, run, seconds)
        end = (
            played.wrong.start
            + 1
            + sum(len(turn.printed) for turn in played.dialogue.turns[: played.wrong.turn])
        )
        is_same = output[:end] == played.dialogue.output[:end]
    return Trace.read(run.read_errors(), output, status, is_same, given)


class Tracing:
    """The traced runs of one program, for some seconds in all.

    So many `changes` to it are tried for the first fault, and half as many for each next one.
    """

    def __init__(self, play: Play, program: Program, seconds: float, changes: int) -> None:
        self._play = play
        self._given = program.given
        self._sources = Sources(folder_of(program))
        self._until = time.monotonic() + seconds
        self._changes = changes
        self._traces: dict[str, Trace | None] = {}
        self._mode = LINES
        self.is_late = False  # whether the time was over before the end

    def explain(
        self, diagnosis: Diagnosis, failed: Iterable[Played], passed: Iterable[Session]
    ) -> Diagnosis:
        """Return a diagnosis without what traces contradict, with the places for each fault."""
        number_of = Counter(name for fault in diagnosis.faults for name in fault.names)
        wrong = {one.session.name: one for one in failed}
        right = {one.name: Played(one, Dialogue()) for one in passed}
        self._trace_all(diagnosis.faults[:MOST_CAUSES], wrong, right)
        passing = [trace for trace in map(self._traces.get, right) if trace]
        alone = {name: one for name, one in wrong.items() if number_of[name] == 1}
        explained = replace(diagnosis, faults=[])
        looked_at: list[Line] = []
        reasons: dict[Raised, Fault] = {}
        for fault in diagnosis.faults:
            failing = self._failed(fault, alone)
            caught = caught_in(failing, self._sources)
            reason = reason_of(fault, caught, failing, passing, self._sources)
            if reason in reasons:  # one cause is told once
                told = reasons[reason]
                told.sessions += [
                    one for one in fault.sessions if one.session.name not in told.names
                ]
                continue
            if reason:
                fault = reasons[reason] = made_of(fault, reason, failing[0], self._sources)
            mistake = next((raised for raised in caught if raised.type in MISTAKES), None)
            places = where(
                fault.kind,
                failing,
                passing,
                self._sources,
                reason or mistake,
                looked_at,
                partial(self._try, fault, right),
            )
            explained.faults.append(replace(as_reading(fault, self._traces), places=places))
            looked_at += [
                Line(place.file, number)
                for place in places
                if place.why == RAN
                for number in range(place.first, place.last + 1)
            ]
        return explained

    def _trace_all(
        self, faults: Sequence[Fault], wrong: Mapping[str, Played], right: Mapping[str, Played]
    ) -> None:
        """Trace sessions that show each fault, and others, while there is time."""
        others = sorted((right or wrong).values(), key=lambda one: len(one.session.lines))
        for number in range(MOST_ROUNDS):
            for fault in faults:
                names = dict.fromkeys([fault.place.session.name, *fault.names])
                shown = [wrong[name] for name in names if name in wrong]
                for session in shown[number : number + 1]:
                    self._trace(session)
            if number and not any(self._traces.values()):
                break
            for session in others[number * EACH : (number + 1) * EACH]:
                self._trace(session)

    def _trace(self, session: Played) -> None:
        """Trace a session, if that has not been done; if it takes too long, without its lines."""
        name, tries = session.session.name, 0
        while name not in self._traces and self._until > time.monotonic():
            seconds = (self._until - time.monotonic()) * SHARE
            trace = self._play(
                session.session,
                ['-c', TRACER, self._mode],
                seconds,
                partial(play_traced, session, seconds=seconds, given=self._given),
            )
            if trace and trace.is_same:
                trace.is_whole &= self._mode == LINES
                self._traces[name] = trace
            elif trace and trace.status is not None and tries < TRIES - 1:
                tries += 1
            elif tries or self._mode == QUICK or any(self._traces.values()):
                self._traces[name] = None
            else:
                self._mode = QUICK
        self.is_late |= name not in self._traces or self._mode == QUICK

    def _try(
        self, fault: Fault, right: Mapping[str, Played], order: Sequence[Statement]
    ) -> Mapping[Statement, float]:
        """Return how well changes to statements make the sessions right that show a fault.

        In others, that are `right`, the changes must break nothing. Return nothing where sessions
        are played otherwise.
        """
        arguments = fault.place.session.arguments
        wrong = {one.session.name: one for one in [fault.place, *fault.sessions]}
        # Of those that answer alike, one is enough.
        unlike = {one.session.output: one for one in right.values()}
        failed, passed = (
            sorted(
                (one for one in some.values() if is_played(one.session, arguments)),
                key=lambda one: len(one.session.lines),
            )
            for some in (wrong, unlike)
        )
        until = self._until - (self._until - time.monotonic()) * (1 - SHARE)
        most, self._changes = self._changes, self._changes // 2

        def play_changed(run: Run) -> Mapping[Statement, float]:
            trials = Trials(run, self._sources, sorted({one.file for one in order}), until)
            return trials.values(failed, passed, order, most)

        with suppress(EOFError):
            if failed and order and most:
                return (
                    self._play(
                        fault.place.session, ['-c', CHANGES], until - time.monotonic(), play_changed
                    )
                    or {}
                )
        return {}

    def _failed(self, fault: Fault, alone: Mapping[str, Played]) -> list[Failed]:
        """Return the traced sessions that show a fault, the best one to show first.

        In those that are `alone` nothing else is wrong.
        """
        failed: dict[str, Failed] = {}
        for one in [fault.place, *fault.sessions]:
            name = one.session.name
            trace = self._traces.get(name)
            if trace and name not in failed:
                place = one if one is fault.place else alone.get(name)
                failed[name] = Failed(name, one.place.step, place, trace)
        return sorted(failed.values(), key=lambda one: not one.place)


def where(
    kind: Kind,
    failed: Sequence[Failed],
    passed: Sequence[Trace],
    sources: Sources,
    raised: Raised | None = None,
    before: Sequence[Line] = (),
    try_changes: Try = lambda order: {},
) -> list[Place]:
    """Return the places to look at for a fault of a kind that shows in some sessions, not in all.

    The first of the sessions that failed is the one in the report; without a place in it there are
    none at all. `raised` is an exception that was caught there. Lines to look at that are `before`,
    under other faults, give way to the next ones. `try_changes` says how well changes to statements
    fix the fault, if it has time for those that come first in an order.
    """
    if not failed or not failed[0].wrong or failed[0].wrong.file:
        return []
    named = named_by(failed[0], raised, sources)
    named += decided_by(failed[0], named, sources) if kind is CHECK else []
    told = {one for _, one in named}
    ran = sources.statements(failed[0].ran_so_far)
    focus = kind.points_to(traced_program(failed[0], ran, sources)) if kind.points_to else set()
    places = [(why, [one]) for why, one in named if why]
    # What prints a wrong text, or calls what does, and has it in it, is all that there is to see.
    if not (kind in (TEXT, TEXT_MISSING) and focus & told) and not failed[0].wrong.comes_late:
        scores = scores_of(
            kind,
            suspicions_of(failed, passed, sources),
            told,
            ran,
            focus,
            [one for one in map(sources.statement, failed[0].ran) if one],
        )
        most = add_changes(scores, ran, focus, try_changes)
        found = in_order(scores.keys() - told - sources.statements(before), scores)
        places += [(RAN, statements) for statements in places_of(found, told, most)]
    return [place_of(why, statements, failed, sources) for why, statements in places]


def named_by(
    session: Failed, raised: Raised | None, sources: Sources
) -> list[tuple[str, Statement]]:
    """Return the statements that a session names, and why.

    These printed the first wrong line, and called what did, or else read a line. The line of a
    crash has no reason to be named: it is in the report already. Nor has a call of `main()`.
    `raised` is raised and caught there.
    """
    lines: Iterable[Line] = session.readers[:1]
    whys = [READ]
    if session.write:
        lines, whys = session.write.lines, [PRINTED, CALLED]
    elif session.crash:
        lines, whys = dict.fromkeys(session.crash[:2]), ['', CALLED]
    named = [(RAISED, raised.line)] if raised else []
    named += zip(whys, lines, strict=False)
    return [
        ('' if why == CALLED and one.is_start else why, one)
        for why, line in named
        for one in sources.statements([line])
    ]


def decided_by(
    session: Failed, named: Iterable[tuple[str, Statement]], sources: Sources
) -> list[tuple[str, Statement]]:
    """Return the functions that decided whether the first wrong line was printed.

    These are in the conditions for that, or in what sets their names; if there are none, in what
    ran last before: it might have raised an exception. A function that only reads decides nothing.
    """
    printing = {one for why, one in named if why == PRINTED}
    functions = {one.within for one in printing}
    before = [
        one
        for one in map(sources.statement, session.ran)
        if one and one.within in functions and one not in printing
    ]
    deciders = printing.union(conditions_of(printing)).intersection(before)
    names = names_in(deciders or before[-1:])
    last_set = {name: one for one in before if deciders for name in one.sets}
    names |= names_in(last_set[name] for name in names & last_set.keys())
    found = [one for one in sources.known if one.keyword == 'def' and one.sets & names]
    others = {*found} - functions - {one.within for one in sources.statements(session.readers[:1])}
    return [(DECIDED, one) for one in sorted(others, key=attrgetter('file', 'first'))]


def traced_program(session: Failed, ran: set[Statement], sources: Sources) -> TracedProgram:
    """Return how a program ran in a session that shows a fault, for a kind of fault."""
    assert session.place
    step, end = session.steps[-1], session.write.start if session.write else 0
    before = [write for write in step.writes if write.end <= end][-1:]
    between = [
        line
        for line, printed in step.lines.items()
        for write in before
        if write.end <= printed <= end
    ]
    return TracedProgram(
        session.place.place,
        sources.known,
        ran,
        sources.statements(session.ran),
        sources.statements(session.write.lines if session.write else ()),
        sources.statements(line for write in before for line in write.lines),
        sources.statements(between),
        sources.statements(session.readers[:1]),
        sources.statements(session.readers),
        sources.statements(session.read_once),
        sources.text,
    )


def place_of(
    why: str, statements: Sequence[Statement], failed: Sequence[Failed], sources: Sources
) -> Place:
    """Return a place, with the sessions in which it ran."""
    file, first, last = statements[0].file, statements[0].first, statements[-1].last
    seen = [
        session.name
        for session in failed
        if session.ran_so_far.intersection(Line(file, number) for number in range(first, last + 1))
    ]
    start = max(1, first - AROUND)
    return Place(
        file,
        first,
        last,
        sources.text(file, first, last),
        why,
        tuple(seen or [failed[0].name]),
        start,
        sources.text(file, start, last + AROUND),
    )


def needed_by(wrong: Collection[Statement], ran: Iterable[Statement]) -> set[Statement]:
    """Return the statements, among those that ran, on which wrong ones depend directly.

    These decide whether a wrong statement runs, set one of its names, or stand in a function that
    it names.
    """
    names = names_in(wrong)
    deciders = {one for statement in wrong for one in statement.deciders}
    return deciders.union(
        statement
        for statement in ran
        if names & statement.sets or (statement.within and names & statement.within.sets)
    )


def suspicions_of(
    failed: Sequence[Failed], passed: Sequence[Trace], sources: Sources
) -> dict[Statement, float]:
    """Return how suspicious each statement is that ran where the output is wrong, at most 1.

    That is how much of what goes wrong it ran in, and how seldom it ran elsewhere: by Ochiai's
    measure. What ran in all steps is left out.
    """
    whole = [session for session in failed if session.is_whole]
    right = [step for session in whole for step in session.steps[:-1]]
    right += [step for trace in passed if trace.is_whole and whole for step in trace.steps]
    wrongly, rightly = (
        Counter(one for lines in steps for one in counted_in(lines, sources))
        for steps in ([session.ran for session in whole], [step.lines for step in right])
    )
    return {
        one: number / math.sqrt(len(whole) * (number + rightly[one]))
        for one, number in wrongly.items()
        if (number, rightly[one]) != (len(whole), len(right))
    }


def counted_in(lines: Iterable[Line], sources: Sources) -> set[Statement]:
    """Return the statements that count in a step: those that ran, and what set names for them.

    A statement at the start of a program, in no function and no block, that sets something counts
    in the steps that use it.
    """
    ran = {one for one in sources.statements(lines) if not one.is_setting}
    used = {name for one in ran for name in one.names}
    return ran.union(one for one in sources.settings if one.sets & used)


def scores_of(
    kind: Kind,
    suspicions: Mapping[Statement, float],
    told: Collection[Statement],
    ran: Collection[Statement],
    focus: Collection[Statement],
    last: Sequence[Statement],
) -> dict[Statement, float]:
    """Return how much speaks for each statement, most for the one to look at first.

    `told` are the statements that the report names, `ran` all that ran in a session, and `last`
    those of its last step, in their order; `focus` is what the kind of the fault says.
    """
    if kind is TEXT_AGAIN:  # what ran first is where the program should have stopped
        order = {one: -number for number, one in enumerate(last)}
        return {one: order.get(one, -len(last)) for one in focus}
    most = max(suspicions.values(), default=0)
    scores = defaultdict(
        float, {one: SUSPICION * suspicion / most for one, suspicion in suspicions.items()}
    )
    reached = {*told}
    for worth in NEEDED:
        needed = needed_by(reached, ran) - reached
        reached |= needed
        for one in needed:
            scores[one] += worth
    for one in focus:
        scores[one] += KIND
    lately = {
        one: number / len(last) for number, one in enumerate(last[::-1] if kind.is_early else last)
    }
    return {
        one: score + LATE * lately.get(one, 0) + SIZE * math.log(1 + one.size)
        for one, score in scores.items()
        if one.keyword not in SAYS_LITTLE
    }


def add_changes(
    scores: dict[Statement, float],
    ran: Collection[Statement],
    focus: Collection[Statement],
    try_changes: Try,
) -> int:
    """Add to the scores how well changes fix a fault; return how many lines are enough to tell.

    Statements are tried that ran, and what is around them: no line runs of `while True:`. Of a
    definition it is its defaults. If all is right with changes to few statements, few lines are
    enough. These count more, and so do those in the focus if there are few.
    """
    around = {one for each in ran for one in each.deciders}.union(ran)
    definitions = {one for one in around if one.keyword == 'def'}
    values = try_changes(
        in_order(definitions, scores)
        + in_order((one for one in around if one.keyword not in SAYS_LITTLE), scores)
    )
    sure = {one for one, value in values.items() if value == 1}
    for one, value in values.items():
        alike = sure & {*focus} if one in focus else sure
        scores[one] = scores.get(one, 0) + CHANGED * value / max(1, len(alike) / FEW_CHANGED)
    return FEW_LINES if 0 < len(sure) <= FEW_SURE else MOST_LINES


def in_order(some: Iterable[Statement], scores: Mapping[Statement, float]) -> list[Statement]:
    """Return some statements, those with the best scores first."""
    return sorted(some, key=lambda one: (-round(scores.get(one, 0), 9), one.file, one.first))


def places_of(
    statements: Sequence[Statement], told: Collection[Statement], most: int
) -> list[list[Statement]]:
    """Return the first of some statements as a few places: with those told, so many lines at most.

    Two places are one if their excerpts meet; the lines between them count. The first place may be
    a longer statement.
    """
    most -= sum(one.last - one.first + 1 for one in told)
    places: list[list[Statement]] = []
    for statement in statements:
        beside = [
            place
            for place in places
            if place[0].file == statement.file
            and statement.first - place[-1].last - 1 <= AROUND
            and place[0].first - statement.last - 1 <= AROUND
        ]
        place = sorted(
            [statement, *(one for place in beside for one in place)], key=lambda one: one.first
        )
        others = [place for place in places if place not in beside]
        lines = sum(one[-1].last - one[0].first + 1 for one in [*others, place])
        if len(others) < MOST_PLACES and lines <= (most if places else MOST_LINES):
            places = [*others, place]
    return sorted(places, key=lambda place: min(map(statements.index, place)))


def caught_in(failed: Sequence[Failed], sources: Sources) -> list[Raised]:
    """Return what is raised in each of some sessions, in the step that goes wrong.

    It is raised before the first wrong text is printed, and not on purpose. An exception that ends
    the program is a crash, and does not count.
    """
    if not all(one.is_whole and not one.crash for one in failed):
        return []
    statements = {
        raised: sources.statement(raised.line)
        for one in failed[:1]
        for raised in one.raised
        if all(raised in other.raised for other in failed)
    }
    return [
        raised
        for raised, statement in statements.items()
        if statement and statement.keyword not in ('raise', 'assert')
    ]


def reason_of(
    fault: Fault,
    caught: Iterable[Raised],
    failed: Sequence[Failed],
    passed: Iterable[Trace],
    sources: Sources,
) -> Raised | None:
    """Return the exception that certainly is the reason for a fault, or None.

    Faults of printing have other reasons.
    """
    if fault.id and fault.variant is None:
        return None
    steps = [step for session in failed for step in session.steps[:-1]]
    steps += [step for trace in passed if trace.is_whole for step in trace.steps]
    # The statements that printed the first wrong texts, where they are known.
    printers = [
        sources.statement(one.write.lines[0]) if one.write and one.write.lines else None
        for one in failed
    ]
    return next(
        (
            raised
            for raised in caught
            if is_reason(
                raised, [step for step in steps if raised in step.raised], printers, sources
            )
        ),
        None,
    )


def is_reason(
    raised: Raised,
    right: Collection[TracedStep],
    printers: Collection[Statement | None],
    sources: Sources,
) -> bool:
    """Return whether an exception, also raised in some right steps, is why a text is wrong."""
    if raised.type in MISTAKES:
        # A step is right only by accident if, after the exception, the statement that prints the
        # wrong text elsewhere prints what happens to be right.
        return len(right) <= len(printers) and all(
            any(
                sources.statement(line) in printers
                for write in step.writes
                if write.start >= step.raised[raised].printed
                for line in write.lines[:1]
            )
            for step in right
        )
    # Then the `except` clause prints that text.
    return not right and all(
        one and any(decider.keyword == 'except' for decider in one.deciders) for one in printers
    )


def made_of(fault: Fault, raised: Raised, session: Failed, sources: Sources) -> Fault:
    """Return what an exception makes of a fault: a name that a trace contradicts is dropped.

    `session` is one in which it is raised.
    """
    file, line = raised.line
    text, source = session.raised[raised].text, sources.text(file, line, line)
    article = 'an' if raised.type[0] in 'AEIOU' else 'a'
    quote = f': "{text}"' if text else ''
    hint = hint_for_crash(Crash(f'{raised.type}: {text}', file, line, source.strip()))
    meaning = f'{hint[0].upper()}{hint[1:]}. ' if hint else ''
    return replace(
        fault,
        id='',
        kind=OTHER,
        variant=None,
        sessions=[*fault.sessions],
        has_line=True,
        advice=f'{meaning}Fix this line. The except clause hides such mistakes: let it catch only '
        'what wrong input raises.',
        plain='raises an exception and catches it',
        sentence=f'raises {article} {raised.type} in {file}, line {line}, and catches it{quote}',
    )


def as_reading(fault: Fault, traces: Mapping[str, Trace | None]) -> Fault:
    """Return a missing flush as what it is, if the program reads on before it prints.

    `traces` are the runs, by the names of their sessions.
    """
    for one in fault.sessions if fault.id == NO_FLUSH.id else ():
        trace, due = traces.get(one.session.name), b''
        for number, step in enumerate(one.session.steps[:-1] if trace and trace.printed else ()):
            assert trace
            due += step.output.encode()
            # Who reads all at once, reads once.
            printed = trace.printed[min(number, len(trace.printed) - 1)]
            if trace.output.startswith(due) and printed < len(due):  # and it comes later
                known = READS_FIRST if trace.printed[0] == trace.printed[-1] else READS_EARLY
                return replace(
                    fault, id=known.id, sentence=known.sentence, plain='', advice=known.advice
                )
    return fault
