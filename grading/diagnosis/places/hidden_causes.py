"""Finds hidden causes of faults: caught exceptions, shallow copies, and input read too early.

The output does not show these causes, and no model of a game can detect them. For example, if a
bare `except:` catches a `TypeError` and refuses the move, the program seems to consider the move
illegal. If a program reads all its input before printing anything, it seems not to flush its
output.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ...games.fault_kinds import OTHER
from ...games.known_faults import KnownFault
from ...games.traced_program import Statement
from ...results import Crash, Place
from ...sessions.verdict import PlayedSession
from ..crash import hint_for_crash
from ..finding import Fault
from ..manners import NO_FLUSH, READS_EARLY, READS_FIRST
from .sources import Sources
from .trace import FailedRun, RaisedException, Trace, TracedStep

# Exceptions that always indicate a mistake. A program may catch any other exception on purpose, to
# detect invalid input. RecursionError is not listed, because it stops the tracer.
MISTAKES = (
    'AttributeError',
    'ImportError',
    'ModuleNotFoundError',
    'NameError',
    'TypeError',
    'UnboundLocalError',
)


def caught_in(failed: Sequence[FailedRun], sources: Sources) -> list[RaisedException]:
    """Return the exceptions raised and caught, in every failed run, in the step with wrong output.

    Leave out exceptions raised after the first wrong output, and those raised by `raise` or
    `assert`. Return [] if any of the runs is known to have crashed, or was not traced to its end.
    """
    if not failed or any(run.crash or not run.is_whole for run in failed):
        return []
    first, *others = failed
    caught = []
    for raised in first.raised:
        if all(raised in run.raised for run in others):
            statement = sources.statement(raised.line)
            if statement and statement.keyword not in ('raise', 'assert'):
                caught.append(raised)
    return caught


def reason_of(
    fault: Fault,
    caught: Iterable[RaisedException],
    failed: Sequence[FailedRun],
    passed: Iterable[Trace],
    sources: Sources,
) -> RaisedException | None:
    """Return the caught exception that certainly causes a fault, or None if there is none.

    Known faults in how a program prints or reads, rather than in its decisions, are assumed to have
    another cause.
    """
    if fault.id and fault.variant is None:
        return None
    # All correct steps: in failed runs, those before the wrong step.
    steps = [step for run in failed for step in run.steps[:-1]]
    steps += [step for trace in passed if trace.is_whole for step in trace.steps]
    # For each run, the statement that printed the first wrong output, or None if it is unknown.
    printers = [
        sources.statement(run.write.lines[0]) if run.write and run.write.lines else None
        for run in failed
    ]
    for raised in caught:
        right_steps = [step for step in steps if raised in step.raised]
        if is_reason(raised, right_steps, printers, sources):
            return raised
    return None


def is_reason(
    raised: RaisedException,
    right_steps: Collection[TracedStep],
    printers: Collection[Statement | None],
    sources: Sources,
) -> bool:
    """Return whether an exception causes the wrong output.

    `right_steps` are the correct steps with the same exception. `printers` are the statements that
    printed the first wrong output, one for each failed run.
    """

    def is_right_by_accident(step: TracedStep) -> bool:
        """Return whether one of `printers` also printed in this step, after the exception."""
        printed = step.raised[raised].printed
        lines = [write.lines[0] for write in step.writes if write.lines and write.start >= printed]
        return any(sources.statement(line) in printers for line in lines)

    if raised.type in MISTAKES:
        # The exception may also occur in a few correct steps, if these are right by accident.
        return len(right_steps) <= len(printers) and all(map(is_right_by_accident, right_steps))
    # Any other exception is the cause only if no correct step raises it, and if `except` clauses
    # print the wrong output.
    return not right_steps and all(
        printer and any(decider.keyword == 'except' for decider in printer.deciders)
        for printer in printers
    )


def caused_by(fault: Fault, raised: RaisedException, run: FailedRun, sources: Sources) -> Fault:
    """Return a fault to report instead of `fault`, given the caught exception that causes it.

    The new fault has no id: a known fault would describe the behavior as if the author had intended
    it. `run` is any run with the exception.
    """
    file, line = raised.line
    text, source = run.raised[raised].text, sources.text(file, line, line)
    article = 'an' if raised.type[0] in 'AEIOU' else 'a'
    quote = f': "{text}"' if text else ''
    hint = hint_for_crash(Crash(f'{raised.type}: {text}', file, line, source.strip()))
    meaning = f': {hint.replace(": ", "; ")}' if hint else ''
    return replace(
        fault,
        id='',
        kind=OTHER,
        variant=None,
        sessions=[*fault.sessions],
        has_line=True,
        advice=f'Fix this line{meaning}. The except clause hides this mistake: make it catch only '
        'the exceptions that invalid input can cause.',
        plain='raises an exception and catches it',
        sentence=f'raises {article} {raised.type} in {file}, line {line}, and catches it{quote}',
    )


def because_of_copy(fault: Fault, copying: Place) -> Fault:
    """Return the fault; if it has no advice yet, add advice about the shallow copy causing it.

    `copying` is the place where the copy is made.
    """
    advice = (
        f'Line {copying.first} of {copying.file} makes a shallow copy: changing a list in the copy '
        'also changes the original. In Python, copy.deepcopy also copies the inner lists.'
    )
    return replace(fault, advice=fault.advice or advice)


def as_early_reading(fault: Fault, traces: Mapping[str, Trace | None]) -> Fault:
    """Return the fault, or if it is `NO_FLUSH`, the early reading that a run shows to be its cause.

    `traces` maps the names of sessions to their traces, or to None if tracing failed.
    """
    if fault.id != NO_FLUSH.id:
        return fault
    for played in fault.sessions:
        trace = traces.get(played.session.name)
        known = early_reading_in(played, trace) if trace and trace.printed else None
        if known:
            return replace(
                fault, id=known.id, sentence=known.sentence, plain='', advice=known.advice
            )
    return fault


def early_reading_in(played: PlayedSession, trace: Trace) -> KnownFault | None:
    """Return the early-reading fault shown by a run, or None if it shows none."""
    expected = b''
    for number, step in enumerate(played.session.steps[:-1]):
        expected += step.output.encode()
        # How much had been printed when the program read this step's input. A program that reads
        # all its input at once reads only once.
        printed = trace.printed[min(number, len(trace.printed) - 1)]
        # All output expected up to this step was printed, but some of it only after that input.
        if trace.output.startswith(expected) and printed < len(expected):
            prints_between = trace.printed[0] != trace.printed[-1]
            return READS_EARLY if prints_between else READS_FIRST
    return None
