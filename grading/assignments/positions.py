"""Positions of a game that a session's text shows, and which two of them tell the difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Collection, Hashable, Mapping, Protocol, Sequence

Cell = Hashable                         # names a place in a position, as its game counts them


class Position(Protocol):
    """A position: what stands in each of its cells."""

    missing: str                        # a sentence for where none was printed

    @property
    def cells(self) -> Mapping[Cell, object]:
        """What stands in each cell."""

    @property
    def caption(self) -> str:
        """What was printed beside the cells."""

    @property
    def is_small(self) -> bool:
        """Whether there is room for a picture."""

    def name_of(self, cell: Cell) -> str:
        """Return a cell in words, `''` where there is only one."""

    def draw(self, title: str, comparison: Comparison) -> str:
        """Return a picture, as SVG, of this position of a comparison."""

    def sketch(self, typed: str) -> str:
        """Return a small picture, as SVG, of the position after an input line."""


Find = Callable[[str], Sequence[Position]]      # finds all positions in a text, in order


@dataclass(frozen=True)
class Comparison:
    """Two positions to be looked at side by side; None where there is none."""

    expected: Position | None
    printed: Position | None
    before: Position | None             # the one from which they came
    typed: str                          # the input line between

    @property
    def differing(self) -> list[Cell]:
        """The cells that are not the same in both; none where one is missing."""
        if not self.expected or not self.printed:
            return []
        expected, printed = self.expected.cells, self.printed.cells
        return [cell for cell in {**expected, **printed}
                if expected.get(cell) != printed.get(cell)]


def compare_positions(find: Find, before: str, typed: str, expected: str,
                      printed: str) -> Comparison:
    """Return the first two positions that differ in two texts, else the last ones.

    `before` is the text that came before the input line `typed`.
    """
    earlier, due, shown = find(before), find(expected), find(printed)
    most = min(len(due), len(shown))
    last = most if len(due) != len(shown) else max(0, most - 1)
    place = next((i for i in range(most) if due[i].cells != shown[i].cells), last)
    return Comparison(at(due, place), at(shown, place), at([*earlier, *due[:place]], -1), typed)


def at(positions: Sequence[Position], place: int) -> Position | None:
    """Return a position from a list, None beyond its end."""
    return positions[place] if positions and place < len(positions) else None


def describe(position: Position, differing: Collection[Cell]) -> str:
    """Return in words which cells of a position differ, the first of them by name."""
    names = [position.name_of(cell) for cell in differing]
    if not all(names):
        return 'Differs.'
    rest = [f'{len(names) - 6} more'] if len(names) > 7 else names[6:7]
    return f'Differs in {"; ".join(names[:6] + rest)}.' if names else ''
