"""Defines positions of a game. Each game finds them in text, so that pages can draw them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Protocol

Cell = Hashable  # a place in a position, such as (row, column)


class Position(Protocol):
    """A position of a game: the contents of its cells."""

    missing: str  # the sentence on pages if a program printed no position
    template: str  # the path in this folder of the SVG template for its picture

    @property
    def cells(self) -> Mapping[Cell, object]:
        """The contents of each cell."""

    @property
    def caption(self) -> str:
        """The text printed beside the cells."""

    @property
    def is_small(self) -> bool:
        """Whether the position is small enough for a picture."""

    def name_of(self, cell: Cell) -> str:
        """Return the name of a cell, or `''` if there is only one."""


Find = Callable[[str], Sequence[Position]]  # returns all positions in a text, in order
