"""Pictures of Othello boards."""

from __future__ import annotations

from typing import Collection

from ..positions import Cell, describe
from ..svg import circle, hatch, picture, rectangle, text_of, write
from .positions import Board

SIDE = 36                               # of a cell
EDGE = 24                               # where rows and columns are numbered
COLORS = {'B': 'black', 'W': 'white'}


def draw_board(board: Board, title: str, differing: Collection[Cell] = (),
               move: tuple[int, int] | None = None) -> str:
    """Return the picture of a board; row and column of the move count from 1."""
    rows, columns = len(board.rows), len(board.rows[0])
    about = [f'{rows} rows, {columns} columns.', board.counts, board.turn]
    move = move if move in board.cells else None
    if move:
        about.append('The move is to row {}, column {}.'.format(*move))
    svg = picture(EDGE + columns * SIDE + 2, EDGE + rows * SIDE + 2, title,
                  ' '.join(filter(None, [*about, describe(board, differing)])))
    for row in range(1, rows + 1):
        write(svg, EDGE / 2, center(row), row, 'number')
    for column in range(1, columns + 1):
        write(svg, center(column), EDGE / 2, column, 'number')
    for row, discs in enumerate(board.rows, 1):
        for column, disc in enumerate(discs, 1):
            x, y = center(column), center(row)
            rectangle(svg, x, y, SIDE, 'cell')
            if (row, column) in differing:
                hatch(svg, x, y, SIDE)
            if disc in COLORS:
                circle(svg, x, y, SIDE * 0.37, f'disc {COLORS[disc]}')
    if move:
        rectangle(svg, center(move[1]), center(move[0]), SIDE - 3, 'move')
    return text_of(svg)


def center(number: int) -> float:
    """Return where the middle of a row or column is; they count from 1."""
    return EDGE + (number - 0.5) * SIDE
