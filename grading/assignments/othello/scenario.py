"""A game of Othello as lines of input, from its setup to its end."""

from __future__ import annotations

from typing import List, NamedTuple, Tuple

from othello_logic import InvalidMoveError, OthelloGame

from ...sessions.transcript import Transcript

Board = List[List[str]]                 # the cells of each row, as they are printed
Move = Tuple[int, int]                  # row and column, from 1; there need be no such cell
SETUP = 4                               # lines before the board


class Scenario(NamedTuple):
    """A game from its setup to its end."""

    board: Board
    first: str
    wins: str
    moves: list[Move]                   # as they are typed, legal or not
    decisive: int = 0                   # how many are typed before a program goes wrong

    @classmethod
    def of(cls, transcript: Transcript, step: int) -> Scenario:
        """Return the game of a transcript in which a program goes wrong in a step."""
        rows, _, first, wins, *lines = transcript.inputs
        cells = [line.split() for line in lines]
        moves = [(int(row), int(column)) for row, column in cells[int(rows):]]
        return cls(cells[:int(rows)], first, wins, moves, max(0, step - SETUP - int(rows)))

    @property
    def lines(self) -> list[str]:
        """The lines of a transcript in which nothing is recorded yet."""
        return ['$ othello_console.py', str(len(self.board)), str(len(self.board[0])),
                self.first, self.wins, *map(' '.join, self.board),
                *(f'{row} {column}' for row, column in self.moves)]

    def game(self, moves: int = 0) -> OthelloGame:
        """Return the game after so many of its moves."""
        game = OthelloGame.from_text('\n'.join(map(' '.join, self.board)), self.first, self.wins)
        for move in self.moves[:moves]:
            play(game, move)
        return game


def can_begin(scenario: Scenario) -> Scenario:
    """Return a game with a first player who can move, if anybody can.

    No assignment says what happens where the other one has to begin.
    """
    return scenario._replace(first=scenario.game().turn or scenario.first)


def play(game: OthelloGame, move: Move) -> bool:
    """Play a move; return False, the game unchanged, if it is not legal."""
    try:
        game.make_move(*move)
    except InvalidMoveError:
        return False
    return True
