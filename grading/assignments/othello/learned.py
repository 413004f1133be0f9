"""Variants of Othello that are made from what a program has printed."""

from __future__ import annotations

import re
from typing import Any, Callable, ClassVar, Iterable

from ...diagnosis.fault_models import Departure, GameModel, varied
from .model import DIRECTIONS, OTHER, Othello, Pair

DIRECTION_NAMES = {
    (-1, -1): 'up and left', (-1, 0): 'up', (-1, 1): 'up and right', (0, -1): 'left',
    (0, 1): 'right', (1, -1): 'down and left', (1, 0): 'down', (1, 1): 'down and right'}


class RowNumbers(Othello):
    """Prints before each row its number, from 0 or 1, in a fixed width, and a separator."""

    first: ClassVar[int]
    width: ClassVar[int]
    between: ClassVar[str]

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


class OwnStart(Othello):
    """Starts with four discs in the middle, after it has read something in place of the board."""

    corner: ClassVar[str]               # the color of the disc at the top left

    def read_board(self) -> list[list[str]]:
        self.read_instead()
        board = [['.'] * self.columns for _ in range(self.rows)]
        row, column = self.rows // 2, self.columns // 2
        board[row - 1][column - 1] = board[row][column] = self.corner
        board[row - 1][column] = board[row][column - 1] = OTHER[self.corner]
        return board

    def read_instead(self) -> None:
        super().read_board()


def read_fifth_line(game: OwnStart, read_instead: Callable[[], None]) -> None:
    game.wins = game.ask_setup('wins')


def crash_at_board(game: Othello, cell_on: Callable[[str], Any], line: str) -> Any:
    """Crash at a row of the board in place of a move."""
    if re.search('[BW.]', line):
        raise ValueError(line)
    return cell_on(line)


OWN_START = [varied(OwnStart, corner=corner) for corner in 'WB']
BOARD_AS_MOVES = [varied(OwnStart, corner=corner, read_instead=None) for corner in 'WB']
BOARD_AS_MOVES += [varied(start, cell_on=crash_at_board) for start in BOARD_AS_MOVES]
# None derives from a variant of another fault: the two could not be combined.
FIFTH_LINE = [varied(OwnStart, corner=corner, read_instead=read_fifth_line) for corner in 'WB']
FIFTH_LINE += [varied(start, cell_on=crash_at_board) for start in FIFTH_LINE]


def with_own_start(place: Departure) -> Iterable[type[GameModel]]:
    """Return variants with a start of their own.

    They read the lines of the board, unless the program has printed something after four lines.
    """
    step = place.step
    return OWN_START if step > 5 else BOARD_AS_MOVES if step == 4 else []


def with_fifth_line(place: Departure) -> Iterable[type[GameModel]]:
    """Return variants that read five setup lines, if the program printed after five."""
    return FIFTH_LINE if place.step == 5 else []


def flip_in_one_direction(game: Othello, flips: Callable[..., dict[Pair, list[Pair]]], row: int,
                          column: int, color: str) -> dict[Pair, list[Pair]]:
    """Flip discs in one direction only: the one whose board the program prints first."""
    by_direction = flips(row, column, color)
    if len(by_direction) < 2:
        return by_direction
    upcoming = cells_in(game.upcoming())

    def place_of(direction: Pair) -> int:
        board = [[*discs] for discs in game.board]
        for r, c in [(row, column), *by_direction[direction]]:
            board[r][c] = color
        place = upcoming.find('\n'.join(map(''.join, board)))
        return place if place >= 0 else len(upcoming)

    direction = min(by_direction, key=place_of)
    return {direction: by_direction[direction]}


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

    def flips_toward(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        is_missing = (down, right) in self.missing
        return [] if is_missing else super().flips_toward(row, column, color, down, right)


def with_directions_missing(place: Departure) -> Iterable[type[GameModel]]:
    """Yield variants with one more direction missing.

    Another one misses all directions in which the last move flipped no disc.
    """
    game = place.session
    assert isinstance(game, Othello)
    known: frozenset[Pair] = place.known('missing', frozenset())
    choices = [frozenset([direction]) for direction in DIRECTIONS]
    rows = cells_in(game.texts[-1] + game.upcoming()).split('\n') if game.moved else []
    for start in range(len(rows) - len(game.board) + 1 if game.moved else 0):
        printed = rows[start:start + len(game.board)]
        if list(map(len, printed)) == list(map(len, game.board)):
            choices.append(frozenset(direction for direction, cells in game.flipped.items()
                                     if all(printed[row][column] == game.following
                                            for row, column in cells)))
            break
    for choice in dict.fromkeys(choices):
        if not known.issuperset(choice):
            names = ', '.join(DIRECTION_NAMES[direction] for direction in sorted(known | choice))
            yield varied(DirectionMissing, missing=known | choice, detail=f': {names}')
