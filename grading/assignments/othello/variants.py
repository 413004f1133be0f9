"""What faulty Othello programs do otherwise: the walk along discs, and variants with a state."""

from __future__ import annotations

import re
from typing import AbstractSet, ClassVar, Iterable, Mapping

from ...diagnosis.fault_models import Departure, GameModel, varied
from .model import DIRECTIONS, OTHER, Othello, Pair

DIRECTION_NAMES = {
    (-1, -1): 'up and left', (-1, 0): 'up', (-1, 1): 'up and right', (0, -1): 'left',
    (0, 1): 'right', (1, -1): 'down and left', (1, 0): 'down', (1, 1): 'down and right'}


def walk(game: Othello, row: int, column: int, color: str, down: int, right: int,
         through: str = 'o', ends: str = 'm', flips: str = 'o') -> list[Pair]:
    """Return the cells that a move flips in a direction, by rules that may be wrong.

    `through` says over what the walk goes on: o for a disc of the opponent, m for one of the mover,
    . for an empty cell. It flips those in `flips`, and nothing unless it ends at one of `ends`, in
    which # is the edge of the board.
    """
    names = {color: 'm', OTHER[color]: 'o', '.': '.'}
    cells: list[Pair] = []
    while True:
        row, column = row + down, column + right
        met = names.get(game.board[row][column], '?') if game.reaches(row, column) else '#'
        if met not in through:
            return cells if met in ends else []
        if met in flips:
            cells.append((row, column))


def walk_by_numbers(game: Othello, row: int, column: int, color: str, down: int,
                    right: int) -> list[Pair]:
    """Return the cells that a move flips if cells are numbered row by row.

    So a walk over the edge goes on in the next row.
    """
    cells: list[Pair] = []
    number = (row + down) * game.columns + column + right
    while 0 <= number < game.rows * game.columns:
        cell = divmod(number, game.columns)
        disc = game.board[cell[0]][cell[1]]
        if disc != OTHER[color]:
            return cells if disc == color else []
        cells.append(cell)
        number += down * game.columns + right
    return []


# Printing

class TurnLast(Othello):
    """Prints a TURN line when the game is over: the next player, the other one, or NONE."""

    last: ClassVar[Mapping[str, str]]
    last_at_start: ClassVar[Mapping[str, str]]
    following = ''
    is_started = False

    def hand_over(self, color: str) -> None:
        self.following = (self.last if self.is_started else self.last_at_start)[color]
        self.is_started = True
        super().hand_over(color)

    def say_winner(self, winner: str) -> None:
        self.say(f'TURN: {self.following}')
        super().say_winner(winner)


class RowNumbers(Othello):
    """Prints before each row its number, from 0 or 1, in a fixed width, and a separator."""

    first: ClassVar[int] = 1
    width: ClassVar[int] = 1
    between: ClassVar[str] = ' '

    def say_row(self, number: int, row: str) -> None:
        super().say_row(number, f'{number + self.first:{self.width}}{self.between}{row}')


def with_row_numbers(place: Departure) -> Iterable[type[GameModel]]:
    """Yield the variant whose number stands before the next row that is due, if one does."""
    row = re.escape(place.due.rstrip('\n'))
    for line in place.session.upcoming().split('\n')[:2]:
        numbered = re.fullmatch(f'( *[01])([^\\w.]+){row} *', line) if row else None
        if numbered:
            yield varied(RowNumbers, first=int(numbered[1]), width=len(numbered[1]),
                         between=numbered[2])


# Where the board ends

class Unchecked(Othello):
    """Uses rows and columns as Python's indexes: below 0 they count from the other end.

    The variants do so where they accept a move, where they look for discs to flip, or where they
    flip them. What is not even an index is refused, or crashes.
    """

    is_entered: ClassVar[bool]
    is_seen: ClassVar[bool]
    is_flipped: ClassVar[bool]
    crashes: ClassVar[bool]
    is_flipping = False

    def has(self, row: int, column: int) -> bool:
        return super().has(row, column) or (self.is_entered and self.is_index(row, column))

    def reaches(self, row: int, column: int) -> bool:
        is_wild = self.is_flipped if self.is_flipping else self.is_seen
        return super().reaches(row, column) or (is_wild and self.is_index(row, column))

    def is_index(self, row: int, column: int) -> bool:
        """Return whether Python finds a cell for these indexes."""
        return self.crashes or (
            -self.rows <= row < self.rows and -self.columns <= column < self.columns)

    def runs(self, row: int, column: int, color: str) -> dict[Pair, list[Pair]]:
        self.is_flipping = True
        runs = super().runs(row, column, color)
        self.is_flipping = False
        return runs


# Which discs are flipped

class OneRun(Othello):
    """Flips discs in one direction only: the direction that the program has chosen."""

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
        """Return the board as it is printed when only this run is flipped."""
        (row, column), color = self.moved, self.moving
        flipped = {(row, column): color, **dict.fromkeys(run, color)}
        return '\n'.join(' '.join(flipped.get((r, c), disc) for c, disc in enumerate(discs))
                         for r, discs in enumerate(self.board))


def cells_in(text: str) -> str:
    """Return the lines of a text with only the cells in them.

    >>> cells_in('TURN: W\\n. B \\nW .')
    'W\\n.B\\nW.'
    """
    cells = re.sub('[A-Z]+', lambda word: '' if word[0].strip('BW') else word[0], text)
    return re.sub(r'[^BW.\n]', '', cells)


class DirectionMissing(Othello):
    """Flips no discs in some directions."""

    missing: frozenset[Pair] = frozenset()

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        return [] if (down, right) in self.missing else super().run(row, column, color, down, right)


def with_directions_missing(place: Departure) -> Iterable[type[GameModel]]:
    """Yield variants with one more direction missing.

    Another one misses all directions in which the last move flipped no disc.
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
            names = ', '.join(DIRECTION_NAMES[direction] for direction in sorted(known | choice))
            yield varied(DirectionMissing, missing=known | choice, detail=f': {names}')


# Passes and the end

class LooksLate(Othello):
    """Checks whether the players can move only after it has printed the board."""

    crash: LookupError | None = None

    def hand_over(self, color: str) -> None:
        try:
            super().hand_over(color)
            self.can_move(OTHER[color])
        except LookupError as error:
            self.crash = error

    def say_turn(self, color: str) -> None:
        if self.crash:
            raise self.crash
        super().say_turn(color)


class StuckStart(LooksLate):
    """Does not look for a pass before the first move."""

    def start(self) -> None:
        first = self.turn
        super().start()
        self.turn = self.turn and first

    def hand_over(self, color: str) -> None:
        if hasattr(self, 'moved'):
            super(LooksLate, self).hand_over(color)
        else:
            super().hand_over(color)


class NeverPassesLater(Othello):
    """Never passes a turn, except before the first move."""

    is_started = False

    def start(self) -> None:
        super().start()
        self.is_started = True

    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        if self.is_started:
            self.turn = self.turn and color


class LatePass(Othello):
    """Prints the whole state with TURN for a player who cannot move, then passes."""

    stuck: str | None = None

    @property
    def skipped(self) -> str | None:
        """The player who cannot move, None if it is nobody or this player moves all the same."""
        return self.stuck if self.stuck != self.turn else None

    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        self.stuck = color if self.turn == OTHER[color] else None

    def show(self) -> None:
        if self.skipped:
            self.turn, self.stuck = self.skipped, None
            super().show()
            self.turn = OTHER[self.turn]
        super().show()


class LatePassTurn(LatePass):
    """Prints TURN for the player who cannot move, and then TURN for the other player."""

    def show(self) -> None:
        Othello.show(self)

    def say_turn(self, color: str) -> None:
        if self.skipped:
            super().say_turn(self.skipped)
        self.stuck = None
        super().say_turn(color)


class LatePassMove(LatePass):
    """Prints TURN for a player who cannot move, but takes the move as one of the other player."""

    def show(self) -> None:
        Othello.show(self)

    def say_turn(self, color: str) -> None:
        super().say_turn(self.skipped or color)
        self.stuck = None


class LatePassRefused(LatePass):
    """Prints TURN for a player who cannot move, and passes after it has refused a move."""

    def show(self) -> None:
        skipped, self.stuck = self.skipped, None
        if skipped:
            self.turn = skipped
            Othello.show(self)
            self.read_move()
            self.refuse()
            self.turn = OTHER[skipped]
        Othello.show(self)


class RightStart(LatePass):
    """Passes before the first move as it should, and too late afterwards."""

    def start(self) -> None:
        super().start()
        self.stuck = None


class StartMoves(Othello):
    """Accepts only moves that were legal at the start.

    These are the moves of each color, or those of the first player for both (`is_shared`).
    """

    is_shared: ClassVar[bool]
    moves: Mapping[str, AbstractSet[Pair]] = {'B': frozenset(), 'W': frozenset()}

    def start(self) -> None:
        first = self.turn or ''
        self.moves = {color: {(row, column) for row in range(self.rows)
                              for column in range(self.columns)
                              if self.gains_at(row, column, first if self.is_shared else color)}
                      for color in OTHER}
        super().start()

    def gains_at(self, row: int, column: int, color: str) -> bool:
        return self.is_empty(row, column, color) and Othello.gains(self, row, column, color)

    def accepts(self, row: int, column: int, color: str) -> bool:
        return (row, column) in self.moves[color]


class StartMovesEnd(StartMoves):
    """Uses the moves that were legal at the start to decide on passes and the end, too."""

    def is_legal(self, row: int, column: int, color: str) -> bool:
        return (row, column) in self.moves[color]
