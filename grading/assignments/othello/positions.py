"""Othello boards: found in texts, and drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Collection, Iterator, Mapping

from ..positions import (
    Cell,
    Comparison,
    Point,
    describe,
    dots,
    grid,
    hatch,
    picture,
    rectangle,
    sketch,
    text_of,
    write,
)

if TYPE_CHECKING:
    from xml.etree import ElementTree

ROW = re.compile(r'[ \t]*[BW.](?:[ \t]*[BW.])+[ \t]*')
COUNTS = re.compile(r'[ \t]*B: *\d+ +W: *\d+[ \t]*', re.ASCII)
TURN = re.compile(r'[ \t]*(?:TURN|WINNER): *(?:B|W|NONE)[ \t]*')
MOVE = re.compile(r'[ \t]*\+?(\d{1,2})[ \t]+\+?(\d{1,2})[ \t]*', re.ASCII)
MOST_DRAWN = 26                         # rows or columns of a board that is drawn
SIDE = 36                               # of a cell
EDGE = 24                               # of the margin, with the numbers of rows and columns
CLASSES = {'B': 'black', 'W': 'white'}
SMALL, SCALE = 2, 12                    # the side of a cell in a sketch, and its scale
MARGIN = 1.2                            # of a sketch, with the numbers


@dataclass(frozen=True)
class Board:
    """An Othello board: `rows` of `B`, `W` and `.`, and the lines around it.

    The cells are pairs of row and column, from 1.
    """

    rows: tuple[str, ...]
    counts: str = ''
    turn: str = ''

    missing = 'No board was printed.'

    @property
    def cells(self) -> Mapping[Cell, str]:
        """The contents of each cell."""
        return {(row, column): disc for row, discs in enumerate(self.rows, 1)
                for column, disc in enumerate(discs, 1)}

    @property
    def caption(self) -> str:
        """The counts and the turn, or the winner."""
        return ', '.join(filter(None, [self.counts, self.turn]))

    @property
    def is_small(self) -> bool:
        """Whether the board is small enough for a picture."""
        return max(len(self.rows), len(self.rows[0])) <= MOST_DRAWN

    def of(self, disc: str) -> list[Cell]:
        """Return the cells with a disc."""
        return [cell for cell, held in self.cells.items() if held == disc]

    def name_of(self, cell: Cell) -> str:
        """Return the name of a cell."""
        assert isinstance(cell, tuple)
        return 'row {}, column {}'.format(*cell)

    def draw(self, title: str, comparison: Comparison) -> str:
        """Return a picture of the board, with a frame around the move."""
        return draw_board(self, title, comparison.differing, move_on(comparison.typed))

    def sketch(self, typed: str) -> str:
        """Return a small picture of the board, with a dot on the disc of the move."""
        return sketch_board(self, move_on(typed))


def move_on(line: str) -> tuple[int, int] | None:
    """Return the row and column in an input line, from 1; None if there are none."""
    move = MOVE.fullmatch(line)
    return (int(move[1]), int(move[2])) if move else None


def find_boards(text: str) -> list[Board]:
    """Return all boards in a text: two lines or more with the same number of cells."""
    boards = []
    lines = text.split('\n')
    start = 0
    while start < len(lines):
        rows = list(rows_from(lines, start))
        end = start + max(1, len(rows))
        if len(rows) > 1:
            boards.append(Board(tuple(rows), matching(COUNTS, lines[start - 1:start]),
                                matching(TURN, lines[end:end + 1])))
        start = end
    return boards


def rows_from(lines: list[str], start: int) -> Iterator[str]:
    """Yield the rows, without blanks, of a board that begins at a line."""
    width = 0
    for line in lines[start:]:
        row = ''.join(line.split()) if ROW.fullmatch(line) else ''
        if not row or width not in (0, len(row)):
            return
        width = len(row)
        yield row


def matching(pattern: re.Pattern[str], lines: list[str]) -> str:
    """Return the only line of a list if it matches a pattern, without blanks around."""
    return lines[0].strip() if lines and pattern.fullmatch(lines[0]) else ''


def draw_board(board: Board, title: str, differing: Collection[Cell] = (),
               move: tuple[int, int] | None = None) -> str:
    """Return a picture of a board; row and column of the move count from 1."""
    rows, columns = len(board.rows), len(board.rows[0])
    about = [f'{rows} rows, {columns} columns.', board.counts, board.turn]
    move = move if move in board.cells else None
    if move:
        about.append('The move is to row {}, column {}.'.format(*move))
    svg = picture(EDGE + columns * SIDE + 2, EDGE + rows * SIDE + 2, title,
                  ' '.join(filter(None, [*about, describe(board, differing)])))
    number_cells(svg, rows, columns, SIDE, EDGE)
    grid(svg, EDGE, rows, columns, SIDE)
    for cell in differing:
        if cell in board.cells:
            hatch(svg, *center(cell), SIDE)
    for disc, kind in CLASSES.items():
        dots(svg, map(center, board.of(disc)), 'disc rim', f'disc {kind}')
    if move:
        rectangle(svg, *center(move), SIDE - 3, 'move')
    return text_of(svg)


def sketch_board(board: Board, move: tuple[int, int] | None) -> str:
    """Return a small picture of a board, with a dot on the disc of the move."""
    rows, columns = len(board.rows), len(board.rows[0])
    svg = sketch(MARGIN + columns * SMALL, MARGIN + rows * SMALL, SCALE)
    number_cells(svg, rows, columns, SMALL, MARGIN)
    grid(svg, MARGIN, rows, columns, SMALL)
    for disc, kind in CLASSES.items():
        dots(svg, [center(cell, SMALL, MARGIN) for cell in board.of(disc)], kind)
    if move in board.cells:
        rectangle(svg, *center(move, SMALL, MARGIN), SMALL, 'move')
        dots(svg, [center(move, SMALL, MARGIN)], 'last')
    return text_of(svg)


def number_cells(svg: ElementTree.Element, rows: int, columns: int, side: int,
                 edge: float) -> None:
    """Write the numbers of rows and columns into the margin."""
    for row in range(1, rows + 1):
        write(svg, edge / 2, center((row, 1), side, edge)[1], row, 'number')
    for column in range(1, columns + 1):
        write(svg, center((1, column), side, edge)[0], edge / 2, column, 'number')


def center(cell: Cell, side: int = SIDE, edge: float = EDGE) -> Point:
    """Return the middle of a cell; rows and columns count from 1."""
    assert isinstance(cell, tuple)
    row, column = cell
    return edge + (column - 0.5) * side, edge + (row - 0.5) * side
