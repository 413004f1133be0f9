"""The pieces of a picture in SVG, for pages that work without scripts.

Everything is drawn with classes that a page gives its colors; what differs is hatched, so that no
meaning rests on color alone. ElementTree escapes all texts.
"""

from __future__ import annotations

from xml.etree import ElementTree


def picture(width: float, height: float, title: str, about: str) -> ElementTree.Element:
    """Return an empty picture that says in words what is to be seen in it."""
    svg = ElementTree.Element('svg', {
        'viewBox': f'0 0 {width:g} {height:g}', 'width': f'{width:g}', 'height': f'{height:g}',
        'role': 'img'})
    ElementTree.SubElement(svg, 'title').text = title
    ElementTree.SubElement(svg, 'desc').text = about
    return svg


def write(svg: ElementTree.Element, x: float, y: float, text: object, kind: str) -> None:
    """Write a text around a point, or before it where it is of kind `end`."""
    add(svg, 'text', kind, x=x, y=y).text = str(text)


def circle(svg: ElementTree.Element, x: float, y: float, radius: float, kind: str) -> None:
    """Draw a disc or a token around a point."""
    add(svg, 'circle', kind, cx=x, cy=y, r=radius)


def rectangle(svg: ElementTree.Element, x: float, y: float, side: float, kind: str) -> None:
    """Draw a square around a point."""
    add(svg, 'rect', kind, x=x - side / 2, y=y - side / 2, width=side, height=side)


def hatch(svg: ElementTree.Element, x: float, y: float, side: float) -> None:
    """Mark a square around a point as one that differs: a tint, and lines across it."""
    half = side / 2
    rectangle(svg, x, y, side, 'differs')
    lines = (f'M{x - half + start:g} {y - half:g}L{x - half:g} {y - half + start:g}'
             f'M{x + half:g} {y - half + start:g}L{x - half + start:g} {y + half:g}'
             for start in (side / 3, side * 2 / 3, side))
    ElementTree.SubElement(svg, 'path', {'class': 'hatch', 'd': ''.join(lines)})


def add(svg: ElementTree.Element, tag: str, kind: str, **numbers: float) -> ElementTree.Element:
    """Add an element of a class; return it."""
    return ElementTree.SubElement(
        svg, tag, {'class': kind, **{name: f'{number:g}' for name, number in numbers.items()}})


def text_of(svg: ElementTree.Element) -> str:
    """Return a picture as a piece of a page."""
    return ElementTree.tostring(svg, encoding='unicode')
