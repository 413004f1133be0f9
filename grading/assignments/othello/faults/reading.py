"""Othello programs that read the setup or a move wrongly."""

from __future__ import annotations

from typing import ClassVar, Iterable

from ....diagnosis.fault_models import Departure, GameModel, varied
from ..model import Othello, Pair
from .turns import LooksLate

# Moves

class BadParse(Othello):
    """Crashes on every move."""

    def cell_on(self, line: str) -> Pair | None:
        raise ValueError(line)


class AllInvalid(Othello):
    def cell_on(self, line: str) -> Pair | None:
        return None


class OneNumberALine(Othello):
    """Reads two lines for a move, and takes the first number of each."""

    def read_move(self) -> Pair | None:
        row, column = (int(self.ask('number').split()[0]) for _ in range(2))
        return row - 1, column - 1


class OneNumber(Othello):
    """Uses one number of a move as the row and as the column."""

    used: ClassVar[int]                     # its index

    def cell_on(self, line: str) -> Pair | None:
        cell = super().cell_on(line)
        return cell and (cell[self.used], cell[self.used])

    @classmethod
    def detail(cls) -> str:
        return ': the ' + ('first', 'second')[cls.used]


class SingleDigits(Othello):
    def cell_on(self, line: str) -> Pair | None:
        return int(line[0]) - 1, int(line[2]) - 1


class NegativeIgnored(Othello):
    """Ignores a line with a negative number, and reads the next line."""

    def ask(self, prompt: str) -> str:
        line = super().ask(prompt)
        while line.startswith('-') or ' -' in line:
            line = super().ask(prompt)
        return line


class NegativeAsPositive(Othello):
    def cell_on(self, line: str) -> Pair | None:
        return super().cell_on(line.replace('-', ''))


class NegativeCrash(Othello):
    def cell_on(self, line: str) -> Pair | None:
        if '-' in line:
            raise ValueError(line)
        return super().cell_on(line)


class RowsColumnsSwapped(Othello):
    def cell_on(self, line: str) -> Pair | None:
        cell = super().cell_on(line)
        return cell and (cell[1], cell[0])


class RowsColumnsSwappedCrash(RowsColumnsSwapped):
    """Crashes where only the swapped cell is off the board, if the program does."""

    def accepts(self, row: int, column: int, color: str) -> bool:
        if (Othello.has(self, column, row) and not Othello.has(self, row, column)
                and not self.upcoming()):
            raise IndexError
        return super().accepts(row, column, color)


class FromZero(Othello):
    def cell_on(self, line: str) -> Pair | None:
        cell = super().cell_on(line)
        return cell and (cell[0] + 1, cell[1] + 1)


class SquareRules(Othello):
    """Reads and prints the whole board, but plays only on as many columns as rows."""

    def set_up(self) -> None:
        super().set_up()
        self.columns = self.rows


class SquareBoard(SquareRules):
    """Keeps only as many columns as the board has rows."""

    def set_up(self) -> None:
        super().set_up()
        self.board = [row[:self.rows] for row in self.board]


class CrashNotSquare(Othello):
    """Crashes on a board that is not square, where the program does."""

    def write(self, text: str) -> None:
        self.crash()
        super().write(text)

    def ask(self, prompt: str) -> str:
        line = super().ask(prompt)
        self.crash()
        return line

    def crash(self) -> None:
        if hasattr(self, 'board') and self.rows != self.columns and not self.upcoming():
            raise ValueError


class SquareLate(LooksLate, SquareRules):
    pass


class SquareMoves(Othello):
    """Refuses moves to columns above the number of rows, but turns over discs there."""

    def has(self, row: int, column: int) -> bool:
        return super().has(row, column) and column < self.rows


# The setup

class ColumnsBeforeRows(Othello):
    def read_size(self) -> None:
        super().read_size()
        self.rows, self.columns = self.columns, self.rows


class ColumnsBeforeRowsLate(LooksLate, ColumnsBeforeRows):
    pass


class ColumnsBeforeRowsCrash(ColumnsBeforeRows):
    """Crashes where a row is too short, or is read as a move, if the program does."""

    def set_up(self) -> None:
        super().set_up()
        if any(len(row) < self.columns for row in self.board) and not self.upcoming():
            raise IndexError

    def cell_on(self, line: str) -> Pair | None:
        if not line.strip('BW. ') and not self.upcoming():
            raise ValueError
        return super().cell_on(line)


class ColumnsByRow(ColumnsBeforeRowsCrash):
    """Uses the second number only for the rows; a row has as many columns as it has cells."""

    def set_up(self) -> None:
        super().set_up()
        self.columns = len(self.board[0])


class OwnStart(Othello):
    """Starts with four discs in the middle, with the color `corner` at the top left of them."""

    corner: ClassVar[str] = 'W'

    def read_board(self) -> list[list[str]]:
        self.skip_board()
        board = [['.'] * self.columns for _ in range(self.rows)]
        for row in (0, 1):
            for column in (0, 1):
                board[self.rows // 2 - 1 + row][self.columns // 2 - 1 + column] = (
                    self.corner if row == column else 'BW'[self.corner == 'B'])
        return board

    def skip_board(self) -> None:
        super().read_board()


class BoardAsMoves(OwnStart):
    """Reads the lines of the board as moves, and refuses them."""

    def skip_board(self) -> None:
        pass


class BoardAsMovesCrash(BoardAsMoves):
    """Reads the lines of the board as moves, and crashes."""

    def cell_on(self, line: str) -> Pair | None:
        if '.' in line or 'B' in line or 'W' in line:
            raise ValueError(line)
        return super().cell_on(line)


class FifthLine(BoardAsMoves):
    """Reads the color at the top left before it reads how the game is won."""

    def skip_board(self) -> None:
        self.wins = self.ask_setup('wins')


class FifthLineCrash(FifthLine, BoardAsMovesCrash):
    pass


def with_own_start(place: Departure) -> Iterable[type[GameModel]]:
    """Yield variants with a start of their own.

    They read the lines of the board, unless the program has printed something after four lines.
    """
    step = place.difference.step
    return with_corners([OwnStart] if step > 5 else
                        [BoardAsMoves, BoardAsMovesCrash] if step == 4 else [])


def with_fifth_line(place: Departure) -> Iterable[type[GameModel]]:
    """Yield variants that read five setup lines, if the program printed after five."""
    return with_corners([FifthLine, FifthLineCrash] if place.difference.step == 5 else [])


def with_corners(bases: Iterable[type[GameModel]]) -> Iterable[type[GameModel]]:
    """Yield variants of classes with either color at the top left."""
    return (varied(base, corner=corner) for base in bases for corner in 'WB')


class FirstPlayer(Othello):
    def start(self) -> None:
        self.turn = 'B'
        super().start()


class WinsIgnored(Othello):
    def set_up(self) -> None:
        super().set_up()
        self.wins = '>'


class WinsSwapped(Othello):
    def set_up(self) -> None:
        super().set_up()
        self.wins = '<' if self.wins == '>' else '>'
