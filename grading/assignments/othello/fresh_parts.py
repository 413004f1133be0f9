"""Parts of a game of Othello that a program fails: what is left when something is left out.

Each function makes, from such a game, the lines of smaller ones. Hypothesis leaves out as much as
it can while the program still goes wrong.
"""

from __future__ import annotations

from typing import Sequence

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from othello_logic import OPPONENT, SIZES

from ...sessions.transcript import Transcript
from .scenario import Scenario, can_begin, play


def size(transcript: Transcript, step: int) -> tuple[int, ...]:
    """Return what orders games by size that go wrong in a step.

    First the cells of the board, then the discs on it there, the moves, and the discs that may be
    turned over.
    """
    scenario = Scenario.of(transcript, step)
    start, there = scenario.game(), scenario.game(scenario.decisive)
    return (start.rows * start.columns, there.count('B') + there.count('W'),
            len(scenario.moves), start.count(OPPONENT[scenario.first]))


def later_starts(scenario: Scenario) -> SearchStrategy[list[str]]:
    """Make the game begin later, from the position that its first moves lead to."""
    def begin(kept: int) -> list[str]:
        skipped = scenario.decisive - kept
        game = scenario.game(skipped)
        return ended(Scenario([row.split() for row in str(game).split('\n')],
                              game.turn or scenario.first, scenario.wins,
                              scenario.moves[skipped:], kept))
    return st.integers(0, scenario.decisive).map(begin)


def fewer_lines(scenario: Scenario) -> SearchStrategy[list[str]]:
    """Leave out rows and columns of the board."""
    rows, columns = len(scenario.board), len(scenario.board[0])

    def cut(kept: Sequence[bool]) -> list[str]:
        kept_rows, kept_columns = playable(kept[:rows]), playable(kept[rows:])
        return ended(scenario._replace(
            board=[[scenario.board[row][column] for column in kept_columns] for row in kept_rows],
            moves=[(moved(row, kept_rows, rows), moved(column, kept_columns, columns))
                   for row, column in scenario.moves]))
    return some_of(rows + columns).map(cut)


def fewer_discs(scenario: Scenario) -> SearchStrategy[list[str]]:
    """Leave out discs of the setup."""
    return other_discs(scenario, 'BW', '.')


def shorter_runs(scenario: Scenario) -> SearchStrategy[list[str]]:
    """Make discs of the setup, which could be turned over, the first mover's own."""
    return other_discs(scenario, OPPONENT[scenario.first], scenario.first)


def fewer_moves(scenario: Scenario) -> SearchStrategy[list[str]]:
    """Leave out moves, up to the one that the program gets wrong."""
    def drop(kept: Sequence[bool]) -> list[str]:
        moves = [move for move, keep in zip(scenario.moves, kept) if keep]
        return ended(scenario._replace(moves=moves + scenario.moves[scenario.decisive:],
                                       decisive=len(moves)))
    return some_of(scenario.decisive).map(drop)


PARTS = (later_starts, fewer_lines, later_starts, fewer_discs, later_starts, shorter_runs,
         fewer_moves)


def other_discs(scenario: Scenario, discs: str, instead: str) -> SearchStrategy[list[str]]:
    """Put something else instead of some of these discs of the setup."""
    def put(kept: Sequence[bool]) -> list[str]:
        keeps = iter(kept)
        return ended(scenario._replace(
            board=[[instead if cell in discs and not next(keeps) else cell for cell in row]
                   for row in scenario.board]))
    return some_of(sum(cell in discs for row in scenario.board for cell in row)).map(put)


def some_of(number: int) -> SearchStrategy[tuple[bool, ...]]:
    """Make whether each of so many things is kept: at random nearly all are, shrunk none is."""
    return st.tuples(*[st.integers(0, 63).map(bool)] * number)


def playable(kept: Sequence[bool]) -> list[int]:
    """Return the indices of the lines that are kept, and of as many more as a board needs."""
    number = max(SIZES[0], sum(kept) + sum(kept) % 2)
    return sorted(sorted(range(len(kept)), key=lambda index: not kept[index])[:number])


def moved(number: int, kept: list[int], size: int) -> int:
    """Return the number of a row or column, from 1, when of `size` only these are kept.

    A number off the board keeps its remainder, and so the line that an index which wraps would
    reach; what is left out becomes number 0.

    >>> [moved(number, [0, 1, 2, 5], 6) for number in (1, 6, 4, 0, -2, 7)]
    [1, 4, 0, 0, 0, 5]
    """
    boards, index = divmod(number - 1, size)
    return boards * len(kept) + kept.index(index) + 1 if index in kept else 0


def ended(scenario: Scenario) -> list[str]:
    """Return the lines of a game brought to its end: after its decisive moves by legal ones."""
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
