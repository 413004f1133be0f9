"""What traces tell of a fault: where in the program to look, and what output does not show.

Ochiai's measure ranks what ran: Rui Abreu, Peter Zoeteweij and Arjan J. C. van Gemund, "On the
Accuracy of Spectrum-based Fault Localization", TAIC PART 2007. A right step tells the more, the
more it is like a wrong one: Manos Renieris and Steven P. Reiss, "Fault Localization With Nearest
Neighbor Queries", ASE 2003. Many statements are equally suspicious: first come those on which what
is wrong depends directly, a slice of one step (Mark Weiser, "Program Slicing", ICSE 1981). Where
lines are left, the others of that slice follow.

No model of a game can know of a caught exception, or of input that is read too early. A program
with `except: print('INVALID')` looks as if it had found a move illegal, though a mistake of its own
has raised an exception. A program that reads all input first looks as if it did not flush.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from typing import AbstractSet, Collection, Hashable, Iterable, Mapping, Sequence, TypeVar

from ...sessions.verdict import Played
from ..common_faults import NO_FLUSH, READS_EARLY, READS_FIRST
from ..crash import hint_for_crash
from ..finding import Crash, Fault, Place
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
# Types that only a mistake raises. Others may be a program's way to find that input is wrong. After
# a RecursionError, which the tracer does not survive, nothing is certain.
MISTAKES = ('AttributeError', 'ImportError', 'ModuleNotFoundError', 'NameError', 'TypeError',
            'UnboundLocalError')
ON_PURPOSE = 'raise', 'assert'          # the statements that raise what their author wants
ADVICE = ('Fix this line. The except clause hides such mistakes: let it catch only what wrong '
          'input raises.')

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
    named = named_statements(failed[0], raised, sources)
    crash = [one for line in failed[0].crash[:1] for one in [sources.statement(line)] if one]
    told = [*(statement for _, statement in named), *crash]
    places = [(why, [statement]) for why, statement in named
              if why != CALLED or not statement.is_start]
    is_sure = is_printing and any(why == PRINTED and has_text(place, one, sources)
                                  for why, one in named)
    if not is_sure and not place.wrong.comes_late:
        most = MOST_LINES - sum(one.last - one.first + 1 for one in dict.fromkeys(told))
        ran = ran_when_wrong(failed, passed, told, before, sources)
        places += [(RAN, statements) for statements in places_of(ran, most)]
    return [place_of(why, statements, failed, sources) for why, statements in places]


def named_statements(session: Failed, raised: Raised | None,
                     sources: Sources) -> list[tuple[str, Statement]]:
    """Return the statements that a session names, and why."""
    lines = [*([(RAISED, raised.line)] if raised else []), *named_lines(session)]
    return [(why, statement) for why, line in lines
            for statement in [sources.statement(line)] if statement]


def has_text(place: Played, printer: Statement, sources: Sources) -> bool:
    """Return whether the statement that prints a wrong line has a word or sign of it."""
    texts = re.findall(r'[^\W\d_]{2,}|[^\w\s.]+', place.place.printed)
    source = sources.text(printer.file, printer.first, printer.last)
    return any(text in source for text in texts)


def ran_when_wrong(failed: Sequence[Failed], passed: Sequence[Trace], told: Sequence[Statement],
                   before: Iterable[Place], sources: Sources) -> list[Statement]:
    """Return what ran where the output is wrong, and seldom elsewhere, the most suspicious first.

    What stands under other faults, `before`, is left out.
    """
    wrong: list[set[Statement | tuple[Statement, str]]] = []
    right: list[set[Statement | tuple[Statement, str]]] = []
    for session in failed:
        if session.is_whole:
            steps = [*(step.lines for step in session.steps[:-1]), session.ran]
            *earlier, last = statements_of(steps, sources)
            wrong.append(with_untaken(last))
            right += map(with_untaken, earlier)
    for trace in passed:
        if trace.is_whole and wrong:
            right += map(with_untaken, statements_of([step.lines for step in trace.steps], sources))
    suspicions: dict[Statement, float] = {}
    for item, suspicion in ochiai(wrong, right).items():
        statement = item if isinstance(item, Statement) else item[0]
        suspicions[statement] = max(suspicion, suspicions.get(statement, 0))
    ran = set(filter(None, map(sources.statement, failed[0].ran_so_far)))
    looked_at = {sources.statement(Line(one.file, number)) for one in before
                 if one.why == RAN for number in range(one.first, one.last + 1)}
    return [one for one in ranked(suspicions, needed_by(told, ran) if wrong else (), told)
            if one not in looked_at]


def named_lines(session: Failed) -> list[tuple[str, Line]]:
    """Return what printed the first wrong line and what called that, or else what read a line.

    The report of a crash names its line already: then only the callers are returned.
    """
    if session.write:
        return [*zip((PRINTED, CALLED), session.write.lines)]
    if session.crash:
        return [(CALLED, line) for line in session.crash[1:2] if line != session.crash[0]]
    return [(READ, line) for line in session.readers[:1]]


def with_untaken(ran: AbstractSet[Statement]) -> set[Statement | tuple[Statement, str]]:
    """Return what ran, with conditions and loops of which nothing inside ran."""
    taken = {one.deciders[0] for one in ran if one.deciders}
    return {*ran, *((one, UNTAKEN) for one in ran if one.keyword in DECIDING and one not in taken)}


def place_of(why: str, statements: Sequence[Statement], failed: Sequence[Failed],
             sources: Sources) -> Place:
    """Return a place, with the sessions in which it ran."""
    file, first, last = statements[0].file, statements[0].first, statements[-1].last
    seen = []
    for session in failed:              # what was set at the start ran there
        lines = session.ran_so_far if why in (RAN, RAISED) else [
            line for reason, line in named_lines(session) if reason == why]
        if any(line.file == file and first <= line.number <= last for line in lines):
            seen.append(session.name)
    start = max(1, first - AROUND)
    return Place(file, first, last, sources.text(file, first, last), why, tuple(seen), start,
                 sources.text(file, start, last + AROUND))


def statements_of(steps: Sequence[Iterable[Line]], sources: Sources) -> list[set[Statement]]:
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
        likeness = max((len(items & other) / (len(items | other) or 1) for other in failed),
                       default=0)       # what two have in common, of what they have together
        weight = number * likeness ** 2
        alike.update(dict.fromkeys(items, weight))
    return {item: count / math.sqrt(len(failed) * (count + alike[item]))
            for item, count in wrong.items()
            if (count, right[item]) != (len(failed), len(passed))}


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
        beside = [place for place in places if place[0].file == statement.file
                  and statement.first - place[-1].last - 1 <= AROUND
                  and place[0].first - statement.last - 1 <= AROUND]
        place = sorted([statement, *(one for place in beside for one in place)],
                       key=lambda one: one.first)
        others = [place for place in places if place not in beside]
        lines = sum(one[-1].last - one[0].first + 1 for one in [*others, place])
        if len(others) < MOST_PLACES and lines <= most:
            places = [*others, place]
    return sorted(places, key=lambda place: min(map(statements.index, place)))


def caught_in(failed: Sequence[Failed], sources: Sources) -> list[Raised]:
    """Return what is raised in each of some sessions, in the step that goes wrong.

    It is raised before the first wrong text is printed. An exception that ends the program is a
    crash, and does not count.
    """
    if not all(one.is_whole and not one.crash for one in failed):
        return []
    statements = {raised: sources.statement(raised.line) for one in failed[:1]
                  for raised in one.raised if all(raised in other.raised for other in failed)}
    return [raised for raised, statement in statements.items()
            if statement and statement.keyword not in ON_PURPOSE]


def reason_of(fault: Fault, caught: Iterable[Raised], failed: Sequence[Failed],
              passed: Iterable[Trace], sources: Sources) -> Raised | None:
    """Return the exception that certainly is the reason for a fault, or None.

    Faults of printing have other reasons.
    """
    if fault.id and fault.variant is None:
        return None
    right = [step for session in failed for step in session.steps[:-1]]
    right += [step for trace in passed if trace.is_whole for step in trace.steps]
    printers = [printer_of(one, sources) for one in failed]
    for raised in caught:
        steps = [step for step in right if raised in step.raised]
        if raised.type in MISTAKES:
            is_reason = len(steps) <= len(failed) and all(
                prints_as(printers, step, raised, sources) for step in steps)
        else:                           # what is printed stands in the `except` clause
            is_reason = not steps and all(one and 'except' in one.decided_by for one in printers)
        if is_reason:
            return raised
    return None


def printer_of(session: Failed, sources: Sources) -> Statement | None:
    """Return the statement that printed the first wrong text of a session, if it is known."""
    lines = session.write.lines if session.write else ()
    return sources.statement(lines[0]) if lines else None


def prints_as(printers: Collection[Statement | None], step: TracedStep, raised: Raised,
              sources: Sources) -> bool:
    """Return whether a step is right only by accident.

    After the exception, the statement that prints the wrong text elsewhere prints what happens to
    be right.
    """
    return any(sources.statement(line) in printers for write in step.writes
               if write.start >= step.raised[raised].printed for line in write.lines[:1])


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
        fault, id='', variant=None, sessions=[*fault.sessions], advice=meaning + ADVICE,
        plain='raises an exception and catches it',
        sentence=f'raises {article} {raised.type} in {file}, line {line}, and catches it{quote}')


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
            if trace.output.startswith(due) and printed < len(due):     # and it comes later
                known = READS_FIRST if trace.printed[0] == trace.printed[-1] else READS_EARLY
                return replace(fault, id=known.id, sentence=known.sentence, plain='',
                               advice=known.advice)
    return fault
