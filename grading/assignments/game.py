"""A game: what the grader knows about it, and what its positions are.

The grader also grades sessions that belong to no game.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import (
    Any,
    Callable,
    Collection,
    Hashable,
    Mapping,
    Protocol,
    Sequence,
    Tuple,
    TypeVar,
)

from ..diagnosis.fault_models import GameModel, Known
from ..sessions.transcript import Transcript
from ..sessions.verdict import WrongLine

Item = TypeVar('Item')
Cell = Hashable                         # names a place in a position, as its game counts them


class Position(Protocol):
    """A position of a game: the contents of its cells."""

    missing: str                        # a sentence for pages, if a program printed none
    template: str                       # of its picture, SVG; its path beside this module

    @property
    def cells(self) -> Mapping[Cell, object]:
        """The contents of each cell."""

    @property
    def caption(self) -> str:
        """The text that was printed beside the cells."""

    @property
    def is_small(self) -> bool:
        """Whether the position is small enough for a picture."""

    def name_of(self, cell: Cell) -> str:
        """Return the name of a cell, `''` if there is only one."""


Find = Callable[[str], Sequence[Position]]      # finds all positions in a text, in order


def indexes(items: Sequence[object]) -> Sequence[int]:
    """Return the indexes of some items."""
    return range(len(items))


def without(items: Sequence[Item], left_out: Collection[int]) -> list[Item]:
    """Return some items but for those with indexes that are left out."""
    return [item for index, item in enumerate(items) if index not in left_out]


# A kind of parts that can be left out of a scenario: what lists them, and what leaves some out.
PartKind = Tuple[Callable[[Any], Sequence[Hashable]], Callable[[Any, Collection[Any]], Any]]
LINES: PartKind = indexes, without


def typed_size(session: Transcript, step: int) -> tuple[object, ...]:
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
    read: Callable[[Transcript, int], Any] = lambda session, step: session.inputs
    parts: Sequence[PartKind] = (LINES,)
    lines: Callable[[Any], list[str] | None] = list
    size: Callable[[Transcript, int], tuple[object, ...]] = typed_size


@dataclass(frozen=True, eq=False)       # a game is only like itself
class Game:
    """A game: what the grader knows about it besides recorded sessions.

    `command` is the command line of our own console. `model` implements the game once more, with a
    method for each decision, so that `faults`, the known faults, can replace single ones; the
    simplest fault comes first. `hint` returns in words how two lines differ in meaning, `''` if
    unknown. `positions` finds the positions in a text. `left_open` returns a session for others'
    programs, with the choices that the assignment leaves to them.
    """

    name: str
    command: tuple[str, ...]
    model: type[GameModel]
    faults: Sequence[Known] = ()
    hint: Callable[[WrongLine], str] | None = None
    positions: Find = lambda text: ()
    maker: Maker | None = None          # of fresh games, None if the game has none
    has_prompts: bool = False           # whether it is also played with prompts
    left_open: Callable[[Transcript], Transcript] | None = None
    begins: str = ''                    # a pattern of first input lines that no other game has

    @property
    def program(self) -> str:
        """The name of the program that plays the game; a console may play several games."""
        return self.command[0].partition('_console')[0]
