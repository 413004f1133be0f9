"""What a wrong line of a Nim program means, in words."""

from __future__ import annotations

from ...sessions.verdict import WrongLine
from .model import (
    Recorded,
)

INVALID = 'Invalid Game.\n'


# ------------------------------------------------------------------------------------------ hints


def hint(place: WrongLine) -> str:
    """Return a hint about a line that differs in meaning, `''` if nothing is certain."""
    if place.expected == INVALID:
        why = why_invalid([step.input or '' for step in place.session.steps[: place.step]])
        is_told = INVALID in (place.printed, *place.printed_next)
        return (
            f'this recorded game is invalid{why and ": "}{why}'
            + '; print this line alone, not even the starting state' * is_told
        )
    if place.printed == INVALID:
        return 'this recorded game is valid'
    return ''


def why_invalid(lines: list[str]) -> str:
    """Return why a recorded game is invalid, `''` if it is valid."""
    game = Recorded(lines)
    game.play()
    return game.why_invalid
