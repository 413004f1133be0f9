"""Makes fresh Othello games, and makes failed games smaller."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from itertools import chain, combinations
from random import Random
from typing import NamedTuple

from othello_logic import COLORS, OPPONENT, SIZES, WINS, OthelloGame

from ...sessions.session import Session
from ..game import Maker, without
from .positions import Vector

Cells = list[list[str]]  # the contents of the cells in each row, as printed
SETUP = 4  # number of input lines before the board


# ------------------------------------------------------------------------------------- fresh games

# A fresh game has a random size, starting position, first player and rule. To make it smaller, the
# grader leaves out moves, rows, columns and discs, and plays the rest to the end of the game.


class Scenario(NamedTuple):
    """A game up to the move at which a program goes wrong."""

    board: Cells
    first: str
    wins: str
    moves: list[Vector]  # as typed, so they may be illegal, or even off the board

    @classmethod
    def of(cls, session: Session, step: int) -> Scenario:
        """Return the game of a session, with the moves read before the given step."""
        rows, _, first, wins, *lines = session.inputs
        cells = [line.split() for line in lines[: max(int(rows), step - SETUP)]]
        return cls(
            cells[: int(rows)],
            first,
            wins,
            [(int(row), int(column)) for row, column in cells[int(rows) :]],
        )

    def game(self, moves: int | None = None) -> OthelloGame:
        """Return the game after its first `moves` moves or, by default, after all moves.

        Illegal moves change nothing.
        """
        game = OthelloGame.from_text('\n'.join(map(' '.join, self.board)), self.first, self.wins)
        for move in self.moves[:moves]:
            if game.is_legal(*move):
                game.make_move(*move)
        return game

    def lines(self) -> list[str]:
        """Return the input lines of the game, up to its end: leave out or add moves as needed.

        If the first player cannot move but the other player can, the other player moves first: the
        assignment does not say who moves first in such a game.
        """
        game, moves = self.game(0), []
        first = game.turn or self.first
        for move in self.moves:
            if not game.is_over():
                moves.append(move)
            if game.is_legal(*move):
                game.make_move(*move)
        while not game.is_over():
            moves.append(game.legal_moves()[0])
            game.make_move(*moves[-1])
        return [
            str(game.rows),
            str(game.columns),
            first,
            self.wins,
            *map(' '.join, self.board),
            *(f'{row} {column}' for row, column in moves),
        ]


def standard(rng: Random, rows: int, columns: int) -> Cells:
    """Return the standard starting position, with the colors swapped in half of the games."""
    swap = rng.choice([{}, OPPONENT])
    return [[swap.get(cell, cell) for cell in row] for row in rows_of(OthelloGame(rows, columns))]


def rows_of(game: OthelloGame) -> Cells:
    return [row.split() for row in str(game).split('\n')]


def sparse(rng: Random, rows: int, columns: int) -> Cells:
    """Return a board with a few discs close together."""
    board = [['.'] * columns for _ in range(rows)]
    above, left = rng.randint(0, rows - 4), rng.randint(0, columns - 4)
    for _ in range(rng.randint(2, 9)):
        board[above + rng.randrange(4)][left + rng.randrange(4)] = rng.choice(COLORS)
    return board


def filled(rng: Random, rows: int, columns: int) -> Cells:
    """Return a random board; most of these boards have few discs or few empty cells.

    If there are few discs, often neither player can move. Games on nearly full boards are short,
    but use corners and all directions.
    """
    size = rows * columns
    discs = rng.choice([round(size * rng.random() ** 3), size - rng.randint(0, 8)])
    colors = rng.choice(['B', 'W', *['BW'] * 4, 'BBBBW', 'BWWWW'])
    cells = rng.choices(colors, k=discs) + ['.'] * (size - discs)
    rng.shuffle(cells)
    return [cells[start : start + columns] for start in range(0, size, columns)]


# The kinds of starting positions; those listed more often are used more often.
ARRANGEMENTS = (standard, *[sparse] * 3, *[filled] * 14)


def make(rng: Random) -> list[str]:
    """Return the input lines of a game, from its setup to its end."""
    board = rng.choice(ARRANGEMENTS)(rng, rng.choice(SIZES), rng.choice(SIZES))
    scenario = Scenario(board, rng.choice(COLORS), rng.choice(WINS), [])
    game = scenario.game(0)
    while not game.is_over():
        if rng.random() < 0.8:
            scenario.moves.append(rng.choice(game.legal_moves()))
            game.make_move(*scenario.moves[-1])
        else:
            scenario.moves.append(illegal_move(rng, game))
    return scenario.lines()


def illegal_move(rng: Random, game: OthelloGame) -> Vector:
    """Return a cell that is off the board or not a legal move.

    Some faulty programs would accept many of these cells, because they use negative indexes,
    mistake a cell for a cell in the next row, or swap rows and columns.
    """
    rows, columns = game.rows, game.columns
    legal = game.legal_moves()
    row, column = rng.choice(legal)
    cells = [
        (row - rows, column),
        (row, column - columns),
        (row - rows, column - columns),
        (row - 1, column + columns),
        (row + 1, column - columns),
        (column, row),
        (0, column),
        (rows + 1, column),
        (row, 0),
        (row, columns + 1),
        (rng.choice([-99, 99]), column),
        (row, rng.choice([-99, 99])),
        *[(rng.randint(1, rows), rng.randint(1, columns))] * 6,
    ]
    return rng.choice([cell for cell in cells if cell not in legal])


def size(session: Session, step: int) -> tuple[int, ...]:
    """Return a sort key for the size of a game that fails in the given step.

    The key consists of the number of cells, the number of discs in that step, the number of moves,
    and the number of the second player's discs at the start.
    """
    scenario = Scenario.of(session, step)
    start, there = scenario.game(0), scenario.game()
    return (
        start.rows * start.columns,
        there.count('B') + there.count('W'),
        len(session.inputs) - start.rows,
        start.count(OPPONENT[scenario.first]),
    )


def without_first_moves(scenario: Scenario, left_out: Collection[int]) -> Scenario:
    """Return a game that starts after the first moves; `left_out` only says how many these are."""
    game = scenario.game(len(left_out))
    return Scenario(
        rows_of(game), game.turn or scenario.first, scenario.wins, scenario.moves[len(left_out) :]
    )


def without_moves(scenario: Scenario, left_out: Collection[int]) -> Scenario:
    return scenario._replace(moves=without(scenario.moves, left_out))


def without_discs(
    scenario: Scenario, left_out: Collection[tuple[int, int]], instead: str | None = None
) -> Scenario:
    """Return a game with some discs replaced by `instead`, or else by the first player's disc."""
    return scenario._replace(
        board=[
            [
                (instead or scenario.first) if (r, c) in left_out else cell
                for c, cell in enumerate(row)
            ]
            for r, row in enumerate(scenario.board)
        ]
    )


def discs(scenario: Scenario, of_both: bool) -> list[tuple[int, int]]:
    """Return the cells of the second player's discs or, if `of_both`, of all discs."""
    colors = COLORS if of_both else OPPONENT[scenario.first]
    return [
        (r, c)
        for r, row in enumerate(scenario.board)
        for c, cell in enumerate(row)
        if cell in colors
    ]


def lines_of_board(scenario: Scenario, together: int) -> list[tuple[tuple[str, int], ...]]:
    """Return all combinations of `together` rows, and all combinations of `together` columns.

    The numbers of rows and columns must be even, so rows and columns must often be removed in
    pairs.
    """
    return [
        lines
        for kind, of_kind in (('row', scenario.board), ('column', scenario.board[0]))
        for lines in combinations([(kind, index) for index in range(len(of_kind))], together)
    ]


def without_lines(
    scenario: Scenario, left_out: Collection[tuple[tuple[str, int], ...]]
) -> Scenario:
    """Return a game without some rows and columns of its board."""
    board, lines = scenario.board, {*chain(*left_out)}
    rows = playable('row', len(board), lines)
    columns = playable('column', len(board[0]), lines)
    return scenario._replace(
        board=[[board[row][column] for column in columns] for row in rows],
        moves=[
            (new_number(row, rows, len(board)), new_number(column, columns, len(board[0])))
            for row, column in scenario.moves
        ],
    )


def playable(kind: str, count: int, left_out: Collection[tuple[str, int]]) -> list[int]:
    """Return the indexes of the rows or columns to keep; keep more if the board would be invalid.

    `kind` is 'row' or 'column', and `count` is how many of this kind the board has.
    """
    removed = [index for index in range(count) if (kind, index) in left_out]
    kept = [index for index in range(count) if (kind, index) not in left_out]
    number = max(SIZES[0], len(kept))
    number += number % 2  # the numbers of rows and columns must be even
    return sorted([*kept, *removed][:number])


def new_number(number: int, kept: list[int], size: int) -> int:
    """Return the new number, from 1, of a row or column once only the indexes `kept` remain.

    `size` is how many rows or columns there were. If the row or column is not kept, its number
    becomes 0. A number off the board stays off the board. If a program uses 0 or -1, say, as an
    index from the end, it still finds the same row or column.

    >>> [new_number(number, [0, 1, 2, 5], 6) for number in (1, 6, 4, 0, -2, 7)]
    [1, 4, 0, 0, 0, 5]
    """
    boards, index = divmod(number - 1, size)
    return boards * len(kept) + kept.index(index) + 1 if index in kept else 0


def moves_of(scenario: Scenario) -> Sequence[int]:
    return range(len(scenario.moves))


FIRST_MOVES = moves_of, without_first_moves
# On a smaller board, or with fewer discs, more of the first moves may be superfluous.
PARTS = (
    FIRST_MOVES,
    (partial(lines_of_board, together=1), without_lines),
    (partial(lines_of_board, together=2), without_lines),
    FIRST_MOVES,
    (partial(discs, of_both=True), partial(without_discs, instead='.')),
    FIRST_MOVES,
    (partial(discs, of_both=False), without_discs),
    (moves_of, without_moves),
)
MAKERS = {'othello': Maker(make, read=Scenario.of, parts=PARTS, size=size, lines=Scenario.lines)}
