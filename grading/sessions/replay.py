"""Replay of a transcript: a program gets each input line only once it has printed what is due."""

from __future__ import annotations

import time
from typing import Sequence

from .difference import MOST_BYTES, Difference, Observation
from .run import Run
from .transcript import Transcript

QUIET = 0.05                            # seconds after which unexpected output counts as whole
PATIENCE = 0.5                          # seconds after which it is cut, if it goes on
GRACE_SECONDS = 1.0                     # seconds that a program gets to end when its input has
EXIT_SECONDS = 0.2                      # seconds that the end of a process may take


def replay(transcript: Transcript, run: Run, seconds: float) -> Difference | None:
    """Play a transcript line by line; return how the program first departs from it, if it does.

    `seconds` is how long it may be silent when something is due.
    """
    difference = first_difference(transcript, run, seconds)
    if difference:
        difference.way, difference.errors, difference.folder = run.way, run.errors, run.folder
        difference.excess = run.excess
    return difference


def first_difference(transcript: Transcript, run: Run, seconds: float) -> Difference | None:
    """Return the same, without what only the run itself knows.

    All that is printed is compared whole; after the last line nothing may come but the end, with
    exit status 0.
    """
    last = len(transcript.steps) - 1
    for number, step in enumerate(transcript.steps):
        if number == last and transcript.reads_all_first:
            run.end_input()
        printed, due = b'', step.output.encode()
        while printed != due and due.startswith(printed):
            piece = run.read(seconds)
            if not piece:
                return interrupted(transcript, run, seconds, number, printed, piece is None)
            printed += piece
            due = b''.join(step.due(printed))
        if printed != due:
            more, goes_on = collect(run, QUIET)
            return Difference(transcript, number, 'differs', printed + more, prints_on=goes_on)
        if step.input is not None:
            run.send(step.input.encode() + b'\n', seconds)
    return difference_at_end(transcript, run, seconds, due)


def interrupted(transcript: Transcript, run: Run, seconds: float, number: int, printed: bytes,
                is_silent: bool) -> Difference:
    """Return the difference of a program that ends or falls silent while something is due."""
    if not is_silent:
        return Difference(transcript, number, 'ended', printed, status=run.status(seconds))
    if run.is_overdue:
        return Difference(transcript, number, 'trickles', printed, seconds=run.seconds)
    run.send(lines(transcript.inputs[number:]), GRACE_SECONDS)
    run.end_input()
    late, _ = collect(run, GRACE_SECONDS)
    return Difference(transcript, number, 'silent', printed, late=late,
                      status=run.status(EXIT_SECONDS), seconds=seconds)


def difference_at_end(transcript: Transcript, run: Run, seconds: float,
                      printed: bytes) -> Difference | None:
    """Return what is wrong after the last step is printed: more output, no end, a bad status."""
    last = len(transcript.steps) - 1
    piece = run.read(seconds)
    if piece:
        more, goes_on = collect(run, QUIET)
        return Difference(transcript, last, 'differs', printed + piece + more, prints_on=goes_on)
    status = run.status(seconds) if piece is not None else None
    if status is None:
        run.end_input()
        late, _ = collect(run, GRACE_SECONDS)
        return Difference(transcript, last, 'runs on', b'', late=late,
                          status=run.status(GRACE_SECONDS), seconds=seconds)
    return Difference(transcript, last, 'status', b'', status=status) if status else None


def collect(run: Run, seconds: float) -> tuple[bytes, bool]:
    """Return what is printed until nothing comes for some seconds, and whether it was cut before.

    It is, when it has been too much, or too long.
    """
    printed = b''
    until = time.monotonic() + max(seconds, PATIENCE)
    while len(printed) < MOST_BYTES and time.monotonic() < until:
        piece = run.read(seconds)
        if not piece:
            return printed, False
        printed += piece
    return printed, True


def lines(inputs: Sequence[str]) -> bytes:
    """Return input lines as they are sent."""
    return ''.join(f'{line}\n' for line in inputs).encode()


def observed_already(difference: Difference) -> Observation:
    """Return what `observe` would of a program that has ended or hung, without another run."""
    steps = difference.transcript.steps[:difference.step]
    output = ''.join(step.output for step in steps).encode() + difference.printed
    if difference.kind in ('runs on', 'status'):
        output = difference.transcript.output.encode()
    if difference.whole is not None:
        output = difference.whole
    return Observation(difference.transcript, difference, output + difference.late,
                    difference.status, difference.errors)
