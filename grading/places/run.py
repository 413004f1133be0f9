"""A run of a program in which it is traced: the same session, up to where it goes wrong."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..sandbox.program import Program
from ..sessions.difference import Difference
from ..sessions.run import PIPES, Run, running
from ..sessions.transcript import Transcript
from .trace import Trace

if TYPE_CHECKING:
    from ..sandbox.kinds import Confinement

TRACER = Path(__file__).with_name('tracer.py').read_text(encoding='utf-8')
MOST = 1 << 21                          # bytes of what is said on standard error
QUIET = 0.2                             # seconds after which nothing more is expected
PYTHON = re.compile(r'(python|pypy)[0-9.]*(\.exe)?|py(\.exe)?')


def traced(program: Program) -> Program | None:
    """Return a program that is traced, None if it is not in Python."""
    words = program.words
    if not words or not PYTHON.fullmatch(re.split(r'[/\\]', words[0])[-1]):
        return None
    number = 1
    while number < len(words) and re.fullmatch('-([bBdEIOPqRsSuvxXW]+|[XW].+)', words[number]):
        number += 1 + (words[number] in ('-X', '-W'))
    rest = words[number:]
    if not rest or (rest[0] == '-m' and len(rest) < 2) or rest[0][0] == '-' != rest[0][1:] + '-':
        return None
    root = os.path.relpath('.', program.below) if program.folder else ''
    return replace(program, words=[*words[:number], '-c', TRACER, root, *rest])


def trace(program: Program, confinement: Confinement, transcript: Transcript,
          difference: Difference | None, seconds: float) -> Trace | None:
    """Play a session up to where it went wrong before, if it did; return how the program ran.

    `program` is traced. Return None if it does not do now what it did then.
    """
    with running(program, confinement, PIPES, seconds) as run:
        run.kept = MOST
        if not does_the_same(run, transcript, difference, time.monotonic() + seconds):
            return None
        return Trace.read(run.errors)


def does_the_same(run: Run, transcript: Transcript, difference: Difference | None,
                  until: float) -> bool:
    """Play a session; return whether the program does what it did before."""
    last = len(transcript.steps) - 1
    for number, step in enumerate(transcript.steps):
        if number == last and transcript.reads_all_first:
            run.end_input()
        if difference and number == difference.step:
            return goes_wrong(run, difference, until)
        if printed(run, len(step.output.encode()), until) != step.output.encode():
            return False
        if step.input is not None:
            run.send(step.input.encode() + b'\n', until - time.monotonic())
    return ends(run, 0, until)


def goes_wrong(run: Run, difference: Difference, until: float) -> bool:
    """Return whether a step goes wrong as it did before; wait until all that runs in it has run."""
    due = difference.printed
    if difference.kind in ('runs on', 'status'):
        due = difference.expected.output.encode()
    if not printed(run, len(due), until).startswith(due):
        return False
    if difference.kind in ('ended', 'status'):
        return ends(run, difference.status, until)
    quiet = min(QUIET, until - time.monotonic())
    if difference.kind == 'differs':
        wait_for_the_rest(run)
        return True
    return run.read(quiet) is None


def printed(run: Run, size: int, until: float) -> bytes:
    """Return what is printed next, so many bytes of it at least, if so many come."""
    content = b''
    while len(content) < size:
        piece = run.read(until - time.monotonic())
        if not piece:
            break
        content += piece
    return content


def ends(run: Run, status: int | None, until: float) -> bool:
    """Return whether a program ends, with an exit status, and prints nothing before."""
    return (run.read(until - time.monotonic()) == b''
            and run.status(until - time.monotonic()) == status)


def wait_for_the_rest(run: Run) -> None:
    """Wait until a traced program wants input or ends, but not long."""
    until = time.monotonic() + QUIET
    while time.monotonic() < until and run.read(0.005) is None:
        if run.errors.rfind(b'\nR ') > run.errors.rfind(b'\nW '):
            break
