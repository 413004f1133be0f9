"""The known faults of Othello programs: which decisions they change, the simplest fault first.

`CHANGES` maps the ids of faults to their variants and kinds. The sentence and the advice for each
fault are in `othello_faults.ini`.

Most functions below replace a decision of the game. Each takes the model of the game, the replaced
decision, and the arguments of the decision; `partial` sets its keyword-only arguments. The model is
a `BoardRules` if it decides whether a player can move, and otherwise an `Othello`.
`Othello.is_empty(game, ...)`, say, calls the method itself, not its replacement.

A function named `with_...` derives the variants of a fault from the program's output.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain, product
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any

from ..fault_kinds import (
    CHECK,
    COUNTING,
    RANGE_CHECK,
    READING,
    READING_AGAIN,
    START,
    TEXT,
    TEXT_AGAIN,
    TEXT_MISSING,
    TURN,
    WINNER,
)
from ..known_faults import Change, GameFaults, fixed, known_faults, printed_as
from ..model import Method, Variant, variant
from .hints import hint
from .model import DIRECTIONS, OTHER, Othello
from .places_of_faults import (
    COPY_OF_ROWS,
    GAME_END,
    PASS_COUNT,
    RULE_SIGN,
    SIZE,
    WALK,
    WALK_DIRECTION,
    WALK_EDGE,
    WALK_END,
    WALK_FLIPS,
    WALK_RUNS,
    WALK_START,
)
from .positions import Vector, find_boards

ColorMap = Mapping[str, str]  # maps each color to a color, or to NONE

SAME: ColorMap = {'B': 'B', 'W': 'W'}
NOBODY: ColorMap = {'B': 'NONE', 'W': 'NONE'}
DIRECTION_NAMES = {
    (-1, -1): 'up-left',
    (-1, 0): 'up',
    (-1, 1): 'up-right',
    (0, -1): 'left',
    (0, 1): 'right',
    (1, -1): 'down-left',
    (1, 0): 'down',
    (1, 1): 'down-right',
}
# Another order of all directions.
CLOCKWISE = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]


# Changes to any decision


def then(game: Othello, decide: Method, *args: Any, do: Callable[[Othello], object]) -> None:
    """Decide as usual, and then call `do`."""
    decide(*args)
    do(game)


def change(game: Othello, decide: Method, *args: Any, **changes: Any) -> None:
    """Decide as usual, and then set attributes of the game.

    `changes` maps each attribute to its new value, or to a function from the game to this value.
    """
    decide(*args)
    for name, value in changes.items():
        setattr(game, name, value(game) if callable(value) else value)


def only(game: Othello, decide: Method, *args: Any, later: bool, instead: Method) -> Any:
    """Replace a decision with `instead` before the first move or, if `later`, only after it."""
    has_moved = bool(game.moved)
    return instead(game, decide, *args) if has_moved == later else decide(*args)


def crash(
    game: Othello,
    decide: Method,
    *args: Any,
    when: Callable[..., bool] = lambda *args: True,
    error: type[Exception] = IndexError,
    if_silent: bool = False,
) -> Any:
    """Crash with an `error` when the condition `when` is true; otherwise, decide as usual.

    If `if_silent`, crash only if the followed program prints nothing more.
    """
    if when(game, *args) and not (if_silent and game.upcoming()):
        raise error
    return decide(*args)


def swap_arguments(game: Othello, decide: Method, first: Any, second: Any) -> Any:
    return decide(second, first)


def stay_inside(
    game: Othello,
    decide: Method,
    row: int,
    column: int,
    *color: str,
    top: int = 0,
    left: int = 0,
    bottom: int = 0,
    right: int = 0,
) -> Any:
    """Decide as usual, but also reject the cells in the first `top` and the last `bottom` rows.

    Also reject the cells in the first `left` and the last `right` columns.
    """
    return (
        decide(row, column, *color)
        and top <= row < game.rows - bottom
        and left <= column < game.columns - right
    )


def stay_in_reach(game: Othello, decide: Method, row: int, column: int, *color: str) -> Any:
    return decide(row, column, *color) and game.reaches(row, column)


# Printing


def say_last_turn(
    game: Othello, say_winner: Method, winner: str, *, at_start: ColorMap, after_moves: ColorMap
) -> None:
    """When the game is over, print TURN with a player or NONE before the winner.

    What is printed depends on the player who would be next. Look it up in `at_start` if no move was
    made, and otherwise in `after_moves`.
    """
    game.say(f'TURN: {(after_moves if game.moved else at_start)[game.following]}')
    say_winner(winner)


def with_row_numbers(game: Othello) -> Iterable[Variant]:
    """Yield a variant with the program's row numbers, from 0 or 1.

    The first row, with its number, must be one of the next two printed lines: a line with the
    numbers of the columns may be above it.
    """
    row = re.escape(game.unmatched.rstrip('\n'))
    if not row:
        return
    for line in game.upcoming().split('\n')[:2]:
        numbered = re.fullmatch(f'( *[01])([^\\w.]+){row} *', line)
        if numbered:
            yield numbering_rows(int(numbered[1]), len(numbered[1]), numbered[2])


@cache  # equal variants must be the same object, so that a search tries each only once
def numbering_rows(first: int, width: int, between: str) -> Variant:
    return variant(row_number=(first, width, between))


# The setup


def count_cells_of_a_row(game: Othello, start: Method) -> None:
    game.columns = len(game.board[0])
    start()


# A crash if the program reads a row of the board as a move.
BOARD_CRASH = partial(crash, when=lambda game, line: not line.strip('BW. '), error=ValueError)
COLUMNS_FIRST = variant(size_order=('columns', 'rows'))
# The program crashes if a row is shorter than it expects, or if it reads a row as a move.
COLUMNS_FIRST_CRASHES = [
    variant(
        base,
        cell_on=partial(BOARD_CRASH, if_silent=True),
        start=partial(
            crash,
            if_silent=True,
            when=lambda game: any(len(row) < game.columns for row in game.board),
        ),
    )
    for base in (COLUMNS_FIRST, variant(COLUMNS_FIRST, start=count_cells_of_a_row))
]
be_square = partial(change, columns=attrgetter('rows'))
SQUARE = variant(set_up=be_square)
# A crash on a board that is not square. But if the number of columns read by the model differs from
# the board's, another fault has mixed up the sizes, and causes the crash.
CRASH_UNLESS_SQUARE = partial(
    crash,
    if_silent=True,
    error=ValueError,
    when=lambda game, text: (
        hasattr(game, 'board')
        and game.rows != game.columns
        and {game.columns} == {len(row) for row in game.board}
    ),
)


def start_in_the_middle(
    game: Othello, read_board: Method, *, corner: str, reads: str
) -> list[list[str]]:
    """Start with four discs in the middle, instead of the board in the input.

    `corner` is the color of the top left one. `reads` is what the program reads before the first
    move: 'board'; 'wins' for a fifth line of the setup, taken as who wins; or '' for nothing.
    """
    if reads == 'board':
        read_board()
    elif reads == 'wins':
        game.wins = game.ask_setup('wins')
    board = [['.'] * game.columns for _ in range(game.rows)]
    row, column = game.rows // 2, game.columns // 2
    board[row - 1][column - 1] = board[row][column] = corner
    board[row - 1][column] = board[row][column - 1] = OTHER[corner]
    return board


def own_starts(reads: str) -> Sequence[Variant]:
    """Return variants of `start_in_the_middle`; half crash when they read a row as a move."""
    detail = '' if reads == 'board' else '; it reads lines of the board as moves'
    starts = [
        variant(read_board=partial(start_in_the_middle, corner=corner, reads=reads), detail=detail)
        for corner in 'WB'
    ]
    return [*starts, *(variant(start, cell_on=BOARD_CRASH) for start in starts)]


# Moves


def read_two_lines(game: Othello, read_move: Method) -> Vector:
    row, column = (int(game.ask('number').split()[0]) for _ in range(2))
    return row - 1, column - 1


def take_other_numbers(
    game: Othello, cell_on: Method, line: str, *, numbers: tuple[int, int] = (0, 1), more: int = 0
) -> Vector | None:
    """Take the row and the column of a move from these `numbers` of the line; add `more` to both.

    For example, (1, 0) takes the second number as the row, and the first number as the column.
    """
    cell: Vector | None = cell_on(line)
    return cell and (cell[numbers[0]] + more, cell[numbers[1]] + more)


def skip_unless_digits(game: Othello, cell_on: Method, line: str) -> Vector | None:
    """Ignore a line like `-1 2`, with anything but digits and spaces, and read the next line."""
    cell: Vector | None = cell_on(line) if line.replace(' ', '').isdigit() else game.read_move()
    return cell


SWAPPED = variant(cell_on=partial(take_other_numbers, numbers=(1, 0)))


def is_index(game: Othello, row: int, column: int) -> bool:
    """Return whether Python accepts these as indexes: -1 is the last row or column."""
    return -game.rows <= row < game.rows and -game.columns <= column < game.columns


def count_from_the_end(game: Othello, row: int, column: int) -> Vector:
    """Return the cell found by Python at these indexes, or the same numbers if there is none."""
    return (
        (row % game.rows, column % game.columns) if is_index(game, row, column) else (row, column)
    )


def cell_of_number(game: Othello, row: int, column: int) -> Vector:
    """Return the cell with the number `row * columns + column`, as if the board were one list.

    If there is no such cell, return the same row and column.
    """
    number = row * game.columns + column
    is_cell = 0 <= number < game.rows * game.columns
    return divmod(number, game.columns) if is_cell else (row, column)


def move_elsewhere(
    game: Othello, read_move: Method, *, cell_for: Callable[[Othello, int, int], Vector]
) -> Vector | None:
    """Move to another cell instead of the cell in the input."""
    cell: Vector | None = read_move()
    return cell and cell_for(game, *cell)


def ignore_discs(
    game: Othello, is_empty: Method, row: int, column: int, color: str, *, of: str
) -> bool:
    """Treat cells with discs `of` the mover (m), the opponent (o), or both (mo) as empty."""
    colors = {'m': color, 'o': OTHER[color], 'mo': 'BW'}
    return game.has(row, column) and game.board[row][column] in '.' + colors[of]


IGNORES = [partial(ignore_discs, of=players) for players in ('mo', 'o', 'm')]


def flip_or_touch_own(game: Othello, flips_any: Method, row: int, column: int, color: str) -> bool:
    """Return whether a move flips a disc, or is next to a disc of the mover."""
    return flips_any(row, column, color) or any(
        game.reaches(row + down, column + right) and game.board[row + down][column + right] == color
        for down, right in DIRECTIONS
    )


def keep_moves(game: Any, start: Method, *, is_shared: bool) -> None:
    """At the start of the game, store the legal moves of both players.

    If `is_shared`, store the first player's moves for both players.
    """
    game.moves = {
        (row, column, color)
        for row in range(game.rows)
        for column in range(game.columns)
        for color in OTHER
        if game.is_empty(row, column, color)
        and Othello.flips_any(game, row, column, game.turn if is_shared else color)
    }
    start()


def was_kept(game: Any, decide: Method, *move: Any) -> bool:
    return move in game.moves


START_MOVES = [
    variant(
        start=partial(keep_moves, is_shared=is_shared),
        accepts=was_kept,
        state={'moves': frozenset()},
    )
    for is_shared in (False, True)
]


def place_first(
    game: Othello,
    accepts: Method,
    row: int,
    column: int,
    color: str,
    *,
    on: str,
    leaves: str = '',
) -> bool:
    """After an illegal move, leave its disc on the board, as if it were placed before the check.

    Do so only if the content of the cell is in `on`. The cell gets `leaves`, if given, instead of
    the disc.
    """
    is_legal: bool = accepts(row, column, color)
    if not is_legal and Othello.has(game, row, column) and game.board[row][column] in on:
        game.board[row][column] = leaves or color
    return is_legal


def look_before(
    game: Any, make_move: Method, row: int, column: int, color: str, *, places: bool
) -> None:
    """Decide who moves next before any disc is flipped.

    If `places`, place the new disc before this decision; otherwise, after it.
    """
    if places:
        game.board[row][column] = color
    game.looked = Othello.next_turn(game, OTHER[color])
    make_move(row, column, color)


def try_on_board(game: Othello, can_move: Method, color: str) -> bool:
    """Return whether the player has a legal move, but also make the first such move."""
    for cell in product(range(game.rows), range(game.columns)):
        if game.is_legal(*cell, color):
            flips = game.flips_by_direction(*cell, color).values()
            for row, column in [cell, *chain.from_iterable(flips)]:
                game.board[row][column] = color
            return True
    return False


def read_from_zero_again(game: Any, cell_on: Method, line: str) -> Vector | None:
    """In a move after a refused move, count rows and columns from 0."""
    cell: Vector | None = cell_on(line)
    return cell and (cell[0] + game.offset, cell[1] + game.offset)


FROM_ZERO_AGAIN = variant(
    state={'offset': 0},
    cell_on=read_from_zero_again,
    refuse=partial(change, offset=1),
    make_move=partial(change, offset=0),
)


def decide_as_before(game: Any, decide: Method, row: int, column: int, color: str) -> Any:
    """If the opponent passed, decide on the board as it was before the mover's previous move."""
    board = game.board
    game.board = game.board_before if color == game.mover else board
    decided = decide(row, column, color)
    game.board = board
    return decided


def keep_board(game: Any, make_move: Method, row: int, column: int, color: str) -> None:
    """Save the board before a move, unless the opponent passed."""
    before = game.board_before if color == game.mover else [[*cells] for cells in game.board]
    make_move(row, column, color)
    game.board_before, game.mover = before, color


OLD_MOVES = variant(
    state={'mover': ''},
    accepts=lambda *args: bool(decide_as_before(*args)),
    flips_by_direction=decide_as_before,
    make_move=keep_board,
)


def keep_flips(
    game: Any, flips_by_direction: Method, row: int, column: int, color: str
) -> dict[Vector, list[Vector]]:
    """Return the discs flipped by all moves so far, including moves that were only checked."""
    flips: dict[Vector, list[Vector]] = flips_by_direction(row, column, color)
    game.kept = [*{*game.kept}.union(*flips.values())]
    return {DIRECTIONS[0]: game.kept} if game.kept else {}


# The checks of moves in `can_move` count, too, so it must not use cached results.
KEEPS_ALL = variant(
    state={'kept': ()},
    flips_by_direction=keep_flips,
    flips_any=lambda game, flips_any, *move: bool(game.flips_by_direction(*move)),
    can_move=lambda game, can_move, color: any(
        game.is_legal(*cell, color) for cell in product(range(game.rows), range(game.columns))
    ),
)


# Where the board ends

LEAST = -16  # the lowest valid index on a board with 16 rows or columns, the most allowed
CRASHES_BEYOND = ', and crashes on numbers that are too large'


def is_not_too_large(game: Othello, row: int, column: int) -> bool:
    return row < game.rows and column < game.columns


def hand_over_after_valid(game: Othello, hand_over: Method, color: str) -> None:
    """Decide whose turn it is. If this crashes, but the program prints more, first print VALID."""
    try:
        hand_over(color)
    except LookupError:
        if game.upcoming():
            game.say('VALID')
        raise


def unchecked(
    *stages: str,
    is_used: Callable[[Othello, int, int], bool] = is_index,
    least: Vector = (LEAST, LEAST),
    **facts: Any,
) -> Variant:
    """Return a variant that uses unchecked numbers as Python indexes: -1 is the last row.

    `stages` says when the program does this: when it accepts a move ('enter'), looks for discs to
    flip ('look'), or flips discs ('flip'). The program then uses a cell off the board if `is_used`
    returns true for it, and its row and column are not below `least`. If they are not valid
    indexes, the program crashes.

    The program looks in all directions before it accepts a move, so it may crash in one direction
    even if the move flips discs in another. It may also crash when it decides whose turn it is,
    perhaps after printing VALID. `facts` are other fields of the variant, such as its `detail`.
    """

    def uses(game: Othello, row: int, column: int) -> bool:
        return row >= least[0] and column >= least[1] and is_used(game, row, column)

    def has(game: Othello, has: Method, row: int, column: int) -> bool:
        return has(row, column) or ('enter' in stages and uses(game, row, column))

    def reaches(game: Othello, reaches: Method, row: int, column: int) -> bool:
        doing = 'flip' if game.is_flipping else 'look'
        return reaches(row, column) or (doing in stages and uses(game, row, column))

    def flips_by_direction(game: Othello, flips: Method, *move: Any) -> Any:
        game.is_flipping = True
        found = flips(*move)
        game.is_flipping = False
        return found

    def flips_any(game: Othello, flips_any: Method, row: int, column: int, color: str) -> bool:
        flips = [game.flips_toward(row, column, color, *direction) for direction in game.searched]
        return any(flips)

    return variant(
        has=has,
        reaches=reaches,
        flips_any=flips_any,
        flips_by_direction=flips_by_direction,
        hand_over=hand_over_after_valid,
        **facts,
    )


UNCHECKED_STAGES = (
    ('enter',),
    ('enter', 'look', 'flip'),
    ('look', 'flip'),
    ('enter', 'look'),
    ('enter', 'flip'),
    ('look',),
    ('flip',),
)
UNCHECKED = [
    unchecked(
        *stages, is_used=is_used, detail=detail, kind=RANGE_CHECK if 'enter' in stages else WALK
    )
    for is_used, detail in (
        (is_index, ''),
        (is_not_too_large, CRASHES_BEYOND),
        (lambda *cell: True, CRASHES_BEYOND),
    )
    for stages in UNCHECKED_STAGES
]
OFF_BOARD_CRASH = variant(
    accepts=partial(crash, when=lambda game, row, column, color: not Othello.has(game, row, column))
)
NO_EDGES = variant(reaches=partial(stay_inside, bottom=1, right=1))


def edges_unseen(
    name: str, *, top: int = 0, left: int = 0, bottom: int = 0, right: int = 0
) -> Variant:
    sees = partial(stay_inside, top=top, left=left, bottom=bottom, right=right)
    return variant(is_empty=sees, detail=f': the {name}')


EDGES_UNSEEN = [
    edges_unseen('first row and column', top=1, left=1),
    edges_unseen('last row and column', bottom=1, right=1),
    edges_unseen(
        'first row and column and the last row and column', top=1, left=1, bottom=1, right=1
    ),
]
FIRST_ROW, LAST_ROW = edges_unseen('first row', top=1), edges_unseen('last row', bottom=1)
FIRST_COLUMN = edges_unseen('first column', left=1)
LAST_COLUMN = edges_unseen('last column', right=1)


def enter_any_empty(game: Othello, may_enter: Method, *move: Any) -> bool:
    return Othello.is_empty(game, *move)


# Which discs are flipped


def walk(game: Othello, flips_toward: Method, *place: Any, **rules: Any) -> list[Vector]:
    """Return the discs flipped in a direction under other `rules`; see `flips_toward`."""
    cells: list[Vector] = flips_toward(*place, **rules)
    return cells


def flip_elsewhere(
    game: Othello,
    flips: Method,
    row: int,
    column: int,
    color: str,
    *,
    in_all: bool = True,
    most: int | None = None,
    **rules: Any,
) -> dict[Vector, list[Vector]]:
    """Flip discs by `rules` other than those for legal moves, at most `most` per direction.

    If `in_all`, do so in all directions; otherwise, only in those where the move should flip discs.
    """
    return {
        (down, right): Othello.flips_toward(game, row, column, color, down, right, **rules)[:most]
        for down, right in (DIRECTIONS if in_all else flips(row, column, color))
    }


def check_as_usual(game: Othello, flips_any: Method, row: int, column: int, color: str) -> bool:
    return any(
        Othello.flips_toward(game, row, column, color, down, right) for down, right in DIRECTIONS
    )


def walk_over_gaps(game: Othello, flips_toward: Method, *place: Any) -> list[Vector]:
    """Return the cells up to a disc of the mover, even empty ones; [] if the first is empty."""
    cells: list[Vector] = flips_toward(*place, through='o.', flips='o.')
    return cells if cells and game.board[cells[0][0]][cells[0][1]] != '.' else []


def walk_less_far(
    game: Othello, flips_toward: Method, *place: Any, size: Callable[[Othello], int]
) -> list[Vector]:
    """Flip nothing in a direction if the closing disc is `size` steps away or more."""
    cells: list[Vector] = flips_toward(*place)
    return cells if len(cells) + 1 < size(game) else []


NUMBERED = variant(read_move=partial(move_elsewhere, cell_for=cell_of_number))
WALK_BY_NUMBERS = partial(walk, cell_for=cell_of_number)


def flip_in_one_direction(
    game: Othello, flips: Method, row: int, column: int, color: str
) -> dict[Vector, list[Vector]]:
    """Flip discs in a single direction: the direction shown by the program's next board, or any."""
    by_direction: dict[Vector, list[Vector]] = flips(row, column, color)
    shown = rows_in(game.upcoming()) if len(by_direction) > 1 else []
    for direction, cells in by_direction.items():
        board = [[*discs] for discs in game.board]
        for r, c in [(row, column), *cells]:
            board[r][c] = color
        if [*map(''.join, board)] == shown:
            return {direction: cells}
    return dict([*by_direction.items()][:1])


def add_up(
    game: Othello,
    decide: Method,
    row: int,
    column: int,
    color: str,
    *,
    order: Sequence[Vector],
    keeps: str,
) -> dict[Vector, list[Vector]]:
    """Return the discs a move flips if the program mixes up the directions.

    The program walks in the directions in `order`. A walk passes the opponent's discs, and is
    closed if it ends at a disc of the mover.

    - With `keeps='passed'`, the program never clears its list of passed discs.
    - With `keeps='closed'`, it never resets its flag for a closed walk.
    - With `keeps=''`, it flips only the discs passed by the last closed walk.

    In the result, all discs belong to the first direction.
    """
    passed: list[Vector] = []
    flips: list[Vector] = []
    is_closed = False
    for down, right in order:
        cells = Othello.flips_toward(game, row, column, color, down, right, closed_by='m.#')
        passed += cells
        end = row + down * (len(cells) + 1), column + right * (len(cells) + 1)
        is_closed = (is_closed and keeps == 'closed') or (
            game.reaches(*end) and game.board[end[0]][end[1]] == color
        )
        if is_closed:
            earlier = flips if keeps else []
            flips = [*earlier, *(passed if keeps == 'passed' else cells)]
    return {order[0]: flips} if flips else {}


def adding_up(keeps: str, *orders: Sequence[Vector]) -> list[Variant]:
    """Return a variant with `add_up` for each order of the directions."""
    return [
        variant(flips_any=add, flips_by_direction=add)
        for add in (partial(add_up, order=order, keeps=keeps) for order in orders)
    ]


def rows_in(text: str) -> Sequence[str]:
    """Return the rows of the first board in the text, without what is printed next to them.

    >>> rows_in('TURN: W\\n1 B .\\n2 W .\\n')
    ['B.', 'W.']
    """
    cells = re.sub('[A-Z]+', lambda word: '' if word[0].strip('BW') else word[0], text)
    boards = find_boards(re.sub(r'[^BW.\n]', '', cells))
    return [*boards[0].rows] if boards else []


def with_directions_missing(game: Othello) -> Iterable[Variant]:
    """Yield variants that never search further directions.

    A variant misses one more direction, all straight directions, all diagonal directions, or those
    where the last move wrongly flipped nothing.
    """
    missing = frozenset(DIRECTIONS).difference(game.searched)
    choices = [frozenset([direction]) for direction in DIRECTIONS]
    for choice in dict.fromkeys([*choices, unflipped_by(game), STRAIGHT, DIAGONAL]):
        if not missing.issuperset(choice):
            yield missing_directions(missing | choice)


@cache
def missing_directions(missing: frozenset[Vector]) -> Variant:
    searched = tuple(direction for direction in DIRECTIONS if direction not in missing)
    return variant(searched=searched, detail=skipped_in_words(missing))


def stop_short(
    game: Othello,
    flips_toward: Method,
    row: int,
    column: int,
    color: str,
    down: int,
    right: int,
    *,
    direction: Vector,
    off_board: Vector,
) -> list[Vector]:
    """In one direction, flip nothing if the closing disc is at an edge of the board.

    `off_board` is a step from this edge off the board.
    """
    cells: list[Vector] = flips_toward(row, column, color, down, right)
    if not cells or (down, right) != direction:
        return cells
    end = cells[-1][0] + down, cells[-1][1] + right
    is_inside = Othello.reaches(game, end[0] + off_board[0], end[1] + off_board[1])
    return cells if is_inside else []


EDGES_MISSING = [
    variant(
        flips_toward=partial(stop_short, direction=(down, right), off_board=step),
        detail=f': {name}',
    )
    for (down, right), name in DIRECTION_NAMES.items()
    for step in dict.fromkeys([(down, right), (down, 0), (0, right)])
    if any(step)
]


def with_edge_unseen(game: Othello) -> Iterable[Variant]:
    """If the program refused the last move, yield variants that find no legal moves at an edge.

    There is a variant for each edge with the refused move on it.
    """
    if game.moved and game.upcoming().startswith('INVALID'):
        row, column = game.moved
        is_at = {
            FIRST_ROW: row == 0,
            LAST_ROW: row == game.rows - 1,
            FIRST_COLUMN: column == 0,
            LAST_COLUMN: column == game.columns - 1,
        }
        yield from [edge for edge in is_at if is_at[edge]]


def with_directions_unchecked(game: Othello) -> Iterable[Variant]:
    """Yield variants that flip discs in all directions, but check moves in fewer.

    They miss one more direction, all straight directions, or all diagonal directions.
    """
    choices = [frozenset([direction]) for direction in DIRECTIONS]
    for choice in (*choices, STRAIGHT, DIAGONAL):
        if not game.unexamined.issuperset(choice):
            yield checking_less(game.unexamined | choice)


@cache
def checking_less(unchecked: frozenset[Vector]) -> Variant:
    return variant(unexamined=unchecked, detail=skipped_in_words(unchecked))


def with_flips_missing(game: Othello) -> Iterable[Variant]:
    """Yield variants that accept all legal moves, but flip nothing in some directions.

    In the first variant, these are the directions where the program has wrongly flipped nothing so
    far. If all of these are straight, another variant flips nothing in any straight direction. If
    all of these are diagonal, another flips nothing in any diagonal direction.
    """
    unflipped = game.unflipped | unflipped_by(game)
    for directions in dict.fromkeys((unflipped, STRAIGHT, DIAGONAL)):
        if directions >= unflipped and directions > game.unflipped:
            yield missing_flips(directions)


@cache
def missing_flips(unflipped: frozenset[Vector]) -> Variant:
    return variant(unflipped=unflipped, detail=skipped_in_words(unflipped))


STRAIGHT = frozenset(direction for direction in DIRECTIONS if 0 in direction)
DIAGONAL = frozenset(DIRECTIONS) - STRAIGHT


def unflipped_by(game: Othello) -> frozenset[Vector]:
    """Return the directions where the last move should have flipped discs, but did not.

    The board printed after the move shows this.
    """
    if not game.moved:
        return frozenset()
    shown = rows_in(game.texts[-1] + game.upcoming())
    if [*map(len, shown)] != [*map(len, game.board)]:
        return frozenset()
    return frozenset(
        direction
        for direction, cells in game.flipped.items()
        if all(shown[row][column] == game.following for row, column in cells)
    )


def skipped_in_words(directions: Iterable[Vector]) -> str:
    *others, last = (DIRECTION_NAMES[direction] for direction in sorted(directions))
    names = f'{", ".join(others)} and {last}' if others else last
    return f': it skips {names}'


# Passes and the end


def check_again(game: Othello, say_turn: Method, color: str) -> None:
    """After printing the board, check again whether each player can move; this may crash."""
    for player in OTHER:
        game.can_move(player)
    say_turn(color)


def hand_over_without_crash(game: Othello, hand_over: Method, color: str) -> None:
    with suppress(LookupError):
        hand_over(color)


LOOKS_TWICE = variant(say_turn=check_again)
# The program checks who can move only after printing the board, so it crashes only there.
LOOKS_LATE = variant(LOOKS_TWICE, hand_over=hand_over_without_crash)


def never_pass(game: Othello, next_turn: Method, color: str) -> Any:
    return next_turn(color) and color


def play_on(game: Othello, next_turn: Method, color: str, *, turn: ColorMap) -> Any:
    """If neither player can move, give a player the turn instead of ending the game.

    Look up this player in `turn`, by the player who would be next.
    """
    return next_turn(color) or turn[color]


def skipped(game: Othello) -> str:
    """Return the player who must pass for lack of a legal move, or '' if there is none."""
    return game.following if game.turn == OTHER.get(game.following) else ''


def show_pass(game: Othello, show: Method, *, is_asked: bool = False) -> None:
    """If a player must pass, print the state with TURN for this player, and then as usual.

    If `is_asked`, read and refuse a move of the player in between.
    """
    player = skipped(game)
    if player:
        game.turn = player
        show()
        if is_asked:
            game.read_move()
            game.refuse()
        game.turn = game.following = OTHER[player]
    show()


def say_turn_of_skipped(game: Othello, say_turn: Method, color: str, *, alone: bool) -> None:
    """If a player must pass, print TURN for this player first; if `alone`, print nothing else."""
    player = skipped(game)
    if player:
        say_turn(player)
    game.following = color  # from now on, no player counts as skipped
    if not (player and alone):
        say_turn(color)


LATE_PASSES = [
    variant(show=show_pass),
    variant(say_turn=partial(say_turn_of_skipped, alone=False)),
    variant(say_turn=partial(say_turn_of_skipped, alone=True)),
    variant(show=partial(show_pass, is_asked=True)),
]
# The variants of LATE_PASSES, but with a correct pass before the first move.
PUNCTUAL_STARTS = [
    variant(late, start=partial(change, following=lambda game: game.turn or game.following))
    for late in LATE_PASSES
]


NEVER_ENDING = [variant(next_turn=partial(play_on, turn=turn)) for turn in (SAME, OTHER)]
ADDS_VALID = variant(refuse=partial(then, do=methodcaller('say', 'VALID')))
# After a refused move, the other player moves; the second variant first prints VALID.
PASSING = [
    variant(*bases, refuse=partial(then, do=lambda game: game.hand_over(OTHER[game.turn or ''])))
    for bases in ((), (ADDS_VALID,))
]


def end_instead_of_passing(
    game: Othello, next_turn: Method, color: str, *, if_either: bool = False
) -> str | None:
    """End the game if the next player cannot move or, `if_either`, if either player cannot move."""
    players = [color, OTHER[color]] if if_either else [color]
    return color if all(next_turn(player) == player for player in players) else None


def look_at_the_mover(
    game: Othello, next_turn: Method, color: str, *, ends_game: bool
) -> str | None:
    """Check the wrong player: skip the next player if the last mover cannot move.

    If `ends_game`, end the game if the player chosen in this way cannot move.
    """
    chosen = color if game.can_move(OTHER[color]) else OTHER[color]
    return chosen if next_turn(color) and (not ends_game or game.can_move(chosen)) else None


def end_at_second_pass(game: Any, next_turn: Method, color: str) -> str | None:
    """End the game at the second pass, even if players moved between the two passes."""
    chosen: str | None = next_turn(color)
    if chosen == OTHER[color]:
        game.passes += 1
    return chosen if game.passes < 2 else None


def keep_passing(game: Any, next_turn: Method, color: str) -> str | None:
    """After the first pass, the last mover always moves again."""
    chosen: str | None = next_turn(color)
    if chosen and game.has_passed:
        chosen = OTHER[color]
    game.has_passed |= chosen == OTHER[color]
    return chosen


def count_before_move(game: Any, make_move: Method, row: int, column: int, color: str) -> None:
    """Count the discs before a move; see `show_old_count`."""
    game.counts = {player: Othello.count(game, player) for player in OTHER}
    make_move(row, column, color)


def show_old_count(game: Any, count: Method, color: str, *, at_end: bool) -> int:
    """Return the count from before the last move; if `at_end`, do so only once the game is over."""
    is_old = color in game.counts and not (at_end and game.turn)
    number: int = game.counts[color] if is_old else count(color)
    return number


CHANGES = {
    'one-space': printed_as(
        lambda way, expected, printed: (
            way == 'separators'
            and expected.startswith('B: ')
            and printed == ' '.join(expected.split())
        )
    ),
    'counts-swapped': Change(fixed(variant(counted='WB')), TEXT),
    'no-full': printed_as(
        lambda way, expected, printed: way == 'missing-lines' and expected == 'FULL'
    ),
    'row-numbers': Change(with_row_numbers, TEXT, is_learned=True),
    'turn-missing': printed_as(
        lambda way, expected, printed: way == 'missing-lines' and expected.startswith('TURN: '),
        TEXT_MISSING,
    ),
    'turn-last': Change(
        fixed(
            *(
                variant(say_winner=partial(say_last_turn, at_start=start, after_moves=later))
                for start, later in (
                    (OTHER, OTHER),
                    (SAME, OTHER),
                    (OTHER, SAME),
                    (SAME, SAME),
                    (NOBODY, NOBODY),
                )
            )
        ),
        TEXT,
    ),
    'winner-missing': printed_as(
        lambda way, expected, printed: way == 'missing-lines' and expected.startswith('WINNER: '),
        TEXT_MISSING,
    ),
    'board-after-invalid': Change(
        fixed(
            variant(
                refuse=partial(then, do=methodcaller('show')),
                detail=': the counts, the board and TURN',
            ),
            variant(
                refuse=partial(then, do=methodcaller('show_board')),
                detail=': the counts and the board',
            ),
            variant(
                refuse=partial(then, do=lambda game: game.say_turn(game.turn or '')),
                detail=': TURN',
            ),
            variant(ADDS_VALID, detail=': VALID'),
        ),
        TEXT_AGAIN,
    ),
    'last-state-missing': Change(
        fixed(
            variant(
                show=lambda game, show: show() if game.turn or not game.moved else game.show_turn()
            ),
            variant(show=lambda game, show: show() if game.turn else game.show_turn()),
        ),
        TURN,
    ),
    'rows-alike': Change(
        fixed(variant(read_board=lambda game, read: read()[-1:] * game.rows)), SIZE
    ),
    'rows-reversed': Change(fixed(variant(read_board=lambda game, read: read()[::-1])), READING),
    'rows-columns-swapped': Change(
        fixed(
            SWAPPED,
            variant(
                SWAPPED,
                accepts=partial(
                    crash,
                    if_silent=True,
                    when=lambda game, row, column, color: (
                        Othello.has(game, column, row) and not Othello.has(game, row, column)
                    ),
                ),
            ),
        ),
        READING,
    ),
    'from-zero': Change(fixed(variant(cell_on=partial(take_other_numbers, more=1))), COUNTING),
    'first-player': Change(fixed(variant(set_up=partial(change, turn='B'))), READING),
    'wins-ignored': Change(fixed(variant(fewest_win=False)), RULE_SIGN),
    'wins-swapped': Change(
        fixed(variant(fewest_win=lambda game, fewest_win: not fewest_win())), RULE_SIGN
    ),
    'no-tie': Change(
        fixed(
            *(
                variant(tie=named)
                for named in (
                    ('B', 'B'),
                    ('W', 'W'),
                    ('B', 'W'),
                    ('W', 'B'),
                    ('NONE', 'B'),
                    ('NONE', 'W'),
                    ('B', 'NONE'),
                    ('W', 'NONE'),
                )
            )
        ),
        WINNER,
    ),
    'counts-from-two': Change(
        fixed(
            variant(
                count=lambda game, count, color: count(color) + game.more[color],
                start=partial(
                    change,
                    more=lambda game: {color: 2 - Othello.count(game, color) for color in OTHER},
                ),
            )
        ),
        START,
    ),
    'counts-old': Change(
        fixed(
            *(
                variant(
                    make_move=count_before_move,
                    count=partial(show_old_count, at_end=at_end),
                    state={'counts': {}},
                )
                for at_end in (True, False)
            )
        ),
        WINNER,
    ),
    'counts-as-text': Change(
        fixed(variant(count=lambda game, count, color: str(count(color)))), WINNER, is_learned=True
    ),
    'one-winner': Change(fixed(variant(winner='B'), variant(winner='W')), WINNER, is_learned=True),
    'wrong-fewest': Change(
        fixed(
            *(
                variant(
                    winner=lambda game, winner, named=named: (
                        named if game.fewest_win() and winner() in OTHER else winner()
                    )
                )
                for named in ('B', 'W', 'NONE')
            )
        ),
        WINNER,
    ),
    'stuck-start': Change(
        fixed(
            variant(LOOKS_LATE, next_turn=partial(only, later=False, instead=never_pass)),
            variant(start=None),
        ),
        TURN,
    ),
    'over-at-start': Change(
        fixed(
            *(
                variant(next_turn=partial(only, later=False, instead=partial(play_on, turn=turn)))
                for turn in (OTHER, SAME)
            )
        ),
        GAME_END,
    ),
    'late-pass': Change(fixed(*LATE_PASSES, *PUNCTUAL_STARTS), TURN),
    'rows-joined': Change(fixed(variant(flips_toward=WALK_BY_NUMBERS)), WALK_END),
    'never-passes': Change(
        fixed(
            variant(LOOKS_LATE, next_turn=never_pass),
            variant(next_turn=partial(only, later=True, instead=never_pass)),
        ),
        TURN,
    ),
    'full-board-only': Change(
        fixed(
            *(
                variant(
                    base,
                    next_turn=lambda game, next_turn, color: (
                        next_turn(color) if any('.' in row for row in game.board) else None
                    ),
                )
                for base in NEVER_ENDING
            )
        ),
        GAME_END,
    ),
    'never-ends': Change(fixed(*NEVER_ENDING), GAME_END),
    'ends-instead-of-passing': Change(
        fixed(
            variant(LOOKS_LATE, next_turn=end_instead_of_passing),
            variant(
                LOOKS_LATE, next_turn=partial(only, later=True, instead=end_instead_of_passing)
            ),
            variant(next_turn=partial(end_instead_of_passing, if_either=True)),
        ),
        GAME_END,
    ),
    'passes-add-up': Change(
        fixed(variant(next_turn=end_at_second_pass, state={'passes': 0})), PASS_COUNT
    ),
    'keeps-passing': Change(
        fixed(variant(next_turn=keep_passing, state={'has_passed': False})), TURN
    ),
    'mover-passes': Change(
        fixed(
            *(
                variant(
                    next_turn=partial(
                        only, later=True, instead=partial(look_at_the_mover, ends_game=ends_game)
                    )
                )
                for ends_game in (True, False)
            ),
            *(
                variant(can_move=lambda game, can_move, color, always=always: can_move(always))
                for always in OTHER
            ),
        ),
        TURN,
    ),
    'ends-at-invalid': Change(fixed(variant(refuse=partial(change, turn=None))), CHECK),
    'disc-stays': Change(
        fixed(
            *(variant(accepts=partial(place_first, on=cells)) for cells in ('.', 'BW.')),
            variant(accepts=partial(place_first, on='BW', leaves='.')),
        ),
        CHECK,
    ),
    'invalid-passes': Change(
        fixed(
            variant(refuse=partial(change, turn=lambda game: OTHER[game.turn or ''])),
            *(
                variant(passing, refuse=partial(then, do=methodcaller('show')))
                for passing in PASSING
            ),
            *PASSING,
        ),
        TURN,
    ),
    'from-zero-again': Change(fixed(FROM_ZERO_AGAIN), READING_AGAIN),
    'moves-used-up': Change(
        fixed(variant(refuse=partial(change, accepts=lambda game: lambda *move: False))), CHECK
    ),
    'bad-parse': Change(
        fixed(variant(cell_on=partial(crash, error=ValueError))), READING, is_crash=True
    ),
    'all-invalid': Change(fixed(variant(cell_on=None)), READING),
    'one-number-a-line': Change(fixed(variant(read_move=read_two_lines)), READING),
    'first-number': Change(
        fixed(
            variant(cell_on=partial(take_other_numbers, numbers=(0, 0)), detail=', the first'),
            variant(cell_on=partial(take_other_numbers, numbers=(1, 1)), detail=', the second'),
        ),
        READING,
    ),
    'single-digits': Change(
        fixed(variant(cell_on=lambda game, cell_on, line: (int(line[0]) - 1, int(line[2]) - 1))),
        READING,
    ),
    'negative-numbers': Change(
        fixed(
            variant(cell_on=skip_unless_digits),
            variant(cell_on=lambda game, cell_on, line: cell_on(line.replace('-', ''))),
            variant(cell_on=partial(crash, when=lambda game, line: '-' in line, error=ValueError)),
        ),
        READING,
    ),
    'columns-before-rows': Change(
        fixed(
            COLUMNS_FIRST,
            variant(LOOKS_TWICE, COLUMNS_FIRST),
            variant(LOOKS_LATE, COLUMNS_FIRST),
            *COLUMNS_FIRST_CRASHES,
        ),
        READING,
    ),
    'own-start': Change(fixed(*own_starts('board'), *own_starts('')), is_crash=True),
    'fifth-setup-line': Change(fixed(*own_starts('wins')), READING, is_crash=True),
    'off-board-crash': Change(
        fixed(
            OFF_BOARD_CRASH,
            variant(
                OFF_BOARD_CRASH,
                accepts=lambda game, accepts, row, column, color: (
                    min(row, column) >= 0 and accepts(row, column, color)
                ),
            ),
            variant(accepts=partial(crash, when=lambda game, *move: min(move[:2]) < 0)),
            variant(
                accepts=partial(
                    crash, when=lambda game, row, column, color: not is_index(game, row, column)
                )
            ),
        ),
        RANGE_CHECK,
        is_crash=True,
    ),
    'occupied': Change(
        fixed(
            *(
                made
                for ignore in IGNORES
                for made in (variant(is_empty=ignore), variant(may_enter=ignore))
            )
        ),
        CHECK,
    ),
    'turns-nothing': Change(
        fixed(
            variant(may_flip=True),
            variant(
                may_flip=lambda game, may_flip, row, column, color: (
                    Othello.has(game, row, column) or may_flip(row, column, color)
                )
            ),
            variant(flips_any=True),
            variant(flips_any=flip_or_touch_own),
        ),
        CHECK,
    ),
    'wraps': Change(
        fixed(
            variant(read_move=partial(move_elsewhere, cell_for=count_from_the_end)),
            *UNCHECKED,
            *(
                unchecked('enter', 'look', 'flip', least=least)
                for least in ((0, LEAST), (LEAST, 0))
            ),
        ),
        RANGE_CHECK,
    ),
    'cells-numbered': Change(fixed(NUMBERED), RANGE_CHECK),
    'own-disc-missing': Change(fixed(variant(places_disc=False)), WALK),
    'moves-of-start': Change(
        fixed(
            *START_MOVES,
            *(
                variant(
                    start,
                    can_move=lambda game, can_move, color: any(
                        color == mover for _, _, mover in game.moves
                    ),
                )
                for start in START_MOVES
            ),
            variant(accepts=lambda game, accepts, *move: game.moved is not None and accepts(*move)),
        ),
        TURN,
    ),
    'edges-unseen': Change(
        fixed(
            *(
                made
                for unseen in EDGES_UNSEEN
                for made in (unseen, variant(unseen, may_enter=enter_any_empty))
            )
        ),
        WALK,
    ),
    'edge-unseen': Change(with_edge_unseen, WALK, is_learned=True),
    'no-runs': Change(fixed(variant(flips_toward=lambda game, flips_toward, *place: [])), WALK),
    'one-run': Change(
        fixed(variant(flips_by_direction=flip_in_one_direction)), WALK_RUNS, is_learned=True
    ),
    'flips-nothing': Change(fixed(variant(unflipped=frozenset(DIRECTIONS))), WALK_FLIPS),
    'one-disc': Change(
        fixed(
            *(
                variant(
                    flips_by_direction=lambda game, flips, *move, part=part: {
                        direction: cells[part] for direction, cells in flips(*move).items()
                    }
                )
                for part in (slice(1), slice(-1, None))
            )
        ),
        WALK,
    ),
    'one-too-few': Change(
        fixed(
            *(
                variant(
                    flips_by_direction=lambda game, flips, *move, part=part: {
                        direction: cells[part] for direction, cells in flips(*move).items()
                    }
                )
                for part in (slice(-1), slice(1, None))
            )
        ),
        WALK_FLIPS,
    ),
    'direction-missing': Change(with_directions_missing, WALK_DIRECTION, is_learned=True),
    'directions-unchecked': Change(with_directions_unchecked, WALK_DIRECTION, is_learned=True),
    'flips-missing': Change(with_flips_missing, WALK_FLIPS, is_learned=True),
    'no-edges': Change(
        fixed(
            NO_EDGES,
            variant(NO_EDGES, has=stay_in_reach),
            variant(NO_EDGES, may_enter=stay_in_reach),
            variant(reaches=partial(stay_inside, bottom=1)),
            variant(reaches=partial(stay_inside, right=1)),
            variant(reaches=partial(stay_inside, top=1, left=1, bottom=1, right=1)),
        ),
        WALK,
    ),
    'over-empty': Change(
        fixed(
            *(
                variant(*bases, flips_toward=partial(walk, through='o.', flips=flips))
                for bases in ((), (variant(flips_any=check_as_usual),))
                for flips in ('o', 'o.')
            ),
            variant(flips_toward=walk_over_gaps),
        ),
        WALK_END,
    ),
    'over-all': Change(
        fixed(
            variant(flips_toward=partial(walk, through='o.', closed_by='m#')),
            variant(flips_toward=partial(walk, through='o.', closed_by='m#', flips='o.')),
        ),
        WALK_END,
    ),
    'short-runs': Change(
        fixed(
            *(
                variant(flips_toward=partial(walk_less_far, size=size))
                for size in (attrgetter('rows'), attrgetter('columns'), lambda game: 8)
            )
        ),
        WALK,
    ),
    'no-bracket': Change(
        fixed(
            *(variant(flips_toward=partial(walk, closed_by=cells)) for cells in ('m#', 'm.', 'm.#'))
        ),
        WALK_END,
    ),
    'turns-elsewhere': Change(
        fixed(
            *(
                variant(flips_by_direction=flip)
                for flip in (
                    partial(flip_elsewhere, in_all=False, through='om.', closed_by='#'),
                    partial(flip_elsewhere, closed_by='m.#'),
                    partial(flip_elsewhere, through='om.', closed_by='#'),
                    partial(flip_elsewhere, most=1, closed_by='m.#'),
                )
            )
        ),
        WALK,
    ),
    'last-run': Change(
        fixed(*adding_up('', DIRECTIONS, DIRECTIONS[::-1], CLOCKWISE, CLOCKWISE[::-1])), WALK_RUNS
    ),
    'cells-kept': Change(
        fixed(
            *(
                made
                for keeps in ('passed', 'closed')
                for made in adding_up(keeps, DIRECTIONS, CLOCKWISE, CLOCKWISE[-2:] + CLOCKWISE[:-2])
            )
        ),
        WALK_START,
    ),
    'count-kept': Change(
        fixed(
            *(
                variant(flips_any=partial(add_up, order=order, keeps='passed'))
                for order in (DIRECTIONS, CLOCKWISE)
            )
        ),
        WALK_START,
    ),
    'keeps-all': Change(fixed(KEEPS_ALL), WALK_START),
    'old-moves': Change(fixed(OLD_MOVES), GAME_END),
    'tries-on-board': Change(fixed(variant(can_move=try_on_board)), COPY_OF_ROWS),
    'looks-before': Change(
        fixed(
            *(
                variant(
                    make_move=partial(look_before, places=places),
                    next_turn=lambda game, next_turn, color: (
                        game.looked if game.moved else next_turn(color)
                    ),
                )
                for places in (False, True)
            )
        ),
        TURN,
    ),
    'edge-missing': Change(fixed(*EDGES_MISSING), WALK_EDGE, is_learned=True),
    'square': Change(
        fixed(
            SQUARE,
            variant(LOOKS_LATE, SQUARE),
            variant(
                set_up=partial(
                    be_square, board=lambda game: [row[: game.rows] for row in game.board]
                )
            ),
            variant(has=lambda game, has, row, column: has(row, column) and column < game.rows),
            variant(
                is_empty=lambda game, is_empty, row, column, color: (
                    column < game.rows and is_empty(row, column, color)
                ),
                may_enter=enter_any_empty,
            ),
        ),
        SIZE,
    ),
    'limits-swapped': Change(
        fixed(
            variant(reaches=swap_arguments),
            variant(has=swap_arguments),
            variant(reaches=swap_arguments, has=swap_arguments),
        ),
        SIZE,
        is_crash=True,
    ),
    'not-square-crash': Change(
        fixed(variant(write=CRASH_UNLESS_SQUARE, read=CRASH_UNLESS_SQUARE)), SIZE, is_crash=True
    ),
}

FAULTS = {
    'othello': GameFaults(
        Othello,
        known_faults(Path(__file__).with_name('othello_faults.ini'), CHANGES),
        hint,
        {('INVALID', 'VALID'): CHECK, ('TURN', 'TURN'): TURN, ('TURN', 'WINNER'): WALK},
    )
}
