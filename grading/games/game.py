"""Defines what the engine and the reports need to know about a game.

The other modules in a game's folder are loaded only when needed. Each of the following modules has
a dictionary with the names of games as its keys:

    fresh.py         MAKERS      makers of fresh games
    open_choices.py  LEAVE_OPEN  functions for `Game.leave_open`
    positions.py     FINDERS     functions for finding positions in text
    faults.py        FAULTS      known faults of programs (see `known_faults`)

`faults.py` uses the games' `model.py`, `hints.py` and `places_of_faults.py` (where programs usually
have to be changed).

A maker of fresh games makes new sessions, and makes failed sessions smaller: it reads the session's
scenario, and leaves out parts of it. A scenario is the input of a game, in whatever form the
maker's functions use, such as a list of input lines, or an object with a board and moves.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any, Protocol, TypeVar

from ..installation import import_logic
from ..sessions.session import Session

Item = TypeVar('Item')
# A kind of part to leave out of a scenario, as two functions: one returns all parts of this kind,
# the other returns the scenario without the given parts.
PartKind = tuple[Callable[[Any], Sequence[Hashable]], Callable[[Any, Collection[Any]], Any]]
Cell = Hashable  # identifies a cell, such as (row, column)


def indexes(items: Sequence[object]) -> Sequence[int]:
    return range(len(items))


def without(items: Sequence[Item], left_out: Collection[int]) -> list[Item]:
    """Return the items whose indexes are not in `left_out`."""
    return [item for index, item in enumerate(items) if index not in left_out]


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


class Position(Protocol):
    """A position of a game: its cells and their contents."""

    missing: str  # the sentence to show if a program printed no position
    template: str  # the path of the picture's SVG template, relative to this module's folder

    @property
    def cells(self) -> Mapping[Cell, object]:
        """The contents of each cell."""

    @property
    def caption(self) -> str:
        """The text printed around the cells, such as a score."""

    @property
    def is_small(self) -> bool:
        """Whether the position is small enough for a picture."""

    def name_of(self, cell: Cell) -> str:
        """Return the name of a cell, or `''` if the position has only one cell."""


Find = Callable[[str], Sequence[Position]]  # returns all positions in the text, in order


@dataclass(frozen=True, eq=False)  # a game is equal only to itself
class Game:
    """A game: its name, and the command line of the built-in console.

    The game's folder is named after the console: `nim` for `nim_console.py`.
    """

    name: str
    command: tuple[str, ...]
    has_prompts: bool = False  # whether the console has the option --prompts
    begins: str = ''  # a pattern for the first input lines of this game and no other

    @property
    def program(self) -> str:
        """The name of this game's program; it may also play other games."""
        return self.command[0].partition('_console')[0]

    @cached_property
    def maker(self) -> Maker | None:
        """The maker of fresh games, or None if the game has none."""
        import_logic(self.program)  # `fresh` may need it
        maker: Maker | None = self.row_of('fresh', 'MAKERS')
        return maker

    @cached_property
    def leave_open(self) -> Callable[[Session], Session] | None:
        """A function that makes a session accept any choice the assignment leaves to programs.

        None if the assignment leaves no choice.
        """
        leave_open: Callable[[Session], Session] | None
        leave_open = self.row_of('open_choices', 'LEAVE_OPEN')
        return leave_open

    @cached_property
    def positions(self) -> Find:
        """A function for finding the game's positions in text."""
        find: Find | None = self.row_of('positions', 'FINDERS')
        return find or (lambda text: ())

    def row_of(self, module: str, table: str) -> Any:
        """Return the game's value in the dictionary `table` of a `module` in its folder.

        Return None if the folder lacks the module, or the dictionary lacks the game.
        """
        name = f'{__package__}.{self.program}.{module}'
        return getattr(import_module(name), table).get(self.name) if find_spec(name) else None
