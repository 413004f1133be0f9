"""A simple second implementation of Othello, with a method for each decision."""

from __future__ import annotations

import re
from typing import Tuple

from ...diagnosis.fault_models import GameModel

Pair = Tuple[int, int]                  # row and column; or the step from one cell to the next

OTHER = {'B': 'W', 'W': 'B'}
DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
# Whether a color can move: kept, because a search for faults plays the same sessions many times.
CAN_MOVE: dict[object, bool] = {}
MOST_KEPT = 1 << 13
MOVE = re.compile(r'[ \t]*([+-]?[0-9]+)[ \t]+([+-]?[0-9]+)[ \t]*')


class Othello(GameModel):
    """A session of Othello. Rows and columns count from 0."""

    rows = columns = 0
    wins = ''
    board: list[list[str]]
    turn: str | None = None
    moved: Pair                             # the cell of the last move
    moving: str                             # the color of that move
    found: dict[Pair, list[Pair]]           # the runs of that move, by direction
    is_by_the_rules = True                  # whether legal moves are those of the game

    def play(self) -> None:
        self.greet()
        self.set_up()
        self.start()
        self.show()
        while self.turn:
            cell = self.read_move()
            if cell and self.accepts(*cell, self.turn):
                self.accept(*cell, self.turn)
            else:
                self.refuse()

    def greet(self) -> None:
        self.say('FULL')

    # What is read

    def set_up(self) -> None:
        """Read the setup without blank lines."""
        self.read_size()
        self.turn = self.ask_setup('first')
        self.wins = self.ask_setup('wins')
        self.board = self.read_board()

    def read_size(self) -> None:
        self.rows = int(self.ask_setup('rows'))
        self.columns = int(self.ask_setup('columns'))

    def read_board(self) -> list[list[str]]:
        return [self.ask_setup(f'row {row} of {self.rows}').split()
                for row in range(1, self.rows + 1)]

    def ask_setup(self, what: str) -> str:
        line = ''
        while not line:
            line = self.ask(what).lstrip('\ufeff' * (len(self.texts) == 2)).strip(' \t')
        return line

    def read_move(self) -> Pair | None:
        return self.cell_on(self.ask(f'move of {self.turn}'))

    def cell_on(self, line: str) -> Pair | None:
        """Return the cell in a line, None if there is none."""
        pair = MOVE.fullmatch(line)
        return (int(pair[1]) - 1, int(pair[2]) - 1) if pair else None

    # The rules

    def start(self) -> None:
        """Decide who moves first."""
        self.hand_over(self.turn or '')

    def accepts(self, row: int, column: int, color: str) -> bool:
        """Return whether a player may make a move."""
        return self.may_enter(row, column, color) and self.may_gain(row, column, color)

    def accept(self, row: int, column: int, color: str) -> None:
        """Make a move, and print the result."""
        self.make_move(row, column, color)
        self.hand_over(OTHER[color])
        self.say('VALID')
        self.show()

    def make_move(self, row: int, column: int, color: str) -> None:
        self.moved, self.moving = (row, column), color
        self.found = self.runs(row, column, color)
        for cells in self.chosen(self.found).values():
            for r, c in cells:
                self.board[r][c] = color
        self.board[row][column] = color

    def hand_over(self, color: str) -> None:
        """Give the turn to a player, or to the other one if that player cannot move, or to nobody.
        """
        self.turn = next((c for c in (color, OTHER[color]) if self.can_move(c)), None)

    def can_move(self, color: str) -> bool:
        if not self.is_by_the_rules:
            return self.has_move(color)
        key = (color, self.rows, self.columns, *map(tuple, self.board))
        if key not in CAN_MOVE:
            if len(CAN_MOVE) >= MOST_KEPT:
                CAN_MOVE.clear()
            CAN_MOVE[key] = self.has_move(color)
        return CAN_MOVE[key]

    def __init_subclass__(cls) -> None:
        cls.is_by_the_rules = all(getattr(cls, name) is getattr(Othello, name) for name in (
            'has_move', 'is_legal', 'is_empty', 'gains', 'run', 'has', 'reaches'))

    def has_move(self, color: str) -> bool:
        for row in range(self.rows):    # loops are fastest: a search spends most of its time here
            for column in range(self.columns):
                if self.is_legal(row, column, color):
                    return True
        return False

    def is_legal(self, row: int, column: int, color: str) -> bool:
        """Return whether a move is legal; this decides only about passes and the end."""
        return self.is_empty(row, column, color) and self.gains(row, column, color)

    def may_enter(self, row: int, column: int, color: str) -> bool:
        return self.is_empty(row, column, color)

    def may_gain(self, row: int, column: int, color: str) -> bool:
        return self.gains(row, column, color)

    def is_empty(self, row: int, column: int, color: str) -> bool:
        return self.has(row, column) and self.board[row][column] == '.'

    def gains(self, row: int, column: int, color: str) -> bool:
        """Return whether a move turns over at least one disc."""
        for down, right in DIRECTIONS:
            run = self.run(row, column, color, down, right)
            if run:
                return True
        return False

    def runs(self, row: int, column: int, color: str) -> dict[Pair, list[Pair]]:
        """Return the discs that a move turns over, by direction."""
        runs = {}
        for direction in DIRECTIONS:
            run = self.run(row, column, color, *direction)
            if run:
                runs[direction] = run
        return runs

    def chosen(self, runs: dict[Pair, list[Pair]]) -> dict[Pair, list[Pair]]:
        """Return the runs that are turned over, of those that were found."""
        return runs

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        cells: list[Pair] = []
        row, column = row + down, column + right
        while self.reaches(row, column):
            disc = self.board[row][column]
            if disc != OTHER[color]:
                return cells if disc == color else []
            cells.append((row, column))
            row, column = row + down, column + right
        return []

    def has(self, row: int, column: int) -> bool:
        """Return whether the cell of a move is on the board."""
        return 0 <= row < self.rows and 0 <= column < self.columns

    def reaches(self, row: int, column: int) -> bool:
        """Return whether a run may go on to a cell."""
        return 0 <= row < self.rows and 0 <= column < self.columns

    def count(self, color: str) -> int:
        return sum(row.count(color) for row in self.board)

    def winner(self) -> str:
        black, white = self.count('B'), self.count('W')
        if black == white:
            return 'NONE'
        return 'B' if (black > white) == (self.wins == '>') else 'W'

    # What is printed

    def refuse(self) -> None:
        self.say('INVALID')

    def show(self) -> None:
        self.say(self.counts(self.count('B'), self.count('W')))
        for number, row in enumerate(self.board):
            self.say_row(number, ' '.join(row))
        if self.turn:
            self.say_turn(self.turn)
        else:
            self.say_winner(self.winner())

    def counts(self, black: int, white: int) -> str:
        return f'B: {black}  W: {white}'

    def say_row(self, number: int, row: str) -> None:
        self.say(row)

    def say_turn(self, color: str) -> None:
        self.say(f'TURN: {color}')

    def say_winner(self, winner: str) -> None:
        self.say(f'WINNER: {winner}')
