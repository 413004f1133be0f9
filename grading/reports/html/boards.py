"""Pictures of Othello boards and Nim piles as SVG, for pages that work without scripts.

Everything is drawn with classes that a page gives its colors; what differs is hatched, and the
move has a frame, so that no meaning rests on color alone.
"""

from __future__ import annotations

from typing import Collection
from xml.etree import ElementTree

from markupsafe import Markup

from ...assignments.positions import Board, Cell, Comparison, Piles, Position

SIDE = 36                               # of a cell, and of the place of a token
EDGE = 24                               # where rows and columns are numbered
LABEL = 66                              # where piles are numbered
MOST_ROWS = 26                          # of rows, columns or piles that are drawn
MOST_TOKENS = 60                        # of a pile that is drawn
TOKENS_IN_LINE = 10
COLORS = {'B': 'black', 'W': 'white'}


def can_be_drawn(position: Position) -> bool:
    """Return whether a position is small enough for a picture."""
    if isinstance(position, Board):
        return max(len(position.rows), len(position.rows[0])) <= MOST_ROWS
    return (len(position.sizes) <= MOST_ROWS
            and all(size <= MOST_TOKENS for _, size in position.sizes))


def draw(position: Position, title: str, comparison: Comparison) -> Markup:
    """Return the picture of one position of a comparison, with a text for those who see none."""
    if isinstance(position, Board):
        return draw_board(position, title, comparison.differing, comparison.move)
    before = comparison.before if comparison.before is not position else None
    return draw_piles(position, title, comparison.differing, before)


def draw_board(board: Board, title: str, differing: Collection[Cell] = (),
               move: tuple[int, int] | None = None) -> Markup:
    """Return the picture of a board; row and column of the move count from 1."""
    rows, columns = len(board.rows), len(board.rows[0])
    about = [f'{rows} rows, {columns} columns.', board.counts, board.turn]
    move = move if move in board.cells else None
    if move:
        about.append('The move is to row {}, column {}.'.format(*move))
    svg = picture(EDGE + columns * SIDE + 2, EDGE + rows * SIDE + 2, title,
                  ' '.join(filter(None, [*about, describe(differing)])))
    for row in range(1, rows + 1):
        write(svg, EDGE / 2, center(row), row, 'number')
    for column in range(1, columns + 1):
        write(svg, center(column), EDGE / 2, column, 'number')
    for row, discs in enumerate(board.rows, 1):
        for column, disc in enumerate(discs, 1):
            x, y = center(column), center(row)
            rectangle(svg, x, y, SIDE, 'cell')
            if (row, column) in differing:
                hatch(svg, x, y)
            if disc in COLORS:
                circle(svg, x, y, SIDE * 0.37, f'disc {COLORS[disc]}')
    if move:
        rectangle(svg, center(move[1]), center(move[0]), SIDE - 3, 'move')
    return markup(svg)


def draw_piles(piles: Piles, title: str, differing: Collection[Cell] = (),
               before: Position | None = None) -> Markup:
    """Return the picture of piles; tokens that were there `before` are outlined."""
    earlier = dict(before.sizes) if isinstance(before, Piles) else {}
    earlier = {name: size for name, size in earlier.items() if size <= MOST_TOKENS}
    height = 4.0
    rows = []
    for name, size in piles.sizes:
        rows.append((name, size, height + SIDE / 2))
        lines = -(-max(size, earlier.get(name, 0), 1) // TOKENS_IN_LINE)
        height += lines * SIDE * 0.8 + SIDE * 0.3
    about = ', '.join(f'{f"pile {name}: " if name else ""}{size}' for name, size in piles.sizes)
    end = LABEL + TOKENS_IN_LINE * SIDE * 0.8
    svg = picture(end + 2 * SIDE, height, title,
                  f'{about}. {describe(differing)}'.strip())
    for name, size, y in rows:
        write(svg, LABEL - 10, y, f'pile {name}' if name else 'pile', 'number end')
        write(svg, end + SIDE / 2, y, size, 'size')
        if name in differing:
            hatch(svg, end + 1.4 * SIDE, y, SIDE * 0.7)
        for token in range(max(size, earlier.get(name, 0))):
            line, place = divmod(token, TOKENS_IN_LINE)
            circle(svg, LABEL + (place + 0.5) * SIDE * 0.8, y + line * SIDE * 0.8, SIDE * 0.3,
                   'token' if token < size else 'taken')
    return markup(svg)


def describe(differing: Collection[Cell]) -> str:
    """Return in words which cells or piles differ, the first of them by name.

    >>> describe([(1, 2), (2, 2)])
    'Differs in row 1, column 2; row 2, column 2.'
    """
    if not differing or '' in differing:
        return 'Differs.' if differing else ''
    names = [f'pile {cell}' if isinstance(cell, str) else 'row {}, column {}'.format(*cell)
             for cell in differing]
    rest = [f'{len(names) - 6} more'] if len(names) > 7 else names[6:7]
    return f'Differs in {"; ".join(names[:6] + rest)}.'


def center(number: int) -> float:
    """Return where the middle of a row or column is; they count from 1."""
    return EDGE + (number - 0.5) * SIDE


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


def hatch(svg: ElementTree.Element, x: float, y: float, side: float = SIDE) -> None:
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


def markup(svg: ElementTree.Element) -> Markup:
    """Return a picture as a piece of a page; ElementTree has escaped all texts."""
    return Markup(ElementTree.tostring(svg, encoding='unicode'))
