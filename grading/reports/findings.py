"""The findings shown in reports, and in how many sessions nothing else is wrong."""

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
    clean: str  # in how many of them nothing else is wrong, in words; see `clean_in_words`


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
            clean_in_words(finding, results),
        )
        for number, finding in enumerate(shown_findings(results), 1)
    ]


def sentence_of(finding: Finding) -> str:
    """Return a finding as a sentence, such as `The program crashes at a.py, line 3 (KeyError).`"""
    if finding.sentence.startswith(FOR_EXAMPLE):
        what = finding.sentence.removeprefix(FOR_EXAMPLE)
        return f'For example, the {finding.subject} {what}.'
    return f'The {finding.subject} {finding.sentence}.'


def clean_in_words(finding: Finding, results: Results) -> str:
    """Return in how many sessions nothing else is wrong, and in how many that cannot be seen yet.

    Return `''` if the sessions that show the finding are worth no points.
    """
    if not any(test.max_score for test in results.tests if test.name in finding.sessions):
        return ''
    clean, cut, all_ = map(len, (finding.clean, finding.cut, finding.sessions))
    these = 'this session' if all_ == 1 else 'these sessions'
    points = f'{finding.clean_points:g} point' + ('s' if finding.clean_points != 1 else '')
    if clean == all_:
        return f'Nothing else is wrong in {these} ({points}).'
    if cut == all_:
        return f'What follows in {these} cannot be seen yet.'
    if not clean and not cut:
        return f'Other faults show in {these}, too.'
    others = 'the other' if all_ - clean == 1 else f'the other {cut}'
    unseen = f'in {others if clean + cut == all_ else cut}, what follows cannot be seen yet.'
    of_these = f'of these {all_} sessions'
    if not clean:
        return f'In {cut} {of_these}, what follows cannot be seen yet.'
    known = f'In {clean} {of_these} nothing else is wrong ({points})'
    return f'{known}; {unseen}' if cut else f'{known}.'


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
