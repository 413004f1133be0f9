"""The grader's models of the games: independent of our games, which must agree with them."""

from grading.assignments.names import read_transcripts
from grading.games.known_faults import faults_of
from grading.games.registry import GAMES, game_of

Othello = faults_of(GAMES['othello']).model


def transcripts(game):
    """Return all transcripts of a game."""
    return [transcript for transcript in read_transcripts() if game_of(transcript).name == game]


def outputs(game, lines, arguments=()):
    """Return what a model prints before each input line that it reads, and after the last."""
    session = faults_of(GAMES[game]).model(lines, arguments)
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
