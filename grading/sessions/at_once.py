"""A session with all its input at once, as `program < file` has it, compared as a whole."""

from __future__ import annotations

from .difference import MOST_BYTES, Difference, Observation
from .run import Run
from .transcript import Transcript

AT_ONCE = 'with all its input at once'
MOST_OBSERVED = 1 << 20                 # bytes


def replay_at_once(transcript: Transcript, run: Run, seconds: float) -> Difference | None:
    """Play a transcript at once; return how the program first departs from it, if it does.

    `seconds` is how long it may be silent.
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
    """Return the first step whose output is wrong, if there is one.

    Of the rest of the output, as many lines as were due there count as printed in this step.
    """
    start = 0
    for number, step in enumerate(transcript.steps):
        rest = output[start:]
        lines = step.due(rest)
        due = b''.join(lines)
        if not rest.startswith(due):
            if not due.startswith(rest):
                rest = b''.join(rest.splitlines(keepends=True)[:len(lines)])
                return Difference(transcript, number, 'differs', rest)
            return Difference(transcript, number, 'ended' if has_ended else 'silent', rest,
                              status=status)
        start += len(due)
    if output[start:]:
        return Difference(transcript, number, 'differs', rest[:MOST_BYTES])
    if not has_ended:
        return Difference(transcript, number, 'runs on', b'')
    return Difference(transcript, number, 'status', b'', status=status) if status else None


def all_output(transcript: Transcript, run: Run, seconds: float) -> tuple[bytes, bool, int | None]:
    """Return what a program prints, whether it has come to its end, and its exit status."""
    run.send(''.join(f'{line}\n' for line in transcript.inputs).encode(), seconds)
    run.end_input()
    output = b''
    piece = run.read(seconds)
    while piece and len(output) < MOST_OBSERVED:
        output += piece
        piece = run.read(seconds)
    status = run.status(seconds if piece == b'' else 0)
    return output, status is not None, status


def observe(difference: Difference, run: Run, seconds: float) -> Observation:
    """Return all that a program prints in a new run, given all its input at once."""
    output, _, status = all_output(difference.transcript, run, seconds)
    return Observation(difference.transcript, difference, output, status, run.errors)


def comes_late(difference: Difference) -> bool:
    """Return whether what was due in a step came only after more input."""
    due = ''.join(difference.due).encode()
    return (difference.kind == 'silent' and not difference.printed.startswith(due)
            and (difference.printed + difference.late).startswith(due))
