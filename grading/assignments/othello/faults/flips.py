"""Othello programs that turn over other discs than they should."""

from __future__ import annotations

from typing import ClassVar, Iterable

from ..model import DIRECTIONS, OTHER, Othello, Pair


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


class LimitsSwapped(Othello):
    """Mixes up the numbers of rows and columns when it looks for discs to turn over."""

    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(column, row)


class LimitsSwappedMoves(Othello):
    def has(self, row: int, column: int) -> bool:
        return super().has(column, row)


class LimitsSwappedAll(LimitsSwapped, LimitsSwappedMoves):
    pass


class OverEmpty(Othello):
    """Goes on over empty cells to a disc of the player, and leaves these cells empty."""

    fills = False

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        cells: list[Pair] = []
        row, column = row + down, column + right
        while self.reaches(row, column):
            disc = self.board[row][column]
            if disc == color:
                return cells
            if self.fills or disc != '.':
                cells.append((row, column))
            row, column = row + down, column + right
        return []


class OverEmptyFilled(OverEmpty):
    """Goes on over empty cells to a disc of the player, and puts discs on these cells."""

    fills = True


class OverEmptyTurned(OverEmpty):
    """Goes on over empty cells when it turns discs over, not when it judges a move."""

    def gains(self, row: int, column: int, color: str) -> bool:
        return any(Othello.run(self, row, column, color, *direction) for direction in DIRECTIONS)


class OverEmptyFilledTurned(OverEmptyTurned):
    fills = True


class NoBracket(Othello):
    """Turns over discs up to the edge of the board, without a disc of the player there."""

    ends_at_empty = False
    ends_at_edge = True

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        cells: list[Pair] = []
        row, column = row + down, column + right
        while self.reaches(row, column) and self.board[row][column] == OTHER[color]:
            cells.append((row, column))
            row, column = row + down, column + right
        if not self.reaches(row, column):
            return cells if self.ends_at_edge else []
        return cells if self.ends_at_empty or self.board[row][column] == color else []


class NoBracketAtEmpty(NoBracket):
    """Turns over discs up to an empty cell, without a disc of the player there."""

    ends_at_empty, ends_at_edge = True, False


class NoBracketAtAll(NoBracket):
    ends_at_empty = True


class OverAll(Othello):
    """Goes on over empty cells to the edge, and needs no disc of the player at the end."""

    fills = False

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        cells: list[Pair] = []
        row, column = row + down, column + right
        while self.reaches(row, column) and self.board[row][column] != color:
            if self.fills or self.board[row][column] != '.':
                cells.append((row, column))
            row, column = row + down, column + right
        return cells


class OverAllFilled(OverAll):
    fills = True


class ShortRuns(Othello):
    """Goes in no direction farther than the number of rows, or of columns."""

    @property
    def most(self) -> int:
        return self.rows

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        cells = super().run(row, column, color, down, right)
        return cells if len(cells) + 1 < self.most else []


class ShortRunsColumns(ShortRuns):
    @property
    def most(self) -> int:
        return self.columns


class OwnDiscMissing(Othello):
    """Turns over discs, but leaves the cell of the move empty."""

    def make_move(self, row: int, column: int, color: str) -> None:
        before = self.board[row][column]
        super().make_move(row, column, color)
        self.board[row][column] = before


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


class TurnsTooFar(Othello):
    """Turns over all discs of the other color in a direction, to the edge of the board."""

    def runs(self, row: int, column: int, color: str) -> dict[Pair, list[Pair]]:
        return {direction: self.along(row, column, color, *direction)
                for direction in self.directions(row, column, color)}

    def directions(self, row: int, column: int, color: str) -> Iterable[Pair]:
        """Return the directions in which discs are turned over."""
        return super().runs(row, column, color)

    def along(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        """Return the discs that are turned over in a direction."""
        cells = []
        while self.reaches(row + down, column + right):
            row, column = row + down, column + right
            if self.board[row][column] == OTHER[color]:
                cells.append((row, column))
        return cells


class TurnsAllAround(TurnsTooFar):
    """Turns over discs in all directions, with or without a disc of the player behind them."""

    def directions(self, row: int, column: int, color: str) -> Iterable[Pair]:
        return DIRECTIONS

    def along(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        cells = []
        row, column = row + down, column + right
        while self.reaches(row, column) and self.board[row][column] == OTHER[color]:
            cells.append((row, column))
            row, column = row + down, column + right
        return cells


class TurnsAllLines(TurnsTooFar):
    """Turns over all discs of the other color in all directions, to the edges."""

    def directions(self, row: int, column: int, color: str) -> Iterable[Pair]:
        return DIRECTIONS


class TurnsNeighbours(TurnsAllAround):
    """Turns over all discs of the other color that touch the cell."""

    def along(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        return super().along(row, column, color, down, right)[:1]
