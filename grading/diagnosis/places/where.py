"""The places to look at for each fault: those that a traced run names, and those ranked first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from operator import attrgetter

from ...games.kinds import CHECK, TEXT, TEXT_MISSING, Kind
from ...games.traced_program import Statement, TracedProgram, conditions_of, names_in
from ...results import Place
from ...sessions.session import Session
from ...sessions.verdict import Dialogue, Played
from ..diagnose import Diagnosis
from ..finding import Fault
from .hidden_causes import MISTAKES, as_reading, caught_in, made_of, reason_of
from .ranking import (
    AROUND,
    MOST_LINES,
    Try,
    add_changes,
    in_order,
    places_of,
    scores_of,
    suspicions_of,
)
from .sources import Sources
from .trace import Failed, Line, Raised, Trace
from .tracing import TracedRuns

MOST_CAUSES = 10
PRINTED, CALLED, DECIDED = 'printed by', 'called by', 'decided by'
READ, RAN, RAISED = 'read by', 'ran', 'raised by'


def with_places(
    diagnosis: Diagnosis,
    runs: TracedRuns,
    failed: Iterable[Played],
    passed: Iterable[Session],
) -> Diagnosis:
    """Return a diagnosis with the places for each fault, leaving out what the traces contradict."""
    number_of = Counter(name for fault in diagnosis.faults for name in fault.names)
    wrong = {one.session.name: one for one in failed}
    right = {one.name: Played(one, Dialogue()) for one in passed}
    runs.trace_all(diagnosis.faults[:MOST_CAUSES], wrong, right)
    passing = [trace for trace in map(runs.traces.get, right) if trace]
    alone = {name: one for name, one in wrong.items() if number_of[name] == 1}
    explained = replace(diagnosis, faults=[])
    looked_at: list[Line] = []
    reasons: dict[Raised, Fault] = {}
    for fault in diagnosis.faults:
        failing = runs.failed(fault, alone)
        caught = caught_in(failing, runs.sources)
        reason = reason_of(fault, caught, failing, passing, runs.sources)
        if reason in reasons:  # report each cause only once
            same = reasons[reason]
            same.sessions += [one for one in fault.sessions if one.session.name not in same.names]
            continue
        if reason:
            fault = reasons[reason] = made_of(fault, reason, failing[0], runs.sources)
        mistake = next((raised for raised in caught if raised.type in MISTAKES), None)
        places = where(
            fault.kind,
            failing,
            passing,
            runs.sources,
            reason or mistake,
            looked_at,
            partial(runs.values_of_changes, fault, right),
        )
        explained.faults.append(replace(as_reading(fault, runs.traces), places=places))
        looked_at += [
            Line(place.file, number)
            for place in places
            if place.why == RAN
            for number in range(place.first, place.last + 1)
        ]
    return explained


def where(
    kind: Kind,
    failed: Sequence[Failed],
    passed: Sequence[Trace],
    sources: Sources,
    raised: Raised | None = None,
    before: Sequence[Line] = (),
    try_changes: Try = lambda order: {},
) -> list[Place]:
    """Return the places to look at for a fault that some sessions show and others do not.

    The report shows the first failed session; if it has no wrong line, there are no places.
    `raised` is an exception that the program caught there. Lines already reported for another fault
    (`before`) are left out. `try_changes` takes statements, most suspicious first, and returns how
    well changing each one fixes the fault, for as many as time allows.
    """
    if not failed or not failed[0].wrong or failed[0].wrong.file:
        return []
    named = named_by(failed[0], raised, sources)
    decided = decided_by(failed[0], named, sources) if kind.family is CHECK else []
    causes = {one for _, one in named}
    told = causes.union(one for _, one in decided)
    ran = sources.statements(failed[0].ran_so_far)
    focus = kind.points_to(traced_program(failed[0], ran, sources)) if kind.points_to else set()
    places = [(why, [one]) for why, one in [*named, *decided] if why]
    # If the wrong text is in the statement that printed it, or in its caller, no other places are
    # needed.
    if not (kind in (TEXT, TEXT_MISSING) and focus & told) and not failed[0].wrong.comes_late:
        scores = scores_of(
            kind,
            suspicions_of(failed, passed, sources),
            causes,
            ran,
            focus,
            [one for one in map(sources.statement, failed[0].ran) if one],
        )
        most = add_changes(scores, ran, focus, try_changes)
        found = in_order(scores.keys() - told - sources.statements(before), scores)
        most = min(MOST_LINES, most + len(decided))
        places += [(RAN, statements) for statements in places_of(found, told, most)]
    if kind.is_before_printing:  # what is wrong was decided before it was printed
        places.sort(key=lambda place: place[0] in (PRINTED, CALLED))
    return [place_of(why, statements, failed, sources) for why, statements in places]


def named_by(
    session: Failed, raised: Raised | None, sources: Sources
) -> list[tuple[str, Statement]]:
    """Return the statements that a session names, each with the reason.

    These are the statement that printed the first wrong line and the one that called its function,
    or else the one that read a line. The line of a crash is given no reason, because the report
    already shows it; nor is a call to `main()`. `raised` is an exception that the program caught.
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
    """Return how far the functions that decided whether to print the first wrong line got.

    A function that has checks and is called by one of these counts too. A function that reads
    input decides nothing.
    """
    printing = {one for why, one in named if why == PRINTED}
    ran = [one for one in map(sources.statement, session.ran) if one and one not in printing]
    passed = checks_with(sources.known) - checks_with(ran)
    deciding = functions_named(deciders_of(printing, ran), ran)
    called = functions_named([one for one in ran if one.within in deciding], ran)
    deciding |= called & {one.within for one in passed.intersection(ran)}
    deciding -= {one.within for one in printing | sources.statements(session.readers[:1])}
    reached = [
        after_checks([one for one in ran if one.within is each], passed) for each in deciding
    ]
    return [(DECIDED, one) for one in sorted(reached, key=attrgetter('file', 'first'))]


def deciders_of(printing: Collection[Statement], ran: Collection[Statement]) -> set[Statement]:
    """Return the statements that decided whether others printed, in the same functions.

    These are the conditions, and what last set a name in them. If there is no condition, it is
    whatever ran just before, since that might have raised an exception.
    """
    functions = {one.within for one in printing}
    before = [one for one in ran if one.within in functions]
    conditions = conditions_of(printing)
    # `while True:` ends where a `break` ran.
    conditions |= conditions_of(
        one for one in ran if one.keyword == 'break' and conditions.intersection(one.loops[:1])
    )
    conditions &= {*before}
    if not conditions:
        return {*before[-1:]}
    last_set = {name: one for one in before for name in one.sets}
    return conditions | {last_set[name] for name in names_in(conditions) & last_set.keys()}


def functions_named(some: Iterable[Statement], ran: Iterable[Statement]) -> set[Statement]:
    """Return the functions that ran and are named in some statements."""
    names = names_in(some)
    return {one.within for one in ran if one.within and one.within.sets & names}


def after_checks(body: Iterable[Statement], passed: Collection[Statement]) -> Statement:
    """Return the statement that follows the checks at the beginning of a function.

    `body` is what ran in the function, and `passed` are the checks that did not end it. A missing
    check belongs before this statement.
    """
    found, *rest = sorted(body, key=attrgetter('first'))
    outermost = [found, *(one for one in rest if one.column == found.column)]
    for one, following in pairwise(outermost):
        found = following if one in passed else found
    return found


def checks_with(some: Iterable[Statement]) -> set[Statement]:
    """Return the conditions around each of the given statements that ends a function."""
    around = [
        [decider for decider in one.deciders if decider.column < one.column]
        for one in some
        if one.keyword in ('return', 'raise')
    ]
    return {one for deciders in around for one in deciders[:1]}


def traced_program(session: Failed, ran: set[Statement], sources: Sources) -> TracedProgram:
    """Return the run of a failed session in the form that fault kinds inspect."""
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
    within = statements[0].within if why == DECIDED else None
    return Place(
        file,
        first,
        last,
        sources.text(file, first, last),
        why,
        tuple(seen or [failed[0].name]),
        start,
        sources.text(file, start, last + AROUND),
        within.name if within else '',
    )
