"""What makes fresh games: sessions that nobody has seen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from ..sessions.session import Session

Item = TypeVar('Item')


def indexes(items: Sequence[object]) -> Sequence[int]:
    """Return the indexes of some items."""
    return range(len(items))


def without(items: Sequence[Item], left_out: Collection[int]) -> list[Item]:
    """Return some items but for those with indexes that are left out."""
    return [item for index, item in enumerate(items) if index not in left_out]


# A kind of parts that can be left out of a scenario: what lists them, and what leaves some out.
PartKind = tuple[Callable[[Any], Sequence[Hashable]], Callable[[Any, Collection[Any]], Any]]
LINES: PartKind = indexes, without


def typed_size(session: Session, step: int) -> tuple[object, ...]:
    """Return a key that orders sessions by size: the step, input lines, then characters."""
    lines = session.inputs
    return step, len(lines), sum(map(len, lines)), lines


@dataclass(frozen=True)
class Maker:
    """Makes fresh games: sessions that nobody has seen.

    `make` gets a generator of random numbers, on which everything depends, and returns all input
    lines of a session. Our own console, whose output is due, gets the `arguments`.

    To make a failed session smaller, the grader leaves out its `parts`, one kind after the other.
    `read` returns the scenario that has the parts, and `lines` the input lines of what is left of
    it, None if that is no game. `size` says which of two sessions is smaller. `read` and `size` get
    a session and the step in which the program fails.
    """

    make: Callable[[Random], list[str]]
    arguments: Sequence[str] = ()
    read: Callable[[Session, int], Any] = lambda session, step: session.inputs
    parts: Sequence[PartKind] = (LINES,)
    lines: Callable[[Any], list[str] | None] = list
    size: Callable[[Session, int], tuple[object, ...]] = typed_size
