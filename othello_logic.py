"""The rules and the state of an Othello game, without input and output, for any front end.

A move puts a disc in an empty cell, and flips every straight run of opposing discs between that
disc and another of the same color. A move must flip at least one disc. A player without a legal
move passes; when neither player has a legal move, the game is over. These are the rules of the
World Othello Federation, with three options: the numbers of rows and columns may be any even
numbers from 4 to 16, a game may start with any discs on the board, and the player with the fewest
discs may be the winner.

Rows and columns are numbered from 1, row first; row 1 is at the top and column 1 on the left.

>>> game = OthelloGame(4, 4)
>>> game.legal_moves()
[(1, 2), (2, 1), (3, 4), (4, 3)]
>>> game.make_move(1, 2)
[(2, 2)]
>>> print(game)
. B . .
. B B .
. B W .
. . . .
>>> game
<OthelloGame 4x4, B: 4, W: 1, W to move, most discs win>

All errors are subclasses of `OthelloError`: `InvalidBoardError`, `InvalidMoveError`,
`GameOverError` and `GameNotOverError`.
"""

from __future__ import annotations

__all__ = [
    'COLORS',
    'OPPONENT',
    'SIZES',
    'WINS',
    'GameNotOverError',
    'GameOverError',
    'InvalidBoardError',
    'InvalidMoveError',
    'OthelloError',
    'OthelloGame',
]

SIZES = range(4, 17, 2)  # the numbers of rows, and of columns, that a board may have
COLORS = ('B', 'W')
SIGNS = {('1', '0'): 'B', ('0', '1'): 'W', ('0', '0'): '.'}  # by a cell's bits of B and of W
OPPONENT = {'B': 'W', 'W': 'B'}
WINS = ('>', '<')  # most discs win, fewest discs win


class OthelloError(Exception):
    """The base class of all errors in this module."""


class InvalidBoardError(OthelloError, ValueError):
    """Raised for an invalid size, board, color or winning rule."""


class InvalidMoveError(OthelloError, ValueError):
    """Raised for a cell that is not on the board, or a move that is not legal.

    `row` and `column` are the cell, and `reason` says what is wrong. `color` is the player who
    tried to move. It is `None` if nobody tried to move, or if `row` or `column` is not an integer.
    """

    def __init__(self, row: object, column: object, color: str | None, reason: str) -> None:
        super().__init__(row, column, color, reason)
        self.row, self.column, self.color, self.reason = row, column, color, reason

    def __str__(self) -> str:
        mover = f'{self.color} cannot move to ' if self.color else ''
        return f'{mover}row {_show(self.row)}, column {_show(self.column)}: {self.reason}'


class GameOverError(OthelloError):
    """Raised for a move after the end of the game."""


class GameNotOverError(OthelloError):
    """Raised by `winner` before the end of the game."""


class OthelloGame:
    """An Othello game: the board, whose turn it is, and who wins.

    `OthelloGame(rows, columns, turn, wins)` has the standard starting position: of the four center
    cells, the upper left and the lower right have white discs, and the other two have black discs.
    `turn` is `'B'` or `'W'`, and `wins` is `'>'` (most discs) or `'<'` (fewest). Raises
    `InvalidBoardError`.
    """

    __slots__ = ('_discs', '_grid', '_passed', '_turn', '_wins')

    def __init__(self, rows: int = 8, columns: int = 8, turn: str = 'B', wins: str = '>') -> None:
        self._grid = grid = _Grid(_size('rows', rows), _size('columns', columns))
        _check('turn', turn, COLORS)
        _check('wins', wins, WINS)
        self._wins = wins
        upper_left = grid.bit(grid.rows // 2, grid.columns // 2)
        self._discs = {
            'B': upper_left << 1 | upper_left << grid.down,
            'W': upper_left | upper_left << grid.down + 1,
        }
        self._give_turn(turn)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._grid.rows

    @property
    def columns(self) -> int:
        """The number of columns."""
        return self._grid.columns

    @property
    def turn(self) -> str | None:
        """The color to move, or `None` if the game is over."""
        return self._turn

    @property
    def passed(self) -> str | None:
        """The color that had to pass after the last move or at the start, or `None`."""
        return self._passed

    @property
    def wins(self) -> str:
        """The winning rule: `'>'` if the most discs win, `'<'` if the fewest discs win."""
        return self._wins

    @classmethod
    def from_text(cls, board: str, turn: str | None = 'B', wins: str = '>') -> OthelloGame:
        """Return a game that starts from the given board.

        `board` has the form of `str(game)`: a line for each row, with cells `B`, `W` or `.` and
        spaces between them; empty lines are ignored. If `turn` has no legal move but the opponent
        has one, it is the opponent's turn. For a game that is over, `turn` may be `None`.
        `str(game)` includes neither the turn nor the winning rule, so an equal game is
        `from_text(str(game), game.turn, game.wins)`. Raises `InvalidBoardError`.
        """
        lines = board.replace('\r\n', '\n').split('\n')
        rows = [cells for cells in map(split_words, lines) if cells]
        for number, cells in enumerate(rows, 1):
            for cell in cells:
                if cell not in ('B', 'W', '.'):
                    raise InvalidBoardError(
                        f'row {number}: expected cells B, W or . with spaces between them, '
                        f'not {_show(cell)}'
                    )
            if len(cells) != len(rows[0]):
                raise InvalidBoardError(
                    f'row {number} has {len(cells)} cells, but row 1 has {len(rows[0])}'
                )
        mover = 'B' if turn is None else turn
        game = cls(len(rows), len(rows[0]) if rows else 0, mover, wins)
        # A binary numeral begins with its highest bit, which is the last cell.
        numeral = '.'.join(map(''.join, rows))[::-1].replace('.', '0')
        game._discs = {
            color: int(numeral.replace(color, '1').replace(OPPONENT[color], '0'), 2)
            for color in COLORS
        }
        game._give_turn(mover)
        if turn is None and game._turn:
            raise InvalidBoardError('turn must be B or W, not None: the game is not over')
        return game

    def disc_at(self, row: int, column: int) -> str | None:
        """Return the color of the disc in a cell, or `None` if the cell is empty.

        Raises `InvalidMoveError` if there is no such cell.
        """
        cell = self._grid.bit(row, column)
        if not cell:
            raise InvalidMoveError(row, column, None, self._why_illegal(cell))
        return next((color for color in COLORS if self._discs[color] & cell), None)

    def count(self, color: str) -> int:
        """Return how many discs of a color are on the board.

        Raises `InvalidBoardError` if `color` is neither `'B'` nor `'W'`.
        """
        _check('color', color, COLORS)
        return bin(self._discs[color]).count('1')

    def legal_moves(self, color: str | None = None) -> list[tuple[int, int]]:
        """Return the legal moves `(row, column)` of the player to move, row by row.

        The list is empty if the game is over. With a `color`, return the moves that this color
        could make if it were to move. Raises `InvalidBoardError` if `color` is neither `'B'` nor
        `'W'`.

        >>> OthelloGame(4, 4).legal_moves('W')
        [(1, 3), (2, 4), (3, 1), (4, 2)]
        """
        if color is not None:
            _check('color', color, COLORS)
        mover = color or self._turn or 'B'  # Once the game is over, neither color can move.
        return self._grid.cells_in(self._grid.moves(*self._sides(mover)))

    def flips(self, row: int, column: int) -> list[tuple[int, int]]:
        """Return the cells whose discs a move would flip, row by row.

        The list is empty if the move is illegal. Raises `InvalidMoveError` unless both arguments
        are integers.

        >>> OthelloGame().flips(3, 4)
        [(4, 4)]
        """
        cell, mover = self._grid.bit(row, column), self._turn or 'B'
        return self._grid.cells_in(self._grid.flips(cell, *self._sides(mover)))

    def is_legal(self, row: int, column: int) -> bool:
        """Return whether a move is legal.

        Raises `InvalidMoveError` unless both arguments are integers.
        """
        return bool(self.flips(row, column))

    def check_move(self, row: int, column: int) -> None:
        """Raise the error that `make_move` would raise, if any; the game does not change."""
        self.copy().make_move(row, column)

    def make_move(self, row: int, column: int) -> list[tuple[int, int]]:
        """Place a disc for the player to move, and flip the discs that it brackets.

        Returns the cells of the flipped discs, row by row. Raises `InvalidMoveError` if the move is
        illegal, and `GameOverError` if the game is over; in both cases the game does not change.

        Here, two of the three runs of W that begin beside the new disc end at another B:

        >>> game = OthelloGame.from_text('''
        ...     . . . . . .
        ...     . B . . . .
        ...     . . W . W .
        ...     . . . W W .
        ...     . B W W . .
        ...     . . . . . .
        ... ''')
        >>> game.make_move(5, 5)
        [(3, 3), (4, 4), (5, 3), (5, 4)]
        >>> print(game)
        . . . . . .
        . B . . . .
        . . B . W .
        . . . B W .
        . B B B B .
        . . . . . .

        >>> OthelloGame().make_move(1, 4)
        Traceback (most recent call last):
        othello_logic.InvalidMoveError: B cannot move to row 1, column 4: it flips no discs
        """
        mover = self._turn
        if mover is None:
            raise GameOverError('the game is over: nobody can move')
        cell = self._grid.bit(row, column)
        own, opponent = self._sides(mover)
        flips = self._grid.flips(cell, own, opponent)
        if not flips:
            raise InvalidMoveError(row, column, mover, self._why_illegal(cell))
        # A new dict, because copies of the game share the old one.
        self._discs = {mover: own | cell | flips, OPPONENT[mover]: opponent ^ flips}
        self._give_turn(OPPONENT[mover])
        return self._grid.cells_in(flips)

    def is_over(self) -> bool:
        """Return whether the game is over: neither player can move."""
        return self._turn is None

    def winner(self) -> str | None:
        """Return the color that has won, or `None` for a tie. Raises `GameNotOverError`."""
        if self._turn:
            raise GameNotOverError(f'the game is not over: {self._turn} is to move')
        black, white = self.count('B'), self.count('W')
        if black == white:
            return None
        has_black_won = black > white if self._wins == '>' else black < white
        return 'B' if has_black_won else 'W'

    def copy(self) -> OthelloGame:
        """Return an independent copy of this game."""
        game = object.__new__(type(self))
        game._discs, game._grid = self._discs, self._grid
        game._turn, game._passed, game._wins = self._turn, self._passed, self._wins
        return game

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OthelloGame):
            return NotImplemented
        return (self._grid.cells, self._discs, self._turn, self._wins) == (
            other._grid.cells,
            other._discs,
            other._turn,
            other._wins,
        )

    def __str__(self) -> str:
        # Cell (1, 1) is the lowest bit, so read the numerals from their ends. The last cell of each
        # row is the guard bit, which is left out.
        down = self._grid.down
        black, white = (f'{self._discs[color]:0{self.rows * down}b}'[::-1] for color in COLORS)
        cells = [SIGNS[bits] for bits in zip(black, white)]
        rows = [cells[start : start + self.columns] for start in range(0, len(cells), down)]
        return '\n'.join(map(' '.join, rows))

    def __repr__(self) -> str:
        state = f'{self._turn} to move' if self._turn else 'over'
        rule = 'most' if self._wins == '>' else 'fewest'
        return (
            f'<OthelloGame {self.rows}x{self.columns}, B: {self.count("B")}, '
            f'W: {self.count("W")}, {state}, {rule} discs win>'
        )

    def _sides(self, color: str) -> tuple[int, int]:
        """Return the bits of the discs of a color, and of its opponent's discs."""
        return self._discs[color], self._discs[OPPONENT[color]]

    def _give_turn(self, color: str) -> None:
        """Give the turn to a color, or to the other color if only the other can move.

        If neither can move, the game is over.
        """
        self._turn: str | None = color
        self._passed: str | None = None
        if not self._grid.moves(*self._sides(color)):
            other = OPPONENT[color]
            can_other_move = self._grid.moves(*self._sides(other))
            self._turn, self._passed = (other, color) if can_other_move else (None, None)

    def _why_illegal(self, cell: int) -> str:
        """Return why a move to a cell is illegal."""
        if not cell:
            size = f'{self.rows} rows and {self.columns} columns'
            return f'there is no such cell on a board with {size}'
        is_occupied = cell & (self._discs['B'] | self._discs['W'])
        return 'the cell is occupied' if is_occupied else 'it flips no discs'


class _Grid:
    """The cells of a board as the bits of an integer; immutable, so copies of a game share it.

    Cell (row, column) is bit (row - 1) * (columns + 1) + column - 1. Each row is followed by a
    guard bit, which never has a disc, so runs of discs end at the edge of the board. These are the
    bits of a 4x4 board, and the shifts from a cell to its neighbors:

         0   1   2   3 |  4        right << 1             left >> 1
         5   6   7   8 |  9        down << 5              up >> 5
        10  11  12  13 | 14        down and right << 6    up and left >> 6
        15  16  17  18 | 19        down and left << 4     up and right >> 4
    """

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns, self.down = rows, columns, columns + 1
        self.cells = int(('0' + '1' * columns) * rows, 2)
        self.shifts = (1, columns, columns + 1, columns + 2)

    def bit(self, row: int, column: int) -> int:
        """Return the bit of a cell, or 0 if there is no such cell."""
        row_number, column_number = _index(row), _index(column)
        if row_number is None or column_number is None:
            raise InvalidMoveError(row, column, None, 'both must be integers')
        if not (1 <= row_number <= self.rows and 1 <= column_number <= self.columns):
            return 0
        return 1 << (row_number - 1) * self.down + column_number - 1

    def cells_in(self, bits: int) -> list[tuple[int, int]]:
        """Return the cells `(row, column)` whose bits are set, row by row."""
        cells = []
        while bits:
            lowest = bits & -bits
            row, column = divmod(lowest.bit_length() - 1, self.down)
            cells.append((row + 1, column + 1))
            bits ^= lowest
        return cells

    def moves(self, own: int, opponent: int) -> int:
        """Return the bits of the legal moves of the player who has the `own` discs."""
        moves = 0
        for shift in self.shifts:  # extend all runs of opposing discs in one direction at once
            run = own << shift & opponent
            while run:
                run <<= shift
                moves |= run
                run &= opponent
            run = own >> shift & opponent
            while run:
                run >>= shift
                moves |= run
                run &= opponent
        return moves & (self.cells ^ own ^ opponent)

    def flips(self, cell: int, own: int, opponent: int) -> int:
        """Return the bits of the discs that a move to a cell flips, or 0 if the move is illegal."""
        if cell & (own | opponent):
            return 0
        flips = 0
        for shift in self.shifts:
            run, end = 0, cell << shift
            while end & opponent:
                run |= end
                end <<= shift
            if end & own:
                flips |= run
            run, end = 0, cell >> shift
            while end & opponent:
                run |= end
                end >>= shift
            if end & own:
                flips |= run
        return flips


def split_words(line: str) -> list[str]:
    """Return the words of a line; only spaces and tabs separate words."""
    return [token for token in line.replace('\t', ' ').split(' ') if token]


def _check(name: str, value: str, choices: tuple[str, str]) -> None:
    """Raise `InvalidBoardError` unless a value is one of two choices."""
    if value not in choices:
        raise InvalidBoardError(f'{name} must be {" or ".join(choices)}, not {_show(value)}')


def _size(name: str, value: int) -> int:
    """Return a number of rows or columns as an `int`. Raises `InvalidBoardError`."""
    size = _index(value)
    if size is None or size not in SIZES:
        raise InvalidBoardError(f'{name} must be an even integer from 4 to 16, not {_show(value)}')
    return size


def _index(value: int) -> int | None:
    """Return an integer of any type, such as NumPy's, as an `int`; for other values `None`."""
    try:  # like `operator.index`, without the import
        return value.__index__()
    except (AttributeError, TypeError):  # the latter for a class, such as `int`
        return None


def _show(value: object) -> str:
    """Return the `repr` of a value, shortened for a message."""
    if isinstance(value, int) and value.bit_length() > 200:  # `repr` may refuse to show it
        return f'(an integer of {value.bit_length()} bits)'
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + '...'
