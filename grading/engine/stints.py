"""The stints of the submissions of a class: which of them runs now, and beside which others.

A submission has one stint after another. A stint says what else runs at the same time:

quick   The first stint of a submission of a class. A program may be silent for a second (at its
        start, for three), and the submission may take a few seconds (three, while nothing right
        has come). Whatever takes longer is played again in a slow stint.
slow    All limits apply in full.
alone   Nothing else runs. Sessions whose failure the machine may have caused are played again.

All quick stints come first, then slow ones, then stints alone; slow stints that are asked for later
wait until no one waits to run alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Literal

StintKind = Literal['quick', 'slow', 'alone']
ORDER: Sequence[StintKind] = ('quick', 'slow', 'alone')
# After a stint alone, the others that wait to run alone come before slow stints. Then the slow
# stints that they ask for afterwards can run at the same time.
ORDER_AFTER_ALONE: Sequence[StintKind] = ('quick', 'alone', 'slow')


class Stint:
    """The stint that a submission has.

    By itself, a submission gets each stint it asks for at once. In a class, `wait_for` returns when
    the stint has come.
    """

    def __init__(
        self, kind: StintKind = 'slow', wait_for: Callable[[StintKind], None] | None = None
    ) -> None:
        self.kind = kind
        self.is_in_class = wait_for is not None
        self.is_always_alone = kind == 'alone'  # it is graded once more, and needs no other stint
        self.waited = 0.0  # seconds of waiting for stints
        self._wait_for = wait_for
        self._given = time.monotonic()  # when the stint came
        self._seconds_alone = 0.0  # in former stints

    @property
    def seconds_alone(self) -> float:
        """How many seconds the submission has kept the others from running."""
        is_alone = self.kind == 'alone' and not self.is_always_alone
        return self._seconds_alone + (time.monotonic() - self._given if is_alone else 0)

    def ask(self, kind: StintKind) -> None:
        """Wait for a stint of another kind, if the submission does not have such a stint."""
        if self.kind == kind or self.is_always_alone:
            return
        self._seconds_alone, begin = self.seconds_alone, time.monotonic()
        if self._wait_for:
            self._wait_for(kind)
        self.kind, self._given = kind, time.monotonic()
        self.waited += self._given - begin


def next_stint(
    waiting: Sequence[StintKind],
    running: Sequence[StintKind],
    most: int,
    before: StintKind = 'quick',
) -> int | None:
    """Return which of the waiting submissions gets a stint now, or None if none does.

    waiting  the stints that submissions wait for, in the order in which they asked
    running  the stints that submissions have
    most     how many submissions may have a stint at a time
    before   the kind of the last stint that was given

    >>> next_stint(['alone', 'slow', 'quick', 'quick'], ['slow'], most=2)
    2
    >>> next_stint(['alone', 'slow'], ['quick', 'slow'], most=2) is None
    True
    >>> next_stint(['alone'], ['slow'], most=2) is None
    True
    """
    if len(running) >= most or 'alone' in running:
        return None
    order = ORDER_AFTER_ALONE if before == 'alone' else ORDER
    kind = next((kind for kind in order if kind in waiting), None)
    if not kind or (kind == 'alone' and running):
        return None
    return waiting.index(kind)
