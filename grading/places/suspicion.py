"""Which statements run where a program goes wrong, and seldom or never where it is right.

They are ranked by Ochiai's measure: Rui Abreu, Peter Zoeteweij and Arjan J. C. van Gemund, "On the
Accuracy of Spectrum-based Fault Localization", TAIC PART 2007.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import AbstractSet, Collection, Hashable, Iterable, Mapping, Sequence, TypeVar

from .sources import Sources
from .statements import Statement
from .trace import Line

MOST_PLACES = 3
LEAST = 0.6                             # of the suspicion of the most suspicious one
# What only says that something follows, or runs since something has gone wrong already.
SAYS_LITTLE = ('class', 'def', 'else', 'except', 'finally', 'from', 'global', 'import', 'nonlocal',
               'try')

Item = TypeVar('Item', bound=Hashable)


def statements_of(steps: Iterable[Iterable[Line]], sources: Sources) -> list[set[Statement]]:
    """Return the statements that ran in each step of a session.

    What a program sets at its start, in no function and no block, counts where it is used: it
    goes wrong there.
    """
    found = []
    setting: dict[str, set[Statement]] = {}
    for lines in steps:
        ran = {statement for statement in map(sources.statement, lines)
               if statement and statement.keyword not in SAYS_LITTLE}
        for statement in ran:
            for name in statement.sets:
                setting.setdefault(name, set()).add(statement)
        used = {name for statement in ran for name in statement.names - statement.sets}
        found.append({statement for statement in ran if not statement.sets}.union(
            *(setting[name] for name in used & setting.keys())))
    return found


def ochiai(failed: Sequence[AbstractSet[Item]],
           passed: Sequence[AbstractSet[Item]]) -> dict[Item, float]:
    """Return how suspicious each item is that was there when something failed.

    Not those that were always there.

    >>> ochiai([{'at times', 'always'}], [{'always'}, {'always', 'at times'}, {'always'}])
    {'at times': 0.7071067811865475}
    """
    wrong = Counter(item for items in failed for item in items)
    right = Counter(item for items in passed for item in items)
    return {item: count / math.sqrt(len(failed) * (count + right[item]))
            for item, count in wrong.items()
            if (count, right[item]) != (len(failed), len(passed))}


def most_suspicious(suspicions: Mapping[Statement, float], told: Collection[Statement],
                    most: int) -> list[list[Statement]]:
    """Return the most suspicious statements, those that follow one another in one place.

    They have `most` lines together, in few places. Those that have been told are left out. Of
    those that are equally suspicious the first are those of a function that has been told of, then
    the longer ones, in which more can be wrong.
    """
    least = LEAST * max(suspicions.values(), default=0)
    functions = {(statement.file, statement.function) for statement in told}
    places: list[list[Statement]] = []
    suspects = sorted((one for one in suspicions if suspicions[one] >= least), key=lambda one: (
        -round(suspicions[one], 9), (one.file, one.function) not in functions, -one.size,
        one.file, one.number))
    for statement in suspects:
        beside = [place for place in places if any(
            one.file == statement.file and abs(one.number - statement.number) == 1
            for one in place)]
        place = sorted([statement, *(one for place in beside for one in place)],
                       key=lambda one: one.number)
        others = [place for place in places if place not in beside]
        if (statement not in told and len(others) < MOST_PLACES
                and sum(map(length, [*others, place])) <= most):
            places = [*others, place]
    return sorted(places, key=lambda place: -max(suspicions[one] for one in place))


def length(place: Sequence[Statement]) -> int:
    """Return how many lines a place has."""
    return place[-1].last - place[0].first + 1
