"""Othello programs that take moves, or turn discs over, otherwise than they should."""

from __future__ import annotations

from itertools import combinations
from typing import ClassVar, Iterable

from ...diagnosis.models import Place, varied
from ...diagnosis.session import Session
from .model import DIRECTIONS, OTHER, Cell, Othello

NAMES = {(-1, -1): 'up and left', (-1, 0): 'up', (-1, 1): 'up and right', (0, -1): 'left',
         (0, 1): 'right', (1, -1): 'down and left', (1, 0): 'down', (1, 1): 'down and right'}


class Occupied(Othello):
    """Accepts a move onto a disc that turns others over, and takes it for one that can be made."""

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
    """Only when a move is made."""

    def is_empty(self, row: int, column: int, color: str) -> bool:
        return Othello.is_empty(self, row, column, color)

    def may_enter(self, row: int, column: int, color: str) -> bool:
        return Occupied.is_empty(self, row, column, color)


class OccupiedMovesByOther(OccupiedMoves, OccupiedByOther):
    pass


class OccupiedMovesByMover(OccupiedMoves, OccupiedByMover):
    pass


class TurnsNothing(Othello):
    """Accepts any empty cell, though such a move does not count where a pass is looked for."""

    def may_gain(self, row: int, column: int, color: str) -> bool:
        return True


class TurnsNothingAtAll(Othello):
    def gains(self, row: int, column: int, color: str) -> bool:
        return True


class OffBoardCrash(Othello):
    """Crashes on a cell beyond any edge."""

    def accepts(self, row: int, column: int, color: str) -> bool:
        if self.fails(row, self.rows) or self.fails(column, self.columns):
            raise IndexError
        return super().accepts(row, column, color)

    def fails(self, index: int, size: int) -> bool:
        return not 0 <= index < size


class CrashAbove(OffBoardCrash):
    """A cell before the first row or column is refused before."""

    def accepts(self, row: int, column: int, color: str) -> bool:
        return min(row, column) >= 0 and super().accepts(row, column, color)


class CrashBelow(OffBoardCrash):
    def fails(self, index: int, size: int) -> bool:
        return index < 0


class CrashAsIndex(OffBoardCrash):
    """Where Python has no such index."""

    def fails(self, index: int, size: int) -> bool:
        return not -size <= index < size


class Wraps(Othello):
    """The cell is one of the other end, its runs begin beyond the edge."""

    def may_enter(self, row: int, column: int, color: str) -> bool:
        return super().may_enter(row, column, color) or (
            self.is_beyond(row, column) and self.board[row][column] == '.')

    def is_beyond(self, row: int, column: int) -> bool:
        """Whether Python takes a cell off the board for one of the other end."""
        return (-self.rows <= row < self.rows and -self.columns <= column < self.columns
                and (row < 0 or column < 0))


class WrapsWhole(Wraps):
    """The move is one of the other end."""

    def may_enter(self, row: int, column: int, color: str) -> bool:
        return Othello.may_enter(self, row, column, color)

    def read_move(self) -> Cell | None:
        cell = super().read_move()
        if cell and self.is_beyond(*cell):
            return cell[0] % self.rows, cell[1] % self.columns
        return cell


class WrapsRuns(Wraps):
    """Runs go on at the other end too."""

    def reaches(self, row: int, column: int) -> bool:
        return super().reaches(row, column) or self.is_beyond(row, column)


# Runs

class OneRun(Othello):
    """Turns over one run: which, for each set of directions in which there are some."""

    choices: ClassVar[dict[frozenset[Cell], Cell]] = {}

    def chosen(self, runs: dict[Cell, list[Cell]]) -> dict[Cell, list[Cell]]:
        runs = super().chosen(runs)
        direction = self.choices.get(frozenset(runs), next(iter(runs), None))
        return {direction: runs[direction]} if direction in runs else {}


def with_one_run(place: Place) -> Iterable[type[Session]]:
    found = getattr(place.match.session, 'found', {})
    known = getattr(place.match.session, 'choices', {})
    if len(found) > 1:
        for direction in found:
            yield varied(OneRun, choices={**known, frozenset(found): direction})


class DirectionMissing(Othello):
    """Finds no run in some directions."""

    missing: frozenset[Cell] = frozenset()

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Cell]:
        return [] if (down, right) in self.missing else super().run(row, column, color, down, right)

    @classmethod
    def detail(cls) -> str:
        return ': ' + ', '.join(NAMES[direction] for direction in sorted(cls.missing))


def with_directions_missing(place: Place) -> Iterable[type[Session]]:
    """Yield it with each direction more, and with each choice of those of the last move."""
    found = getattr(place.match.session, 'found', {})
    known: frozenset[Cell] = getattr(place.match.session, 'missing', frozenset())
    choices = [[direction] for direction in DIRECTIONS]
    choices += [list(choice) for number in range(2, len(found) + 1)
                for choice in combinations(found, number)]
    for choice in choices:
        if not known.issuperset(choice):
            yield varied(DirectionMissing, missing=known.union(choice))


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
