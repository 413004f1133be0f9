"""A session with all its input at once, as with `program < file`, compared as a whole."""

from __future__ import annotations

import re
from typing import Sequence

from .difference import MOST_UNEXPECTED, Difference, Observation
from .expected_output import alignment_of
from .replay import type_all
from .run import Run
from .transcript import Transcript

AT_ONCE = 'with all its input at once'
LINE = re.compile(b'[^\n]*\n|[^\n]+')
MOST_OBSERVED = 1 << 20                 # bytes


def replay_at_once(transcript: Transcript, run: Run, seconds: float) -> Difference | None:
    """Play a transcript at once; return where the program first departs from it, None if it passes.

    The program may be silent for `seconds`.
    """
    output, has_ended, status = all_output(transcript, run, seconds)
    difference = departure(transcript, output, has_ended, status)
    if difference:
        difference.way, difference.errors, difference.folder = AT_ONCE, run.errors, run.folder
        difference.whole, difference.status = output, status
        difference.seconds, difference.excess = seconds, run.excess
    return difference


def departure(transcript: Transcript, output: bytes, has_ended: bool,
              status: int | None) -> Difference | None:
    """Return the first step whose output is wrong, None if all is right.

    The step counts as having printed as many of the remaining lines as it should print.
    """
    alignment = alignment_of(transcript, *transcript.steps)
    alignment.take(output)
    if has_ended:
        alignment.end()
    last = len(transcript.steps) - 1
    if not alignment.is_whole:
        pieces = alignment.accepted()
        number, start = place_of(transcript, pieces)
        rest = output[start:]
        if alignment.verdict(is_waiting=True) == 'begun':
            return Difference(transcript, number, 'ended' if has_ended else 'silent', rest,
                              status=status)
        if transcript.still_asks and len(pieces) == len(alignment.lines):
            return None                 # the rest is about the end of its input
        step = transcript.steps[number]
        if transcript.is_exact and len(pieces) < len(alignment.lines):
            rest = b''.join(LINE.findall(rest)[:len(step.printed)])
        return Difference(transcript, number, 'differs', rest[:MOST_UNEXPECTED + step.size])
    if transcript.still_asks:
        return None
    if not has_ended:
        return Difference(transcript, last, 'runs on', b'')
    if not transcript.accepts_status(status or 0):
        return Difference(transcript, last, 'status', b'', status=status)
    return None


def place_of(transcript: Transcript, pieces: Sequence[bytes]) -> tuple[int, int]:
    """Return the first step without all its output, or the last, and where its output begins.

    `pieces` are the outputs that match the lines that are due.
    """
    start = done = 0
    for number, step in enumerate(transcript.steps):
        upto = done + len(step.printed)
        if upto > len(pieces) or number == len(transcript.steps) - 1:
            break
        start += sum(map(len, pieces[done:upto]))
        done = upto
    return number, start


def all_output(transcript: Transcript, run: Run, seconds: float) -> tuple[bytes, bool, int | None]:
    """Return the output of a program, whether it has ended, and its exit status."""
    typed = b''.join(step.typed for step in transcript.steps)
    output = bytearray(type_all(run, typed, seconds))
    run.end_input()
    piece = run.read(seconds)
    most = MOST_OBSERVED + len(transcript.output)
    while piece and len(output) < most:
        output += piece
        piece = run.read(seconds)
    status = run.status(seconds if piece == b'' else 0)
    return bytes(output), status is not None, status


def observe(difference: Difference, run: Run, seconds: float) -> Observation:
    """Return all that a program prints in a new run with all its input at once."""
    output, _, status = all_output(difference.transcript, run, seconds)
    return Observation(difference.transcript, difference, output, status, run.errors)


def observed_already(difference: Difference) -> Observation:
    """Return what `observe` would return, as far as it is known, without another run."""
    earlier = difference.earlier
    if earlier is None:
        steps = difference.transcript.steps[:difference.step]
        earlier = ''.join(step.output for step in steps).encode()
    output = earlier + difference.printed
    if difference.kind in ('runs on', 'status', 'file') and difference.earlier is None:
        output = difference.transcript.output.encode()
    if difference.whole is not None:
        output = difference.whole
    return Observation(difference.transcript, difference, output + difference.late,
                       difference.status, difference.errors,
                       is_cut=difference.kind == 'differs' and difference.whole is None)
