"""The parts of a game of Othello that can be left out to make a failing game smaller."""

from __future__ import annotations

from functools import partial
from itertools import chain, combinations, product
from typing import Collection, List, NamedTuple, Tuple

from othello_logic import OPPONENT, SIZES, OthelloGame

from ...sessions.transcript import Transcript
from ..game import Parts

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
            if game.is_legal(*move):
                game.make_move(*move)
        return game


def rows_of(game: OthelloGame) -> Board:
    """Return the board of a game."""
    return [row.split() for row in str(game).split('\n')]


def can_begin(scenario: Scenario) -> Scenario:
    """Return a game whose first player can move, if either player can.

    The assignment does not say what happens otherwise.
    """
    return scenario._replace(first=scenario.game().turn or scenario.first)


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
        return ended(Scenario(rows_of(game), game.turn or scenario.first, scenario.wins,
                              scenario.moves[skipped:], scenario.decisive - skipped))
    return Parts(range(scenario.decisive), without)


def lines_of_board(transcript: Transcript, step: int, together: int) -> Parts:
    """Return the rows and columns as parts, `together` of them in each part.

    A board has even numbers of both, so two of them may have to go together.
    """
    scenario = Scenario.of(transcript, step)
    board = scenario.board
    rows = product(['row'], range(len(board)))
    columns = product(['column'], range(len(board[0])))

    def without(left_out: Collection[tuple[tuple[str, int], ...]]) -> list[str]:
        lines = {*chain(*left_out)}
        rows = playable('row', len(board), lines)
        columns = playable('column', len(board[0]), lines)
        return ended(scenario._replace(
            board=[[board[row][column] for column in columns] for row in rows],
            moves=[(moved(row, rows, len(board)), moved(column, columns, len(board[0])))
                   for row, column in scenario.moves]))
    return Parts([*combinations(rows, together), *combinations(columns, together)], without)


def playable(kind: str, count: int, left_out: Collection[tuple[str, int]]) -> list[int]:
    """Return the indexes of the lines that are kept, and of as many more as a board needs."""
    kept = sorted(range(count), key=lambda index: (kind, index) in left_out)
    number = max(SIZES[0], sum((kind, index) not in left_out for index in kept))
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


def discs(transcript: Transcript, step: int, is_recolored: bool) -> Parts:
    """Return the discs of the setup as parts.

    If they are recolored, the parts are the second player's discs; left out, they are the first
    player's.
    """
    scenario = Scenario.of(transcript, step)
    colors, instead = (OPPONENT[scenario.first], scenario.first) if is_recolored else ('BW', '.')

    def without(left_out: Collection[tuple[int, int]]) -> list[str]:
        return ended(scenario._replace(board=[
            [instead if (r, c) in left_out else cell for c, cell in enumerate(row)]
            for r, row in enumerate(scenario.board)]))
    return Parts([(r, c) for r, row in enumerate(scenario.board) for c, cell in enumerate(row)
                  if cell in colors], without)


def decisive_moves(transcript: Transcript, step: int) -> Parts:
    """Return as parts the moves up to the one that the program gets wrong."""
    scenario = Scenario.of(transcript, step)

    def without(left_out: Collection[int]) -> list[str]:
        return ended(scenario._replace(
            moves=[move for number, move in enumerate(scenario.moves) if number not in left_out],
            decisive=scenario.decisive - len(left_out)))
    return Parts(range(scenario.decisive), without)


PARTS = (first_moves, partial(lines_of_board, together=1), partial(lines_of_board, together=2),
         first_moves, partial(discs, is_recolored=False), first_moves,
         partial(discs, is_recolored=True), decisive_moves)


def ended(scenario: Scenario) -> list[str]:
    """Return the lines of a whole game: legal moves follow the decisive ones until its end."""
    scenario = can_begin(scenario)
    game = scenario.game()
    moves = []
    for number, move in enumerate(scenario.moves):
        is_legal = game.is_legal(*move)
        if is_legal or (number < scenario.decisive and not game.is_over()):
            moves.append(move)
        if is_legal:
            game.make_move(*move)
    while not game.is_over():
        moves.append(game.legal_moves()[0])
        game.make_move(*moves[-1])
    return scenario._replace(moves=moves).lines
