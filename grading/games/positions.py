"""Defines positions of games: what report pages need to know to draw them.

Each game has a function that finds positions in text.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Protocol

Cell = Hashable  # identifies a cell, such as (row, column)


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
