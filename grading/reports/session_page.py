"""The page about a session of a class: its moves, and the programs that fail it."""

from __future__ import annotations

from collections.abc import Sequence

from ..results import Results
from ..sessions.transcript import Transcript
from .findings import sentence_of, shown_findings
from .pictures import playthrough_of
from .rendering import render


def session_page(transcript: Transcript, all_results: Sequence[Results]) -> str:
    """Return the page about one session: its moves, and the programs that fail it."""
    causes: dict[str, list[str]] = {}
    for results in sorted(all_results, key=lambda results: results.submission.casefold()):
        for test in results.tests:
            if test.name == transcript.name and not test.has_passed:
                why = ' '.join(
                    dict.fromkeys(
                        sentence_of(one)
                        for one in shown_findings(results)
                        if transcript.name in one.sessions
                    )
                ) or (test.output if test.is_not_run else 'The reason is not known.')
                causes.setdefault(why, []).append(results.submission)
    return render(
        'session.html',
        transcript=transcript,
        number=len(all_results),
        course_of=playthrough_of(transcript, None)[0],
        causes=sorted(causes.items(), key=lambda cause: -len(cause[1])),
    )
