"""Explains in words why a line of a Nim program is wrong."""

from __future__ import annotations

from ...sessions.verdict import WrongLine
from .model import RecordedGame

INVALID = 'Invalid Game.\n'


def hint(wrong: WrongLine) -> str:
    """Return a hint about a wrong line, or `''` if no hint is certain."""
    if wrong.expected == INVALID:
        why = why_invalid([step.input or '' for step in wrong.session.steps[: wrong.step]])
        text = f'this recorded game is invalid: {why}' if why else 'this recorded game is invalid'
        if INVALID in (wrong.printed, *wrong.printed_next):
            text += '; print only "Invalid Game.", without the starting state'
        return text
    if wrong.printed == INVALID:
        return 'this recorded game is valid'
    return ''


def why_invalid(lines: list[str]) -> str:
    """Return why a recorded game is invalid, or `''` if it is valid."""
    game = RecordedGame(lines)
    game.play()
    return game.why_invalid
