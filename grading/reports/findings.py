"""What every report says about the findings of a submission: which ones, and what each is worth."""

from __future__ import annotations

from typing import NamedTuple

from ..results import Finding, Results


class ReportEntry(NamedTuple):
    """What every report says about a finding."""

    finding: Finding
    title: str  # its number, and what the program does
    gain: str  # the points that come back when it is fixed, '' for none


def entries(results: Results) -> list[ReportEntry]:
    """Return what reports say about each finding; the one to fix first is the first."""
    found: list[ReportEntry] = []
    for number, finding in enumerate(results.findings, 1):
        is_beside = not finding.id and any(entry.finding.id for entry in found)
        found.append(
            ReportEntry(
                finding,
                f'{number}. {"Also, the" if is_beside else "The"} {finding.subject} '
                f'{finding.sentence}.',
                gain(finding, results),
            )
        )
    return found


def gain(finding: Finding, results: Results) -> str:
    """Return how many points come back when one finding alone is fixed, `''` if it cost none."""
    if not any(test.max_score for test in results.tests if test.name in finding.sessions):
        return ''
    lost = sum(test.max_score - test.score for test in results.tests)
    least = 'at least ' if finding.unseen or results.reasons_not_run else ''
    others = {name for other in results.findings if other != finding for name in other.sessions}
    return next(
        told
        for is_so, told in [
            (finding.is_end, 'Every session ends here; what comes after it cannot be seen yet.'),
            (
                finding.points,
                f'Fixing this alone gives {least}{finding.points:g} of {lost:g} lost points back.',
            ),
            (
                others.issuperset(finding.sessions),
                'Fixing this alone gives no points back: the same sessions show other faults, too.',
            ),
            (True, 'How many points fixing this alone gives back cannot be seen yet.'),
        ]
        if is_so
    )
