"""Ranks the statements that ran in steps with wrong output, most suspicious first.

Ochiai's measure ranks them by how often they ran in wrong and in correct steps of a session (Rui
Abreu, Peter Zoeteweij and Arjan J. C. van Gemund, "On the Accuracy of Spectrum-based Fault
Localization", TAIC PART 2007). Many statements tie, so further evidence is added: whether the wrong
output depends on the statement (a slice of the run: Mark Weiser, "Program Slicing", ICSE 1981),
whether the kind of the fault points to the statement, how late it ran, and whether changing it
makes the output correct. Long statements get a small bonus. The scores of three statements might
be:

    statement               Ochiai    needed    kind    last    changed       sum

    if row < 0:              5.0       1.5       4.0     0.6      0.0        11.1
    flips = []               2.9       1.0       0.0     0.4     10.0        14.3    comes first
    print(board)             1.7       0.0       0.0     1.0      0.0         2.7
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter

from ...games.kinds import TEXT_AGAIN, Kind
from ...games.traced_program import Statement, names_in
from .sources import Sources
from .trace import FailedRun, Line, Trace
from .trials import Effect

MOST_LINES = 10  # maximum number of lines of code in the report on a fault
FEW_LINES = 6  # the same if changes to only a few statements make all output correct
FEW_SURE = 3  # up to this many statements count as a few
MOST_PLACES = 3  # maximum number of places in the report on a fault
AROUND = 2  # lines of context to show before and after a place
# The points that are added to a statement's score, found by experiment. Similar numbers would work
# as well. The first two are for a single statement; other statements get proportionally less.
SUSPICION = 5.0  # for the most suspicious statement
LATE = 1.0  # for the last statement before the wrong output (the first if `is_early`)
NEEDED = 1.5, 1.0, 1.0, 1.0, 1.0  # for a statement that the wrong output depends on, by distance
KIND = 4.0  # for a statement that the kind of the fault points to
CHANGED = 10.0  # for a statement if changing it makes all output correct
FEW_CHANGED = 4  # if there are more such statements than this, they share FEW_CHANGED * CHANGED
SIZE = 0.2  # multiplied by the logarithm of the number of expressions in the statement
# Keywords of statements that are seldom to blame: most only open a block, define a name, or run
# after something went wrong.
SELDOM_WRONG = ':', 'class', 'def', 'except', 'from', 'global', 'import', 'nonlocal', 'try'
# A function that tries changes to statements, in the given order, until time is up. It returns the
# effect of the best change to each statement.
Try = Callable[[Sequence[Statement]], Mapping[Statement, Effect]]


def scores_of(
    kind: Kind,
    suspicions: Mapping[Statement, float],
    reported: Collection[Statement],
    ran: Collection[Statement],
    focus: Collection[Statement],
    last: Sequence[Statement],
) -> dict[Statement, float]:
    """Return a score for each statement; the author should look first where the score is highest.

    `reported` are the statements that the report names anyway. `ran` are all statements that ran in
    a failed run; `last` are those that ran in the step that went wrong, in order. `focus` are the
    statements that the kind of the fault points to.
    """
    if kind is TEXT_AGAIN:  # the program should have stopped before the first statement in focus
        order = {statement: -number for number, statement in enumerate(last)}
        return {statement: order.get(statement, -len(last)) for statement in focus}
    most = max(suspicions.values(), default=0)
    scores = defaultdict(
        float,
        {statement: SUSPICION * suspicion / most for statement, suspicion in suspicions.items()},
    )
    reached = {*reported}
    for worth in NEEDED:
        needed = needed_by(reached, ran) - reached
        reached |= needed
        for statement in needed:
            scores[statement] += worth
    for statement in focus:
        scores[statement] += KIND
    lately = {
        statement: number / len(last)
        for number, statement in enumerate(last[::-1] if kind.is_early else last)
    }
    return {
        statement: score + LATE * lately.get(statement, 0) + SIZE * math.log(1 + statement.size)
        for statement, score in scores.items()
        if statement.keyword not in SELDOM_WRONG and '__name__' not in statement.names
    }


def suspicions_of(
    failed: Sequence[FailedRun], passed: Sequence[Trace], sources: Sources
) -> dict[Statement, float]:
    """Return the suspicion of each statement that ran in a step with wrong output, from 0 to 1.

    Ochiai's measure is high if the statement ran in many wrong steps and in few correct steps.
    Leave out statements that ran in every step.
    """
    whole = [run for run in failed if run.is_whole]
    right = [step for run in whole for step in run.steps[:-1]]
    right += [step for trace in passed if trace.is_whole and whole for step in trace.steps]

    def times_counted(steps: Iterable[Iterable[Line]]) -> Counter[Statement]:
        return Counter(statement for lines in steps for statement in counted_in(lines, sources))

    wrongly = times_counted(run.ran for run in whole)
    rightly = times_counted(step.lines for step in right)
    return {
        statement: number / math.sqrt(len(whole) * (number + rightly[statement]))
        for statement, number in wrongly.items()
        if (number, rightly[statement]) != (len(whole), len(right))
    }


def counted_in(lines: Iterable[Line], sources: Sources) -> set[Statement]:
    """Return the statements that count as run in a step.

    A statement that sets a global at the top of a file runs only once, but counts as run in each
    step that uses the global.
    """
    ran = {statement for statement in sources.statements(lines) if not statement.is_setting}
    used = {name for statement in ran for name in statement.names}
    return ran.union(statement for statement in sources.settings if statement.sets & used)


def needed_by(some: Collection[Statement], ran: Iterable[Statement]) -> set[Statement]:
    """Return the statements that directly affect any of these statements.

    They are the deciders of `some`, and those statements in `ran` that set a name used in `some`,
    or belong to a function named there.
    """
    names = names_in(some)
    deciders = {decider for statement in some for decider in statement.deciders}
    return deciders.union(
        statement
        for statement in ran
        if names & statement.sets or (statement.within and names & statement.within.sets)
    )


def to_change(ran: Collection[Statement], scores: Mapping[Statement, float]) -> list[Statement]:
    """Return the statements to change, the most suspicious first.

    The deciders of the statements that ran are included, because the tracer never sees `while
    True:` run. Definitions come first; in a definition, only the default values are changed.
    """
    around = {decider for statement in ran for decider in statement.deciders}.union(ran)
    definitions = {statement for statement in around if statement.keyword == 'def'}
    return in_order(definitions, scores) + in_order(
        (statement for statement in around if statement.keyword not in SELDOM_WRONG), scores
    )


def add_effects(
    scores: dict[Statement, float],
    effects: Mapping[Statement, Effect],
    focus: Collection[Statement],
) -> int:
    """Raise the scores where a change helps; return the maximum number of lines to report.

    If changes to only a few statements make all output correct, a short report is enough, and each
    of these statements gets more points. A statement in focus shares its points only with other
    statements in focus.
    """
    sure = {statement for statement, effect in effects.items() if effect.value == 1}
    for statement, (value, _) in effects.items():
        alike = sure & {*focus} if statement in focus else sure
        most_points = CHANGED / max(1, len(alike) / FEW_CHANGED)
        scores[statement] = scores.get(statement, 0) + most_points * value
    return FEW_LINES if 0 < len(sure) <= FEW_SURE else MOST_LINES


def shallow_copies(effects: Mapping[Statement, Effect]) -> set[Statement]:
    """Return the statements whose shallow copy causes the fault: a deep copy fixes it."""
    deep = Effect(1, is_deep=True)
    return {statement for statement, effect in effects.items() if effect == deep}


def in_order(some: Iterable[Statement], scores: Mapping[Statement, float]) -> list[Statement]:
    """Return statements sorted by score, the highest first."""
    return sorted(
        some,
        key=lambda statement: (
            -round(scores.get(statement, 0), 9),
            statement.file,
            statement.first,
        ),
    )


def places_of(
    statements: Sequence[Statement], reported: Collection[Statement], most: int
) -> list[list[Statement]]:
    """Group the most suspicious statements into a few places.

    `statements` are sorted, the most suspicious first. In all, the places and the `reported`
    statements have at most `most` lines, but the first place may have up to `MOST_LINES`. Places
    with at most `AROUND` lines between them become one place, which includes those lines.
    """
    most -= sum(statement.last - statement.first + 1 for statement in reported)
    places: list[list[Statement]] = []
    for statement in statements:
        beside = [
            place
            for place in places
            if place[0].file == statement.file
            and statement.first - place[-1].last - 1 <= AROUND
            and place[0].first - statement.last - 1 <= AROUND
        ]
        merged = sorted([statement, *chain(*beside)], key=attrgetter('first'))
        others = [place for place in places if place not in beside]
        lines = sum(place[-1].last - place[0].first + 1 for place in [*others, merged])
        if len(others) < MOST_PLACES and lines <= (most if places else MOST_LINES):
            places = [*others, merged]
    return sorted(places, key=lambda place: min(map(statements.index, place)))
