"""Ranks the statements of a program by how likely they are to cause a fault.

Ochiai's measure ranks each executed statement by how often it ran in wrong and in correct steps
(Rui Abreu, Peter Zoeteweij and Arjan J. C. van Gemund, "On the Accuracy of Spectrum-based Fault
Localization", TAIC PART 2007). Many statements tie, so further evidence is added: whether the wrong
output depends on the statement (a slice of the run: Mark Weiser, "Program Slicing", ICSE 1981),
whether the kind of the fault points to the statement, how late it ran, and whether changing it
makes the output correct. The evidence about three statements might be:

    statement               Ochiai    needed    kind    late    changed       sum

    if row < 0:              5.0       1.5       4.0     0.6      0.0        11.1
    flips = []               2.9       1.0       0.0     0.4     10.0        14.3    comes first
    print(board)             1.7       0.0       0.0     1.0      0.0         2.7

The score of a statement is this sum, plus a small bonus if the statement is long.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from ...games.fault_kinds import TEXT_AGAIN, Kind
from ...games.traced_program import Statement, names_in
from .sources import Sources
from .trace import FailedRun, Line, Trace
from .trials import Effect

# Points for a statement's score, found by experiment. Similar numbers would work just as well.
SUSPICION = 5.0  # for the most suspicious statement; for others, a share of it
# For the last statement before the wrong output; for earlier statements of the step, a share of it.
# If the fault's kind `is_early`, for the first statement of the step.
LATE = 1.0
# If the wrong output depends on it: directly, through one statement, and so on.
NEEDED = 1.5, 1.0, 1.0, 1.0, 1.0
KIND = 4.0  # if the kind of the fault points to it
CHANGED = 10.0  # if some change to it is a fix, that is, makes all output correct
FULL_FIXES = 4  # up to 4 fixes get all of these points; more fixes share 4 * CHANGED points
SIZE = 0.2  # multiplied by the logarithm of 1 + the number of expressions in the statement
# Keywords of statements that are seldom to blame: most only open a block, define a name, or run
# after something went wrong.
SELDOM_WRONG = 'class', 'def', 'except', 'from', 'global', 'import', 'nonlocal', 'try'
# What the report on a fault shows.
MAX_PLACES = 3  # maximum number of places from this ranking; the report may show others besides
MAX_LINES = 10  # maximum total number of lines in the places a report shows; see `places_of`
FEWER_LINES = 6  # the same if there are fixes, but only a few
FEW_FIXES = 3  # this many fixes or fewer count as a few
AROUND = 2  # lines of context to show before and after a place
# Tries changes to statements, in the given order, until time is up, and returns the effect of the
# best change to each statement.
TryChanges = Callable[[Sequence[Statement]], Mapping[Statement, Effect]]


def scores_of(
    kind: Kind,
    suspicions: Mapping[Statement, float],
    causes: Collection[Statement],
    ran: Collection[Statement],
    focus: Collection[Statement],
    wrong_step: Sequence[Statement],
) -> dict[Statement, float]:
    """Return a score for each statement; the author should look first where the score is highest.

    `causes` contains the statements identified by the run, such as the one that printed the wrong
    line; whatever they depend on counts as needed. `ran` contains all statements executed before
    the end of the wrong step. `focus` contains the statements the kind of the fault points to.
    `wrong_step` contains the statements executed in the wrong step before the wrong output, in the
    order in which they first ran.
    """
    if kind is TEXT_AGAIN:  # the program should have stopped before the first statement in focus
        positions = {statement: number for number, statement in enumerate(wrong_step)}
        return {statement: -positions.get(statement, len(wrong_step)) for statement in focus}
    scores = defaultdict[Statement, float](float)
    highest = max(suspicions.values(), default=0)
    for statement, suspicion in suspicions.items():
        scores[statement] = SUSPICION * suspicion / highest
    reached = {*causes}
    for points in NEEDED:
        needed = needed_by(reached, ran) - reached
        reached |= needed
        for statement in needed:
            scores[statement] += points
    for statement in focus:
        scores[statement] += KIND
    by_lateness = wrong_step[::-1] if kind.is_early else wrong_step
    lateness = {
        statement: number / len(wrong_step) for number, statement in enumerate(by_lateness, 1)
    }
    return {
        statement: score + LATE * lateness.get(statement, 0) + SIZE * math.log(1 + statement.size)
        for statement, score in scores.items()
        if statement.keyword not in SELDOM_WRONG and '__name__' not in statement.names
    }


def suspicions_of(
    failed: Sequence[FailedRun], passed: Sequence[Trace], sources: Sources
) -> dict[Statement, float]:
    """Return how suspicious each statement of the wrong steps is, from 0 to 1.

    Ochiai's measure is high if the statement ran in many wrong steps and in few correct steps.
    Leave out statements that ran in every step.
    """
    complete = [run for run in failed if run.is_whole]
    if not complete:
        return {}
    correct = [step for run in complete for step in run.steps[:-1]]
    correct += [step for trace in passed if trace.is_whole for step in trace.steps]

    def times_counted(steps: Iterable[Iterable[Line]]) -> Counter[Statement]:
        return Counter(statement for lines in steps for statement in counted_in(lines, sources))

    times_in_wrong = times_counted(run.ran for run in complete)
    times_in_correct = times_counted(step.lines for step in correct)
    suspicions = {}
    for statement, in_wrong in times_in_wrong.items():
        in_correct = times_in_correct[statement]
        if in_wrong < len(complete) or in_correct < len(correct):
            times_run = in_wrong + in_correct
            suspicions[statement] = in_wrong / math.sqrt(len(complete) * times_run)
    return suspicions


def counted_in(lines: Iterable[Line], sources: Sources) -> set[Statement]:
    """Return the statements that count as run in a step, given its executed lines.

    A statement that sets a global at the top level of a file runs only once. It counts in every
    step that uses the global rather than in the step in which it ran.
    """
    ran = {statement for statement in sources.statements(lines) if not statement.is_setting}
    used = {name for statement in ran for name in statement.names}
    return ran.union(statement for statement in sources.settings if statement.sets & used)


def needed_by(statements: Collection[Statement], ran: Iterable[Statement]) -> set[Statement]:
    """Return what directly affects any of these statements.

    These are their deciders, and the statements in `ran` that set a name they use or belong to a
    function they name.
    """
    names = names_in(statements)
    needed = {decider for statement in statements for decider in statement.deciders}
    for statement in ran:
        function = statement.within
        if names & statement.sets or (function and names & function.sets):
            needed.add(statement)
    return needed


def to_change(ran: Collection[Statement], scores: Mapping[Statement, float]) -> list[Statement]:
    """Return the statements to change, the most suspicious first.

    The deciders of statements in `ran` are included, because the tracer never sees `while True:`
    run. Definitions come first; the only change to a definition is to copy a mutable default value
    in each call.
    """
    candidates = {decider for statement in ran for decider in statement.deciders}.union(ran)
    definitions = {statement for statement in candidates if statement.keyword == 'def'}
    others = {statement for statement in candidates if statement.keyword not in SELDOM_WRONG}
    return in_order(definitions, scores) + in_order(others, scores)


def add_effects(
    scores: dict[Statement, float],
    effects: Mapping[Statement, Effect],
    focus: Collection[Statement],
) -> int:
    """Raise the scores where a change helps; return how many lines to report.

    If there are many fixes, each counts for less. For a statement in focus, only the number of
    fixes in focus matters. If there are only a few fixes, a short report is enough.
    """
    fixes = {statement for statement, effect in effects.items() if effect.value == 1}
    fixes_in_focus = fixes.intersection(focus)
    for statement, effect in effects.items():
        number = len(fixes_in_focus if statement in focus else fixes)
        points = CHANGED if number <= FULL_FIXES else CHANGED * FULL_FIXES / number
        scores[statement] = scores.get(statement, 0) + points * effect.value
    return FEWER_LINES if 0 < len(fixes) <= FEW_FIXES else MAX_LINES


def fixed_by_deep_copy(effects: Mapping[Statement, Effect]) -> set[Statement]:
    """Return the statements where a deep copy instead of a shallow one makes all output correct."""
    return {statement for statement, effect in effects.items() if effect == Effect(1, is_deep=True)}


def in_order(statements: Iterable[Statement], scores: Mapping[Statement, float]) -> list[Statement]:
    """Return the statements sorted by score, the highest first."""
    return sorted(
        statements,
        key=lambda statement: (
            -round(scores.get(statement, 0), 9),
            statement.file,
            statement.first,
        ),
    )


def places_of(
    statements: Sequence[Statement], reported: Collection[Statement], most: int
) -> list[list[Statement]]:
    """Group the most suspicious statements into a few places, the most suspicious place first.

    `statements` are sorted, the most suspicious first. Leave out any statement that would bring the
    places and the `reported` statements to more than `most` lines in total. This limit does not
    apply to the first statement: it may have up to `MAX_LINES` lines. Places with at most `AROUND`
    lines between them become one place, including those lines.
    """
    left = most - sum(statement.last - statement.first + 1 for statement in reported)
    places: list[list[Statement]] = []
    for statement in statements:
        near = [place for place in places if is_near(statement, place)]
        merged = sorted([statement, *chain(*near)], key=attrgetter('first'))
        others = [place for place in places if place not in near]
        lines = sum(place[-1].last - place[0].first + 1 for place in [*others, merged])
        most_lines = left if places else MAX_LINES
        if len(others) < MAX_PLACES and lines <= most_lines:
            places = [*others, merged]
    rank = {statement: number for number, statement in enumerate(statements)}
    return sorted(places, key=lambda place: min(rank[statement] for statement in place))


def is_near(statement: Statement, place: Sequence[Statement]) -> bool:
    """Return whether there are at most `AROUND` lines between a statement and a place."""
    return (
        statement.file == place[0].file
        and statement.first - place[-1].last - 1 <= AROUND
        and place[0].first - statement.last - 1 <= AROUND
    )
