"""Fresh games of Othello: any size, start, first player and rule."""

from __future__ import annotations

from itertools import product
from random import Random

from othello_logic import COLORS, OPPONENT, SIZES, WINS, OthelloGame

from ..game import Maker
from .shrinking import PARTS, Board, Move, Scenario, can_begin, rows_of, size


def standard(rng: Random, rows: int, columns: int) -> Board:
    """Return the standard start, sometimes with the colors exchanged."""
    swap = rng.choice([{}, OPPONENT])
    return [[swap.get(cell, cell) for cell in row] for row in rows_of(OthelloGame(rows, columns))]


def sparse(rng: Random, rows: int, columns: int) -> Board:
    """Return a few discs, close together."""
    board = filled(rng, rows, columns, 0)
    above, left = rng.randint(0, rows - 4), rng.randint(0, columns - 4)
    for _ in range(rng.randint(2, 9)):
        board[above + rng.randrange(4)][left + rng.randrange(4)] = rng.choice(COLORS)
    return board


def apart(rng: Random, rows: int, columns: int) -> Board:
    """Return discs that touch no other disc, so that nobody can move."""
    board = filled(rng, rows, columns, 0)
    cells = list(product(range(0, rows, 2), range(0, columns, 2)))
    rng.shuffle(cells)
    fewer = rng.randint(0, len(cells) // 2 - 2)
    for color, number in zip(rng.choice(['BW', 'WB']), (fewer, fewer + rng.randint(0, 4))):
        for _ in range(number):
            row, column = cells.pop()
            board[row][column] = color
    return board


def one_color(rng: Random, rows: int, columns: int) -> Board:
    """Return few discs or many, all of one color."""
    return filled(rng, rows, columns, rng.random() ** 3, rng.choice([0, 1]))


def dense(rng: Random, rows: int, columns: int) -> Board:
    """Return a board with more discs than empty cells."""
    return filled(rng, rows, columns, rng.uniform(0.6, 0.95))


def nearly_full(rng: Random, rows: int, columns: int) -> Board:
    """Return a board with eight empty cells at most, many of them at its sides and corners."""
    board = filled(rng, rows, columns, 1, rng.choice([0.2, 0.5, 0.5, 0.8]))
    for _ in range(rng.randint(0, 8)):
        row = rng.choice([0, rows - 1, rng.randrange(rows)])
        column = rng.choice([0, columns - 1, rng.randrange(columns)])
        board[row][column] = '.'
    return board


def filled(rng: Random, rows: int, columns: int, discs: float, black: float = 0.5) -> Board:
    """Return a board with given shares of discs, and of black discs among them."""
    return [[('B' if rng.random() < black else 'W') if rng.random() < discs else '.'
             for _ in range(columns)] for _ in range(rows)]


# Games on nearly full boards are short, but use corners and all directions.
ARRANGEMENTS = (standard, one_color, *[dense] * 2, *[sparse, apart] * 3, *[nearly_full] * 6)


def make(rng: Random) -> list[str]:
    """Return the lines of a game, from its setup to its end."""
    board = rng.choice(ARRANGEMENTS)(rng, rng.choice(SIZES), rng.choice(SIZES))
    scenario = can_begin(Scenario(board, rng.choice(COLORS), rng.choice(WINS), []))
    game = scenario.game()
    while not game.is_over():
        if rng.random() < 0.8:
            scenario.moves.append(rng.choice(game.legal_moves()))
            game.make_move(*scenario.moves[-1])
        else:
            scenario.moves.append(illegal_move(rng, game))
    return scenario.lines


def illegal_move(rng: Random, game: OthelloGame) -> Move:
    """Return a cell off the board, or a cell on it where a move is not legal.

    Some faulty programs would accept many cells off the board: those that use them as negative
    indexes, that take them for cells of the next row, or that swap rows and columns.
    """
    rows, columns = game.rows, game.columns
    legal = game.legal_moves()
    row, column = rng.choice(legal)
    cells = [(row - rows, column), (row, column - columns), (row - rows, column - columns),
             (row - 1, column + columns), (row + 1, column - columns), (column, row),
             (0, column), (rows + 1, column), (row, 0), (row, columns + 1),
             (rng.choice([-99, 99]), column), (row, rng.choice([-99, 99])),
             *[(rng.randint(1, rows), rng.randint(1, columns))] * 6]
    return rng.choice([cell for cell in cells if cell not in legal])


MAKER = Maker(make, PARTS, size)
