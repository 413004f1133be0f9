"""Othello programs that find, or turn over, other runs than they should."""

from __future__ import annotations

import re
from typing import Iterable

from ...diagnosis.follow import AHEAD
from ...diagnosis.models import Place, varied
from ...diagnosis.session import Session
from .model import DIRECTIONS, OTHER, Cell, Othello

NAMES = {(-1, -1): 'up and left', (-1, 0): 'up', (-1, 1): 'up and right', (0, -1): 'left',
         (0, 1): 'right', (1, -1): 'down and left', (1, 0): 'down', (1, 1): 'down and right'}


class OneRun(Othello):
    """Turns over one run: that which the program turns over."""

    def chosen(self, runs: dict[Cell, list[Cell]]) -> dict[Cell, list[Cell]]:
        runs = super().chosen(runs)
        if len(runs) < 2:
            return runs
        upcoming = cells_in(self.upcoming())
        places = {direction: upcoming.find(cells_in(self.board_with(run)))
                  for direction, run in runs.items()}
        seen = [direction for direction, place in places.items() if place >= 0]
        direction = min(seen or runs, key=lambda direction: places[direction])
        return {direction: runs[direction]}

    def board_with(self, run: list[Cell]) -> str:
        """Return the board as it is printed once a run is turned over."""
        (row, column), color = self.moved, self.moving
        turned = {(row, column): color, **dict.fromkeys(run, color)}
        return '\n'.join(' '.join(turned.get((r, c), disc) for c, disc in enumerate(discs))
                         for r, discs in enumerate(self.board))


def cells_in(text: str) -> str:
    """Return the cells in a text alone, in lines.

    >>> cells_in('TURN: W\\n. B \\nW .')
    'W\\n.B\\nW.'
    """
    return re.sub(r'[^BW.\n]', '', re.sub('[A-Z]*[AC-VX-Z][A-Z]*', '', text))


class DirectionMissing(Othello):
    """Finds no run in some directions."""

    missing: frozenset[Cell] = frozenset()

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Cell]:
        return [] if (down, right) in self.missing else super().run(row, column, color, down, right)

    @classmethod
    def detail(cls) -> str:
        return ': ' + ', '.join(NAMES[direction] for direction in sorted(cls.missing))


def with_directions_missing(place: Place) -> Iterable[type[Session]]:
    """Yield it with each direction more, and with all in which the last move turned nothing."""
    session = place.match.session
    known: frozenset[Cell] = place.known('missing', frozenset())
    choices = [frozenset([direction]) for direction in DIRECTIONS]
    found, color = place.known('found', {}), place.known('moving', '')
    board = place.known('board', [])
    rows = cells_in(session.heard[session.at - len(session.texts[-1]):][:AHEAD]).split('\n')
    for start in range(len(rows) - len(board) + 1):
        printed = rows[start:start + len(board)]
        if found and list(map(len, printed)) == list(map(len, board)):
            choices.append(frozenset(direction for direction, run in found.items() if not any(
                printed[row][column] == color for row, column in run)))
            break
    for choice in dict.fromkeys(choices):
        if not known.issuperset(choice):
            yield varied(DirectionMissing, missing=known | choice)


class NoEdges(Othello):
    """The last row and column are left out."""

    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(row, column) and row < self.rows - 1 and column < self.columns - 1


class NoEdgeRows(Othello):
    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(row, column) and row < self.rows - 1


class NoEdgeColumns(Othello):
    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(row, column) and column < self.columns - 1


class NoEdgesAround(NoEdges):
    """The first ones too."""

    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(row, column) and row > 0 and column > 0


class NoEdgesMoves(NoEdges):
    """No move is made there either."""

    def has(self, row: int, column: int) -> bool:
        return super().has(row, column) and self.reaches(row, column)


class LimitsSwapped(Othello):
    """Takes the number of columns for that of rows, and the other way round, in runs."""

    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(column, row)


class LimitsSwappedMoves(Othello):
    def has(self, row: int, column: int) -> bool:
        return super().has(column, row)


class LimitsSwappedAll(LimitsSwapped, LimitsSwappedMoves):
    pass


class OverEmpty(Othello):
    """Runs go on over empty cells, which are left empty."""

    fills = False

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Cell]:
        cells: list[Cell] = []
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
    """They are filled."""

    fills = True


class OverEmptyTurned(OverEmpty):
    """Only where discs are turned over, not where a move is judged."""

    def gains(self, row: int, column: int, color: str) -> bool:
        return any(Othello.run(self, row, column, color, *direction) for direction in DIRECTIONS)


class OverEmptyFilledTurned(OverEmptyTurned):
    fills = True


class NoBracket(Othello):
    """Takes for a run what ends at the edge of the board."""

    ends_at_empty = False
    ends_at_edge = True

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Cell]:
        cells: list[Cell] = []
        row, column = row + down, column + right
        while self.reaches(row, column) and self.board[row][column] == OTHER[color]:
            cells.append((row, column))
            row, column = row + down, column + right
        if not self.reaches(row, column):
            return cells if self.ends_at_edge else []
        return cells if self.ends_at_empty or self.board[row][column] == color else []


class NoBracketAtEmpty(NoBracket):
    """What ends at an empty cell."""

    ends_at_empty, ends_at_edge = True, False


class NoBracketAtAll(NoBracket):
    ends_at_empty = True


class TurnsTooFar(Othello):
    """Turns over all opposing discs in the direction of a run, to the edge."""

    def runs(self, row: int, column: int, color: str) -> dict[Cell, list[Cell]]:
        return {direction: self.along(row, column, color, *direction)
                for direction in self.directions(row, column, color)}

    def directions(self, row: int, column: int, color: str) -> Iterable[Cell]:
        """Return the directions in which discs are turned over."""
        return super().runs(row, column, color)

    def along(self, row: int, column: int, color: str, down: int, right: int) -> list[Cell]:
        """Return the discs that are turned over in a direction."""
        cells = []
        while self.reaches(row + down, column + right):
            row, column = row + down, column + right
            if self.board[row][column] == OTHER[color]:
                cells.append((row, column))
        return cells


class TurnsAllAround(TurnsTooFar):
    """Turns over what a run would be, whether an own disc ends it or not."""

    def directions(self, row: int, column: int, color: str) -> Iterable[Cell]:
        return DIRECTIONS

    def along(self, row: int, column: int, color: str, down: int, right: int) -> list[Cell]:
        cells = []
        row, column = row + down, column + right
        while self.reaches(row, column) and self.board[row][column] == OTHER[color]:
            cells.append((row, column))
            row, column = row + down, column + right
        return cells


class TurnsAllLines(TurnsTooFar):
    """Turns over all opposing discs in all directions, to the edges."""

    def directions(self, row: int, column: int, color: str) -> Iterable[Cell]:
        return DIRECTIONS


class TurnsNeighbours(TurnsAllAround):
    """Turns over all opposing discs beside the cell."""

    def along(self, row: int, column: int, color: str, down: int, right: int) -> list[Cell]:
        return super().along(row, column, color, down, right)[:1]
