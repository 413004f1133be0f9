"""The part of a submission's results needed by reports on a class."""

from __future__ import annotations

from dataclasses import replace

from ..results import Example, Results, without_grade
from .interruptions import INTERRUPTED, ended_by
from .students import hidden_example


def summary(results: Results) -> Results:
    """Return results without places, messages and most output: no report on a class shows these.

    The findings keep their crashes, and the sessions their wrong lines. If grading was interrupted,
    the summary has no grade.
    """
    if results.score is None:
        return results
    if not results.complete:
        return without_grade(results.submission, ': '.join([*ended_by(results), INTERRUPTED]))
    return replace(
        results,
        output='',
        smallest='',
        findings=[
            replace(
                finding,
                places=[],
                example=replace(hidden_example(finding.example), crash=finding.example.crash),
            )
            for finding in results.findings
        ],
        tests=[
            replace(test, example=test.example and wrong_line_of(test.example))
            for test in results.tests
        ],
    )


def wrong_line_of(example: Example) -> Example:
    """Return an example with only the place, the expected line and the printed line."""
    expected, printed = example.expected, example.printed
    if example.printed_text == example.expected_text + '\n':
        expected = example.expected_text.rpartition('\n')[2]
        printed = f'{expected}\n'
    return replace(
        hidden_example(example),
        line=example.line,
        answers=example.answers,
        expected=expected,
        printed=printed,
        is_hidden=example.is_hidden,
    )
