"""Causes that output does not show: an exception that is caught, and input that is read too early.

No model of a game can detect them. A program with a bare `except:` that refuses a move seems to
find the move illegal, while a mistake in the program raised an exception. A program that reads all
input first seems not to flush.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ...games.kinds import OTHER
from ...games.known_faults import KnownFault
from ...games.traced_program import Statement
from ...results import Crash
from ...sessions.verdict import Played
from ..common_faults import NO_FLUSH, READS_EARLY, READS_FIRST
from ..crash import hint_for_crash
from ..finding import Fault
from .sources import Sources
from .trace import Failed, Raised, Trace, TracedStep

# Exceptions that only a mistake raises. A program may use others to detect wrong input. A
# RecursionError is left out because it ends the tracer.
MISTAKES = (
    'AttributeError',
    'ImportError',
    'ModuleNotFoundError',
    'NameError',
    'TypeError',
    'UnboundLocalError',
)


def caught_in(failed: Sequence[Failed], sources: Sources) -> list[Raised]:
    """Return the exceptions that the program raises in each failed session, in the wrong step.

    They are raised before the first wrong output, and not by `raise` or `assert`. An exception that
    ends the program is a crash, and does not count.
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
    """Return the caught exception that certainly causes a fault, or None.

    Faults of printing have other causes.
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
    """Return whether an exception causes the wrong output, even if correct steps raise it too."""
    if raised.type in MISTAKES:
        # A step is correct only by accident if, after the exception, the statement that prints the
        # wrong text elsewhere prints what happens to be correct.
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
    """Return a fault with a caught exception as its cause, which contradicts the fault's name.

    `session` is a session in which it is raised.
    """
    file, line = raised.line
    text, source = session.raised[raised].text, sources.text(file, line, line)
    article = 'an' if raised.type[0] in 'AEIOU' else 'a'
    quote = f': "{text}"' if text else ''
    hint = hint_for_crash(Crash(f'{raised.type}: {text}', file, line, source.strip()))
    meaning = f': {hint}' if hint else ''
    return replace(
        fault,
        id='',
        kind=OTHER,
        variant=None,
        sessions=[*fault.sessions],
        has_line=True,
        advice=f'Fix this line{meaning}. The except clause hides such mistakes: let it catch only '
        'what wrong input raises.',
        plain='raises an exception and catches it',
        sentence=f'raises {article} {raised.type} in {file}, line {line}, and catches it{quote}',
    )


def as_reading(fault: Fault, traces: Mapping[str, Trace | None]) -> Fault:
    """Return a missing flush as a fault of reading, if the program reads on before it prints.

    `traces` has the runs by the names of their sessions.
    """
    if fault.id != NO_FLUSH.id:
        return fault
    for played in fault.sessions:
        trace = traces.get(played.session.name)
        known = late_reading_in(played, trace) if trace and trace.printed else None
        if known:
            return replace(
                fault, id=known.id, sentence=known.sentence, plain='', advice=known.advice
            )
    return fault


def late_reading_in(played: Played, trace: Trace) -> KnownFault | None:
    """Return the fault of a program that reads too early in a session, or None if it does not."""
    expected = b''
    for number, step in enumerate(played.session.steps[:-1]):
        expected += step.output.encode()
        # A program that reads all input at once reads only once.
        printed = trace.printed[min(number, len(trace.printed) - 1)]
        if trace.output.startswith(expected) and printed < len(expected):  # the rest comes later
            return READS_FIRST if trace.printed[0] == trace.printed[-1] else READS_EARLY
    return None
