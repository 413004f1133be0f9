"""Positions of a game that a session's text shows, compared, and the pieces of their pictures.

Pictures are SVG, for pages that work without scripts. Everything is drawn with classes that a page
gives its colors; what differs is hatched, so that no meaning rests on color alone. All discs of a
kind are one path of dots, and all cells one grid: a page holds hundreds of boards. ElementTree
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


def picture(width: float, height: float, title: str, about: str) -> ElementTree.Element:
    """Return an empty picture that says in words what is to be seen in it."""
    svg = empty({'viewBox': f'0 0 {width:g} {height:g}', 'width': f'{width:g}',
                 'height': f'{height:g}', 'role': 'img'})
    add(svg, 'title', {}).text = title
    add(svg, 'desc', {}).text = about
    return svg


def sketch(width: float, height: float, scale: float) -> ElementTree.Element:
    """Return an empty small picture, of something that stands beside it as text."""
    return empty({'class': 'sketch', 'viewBox': f'0 0 {width:g} {height:g}',
                  'width': f'{width * scale:g}', 'height': f'{height * scale:g}',
                  'aria-hidden': 'true'})


def empty(attributes: dict[str, str]) -> ElementTree.Element:
    """Return an empty picture with some attributes."""
    from xml.etree import ElementTree  # takes long to import, and most runs draw nothing
    return ElementTree.Element('svg', attributes)


def write(svg: ElementTree.Element, x: float, y: float, text: object, kind: str) -> None:
    """Write a text around a point, or before it where it is of kind `end`."""
    add(svg, 'text', attributes_of(kind, x=x, y=y)).text = str(text)


def dots(svg: ElementTree.Element, points: Iterable[Point], *kinds: str) -> None:
    """Draw dots around points, of each kind one on another, as wide as a page draws that kind."""
    way = ''.join(f'M{x:g} {y:g}h0' for x, y in points)
    for kind in kinds if way else ():
        add(svg, 'path', {'class': kind, 'd': way})


def circle(svg: ElementTree.Element, x: float, y: float, radius: float, kind: str) -> None:
    """Draw a circle around a point."""
    add(svg, 'circle', attributes_of(kind, cx=x, cy=y, r=radius))


def grid(svg: ElementTree.Element, edge: float, rows: int, columns: int, side: float) -> None:
    """Draw a grid, `edge` from the top and the left."""
    width, height = columns * side, rows * side
    way = f'M{edge:g} {edge:g}h{width:g}v{height:g}h{-width:g}z'
    way += ''.join(f'M{edge + i * side:g} {edge:g}v{height:g}' for i in range(1, columns))
    way += ''.join(f'M{edge:g} {edge + i * side:g}h{width:g}' for i in range(1, rows))
    add(svg, 'path', {'class': 'grid', 'd': way})


def rectangle(svg: ElementTree.Element, x: float, y: float, side: float, kind: str) -> None:
    """Draw a square around a point."""
    add(svg, 'rect', attributes_of(kind, x=x - side / 2, y=y - side / 2, width=side, height=side))


def hatch(svg: ElementTree.Element, x: float, y: float, side: float) -> None:
    """Mark a square around a point as one that differs: a tint, and lines across it."""
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
    """Add an element; return it."""
    element = svg.makeelement(tag, attributes)
    svg.append(element)
    return element


def text_of(svg: ElementTree.Element) -> str:
    """Return a picture as a piece of a page."""
    from xml.etree import ElementTree
    return ElementTree.tostring(svg, encoding='unicode')
