"""The message about each failed session, and the message about a submission as a whole."""

from __future__ import annotations

from ..results import FRESH, Results, SessionResult
from .examples import describe
from .not_run import why_not_run
from .notes import end_note
from .students import HIDDEN

FLAKY = 'The program does not always fail this game in the same way.'


def message_about(test: SessionResult, results: Results) -> str:
    """Return how a session failed and which faults explain this, or why the session was not run.

    Return `''` if the session passed. If the example is hidden, say only that.
    """
    if not test.example:
        return why_not_run(test, results)
    if test.example.is_hidden:
        return HIDDEN
    faults = [
        finding.id for finding in results.findings if finding.id and test.name in finding.sessions
    ]
    explained = f'\n  explained by {", ".join(faults)}' if faults else ''
    parts = [describe(test.example) + explained]
    if test.name == FRESH:
        parts.append(results.smallest)
        if results.flaky:
            parts.append(FLAKY)
    return '\n\n'.join(filter(None, parts))


def message_on_submission(results: Results) -> str:
    """Return why a submission has no grade, or the `end_note` about its grade."""
    return results.output if results.score is None else end_note(results)
