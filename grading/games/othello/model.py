"""A simple second implementation of Othello, with a method or a setting for each decision.

A setting's comment says what its value means; its default is the correct value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import chain

from ..model import Decider, GameModel, Replacement, decision, setting
from .positions import Vector, move_on

OTHER = {'B': 'W', 'W': 'B'}
# For each player, the contents of a cell: m is that player's disc, o is the opponent's disc.
SEEN_BY = {color: {color: 'm', OTHER[color]: 'o', '.': '.'} for color in OTHER}
DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


class BoardRules(Decider):
    """The decisions about legal moves on a board. Rows and columns are numbered from 0.

    These decisions depend only on the board, so `can_move_on` can cache whether a player can move.
    """

    rows = columns = 0
    board: list[list[str]]
    is_flipping = False  # whether a move is being made, rather than checked; only a fault sets it
    searched = setting[Sequence[Vector]](DIRECTIONS)  # the directions searched for discs to flip
    # Directions searched only when a move is made, not when it is checked.
    unexamined = setting[frozenset[Vector]](frozenset())

    @decision
    def is_legal(self, row: int, column: int, color: str) -> bool:
        """Return whether a move is legal.

        This decides who can move, and when the game is over. For the players' actual moves, see
        `accepts`.
        """
        return self.is_empty(row, column, color) and self.flips_any(row, column, color)

    @decision
    def is_empty(self, row: int, column: int, color: str) -> bool:
        return self.has(row, column) and self.board[row][column] == '.'

    @decision
    def flips_any(self, row: int, column: int, color: str) -> bool:
        """Return whether a move flips at least one disc."""
        return any(
            self.flips_toward(row, column, color, *direction)
            for direction in self.searched
            if direction not in self.unexamined
        )

    @decision
    def flips_toward(
        self,
        row: int,
        column: int,
        color: str,
        down: int,
        right: int,
        *,
        through: str = 'o',
        closed_by: str = 'm',
        flips: str = 'o',
        cell_for: Callable[[BoardRules, int, int], Vector] | None = None,
    ) -> list[Vector]:
        """Return the discs bracketed by a move in one direction, and therefore flipped.

        A walk goes from cell to cell in this direction. The keyword arguments are its rules, and a
        fault may change them. In these rules, `o` is a disc of the opponent, `m` is a disc of the
        mover, `.` is an empty cell, and `#` is a cell beyond the edge.

        The walk passes the cells in `through`, and stops at the first other cell. If this cell is
        in `closed_by`, the move flips all passed cells in `flips`; otherwise, it flips nothing.
        `cell_for` replaces each cell with another, and the walk goes on from there.
        """
        contents = SEEN_BY[color]
        cells: list[Vector] = []
        while True:
            row, column = row + down, column + right
            if cell_for:
                row, column = cell_for(self, row, column)
            met = contents.get(self.board[row][column], '?') if self.reaches(row, column) else '#'
            if met not in through:
                return cells if met in closed_by else []
            if met in flips:
                cells.append((row, column))

    @decision
    def has(self, row: int, column: int) -> bool:
        """Return whether the cell of a move is on the board."""
        return 0 <= row < self.rows and 0 <= column < self.columns

    @decision
    def reaches(self, row: int, column: int) -> bool:
        """Return whether a walk can reach a cell; see `flips_toward`."""
        return 0 <= row < self.rows and 0 <= column < self.columns


class Othello(BoardRules, GameModel):
    """An Othello session. Rows and columns are numbered from 0."""

    wins = ''  # > if the player with more discs wins, < if the player with fewer discs wins
    turn: str | None = None  # the next player to move, or None if the game is over
    following = ''  # the next player, before a possible pass
    moved: Vector | None = None  # the cell of the last move
    flipped: dict[Vector, list[Vector]]  # the discs flipped by the last move, by direction
    # Directions where a move flips nothing, even if it brackets discs there.
    unflipped = setting[frozenset[Vector]](frozenset())
    size_order = setting(('rows', 'columns'))  # the order of reading the sizes
    counted = setting('BW')  # the order of the colors in the printed counts
    places_disc = setting(True)  # whether a move places the mover's disc
    # The numbers printed before the rows: the first number, the width (0 for no numbers), and the
    # text between a number and its row.
    row_number = setting((0, 0, ''))
    # The winner of a tie: the first item if more discs win, the second if fewer discs win.
    tie = setting(('NONE', 'NONE'))

    @cached_property
    def replacements_of_rules(self) -> tuple[Replacement, ...]:
        return tuple(pair for pair in self.replacements if pair[0] in BoardRules.decisions())

    def play(self) -> None:
        self.say('FULL')
        self.set_up()
        self.start()
        self.show()
        while self.turn:
            cell = self.read_move()
            if cell and self.accepts(*cell, self.turn):
                self.make_move(*cell, self.turn)
                self.hand_over(OTHER[self.turn])
                self.say('VALID')
                self.show()
            else:
                self.refuse()

    # Reading

    @decision
    def set_up(self) -> None:
        """Read the setup, and skip its empty lines."""
        sizes = {name: int(self.ask_setup(name)) for name in self.size_order}
        self.rows, self.columns = sizes['rows'], sizes['columns']
        self.turn = self.ask_setup('first')
        self.wins = self.ask_setup('wins')
        self.board = self.read_board()

    @decision
    def read_board(self) -> list[list[str]]:
        return [
            self.ask_setup(f'row {row} of {self.rows}').split() for row in range(1, self.rows + 1)
        ]

    def ask_setup(self, what: str) -> str:
        line = ''
        while not line:
            line = self.ask(what)
            if len(self.texts) == 2:  # this was the first line of the input
                line = line.lstrip('\ufeff')
            line = line.strip(' \t')
        return line

    @decision
    def read_move(self) -> Vector | None:
        return self.cell_on(self.ask(f'move of {self.turn}'))

    @decision
    def cell_on(self, line: str) -> Vector | None:
        """Return the cell of the move in a line, or None if the line is not a move."""
        move = move_on(line)
        return move and (move[0] - 1, move[1] - 1)

    # The rules

    @decision
    def start(self) -> None:
        """Decide who moves first."""
        self.hand_over(self.turn or '')

    @decision
    def accepts(self, row: int, column: int, color: str) -> bool:
        """Return whether the program accepts a move it has read."""
        return self.may_enter(row, column, color) and self.may_flip(row, column, color)

    @decision
    def make_move(self, row: int, column: int, color: str) -> None:
        self.flipped = self.flips_by_direction(row, column, color)
        self.moved = row, column
        for r, c in chain.from_iterable(self.flipped.values()):
            self.board[r][c] = color
        if self.places_disc:
            self.board[row][column] = color

    @decision
    def hand_over(self, color: str) -> None:
        self.following = color
        self.turn = self.next_turn(color)

    @decision
    def next_turn(self, color: str) -> str | None:
        """Return who moves next: `color` or else the other player, or None if neither can move."""
        return next((c for c in (color, OTHER[color]) if self.can_move(c)), None)

    @decision
    def can_move(self, color: str) -> bool:
        board = tuple(map(tuple, self.board))
        try:
            can_move, used = can_move_on(
                board, self.rows, self.columns, color, self.replacements_of_rules
            )
        except Exception:
            self.used |= BoardRules.decisions()  # any of these decisions may have caused the error
            raise
        self.used |= used
        return can_move

    @decision
    def may_enter(self, row: int, column: int, color: str) -> bool:
        return self.is_empty(row, column, color)

    @decision
    def may_flip(self, row: int, column: int, color: str) -> bool:
        return self.flips_any(row, column, color)

    @decision
    def flips_by_direction(self, row: int, column: int, color: str) -> dict[Vector, list[Vector]]:
        flips = {
            (down, right): self.flips_toward(row, column, color, down, right)
            for down, right in self.searched
            if (down, right) not in self.unflipped
        }
        return {direction: cells for direction, cells in flips.items() if cells}

    @decision
    def count(self, color: str) -> int:
        return sum(row.count(color) for row in self.board)

    @decision
    def winner(self) -> str:
        # Look up `tie` in every game, so that it counts as used: a fault that changes only ties
        # must leave the other winners correct.
        black, white, tie = self.count('B'), self.count('W'), self.tie
        if black == white:
            return tie[self.fewest_win()]
        return 'B' if (black > white) != self.fewest_win() else 'W'

    @decision
    def fewest_win(self) -> bool:
        """Return whether the player with fewer discs wins."""
        return self.wins == '<'

    # Printing

    @decision
    def refuse(self) -> None:
        self.say('INVALID')

    @decision
    def show(self) -> None:
        self.show_board()
        self.show_turn()

    def show_board(self) -> None:
        first, second = map(self.count, self.counted)
        self.say(f'B: {first}  W: {second}')
        first_row, width, between = self.row_number
        for number, row in enumerate(self.board, first_row):
            self.say((f'{number:{width}}{between}' if width else '') + ' '.join(row))

    def show_turn(self) -> None:
        """Print whose turn it is or, if the game is over, who has won."""
        if self.turn:
            self.say_turn(self.turn)
        else:
            self.say_winner(self.winner())

    @decision
    def say_turn(self, color: str) -> None:
        self.say(f'TURN: {color}')

    @decision
    def say_winner(self, winner: str) -> None:
        self.say(f'WINNER: {winner}')


@lru_cache(maxsize=1 << 13)  # a search often asks about the same board
def can_move_on(
    board: tuple[tuple[str, ...], ...],
    rows: int,
    columns: int,
    color: str,
    replacements: tuple[Replacement, ...],
) -> tuple[bool, frozenset[str]]:
    """Return whether a player has a legal move on a board, and which decisions were used."""
    rules = BoardRules(replacements)
    rules.board, rules.rows, rules.columns = [*map(list, board)], rows, columns
    can_move = any(
        rules.is_legal(row, column, color) for row in range(rows) for column in range(columns)
    )
    return can_move, frozenset(rules.used)
