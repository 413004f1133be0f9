"""Finds the places to look at for each fault: named places, and the most suspicious statements.

A named place is a statement identified by a run of the program, such as the one that printed the
wrong line. All other statements are ranked by how suspicious they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from operator import attrgetter

from ...games.fault_kinds import CHECK, OTHER, TEXT, TEXT_MISSING, Kind
from ...games.traced_program import Statement, TracedProgram, conditions_of, names_in
from ...results import Place
from ...sessions.session import Session
from ...sessions.verdict import Dialogue, PlayedSession
from ..diagnose import Diagnosis
from ..finding import Fault
from .hidden_causes import (
    MISTAKES,
    as_early_reading,
    because_of_copy,
    caught_in,
    caused_by,
    reason_of,
)
from .ranking import (
    AROUND,
    MAX_LINES,
    TryChanges,
    add_effects,
    fixed_by_deep_copy,
    in_order,
    places_of,
    scores_of,
    suspicions_of,
    to_change,
)
from .sources import Sources
from .trace import FailedRun, Line, RaisedException, Trace
from .tracing import TracedRuns

MAX_FAULTS = 10  # maximum number of faults to trace runs for
# Why a report names a statement, in the words of the report.
PRINTED, CALLED, DECIDED = 'printed by', 'called by', 'decided by'
READ, ENDED, RAN, RAISED, COPIED = 'read by', 'ends after', 'ran', 'raised by', 'copied by'


def with_places(
    diagnosis: Diagnosis,
    runs: TracedRuns,
    failed: Iterable[PlayedSession],
    passed: Iterable[Session],
) -> Diagnosis:
    """Return a diagnosis with the places for each fault.

    If a caught exception causes one or more faults, a single unnamed fault replaces them. A run may
    also show that a fault needs other advice (see `because_of_copy` and `as_early_reading`).
    """
    number_of = Counter(name for fault in diagnosis.faults for name in fault.names)
    wrong = {played.session.name: played for played in failed}
    right = {session.name: PlayedSession(session, Dialogue()) for session in passed}
    runs.trace_all(diagnosis.faults[:MAX_FAULTS], wrong, right)
    passing = [trace for trace in map(runs.traces.get, right) if trace]
    alone = {name: played for name, played in wrong.items() if number_of[name] == 1}
    explained = replace(diagnosis, faults=[])
    looked_at: list[Line] = []
    reasons: dict[RaisedException, Fault] = {}
    for fault in diagnosis.faults:
        failing = runs.failed(fault, alone)
        caught = caught_in(failing, runs.sources)
        reason = reason_of(fault, caught, failing, passing, runs.sources)
        if reason in reasons:  # report each cause only once
            same = reasons[reason]
            same.sessions += [
                played for played in fault.sessions if played.session.name not in same.names
            ]
            continue
        if reason:
            fault = reasons[reason] = caused_by(fault, reason, failing[0], runs.sources)
        mistake = next((raised for raised in caught if raised.type in MISTAKES), None)
        places = where(
            fault.kind,
            failing,
            passing,
            runs.sources,
            reason or mistake,
            looked_at,
            partial(runs.effects_of_changes, fault, right),
        )
        copying = next((place for place in places if place.why == COPIED), None)
        if copying:
            fault = because_of_copy(fault, copying)
        explained.faults.append(replace(as_early_reading(fault, runs.traces), places=places))
        looked_at += [
            Line(place.file, number)
            for place in places
            if place.why in (RAN, COPIED)
            for number in range(place.first, place.last + 1)
        ]
    return explained


def where(
    kind: Kind,
    failed: Sequence[FailedRun],
    passed: Sequence[Trace],
    sources: Sources,
    raised: RaisedException | None = None,
    before: Sequence[Line] = (),
    try_changes: TryChanges = lambda order: {},
) -> list[Place]:
    """Return the places to look at for a fault, from runs with the fault and passed runs.

    `failed` are the runs with the fault, the run of the reported session first. Return [] if there
    are none, if it is unknown what is wrong in the first, or if only a file is wrong there.
    `raised` is an exception caught by the program in these runs. `before` are lines to leave out of
    the ranking, because the report shows them for an earlier fault. `try_changes` tries changes to
    statements, the most suspicious first.
    """
    run = failed[0] if failed else None
    if not run or not run.wrong or run.wrong.file:
        return []
    named = named_by(run, raised, sources)
    decided = decided_by(run, named, sources) if kind.family is CHECK else []
    causes = {statement for _, statement in named}
    reported = causes.union(statement for _, statement in decided)
    ran = sources.statements(run.ran_so_far)
    focus = kind.points_to(traced_program(run, ran, sources)) if kind.points_to else set()
    helpers = helpers_in(sources.known)
    focus |= ended_loops(run, sources) | ends_of_recursion(run, sources)
    focus |= {helper for helper in helpers.values() if helper.keyword == 'pass'} & ran
    # If one of the first two steps is wrong, the input so far probably sets up the game.
    if kind is OTHER and len(run.steps) <= 2:
        focus |= sources.statements(run.readers)
    places = [(why, [statement]) for why, statement in [*named, *decided] if why]
    # Rank no statements if the wrong text is a literal in an already reported statement, or if the
    # output is only late.
    is_literal_reported = kind in (TEXT, TEXT_MISSING) and not focus.isdisjoint(reported)
    if not is_literal_reported and not run.wrong.comes_late:
        wrong_step = [statement for statement in map(sources.statement, run.ran) if statement]
        suspicions = suspicions_of(failed, passed, sources)
        scores = scores_of(kind, suspicions, causes, ran, focus, wrong_step)
        effects = try_changes(to_change(ran, scores))
        most = add_effects(scores, effects, focus)
        found = in_order(scores.keys() - reported - sources.statements(before), scores)
        fixed = fixed_by_deep_copy(effects)
        copying = [statement for statement in found if statement in fixed][:1]
        if copying:
            places.append((COPIED, copying))
            reported.update(copying)
        suspected = {*focus}
        if kind.concerns_moves:
            suspected.update(
                statement for statement in found if statement.keyword in ('if', 'while')
            )
        found = with_helpers(found, suspected, helpers, reported)
        # If only a few lines are to be shown, the statements in `decided` come on top of them.
        most = min(MAX_LINES, most + len(decided))
        places += [(RAN, statements) for statements in places_of(found, reported, most)]
    if kind.concerns_moves:  # show the decision before the statement printing it
        places.sort(key=lambda place: place[0] in (PRINTED, CALLED))
    return [place_of(why, statements, failed, sources) for why, statements in places]


def named_by(
    run: FailedRun, raised: RaisedException | None, sources: Sources
) -> list[tuple[str, Statement]]:
    """Return the statements identified by a failed run, each with the reason.

    If there is a caught exception (`raised`), they include the statement that raised it. The others
    depend on what is known:

    - The statement printing the wrong output, and the call of its function. If the output was late,
      also the statement reading the last line of input before it.
    - Otherwise, the statement of a crash, and the call of its function.
    - Otherwise, the statement printing the last line before an early end, and the call of its
      function.
    - Otherwise, the statement reading the last line of input.

    The reason is '' for the line of a crash, because the report shows it as a crash, and for the
    call of `main()`.
    """
    named = [(RAISED, raised.line)] if raised else []
    reading = [(READ, line) for line in run.readers[:1]]
    if run.write:
        named += zip((PRINTED, CALLED), run.write.lines, strict=False)
        named += reading if run.wrong and run.wrong.comes_late else []
    elif run.crash:
        named += zip(('', CALLED), dict.fromkeys(run.crash[:2]), strict=False)
    elif run.last_write:
        named += zip((ENDED, CALLED), run.last_write.lines, strict=False)
    else:
        named += reading
    return [
        ('' if why == CALLED and statement.is_start else why, statement)
        for why, line in named
        for statement in sources.statements([line])
    ]


def ends_of_recursion(run: FailedRun, sources: Sources) -> set[Statement]:
    """Return the conditions and loops in recursive functions that crashed.

    One of them should have ended the recursion.
    """
    crashed = functions_around(sources.statements(run.crash[:2]))
    recursive = {function for function in crashed if function and function.is_recursive}
    return {
        decider
        for statement in sources.known
        if statement.within in recursive
        for decider in statement.deciders
    }


def ended_loops(run: FailedRun, sources: Sources) -> set[Statement]:
    """Return the loops around the last read of input: they may have ended too early.

    Leave out `while True`. Return an empty set unless the program ended early and did not crash; in
    a crash, no loop ended.
    """
    if run.crash or not run.wrong or run.wrong.kind != 'ended':
        return set()
    return {
        loop
        for statement in sources.statements(run.readers)
        for loop in statement.loops
        if loop.names
    }


def helpers_in(known: Iterable[Statement]) -> dict[str, Statement]:
    """Return the statement of each single-statement function, by the function's name.

    Include only a `pass`, or a `return` with several names, such as a check whether a cell is on
    the board.
    """
    bodies: dict[Statement, list[Statement]] = {}
    for statement in known:
        is_docstring = not (statement.keyword or statement.names)
        if statement.within and not is_docstring:
            bodies.setdefault(statement.within, []).append(statement)
    return {
        function.name: body[0]
        for function, body in bodies.items()
        if len(body) == 1
        and (
            body[0].keyword == 'pass'
            or (body[0].keyword == 'return' and len(body[0].names - {'self'}) > 1)
        )
    }


def with_helpers(
    found: Iterable[Statement],
    suspected: Collection[Statement],
    helpers: Mapping[str, Statement],
    reported: Collection[Statement],
) -> list[Statement]:
    """Return the statements; after each suspected statement, insert the helpers it calls.

    Leave out the `reported` statements, because the report names them already.
    """
    order = []
    for statement in found:
        order.append(statement)
        if statement in suspected:
            order += [helpers[name] for name in sorted(statement.names & helpers.keys())]
    return [statement for statement in dict.fromkeys(order) if statement not in reported]


def decided_by(
    run: FailedRun, named: Iterable[tuple[str, Statement]], sources: Sources
) -> list[tuple[str, Statement]]:
    """Return statements that may lack a check before them, each with the reason.

    Each belongs to a function that decided what to print, and follows its last check. If the
    function reads input, its first call of another function is returned instead.

    For example, if `if is_valid(move):` decides whether to print, `is_valid` decided what to print.
    A function called by `is_valid` also decided, if one of its own checks ran and let the program
    go on.
    """
    printing = {statement for why, statement in named if why == PRINTED}
    statements = map(sources.statement, run.ran)
    ran = [statement for statement in statements if statement and statement not in printing]
    passed = checks_in(sources.known) - checks_in(ran)
    deciding = functions_named(deciders_of(printing, ran), ran)
    called = functions_named([statement for statement in ran if statement.within in deciding], ran)
    deciding |= called & functions_around(passed.intersection(ran))
    deciding -= functions_around(printing)
    reading = functions_around(sources.statements(run.readers[:1]))
    found = []
    for function in deciding:
        body = [statement for statement in ran if statement.within is function]
        found += calls_in(body, ran)[:1] if function in reading else [after_checks(body, passed)]
    return [(DECIDED, statement) for statement in sorted(found, key=attrgetter('file', 'first'))]


def functions_around(statements: Iterable[Statement]) -> set[Statement | None]:
    """Return the innermost functions around these statements; None is the top level of a file."""
    return {statement.within for statement in statements}


def deciders_of(printing: Collection[Statement], ran: Collection[Statement]) -> set[Statement]:
    """Return the statements that decided whether `printing` ran, in the same functions.

    These are the conditions, and the last statements to set the names in them. If there is no
    condition, return the last statement executed there, because it could have raised an exception
    instead.
    """
    functions = functions_around(printing)
    before = [statement for statement in ran if statement.within in functions]
    conditions = conditions_of(printing)
    # If a `break` ended the loop, the condition around the `break` decided.
    conditions |= conditions_of(
        statement
        for statement in ran
        if statement.keyword == 'break' and conditions.intersection(statement.loops[:1])
    )
    conditions &= {*before}
    if not conditions:
        return {*before[-1:]}
    last_set = {name: statement for statement in before for name in statement.sets}
    return conditions | {last_set[name] for name in names_in(conditions) & last_set.keys()}


def functions_named(statements: Iterable[Statement], ran: Iterable[Statement]) -> set[Statement]:
    """Return the functions named by these statements, except functions that did not run."""
    names = names_in(statements)
    return {function for function in functions_around(ran) if function and function.sets & names}


def calls_in(body: Iterable[Statement], ran: Collection[Statement]) -> list[Statement]:
    """Return the statements of `body` with calls of executed functions, from top to bottom."""
    calls = [statement for statement in body if functions_named([statement], ran)]
    return sorted(calls, key=attrgetter('first'))


def after_checks(body: Iterable[Statement], passed: Collection[Statement]) -> Statement:
    """Return the statement after the last check of a function, or else its first statement.

    A missing check belongs before this statement. `body` are the executed statements of the
    function, and `passed` are the checks that did not end it. Checks within other blocks of the
    function do not count.
    """
    first, *rest = sorted(body, key=attrgetter('first'))
    outermost = [first, *(statement for statement in rest if statement.column == first.column)]
    found = first
    for statement, following in pairwise(outermost):
        if statement in passed:
            found = following
    return found


def checks_in(statements: Iterable[Statement]) -> set[Statement]:
    """Return the innermost condition around each `return` and `raise` among these statements."""
    checks = set()
    for statement in statements:
        if statement.keyword in ('return', 'raise'):
            around = [
                decider for decider in statement.deciders if decider.column < statement.column
            ]
            checks.update(around[:1])
    return checks


def traced_program(run: FailedRun, ran: set[Statement], sources: Sources) -> TracedProgram:
    """Return a failed run in the form needed by the kinds of faults."""
    assert run.played
    step, end = run.steps[-1], run.write.start if run.write else 0
    writes = [write for write in step.writes if write.end <= end]
    before = writes[-1] if writes else None  # the last write before the wrong output
    between = [
        line for line, printed in step.lines.items() if before and before.end <= printed <= end
    ]
    return TracedProgram(
        wrong=run.played.wrong_line,
        known=sources.known,
        ran=ran,
        ran_in_last_step=sources.statements(run.ran),
        printed_wrong=sources.statements(run.write.lines if run.write else ()),
        printed_before=sources.statements(before.lines if before else ()),
        ran_between=sources.statements(between),
        read_last=sources.statements(run.readers[:1]),
        read_last_stack=sources.statements(run.readers),
        read_once=sources.statements(run.read_once),
        source=sources.text,
    )


def place_of(
    why: str, statements: Sequence[Statement], failed: Sequence[FailedRun], sources: Sources
) -> Place:
    """Return the place of some neighboring statements, with the sessions in which they ran."""
    file, first, last = statements[0].file, statements[0].first, statements[-1].last
    seen = [
        run.name
        for run in failed
        if run.ran_so_far.intersection(Line(file, number) for number in range(first, last + 1))
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
