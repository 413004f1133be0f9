"""Othello once more, as naively as it can be said: what the real one is compared with."""

from __future__ import annotations

import re

OTHER = {'B': 'W', 'W': 'B'}
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
MOVE = re.compile(r'[ \t]*[+-]?[0-9]+[ \t]+[+-]?[0-9]+[ \t]*')


def flipped(board, color, row, column):
    """Return the cells that a move turns over, rows and columns from 0; none if it is not legal."""
    cells = []
    if 0 <= row < len(board) and 0 <= column < len(board[0]) and board[row][column] == '.':
        for down, right in DIRECTIONS:
            run = []
            r, c = row + down, column + right
            while 0 <= r < len(board) and 0 <= c < len(board[0]) and board[r][c] == OTHER[color]:
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


def parse_move(line):
    """Return the cell that a line names, from 1; None if it is not two integers."""
    return [int(word) for word in line.split()] if MOVE.fullmatch(line) else None


def setup_of(lines):
    """Return what the lines of a setup say, and how many lines they are with the blank ones."""
    setup = []
    for number, line in enumerate(lines, 1):
        text = line.lstrip('\ufeff' if number == 1 else '').strip(' \t')
        setup += [text] if text else []
        if len(setup) > 3 and len(setup) == 4 + int(setup[0]):
            return setup, number
    raise ValueError('the setup is not complete')


def states(lines):
    """Play the input lines of a session whose setup is right.

    Yield (board, turn, answer, move, flipped cells) for the start, where the last three are
    None, and for each answered move.
    """
    setup, count = setup_of(lines)
    board = [line.split() for line in setup[4:]]
    turn = next_turn(board, setup[2])
    yield board, turn, None, None, None
    for line in lines[count:]:
        cell = parse_move(line)
        move = (cell[0] - 1, cell[1] - 1) if cell else (-1, -1)
        cells = flipped(board, turn, *move)
        if cells:
            board = [list(row) for row in board]
            for r, c in [*cells, move]:
                board[r][c] = turn
            turn = next_turn(board, OTHER[turn])
        yield board, turn, 'VALID' if cells else 'INVALID', move, cells


def outputs(lines):
    """Return what is printed before the first input line of a session, and after each."""
    (_, _, _, wins, *_), count = setup_of(lines)
    texts = ['FULL\n', *[''] * (count - 1)]
    for board, turn, answer, _, _ in states(lines):
        black, white = (sum(row.count(color) for row in board) for color in 'BW')
        state = f'B: {black}  W: {white}\n' + ''.join(' '.join(row) + '\n' for row in board)
        winner = 'NONE' if black == white else 'BW'[(black < white) == (wins == '>')]
        state += f'TURN: {turn}\n' if turn else f'WINNER: {winner}\n'
        text = {None: state, 'VALID': 'VALID\n' + state, 'INVALID': 'INVALID\n'}[answer]
        texts.append(text)
    return texts
