"""Finds Othello boards and moves in text."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

MOVE = re.compile(r'[ \t]*([+-]?[0-9]{1,20})[ \t]+([+-]?[0-9]{1,20})[ \t]*')
ROW = re.compile(r'[ \t]*[BW.](?:[ \t]*[BW.])+[ \t]*')
COUNTS = re.compile(r'[ \t]*B: *\d+ +W: *\d+[ \t]*', re.ASCII)
TURN = re.compile(r'[ \t]*(?:TURN|WINNER): *(?:B|W|NONE)[ \t]*')
MAX_DRAWN = 26  # a board with more rows or columns is not drawn
Vector = tuple[int, int]  # (row, column) of a cell, or the offset between two cells


def move_on(line: str) -> Vector | None:
    """Return the row and the column in an input line, or None if the line is not a move."""
    move = MOVE.fullmatch(line)
    return (int(move[1]), int(move[2])) if move else None


@dataclass(frozen=True)
class Board:
    """An Othello board: `rows` of `B`, `W` and `.`, and the lines printed around it.

    Cells are pairs (row, column), numbered from 1.
    """

    rows: tuple[str, ...]
    counts: str = ''  # the disc counts from the line above, if shown
    turn: str = ''  # the turn or the winner from the line below, if shown

    missing = 'No board was printed.'
    template = 'othello/board.svg'

    @property
    def cells(self) -> Mapping[Hashable, str]:
        """The contents of each cell."""
        return {
            (row, column): disc
            for row, discs in enumerate(self.rows, 1)
            for column, disc in enumerate(discs, 1)
        }

    @property
    def caption(self) -> str:
        """The counts, followed by the turn or the winner."""
        return ', '.join(filter(None, [self.counts, self.turn]))

    @property
    def is_small(self) -> bool:
        """Whether the board is small enough for a picture."""
        return max(len(self.rows), len(self.rows[0])) <= MAX_DRAWN

    def name_of(self, cell: Any) -> str:
        return 'row {}, column {}'.format(*cell)

    def move_in(self, line: str) -> Vector | None:
        """Return the cell of the move in an input line, or None if there is no such cell."""
        move = move_on(line)
        return move if move in self.cells else None


def find_boards(text: str) -> list[Board]:
    """Return all boards in the text: each is two or more consecutive rows of the same length."""
    # An empty line at each end, so that every board has a line above it and a line below it.
    lines = ['', *text.split('\n'), '']
    cells = [''.join(line.split()) if ROW.fullmatch(line) else '' for line in lines]
    boards = []
    end = 0
    for width, group in groupby(cells, len):
        rows = tuple(group)
        start = end
        end += len(rows)
        if width and len(rows) > 1:
            above, below = lines[start - 1], lines[end]
            boards.append(
                Board(
                    rows,
                    above.strip() if COUNTS.fullmatch(above) else '',
                    below.strip() if TURN.fullmatch(below) else '',
                )
            )
    return boards


FINDERS = {'othello': find_boards}
