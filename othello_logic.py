"""Othello: the rules and the state of one game, silent and ready for any front end.

A move must turn over at least one straight run of opposing discs; a player who has no such
move is passed over; the game ends when neither has one. So far these are the official rules
of the World Othello Federation. Here boards may have any even number of rows and of columns
from 4 to 16, the discs any arrangement at the start, and the fewest discs may win.

Rows and columns count from 1, row first; row 1 is at the top and column 1 at the left.

>>> game = OthelloGame(4, 4)
>>> game.legal_moves()
[(1, 2), (2, 1), (3, 4), (4, 3)]
>>> game.make_move(1, 2)
>>> print(game)
. B . .
. B B .
. B W .
. . . .
>>> game
<OthelloGame 4x4, B: 4, W: 1, W to move, most discs win>
"""

from __future__ import annotations

TYPE_CHECKING = False                   # as in `typing`, which is too slow to import for it
if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = range(4, 17, 2)                 # how many rows a board may have, and how many columns
COLORS = ('B', 'W')
OPPONENT = {'B': 'W', 'W': 'B'}
WINS = ('>', '<')                       # most discs win, fewest discs win

_CELL_OF_DIGIT = str.maketrans('0123', '.BW\n')


class OthelloError(Exception):
    """The base of every error of this module."""


class InvalidBoardError(OthelloError, ValueError):
    """A size, an arrangement, a color or a rule that no game of Othello has."""


class InvalidMoveError(OthelloError, ValueError):
    """A cell that does not exist, or where a disc may not be put.

    `row` and `column` are what was asked for, `color` who was to move there (`None` where
    nobody was), `reason` says what is wrong.
    """

    def __init__(self, row: object, column: object, color: str | None, reason: str) -> None:
        super().__init__(row, column, color, reason)
        self.row = row
        self.column = column
        self.color = color
        self.reason = reason

    def __str__(self) -> str:
        mover = f'{self.color} cannot move to ' if self.color else ''
        return f'{mover}row {_show(self.row)}, column {_show(self.column)}: {self.reason}'


class GameOverError(OthelloError):
    """A move after the end of the game, or its winner asked for before."""


class OthelloGame:
    """One game of Othello: the board, whose turn it is, and how it is won.

    `OthelloGame(rows, columns, turn, wins)` is a standard start: white discs on the two
    centre cells of the main diagonal, black ones on the two beside them. `turn` is `'B'` or
    `'W'`, `wins` is `'>'` (most discs) or `'<'` (fewest). Raises `InvalidBoardError`.

    `rows`, `columns`, `turn` (`None` once the game is over) and `wins` are there to be read.

    >>> OthelloGame(4, 5)
    Traceback (most recent call last):
    othello_logic.InvalidBoardError: columns must be an even integer from 4 to 16, not 5
    """

    # The discs of a color are the bits of an integer. Cell (row, column) is bit
    # (row - 1) * (columns + 1) + column - 1: after each row comes one guard bit, never set,
    # so that a run which leaves the board at a side meets no disc and ends there.
    __slots__ = ('_cells', '_directions', '_discs', 'columns', 'rows', 'turn', 'wins')

    def __init__(self, rows: int = 8, columns: int = 8, turn: str = 'B', wins: str = '>') -> None:
        for name, size in (('rows', rows), ('columns', columns)):
            if not _is_integer(size) or size not in SIZES:
                raise InvalidBoardError(
                    f'{name} must be an even integer from 4 to 16, not {_show(size)}')
        _check_choice('turn', turn, COLORS)
        _check_choice('wins', wins, WINS)
        self.rows = rows
        self.columns = columns
        self.wins = wins
        self._cells = int(('0' + '1' * columns) * rows, 2)
        down = columns + 1
        # A step in each of the eight directions: shift left by the first, right by the second.
        self._directions = tuple(
            step for shift in (1, down - 1, down, down + 1) for step in ((shift, 0), (0, shift)))
        upper_left = self._bit(rows // 2, columns // 2)
        self._set_position({'B': upper_left << 1 | upper_left << down,
                            'W': upper_left | upper_left << down + 1}, turn)

    @classmethod
    def from_text(cls, board: str, turn: str = 'B', wins: str = '>') -> OthelloGame:
        """Return the game that starts from any arrangement of discs.

        `board` is what `str(game)` gives: one line a row, its cells `B`, `W` or `.` with
        blanks between them; blank lines count for nothing. If `turn` has no move but the
        opponent has one, it is the opponent's turn. Raises `InvalidBoardError`.

        >>> OthelloGame.from_text('B W . .\\n. . . .\\n. . . .\\n. . . .', turn='W').turn
        'B'
        """
        if not isinstance(board, str):
            raise InvalidBoardError(f'a board must be text, not {board!r}')
        rows = [line.split() for line in board.splitlines() if line.strip()]
        for number, cells in enumerate(rows, 1):
            if len(cells) != len(rows[0]):
                raise InvalidBoardError(
                    f'row {number} has {len(cells)} cells, row 1 has {len(rows[0])}')
            for cell in cells:
                if cell not in ('B', 'W', '.'):
                    raise InvalidBoardError(f'row {number}: a cell is B, W or ., not {cell!r}')
        game = cls(len(rows), len(rows[0]) if rows else 0, turn, wins)
        numeral = '.'.join(''.join(cells) for cells in rows)[::-1].replace('.', '0')
        game._set_position(
            {color: int(numeral.replace(color, '1').replace(OPPONENT[color], '0'), 2)
             for color in COLORS}, turn)
        return game

    def disc_at(self, row: int, column: int) -> str | None:
        """Return the color of the disc in a cell, `None` where it is empty.

        Raises `InvalidMoveError` where there is no such cell.

        >>> OthelloGame().disc_at(4, 4)
        'W'
        """
        cell = self._bit(row, column)
        if not cell:
            raise InvalidMoveError(row, column, None, self._reason_against(cell))
        return next((color for color in COLORS if self._discs[color] & cell), None)

    def count(self, color: str) -> int:
        """Return how many discs of a color (`'B'` or `'W'`) are on the board.

        Raises `InvalidBoardError` for any other color.

        >>> OthelloGame().count('B')
        2
        """
        _check_choice('color', color, COLORS)
        return bin(self._discs[color]).count('1')

    def legal_moves(self) -> list[tuple[int, int]]:
        """Return the cells `(row, column)` that the player to move may choose, row by row.

        The list is empty once the game is over.

        >>> OthelloGame(4, 6).legal_moves()
        [(1, 3), (2, 2), (3, 5), (4, 4)]
        """
        moves = 0
        if self.turn:
            for landings in self._landings(self.turn):
                moves |= landings
        return self._cells_in(moves)

    def flips(self, row: int, column: int) -> list[tuple[int, int]]:
        """Return the cells `(row, column)` that a move would turn over, row by row.

        The list is empty where the move is not legal. Raises `InvalidMoveError` for anything
        but two integers.

        >>> OthelloGame().flips(3, 4)
        [(4, 4)]
        """
        return self._cells_in(self._turned_by(self._bit(row, column)))

    def make_move(self, row: int, column: int) -> None:
        """Put a disc of the player to move in a cell, turn over what it encloses, pass the turn.

        Raises `InvalidMoveError` if the move is not legal and `GameOverError` once the game
        is over; either leaves the game as it was.

        >>> OthelloGame().make_move(1, 4)
        Traceback (most recent call last):
        othello_logic.InvalidMoveError: B cannot move to row 1, column 4: it turns over no disc
        """
        mover = self.turn
        if mover is None:
            raise GameOverError('the game is over: nobody can move')
        cell = self._bit(row, column)
        turned = self._turned_by(cell)
        if not turned:
            raise InvalidMoveError(row, column, mover, self._reason_against(cell))
        other = OPPONENT[mover]
        self._set_position({mover: self._discs[mover] | turned | cell,
                     other: self._discs[other] ^ turned}, other)

    def is_over(self) -> bool:
        """Return whether neither player can move any more.

        >>> OthelloGame().is_over()
        False
        """
        return self.turn is None

    def winner(self) -> str | None:
        """Return the color that has won, `None` for a tie.

        Raises `GameOverError` while the game runs.

        >>> OthelloGame.from_text('B W B B\\n' * 4, wins='<').winner()
        'W'
        """
        if self.turn:
            raise GameOverError(f'the game is not over: {self.turn} is to move')
        black, white = self.count('B'), self.count('W')
        if black == white:
            return None
        return 'B' if (black > white) == (self.wins == '>') else 'W'

    def copy(self) -> OthelloGame:
        """Return a game that is equal to this one and changes independently of it.

        >>> game = OthelloGame()
        >>> game.copy() == game
        True
        """
        game = type(self).__new__(type(self))
        for name in OthelloGame.__slots__:
            setattr(game, name, getattr(self, name))
        return game

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OthelloGame):
            return NotImplemented
        return ((self._cells, self._discs, self.turn, self.wins)
                == (other._cells, other._discs, other.turn, other.wins))

    def __str__(self) -> str:
        # A binary numeral that is read as a hexadecimal one keeps one digit for each cell. So
        # in black + 2 * white a digit is 0 for an empty cell, 1 for B, 2 for W, 3 for a guard.
        guards = self._cells ^ (1 << self.rows * (self.columns + 1)) - 1
        black, white = (int(f'{self._discs[color] | guards:b}', 16) for color in 'BW')
        digits = f'{black + 2 * white:x}'[:0:-1]
        return ' '.join(digits).translate(_CELL_OF_DIGIT).replace(' \n ', '\n')

    def __repr__(self) -> str:
        state = f'{self.turn} to move' if self.turn else 'over'
        rule = 'most' if self.wins == '>' else 'fewest'
        return (f'<OthelloGame {self.rows}x{self.columns}, B: {self.count("B")}, '
                f'W: {self.count("W")}, {state}, {rule} discs win>')

    def _set_position(self, discs: dict[str, int], turn: str) -> None:
        """Take over the discs; the turn goes to whoever can move, this color before the other."""
        self._discs = discs             # never changed in place: copies of a game share it
        self.turn = next((color for color in (turn, OPPONENT[turn])
                          if any(self._landings(color))), None)

    def _landings(self, color: str) -> Iterator[int]:
        """Yield, part by part, the cells where this color may put a disc.

        All runs in one direction grow together, a cell at a time. Who only wants to know
        whether there is a move stops at the first part that is not empty.
        """
        own, opponent = self._discs[color], self._discs[OPPONENT[color]]
        empty = self._cells ^ own ^ opponent
        for left, right in self._directions:
            run = own << left >> right & opponent
            while run:
                run = run << left >> right
                yield run & empty
                run &= opponent

    def _turned_by(self, cell: int) -> int:
        """Return the discs that a move to this cell turns over; none if it is not legal."""
        turned = 0
        if self.turn and not cell & (self._discs['B'] | self._discs['W']):
            own, opponent = self._discs[self.turn], self._discs[OPPONENT[self.turn]]
            for left, right in self._directions:
                run = 0
                end = cell << left >> right
                while end & opponent:
                    run |= end
                    end = end << left >> right
                if end & own:
                    turned |= run
        return turned

    def _bit(self, row: int, column: int) -> int:
        """Return the bit of a cell, 0 where there is no such cell."""
        if not (_is_integer(row) and _is_integer(column)):
            raise InvalidMoveError(row, column, None, 'both must be integers')
        if 1 <= row <= self.rows and 1 <= column <= self.columns:
            return 1 << (row - 1) * (self.columns + 1) + column - 1
        return 0

    def _cells_in(self, bits: int) -> list[tuple[int, int]]:
        """Return the cells `(row, column)` of a set of bits, row by row."""
        cells = []
        while bits:
            lowest = bits & -bits
            row, column = divmod(lowest.bit_length() - 1, self.columns + 1)
            cells.append((row + 1, column + 1))
            bits ^= lowest
        return cells

    def _reason_against(self, cell: int) -> str:
        """Say why no disc may be put in a cell where it turns over none."""
        if not cell:
            return f'there is no such cell on a board of {self.rows} rows, {self.columns} columns'
        if cell & (self._discs['B'] | self._discs['W']):
            return 'the cell is occupied'
        return 'it turns over no disc'


def _is_integer(value: object) -> bool:
    return type(value) is int           # which True is not


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InvalidBoardError(f'{name} must be {choices[0]} or {choices[1]}, not {_show(value)}')


def _show(value: object) -> str:
    """Return the `repr` of a value, but not the digits of an integer that has too many."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f'(an integer of {value.bit_length()} bits)'
    return repr(value)
