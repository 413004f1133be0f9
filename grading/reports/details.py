"""A difference as results.json has it, for a page to draw."""

from __future__ import annotations

from typing import Any

from ..assignments.game import Game
from ..assignments.games import game_of
from ..printable import decoded, printable
from ..sessions.difference import Difference

MOST_SHOWN = 4000                       # characters of what was printed in one step


def details(difference: Difference) -> dict[str, Any]:
    """Return a difference as a page draws it."""
    line = difference.line
    game = game_of(difference.transcript)
    return {
        'kind': difference.kind,
        'game': game.name if game else '',
        'faults': [],
        'line': line.number if line else difference.expected.number,
        'typed': None if difference.typed is None else printable(difference.typed),
        'expected': printable(''.join(difference.due), keep='\n'),
        'printed': printable(decoded(difference.printed)[:MOST_SHOWN], keep='\n'),
        'before': printable(text_before(difference, game), keep='\n') if game else '',
        'step': difference.step,
    }


def text_before(difference: Difference, game: Game) -> str:
    """Return the last text before a step that shows a position: `INVALID` alone shows none."""
    texts = [step.output for step in difference.transcript.steps[:difference.step]]
    return next(filter(game.positions, reversed(texts)), '')
