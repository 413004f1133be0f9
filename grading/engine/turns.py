"""The turns of the submissions of a class: which of them runs now, and beside which others.

A submission has one turn after another. A turn says what else runs at the same time:

quick   The first turn of a submission of a class. A program may be silent for a second (at its
        start, for three), and the submission may take a few seconds. Whatever takes longer is
        played again in a slow turn.
slow    All limits apply in full.
alone   Nothing else runs. Sessions whose failure the machine may have caused are played again.

All quick turns come first, then slow ones, then turns alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Literal

TurnKind = Literal['quick', 'slow', 'alone']
ORDER: Sequence[TurnKind] = ('quick', 'slow', 'alone')
# After a turn alone, the others that wait to run alone come before slow turns. Then the slow turns
# that they ask for afterwards can run at the same time.
ORDER_AFTER_ALONE: Sequence[TurnKind] = ('quick', 'alone', 'slow')


class MachineTurn:
    """The turn that a submission has.

    By itself, a submission gets each turn it asks for at once. In a class, `wait_for` returns when
    the turn has come.
    """

    def __init__(
        self, kind: TurnKind = 'slow', wait_for: Callable[[TurnKind], None] | None = None
    ) -> None:
        self.kind = kind
        self.is_in_class = wait_for is not None
        self.is_always_alone = kind == 'alone'  # it is graded once more, and needs no other turn
        self.waited = 0.0  # seconds of waiting for turns
        self._wait_for = wait_for
        self._given = time.monotonic()  # when the turn came
        self._seconds_alone = 0.0  # in former turns

    @property
    def seconds_alone(self) -> float:
        """How many seconds the submission has kept the others from running."""
        is_alone = self.kind == 'alone' and not self.is_always_alone
        return self._seconds_alone + (time.monotonic() - self._given if is_alone else 0)

    def ask(self, kind: TurnKind) -> None:
        """Wait for a turn of another kind, if the submission does not have such a turn."""
        if self.kind == kind or self.is_always_alone:
            return
        self._seconds_alone, begin = self.seconds_alone, time.monotonic()
        if self._wait_for:
            self._wait_for(kind)
        self.kind, self._given = kind, time.monotonic()
        self.waited += self._given - begin


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
