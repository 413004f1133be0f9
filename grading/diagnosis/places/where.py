"""Where in a program to look: what printed the first wrong line, what read, what ran then.

Ochiai's measure ranks what ran: Rui Abreu, Peter Zoeteweij and Arjan J. C. van Gemund, "On the
Accuracy of Spectrum-based Fault Localization", TAIC PART 2007. A right step tells the more, the
more it is like a wrong one: Manos Renieris and Steven P. Reiss, "Fault Localization With Nearest
Neighbor Queries", ASE 2003. Many statements are equally suspicious: first come those on which what
is wrong depends directly, a slice of one step (Mark Weiser, "Program Slicing", ICSE 1981). Where
lines are left, the others of that slice follow.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import AbstractSet, Collection, Hashable, Iterable, Mapping, Sequence, TypeVar

from ...sessions.verdict import Played
from ..finding import Place
from .sources import Sources, Statement
from .trace import Failed, Line, Raised, Trace, TracedStep

PRINTED, CALLED, READ, RAN, RAISED = 'printed by', 'called by', 'read by', 'ran', 'raised by'
UNTAKEN = 'untaken'
DECIDING = 'if', 'while', 'for'
MOST_LINES = 10                         # that are told
MOST_PLACES = 3
AROUND = 2                              # lines before and behind a place, that are shown
LEAST = 0.4                             # of the suspicion of the most suspicious one
# What only says that something follows, or runs because something has gone wrong already.
SAYS_LITTLE = ':', 'class', 'def', 'except', 'from', 'global', 'import', 'nonlocal', 'try'

Item = TypeVar('Item', bound=Hashable)


def where(failed: Sequence[Failed], passed: Sequence[Trace], sources: Sources,
          raised: Raised | None = None, before: Iterable[Place] = (),
          is_printing: bool = False) -> list[Place]:
    """Return the places to look at for a fault that shows in some sessions and not in others.

    The first of the sessions that failed is the one in the report; without a place in it there are
    none at all. `raised` is an exception that was caught there. Lines to look at that are `before`,
    under other faults, give way to the next ones. A fault that `is_printing` needs none where the
    statement that prints has the text in it.
    """
    place = failed[0].place if failed else None
    if not place or not place.wrong or place.wrong.file:
        return []
    lines = [(RAISED, raised.line)] if raised else []
    named = [(why, statement) for why, line in [*lines, *named_lines(failed[0])]
             for statement in [sources.statement(line)] if statement]
    told = [statement for _, statement in named]
    told += filter(None, map(sources.statement, failed[0].crash[:1]))
    places = [(why, [statement]) for why, statement in named
              if why != CALLED or not statement.is_start]
    is_sure = is_printing and has_text(place, named, sources)
    if not is_sure and not place.wrong.comes_late:
        most = MOST_LINES - sum(one.last - one.first + 1 for one in dict.fromkeys(told))
        ran = ran_when_wrong(failed, passed, told, before, sources)
        places += [(RAN, statements) for statements in places_of(ran, most)]
    return [place_of(why, statements, failed, sources) for why, statements in places]


def has_text(place: Played, named: Sequence[tuple[str, Statement]], sources: Sources) -> bool:
    """Return whether the statement that prints a wrong line has a word or sign of it."""
    texts = re.findall(r'[^\W\d_]{2,}|[^\w\s.]+', place.place.printed)
    return any(text in sources.text(one.file, one.first, one.last)
               for why, one in named if why == PRINTED for text in texts)


def ran_when_wrong(failed: Sequence[Failed], passed: Sequence[Trace], told: Sequence[Statement],
                   before: Iterable[Place], sources: Sources) -> list[Statement]:
    """Return what ran where the output is wrong, and seldom elsewhere, the most suspicious first.

    What stands under other faults, `before`, is left out.
    """
    whole = [session for session in failed if session.is_whole]
    if not whole:
        return []
    suspicions = suspicions_of(whole, [trace for trace in passed if trace.is_whole], sources)
    ran = set(filter(None, map(sources.statement, failed[0].ran_so_far)))
    looked_at = {sources.statement(Line(one.file, number)) for one in before
                 if one.why == RAN for number in range(one.first, one.last + 1)}
    return [one for one in ranked(suspicions, needed_by(told, ran), told) if one not in looked_at]


def named_lines(session: Failed) -> list[tuple[str, Line]]:
    """Return what printed the first wrong line and what called that, or else what read a line.

    The report of a crash names its line already: then only the callers are returned.
    """
    if session.write:
        return [*zip((PRINTED, CALLED), session.write.lines)]
    if session.crash:
        return [(CALLED, line) for line in session.crash[1:2] if line != session.crash[0]]
    return [(READ, line) for line in session.readers[:1]]


def suspicions_of(failed: Sequence[Failed], passed: Sequence[Trace],
                  sources: Sources) -> dict[Statement, float]:
    """Return how suspicious each statement is that ran where the output is wrong."""
    wrong: list[set[Statement]] = []
    right: list[set[Statement]] = []
    for session in failed:
        *before, last = statements_of([*lines_of(session.steps[:-1]), session.ran], sources)
        wrong.append(last)
        right += before
    for trace in passed:
        right += statements_of(lines_of(trace.steps), sources)
    suspicions = ochiai([*map(with_untaken, wrong)], [*map(with_untaken, right)])
    return {statement: max(suspicions.get(statement, 0), suspicions.get((statement, UNTAKEN), 0))
            for statement in {one if isinstance(one, Statement) else one[0] for one in suspicions}}


def with_untaken(ran: AbstractSet[Statement]) -> set[Statement | tuple[Statement, str]]:
    """Return what ran, with conditions and loops of which nothing inside ran."""
    taken = {one.deciders[0] for one in ran if one.deciders}
    return {*ran, *((one, UNTAKEN) for one in ran if one.keyword in DECIDING and one not in taken)}


def lines_of(steps: Iterable[TracedStep]) -> list[list[Line]]:
    """Return the lines that ran in each step."""
    return [list(step.lines) for step in steps]


def place_of(why: str, statements: Sequence[Statement], failed: Sequence[Failed],
             sources: Sources) -> Place:
    """Return a place, with the sessions in which it ran."""
    file, first, last = statements[0].file, statements[0].first, statements[-1].last
    seen = [session.name for session in failed if any(
        line.file == file and first <= line.number <= last for line in seen_in(session, why))]
    start = max(1, first - AROUND)
    return Place(file, first, last, sources.text(file, first, last), why, tuple(seen), start,
                 sources.text(file, start, last + AROUND))


def seen_in(session: Failed, why: str) -> Iterable[Line]:
    """Return the lines of a session that are seen for some reason."""
    if why in (RAN, RAISED):            # what was set at the start ran there
        return session.ran_so_far
    return [line for reason, line in named_lines(session) if reason == why]


def statements_of(steps: Iterable[Iterable[Line]], sources: Sources) -> list[set[Statement]]:
    """Return the statements that ran in each step of a session.

    A statement at the start of a program, in no function and no block, that sets something counts
    in the steps that use it.
    """
    found = []
    setting: dict[str, set[Statement]] = {}
    for lines in steps:
        ran = {statement for statement in map(sources.statement, lines)
               if statement and statement.keyword not in SAYS_LITTLE}
        for statement in ran:
            for name in statement.sets if statement.is_setting else ():
                setting.setdefault(name, set()).add(statement)
        used = {name for statement in ran for name in statement.names - statement.sets}
        found.append({statement for statement in ran if not statement.is_setting}.union(
            *(setting[name] for name in used & setting.keys())))
    return found


def ochiai(failed: Sequence[AbstractSet[Item]],
           passed: Sequence[AbstractSet[Item]]) -> dict[Item, float]:
    """Return how suspicious each item is that was there when something failed.

    What passed counts the more, the more it is like something that failed. Items that were always
    there are left out.

    >>> ochiai([{'at times', 'always'}], [{'always'}, {'always', 'at times'}, {'always'}])
    {'at times': 0.7071067811865475}
    """
    wrong = Counter(item for items in failed for item in items)
    right = Counter(item for items in passed for item in items)
    alike: Counter[Item] = Counter()
    for items, number in Counter(map(frozenset, passed)).items():
        weight = number * max((likeness(items, other) for other in failed), default=0) ** 2
        alike.update(dict.fromkeys(items, weight))
    return {item: count / math.sqrt(len(failed) * (count + alike[item]))
            for item, count in wrong.items()
            if (count, right[item]) != (len(failed), len(passed))}


def likeness(one: AbstractSet[Item], other: AbstractSet[Item]) -> float:
    """Return what two sets have in common, as a part of what they have together.

    >>> likeness({1, 2, 3}, {2, 3, 4})
    0.5
    """
    return len(one & other) / (len(one | other) or 1)


def needed_by(wrong: Collection[Statement], ran: Iterable[Statement]) -> set[Statement]:
    """Return the statements, among those that ran, on which wrong ones depend directly.

    These decide whether a wrong statement runs, set one of its names, or stand in a function that
    it names.
    """
    names = {name for statement in wrong for name in statement.names}
    deciders = {one for statement in wrong for one in statement.deciders}
    return deciders.union(statement for statement in ran if names & statement.sets or (
        statement.within and names & statement.within.sets))


def ranked(suspicions: Mapping[Statement, float], needed: Collection[Statement],
           told: Collection[Statement]) -> list[Statement]:
    """Return the most suspicious statements, then others on which the wrong lines depend.

    Statements that were named already are left out. Of equals, those in a function that was named
    come first, then the longer ones, in which more can be wrong.
    """
    least = LEAST * max(suspicions.values(), default=0)
    suspects = {one for one, suspicion in suspicions.items() if suspicion >= least}
    functions = {(one.file, one.within) for one in told}
    others = {one for one in needed if one.keyword not in SAYS_LITTLE}
    return sorted(suspects.union(others).difference(told), key=lambda one: (
        one not in suspects, -round(suspicions.get(one, 0), 9), one not in needed,
        (one.file, one.within) not in functions, -one.size, one.file, one.first))


def places_of(statements: Sequence[Statement], most: int) -> list[list[Statement]]:
    """Return the first of some statements as a few places, with at most `most` lines in all.

    Two places are one if their excerpts meet; the lines between them count.
    """
    places: list[list[Statement]] = []
    for statement in statements:
        beside = [place for place in places if any(are_near(one, statement) for one in place)]
        place = sorted([statement, *(one for place in beside for one in place)],
                       key=lambda one: one.first)
        others = [place for place in places if place not in beside]
        if len(others) < MOST_PLACES and sum(map(length, [*others, place])) <= most:
            places = [*others, place]
    return sorted(places, key=lambda place: min(map(statements.index, place)))


def are_near(one: Statement, other: Statement) -> bool:
    """Return whether there are few lines, or none, between two statements."""
    first, second = sorted([one, other], key=lambda statement: statement.first)
    return first.file == second.file and second.first - first.last - 1 <= AROUND


def length(place: Sequence[Statement]) -> int:
    """Return the number of lines of a place."""
    return place[-1].last - place[0].first + 1
