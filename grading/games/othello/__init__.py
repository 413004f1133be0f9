"""Othello, for the grader: the game, hints about its protocol, and fresh games.

`board.svg` draws its boards on pages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import chain, combinations, product
from random import Random
from typing import NamedTuple

from othello_logic import COLORS, OPPONENT, SIZES, WINS, OthelloGame

from ...printable import counted
from ...sessions.transcript import Transcript
from ...sessions.verdict import WrongLine
from ..game import Game, Maker, without
from .faults import FAULTS
from .model import COUNTS, OTHER, ROW, Board, Othello, Vector, find_boards, move_on

MOST_CELLS = 3  # that a hint names
IN_WORDS = {'.': 'an empty cell', 'B': 'B', 'W': 'W'}  # what a cell holds
OVER = 'neither player can move: the game is over'
NOT_OVER = 'the game is not over'
Cells = list[list[str]]  # the cells of each row, as they are printed
SETUP = 4  # lines before the board


# ------------------------------------------------------------------------------------------- hints


def hint(place: WrongLine) -> str:
    """Return a hint about a line that differs in meaning, `''` if nothing is certain."""
    due, printed = place.expected.rstrip('\n'), place.printed.rstrip('\n')
    board = ([None, *find_boards(place.before)])[-1]
    if place.before.endswith('INVALID\n') and COUNTS.match(printed):
        return 'print nothing after INVALID: the next line of input is the next move'
    if (due, printed.partition(' ')[0]) == ('INVALID', 'VALID'):
        return f'this move is not legal here{why_invalid(board, place) if board else ""}'
    if (due, printed.partition(' ')[0]) == ('VALID', 'INVALID'):
        return f'this move is legal here{what_it_does(board, place) if board else ""}'
    if due.startswith('TURN: '):
        return whose_turn(board, due[6:], printed)
    if due.startswith('WINNER: '):
        return why_won(board, due[8:], printed)
    if not place.printed and any(line.startswith('WINNER') for line in place.expected_next):
        return OVER
    return cells_that_differ(place)


def why_invalid(board: Board, place: WrongLine) -> str:
    """Return why a move is not legal on a board, `''` if nothing is certain."""
    move, color = move_on(place.typed or ''), board.turn[-1:]
    if not move:
        return ': a move is two integers with a blank between them'
    (row, column), cell = move, board.cells.get(move)
    return next(
        (
            f': {why}'
            for is_so, why in [
                (not 1 <= row <= len(board.rows), f'there is no row {row}'),
                (cell is None, f'there is no column {column}'),
                (cell != '.', f'{board.name_of(move)} is not empty'),
                (
                    color in OTHER and not board.game().flips_any(row - 1, column - 1, color),
                    f'{color} flips no disc there',
                ),
            ]
            if is_so
        ),
        '',
    )


def what_it_does(board: Board, place: WrongLine) -> str:
    """Return what a legal move on a board flips, and who has no move after it."""
    move, color = move_on(place.typed or ''), board.turn[-1:]
    if not move or move not in board.cells or color not in OTHER:
        return ''
    game = board.game()
    game.make_move(move[0] - 1, move[1] - 1, color)
    flipped = [(row + 1, column + 1) for cells in game.flipped.values() for row, column in cells]
    if not flipped:
        return ''
    discs = f'{len(flipped)} discs, one' if len(flipped) > 1 else 'the disc'
    told = f': {color} at {board.name_of(move)} flips {discs} at {board.name_of(flipped[0])}'
    no_move = {None: f'; then {OVER}', color: f'; then {OTHER[color]} has no legal move'}
    return told + no_move.get(game.next_turn(OTHER[color]), '')


def whose_turn(board: Board | None, due: str, printed: str) -> str:
    """Return why it is the turn of `due`, and not what was printed, `''` if nothing is certain."""
    word, _, player = printed.partition(' ')
    if word not in ('TURN:', 'WINNER:') or (word == 'TURN:' and player not in OTHER):
        return ''
    if board:
        game = board.game()
        if word == 'TURN:' and not game.can_move(player):
            return f'{player} has no legal move here'
        for row, column in product(range(game.rows), range(game.columns)):
            if due in OTHER and game.is_legal(row, column, due):
                why = NOT_OVER if word == 'WINNER:' else f'it is the turn of {due}'
                return f'{why}: {due} can move to {board.name_of((row + 1, column + 1))}'
    return f'{NOT_OVER}: a player can still move' if word == 'WINNER:' else ''


def why_won(board: Board | None, due: str, printed: str) -> str:
    """Return why a player has won, or nobody, `''` if nothing is certain."""
    if printed.partition(' ')[0] == 'TURN:':
        return OVER
    if not board or printed not in ('WINNER: B', 'WINNER: W', 'WINNER: NONE'):
        return ''
    black, white = map(board.game().count, 'BW')
    if due not in OTHER:
        return f'both players have {counted(black, "disc")}: there is no winner'
    rule, most = ('>', 'most') if (due == 'B') == (black > white) else ('<', 'fewest')
    return (
        f'B has {counted(black, "disc")}, W has {white}; '
        f'in this session the player with the {most} discs wins ({rule})'
    )


def cells_that_differ(place: WrongLine) -> str:
    """Return what is wrong on a board, if the first line that differs is its counts or a row."""
    expected, printed = place.expected.rstrip('\n'), place.printed.rstrip('\n')
    are_counts = COUNTS.fullmatch(expected) and COUNTS.fullmatch(printed)
    due, shown = find_boards(place.expected_text), find_boards(place.printed_text)
    if (
        not shown
        or not due
        or due[0].cells.keys() != shown[0].cells.keys()
        or not (are_counts or ROW.fullmatch(expected))
    ):
        return ''
    before = find_boards(''.join(step.output for step in place.session.steps[: place.step]))
    moved = move_between(due[0], shown[0], move_on(place.typed or ''))
    if moved:
        return f'one move too many is made here, {moved}; looking for moves must change nothing'
    told = list(
        wrong_cells(before[-1] if before else None, due[0], shown[0], move_on(place.typed or ''))
    )
    more = f', and {len(told) - MOST_CELLS} more' if len(told) > MOST_CELLS else ''
    return '; '.join(told[:MOST_CELLS]) + more or (
        'the board is right, but the counts are not those of its discs' if are_counts else ''
    )


def move_between(board: Board, later: Board, made: Vector | None) -> str:
    """Return the legal move that makes a later board of one, `''` if no move does.

    In a line with the move that was `made`, it may as well be discs of that one that are wrong.
    """
    for row, cells in enumerate(later.rows):
        for column, color in enumerate(cells):
            game = board.game()
            down, right = (row + 1 - made[0], column + 1 - made[1]) if made else (1, 2)
            if (
                color in OTHER
                and down
                and right
                and abs(down) != abs(right)
                and game.is_legal(row, column, color)
            ):
                game.make_move(row, column, color)
                if tuple(map(''.join, game.board)) == later.rows:
                    return f'{color} to {board.name_of((row + 1, column + 1))}'
    return ''


def wrong_cells(
    before: Board | None, due: Board, shown: Board, move: Vector | None
) -> Iterator[str]:
    """Yield what is wrong with each cell that differs after a move, or before the first one."""
    for cell, disc in due.cells.items():
        name, other = due.name_of(cell), shown.cells[cell]
        if other != disc:
            yield next(
                why
                for is_so, why in [
                    (
                        not before,
                        f'the input has {IN_WORDS[disc]} at {name}, not {IN_WORDS[other]}',
                    ),
                    (disc == '.', f'{name} must be empty'),
                    (cell == move, f'the disc of the move, {disc}, must be at {name}'),
                    (other == '.', f'the disc {disc} at {name} is missing'),
                    (before and disc == before.cells.get(cell), f'do not flip the disc at {name}'),
                    (True, f'flip the disc at {name}'),
                ]
                if is_so
            )


# ------------------------------------------------------------------------------------- fresh games

# They have any size, start, first player and rule. To make one smaller, the grader leaves out
# moves, rows, columns and discs, and plays what is left to its end.


class Scenario(NamedTuple):
    """A game, up to the move that a program gets wrong."""

    board: Cells
    first: str
    wins: str
    moves: list[Vector]  # as they are typed: legal or not, even off the board

    @classmethod
    def of(cls, transcript: Transcript, step: int) -> Scenario:
        """Return the game of a transcript in which a program goes wrong in a step."""
        rows, _, first, wins, *lines = transcript.inputs
        cells = [line.split() for line in lines[: max(int(rows), step - SETUP)]]
        return cls(
            cells[: int(rows)],
            first,
            wins,
            [(int(row), int(column)) for row, column in cells[int(rows) :]],
        )

    def game(self, moves: int | None = None) -> OthelloGame:
        """Return the game after its first `moves` moves, or after all."""
        game = OthelloGame.from_text('\n'.join(map(' '.join, self.board)), self.first, self.wins)
        for move in self.moves[:moves]:
            if game.is_legal(*move):
                game.make_move(*move)
        return game

    def lines(self) -> list[str]:
        """Return the lines that are typed; legal moves follow until the end of the game.

        The first player is one who can move, if either player can. The assignment does not say what
        happens otherwise.
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
    """Return the standard start, sometimes with the colors exchanged."""
    swap = rng.choice([{}, OPPONENT])
    return [[swap.get(cell, cell) for cell in row] for row in rows_of(OthelloGame(rows, columns))]


def rows_of(game: OthelloGame) -> Cells:
    """Return the board of a game."""
    return [row.split() for row in str(game).split('\n')]


def sparse(rng: Random, rows: int, columns: int) -> Cells:
    """Return a few discs, close together."""
    board = [['.'] * columns for _ in range(rows)]
    above, left = rng.randint(0, rows - 4), rng.randint(0, columns - 4)
    for _ in range(rng.randint(2, 9)):
        board[above + rng.randrange(4)][left + rng.randrange(4)] = rng.choice(COLORS)
    return board


def filled(rng: Random, rows: int, columns: int) -> Cells:
    """Return a board with few discs, so that often nobody can move, or with few empty cells.

    Games on nearly full boards are short, but use corners and all directions.
    """
    size = rows * columns
    discs = rng.choice([round(size * rng.random() ** 3), size - rng.randint(0, 8)])
    colors = rng.choice(['B', 'W', *['BW'] * 4, 'BBBBW', 'BWWWW'])
    cells = rng.choices(colors, k=discs) + ['.'] * (size - discs)
    rng.shuffle(cells)
    return [cells[start : start + columns] for start in range(0, size, columns)]


ARRANGEMENTS = (standard, *[sparse] * 3, *[filled] * 14)


def make(rng: Random) -> list[str]:
    """Return the lines of a game, from its setup to its end."""
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
    """Return a cell off the board, or a cell on it where a move is not legal.

    Some faulty programs would accept many cells off the board: those that use them as negative
    indexes, that take them for cells of the next row, or that swap rows and columns.
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


def size(transcript: Transcript, step: int) -> tuple[int, ...]:
    """Return a key that orders games that go wrong in a step by size.

    It holds the number of cells, of discs in that step, of moves, and of the second player's discs.
    """
    scenario = Scenario.of(transcript, step)
    start, there = scenario.game(0), scenario.game()
    return (
        start.rows * start.columns,
        there.count('B') + there.count('W'),
        len(transcript.inputs) - start.rows,
        start.count(OPPONENT[scenario.first]),
    )


def without_first_moves(scenario: Scenario, left_out: Collection[int]) -> Scenario:
    """Return a game that begins after its first moves; they have been made."""
    game = scenario.game(len(left_out))
    return Scenario(
        rows_of(game), game.turn or scenario.first, scenario.wins, scenario.moves[len(left_out) :]
    )


def without_moves(scenario: Scenario, left_out: Collection[int]) -> Scenario:
    """Return a game without some of its moves."""
    return scenario._replace(moves=without(scenario.moves, left_out))


def without_discs(
    scenario: Scenario, left_out: Collection[tuple[int, int]], instead: str | None = None
) -> Scenario:
    """Return a game with the first player's discs, or other cells, in the place of some discs."""
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
    """Return the cells with discs of both players, or of the second player."""
    colors = COLORS if of_both else OPPONENT[scenario.first]
    return [
        (r, c)
        for r, row in enumerate(scenario.board)
        for c, cell in enumerate(row)
        if cell in colors
    ]


def lines_of_board(scenario: Scenario, together: int) -> list[tuple[tuple[str, int], ...]]:
    """Return all combinations of so many rows, and of so many columns.

    A board has even numbers of both, so two of them may have to be left out together.
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
            (moved(row, rows, len(board)), moved(column, columns, len(board[0])))
            for row, column in scenario.moves
        ],
    )


def playable(kind: str, count: int, left_out: Collection[tuple[str, int]]) -> list[int]:
    """Return the indexes of the lines that are kept, and of as many more as a board needs."""
    kept = sorted(range(count), key=lambda index: (kind, index) in left_out)
    number = max(SIZES[0], sum((kind, index) not in left_out for index in kept))
    return sorted(kept[: number + number % 2])


def moved(number: int, kept: list[int], size: int) -> int:
    """Return the new number of a row or column, from 1, when only some of `size` are kept.

    A number off the board keeps its remainder, so that a negative index reaches the same line; a
    number that is left out becomes 0.

    >>> [moved(number, [0, 1, 2, 5], 6) for number in (1, 6, 4, 0, -2, 7)]
    [1, 4, 0, 0, 0, 5]
    """
    boards, index = divmod(number - 1, size)
    return boards * len(kept) + kept.index(index) + 1 if index in kept else 0


def moves_of(scenario: Scenario) -> Sequence[int]:
    """Return the indexes of the moves of a game."""
    return range(len(scenario.moves))


FIRST_MOVES = moves_of, without_first_moves
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
MAKER = Maker(make, read=Scenario.of, parts=PARTS, size=size, lines=Scenario.lines)

GAMES = (
    Game(
        'othello',
        ('othello_console.py',),
        Othello,
        FAULTS,
        hint,
        find_boards,
        MAKER,
        begins=r'\d+\n\d+\n[BW]\n[<>](\n|$)',
        kinds={('INVALID', 'VALID'): 'check', ('TURN', 'TURN'): 'turn', ('TURN', 'WINNER'): 'walk'},
    ),
)
