"""The page about a session: its input, its expected output, and the failing programs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ..games.registry import game_of
from ..results import Results, SessionResult
from ..sessions.session import Session
from .findings import sentence_of, shown_findings
from .not_run import why_not_run
from .pictures import playthrough_of
from .rendering import render


def session_page(session: Session, all_results: Sequence[Results]) -> str:
    """Return the page about a session; the most frequent cause of failure comes first."""
    causes: dict[str, list[str]] = {}
    for results in sorted(all_results, key=lambda results: results.submission.casefold()):
        for test in results.tests:
            if test.name == session.name and not test.has_passed:
                causes.setdefault(cause_of(test, results), []).append(results.submission)
    return render(
        'session.html',
        session=session,
        # A program for one built-in game gets no arguments.
        arguments='' if game_of(session) else shlex.join(session.arguments),
        number=len(all_results),
        course_of=playthrough_of(session, None)[0],
        causes=sorted(causes.items(), key=lambda cause: -len(cause[1])),
    )


def cause_of(test: SessionResult, results: Results) -> str:
    """Return, in a few sentences, why a program fails a session, or why the session was not run."""
    if test.is_not_run:
        return why_not_run(test, results)
    findings = [finding for finding in shown_findings(results) if test.name in finding.sessions]
    return ' '.join(dict.fromkeys(map(sentence_of, findings))) or 'The reason is not known.'
