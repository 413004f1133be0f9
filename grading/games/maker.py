"""Defines makers of fresh games: a maker makes new sessions, and makes failed sessions smaller.

To make a session smaller, the maker reads the session's scenario, and leaves out parts of it. A
scenario is the input of a game, in whatever form the maker's functions use, such as a list of input
lines, or an object with a board and moves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from ..sessions.session import Session

Item = TypeVar('Item')


def indexes(items: Sequence[object]) -> Sequence[int]:
    return range(len(items))


def without(items: Sequence[Item], left_out: Collection[int]) -> list[Item]:
    """Return the items whose indexes are not in `left_out`."""
    return [item for index, item in enumerate(items) if index not in left_out]


# A kind of part to leave out of a scenario, as two functions: one returns all parts of this kind,
# the other returns the scenario without the given parts.
PartKind = tuple[Callable[[Any], Sequence[Hashable]], Callable[[Any, Collection[Any]], Any]]
LINES: PartKind = indexes, without


def typed_size(session: Session, step: int) -> tuple[object, ...]:
    """Return a sort key: the step, the number of lines, the number of characters, the lines."""
    lines = session.inputs
    return step, len(lines), sum(map(len, lines)), lines


@dataclass(frozen=True)
class Maker:
    """Makes fresh games, and makes failed sessions smaller.

    make       returns the input lines of a new session, given a random number generator
    arguments  further arguments for the built-in console, which prints the expected output
    read       returns the scenario of a session; what follows the given step may be left out
    parts      the kinds of parts of a scenario, in the order in which to try leaving them out
    lines      returns the input lines of a scenario, or None if no game has this scenario
    size       returns a sort key for the size of a session that fails in the given step
    """

    make: Callable[[Random], list[str]]
    arguments: Sequence[str] = ()
    read: Callable[[Session, int], Any] = lambda session, step: session.inputs
    parts: Sequence[PartKind] = (LINES,)
    lines: Callable[[Any], list[str] | None] = list
    size: Callable[[Session, int], tuple[object, ...]] = typed_size
