"""Othello, for the grader: the game, and hints about the words of its protocol."""

from __future__ import annotations

import re
from typing import Iterator

from ...sessions.difference import Situation
from ..game import Game
from .faults.table import FAULTS
from .generator import MAKER
from .model import OTHER, Othello
from .positions import Board, find_boards, move_on

MOST_DISCS = 3                          # that a hint names

WORDS = {
    ('VALID', 'INVALID'): 'this move is legal here; rows and columns count from 1',
    ('WINNER:', 'TURN:'): 'neither player can move: the game is over',
}


def hint(situation: Situation) -> str:
    """Return a hint about a line that differs in meaning, `''` if nothing is certain."""
    due, bare = situation.expected.rstrip('\n'), situation.printed.rstrip('\n')
    if situation.printed_before == 'INVALID' and re.match(r'B: \d+ +W: \d+', bare):
        return 'print nothing after INVALID: the next line of input is the next move'
    words = due.partition(' ')[0], bare.partition(' ')[0]
    boards = find_boards(situation.output_before)
    if words == ('INVALID', 'VALID'):
        reason = why_invalid(boards[-1], situation.typed) if boards else ''
        return f'this move is not legal here{reason}'
    if words == ('TURN:', 'WINNER:') or (words == ('TURN:', 'TURN:') and bare[6:] in OTHER):
        why = whose_turn(boards[-1], due[6:], bare[6:]) if boards else ''
        return why or ('' if words[1] == 'TURN:' else
                       'the game is not over: a player can still move')
    if words == ('WINNER:', 'WINNER:') and bare[8:] in ('B', 'W', 'NONE'):
        return ('under > the player with more discs wins, under < the player with fewer; '
                'NONE means equal counts')
    return WORDS.get(words) or discs_that_differ(situation, boards)


def game_on(board: Board) -> Othello:
    """Return a game with a board."""
    game = Othello([])
    game.rows, game.columns = len(board.rows), len(board.rows[0])
    game.board = [list(row) for row in board.rows]
    return game


def why_invalid(board: Board, typed: str) -> str:
    """Return why a move is not legal on a board, `''` if the input line names no cell."""
    numbers = re.fullmatch(r'(-?\d{1,9}) (-?\d{1,9})', typed)
    color = board.turn[-1:]
    if not numbers or color not in OTHER:
        return ''
    row, column = int(numbers[1]), int(numbers[2])
    for name, number, most in [('row', row, len(board.rows)), ('column', column,
                                                               len(board.rows[0]))]:
        if not 1 <= number <= most:
            return f': there is no {name} {number}'
    if board.rows[row - 1][column - 1] != '.':
        return f': row {row}, column {column} is not empty'
    is_idle = not game_on(board).gains(row - 1, column - 1, color)
    return f': {color} turns over no disc there' if is_idle else ''


def whose_turn(board: Board, due: str, printed: str) -> str:
    """Return why it is the turn of `due`, and not what was printed, `''` if nothing is certain."""
    game = game_on(board)
    if printed in OTHER and not game.can_move(printed):
        return f'{printed} has no legal move here'
    cells = [(row + 1, column + 1) for row in range(game.rows) for column in range(game.columns)
             if due in OTHER and game.is_legal(row, column, due)]
    return '{} can move to row {}, column {}'.format(due, *cells[0]) if cells else ''


def discs_that_differ(situation: Situation, boards: list[Board]) -> str:
    """Return which discs should be turned over, and which should not."""
    due = find_boards(''.join([situation.expected, *situation.expected_next]))
    printed = find_boards(''.join([situation.printed, *situation.printed_next]))
    move = move_on(situation.typed)
    if not boards or not due or not printed or not move:
        return ''
    wrong = list(wrong_discs(boards[-1], due[0], printed[0], move))
    more = f', and {len(wrong) - MOST_DISCS} more' if len(wrong) > MOST_DISCS else ''
    return '; '.join(wrong[:MOST_DISCS]) + more


def wrong_discs(before: Board, due: Board, printed: Board, move: tuple[int, int]) -> Iterator[str]:
    """Yield the discs that a move should turn over, or should not, if nothing else is wrong."""
    if not before.cells.keys() == due.cells.keys() == printed.cells.keys():
        return
    differing = [cell for cell in due.cells if due.cells[cell] != printed.cells[cell]]
    if move in differing or any('.' in (due.cells[cell], printed.cells[cell])
                                for cell in differing):
        return
    for cell in differing:
        no = 'do not ' if due.cells[cell] == before.cells[cell] else ''
        yield f'{no}turn over the disc at {due.name_of(cell)}'


OTHELLO = Game('othello', ('othello_console.py',), Othello, FAULTS, hint, find_boards, MAKER)
