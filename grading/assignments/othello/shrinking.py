"""The parts of a game of Othello that can be left out to make a failing game smaller."""

from __future__ import annotations

from itertools import combinations
from typing import Collection, List, NamedTuple, Tuple

from othello_logic import OPPONENT, SIZES, InvalidMoveError, OthelloGame

from ...sessions.transcript import Transcript
from ..game import Parts, PartsOf

Board = List[List[str]]                 # the cells of each row, as they are printed
Move = Tuple[int, int]                  # row and column, from 1; there need be no such cell
SETUP = 4                               # lines before the board


class Scenario(NamedTuple):
    """A game from its setup to its end, as lines of input."""

    board: Board
    first: str
    wins: str
    moves: list[Move]                   # as they are typed, legal or not
    decisive: int = 0                   # how many moves are typed before a program goes wrong

    @classmethod
    def of(cls, transcript: Transcript, step: int) -> Scenario:
        """Return the game of a transcript in which a program goes wrong in a step."""
        rows, _, first, wins, *lines = transcript.inputs
        cells = [line.split() for line in lines]
        moves = [(int(row), int(column)) for row, column in cells[int(rows):]]
        return cls(cells[:int(rows)], first, wins, moves, max(0, step - SETUP - int(rows)))

    @property
    def lines(self) -> list[str]:
        """The lines that are typed."""
        return [str(len(self.board)), str(len(self.board[0])), self.first, self.wins,
                *map(' '.join, self.board), *(f'{row} {column}' for row, column in self.moves)]

    def game(self, moves: int = 0) -> OthelloGame:
        """Return the game after its first `moves` moves."""
        game = OthelloGame.from_text('\n'.join(map(' '.join, self.board)), self.first, self.wins)
        for move in self.moves[:moves]:
            play(game, move)
        return game


def can_begin(scenario: Scenario) -> Scenario:
    """Return a game whose first player can move, if either player can.

    The assignment does not say what happens otherwise.
    """
    return scenario._replace(first=scenario.game().turn or scenario.first)


def play(game: OthelloGame, move: Move) -> bool:
    """Play a move; return False, the game unchanged, if it is not legal."""
    try:
        game.make_move(*move)
    except InvalidMoveError:
        return False
    return True


def size(transcript: Transcript, step: int) -> tuple[int, ...]:
    """Return a key that orders games that go wrong in a step by size.

    It holds the number of cells, of discs in that step, of moves, and of the second player's discs.
    """
    scenario = Scenario.of(transcript, step)
    start, there = scenario.game(), scenario.game(scenario.decisive)
    return (start.rows * start.columns, there.count('B') + there.count('W'),
            len(scenario.moves), start.count(OPPONENT[scenario.first]))


def first_moves(transcript: Transcript, step: int) -> Parts:
    """Return the first moves as parts; moves left out are made before the game begins."""
    scenario = Scenario.of(transcript, step)

    def without(left_out: Collection[int]) -> list[str]:
        skipped = len(left_out)
        game = scenario.game(skipped)
        return ended(Scenario([row.split() for row in str(game).split('\n')],
                              game.turn or scenario.first, scenario.wins,
                              scenario.moves[skipped:], scenario.decisive - skipped))
    return Parts(scenario.decisive, without)


def lines_of_board(together: int) -> PartsOf:
    """Return a function that makes parts of rows or columns, `together` of them in each part.

    A board has even numbers of both, so two of them may have to go together.
    """
    def parts(transcript: Transcript, step: int) -> Parts:
        scenario = Scenario.of(transcript, step)
        rows = [*combinations(range(len(scenario.board)), together)]
        columns = [*combinations(range(len(scenario.board[0])), together)]
        return Parts(len(rows) + len(columns), lambda left_out: without_lines(
            scenario, {row for part in left_out if part < len(rows) for row in rows[part]},
            {column for part in left_out if part >= len(rows)
             for column in columns[part - len(rows)]}))
    return parts


def without_lines(scenario: Scenario, rows: Collection[int], columns: Collection[int]) -> list[str]:
    """Return the lines of a game without some rows and columns."""
    kept_rows = playable(len(scenario.board), rows)
    kept_columns = playable(len(scenario.board[0]), columns)
    return ended(scenario._replace(
        board=[[scenario.board[row][column] for column in kept_columns] for row in kept_rows],
        moves=[(moved(row, kept_rows, len(scenario.board)),
                moved(column, kept_columns, len(scenario.board[0])))
               for row, column in scenario.moves]))


def discs(transcript: Transcript, step: int) -> Parts:
    """Return the discs of the setup as parts."""
    return discs_of(Scenario.of(transcript, step), 'BW', '.')


def other_discs(transcript: Transcript, step: int) -> Parts:
    """Return the second player's discs as parts; left out, they are the first player's."""
    scenario = Scenario.of(transcript, step)
    return discs_of(scenario, OPPONENT[scenario.first], scenario.first)


def decisive_moves(transcript: Transcript, step: int) -> Parts:
    """Return as parts the moves up to the one that the program gets wrong."""
    scenario = Scenario.of(transcript, step)

    def without(left_out: Collection[int]) -> list[str]:
        moves = [move for number, move in enumerate(scenario.moves[:scenario.decisive])
                 if number not in left_out]
        return ended(scenario._replace(moves=moves + scenario.moves[scenario.decisive:],
                                       decisive=len(moves)))
    return Parts(scenario.decisive, without)


PARTS = (first_moves, lines_of_board(1), lines_of_board(2), first_moves, discs, first_moves,
         other_discs, decisive_moves)


def discs_of(scenario: Scenario, colors: str, instead: str) -> Parts:
    """Return the discs of some colors in the setup; parts left out become something else."""
    cells = [(row, column) for row, line in enumerate(scenario.board)
             for column, cell in enumerate(line) if cell in colors]

    def without(left_out: Collection[int]) -> list[str]:
        board = [[*row] for row in scenario.board]
        for number in left_out:
            row, column = cells[number]
            board[row][column] = instead
        return ended(scenario._replace(board=board))
    return Parts(len(cells), without)


def playable(count: int, left_out: Collection[int]) -> list[int]:
    """Return the indexes of the lines that are kept, and of as many more as a board needs."""
    kept = sorted(range(count), key=lambda index: index in left_out)
    number = max(SIZES[0], count - len(left_out))
    return sorted(kept[:number + number % 2])


def moved(number: int, kept: list[int], size: int) -> int:
    """Return the new number of a row or column, from 1, when only some of `size` are kept.

    A number off the board keeps its remainder, so that a negative index reaches the same line; a
    number that is left out becomes 0.

    >>> [moved(number, [0, 1, 2, 5], 6) for number in (1, 6, 4, 0, -2, 7)]
    [1, 4, 0, 0, 0, 5]
    """
    boards, index = divmod(number - 1, size)
    return boards * len(kept) + kept.index(index) + 1 if index in kept else 0


def ended(scenario: Scenario) -> list[str]:
    """Return the lines of a whole game: legal moves follow the decisive ones until its end."""
    scenario = can_begin(scenario)
    game = scenario.game()
    moves = []
    for number, move in enumerate(scenario.moves):
        if not game.is_over() and (play(game, move) or number < scenario.decisive):
            moves.append(move)
    while not game.is_over():
        moves.append(game.legal_moves()[0])
        play(game, moves[-1])
    return scenario._replace(moves=moves).lines
