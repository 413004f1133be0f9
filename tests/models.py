"""The transcripts, and the grader's models of the games, with which our games must agree.

Of the modules in this folder, only this one imports the grader.
"""

import sys

from running import ROOT

from grading.assignments.choice import read_sessions
from grading.games import GAMES, game_of
from grading.games.known_faults import faults_of
from grading.games.nim.open_choices import moves_of
from grading.sessions.transcript import read_session

MODELS = {name: faults_of(game).model for name, game in GAMES.items()}
Othello = MODELS['othello']
MODULE_OF_NIM = sys.modules[MODELS['piles'].__module__]
INTEGER = MODULE_OF_NIM.INTEGER  # the pattern of an integer


def transcript(name):
    """Return the transcript with this name, such as `othello/worked_example`."""
    return read_session(ROOT / 'transcripts' / f'{name}.txt')


def name_of_game(transcript):
    """Return the name of the game of a transcript: `othello`, `recorded`, `piles`, ..."""
    return game_of(transcript).name


def transcripts(game=None):
    """Return all transcripts of a game, or of all games."""
    return [each for each in read_sessions() if game in (None, name_of_game(each))]


def states_of(transcript):
    """Return the sizes of the piles at each move of the computer in classic Nim."""
    return [sizes for _, sizes, _, _ in moves_of(transcript)]


def outputs(game, lines, arguments=()):
    """Return what a model prints before each input line that it reads, and after the last."""
    session = MODELS[game](lines, arguments)
    session.play()
    return session.texts


def recorded(lines):
    """Return what the model prints for the lines of a recorded game of Nim."""
    return ''.join(outputs('recorded', lines))


class Position(Othello):
    """A board, made from its rows of cells. Moves change it; rows and columns count from 0."""

    def __init__(self, board, variants=()):
        super().__init__([], variants=variants)
        self.board, self.rows, self.columns = board, len(board), len(board[0])

    def moves(self, color):
        """Return the legal moves of a color, row by row."""
        return [
            (row, column)
            for row in range(self.rows)
            for column in range(self.columns)
            if self.is_legal(row, column, color)
        ]

    def flips(self, row, column, color):
        """Return the cells that a move flips; none if the move is not legal."""
        if not self.is_empty(row, column, color):
            return []
        return [
            cell for cells in self.flips_by_direction(row, column, color).values() for cell in cells
        ]
