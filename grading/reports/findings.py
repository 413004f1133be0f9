"""The findings shown in reports, and how many points fixing each of them would earn back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..in_words import FOR_EXAMPLE
from ..printable import counted
from ..results import Finding, Results, SessionResult

MAX_FINDINGS = 20  # reports show no more; grades.csv and results.json contain all of them


class ReportEntry(NamedTuple):
    """What every report says about a finding."""

    finding: Finding
    title: str  # the finding's number, and what the program does wrong
    seen: str  # the number of sessions that show it, in words
    gain: str  # how many points fixing only this would earn back, in words; see `gain`


def shown_findings(results: Results) -> Sequence[Finding]:
    """Return the findings to show in reports, in the order they should be fixed."""
    return results.findings[:MAX_FINDINGS]


def note_on_others(results: Results) -> str:
    """Return a note on how many findings reports do not show, or `''` if they show all."""
    others = len(results.findings) - len(shown_findings(results))
    return f'{counted(others, "more finding")} not shown' if others else ''


def entries(results: Results) -> list[ReportEntry]:
    """Return what reports say about the findings, in the order they should be fixed."""
    return [
        ReportEntry(
            finding,
            f'{number}. {sentence_of(finding)}',
            f'Seen in {counted(len(finding.sessions))}',
            gain(finding, results),
        )
        for number, finding in enumerate(shown_findings(results), 1)
    ]


def sentence_of(finding: Finding) -> str:
    """Return a finding as a sentence, such as `The program crashes at a.py, line 3 (KeyError).`"""
    if finding.sentence.startswith(FOR_EXAMPLE):
        what = finding.sentence.removeprefix(FOR_EXAMPLE)
        return f'For example, the {finding.subject} {what}.'
    return f'The {finding.subject} {finding.sentence}.'


def gain(finding: Finding, results: Results) -> str:
    """Return a sentence on how many points fixing only this finding would earn back.

    If that is not known, the sentence says so, or why. Return `''` if the sessions that show the
    finding are worth no points.
    """
    if not any(test.max_score for test in results.tests if test.name in finding.sessions):
        return ''
    if finding.is_end:
        if finding.sessions[1:]:
            return 'None of these sessions could be checked beyond this fault.'
        return 'This session could not be checked beyond this fault.'
    if finding.points:
        lost = sum(test.max_score - test.score for test in results.tests)
        least = 'at least ' if finding.uncertain or results.has_unplayed else ''
        earned = f'{least}{finding.points:g} of the {lost:g} lost points'
        return f'Fixing this alone would earn back {earned}.'
    if finding.uncertain or results.has_unplayed:
        return 'It is not known yet how many points fixing this alone would earn back.'
    return 'Fixing this alone would earn back no points: the same sessions show other faults.'


def in_list(sentence: str) -> str:
    """Return the sentence of a finding for a list of causes, with "for example" at its end.

    >>> in_list('for example, prints "6" instead of "4"')
    'prints "6" instead of "4" (for example)'
    """
    if sentence.startswith(FOR_EXAMPLE):
        return f'{sentence.removeprefix(FOR_EXAMPLE)} (for example)'
    return sentence


def failures_by_cause(results: Results) -> dict[str, list[SessionResult]]:
    """Return the failed sessions, grouped by what explains them.

    A group's key lists the ids of the shown findings that explain its sessions, separated by
    commas. A finding without an id is listed by its sentence. If there are no such findings, the
    key is `''`. Sessions that were not run are left out.
    """
    groups: dict[str, list[SessionResult]] = {}
    for test in results.tests:
        if not test.has_passed and not test.is_not_run:
            causes = [
                finding.id or in_list(finding.sentence)
                for finding in shown_findings(results)
                if test.name in finding.sessions
            ]
            groups.setdefault(', '.join(causes), []).append(test)
    return groups
