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

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, but `typing` is slow to import
if TYPE_CHECKING:
    from typing import Any, SupportsIndex

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
OPPONENT = {'B': 'W', 'W': 'B'}
WINS = ('>', '<')  # most discs win, fewest discs win

_CELL_OF_DIGIT = bytes.maketrans(b'0123', b'.BW\n')


def __dir__() -> list[str]:
    """Return the public names except the errors: otherwise, `help` would show these first."""
    return [name for name in __all__ if not name.endswith('Error')]


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

    def __repr__(self) -> str:  # works even if the `repr` of the row or the column fails
        return f'InvalidMoveError({str(self)!r})'


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

    def __init__(
        self, rows: SupportsIndex = 8, columns: SupportsIndex = 8, turn: str = 'B', wins: str = '>'
    ) -> None:
        _check('rows', rows, SIZES, 'an even integer from 4 to 16')
        _check('columns', columns, SIZES, 'an even integer from 4 to 16')
        _check('turn', turn, COLORS, 'B or W')
        _check('wins', wins, WINS, '> or <')
        self._wins = wins
        self._grid = grid = _Grid(rows.__index__(), columns.__index__())
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
        if type(board) is not str:
            raise InvalidBoardError(f'a board must be text, not {_show(board)}')
        lines = board.replace('\r\n', '\n').split('\n')
        rows = [cells for cells in map(split_words, lines) if cells]
        for number, cells in enumerate(rows, 1):
            if len(cells) == 1 < len(cells[0]) and not cells[0].strip('BW.'):
                raise InvalidBoardError(
                    f'row {number}: expected {len(cells[0])} cells with spaces between '
                    f'them, not {_show(cells[0])}'
                )
            if len(cells) != len(rows[0]):
                raise InvalidBoardError(
                    f'row {number} has {len(cells)} cells, but row 1 has {len(rows[0])}'
                )
            for cell in cells:
                if cell not in ('B', 'W', '.'):
                    raise InvalidBoardError(
                        f'row {number}: a cell must be B, W or ., not {_show(cell)}'
                    )
        mover = 'B' if turn is None else turn
        game = cls(len(rows), len(rows[0]) if rows else 0, mover, wins)
        numeral = '.'.join(map(''.join, rows))[::-1].replace('.', '0')
        game._discs = {
            color: int(numeral.replace(color, '1').replace(OPPONENT[color], '0'), 2)
            for color in COLORS
        }
        game._give_turn(mover)
        if turn is None and game._turn:
            raise InvalidBoardError('turn must be B or W, not None: the game is not over')
        return game

    def disc_at(self, row: SupportsIndex, column: SupportsIndex) -> str | None:
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
        _check('color', color, COLORS, 'B or W')
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
            _check('color', color, COLORS, 'B or W')
        mover = color or self._turn or 'B'  # Once the game is over, neither color can move.
        moves = self._grid.moves(self._discs[mover], self._discs[OPPONENT[mover]])
        return self._grid.cells_in(moves)

    def flips(self, row: SupportsIndex, column: SupportsIndex) -> list[tuple[int, int]]:
        """Return the cells whose discs a move would flip, row by row.

        The list is empty if the move is illegal. Raises `InvalidMoveError` unless both arguments
        are integers.

        >>> OthelloGame().flips(3, 4)
        [(4, 4)]
        """
        cell, mover = self._grid.bit(row, column), self._turn or 'B'
        flips = self._grid.flips(cell, self._discs[mover], self._discs[OPPONENT[mover]])
        return self._grid.cells_in(flips)

    def is_legal(self, row: SupportsIndex, column: SupportsIndex) -> bool:
        """Return whether a move is legal.

        Raises `InvalidMoveError` unless both arguments are integers.
        """
        return bool(self.flips(row, column))

    def check_move(self, row: SupportsIndex, column: SupportsIndex) -> None:
        """Raise the error that `make_move` would raise, if any; the game does not change."""
        self.copy().make_move(row, column)

    def make_move(self, row: SupportsIndex, column: SupportsIndex) -> list[tuple[int, int]]:
        """Place a disc for the player to move, and flip the discs that it brackets.

        Returns the cells of the flipped discs, row by row. Raises `InvalidMoveError` if the move is
        illegal, and `GameOverError` if the game is over; in both cases the game does not change.

        >>> OthelloGame().make_move(1, 4)
        Traceback (most recent call last):
        othello_logic.InvalidMoveError: B cannot move to row 1, column 4: it flips no discs
        """
        mover, grid, discs = self._turn, self._grid, self._discs
        if mover is None:
            raise GameOverError('the game is over: nobody can move')
        other = OPPONENT[mover]
        own, opponent = discs[mover], discs[other]
        cell = grid.bit(row, column)
        flips = grid.flips(cell, own, opponent)
        if not flips:
            raise InvalidMoveError(row, column, mover, self._why_illegal(cell))
        own |= flips | cell
        opponent ^= flips
        self._discs = {mover: own, other: opponent}  # a new dict: copies share the old one
        self._turn: str | None = other
        self._passed: str | None = None
        if not grid.moves(opponent, own, True):
            self._give_turn(other)
        return grid.cells_in(flips)

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
        # A loop over the cells would make a 16x16 game take a quarter longer. A binary numeral that
        # is read as hexadecimal keeps one digit for each cell. So the digits of black + 2 * white
        # are 0 for an empty cell, 1 for B, 2 for W, and 3 for a guard bit. Reverse them, because
        # cell (1, 1) is the lowest bit, and leave out the last guard bit.
        black, white = (int(f'{self._discs[color] | self._grid.guards:b}', 16) for color in 'BW')
        digits = f'{black + 2 * white:x}'[:0:-1].encode()
        text = bytearray(b' ') * (2 * len(digits) - 1)
        text[::2] = digits.translate(_CELL_OF_DIGIT)
        return text.replace(b' \n ', b'\n').decode()

    def __repr__(self) -> str:
        state = f'{self._turn} to move' if self._turn else 'over'
        rule = 'most' if self._wins == '>' else 'fewest'
        return (
            f'<OthelloGame {self.rows}x{self.columns}, B: {self.count("B")}, '
            f'W: {self.count("W")}, {state}, {rule} discs win>'
        )

    def _give_turn(self, color: str) -> None:
        """Give the turn to a color, or to the other color if only the other can move.

        If neither can move, the game is over.
        """
        other = OPPONENT[color]
        own, opponent = self._discs[color], self._discs[other]
        self._turn, self._passed = color, None
        if not self._grid.moves(own, opponent, True):
            is_over = not self._grid.moves(opponent, own, True)
            self._turn, self._passed = (None, None) if is_over else (other, color)

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
        self.guards = (1 << rows * self.down) - 1 ^ self.cells
        self.shifts = (columns, columns + 1, columns + 2)
        self.block = 0b111 << 2 * self.down | 0b111 << self.down | 0b111
        # The index is the bit length of a cell's bit. The entries with column 0 are not cells.
        self.places = [(row, column) for row in range(1, rows + 1) for column in range(self.down)]

    def bit(self, row: SupportsIndex, column: SupportsIndex) -> int:
        """Return the bit of a cell, or 0 if there is no such cell."""
        if type(row) is not int or type(column) is not int:
            if None in (_index(row), _index(column)):
                raise InvalidMoveError(row, column, None, 'both must be integers')
            row, column = row.__index__(), column.__index__()
        is_on_board = 1 <= row <= self.rows and 1 <= column <= self.columns
        return 1 << (row - 1) * self.down + column - 1 if is_on_board else 0

    def cells_in(self, bits: int) -> list[tuple[int, int]]:
        """Return the cells `(row, column)` whose bits are set, row by row."""
        cells: list[tuple[int, int]] = []
        places = self.places
        while bits:
            lowest = bits & -bits
            cells.append(places[lowest.bit_length()])
            bits ^= lowest
        return cells

    def moves(self, own: int, opponent: int, is_one_enough: bool = False) -> int:
        """Return the bits of the legal moves of the player who has the `own` discs.

        With `is_one_enough`, stop as soon as there is a move: the result may lack others.
        """
        empty = self.cells ^ own ^ opponent
        # To the right: in this sum, each run of opposing discs that follows one of the player's
        # discs carries over into the cell after the run.
        moves = opponent + (own << 1 & opponent) & empty
        if is_one_enough and moves:
            return moves
        run = own >> 1 & opponent
        while run:
            run >>= 1
            moves |= run
            run &= opponent
        for shift in self.shifts:  # extend all runs in one direction at once
            run = own << shift & opponent
            while run:
                run <<= shift
                moves |= run
                run &= opponent
            if is_one_enough and moves & empty:
                break
            run = own >> shift & opponent
            while run:
                run >>= shift
                moves |= run
                run &= opponent
        return moves & empty

    def flips(self, cell: int, own: int, opponent: int) -> int:
        """Return the bits of the discs that a move to a cell flips, or 0 if the move is illegal."""
        if cell & (own | opponent):
            return 0
        flips = 0
        # The product has the bits of the cell and its neighbors; only opposing discs are kept.
        starts = cell * self.block >> self.down + 1 & opponent
        place = cell.bit_length()
        while starts:
            end = run = starts & -starts
            starts ^= end
            step = end.bit_length() - place
            if step > 0:
                while (end := end << step) & opponent:
                    run |= end
            else:
                while (end := end >> -step) & opponent:
                    run |= end
            if end & own:
                flips |= run
        return flips


def split_words(line: str) -> list[str]:
    """Return the words of a line; only spaces and tabs separate words."""
    return [token for token in line.replace('\t', ' ').split(' ') if token]


def _check(name: str, value: object, choices: range | tuple[str, ...], what: str) -> None:
    if (value if type(value) is str else _index(value)) not in choices:
        raise InvalidBoardError(f'{name} must be {what}, not {_show(value)}')


def _index(value: object) -> int | None:
    """Return an integer of any type, such as NumPy's, as an `int`.

    For a `bool`, and for any other value, return `None`.
    """
    kind: Any = type(value)
    try:  # like `operator.index`, without the import
        number = value if kind is int else kind.__index__(value)
    except Exception:
        return None
    return number if type(number) is int and kind is not bool else None


def _show(value: object) -> str:
    """Return the `repr` of a value as one short line, even if its class breaks `repr`."""
    try:
        text = (
            f'(an integer of {value.bit_length()} bits)'
            if type(value) is int and value.bit_length() > 200
            else ''.join([repr(value)])  # a plain `str`, even if `repr` returns a subclass
        )
    except Exception:
        text = object.__repr__(value)
    text = ''.join(char if char.isprintable() else ascii(char)[1:-1] for char in text[:81])
    return text if len(text) <= 80 else text[:77] + '...'
