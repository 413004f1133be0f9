"""What students may see of results, and what reports on a class need of them.

Of a hidden session, students see only the name, the title and the result.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..results import Example, Finding, Results, without_grade
from .wording import INTERRUPTED, ended_by, note_on_others

HIDDEN = 'The input and output of this session are hidden.'


def for_students(results: Results) -> Results:
    """Return the results as students see them, in every kind of report.

    Facts for the grader, such as the digest and the seed, are left out. A note says how many
    findings are not shown, if there are any. Of a hidden session, students see the name, the title
    and the result, but no output, because a program may repeat the hidden input. If any session is
    hidden, students do not see the execution time either: a program could reveal a typed number by
    waiting that many seconds.
    """
    results = replace(results, digest='', sessions='', fingerprint='', seed=None, version='')
    others = note_on_others(results)
    if others:
        results.notes = [*results.notes, others]
    hidden = {test.name for test in results.tests if test.hidden}
    if not hidden:
        return results
    return replace(
        results,
        execution_time=None,
        cut_short=[],
        tests=[
            replace(test, example=hidden_example(test.example))
            if test.hidden and test.example
            else test
            for test in results.tests
        ],
        findings=[finding_for_students(finding, hidden) for finding in results.findings],
    )


def finding_for_students(finding: Finding, hidden: Collection[str]) -> Finding:
    """Return a finding as students see it; `hidden` are the names of the hidden sessions.

    If only hidden sessions show the finding, its sentence quotes nothing from the program.
    """

    if finding.plain and all(name in hidden for name in finding.sessions):
        finding = replace(finding, sentence=finding.plain)
    if finding.example.session in hidden:
        finding = replace(finding, example=hidden_example(finding.example))
    return finding


def hidden_example(example: Example) -> Example:
    """Return an example with only its session and its kind of failure."""
    return Example(example.session, 0, 0, example.kind, is_hidden=True)


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
