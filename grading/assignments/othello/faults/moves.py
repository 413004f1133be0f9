"""Othello programs that accept or refuse the wrong moves, or do not know where the board ends."""

from __future__ import annotations

from typing import ClassVar

from ....diagnosis.fault_models import GameModel, varied
from ..model import DIRECTIONS, OTHER, Othello, Pair


class Occupied(Othello):
    """Accepts moves to cells with a disc that turn others over, and counts them as legal."""

    def is_empty(self, row: int, column: int, color: str) -> bool:
        return self.has(row, column) and self.board[row][column] in self.free(color)

    def free(self, color: str) -> str:
        return '.BW'


class OccupiedByOther(Occupied):
    def free(self, color: str) -> str:
        return '.' + OTHER[color]


class OccupiedByMover(Occupied):
    def free(self, color: str) -> str:
        return '.' + color


class OccupiedMoves(Occupied):
    """Accepts moves to cells with a disc, but does not count them when it looks for a pass."""

    def is_empty(self, row: int, column: int, color: str) -> bool:
        return Othello.is_empty(self, row, column, color)

    def may_enter(self, row: int, column: int, color: str) -> bool:
        return Occupied.is_empty(self, row, column, color)


class OccupiedMovesByOther(OccupiedMoves, OccupiedByOther):
    pass


class OccupiedMovesByMover(OccupiedMoves, OccupiedByMover):
    pass


class TurnsNothing(Othello):
    """Accepts moves to any empty cell, but does not count them when it looks for a pass."""

    def may_gain(self, row: int, column: int, color: str) -> bool:
        return True


class TurnsNothingOnBoard(Othello):
    """Accepts moves to any empty cell of the board that turn over no disc."""

    def may_gain(self, row: int, column: int, color: str) -> bool:
        return Othello.has(self, row, column) or super().may_gain(row, column, color)


class TurnsNothingAtAll(Othello):
    def gains(self, row: int, column: int, color: str) -> bool:
        return True


class TurnsNothingBesideOwn(Othello):
    """Accepts moves that turn over no disc if one of the player's discs is beside the cell."""

    def gains(self, row: int, column: int, color: str) -> bool:
        return super().gains(row, column, color) or any(
            self.reaches(row + down, column + right)
            and self.board[row + down][column + right] == color for down, right in DIRECTIONS)


class OffBoardCrash(Othello):
    """Crashes when a move is off the board."""

    def accepts(self, row: int, column: int, color: str) -> bool:
        if self.fails(row, self.rows) or self.fails(column, self.columns):
            raise IndexError
        return super().accepts(row, column, color)

    def fails(self, index: int, size: int) -> bool:
        return not 0 <= index < size


class CrashAbove(OffBoardCrash):
    """Crashes when a row or column is too large; refuses those that are too small."""

    def accepts(self, row: int, column: int, color: str) -> bool:
        return min(row, column) >= 0 and super().accepts(row, column, color)


class CrashBelow(OffBoardCrash):
    def fails(self, index: int, size: int) -> bool:
        return index < 0


class CrashAsIndex(OffBoardCrash):
    """Crashes when a row or column is not an index of Python's, negative ones included."""

    def fails(self, index: int, size: int) -> bool:
        return not -size <= index < size


class Unchecked(Othello):
    """Uses rows and columns as Python's indexes: below 0 they count from the other end.

    The variants do so where they accept a move, where they look for discs to turn over, or where
    they turn them over. What is not even an index is refused, or crashes.
    """

    is_entered: ClassVar[bool]
    is_seen: ClassVar[bool]
    is_turned: ClassVar[bool]
    crashes: ClassVar[bool]
    is_turning = False

    def has(self, row: int, column: int) -> bool:
        return super().has(row, column) or (self.is_entered and self.is_index(row, column))

    def reaches(self, row: int, column: int) -> bool:
        is_wild = self.is_turned if self.is_turning else self.is_seen
        return super().reaches(row, column) or (is_wild and self.is_index(row, column))

    def is_index(self, row: int, column: int) -> bool:
        """Return whether Python finds a cell for these indexes."""
        return self.crashes or (
            -self.rows <= row < self.rows and -self.columns <= column < self.columns)

    def runs(self, row: int, column: int, color: str) -> dict[Pair, list[Pair]]:
        self.is_turning = True
        runs = super().runs(row, column, color)
        self.is_turning = False
        return runs


class OtherEnd(Othello):
    """Makes the move at the cell that negative indexes mean."""

    def read_move(self) -> Pair | None:
        cell = super().read_move()
        if cell and -self.rows <= cell[0] < self.rows and -self.columns <= cell[1] < self.columns:
            return cell[0] % self.rows, cell[1] % self.columns
        return cell


def unchecked() -> list[type[GameModel]]:
    """Return all variants of programs that do not check some of the bounds."""
    kinds = [(True, False, False), (True, True, True), (False, True, True), (True, True, False),
             (True, False, True), (False, True, False), (False, False, True)]
    return [OtherEnd, *(varied(Unchecked, is_entered=entered, is_seen=seen, is_turned=turned,
                               crashes=crashes)
                        for crashes in (False, True) for entered, seen, turned in kinds)]


class Numbered(Othello):
    """Numbers the cells row by row, so that a column too large is a cell of the next row."""

    def read_move(self) -> Pair | None:
        cell = super().read_move()
        if cell and 0 <= cell[0] * self.columns + cell[1] < self.rows * self.columns:
            return divmod(cell[0] * self.columns + cell[1], self.columns)
        return cell


class NumberedRuns(Othello):
    """Numbers the cells row by row where it looks for discs to turn over."""

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        cells: list[Pair] = []
        number = (row + down) * self.columns + column + right
        while 0 <= number < self.rows * self.columns:
            cell = divmod(number, self.columns)
            disc = self.board[cell[0]][cell[1]]
            if disc != OTHER[color]:
                return cells if disc == color else []
            cells.append(cell)
            number += down * self.columns + right
        return []


class NoEdges(Othello):
    """Ignores the last row and column when it looks for discs to turn over."""

    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(row, column) and row < self.rows - 1 and column < self.columns - 1


class NoEdgeRows(Othello):
    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(row, column) and row < self.rows - 1


class NoEdgeColumns(Othello):
    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(row, column) and column < self.columns - 1


class NoEdgesAround(NoEdges):
    """Ignores all four edges when it looks for discs to turn over."""

    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(row, column) and row > 0 and column > 0


class NoEdgesMoves(NoEdges):
    """Rejects moves on the last row or column, and ignores discs there."""

    def has(self, row: int, column: int) -> bool:
        return super().has(row, column) and self.reaches(row, column)


class NoEdgesEntered(NoEdges):
    """Rejects moves on the last row or column, and ignores discs there.

    Moves that would be legal there count when it looks for a pass.
    """

    def may_enter(self, row: int, column: int, color: str) -> bool:
        return super().may_enter(row, column, color) and self.reaches(row, column)


class EdgesUnseen(Othello):
    """Rejects moves on some edges, and does not look there for a pass or the end."""

    skips: ClassVar[tuple[int, int]]        # so many rows and columns at the start, and the end

    def is_empty(self, row: int, column: int, color: str) -> bool:
        first, last = self.skips
        return (super().is_empty(row, column, color) and first <= row < self.rows - last
                and first <= column < self.columns - last)

    @classmethod
    def detail(cls) -> str:
        edges = [edge for edge, skipped in zip(('first', 'last'), cls.skips) if skipped]
        return ': ' + ' and '.join(f'the {edge} row and column' for edge in edges)


class EdgesUnseenPass(EdgesUnseen):
    """Accepts moves on all edges, but does not look at some for a pass or the end."""

    def may_enter(self, row: int, column: int, color: str) -> bool:
        return Othello.is_empty(self, row, column, color)
