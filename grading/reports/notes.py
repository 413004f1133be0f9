"""What a teacher should know about a submission or a class, besides the grades."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..printable import quoted_exactly, shorten
from ..results import Results
from .findings import shown_findings
from .interruptions import all_notes, ended_by
from .names import place_of
from .not_run import first_line, reasons_not_run

LONGEST_NOTE = 300  # maximum characters in the note on a submission
MIN_ALIKE = 2  # fewer submissions cannot show that the assignment is wrong
UNCONFINED = 'ran without a sandbox'
OUTDATED = 'graded with other sessions, before the assignment changed: grade it again'
INCOMPLETE = (
    'This grade is incomplete, because grading did not finish. That is not the fault of the '
    'submission, which must be graded again.'
)


def end_note(results: Results) -> str:
    """Return notes on an early end and on an incomplete grade, or `''` if neither applies."""
    notes = ended_by(results)
    if not results.complete:
        notes.append(INCOMPLETE)
    return '\n\n'.join(notes)


def note_on(results: Results) -> str:
    """Return one line with all notes on a submission.

    If the submission has no points or no known fault, the line begins with what the program does
    wrong.
    """
    notes = notes_on(results)
    if not (results.score and results.faults):
        notes = [*what_goes_wrong(results), *notes]
    return shorten(' '.join('; '.join(notes).split()), LONGEST_NOTE)


def what_goes_wrong(results: Results) -> list[str]:
    """Return what a program does wrong: a sentence for each finding shown in reports.

    But if the submission has no points and the first finding shows a crash, return only the crash.
    """
    findings = shown_findings(results)
    crash = findings[0].example.crash if findings else None
    if crash and not results.score:
        return [', at '.join(filter(None, [crash.error, place_of(crash)]))]
    return [*dict.fromkeys(finding.sentence for finding in findings)]


def notes_on(results: Results) -> list[str]:
    """Return all notes on a submission, such as why it has no grade or why sessions did not run."""
    notes = [results.output] if results.score is None else []
    if results.is_outdated:
        notes.append(OUTDATED)
    if ran_unconfined(results):
        notes.append(UNCONFINED)
    return [*notes, *(ended_by(results) or reasons_not_run(results)), *all_notes(results)]


def ran_unconfined(results: Results) -> bool:
    """Return whether the program ran without a sandbox."""
    return results.confinement == 'none' and not all(test.is_not_run for test in results.tests)


def common_failure_warning(all_results: Iterable[Results]) -> str:
    """Return a warning if all submissions in a class print the same instead of an expected line.

    Also return one if none passes a session, none has a known fault, and all fail in the same way.
    Otherwise, or if fewer than `MIN_ALIKE` submissions have a grade, return `''`.
    """
    graded = [results for results in all_results if results.score is not None]
    if len(graded) < MIN_ALIKE:
        return ''
    line = line_that_all_fail(graded)
    if line or any(results.passed or results.faults for results in graded):
        return line
    first, *others = map(ways_to_fail, graded)
    if any(other != first for other in others):
        return ''
    return (
        f'No submission passes any session, and all fail in the same way: {"; ".join(first)}. '
        'The assignment may be wrong: check its command, its build command and its files/.'
    )


def line_that_all_fail(graded: Sequence[Results]) -> str:
    """Return a warning about the first line for which all print the same wrong line, or `''`."""
    for test in graded[0].tests:
        examples = [
            other.example
            for results in graded
            for other in results.tests
            if other.name == test.name
        ]
        printed = {
            example and (example.line, example.expected, example.printed) for example in examples
        }
        example = test.example
        if len(examples) < len(graded) or len(printed) > 1 or not example or not example.printed:
            continue
        line = f'line {example.line} of {example.answers or example.session}'
        if example.difference.kind == 'extra newline':
            return f'No newline is expected at the end of {line}, but all programs print one.'
        if example.expected:
            return (
                f'All programs print {quoted_exactly(example.printed)} instead of {line}: '
                f'{quoted_exactly(example.expected)}.'
            )
    return ''


def ways_to_fail(results: Results) -> list[str]:
    """Return why sessions were not run, and what the program does wrong in the others."""
    return [
        *dict.fromkeys(
            [
                *map(first_line, reasons_not_run(results)),
                *(finding.sentence for finding in results.findings),
            ]
        )
    ]
