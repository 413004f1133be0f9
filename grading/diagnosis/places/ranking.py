"""Which statements of a program to look at first, of all that ran where the output is wrong.

Ochiai's measure ranks what ran: Rui Abreu, Peter Zoeteweij and Arjan J. C. van Gemund, "On the
Accuracy of Spectrum-based Fault Localization", TAIC PART 2007. Many statements are equally
suspicious. More so are those on which what is wrong depends, a slice of the run (Mark Weiser,
"Program Slicing", ICSE 1981), those that ran last before it, what its author has to change for a
known kind of fault, and what makes the output right if it is changed. All this counts in one sum,
with a little for the size of a statement:

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

MOST_LINES = 10  # that are reported
FEW_LINES = 6  # that are reported where changes to few statements make all output right
FEW_SURE = 3  # statements are few
MOST_PLACES = 3
AROUND = 2  # lines before and after a place that are shown
# The weights in the sum. The numbers were found by trying: those around them do as well.
SUSPICION = 5.0  # of the most suspicious statement; others have their share of it
LATE = 1.0  # of the last statement before the output is wrong; of the first, if the kind is early
NEEDED = 1.5, 1.0, 1.0, 1.0, 1.0  # of what the wrong output depends on, by how far away that is
KIND = 4.0  # of what the kind of the fault points to
CHANGED = 10.0  # of a statement that makes all output right if it is changed
FEW_CHANGED = 4  # where more statements do, each has its share
SIZE = 0.2  # of the logarithm of how many expressions there are
# What only says that something follows, or runs because something has gone wrong already.
SAYS_LITTLE = ':', 'class', 'def', 'except', 'from', 'global', 'import', 'nonlocal', 'try'
# Says how well changes to statements fix a fault, of as many as it has time for, in their order.
Try = Callable[[Sequence[Statement]], Mapping[Statement, float]]


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
