"""The faults of Othello programs that are known, in order of simplicity.

A fault is a row: id, sentence, advice, and what a program that has it decides otherwise. Such a
decision is a function: it gets the game, the decision as it stands, and what the decision gets.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any, Callable, Iterable, Mapping

from ...diagnosis.fault_models import Departure, GameModel, Known, fixed, mixed, varied
from .model import DIRECTIONS, OTHER, Othello, Pair
from .variants import (
    LatePass,
    LatePassMove,
    LatePassRefused,
    LatePassTurn,
    LooksLate,
    NeverPassesLater,
    OneRun,
    RightStart,
    StartMoves,
    StartMovesEnd,
    StuckStart,
    TurnLast,
    Unchecked,
    walk,
    walk_by_numbers,
    with_directions_missing,
    with_row_numbers,
)

Decision = Callable[..., Any]
Color = Mapping[str, str]               # a color for each color

patches = partial(varied, Othello)
SAME: Color = {'B': 'B', 'W': 'W'}
NOBODY: Color = {'B': 'NONE', 'W': 'NONE'}


# Printing

def refuse_and_show(game: Othello, refuse: Decision) -> None:
    refuse()
    game.show()


def refuse_and_say_turn(game: Othello, refuse: Decision) -> None:
    refuse()
    game.say_turn(game.turn or '')


def winner_of_ties(names: str) -> type[GameModel]:
    """Return the variant that names a winner for a tie: the first name under >, else the second."""
    def name(game: Othello, winner: Decision) -> str:
        named: str = winner()
        return dict(zip('><', names)).get(game.wins, 'B') if named == 'NONE' else named

    return patches(winner=name)


# The setup

def start_with_black(game: Othello, start: Decision) -> None:
    game.turn = 'B'
    start()


def ignore_wins(game: Othello, set_up: Decision) -> None:
    set_up()
    game.wins = '>'


def swap_wins(game: Othello, set_up: Decision) -> None:
    set_up()
    game.wins = '<' if game.wins == '>' else '>'


def read_columns_first(game: Othello, read_size: Decision) -> None:
    read_size()
    game.rows, game.columns = game.columns, game.rows


def crash_at_short_rows(game: Othello, set_up: Decision) -> None:
    set_up()
    if any(len(row) < game.columns for row in game.board) and not game.upcoming():
        raise IndexError


def crash_at_row_as_move(game: Othello, cell_on: Decision, line: str) -> Pair | None:
    if not line.strip('BW. ') and not game.upcoming():
        raise ValueError
    cell: Pair | None = cell_on(line)
    return cell


def count_cells_of_a_row(game: Othello, set_up: Decision) -> None:
    set_up()
    game.columns = len(game.board[0])


def be_square(game: Othello, set_up: Decision) -> None:
    set_up()
    game.columns = game.rows


def keep_square(game: Othello, set_up: Decision) -> None:
    be_square(game, set_up)
    game.board = [row[:game.rows] for row in game.board]


def crash_unless_square(game: Othello) -> None:
    """Crash on a board that is not square, where the program does."""
    if hasattr(game, 'board') and game.rows != game.columns and not game.upcoming():
        raise ValueError


def crash_before_writing(game: Othello, write: Decision, text: str) -> None:
    crash_unless_square(game)
    write(text)


def crash_after_reading(game: Othello, ask: Decision, prompt: str) -> str:
    line: str = ask(prompt)
    crash_unless_square(game)
    return line


def read_no_board(game: Othello) -> None:
    """Leave the lines of the board to be read as moves."""


def read_fifth_line(game: Othello) -> None:
    game.wins = game.ask_setup('wins')


def starting_itself(read: Callable[[Othello], object],
                    **changes: Decision) -> list[type[GameModel]]:
    """Return variants that start with four discs in the middle, either color at the top left.

    They `read` something in place of the board.
    """
    def start_with(corner: str) -> Decision:
        def read_board(game: Othello, read_board: Decision) -> list[list[str]]:
            read(game)
            board = [['.'] * game.columns for _ in range(game.rows)]
            for row, column in product((0, 1), repeat=2):
                board[game.rows // 2 - 1 + row][game.columns // 2 - 1 + column] = (
                    corner if row == column else OTHER[corner])
            return board

        return read_board

    return [patches(read_board=start_with(corner), **changes) for corner in 'WB']


def crash_at_board(game: Othello, cell_on: Decision, line: str) -> Pair | None:
    if '.' in line or 'B' in line or 'W' in line:
        raise ValueError(line)
    cell: Pair | None = cell_on(line)
    return cell


COLUMNS_FIRST = patches(read_size=read_columns_first)
COLUMNS_FIRST_CRASH = varied(COLUMNS_FIRST, set_up=crash_at_short_rows,
                             cell_on=crash_at_row_as_move)
SQUARE = patches(set_up=be_square)
OWN_START = starting_itself(lambda game: Othello.read_board(game))
BOARD_AS_MOVES = [*starting_itself(read_no_board),
                  *starting_itself(read_no_board, cell_on=crash_at_board)]
FIFTH_LINE = [*starting_itself(read_fifth_line),
              *starting_itself(read_fifth_line, cell_on=crash_at_board)]


def with_own_start(place: Departure) -> Iterable[type[GameModel]]:
    """Return variants with a start of their own.

    They read the lines of the board, unless the program has printed something after four lines.
    """
    step = place.difference.step
    return OWN_START if step > 5 else BOARD_AS_MOVES if step == 4 else []


def with_fifth_line(place: Departure) -> Iterable[type[GameModel]]:
    """Return variants that read five setup lines, if the program printed after five."""
    return FIFTH_LINE if place.difference.step == 5 else []


# Moves

def crash_at_move(game: Othello, cell_on: Decision, line: str) -> None:
    raise ValueError(line)


def read_two_lines(game: Othello, read_move: Decision) -> Pair:
    row, column = (int(game.ask('number').split()[0]) for _ in range(2))
    return row - 1, column - 1


def using_one(index: int) -> Decision:
    """Return the decision to use one number of a move as row and as column."""
    def cell_on(game: Othello, cell_due: Decision, line: str) -> Pair | None:
        cell = cell_due(line)
        return cell and (cell[index], cell[index])

    return cell_on


def skip_negative(game: Othello, ask: Decision, prompt: str) -> str:
    line: str = ask(prompt)
    while line.startswith('-') or ' -' in line:
        line = ask(prompt)
    return line


def crash_at_negative(game: Othello, cell_on: Decision, line: str) -> Pair | None:
    if '-' in line:
        raise ValueError(line)
    cell: Pair | None = cell_on(line)
    return cell


def swap_numbers(game: Othello, cell_on: Decision, line: str) -> Pair | None:
    cell = cell_on(line)
    return cell and (cell[1], cell[0])


def crash_if_swapped(game: Othello, accepts: Decision, row: int, column: int, color: str) -> bool:
    """Crash where only the swapped cell is off the board, if the program does."""
    if (Othello.has(game, column, row) and not Othello.has(game, row, column)
            and not game.upcoming()):
        raise IndexError
    return bool(accepts(row, column, color))


def count_from_zero(game: Othello, cell_on: Decision, line: str) -> Pair | None:
    cell = cell_on(line)
    return cell and (cell[0] + 1, cell[1] + 1)


def crashing(is_fatal: Callable[[int, int], bool]) -> Decision:
    """Return the decision to crash at a move of which an index is fatal for a size."""
    def accepts(game: Othello, accepts_due: Decision, row: int, column: int, color: str) -> bool:
        if is_fatal(row, game.rows) or is_fatal(column, game.columns):
            raise IndexError
        return bool(accepts_due(row, column, color))

    return accepts


def count_from_the_end(game: Othello, read_move: Decision) -> Pair | None:
    cell: Pair | None = read_move()
    if cell and -game.rows <= cell[0] < game.rows and -game.columns <= cell[1] < game.columns:
        return cell[0] % game.rows, cell[1] % game.columns
    return cell


def number_cells(game: Othello, read_move: Decision) -> Pair | None:
    cell: Pair | None = read_move()
    if cell and 0 <= cell[0] * game.columns + cell[1] < game.rows * game.columns:
        return divmod(cell[0] * game.columns + cell[1], game.columns)
    return cell


def entering(free: Callable[[str], str]) -> list[type[GameModel]]:
    """Return the variants that take cells for empty that hold what is `free` to a color.

    The first does so wherever it looks for legal moves, the second only where a move is made.
    """
    def is_empty(game: Othello, is_empty: Decision, row: int, column: int, color: str) -> bool:
        return game.has(row, column) and game.board[row][column] in free(color)

    return [patches(is_empty=is_empty), patches(may_enter=is_empty)]


def is_beside_own(game: Othello, row: int, column: int, color: str) -> bool:
    return any(game.reaches(row + down, column + right)
               and game.board[row + down][column + right] == color for down, right in DIRECTIONS)


def leave_cell(game: Othello, make_move: Decision, row: int, column: int, color: str) -> None:
    before = game.board[row][column]
    make_move(row, column, color)
    game.board[row][column] = before


# Where the board ends

def within(before: int, behind_row: int, behind_column: int) -> Decision:
    """Return the decision to end a walk so many rows and columns before the edges."""
    def reaches(game: Othello, reaches_due: Decision, row: int, column: int) -> bool:
        return (reaches_due(row, column) and min(row, column) >= before
                and row < game.rows - behind_row and column < game.columns - behind_column)

    return reaches


OFF_BOARD_CRASH = patches(accepts=crashing(lambda index, size: not 0 <= index < size))
NO_EDGES = patches(reaches=within(0, 1, 1))


def swap_limits(game: Othello, reaches: Decision, row: int, column: int) -> bool:
    return bool(reaches(column, row))


def unseen(first: int, last: int) -> list[type[GameModel]]:
    """Return the variants that find no move in the first or the last rows and columns.

    The first rejects moves there as well, the second only does not look there for a pass.
    """
    def is_empty(game: Othello, is_empty_due: Decision, row: int, column: int, color: str) -> bool:
        return (is_empty_due(row, column, color) and first <= row < game.rows - last
                and first <= column < game.columns - last)

    edges = [edge for edge, skipped in (('first', first), ('last', last)) if skipped]
    detail = ': ' + ' and '.join(f'the {edge} row and column' for edge in edges)
    return [patches(is_empty=is_empty, detail=detail),
            patches(is_empty=is_empty, detail=detail, may_enter=lambda game, may_enter, *move:
                    Othello.is_empty(game, *move))]


# Which discs are flipped

def walking(**rules: Any) -> Decision:
    """Return the decision to walk along discs by other rules; see `walk`."""
    return lambda game, run, *place: walk(game, *place, **rules)


def flipping(in_all: bool, most: int | None = None, **rules: Any) -> type[GameModel]:
    """Return a variant that flips by other rules than it judges moves; see `walk`.

    It does so in all directions, or in those in which it should flip discs.
    """
    return patches(runs=lambda game, runs, *move: {
        direction: walk(game, *move, *direction, **rules)[:most]
        for direction in (DIRECTIONS if in_all else runs(*move))})


def gains_as_due(game: Othello, gains: Decision, row: int, column: int, color: str) -> bool:
    return any(Othello.run(game, row, column, color, *direction) for direction in DIRECTIONS)


def walking_at_most(size: Callable[[Othello], int]) -> type[GameModel]:
    """Return the variant that walks no farther than a size of the board."""
    def run(game: Othello, run_due: Decision, *place: Any) -> list[Pair]:
        cells: list[Pair] = run_due(*place)
        return cells if len(cells) + 1 < size(game) else []

    return patches(run=run)


# Passes and the end

def never_pass(game: Othello, hand_over: Decision, color: str) -> None:
    hand_over(color)
    game.turn = game.turn and color


def never_ending(following: Color) -> type[GameModel]:
    """Return the variant that gives the turn to a player when nobody can move."""
    def hand_over(game: Othello, hand_over_due: Decision, color: str) -> None:
        hand_over_due(color)
        game.turn = game.turn or following[color]

    return patches(hand_over=hand_over)


def end_when_full(game: Othello, hand_over: Decision, color: str) -> None:
    hand_over(color)
    if not any('.' in row for row in game.board):
        game.turn = None


def end_instead_of_passing(game: Othello, hand_over: Decision, color: str) -> None:
    hand_over(color)
    if game.turn != color:
        game.turn = None


def end_at_invalid(game: Othello, refuse: Decision) -> None:
    refuse()
    game.turn = None


ENDS_INSTEAD = varied(LooksLate, hand_over=end_instead_of_passing)
LATE_PASSES = [LatePass, LatePassTurn, LatePassMove, LatePassRefused]

FAULTS = [
    Known('one-blank', 'prints only one blank between the counts',
          'Print two blanks before W: "B: 2  W: 2".',
          fixed(patches(counts=lambda game, counts, *numbers:
                        counts(*numbers).replace('  ', ' '))), is_printing=True),
    Known('counts-swapped', 'swaps the two counts',
          'Print the number of black discs after B, and the number of white discs after W.',
          fixed(patches(counts=lambda game, counts, black, white: counts(white, black))),
          is_printing=True),
    Known('no-full', 'never prints FULL',
          'Print FULL before you read the first line.',
          fixed(patches(greet=lambda game, greet: None)), is_printing=True),
    Known('row-numbers', 'prints a number before each row of the board',
          'Print only the cells of the board, without numbers of rows or columns.',
          with_row_numbers, is_learned=True, is_printing=True),
    Known('turn-missing', 'prints no TURN line',
          'Print TURN: B or TURN: W after the board, before you read a move.',
          fixed(patches(say_turn=lambda game, say_turn, color: None)),
          is_printing=True),
    Known('turn-last', 'prints a TURN line when the game is over',
          'When the game is over, print WINNER after the board, and no TURN.',
          fixed(*(varied(TurnLast, last=later, last_at_start=start)
                  for later in (OTHER, SAME, NOBODY) for start in (OTHER, SAME, NOBODY)
                  if (later is NOBODY) == (start is NOBODY))),
          is_printing=True),
    Known('winner-missing', 'never prints WINNER',
          'When the game is over, print WINNER: B, WINNER: W or WINNER: NONE after the board.',
          fixed(patches(say_winner=lambda game, say_winner, winner: None)),
          is_printing=True),
    Known('board-after-invalid', 'prints more after INVALID',
          'After INVALID print nothing more, and read the next move.',
          fixed(patches(refuse=refuse_and_show, detail=': counts, board and TURN'),
                patches(refuse=refuse_and_say_turn, detail=': TURN')),
          is_printing=True),
    Known('rows-columns-swapped', 'reads the column first',
          'The first number of a move is the row, the second number is the column.',
          fixed(patches(cell_on=swap_numbers),
                patches(cell_on=swap_numbers, accepts=crash_if_swapped))),
    Known('from-zero', 'counts the rows and columns of moves from 0',
          'The move 1 1 is the cell at the top left. If your indexes start at 0, subtract 1 from '
          'both numbers of a move.',
          fixed(patches(cell_on=count_from_zero))),
    Known('first-player', 'always lets B move first',
          'Read who moves first, B or W, from the third line of the input.',
          fixed(patches(start=start_with_black))),
    Known('wins-ignored', 'ignores <: the player with more discs always wins',
          'Read > or < from the fourth line of the input. Under < the player with fewer discs '
          'wins.',
          fixed(patches(set_up=ignore_wins))),
    Known('wins-swapped', 'reads < as > and > as <',
          'Under > the player with more discs wins, under < the player with fewer discs.',
          fixed(patches(set_up=swap_wins))),
    Known('no-tie', 'names a winner when the counts are equal',
          'Print WINNER: NONE when the counts are equal, under > and under <.',
          fixed(*map(winner_of_ties, ('BB', 'WW', 'BW', 'WB')))),
    Known('one-winner', 'names the same winner for every game',
          'Compare the counts. Under > the player with more discs wins, under < the player with '
          'fewer discs.',
          fixed(patches(winner=lambda game, winner: 'B'),
                patches(winner=lambda game, winner: 'W')), is_learned=True),
    Known('stuck-start', 'does not check whether the first player can move',
          'Before you print the first TURN, check whether this player has a legal move. If not, '
          'the other player moves first.',
          fixed(StuckStart, patches(start=lambda game, start: None))),
    Known('never-passes', 'never passes a turn: it waits for a move although no move is legal',
          'If the next player has no legal move, the same player moves again.',
          fixed(varied(LooksLate, hand_over=never_pass), NeverPassesLater)),
    Known('late-pass', 'prints TURN for a player who cannot move, and passes only then',
          'Find out who moves next before you print the board and TURN.',
          fixed(*LATE_PASSES, *(mixed(RightStart, late) for late in LATE_PASSES))),
    Known('full-board-only', 'ends the game only when the board is full',
          'The game is over when neither player has a legal move, even if cells are empty.',
          fixed(varied(never_ending(SAME), hand_over=end_when_full),
                varied(never_ending(OTHER), hand_over=end_when_full))),
    Known('never-ends', 'never ends the game: when nobody can move, it waits for another move',
          'After each move check whether the players can still move. When nobody can, print WINNER '
          'after the board, and leave the loop.',
          fixed(never_ending(SAME), never_ending(OTHER))),
    Known('ends-instead-of-passing', 'ends the game when only one player cannot move',
          'If the next player has no legal move, check whether the other player has one before '
          'you end the game.',
          fixed(ENDS_INSTEAD, varied(ENDS_INSTEAD, start=lambda game, start:
                                     Othello.hand_over(game, game.turn or '')))),
    Known('ends-at-invalid', 'ends at the first invalid move',
          'After INVALID read another line: the same player moves.',
          fixed(patches(refuse=end_at_invalid))),
    Known('bad-parse', 'crashes on every move',
          'A move is one line with two integers and a blank between them. Split the line at the '
          'blank, and make an integer of each part.',
          fixed(patches(cell_on=crash_at_move)), is_crash=True),
    Known('all-invalid', 'answers INVALID to every move',
          'A move is one line with two integers and a blank between them. Split the line at the '
          'blank, and make an integer of each part.',
          fixed(patches(cell_on=lambda game, cell_on, line: None))),
    Known('one-number-a-line', 'reads row and column from two lines',
          'The row and the column of a move stand in one line, with a blank between them.',
          fixed(patches(read_move=read_two_lines))),
    Known('first-number', 'uses one number of a move as the row and as the column',
          'The first number of a move is the row, the second number is the column.',
          fixed(patches(cell_on=using_one(0), detail=': the first'),
                patches(cell_on=using_one(1), detail=': the second'))),
    Known('single-digits', 'reads only the first and the third character of a move',
          'Numbers may have two digits. Split the line at the blank.', fixed(patches(
              cell_on=lambda game, cell_on, line: (int(line[0]) - 1, int(line[2]) - 1)))),
    Known('negative-numbers', 'does not read negative numbers as numbers',
          "A negative number is off the board: print INVALID. In Python, '-1'.isdigit() is false, "
          "and int('-1') works.",
          fixed(patches(ask=skip_negative),
                patches(cell_on=lambda game, cell_on, line: cell_on(line.replace('-', ''))),
                patches(cell_on=crash_at_negative))),
    Known('columns-before-rows', 'reads the number of columns first',
          'The first line of the input is the number of rows, the second line is the number of '
          'columns.',
          fixed(COLUMNS_FIRST, mixed(LooksLate, COLUMNS_FIRST), COLUMNS_FIRST_CRASH,
                varied(COLUMNS_FIRST_CRASH, set_up=count_cells_of_a_row))),
    Known('own-start', 'starts with four discs in the middle instead of the board from the input',
          'Read the board from the input, one line for each row. Any arrangement of discs may '
          'come.',
          with_own_start, is_crash=True),
    Known('fifth-setup-line', 'reads which color is at the top left, as an older assignment had it',
          'Read four lines before the board: rows, columns, who moves first, how the game is won.',
          with_fifth_line, is_crash=True),
    Known('off-board-crash', 'crashes when a move is off the board',
          'Check that row and column are on the board before you look at the cell. If they are '
          'not, the move is INVALID.',
          fixed(OFF_BOARD_CRASH,
                varied(OFF_BOARD_CRASH, accepts=lambda game, accepts, row, column, color:
                       min(row, column) >= 0 and accepts(row, column, color)),
                patches(accepts=crashing(lambda index, size: index < 0)),
                patches(accepts=crashing(lambda index, size: not -size <= index < size))),
          is_crash=True),
    Known('occupied', 'accepts moves to cells that hold a disc',
          'A move to a cell that is not empty is INVALID, even if it would turn over discs.',
          fixed(*entering(lambda color: '.BW'), *entering(lambda color: '.' + OTHER[color]),
                *entering(lambda color: '.' + color))),
    Known('turns-nothing', 'accepts moves that turn over no disc',
          'A move is legal only if it turns over at least one disc.',
          fixed(patches(may_gain=lambda game, may_gain, *move: True),
                patches(may_gain=lambda game, may_gain, row, column, color:
                        Othello.has(game, row, column) or may_gain(row, column, color)),
                patches(gains=lambda game, gains, *move: True),
                patches(gains=lambda game, gains, *move:
                        gains(*move) or is_beside_own(game, *move)))),
    Known('wraps', 'counts row or column 0, and negative ones, from the other end of the board',
          'In Python a negative index counts from the end. Check first that the cell is on the '
          'board.',
          fixed(patches(read_move=count_from_the_end),
                *(varied(Unchecked, is_entered=entered, is_seen=seen, is_flipped=flipped,
                         crashes=crashes)
                  for crashes in (False, True) for entered, seen, flipped in (
                      (True, False, False), (True, True, True), (False, True, True),
                      (True, True, False), (True, False, True), (False, True, False),
                      (False, False, True))))),
    Known('cells-numbered', 'takes a column off the board as a cell of another row',
          'Check row and column before you compute one number from them.',
          fixed(patches(read_move=number_cells),
                patches(run=lambda game, run, *place: walk_by_numbers(game, *place)),
                patches(read_move=number_cells,
                        run=lambda game, run, *place: walk_by_numbers(game, *place)))),
    Known('own-disc-missing', 'does not place the disc of the move',
          "Turn over discs, and put the player's own disc on the cell of the move.",
          fixed(patches(make_move=leave_cell))),
    Known('moves-of-start', 'computes the legal moves only once, at the start',
          'Compute the legal moves again before each turn.',
          fixed(*(varied(base, is_shared=shared) for base in (StartMoves, StartMovesEnd)
                  for shared in (False, True)),
                patches(accepts=lambda game, accepts, *move:
                        hasattr(game, 'moved') and accepts(*move)))),
    Known('edges-unseen', 'finds no legal move at some edges of the board',
          'Look at every row and column of the board: range(rows), range(columns). Where a '
          'direction leaves the board it turns over nothing, but the other directions count.',
          fixed(*unseen(1, 0), *unseen(0, 1), *unseen(1, 1))),
    Known('no-runs', 'never finds discs to turn over, and so no legal move',
          'Go from the cell in each direction, over discs of the other color, to a disc of the '
          'player.',
          fixed(patches(run=lambda game, run, *place: []))),
    Known('one-run', 'turns over discs in one direction only',
          'Turn over discs in all eight directions, not only in the first direction that you find.',
          fixed(OneRun), is_learned=True),
    Known('direction-missing', 'misses some of the eight directions',
          'Look for discs to turn over in all eight directions.',
          with_directions_missing, is_learned=True),
    Known('no-edges', 'ignores the last row or column when it looks for discs to turn over',
          'Go on to the edge of the board: the last row and column count, too.',
          fixed(NO_EDGES,
                varied(NO_EDGES, has=lambda game, has, *cell: has(*cell) and game.reaches(*cell)),
                varied(NO_EDGES, may_enter=lambda game, may_enter, row, column, color:
                       may_enter(row, column, color) and game.reaches(row, column)),
                patches(reaches=within(0, 1, 0)), patches(reaches=within(0, 0, 1)),
                patches(reaches=within(1, 1, 1)))),
    Known('over-empty', 'goes on over empty cells when it looks for discs to turn over',
          'Stop at an empty cell: in this direction no disc is turned over.',
          fixed(patches(run=walking(through='o.')), patches(run=walking(through='o.', flips='o.')),
                patches(run=walking(through='o.'), gains=gains_as_due),
                patches(run=walking(through='o.', flips='o.'), gains=gains_as_due))),
    Known('over-all',
          'goes on over empty cells, and turns over discs without a disc of the player behind them',
          'Stop at an empty cell or at the edge: in this direction no disc is turned over.',
          fixed(patches(run=walking(through='o.', ends='m#')),
                patches(run=walking(through='o.', ends='m#', flips='o.')))),
    Known('short-runs',
          'looks for discs to turn over only as far as the shorter side of the board is long',
          'Go on to the edge of the board in each direction.',
          fixed(walking_at_most(lambda game: game.rows),
                walking_at_most(lambda game: game.columns))),
    Known('no-bracket', 'turns over discs without a disc of the player behind them',
          'Turn over discs only if they stand between two discs of the player, without a gap.',
          fixed(patches(run=walking(ends='m#')), patches(run=walking(ends='m.')),
                patches(run=walking(ends='m.#')))),
    Known('turns-elsewhere', 'turns over discs that are not between two discs of the player',
          'Turn over only the discs between the new disc and the next disc of its color.',
          fixed(flipping(in_all=False, through='om.', ends='#'), flipping(in_all=True, ends='m.#'),
                flipping(in_all=True, through='om.', ends='#'),
                flipping(in_all=True, most=1, ends='m.#'))),
    Known('square', 'assumes that the board has as many columns as rows',
          'Read the number of columns from the second line of the input, and use it for every '
          'column.',
          fixed(SQUARE, mixed(LooksLate, SQUARE), patches(set_up=keep_square),
                patches(has=lambda game, has, row, column:
                        has(row, column) and column < game.rows))),
    Known('limits-swapped', 'mixes up the number of rows and the number of columns',
          'Compare a row with the number of rows, and a column with the number of columns.',
          fixed(patches(reaches=swap_limits), patches(has=swap_limits),
                patches(reaches=swap_limits, has=swap_limits)),
          is_crash=True),
    Known('not-square-crash', 'crashes on boards that are not square',
          'Use the number of rows for rows and the number of columns for columns.',
          fixed(patches(write=crash_before_writing, ask=crash_after_reading)), is_crash=True),
]
