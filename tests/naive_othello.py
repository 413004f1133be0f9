"""Othello once more, as naively as it can be said: what the real one is compared with."""

from __future__ import annotations

import re

OTHER = {'B': 'W', 'W': 'B'}


def flipped(board, color, row, column):
    """Return the cells that a move turns over, rows and columns from 0; none if it is not legal."""
    cells = []
    if 0 <= row < len(board) and 0 <= column < len(board[0]) and board[row][column] == '.':
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                run = []
                r, c = row + down, column + right
                while (0 <= r < len(board) and 0 <= c < len(board[0])
                       and board[r][c] == OTHER[color]):
                    run.append((r, c))
                    r, c = r + down, c + right
                if 0 <= r < len(board) and 0 <= c < len(board[0]) and board[r][c] == color:
                    cells += run
    return cells


def moves(board, color):
    """Return the legal moves, rows and columns from 0."""
    return [(r, c) for r in range(len(board)) for c in range(len(board[0]))
            if flipped(board, color, r, c)]


def next_turn(board, color):
    """Return who moves if it is this color's turn, None if nobody can."""
    return next((c for c in (color, OTHER[color]) if moves(board, c)), None)


def states(lines):
    """Play the input lines of a well-formed session.

    Yield (board, turn, answer, move, flipped cells) for the start, where the last three are
    None, and for each answered move.
    """
    rows, turn = int(lines[0]), lines[2]
    board = [line.split() for line in lines[4:4 + rows]]
    turn = next_turn(board, turn)
    yield board, turn, None, None, None
    for line in lines[4 + rows:]:
        is_pair = re.fullmatch(r'[ \t]*[+-]?[0-9]+[ \t]+[+-]?[0-9]+[ \t]*', line)
        move = tuple(int(n) - 1 for n in line.split()) if is_pair else (-1, -1)
        cells = flipped(board, turn, *move)
        if cells:
            board = [list(row) for row in board]
            for r, c in [*cells, move]:
                board[r][c] = turn
            turn = next_turn(board, OTHER[turn])
        yield board, turn, 'VALID' if cells else 'INVALID', move, cells


def outputs(lines):
    """Return what is printed before the first input line of a session, and after each."""
    setup = 4 + int(lines[0])
    texts = ['FULL\n', *[''] * (setup - 1)]
    for board, turn, answer, _, _ in states(lines):
        black, white = (sum(row.count(color) for row in board) for color in 'BW')
        state = f'B: {black}  W: {white}\n' + ''.join(' '.join(row) + '\n' for row in board)
        winner = 'NONE' if black == white else 'BW'[(black < white) == (lines[3] == '>')]
        state += f'TURN: {turn}\n' if turn else f'WINNER: {winner}\n'
        text = {None: state, 'VALID': 'VALID\n' + state, 'INVALID': 'INVALID\n'}[answer]
        texts.append(text)
    return texts
