"""The pieces of a picture in SVG, for pages that work without scripts.

Everything is drawn with classes that a page gives its colors; what differs is hatched, so that no
meaning rests on color alone. All discs of a kind are one path of dots, and all cells one grid: a
page holds hundreds of boards. ElementTree escapes all texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, Tuple

if TYPE_CHECKING:
    from xml.etree import ElementTree

Point = Tuple[float, float]             # x and y


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
