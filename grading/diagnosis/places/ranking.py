"""Rank the statements that ran where the output is wrong, most suspicious first.

Ochiai's measure ranks them by how often they ran in wrong and in correct steps: Rui Abreu, Peter
Zoeteweij and Arjan J. C. van Gemund, "On the Accuracy of Spectrum-based Fault Localization", TAIC
PART 2007. Because many statements tie, a sum adds more evidence: whether the wrong output depends
on the statement (a slice of the run: Mark Weiser, "Program Slicing", ICSE 1981), whether a known
kind of fault points to it, how late it ran, and whether a change to it makes the output correct. A
long statement gets a little more:

    statement               Ochiai    needed    kind    last    changed       sum

    if row < 0:              5.0       1.5       4.0     0.6      0.0        11.1
    flips = []               2.9       1.0       0.0     0.4     10.0        14.3    comes first
    print(board)             1.7       0.0       0.0     1.0      0.0         2.7
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from ...games.kinds import TEXT_AGAIN, Kind
from ...games.traced_program import Statement, names_in
from .sources import Sources
from .trace import Failed, Line, Trace

MOST_LINES = 10  # in a report about a fault
FEW_LINES = 6  # if changes to few statements correct all output
FEW_SURE = 3  # no more statements than this count as few
MOST_PLACES = 3
AROUND = 2  # lines before and after a place that are shown
# The weights in the sum, found by experiment; similar numbers do as well.
SUSPICION = 5.0  # of the most suspicious statement; others get less in proportion
LATE = 1.0  # of the last statement before the output is wrong; of the first, if the kind is early
NEEDED = 1.5, 1.0, 1.0, 1.0, 1.0  # of what the wrong output depends on, by distance
KIND = 4.0  # of what the kind of the fault points to
CHANGED = 10.0  # of a statement that corrects all output if it is changed
FEW_CHANGED = 4  # if more statements than this do, they share its multiple of the weight
SIZE = 0.2  # of the logarithm of how many expressions there are
# These only introduce a block, or run because something has gone wrong already.
SAYS_LITTLE = ':', 'class', 'def', 'except', 'from', 'global', 'import', 'nonlocal', 'try'
# Returns how well changes to statements fix a fault, in order, for as many as there is time for.
Try = Callable[[Sequence[Statement]], Mapping[Statement, float]]


def scores_of(
    kind: Kind,
    suspicions: Mapping[Statement, float],
    told: Collection[Statement],
    ran: Collection[Statement],
    focus: Collection[Statement],
    last: Sequence[Statement],
) -> dict[Statement, float]:
    """Return a score for each statement; the highest is the one to look at first.

    `told` are the statements that the report names anyway, `ran` all that ran in a session, and
    `last` those of its last step, in order. The kind of the fault points to those in `focus`.
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


def suspicions_of(
    failed: Sequence[Failed], passed: Sequence[Trace], sources: Sources
) -> dict[Statement, float]:
    """Return how suspicious each statement is that ran where the output is wrong, from 0 to 1.

    Ochiai's measure is high if the statement ran in many wrong steps and in few correct ones. A
    statement that ran in every step is left out.
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
    """Return the statements that count in a step: those that ran, and the globals that they use.

    A statement at the top of a file that sets a name runs only once, so it counts in each step
    that uses the name.
    """
    ran = {one for one in sources.statements(lines) if not one.is_setting}
    used = {name for one in ran for name in one.names}
    return ran.union(one for one in sources.settings if one.sets & used)


def needed_by(wrong: Collection[Statement], ran: Iterable[Statement]) -> set[Statement]:
    """Return the statements that ran and on which wrong ones depend directly.

    They decide whether a wrong statement runs, set one of its names, or are in a function that it
    names.
    """
    names = names_in(wrong)
    deciders = {one for statement in wrong for one in statement.deciders}
    return deciders.union(
        statement
        for statement in ran
        if names & statement.sets or (statement.within and names & statement.within.sets)
    )


def add_changes(
    scores: dict[Statement, float],
    ran: Collection[Statement],
    focus: Collection[Statement],
    try_changes: Try,
) -> int:
    """Add to the scores how well changes fix a fault; return the most lines to report.

    Changes are tried in statements that ran and in the headers around them, because `while True:`
    itself never runs. In a definition, only the defaults change. If changes to few statements
    correct all output, few lines are enough, and each of these statements counts more. In the
    focus, only the statements of the focus share the weight.
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
    """Return statements in the order of their scores, the highest first."""
    return sorted(some, key=lambda one: (-round(scores.get(one, 0), 9), one.file, one.first))


def places_of(
    statements: Sequence[Statement], told: Collection[Statement], most: int
) -> list[list[Statement]]:
    """Group the first statements into a few places, with `most` lines including those told.

    Places are merged if their excerpts meet; then the lines between them count too. The first place
    may have up to MOST_LINES.
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
