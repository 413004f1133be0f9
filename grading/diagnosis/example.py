"""Makes the example of a fault: one of its failures, with crash, errors and hint."""

from __future__ import annotations

from dataclasses import replace

from ..engine.example import example_of
from ..games.game import Game
from ..results import Example
from ..sessions.verdict import HANGING, PlayedSession
from .crash import crash_at, hint_for_crash, lines_of_errors
from .hints import hint_for, hint_for_errors

MAX_ERRORS = 3  # maximum number of lines of standard error in an example


def explained_example(
    played: PlayedSession, game: Game | None = None, is_named: bool = False
) -> Example:
    """Return the example of the failure in a session, with its crash, errors and hint.

    If the fault has a name (`is_named`), the report gives advice, and the hint does not repeat it.
    """
    wrong, crash = played.failure, crash_at(played)
    errors = []
    if not crash and (wrong.kind in ('ended', 'status') or (wrong.row and not game)):
        errors = lines_of_errors(played.dialogue.errors)[-MAX_ERRORS:]
        if wrong.kind == 'differs' and errors and errors[-1].startswith('EOFError'):
            errors = []  # the grader had closed the input
    hint = hint_for_errors(played)
    if crash and wrong.kind not in HANGING:
        hint = hint_for_crash(crash)
    elif wrong.kind in HANGING or wrong.row or not errors:
        hint = hint_for(played, game, is_named)
    if played.dialogue.refused:
        hint = f'before this, the sandbox refused: {", ".join(played.dialogue.refused)}'
    return replace(example_of(played, game), crash=crash, errors=errors, hint=hint)
