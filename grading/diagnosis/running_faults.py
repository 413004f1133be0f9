"""Faults that are seen in how a program prints, reads and ends, not in what it prints."""

from __future__ import annotations

from typing import Iterator, Sequence

from ..printable import decoded
from ..sessions.difference import Difference
from .follow import Heard, Match
from .known_fault import Known, fixed
from .style import LONGEST

NO_FLUSH = Known('no-flush', 'does not flush: what it prints comes only after more input',
                 'Flush before each read; in Python: print(..., flush=True).', fixed())
READS_ON = Known('reads-on', 'wants input after the end',
                 'End the program, with exit status 0, when the last line is printed.', fixed())
READS_FIRST = Known('reads-first', 'reads all input before it plays',
                    'Read one line at a time, and print what is due before you read the next one.',
                    fixed())
ENDLESS = Known('endless', 'runs on after the last line, whether input comes or not',
                'End the loop when the game is over; no line is read any more then.', fixed())
EXIT_STATUS = Known('exit-status', 'ends with another exit status than 0',
                    'End with exit status 0 when the last line is printed.', fixed())

Explanation = Sequence['tuple[Heard, Match]']       # the sessions that fail


def unflushed(explanation: Explanation) -> list[Difference]:
    """Return the differences where what was due came after more input than it needed.

    A program that reads a line too many does that too, but it does not print all.
    """
    return [] if reads_first(explanation) else late_in(explanation)


def reading_first(explanation: Explanation) -> list[Difference]:
    """Return the differences where nothing comes before all input has been read."""
    return late_in(explanation) if reads_first(explanation) else []


def reads_first(explanation: Explanation) -> bool:
    """Return whether a program shows what is due before the first input, and then nothing more
    before the end of input."""
    late = late_in(explanation)
    return bool(late) and all(has_shown(difference, 1) and not has_shown(difference)
                              for difference in late)


def has_shown(difference: Difference, steps: int = 0) -> bool:
    """Return whether something that was due came in time: in the first steps, or behind them."""
    right = difference.transcript.steps[:difference.step]
    return any(step.printed for step in (right[:steps] if steps else right[1:]))


def late_in(explanation: Explanation) -> list[Difference]:
    """Return the differences where what is due came late, if that alone is wrong in one of them.
    """
    late = [(heard, match) for heard, match in explanation if came_late(heard, match)]
    is_proved = any(match.is_whole for _, match in late)
    return [difference_of(heard) for heard, _ in late] if is_proved else []


def endless(explanation: Explanation) -> list[Difference]:
    """Return the differences where a program runs on when all is over, and input, too."""
    return [difference_of(heard) for heard, match in explanation
            if difference_of(heard).kind == 'runs on' and difference_of(heard).status is None]


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
    elif match.is_over and heard.error == 'EOFError' and asks_on(match):
        yield difference
    elif match.is_over and match.is_whole and heard.observed and heard.error == 'EOFError':
        yield Difference(heard.transcript, len(heard.transcript.steps) - 1, 'status', b'',
                         status=heard.status, errors=heard.observed.errors)


def asks_on(match: Match) -> bool:
    """Return whether a program asks for something once the game is over."""
    rest = match.session.upcoming()
    return bool(rest) and len(rest) < LONGEST and not rest.endswith('\n')


def difference_of(heard: Heard) -> Difference:
    """Return how a program departs from a session that fails."""
    assert heard.difference
    return heard.difference


MANNERS = [(READS_FIRST, reading_first), (NO_FLUSH, unflushed), (READS_ON, reading_on),
           (ENDLESS, endless), (EXIT_STATUS, with_another_status)]
AT_END = (READS_ON.id, ENDLESS.id)       # what happens when the game is over
