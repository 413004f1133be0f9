"""Faults that are seen in how a program prints, reads and ends, not in what it prints."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..printable import decoded
from ..sessions.difference import Difference
from .follow import Heard, Match
from .known import Known, fixed

NO_FLUSH = Known('no-flush', 'does not flush: what it prints comes only after more input',
                 'Flush before each read; in Python: print(..., flush=True).', fixed())
READS_ON = Known('reads-on', 'wants input after the end',
                 'End the program, with exit status 0, when the last line is printed.', fixed())
EXIT_STATUS = Known('exit-status', 'ends with another exit status than 0',
                    'End with exit status 0 when the last line is printed.', fixed())

Explanation = Sequence['tuple[Heard, Match]']       # the sessions that fail


def unflushed(explanation: Explanation) -> list[Difference]:
    """Return the differences where what was due came after more input than it needed.

    A program that reads a line too many does that too, but it does not print all.
    """
    late = [(heard, match) for heard, match in explanation if came_late(heard, match)]
    is_proved = any(match.is_whole for _, match in late)
    return [difference_of(heard) for heard, _ in late] if is_proved else []


def came_late(heard: Heard, match: Match) -> bool:
    """Return whether what the game prints, as the program plays it, came after more input."""
    difference = difference_of(heard)
    if difference.kind != 'silent':
        return False
    due = difference.expected.output
    if match.is_whole:
        due = ''.join(match.session.texts[difference.step:difference.step + 1])
    printed = decoded(difference.printed)
    return printed != due and decoded(difference.printed + difference.late).startswith(due)


def with_another_status(explanation: Explanation) -> list[Difference]:
    """Return the differences in the exit status alone, if no crash was the reason."""
    differences = [difference_of(heard) for heard, _ in explanation]
    return [difference for difference in differences
            if difference.kind == 'status' and (difference.status or 0) > 0
            and not difference.errors]


def reading_on(explanation: Explanation) -> list[Difference]:
    """Return the differences where a line is read once the game is over, as it is played."""
    return [difference for heard, match in explanation for difference in after_end(heard, match)]


def after_end(heard: Heard, match: Match) -> Iterator[Difference]:
    """Yield the difference, with the whole run where that alone tells."""
    difference = difference_of(heard)
    if difference.kind == 'runs on':
        if difference.status is not None:
            yield difference
    elif match.is_over and match.is_whole and heard.observed and heard.error == 'EOFError':
        yield Difference(heard.transcript, len(heard.transcript.steps) - 1, 'status', b'',
                         status=heard.status, errors=heard.observed.errors)


def difference_of(heard: Heard) -> Difference:
    """Return how a program departs from a session that fails."""
    assert heard.difference
    return heard.difference


MANNERS = [(NO_FLUSH, unflushed), (READS_ON, reading_on), (EXIT_STATUS, with_another_status)]
