"""The Othello boards that a text shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator, Mapping

from ..positions import Cell, Comparison

ROW = re.compile(r'[ \t]*[BW.](?:[ \t]*[BW.])+[ \t]*')
COUNTS = re.compile(r'[ \t]*B: *\d+ +W: *\d+[ \t]*', re.ASCII)
TURN = re.compile(r'[ \t]*(?:TURN|WINNER): *(?:B|W|NONE)[ \t]*')
MOVE = re.compile(r'[ \t]*\+?(\d{1,2})[ \t]+\+?(\d{1,2})[ \t]*', re.ASCII)
MOST_LINES = 26                         # rows or columns that are drawn


@dataclass(frozen=True)
class Board:
    """An Othello board: `rows` of `B`, `W` and `.`, and what stood around it.

    Its cells are pairs: row and column, from 1.
    """

    rows: tuple[str, ...]
    counts: str = ''
    turn: str = ''

    missing = 'No board was printed.'

    @property
    def cells(self) -> Mapping[Cell, str]:
        """What stands in each cell."""
        return {(row, column): disc for row, discs in enumerate(self.rows, 1)
                for column, disc in enumerate(discs, 1)}

    @property
    def caption(self) -> str:
        """The counts and the turn, or the winner."""
        return ', '.join(filter(None, [self.counts, self.turn]))

    @property
    def is_small(self) -> bool:
        """Whether there is room for a picture."""
        return max(len(self.rows), len(self.rows[0])) <= MOST_LINES

    def of(self, disc: str) -> list[Cell]:
        """Return the cells that hold a disc."""
        return [cell for cell, held in self.cells.items() if held == disc]

    def name_of(self, cell: Cell) -> str:
        """Return a cell in words."""
        assert isinstance(cell, tuple)
        return 'row {}, column {}'.format(*cell)

    def draw(self, title: str, comparison: Comparison) -> str:
        """Return a picture of the board; the move that was typed has a frame."""
        from .drawing import draw_board  # ElementTree takes long to import
        return draw_board(self, title, comparison.differing, move_on(comparison.typed))

    def sketch(self, typed: str) -> str:
        """Return a small picture of the board; the disc of the move that was typed has a dot."""
        from .drawing import sketch_board
        return sketch_board(self, move_on(typed))


def move_on(line: str) -> tuple[int, int] | None:
    """Return the row and column that an input line names, from 1; None if it names none."""
    move = MOVE.fullmatch(line)
    return (int(move[1]), int(move[2])) if move else None


def find_boards(text: str) -> list[Board]:
    """Return all boards in a text: two lines or more of as many cells."""
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
    """Yield the rows of the board that begins in a line, if one does, without blanks."""
    width = 0
    for line in lines[start:]:
        row = ''.join(line.split()) if ROW.fullmatch(line) else ''
        if not row or width not in (0, len(row)):
            return
        width = len(row)
        yield row


def matching(pattern: re.Pattern[str], lines: list[str]) -> str:
    """Return the one line in a list, without blanks around, if it is of a pattern."""
    return lines[0].strip() if lines and pattern.fullmatch(lines[0]) else ''
