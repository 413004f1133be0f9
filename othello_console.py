"""Play one game of Othello on standard input and output, without prompts.

Lines that are read:                        Lines that are printed:

  rows: 4, 6, 8, 10, 12, 14 or 16             FULL, before anything is read
  columns: likewise                           before each turn: the counts, the
  who moves first: B or W                     board and TURN: B (or W)
  how it is won: > most, < fewest discs       after each move: VALID or INVALID
  the board: one line a row, its cells        at the end: the counts, the board
    B, W or . with blanks between             and WINNER: B, W or NONE
  moves: row and column, both from 1

Exit status: 0 when the game is over, 1 when the input ends before it or the
output cannot be written, 2 for a wrong setup line or usage, 130 for Ctrl-C.

A setup to paste; type moves such as 1 2 behind it until somebody wins:

4
4
B
>
. . . .
. W B .
. B W .
. . . .
"""

from __future__ import annotations

import os
import sys

from othello_logic import COLORS, SIZES, WINS, InvalidMoveError, OthelloGame

TYPE_CHECKING = False                   # as in `typing`, which is too slow to import for it
if TYPE_CHECKING:
    from typing import Callable, NoReturn

PROGRAM = 'othello_console.py'
LONGEST_LINE = 1000                     # characters; a longer line is bad whatever it says


def main() -> int:
    """Do what the command line says; return the exit status, whatever happens."""
    try:
        prepare_streams()
        try:
            run()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except SystemExit as end:           # from `fail` or argparse
        return int(end.code or 0)
    except BrokenPipeError:             # nobody reads any more
        return 1
    except OSError as error:
        complain(f'standard output cannot be written: {error.strerror}')
        return 1
    return 0


def run() -> None:
    """Play a game, or answer the command line."""
    if len(sys.argv) > 1:
        answer_arguments()
    else:
        play(Input())


def answer_arguments() -> None:
    """Print the help; refuse any other argument."""
    import argparse
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description=__doc__, add_help=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-h', '--help', action='store_true', help='print this and exit')
    parser.parse_args()
    print(parser.format_help(), end='')


def play(lines: Input) -> None:
    """Play one game, from `FULL` to `WINNER`."""
    print('FULL')
    game = read_game(lines)
    print(describe(game))
    while not game.is_over():
        if make_move(game, lines.read(f'a move of {game.turn}, its row and column')):
            print('VALID', describe(game), sep='\n')
        else:
            print('INVALID')


def read_game(lines: Input) -> OthelloGame:
    """Read the setup, line by line."""
    rows = int(read_setup(lines, 'the number of rows, an even integer from 4 to 16', is_size))
    columns = int(read_setup(lines, 'the number of columns, an even integer from 4 to 16', is_size))
    turn = read_setup(lines, 'who moves first, B or W', lambda line: line in COLORS)
    wins = read_setup(lines, 'how the game is won, > or <', lambda line: line in WINS)
    board = [read_setup(lines, f'row {row} of the board, {columns} cells that are B, W or .',
                        lambda line: is_row(line, columns)) for row in range(1, rows + 1)]
    return OthelloGame.from_text('\n'.join(board), turn, wins)


def read_setup(lines: Input, expected: str, is_right: Callable[[str], bool]) -> str:
    """Return the next line that is not blank, without blanks around; end if it is not right."""
    line = ''
    while not line:
        line = lines.read(expected).strip()
    if not is_right(line):
        found = line if len(line) <= 40 else line[:40] + '...'
        fail(2, f'line {lines.number}: expected {expected}, found {found!r}')
    return line


def is_size(line: str) -> bool:
    """Return whether a line is a number of rows or columns that a board may have."""
    numbers = parse_integers(line)
    return len(numbers) == 1 and numbers[0] in SIZES


def is_row(line: str, columns: int) -> bool:
    """Return whether a line is a row of so many cells."""
    cells = line.split()
    return line.isascii() and len(cells) == columns and set(cells) <= {'B', 'W', '.'}


def make_move(game: OthelloGame, line: str) -> bool:
    """Play the move on a line; return False, the game unchanged, if it is none or not legal."""
    numbers = parse_integers(line)
    if len(numbers) != 2:
        return False
    try:
        game.make_move(*numbers)
    except InvalidMoveError:
        return False
    return True


def parse_integers(line: str) -> list[int]:
    """Return the integers on a line; an empty list if anything else is there."""
    if '_' in line or not line.isascii():           # `int` would take 1_0 and foreign digits
        return []
    try:
        return [int(token) for token in line.split()]
    except ValueError:
        return []


def describe(game: OthelloGame) -> str:
    """Return the counts, the board, and who moves next or who has won."""
    last = f'WINNER: {game.winner() or "NONE"}' if game.is_over() else f'TURN: {game.turn}'
    return f'B: {game.count("B")}  W: {game.count("W")}\n{game}\n{last}'


class Input:
    """Standard input, read a line at a time; `number` is that of the last line, from 1."""

    def __init__(self) -> None:
        self.number = 0
        self._cut = False               # whether the last line is longer than what was read of it

    def read(self, expected: str) -> str:
        """Return the next line; end where there is none, naming what was expected."""
        sys.stdout.flush()
        while self._cut:
            self._read_piece()
        line = self._read_piece()
        if not line:
            fail(1, f'the input ended after line {self.number}: expected {expected}')
        self.number += 1
        if self.number == 1:
            line = line.lstrip('\ufeff')
        return line + '\u2026' if self._cut else line

    def _read_piece(self) -> str:
        try:
            piece = sys.stdin.readline(LONGEST_LINE) if sys.stdin else ''
        except OSError as error:
            fail(1, f'standard input cannot be read: {error.strerror}')
        self._cut = len(piece) == LONGEST_LINE and not piece.endswith('\n')
        return piece


def prepare_streams() -> None:
    """Make the streams the same on every machine; end if standard output is closed."""
    if sys.stdout is None:
        sys.exit(1)
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, 'reconfigure'):          # neither None nor a window of IDLE
            stream.reconfigure(encoding='utf-8', errors='replace', newline='\n',
                               write_through=False)
    if hasattr(sys.stderr, 'reconfigure'):
        sys.stderr.reconfigure(line_buffering=True)     # as Python 3.9 and later have it


def fail(status: int, message: str) -> NoReturn:
    """End the program, and say why."""
    complain(message)
    sys.exit(status)


def complain(message: str) -> None:
    """Say on standard error, in one line, why the program ends."""
    try:
        if sys.stderr:
            print(f'{PROGRAM}: {message}', file=sys.stderr)
    except OSError:                     # nobody hears that either
        pass


if __name__ == '__main__':
    # All is flushed. A tidy end would cost a seventh of the run, and try once more, aloud, to
    # write what cannot be written.
    os._exit(main())
