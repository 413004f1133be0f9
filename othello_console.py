"""Play one game of Othello on standard input and output, without prompts."""

from __future__ import annotations

import os
import sys

from othello_logic import COLORS, SIZES, WINS, InvalidMoveError, OthelloGame, split_words

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, but `typing` is slow to import
if TYPE_CHECKING:
    from typing import Callable, NoReturn, TextIO

PROGRAM = 'othello_console.py'
LONGEST_LINE = 1000  # characters; a longer line is refused, whatever it contains
INTERRUPTED = 130  # the exit status that a shell reports after Ctrl-C

HELP = r"""usage: othello_console.py [-h] [--explain]

Play one game of Othello on standard input and output, without prompts.

Lines that are read:                        Lines that are printed:
  rows: 4, 6, 8, 10, 12, 14 or 16             FULL, before anything is read
  columns: one of these, too                  before each turn: the counts, the
  who moves first: B or W                     board and TURN: B (or W)
  who wins: > most discs, < fewest discs      after each move: VALID or INVALID
  the board: one line for each row, its       at the end: the counts, the board
    cells B, W or . with spaces between       and WINNER: B, W or NONE
  moves: row and column, both from 1

--explain says on standard error why a move is INVALID. Exit status: 0 the game
is over; 1 the input ends early or the output cannot be written; 2 wrong setup
or usage; 130 Ctrl-C.

A session to paste into a shell:

printf '%s\n' 4 4 B '>' '. . . .' '. B W .' '. W B .' '. . . .' '2 4' '1 2' \
  '1 4' '1 1' '1 4' '1 3' '3 4' '4 2' '2 1' '4 4' '4 1' '3 1' '4 3' |
  python3 othello_console.py
"""


class Refused(ValueError):
    """Raised for an invalid line of input; the message says what is wrong with the line."""


def main() -> int:
    """Run the program, and return its exit status, even after an error."""
    try:
        if sys.stdout is None:
            raise OSError(0, 'it is closed')
        run(sys.argv[1:])
        sys.stdout.flush()
    except SystemExit as end:  # from `fail`
        return int(end.code or 0)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # nobody reads the output any more
        return 1
    except OSError as error:
        complain(f'cannot write to standard output: {error.strerror}')
        return 1
    return 0


def run(options: list[str]) -> None:
    """Play a game, or print the help.

    For so few options, `argparse` is not worth its slow import.
    """
    for option in options:
        if option not in ('-h', '--help', '--explain'):
            wrong = (
                'no such option:'
                if option[:1] == '-'
                else 'it reads only standard input; to read a file, type <'
            )
            fail(2, f'{wrong} {option!r:.40} (see --help)')
    if '-h' in options or '--help' in options:
        print(HELP, end='')
        return
    try:
        play(Input(sys.stdin), '--explain' in options)
    finally:
        discard_pending_input()


def play(lines: Input, explains: bool) -> None:
    """Play one game, from `FULL` to `WINNER`."""
    print('FULL')
    try:
        game = read_game(lines)
    except Refused as error:
        fail(2, str(error))
    print(describe(game))
    while not game.is_over():
        try:
            move = read_line(
                lines,
                f"{game.turn}'s move, a row and a column",
                lambda line: are_integers(line, 2),
                is_setup=False,
            )
            game.make_move(*map(int, move.split(' ')))
        except (Refused, InvalidMoveError) as error:
            print('INVALID', flush=explains)
            if explains:
                place = '' if isinstance(error, Refused) else f'line {lines.number}: '
                complain(f'{place}{error}')
        else:
            print('VALID', describe(game), sep='\n')


def read_game(lines: Input) -> OthelloGame:
    """Read the setup, line by line."""
    rows, columns = (
        int(
            read_line(
                lines,
                f'the number of {what}, an even integer from 4 to 16',
                lambda line: are_integers(line, 1) and int(line) in SIZES,
            )
        )
        for what in ('rows', 'columns')
    )
    turn = read_line(lines, 'who moves first, B or W', COLORS.__contains__)
    wins = read_line(lines, 'how the game is won, > or <', WINS.__contains__)
    board = [
        read_line(
            lines,
            f'row {row} of the board ({columns} cells, each B, W or ., with spaces between them)',
            lambda line: len(line) == 2 * columns - 1 and set(line.split(' ')) <= {'B', 'W', '.'},
        )
        for row in range(1, rows + 1)
    ]
    return OthelloGame.from_text('\n'.join(board), turn, wins)


def read_line(
    lines: Input, expected: str, is_right: Callable[[str], bool], is_setup: bool = True
) -> str:
    """Return the next line, with single spaces between its words.

    In the setup, skip empty lines. Raises `Refused` unless `is_right` accepts the line.
    """
    text = lines.ask(expected)
    while is_setup and not split_words(text):
        text = lines.ask(expected)
    if len(text) > LONGEST_LINE:
        raise Refused(f'line {lines.number}: it is longer than {LONGEST_LINE:,} characters')
    line = ' '.join(split_words(text))
    if not is_right(line):
        found = line if len(line) <= 40 else line[:40] + '...'
        raise Refused(f'line {lines.number}: expected {expected}, found {found!r}')
    return line


def are_integers(line: str, count: int) -> bool:
    """Return whether a line consists of `count` integers: an optional sign and ASCII digits."""
    digits = [word[1:] if word[:1] in ('+', '-') else word for word in line.split(' ')]
    return len(digits) == count and all(word.isascii() and word.isdigit() for word in digits)


def describe(game: OthelloGame) -> str:
    """Return the disc counts, the board, and who moves next or who has won."""
    last = f'WINNER: {game.winner() or "NONE"}' if game.is_over() else f'TURN: {game.turn}'
    return f'B: {game.count("B")}  W: {game.count("W")}\n{game}\n{last}'


class Input:
    """Reads a text stream line by line; `number` is the number of lines read so far."""

    def __init__(self, stream: TextIO | None) -> None:
        self.number = 0
        self.stream = stream  # None after its end, or if the shell has closed it (`<&-`)

    def read(self) -> str | None:
        """Return the next line without its line end, or `None` at the end of the input.

        Raises `Refused` if the line looks like UTF-16.
        """
        line = self.stream.readline() if self.stream else ''
        if not line:
            self.stream = None  # a terminal would wait for another Ctrl-D
            return None
        self.number += 1
        if self.number == 1 and line[0] == '\ufeff':  # a byte order mark
            line = line[1:]
        if '\0' in line:
            raise Refused(f'line {self.number} looks like UTF-16; save it as UTF-8')
        return line.replace('\r\n', '\n').rstrip('\n')

    def ask(self, expected: str) -> str:
        """Flush the output, and return the next line; end the program if there is none."""
        sys.stdout.flush()
        try:
            line = self.read()
        except OSError as error:
            fail(1, f'cannot read standard input: {error.strerror}')
        if line is None:
            end = f'ended after line {self.number}' if self.number else 'is empty'
            fail(1, f'the input {end}: expected {expected}')
        return line


def prepare_streams() -> None:
    """Make the standard streams work alike on all systems, and lose no output."""
    if hasattr(sys.stdout, 'reconfigure'):  # it is neither None nor IDLE's window
        # Short writes are completed by a buffer, which is missing under `python3 -u`.
        sys.stdout = open(sys.stdout.fileno(), 'w', encoding='utf-8', closefd=False)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, 'reconfigure'):
            stream.reconfigure(encoding='utf-8', errors='replace', newline='\n')
            if os.name == 'posix':  # another process may have made it non-blocking
                os.set_blocking(stream.fileno(), True)


def discard_pending_input() -> None:
    """Discard the rest of pasted input, so that the shell does not run it.

    Stop after 50 ms without input, or after 1 s.
    """
    if sys.stdin and sys.stdin.isatty():
        try:
            import select
            import termios
            import time
            import tty

            before, end = termios.tcgetattr(sys.stdin), time.monotonic() + 1
            try:
                tty.setcbreak(sys.stdin)  # so that `select` also reports unfinished lines
                while select.select([sys.stdin], [], [], 0.05)[0] and time.monotonic() < end:
                    termios.tcflush(sys.stdin, termios.TCIFLUSH)
            finally:
                termios.tcsetattr(sys.stdin, termios.TCSAFLUSH, before)
        except Exception:  # on Windows, or if the terminal has been closed
            pass


def fail(status: int, message: str) -> NoReturn:
    """Flush the output, print an error message, and exit."""
    sys.stdout.flush()
    complain(message)
    sys.exit(status)


def complain(message: str) -> None:
    """Print a one-line message on standard error; callers quote input with `repr`."""
    try:
        if sys.stderr:
            print(f'{PROGRAM}: {message}', file=sys.stderr, flush=True)
    except OSError:  # standard error cannot be written to either
        pass


def leave(status: int) -> NoReturn:
    """End the process; after Ctrl-C, by SIGINT, so that a shell loop around it also ends."""
    if status == INTERRUPTED and os.name == 'posix':
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            if sys.stdout and sys.stdout.isatty():
                os.write(sys.stdout.fileno(), b'\n')  # after the ^C that the terminal shows
        except OSError:  # the terminal has been closed
            pass
        os.kill(os.getpid(), signal.SIGINT)
    # Everything is flushed. A normal exit would take a seventh of the run time, and would retry
    # failed writes, with a message if they fail again.
    os._exit(status)


if __name__ == '__main__':
    prepare_streams()
    leave(main())
