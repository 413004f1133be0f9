"""Othello programs that turn over other discs than they should, or miss directions."""

from __future__ import annotations

import re
from typing import Iterable

from ....diagnosis.fault_models import Departure, GameModel, varied
from ..model import DIRECTIONS, OTHER, Othello, Pair

DIRECTION_NAMES = {
    (-1, -1): 'up and left', (-1, 0): 'up', (-1, 1): 'up and right', (0, -1): 'left',
    (0, 1): 'right', (1, -1): 'down and left', (1, 0): 'down', (1, 1): 'down and right'}


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


class OneRun(Othello):
    """Turns over discs in one direction only: the direction that the program has chosen."""

    def chosen(self, runs: dict[Pair, list[Pair]]) -> dict[Pair, list[Pair]]:
        runs = super().chosen(runs)
        if len(runs) < 2:
            return runs
        upcoming = cells_in(self.upcoming())
        places = {direction: upcoming.find(cells_in(self.board_with(run)))
                  for direction, run in runs.items()}
        seen = [direction for direction, place in places.items() if place >= 0]
        direction = min(seen or runs, key=lambda direction: places[direction])
        return {direction: runs[direction]}

    def board_with(self, run: list[Pair]) -> str:
        """Return the board as it is printed when only this run is turned over."""
        (row, column), color = self.moved, self.moving
        turned = {(row, column): color, **dict.fromkeys(run, color)}
        return '\n'.join(' '.join(turned.get((r, c), disc) for c, disc in enumerate(discs))
                         for r, discs in enumerate(self.board))


def cells_in(text: str) -> str:
    """Return the lines of a text with only the cells in them.

    >>> cells_in('TURN: W\\n. B \\nW .')
    'W\\n.B\\nW.'
    """
    cells = re.sub('[A-Z]+', lambda word: '' if word[0].strip('BW') else word[0], text)
    return re.sub(r'[^BW.\n]', '', cells)


class NoRuns(Othello):
    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        return []


class DirectionMissing(Othello):
    """Turns over no discs in some directions."""

    missing: frozenset[Pair] = frozenset()

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        return [] if (down, right) in self.missing else super().run(row, column, color, down, right)

    @classmethod
    def detail(cls) -> str:
        return ': ' + ', '.join(DIRECTION_NAMES[direction] for direction in sorted(cls.missing))


def with_directions_missing(place: Departure) -> Iterable[type[GameModel]]:
    """Yield variants with one more direction missing.

    Another one misses all directions in which the last move turned over no disc.
    """
    session = place.session
    known: frozenset[Pair] = place.known('missing', frozenset())
    choices = [frozenset([direction]) for direction in DIRECTIONS]
    found, color = place.known('found', {}), place.known('moving', '')
    board = place.known('board', [])
    rows = cells_in(session.texts[-1] + session.upcoming()).split('\n')
    for start in range(len(rows) - len(board) + 1):
        printed = rows[start:start + len(board)]
        if found and list(map(len, printed)) == list(map(len, board)):
            choices.append(frozenset(direction for direction, run in found.items() if not any(
                printed[row][column] == color for row, column in run)))
            break
    for choice in dict.fromkeys(choices):
        if not known.issuperset(choice):
            yield varied(DirectionMissing, missing=known | choice)
