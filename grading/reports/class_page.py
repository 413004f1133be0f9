"""The page about a class, which compares its submissions, faults and sessions."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from math import ceil
from statistics import mean, median

from markupsafe import Markup

from ..results import Results
from .addresses import page_of
from .findings import shown_findings
from .notes import fail_alike, notes_on, ran_unconfined
from .rendering import TEMPLATES, render

SCRIPT = TEMPLATES / 'table.js'
NOT_AT_ALL = 'could not be run'
MOST_BINS = 10  # of the histogram
MOST_FAULTS = 10  # of a class; of more, those of one program are folded


def index_page(all_results: Sequence[Results], pages: Sequence[str] = ()) -> str:
    """Return the page about a class; it links to `NAME/report.html` for each submission.

    Results with the score None have no grade; their `output` says why. `pages` are the names of the
    sessions that have pages. The page's policy allows only its own script, by its hash.
    """
    graded = sorted(
        (results for results in all_results if results.score is not None),
        key=lambda results: (-(results.score or 0), results.submission.casefold()),
    )
    faults, failures, twins = faults_of(graded), failures_of(graded), twins_of(graded)
    remarks = {
        results.submission: [
            *dict.fromkeys(finding.sentence for finding in shown_findings(results)),
            *['late'] * bool(results.late),
            *twins.get(results.submission, []),
            *notes_on(results),
        ]
        for results in graded
    }
    script = SCRIPT.read_text(encoding='utf-8')
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render(
        'index.html',
        graded=graded,
        number=len(all_results),
        assignment=', '.join(dict.fromkeys(filter(None, (one.game for one in all_results)))),
        day=f'{date.today():%d %B %Y}'.lstrip('0'),
        remarks=remarks,
        script=Markup(script),
        policy=f"script-src 'sha256-{script_hash}'; ",
        all_results=all_results,
        most_faults=MOST_FAULTS,
        alike=fail_alike(all_results),
        has_passed=any(
            (results.passed, len(results.tests)) != (results.score, results.max_score)
            for results in graded
        ),
        full=sum((results.score or 0) >= results.max_score for results in graded),
        scores=scores_of(graded) if graded else None,
        faults=faults,
        failures=failures,
        unconfined=sum(map(ran_unconfined, graded)),
        pages={name: page_of(number) for number, name in enumerate(pages)},
        keys={
            name: ' '.join(share.key for share in [*faults, *failures] if name in share.names)
            for name in remarks
        },
    )


@dataclass
class ClassShare:
    """The programs that have a fault, or fail a session."""

    key: str  # marks the rows of the table
    id: str  # of a fault, or a session's name
    sentence: str
    names: list[str] = field(default_factory=list)
    points: float = 0  # that fixing it alone gives back, in all programs together
    is_least: bool = False  # whether it may be more: some sessions were not run


def faults_of(graded: Sequence[Results]) -> list[ClassShare]:
    """Return the programs with each known fault, the most frequent first, then all others."""
    shares: dict[str, ClassShare] = {}
    for results in graded:
        causes = [(one.id, one.sentence, one.points) for one in results.findings if one.id]
        if results.passed < len(results.tests) and not causes:
            is_run = not all(test.is_not_run for test in results.tests)
            causes = [
                (
                    '',
                    'fails in a way that no known fault explains' if is_run else NOT_AT_ALL,
                    sum(finding.points for finding in results.findings),
                )
            ]
        for name, sentence, points in causes:
            share = shares.setdefault(
                name or sentence, ClassShare(f'f{len(shares)}', name, sentence)
            )
            share.names.append(results.submission)
            share.points += points
            share.is_least |= bool(results.reasons_not_run)
    return sorted(
        shares.values(),
        key=lambda share: (share.sentence == NOT_AT_ALL, not share.id, -len(share.names), share.id),
    )


def failures_of(graded: Sequence[Results]) -> list[ClassShare]:
    """Return the programs that fail each session, in the order of sessions."""
    sessions: dict[str, list[str]] = defaultdict(list)
    for results in graded:
        for test in results.tests:
            sessions[test.name] += [results.submission] * (
                test.example is not None and not test.has_passed
            )
    return [
        ClassShare(f's{number}', name, '', names)
        for number, (name, names) in enumerate(sessions.items())
        if names
    ]


def twins_of(graded: Sequence[Results]) -> dict[str, list[str]]:
    """Return remarks on programs that differ from others only in names, blanks and comments."""
    groups = defaultdict(list)
    for results in graded:
        if results.digest:
            groups[results.digest].append(results.submission)
    return {
        name: [f'the same program as {", ".join(other for other in names if other != name)}']
        for names in groups.values()
        if len(names) > 1
        for name in names
    }


def scores_of(graded: Sequence[Results]) -> dict[str, object]:
    """Return the mean, the median and the highest possible score, and how many have which scores.

    There is at least one submission. The `bins` are ranges of scores, each with a number.
    """
    scores = [float(results.score or 0) for results in graded]
    most = max(*(results.max_score for results in graded), *scores, 1)
    width = ceil(most / MOST_BINS)  # whole points
    edges = [*map(float, range(0, ceil(most), width)), most]
    counts = Counter(max(0, min(int(score // width), len(edges) - 2)) for score in scores)
    return {
        'mean': mean(scores),
        'median': median(scores),
        'most': most,
        'bins': [(range_, counts[number]) for number, range_ in enumerate(pairwise(edges))],
    }
