"""Positions of games in texts: compared with each other, and drawn.

Pictures are SVG, for pages without scripts. Shapes have classes, to which a page gives its colors;
cells that differ are hatched, so that no meaning depends on color alone. All discs of a kind are
one path of dots, and all cells one grid, because a page holds hundreds of boards. ElementTree
escapes all texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Callable,
    Collection,
    Hashable,
    Iterable,
    Mapping,
    Protocol,
    Sequence,
    Tuple,
)

if TYPE_CHECKING:
    from xml.etree import ElementTree

Point = Tuple[float, float]             # x and y
Cell = Hashable                         # names a place in a position, as its game counts them


class Position(Protocol):
    """A position of a game: the contents of its cells."""

    missing: str                        # a sentence for pages, if a program printed none

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

    def draw(self, title: str, comparison: Comparison) -> str:
        """Return a picture of this position in a comparison, as SVG."""

    def sketch(self, typed: str) -> str:
        """Return a small picture of the position after an input line, as SVG."""


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
    rest = [f'{len(names) - 6} more'] if len(names) > 7 else names[6:7]
    return f'Different: {"; ".join(names[:6] + rest)}.' if names else ''


def picture(width: float, height: float, title: str, about: str) -> ElementTree.Element:
    """Return an empty picture, with a description in words."""
    svg = empty({'viewBox': f'0 0 {width:g} {height:g}', 'width': f'{width:g}',
                 'height': f'{height:g}', 'role': 'img'})
    add(svg, 'title', {}).text = title
    add(svg, 'desc', {}).text = about
    return svg


def sketch(width: float, height: float, scale: float) -> ElementTree.Element:
    """Return an empty small picture, without a description: its text stands beside it."""
    return empty({'class': 'sketch', 'viewBox': f'0 0 {width:g} {height:g}',
                  'width': f'{width * scale:g}', 'height': f'{height * scale:g}',
                  'aria-hidden': 'true'})


def empty(attributes: dict[str, str]) -> ElementTree.Element:
    """Return an empty picture with some attributes."""
    from xml.etree import ElementTree  # takes long to import, and most runs draw nothing
    return ElementTree.Element('svg', attributes)


def write(svg: ElementTree.Element, x: float, y: float, text: object, kind: str) -> None:
    """Write a text around a point, or before it if its kind is `end`."""
    add(svg, 'text', attributes_of(kind, x=x, y=y)).text = str(text)


def dots(svg: ElementTree.Element, points: Iterable[Point], *kinds: str) -> None:
    """Draw dots around points, with all kinds on top of each other."""
    way = ''.join(f'M{x:g} {y:g}h0' for x, y in points)
    for kind in kinds if way else ():
        add(svg, 'path', {'class': kind, 'd': way})


def circle(svg: ElementTree.Element, x: float, y: float, radius: float, kind: str) -> None:
    """Draw a circle around a point."""
    add(svg, 'circle', attributes_of(kind, cx=x, cy=y, r=radius))


def grid(svg: ElementTree.Element, edge: float, rows: int, columns: int, side: float) -> None:
    """Draw a grid at a distance `edge` from the top and the left."""
    width, height = columns * side, rows * side
    way = f'M{edge:g} {edge:g}h{width:g}v{height:g}h{-width:g}z'
    way += ''.join(f'M{edge + i * side:g} {edge:g}v{height:g}' for i in range(1, columns))
    way += ''.join(f'M{edge:g} {edge + i * side:g}h{width:g}' for i in range(1, rows))
    add(svg, 'path', {'class': 'grid', 'd': way})


def rectangle(svg: ElementTree.Element, x: float, y: float, side: float, kind: str) -> None:
    """Draw a square around a point."""
    add(svg, 'rect', attributes_of(kind, x=x - side / 2, y=y - side / 2, width=side, height=side))


def hatch(svg: ElementTree.Element, x: float, y: float, side: float) -> None:
    """Mark a square around a point as different."""
    half = side / 2
    rectangle(svg, x, y, side, 'differs')
    lines = (f'M{x - half + start:g} {y - half:g}L{x - half:g} {y - half + start:g}'
             f'M{x + half:g} {y - half + start:g}L{x - half + start:g} {y + half:g}'
             for start in (side / 3, side * 2 / 3, side))
    add(svg, 'path', {'class': 'hatch', 'd': ''.join(lines)})


def attributes_of(kind: str, **numbers: float) -> dict[str, str]:
    """Return the attributes of an element of a kind that stands at a place."""
    return {'class': kind, **{name: f'{number:g}' for name, number in numbers.items()}}


def add(svg: ElementTree.Element, tag: str, attributes: dict[str, str]) -> ElementTree.Element:
    """Add an element to a picture; return it."""
    element = svg.makeelement(tag, attributes)
    svg.append(element)
    return element


def text_of(svg: ElementTree.Element) -> str:
    """Return a picture as HTML."""
    from xml.etree import ElementTree
    return ElementTree.tostring(svg, encoding='unicode')
