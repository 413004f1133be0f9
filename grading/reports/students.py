"""What students may see of results: of a hidden session, only its name, title and result."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from ..results import Example, Finding, Results
from .findings import note_on_others

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
