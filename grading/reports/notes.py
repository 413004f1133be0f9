"""What a teacher should know besides a grade: about one submission, or about a whole class."""

from __future__ import annotations

from collections.abc import Iterable

from ..printable import shorten
from ..results import Results
from .findings import shown_findings
from .interruptions import all_notes, ended_by
from .names import place_of
from .not_run import first_line, reasons_not_run

MOST_NOTED = 300  # characters of a note on a submission
FEWEST_ALIKE = 2  # submissions that must fail in the same way for a warning
UNCONFINED = 'ran without a sandbox'
NOT_WHOLE = (
    'This grade is incomplete: grading did not finish. That is not the fault of '
    'the submission, which has to be graded again.'
)


def end_note(results: Results) -> str:
    """Return why a grading is not complete, or `''` if it is."""
    notes = ended_by(results)
    if not results.complete:
        notes.append(NOT_WHOLE)
    return '\n\n'.join(notes)


def note_on(results: Results) -> str:
    """Return what a teacher should know besides a submission's grade, on one line.

    If the submission has no known fault, the note also says what the program does.
    """
    notes = notes_on(results)
    if not (results.score and results.faults):
        notes = [*what_happens(results), *notes]
    return shorten(' '.join('; '.join(notes).split()), MOST_NOTED)


def what_happens(results: Results) -> list[str]:
    """Return what a program does: the crash that leaves it without points, or its findings."""
    findings = shown_findings(results)
    crash = findings[0].example.crash if findings else None
    if crash and not results.score:
        return [', at '.join(filter(None, [crash.error, place_of(crash)]))]
    return [*dict.fromkeys(finding.sentence for finding in findings)]


def notes_on(results: Results) -> list[str]:
    """Return the notes on a submission."""
    notes = [results.output] if results.score is None else []
    if ran_unconfined(results):
        notes.append(UNCONFINED)
    return [*notes, *(ended_by(results) or reasons_not_run(results)), *all_notes(results)]


def ran_unconfined(results: Results) -> bool:
    """Return whether the program has run without a sandbox."""
    return results.confinement == 'none' and not all(test.is_not_run for test in results.tests)


def fail_alike(all_results: Iterable[Results]) -> str:
    """Return a warning if no submission of a class passes any session and all fail in the same way.

    Return `''` otherwise, or if known faults explain the failures.
    """
    graded = [results for results in all_results if results.score is not None]
    if len(graded) < FEWEST_ALIKE or any(results.passed or results.faults for results in graded):
        return ''
    first, *others = map(ways_to_fail, graded)
    if any(other != first for other in others):
        return ''
    return (
        f'No submission passes any session, and all fail in the same way: {"; ".join(first)}. '
        'The assignment may be wrong: look at its command, its build and its files/.'
    )


def ways_to_fail(results: Results) -> list[str]:
    """Return why sessions did not run, and what the program does in the others."""
    return [
        *dict.fromkeys(
            [
                *map(first_line, reasons_not_run(results)),
                *(finding.sentence for finding in results.findings),
            ]
        )
    ]
