"""Decides which submissions of a class get a turn, and which start over later.

All quick turns come first, then slow ones, and at last the turns alone: see `engine.retries`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..engine.retries import TurnKind

ORDER: Sequence[TurnKind] = ('quick', 'slow', 'alone')
# Once nothing else runs, all that wait to run alone do so: what they ask for next can run together.
ORDER_AFTER_ALONE: Sequence[TurnKind] = ('quick', 'alone', 'slow')


def next_turn(
    waiting: Sequence[TurnKind], running: Sequence[TurnKind], most: int, before: TurnKind = 'quick'
) -> int | None:
    """Return which of the waiting submissions gets a turn now, or None if none does.

    waiting  the turns that submissions wait for, in the order in which they asked
    running  the turns that submissions have
    most     how many submissions may have a turn at a time
    before   the kind of the last turn that was given

    >>> next_turn(['alone', 'slow', 'quick', 'quick'], ['slow'], most=2)
    2
    >>> next_turn(['alone', 'slow'], ['quick', 'slow'], most=2) is None
    True
    >>> next_turn(['alone'], ['slow'], most=2) is None
    True
    """
    if len(running) >= most or 'alone' in running:
        return None
    order = ORDER_AFTER_ALONE if before == 'alone' else ORDER
    kind = next((kind for kind in order if kind in waiting), None)
    if not kind or (kind == 'alone' and running):
        return None
    return waiting.index(kind)
