"""Pictures of Othello boards."""

from __future__ import annotations

from typing import Collection

from ..positions import Cell, describe
from ..svg import Point, dots, grid, hatch, picture, rectangle, sketch, text_of, write
from .positions import Board

SIDE = 36                               # of a cell
EDGE = 24                               # where rows and columns are numbered
CLASSES = {'B': 'black', 'W': 'white'}
SMALL, SCALE = 2, 6                     # the side of a cell in a sketch, and its scale


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
        write(svg, EDGE / 2, center((row, 1))[1], row, 'number')
    for column in range(1, columns + 1):
        write(svg, center((1, column))[0], EDGE / 2, column, 'number')
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
    """Return a small picture of a board; a dot marks the disc that a move has put there."""
    rows, columns = len(board.rows), len(board.rows[0])
    svg = sketch(columns * SMALL, rows * SMALL, SCALE)
    grid(svg, 0, rows, columns, SMALL)
    for disc, kind in CLASSES.items():
        dots(svg, [center(cell, SMALL, 0) for cell in board.of(disc)], kind)
    if move in board.cells:
        dots(svg, [center(move, SMALL, 0)], 'last')
    return text_of(svg)


def center(cell: Cell, side: int = SIDE, edge: int = EDGE) -> Point:
    """Return where the middle of a cell is; rows and columns count from 1."""
    assert isinstance(cell, tuple)
    row, column = cell
    return edge + (column - 0.5) * side, edge + (row - 0.5) * side
