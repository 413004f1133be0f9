"""What the words of Nim's protocols mean, where one stands for another."""

from __future__ import annotations

from ...sessions.difference import Situation


def hint(situation: Situation) -> str:
    """Return what is certain where a line differs in meaning, `''` where nothing is."""
    if situation.expected == 'Invalid Game.\n':
        return 'the recorded game is invalid: this line alone is due, not even the start'
    if situation.printed == 'Invalid Game.\n':
        return 'this recorded game is valid'
    return ''
