"""What a trace shows of a fault, and output does not: a caught exception, or input read too early.

A program with `except: print('INVALID')` looks as if it had found a move illegal, though a mistake
of its own has raised an exception. A program that reads all input first looks as if it did not
flush. No model of a game can know that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Collection, Iterable, Mapping, Sequence

from ...sessions.transcript import Transcript
from ..common_faults import NO_FLUSH, READS_EARLY, READS_FIRST
from ..crash import hint_for_crash
from ..finding import Crash, Fault
from .sources import Sources, Statement
from .trace import Failed, Raised, Trace, TracedStep

# Types that only a mistake raises. Others may be a program's way to find that input is wrong. After
# a RecursionError, which the tracer does not survive, nothing is certain.
MISTAKES = ('AttributeError', 'ImportError', 'ModuleNotFoundError', 'NameError', 'TypeError',
            'UnboundLocalError')
ON_PURPOSE = 'raise', 'assert'          # the statements that raise what their author wants
ADVICE = ('Fix this line. The except clause hides such mistakes: let it catch only what wrong '
          'input raises.')


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
        else:
            is_reason = not steps and all(map(is_in_handler, printers))
        if is_reason:
            return raised
    return None


def printer_of(session: Failed, sources: Sources) -> Statement | None:
    """Return the statement that printed the first wrong text of a session, if it is known."""
    lines = session.write.lines if session.write else ()
    return sources.statement(lines[0]) if lines else None


def is_in_handler(statement: Statement | None) -> bool:
    """Return whether a statement stands in an `except` clause."""
    return statement is not None and any(one.keyword == 'except' for one in statement.deciders)


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


def as_reading(fault: Fault, traced: Mapping[str, Trace | None]) -> Fault:
    """Return a missing flush as what it is, if the program reads on before it prints.

    `traced` are the runs, by the names of their sessions.
    """
    for one in fault.sessions if fault.id == NO_FLUSH.id else ():
        run = traced.get(one.session.name)
        if run and reads_before_it_prints(one.session, run):
            printed = run.printed
            known = READS_FIRST if printed[0] == printed[-1] else READS_EARLY
            return replace(fault, id=known.id, sentence=known.sentence, plain='',
                           advice=known.advice)
    return fault


def reads_before_it_prints(transcript: Transcript, trace: Trace) -> bool:
    """Return whether a program reads a line before it prints what is due, and right later."""
    printed, due = trace.printed, b''
    for number, step in enumerate(transcript.steps[:-1] if printed else ()):
        due += step.output.encode()
        # Who reads all at once, reads once.
        if trace.output.startswith(due) and printed[min(number, len(printed) - 1)] < len(due):
            return True
    return False
