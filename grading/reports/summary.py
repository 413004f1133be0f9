"""The part of a submission's results needed by reports on a class."""

from __future__ import annotations

from dataclasses import replace

from ..results import Results, without_grade
from .interruptions import INTERRUPTED, ended_by
from .students import hidden_example


def summary(results: Results) -> Results:
    """Return results without places, messages and quoted output: no report on a class shows these.

    The findings keep their crashes. If grading was interrupted, the summary has no grade.
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
            replace(test, example=test.example and hidden_example(test.example))
            for test in results.tests
        ],
    )
