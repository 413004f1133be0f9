"""What a teacher should know besides a grade: about one submission, or about a whole class."""

from __future__ import annotations

from collections.abc import Iterable

from ..printable import shorten
from ..results import Results
from .findings import shown_findings

MOST_NOTED = 300  # characters of a note on a submission
FEWEST_ALIKE = 2  # submissions that fail alike
UNCONFINED = 'ran without a sandbox'
NOT_WHOLE = (
    'This is not the whole grade: the grading did not finish. That is not the fault of '
    'the submission, which has to be graded again.'
)


def end_note(results: Results) -> str:
    """Return why a grading is not complete, `''` if it is."""
    return '\n\n'.join([*ended_by(results), *[NOT_WHOLE] * (not results.complete)])


def ended_by(results: Results) -> list[str]:
    """Return what ended a grading before it was complete, if anything did."""
    return [f'ended by {results.ended}'] if results.ended else []


def note_on(results: Results) -> str:
    """Return a line with what a teacher should know besides a submission's grade."""
    findings, happens = shown_findings(results), []
    if findings and not (results.score and results.faults):  # nothing else says what is wrong
        crash = findings[0].example.crash
        happens = (
            [', at '.join(filter(None, [crash.error, crash.place]))]
            if crash and not results.score
            else [*dict.fromkeys(finding.sentence for finding in findings)]
        )
    return shorten(' '.join('; '.join([*happens, *notes_on(results)]).split()), MOST_NOTED)


def notes_on(results: Results) -> list[str]:
    """Return the notes on a submission."""
    notes = [results.output] if results.score is None else []
    if ran_unconfined(results):
        notes.append(UNCONFINED)
    return [*notes, *(ended_by(results) or results.reasons_not_run), *results.notes]


def ran_unconfined(results: Results) -> bool:
    """Return whether the program has run without a sandbox."""
    return results.confinement == 'none' and not all(test.is_not_run for test in results.tests)


def first_line(reason: str) -> str:
    """Return why a session did not run, without the lines of a compiler or a list below.

    >>> first_line('the build failed:\\n  build    |main.c:1: error')
    'the build failed'
    """
    return reason.partition('\n')[0].removesuffix(':')


def fail_alike(all_results: Iterable[Results]) -> str:
    """Return what a teacher should know first: no submission of a class passes, and all fail alike.

    Return '' if that is not so, or the reason is a known fault.
    """
    graded = [results for results in all_results if results.score is not None]
    ways = {
        tuple(
            dict.fromkeys(
                [
                    *map(first_line, results.reasons_not_run),
                    *(finding.sentence for finding in results.findings),
                ]
            )
        )
        for results in graded
    }
    if (
        len(graded) < FEWEST_ALIKE
        or len(ways) > 1
        or any(results.passed or results.faults for results in graded)
    ):
        return ''
    return (
        f'No submission passes a session, and all fail alike: {"; ".join(*ways)}. Perhaps the '
        'assignment is wrong: look at its command, its build and its files/.'
    )
