"""Othello boards in texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator, Mapping

from ..positions import Cell

ROW = re.compile(r'[ \t]*[BW.](?:[ \t]*[BW.])+[ \t]*')
COUNTS = re.compile(r'[ \t]*B: *\d+ +W: *\d+[ \t]*', re.ASCII)
TURN = re.compile(r'[ \t]*(?:TURN|WINNER): *(?:B|W|NONE)[ \t]*')
MOVE = re.compile(r'[ \t]*([+-]?[0-9]{1,20})[ \t]+([+-]?[0-9]{1,20})[ \t]*')
MOST_DRAWN = 26                         # rows or columns of a board that is drawn


@dataclass(frozen=True)
class Board:
    """An Othello board: `rows` of `B`, `W` and `.`, and the lines around it.

    The cells are pairs of row and column, from 1.
    """

    rows: tuple[str, ...]
    counts: str = ''
    turn: str = ''

    missing = 'No board was printed.'
    template = 'othello/board.svg'

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

    def name_of(self, cell: Cell) -> str:
        """Return the name of a cell."""
        assert isinstance(cell, tuple)
        return 'row {}, column {}'.format(*cell)

    def move_in(self, line: str) -> tuple[int, int] | None:
        """Return the cell that an input line names, None if it is not on the board."""
        move = move_on(line)
        return move if move in self.cells else None


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
