"""Play one game of Othello on standard input and output, without prompts.

Lines that are read:                        Lines that are printed:
  rows: 4, 6, 8, 10, 12, 14 or 16             FULL, before anything is read
  columns: likewise                           before each turn: the counts, the
  who moves first: B or W                     board and TURN: B (or W)
  how it is won: > most, < fewest discs       after each move: VALID or INVALID
  the board: one line for each row, its       at the end: the counts, the board
    cells B, W or . with spaces between       and WINNER: B, W or NONE
  moves: row and column, both from 1

--explain says on standard error why a move is INVALID. Exit status: 0 the game
is over; 1 the input ends early or the output cannot be written; 2 wrong setup
or usage; 130 Ctrl-C. Here is a setup to paste, before moves such as 1 2:
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

from othello_logic import COLORS, SIZES, WINS, InvalidMoveError, OthelloGame, split_words

TYPE_CHECKING = False  # as in `typing`, which is too slow to import for it
if TYPE_CHECKING:
    from typing import Callable, NoReturn, TextIO

PROGRAM = 'othello_console.py'
LONGEST_LINE = 1000  # characters; a longer line is bad whatever it says
INTERRUPTED = 130  # the status that a shell gives a program after Ctrl-C
LIMIT = LONGEST_LINE + 3  # of what is read: with a byte order mark, and \r\n


class Refused(ValueError):
    """Raised for a wrong line of input; the message says what is wrong with it."""


def main() -> int:
    """Run the program, and return its exit status, whatever goes wrong."""
    try:
        prepare_streams()
        if sys.stdout is None:
            raise OSError(0, 'it is closed')
        run(sys.argv[1:])
        sys.stdout.flush()
    except SystemExit as end:  # from `fail`
        return int(end.code or 0)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (OSError, UnicodeError) as error:
        if not isinstance(error, BrokenPipeError):  # The reader has gone away.
            complain(f'standard output cannot be written: {getattr(error, "strerror", error)}')
        return 1
    return 0


def run(options: list[str]) -> None:
    """Play a game or print the help; two options need no `argparse`, which is slow to import."""
    for option in options:
        if option not in ('-h', '--help', '--explain'):
            wrong = (
                'there is no option'
                if option[:1] == '-'
                else 'it reads standard input; to read a file, type <'
            )
            fail(2, f'{wrong} {option!r:.40} (--help says more)')
    if '-h' in options or '--help' in options:
        print(f'usage: {PROGRAM} [-h] [--explain]\n\n{__doc__ or ""}', end='')
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
                f'a move of {game.turn}, its row and column',
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
            f'row {row} of the board, {columns} cells with spaces between them, each B, W or .',
            lambda line: len(line) == 2 * columns - 1 and set(line.split(' ')) <= {'B', 'W', '.'},
        )
        for row in range(1, rows + 1)
    ]
    return OthelloGame.from_text('\n'.join(board), turn, wins)


def read_line(
    lines: Input, expected: str, is_right: Callable[[str], bool], is_setup: bool = True
) -> str:
    """Return the next line, with single spaces; skip blank lines in the setup; refuse bad ones."""
    while not (line := ' '.join(split_words(lines.ask(expected)))) and is_setup:
        pass
    if not is_right(line):
        found = line if len(line) <= 40 else line[:40] + '...'
        raise Refused(f'line {lines.number}: expected {expected}, found {found!r}')
    return line


def are_integers(line: str, count: int) -> bool:
    """Return whether a line is `count` integers; only ASCII digits count, unlike in `int`."""
    digits = [word[1:] if word[:1] in ('+', '-') else word for word in line.split(' ')]
    return len(digits) == count and all(word.isascii() and word.isdigit() for word in digits)


def describe(game: OthelloGame) -> str:
    """Return the counts, the board, and who moves next or who has won."""
    last = f'WINNER: {game.winner() or "NONE"}' if game.is_over() else f'TURN: {game.turn}'
    return f'B: {game.count("B")}  W: {game.count("W")}\n{game}\n{last}'


class Input:
    """The lines of a stream, read one at a time; `number` is that of the last, from 1."""

    def __init__(self, stream: TextIO | None) -> None:
        self.number = 0
        self.piece = '\n'  # the last line, or what has been read of it; '' at the end
        self._stream = stream  # None after `<&-`

    def read(self) -> str | None:
        """Return the next line without its end, or `None`; refuse a long one before its end."""
        while len(self.piece) == LIMIT and self.piece[-1] != '\n':
            self.piece = self._stream.readline(LIMIT)  # type: ignore[union-attr]
        line = self.piece = self._stream.readline(LIMIT) if self._stream else ''
        if not line:
            return None
        self.number += 1
        line = line[1:] if self.number == 1 and line[0] == '\ufeff' else line
        line = line[:-1] if line[-1:] == '\n' else line
        line = line[:-1] if line[-1:] == '\r' else line
        if '\0' in line:
            raise Refused(f'line {self.number} looks like UTF-16; save it as UTF-8')
        if len(line) > LONGEST_LINE:
            raise Refused(f'line {self.number}: it is longer than {LONGEST_LINE:,} characters')
        return line

    def ask(self, expected: str) -> str:
        """Flush the output, and return the next line; end the program if there is none."""
        sys.stdout.flush()
        try:
            line = self.read()
        except (OSError, UnicodeError) as error:
            fail(1, f'standard input cannot be read: {getattr(error, "strerror", error)}')
        if line is None:
            end = f'ended after line {self.number}' if self.number else 'is empty'
            fail(1, f'the input {end}: expected {expected}')
        return line


def prepare_streams() -> None:
    """Make the streams behave alike on every machine, so that nothing is lost."""
    for name, mode, buffering in (('stdin', 'r', -1), ('stdout', 'w', -1), ('stderr', 'w', 1)):
        stream = getattr(sys, name)
        try:
            if hasattr(stream, 'reconfigure'):  # neither None nor a window of IDLE
                if os.name == 'posix':  # A driver may have set it not to block.
                    os.set_blocking(stream.fileno(), True)
                # Opened anew: under -u, too, a buffer then writes what a short write leaves over.
                setattr(
                    sys,
                    name,
                    open(
                        stream.fileno(),
                        mode,
                        buffering,
                        'utf-8',
                        'replace',
                        newline='\n',
                        closefd=False,
                    ),
                )
        except OSError:  # It is in memory.
            pass


def discard_pending_input() -> None:
    """Keep the rest of a paste from the shell: what comes until 50 ms are quiet, or 1 s is over."""
    if sys.stdin and sys.stdin.isatty():
        try:
            import select
            import termios
            import time
            import tty

            before, end = termios.tcgetattr(sys.stdin), time.monotonic() + 1
            try:
                tty.setcbreak(sys.stdin)  # `select` tells of unfinished lines, too.
                while select.select([sys.stdin], [], [], 0.05)[0] and time.monotonic() < end:
                    termios.tcflush(sys.stdin, termios.TCIFLUSH)
            finally:
                termios.tcsetattr(sys.stdin, termios.TCSAFLUSH, before)
        except Exception:  # on Windows, or where the terminal has gone away
            pass


def fail(status: int, message: str) -> NoReturn:
    """End the program with a message, after everything that it has printed."""
    sys.stdout.flush()
    complain(message)
    sys.exit(status)


def complain(message: str) -> None:
    """Say on standard error, in one line, what is wrong; what is quoted in it is a `repr`."""
    try:
        if sys.stderr:
            print(f'{PROGRAM}: {message}', file=sys.stderr)
    except OSError:  # It cannot be written either.
        pass


def leave(status: int) -> NoReturn:
    """End the process; after Ctrl-C by the signal, so that a loop of the shell ends, too."""
    if status == INTERRUPTED and os.name == 'posix':
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            if sys.stdout and sys.stdout.isatty():
                os.write(sys.stdout.fileno(), b'\n')  # after the ^C that the terminal shows
        except OSError:  # The terminal has gone away.
            pass
        os.kill(os.getpid(), signal.SIGINT)
    # All is flushed. A tidy end would cost a seventh of the run, and try once more, aloud, to
    # write what cannot be written.
    os._exit(status)


if __name__ == '__main__':
    leave(main())
