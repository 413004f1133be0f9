"""What students may see of results: for a hidden session, only its name, title and result."""

from __future__ import annotations

from dataclasses import replace

from ..results import Example, Results
from .findings import note_on_others

HIDDEN = 'What is typed and printed in this session is hidden.'


def for_students(results: Results) -> Results:
    """Return results as students see them in every output.

    For a hidden session, students see the name, the title and the result. They see none of its
    output, because a program may repeat its input. Nor do they see how long the program took: a
    program could reveal a typed number by waiting that many seconds.
    """
    results = replace(results, digest='', fingerprint='', seed=None, version='')
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
        findings=[
            replace(
                finding,
                sentence=(
                    finding.plain or finding.sentence
                    if hidden.issuperset(finding.sessions)
                    else finding.sentence
                ),
                example=(
                    hidden_example(finding.example)
                    if finding.example.session in hidden
                    else finding.example
                ),
            )
            for finding in results.findings
        ],
    )


def hidden_example(example: Example) -> Example:
    """Return an example without any input, expected output or printed output."""
    return Example(example.session, 0, 0, example.kind, is_hidden=True)
