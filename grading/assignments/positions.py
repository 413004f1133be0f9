"""Positions of games in texts, compared with each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Collection, Hashable, Mapping, Protocol, Sequence

from ..printable import list_names

MOST_NAMED = 6                          # cells that differ, in a sentence

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


@dataclass(frozen=True)
class Comparison:
    """Two positions to compare; None where there is none."""

    expected: Position | None
    printed: Position | None
    before: Position | None             # the one from which they came
    typed: str                          # the input line between

    @property
    def differing(self) -> list[Cell]:
        """The cells that differ; none if a position is missing."""
        if not self.expected or not self.printed:
            return []
        expected, printed = self.expected.cells, self.printed.cells
        return [cell for cell in {**expected, **printed}
                if expected.get(cell) != printed.get(cell)]


def compare_positions(find: Find, before: str, typed: str, expected: str,
                      printed: str) -> Comparison:
    """Return the first two positions that differ in two texts, or else the last ones.

    `before` is the text that came before the input line `typed`.
    """
    earlier, due, shown = find(before), find(expected), find(printed)
    most = min(len(due), len(shown))
    last = most if len(due) != len(shown) else max(0, most - 1)
    place = next((i for i in range(most) if due[i].cells != shown[i].cells), last)
    return Comparison(at(due, place), at(shown, place), at([*earlier, *due[:place]], -1), typed)


def at(positions: Sequence[Position], place: int) -> Position | None:
    """Return a position of a list, None beyond its end."""
    return positions[place] if positions and place < len(positions) else None


def describe(position: Position, differing: Collection[Cell]) -> str:
    """Return a sentence about the cells of a position that differ."""
    names = [position.name_of(cell) for cell in differing]
    if not all(names):
        return 'Differs.'
    return f'Different: {list_names(names, MOST_NAMED, "; ")}.' if names else ''
