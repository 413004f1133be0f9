"""Explains in words why a line of an Othello program is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from ...differences import NUMBER
from ...printable import counted
from ...sessions.verdict import WrongLine
from .model import OTHER, Othello
from .positions import COUNTS, ROW, Board, Vector, find_boards, move_on

MAX_CELLS = 3  # maximum number of cells in a hint
IN_WORDS = {'.': 'an empty cell', 'B': 'B', 'W': 'W'}
OVER = 'neither player can move: the game is over'
NOT_OVER = 'the game is not over'


def hint(wrong: WrongLine) -> str:
    """Return a hint about a wrong line, or `''` if no hint is certain."""
    expected, printed = wrong.expected.rstrip('\n'), wrong.printed.rstrip('\n')
    boards = find_boards(wrong.before)
    board = boards[-1] if boards else None
    if wrong.before.endswith('INVALID\n') and has_counts_of(board, printed):
        return 'print nothing after INVALID: the next line of input is the next move'
    is_accepted = printed.startswith('VALID') or COUNTS.match(printed)
    if expected == 'INVALID' and is_accepted:
        return f'this move is not legal here{why_invalid(board, wrong) if board else ""}'
    if (expected, printed.partition(' ')[0]) == ('VALID', 'INVALID'):
        return f'this move is legal here{what_it_does(board, wrong) if board else ""}'
    if expected.startswith('TURN: '):
        player = expected[6:]
        why = whose_turn(board, player, printed)
        is_others = printed == f'TURN: {OTHER.get(player)}'
        if why and is_others and has_passed(wrong.before):
            why += f'; {player} had to pass on the previous turn, but not on this one'
        return why
    if expected.startswith('WINNER: '):
        return why_won(board, expected[8:], printed)
    is_last = any(line.startswith('WINNER') for line in wrong.expected_next)
    if not wrong.printed and is_last and expected != 'VALID':  # before VALID, the game is not over
        return OVER
    return cells_that_differ(wrong)


def has_counts_of(board: Board | None, line: str) -> bool:
    """Return whether a line contains the disc counts of a board, in either order.

    If there is no board, any counts will do.
    """
    if not COUNTS.match(line):
        return False
    counts = sorted(map(int, NUMBER.findall(line)))
    return not board or sorted(map(game_on(board).count, 'BW')) == counts


def why_invalid(board: Board, wrong: WrongLine) -> str:
    """Return why a move is not legal on a board, or `''` if nothing is certain."""
    move, color = move_on(wrong.typed or ''), board.turn[-1:]
    if not move:
        return ': a move must be two integers with a space between them'
    (row, column), cell = move, board.cells.get(move)
    if not 1 <= row <= len(board.rows):
        return f': there is no row {row}'
    if cell is None:
        return f': there is no column {column}'
    if cell != '.':
        return f': {board.name_of(move)} is not empty'
    if color in OTHER and not game_on(board).flips_any(row - 1, column - 1, color):
        return f': {color} would flip no discs'
    return ''


def what_it_does(board: Board, wrong: WrongLine) -> str:
    """Return which discs a legal move flips, and who cannot move afterwards; '' if uncertain."""
    move, color = move_on(wrong.typed or ''), board.turn[-1:]
    if not move or move not in board.cells or color not in OTHER:
        return ''
    game = game_on(board)
    game.make_move(move[0] - 1, move[1] - 1, color)
    flipped = [(row + 1, column + 1) for cells in game.flipped.values() for row, column in cells]
    if not flipped:
        return ''
    first = board.name_of(flipped[0])
    discs = f'{len(flipped)} discs (one at {first})' if flipped[1:] else f'the disc at {first}'
    flips = f': {color} at {board.name_of(move)} flips {discs}'
    next_player = game.next_turn(OTHER[color])
    if not next_player:
        return f'{flips}; after that, {OVER}'
    if next_player == color:
        return f'{flips}; after that, {OTHER[color]} has no legal move'
    return flips


def whose_turn(board: Board | None, expected: str, printed: str) -> str:
    """Return why it is the `expected` player's turn, or `''` if nothing is certain."""
    word, _, player = printed.partition(' ')
    if word not in ('TURN:', 'WINNER:') or (word == 'TURN:' and player not in OTHER):
        return ''
    if board:
        game = game_on(board)
        if word == 'TURN:' and not game.can_move(player):
            return f'{player} has no legal move here'
        for row, column in product(range(game.rows), range(game.columns)):
            if expected in OTHER and game.is_legal(row, column, expected):
                why = NOT_OVER if word == 'WINNER:' else f"it is {expected}'s turn"
                return f'{why}: {expected} can move to {board.name_of((row + 1, column + 1))}'
    return f'{NOT_OVER}: a player can still move' if word == 'WINNER:' else ''


def has_passed(before: str) -> bool:
    """Return whether the last two turns in the output `before` a line are the same player's."""
    players = re.findall('^TURN: ([BW])$', before, re.MULTILINE)[-2:]
    return len(players) > 1 and players[0] == players[1]


def why_won(board: Board | None, expected: str, printed: str) -> str:
    """Return why the `expected` player has won or, if it is NONE, why nobody has.

    If the program printed a turn instead, return why the game is over. Return `''` if nothing is
    certain.
    """
    if printed.partition(' ')[0] == 'TURN:':
        return OVER
    if not board or printed not in ('WINNER: B', 'WINNER: W', 'WINNER: NONE'):
        return ''
    black, white = map(game_on(board).count, 'BW')
    if expected not in OTHER:
        return f'both players have {counted(black, "disc")}: there is no winner'
    rule, more = ('>', 'more') if (expected == 'B') == (black > white) else ('<', 'fewer')
    return (
        f'B has {counted(black, "disc")} and W has {white}; '
        f'in this session the player with {more} discs wins ({rule})'
    )


def cells_that_differ(wrong: WrongLine) -> str:
    """Return what is wrong on a printed board, or `''` if nothing is certain.

    `wrong` must be a row of the board, or both its lines must be counts.
    """
    line, printed_line = wrong.expected.rstrip('\n'), wrong.printed.rstrip('\n')
    are_counts = COUNTS.fullmatch(line) and COUNTS.fullmatch(printed_line)
    if not are_counts and not ROW.fullmatch(line):
        return ''

    boards, printed_boards = find_boards(wrong.expected_text), find_boards(wrong.printed_text)
    if not boards or not printed_boards:
        return ''

    expected, printed = boards[0], printed_boards[0]
    if expected.cells.keys() != printed.cells.keys():
        return ''

    move = move_on(wrong.typed or '')
    extra_move = move_between(expected, printed, move)
    if extra_move:
        return (
            f'the board shows one extra move, {extra_move}; '
            'looking for moves must not change the board'
        )

    earlier = find_boards(''.join(step.output for step in wrong.session.steps[: wrong.step]))
    before = earlier[-1] if earlier else None
    differences = [*wrong_cells(before, expected, printed, move)]
    more = f'; and {len(differences) - MAX_CELLS} more' if len(differences) > MAX_CELLS else ''
    if differences or not are_counts:
        return '; '.join(differences[:MAX_CELLS]) + more
    numbers = [*map(int, NUMBER.findall(printed_line))]
    is_old = before and numbers == [*map(game_on(before).count, 'BW')]
    why = 'are those of the board before the move' if is_old else 'do not match its discs'
    return f'the board is correct, but the counts {why}'


def move_between(board: Board, later: Board, made: Vector | None) -> str:
    """Return the legal move that turns a board into a later board, or `''` if there is none.

    Ignore moves in line with the move just `made`: their discs may belong to it.
    """
    for row, cells in enumerate(later.rows):
        for column, color in enumerate(cells):
            cell = row + 1, column + 1
            if color not in OTHER or (made and is_in_line(cell, made)):
                continue
            game = game_on(board)
            if game.is_legal(row, column, color):
                game.make_move(row, column, color)
                if tuple(map(''.join, game.board)) == later.rows:
                    return f'{color} to {board.name_of(cell)}'
    return ''


def wrong_cells(
    before: Board | None, expected: Board, printed: Board, move: Vector | None
) -> Iterator[str]:
    """Yield what is wrong in each cell that differs, after a `move` or in the starting position.

    `before` is the board before the move, or None in the starting position.
    """
    rows, columns = len(expected.rows), len(expected.rows[0])
    for cell in product(range(1, rows + 1), range(1, columns + 1)):
        name, disc, other = expected.name_of(cell), expected.cells[cell], printed.cells[cell]
        if other == disc:
            continue
        if not before:
            yield f'the input has {IN_WORDS[disc]} at {name}, but your board has {IN_WORDS[other]}'
        elif disc == '.':
            yield f'{name} must be empty'
        elif cell == move:
            yield f'the new {disc} disc must be at {name}'
        elif other == '.':
            yield f'the {disc} disc at {name} is missing'
        elif disc == before.cells.get(cell):
            is_in = not move or is_in_line(cell, move)
            why = '' if is_in else ': it is not in line with the move'
            yield f'do not flip the disc at {name}{why}'
        else:
            yield f'flip the disc at {name}'


def is_in_line(cell: Vector, move: Vector) -> bool:
    """Return whether a cell is in line with a move, in any of the eight directions."""
    down, right = cell[0] - move[0], cell[1] - move[1]
    return not down or not right or abs(down) == abs(right)


def game_on(board: Board) -> Othello:
    """Return a game in progress with this board, but without setting whose turn it is."""
    game = Othello([])
    game.rows, game.columns = len(board.rows), len(board.rows[0])
    game.board = [list(row) for row in board.rows]
    return game
