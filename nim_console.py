"""Play Nim on standard input and output; without prompts, unless they are asked for.

  recorded [FILE]  check a recorded game and replay it; from standard input without FILE
  stones           Taking Stones: two humans and The Python, one pile of 30 to 50
  tlcw             take the last coin to win: one pile, a limit a turn, you and the computer
  piles            classic Nim: any piles, you and the computer, which plays optimally

The last three take --prompts, to be asked for every input, and --seed N, to repeat what chance
decides; all take --explain, to be told on standard error why something is refused. Without GAME it
is recorded.

A recorded game, to paste (then end the input: Ctrl-D):

12;3
3;3;6
0;3
2;5
1;3

Its lines: counters;piles, the sizes of the piles, and each move: pile, from 0, and tokens.

Exit status: 0 at the end of a game, be it an invalid one; 1 when the input ends before it, or
the output cannot be written; 2 for wrong usage or an unreadable FILE; 130 for Ctrl-C.
"""

from __future__ import annotations

import os
import sys

import nim_logic as nim

TYPE_CHECKING = False                   # as in `typing`, which is too slow to import for it
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Callable, Iterator, NoReturn, TextIO, TypeVar
    Value = TypeVar('Value')

PROGRAM = 'nim_console.py'
LONGEST_LINE = 1_000_000                # characters; a longer line is bad whatever it says
LIMIT = LONGEST_LINE + 3                # of what is read: with a byte order mark, and \r\n
CHUNK = 1 << 16                         # characters that are read of a record at once
BLOCK = 32                              # piles of a state line that are put together at once
PIECES = 300                            # of text that are printed at once; more is slower again

WELCOME = '''\
Welcome to PyNIM, the Ancient game of NIM played against a real live Python!
... or, perhaps against a virtual Python...
... or, maybe it's played against a computer language called Python.

A formidable opponent... Can you (or your friend) beat the powerful AI of the Python?

PyNIM has 3 players: Two humans, plus "The Python" which is this computer.
The first player initially decides how many stones to start the game with, from 30 to 50.
For each round of the game, each player gets to remove from 1 to 3 stones from the pile.
The player who removes the last stone (i.e. reduces the pile to 0 stones) is the winner.
'''
NO_NUMBER = ('This is not even a number! Numbers consist of the digits from 0 to 9, '
             'in case you have forgotten!')
BLANK = 'it is blank'
TOO_LONG = f'it is longer than {LONGEST_LINE:,} characters'


class Refused(ValueError):
    """An answer that is not accepted; the message says why."""


def main() -> int:
    """Do what the command line says; return the exit status, whatever happens."""
    if sys.stdout is None:
        return 1
    try:
        prepare_streams()
        run(**(parse_arguments() if len(sys.argv) > 1 else {}))
        sys.stdout.flush()
    except SystemExit as end:           # from `fail` or argparse
        return int(end.code or 0)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:             # nobody reads any more
        return 1
    except OSError as error:
        complain(f'standard output cannot be written: {error.strerror}')
        return 1
    return 0


def parse_arguments() -> dict[str, Any]:
    """Return the arguments of `run`; a FILE alone is a recorded game."""
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            fail(2, f'{message} (--help says more)')

    parser = Parser(prog=PROGRAM, description=__doc__, add_help=False, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('-h', '--help', action='store_true', help='print this and exit')
    parser.add_argument('--explain', action='store_true',
                        help='say on standard error why something is refused')
    parser.add_argument('--prompts', action='store_true', help='ask for every input')
    parser.add_argument('--seed', type=integer, metavar='N', help='make random choices repeatable')
    parser.add_argument('game', nargs='?', default='recorded', metavar='GAME')
    parser.add_argument('file', nargs='?', metavar='FILE')
    arguments = vars(parser.parse_intermixed_args())
    if arguments['game'] not in ('recorded', 'stones', 'tlcw', 'piles'):
        if arguments['file'] is not None:
            parser.error(f"there is no game {arguments['game']!r}")
        arguments.update(game='recorded', file=arguments['game'])
    if arguments['game'] != 'recorded' and arguments['file'] is not None:
        parser.error('a FILE is for recorded games')
    if arguments['game'] == 'recorded' and (arguments['prompts'] or arguments['seed'] is not None):
        parser.error('--prompts and --seed are for the other games')
    if arguments.pop('help'):
        print(parser.format_help(), end='', flush=True)
        sys.exit()
    return arguments


def run(game: str = 'recorded', file: str | None = None, explain: bool = False,
        prompts: bool = False, seed: int | None = None) -> None:
    """Play a game, or replay a recorded one."""
    if game != 'recorded':
        from random import Random
        play = {'stones': play_stones, 'tlcw': play_tlcw, 'piles': play_piles}[game]
        try:
            play(Dialog(prompts, explain), Random(seed))
        finally:
            discard_pending_input()
    elif file is not None:
        try:
            stream = open(file, encoding='utf-8', errors='replace', newline='\n')  # noqa: SIM115
        except OSError as error:
            fail(2, f'{file!r} cannot be read: {error.strerror}')
        with stream:
            play_recorded(stream, explain)
    else:
        if len(sys.argv) == 1 and all(end and end.isatty() for end in (sys.stdin, sys.stderr)):
            complain('reads a recorded game; Ctrl-D ends it; --help names the other games')
        play_recorded(sys.stdin, explain)


def play_recorded(stream: TextIO | None, explains: bool) -> None:
    """Print the states of a recorded game, or only that it is invalid."""
    try:
        start, moves, loser = nim.read_recorded_game(lines_of(stream))
    except nim.InvalidGameError as error:
        print('Invalid Game.')
        if explains:
            sys.stdout.flush()
            complain(str(error))
        return
    ends = ['  '] * (len(start.piles) - 1) + ['\n']
    sizes = [f'{size}{end}' for size, end in zip(start.piles, ends)]
    blocks = [''.join(sizes[first:first + BLOCK]) for first in range(0, len(sizes), BLOCK)]
    text = ['Starting State:\n', *blocks]
    for player, pile, count, left in moves:
        # Of a thousand piles one has changed: only its block of the line is made anew.
        sizes[pile] = f'{left}{ends[pile]}'
        first = pile - pile % BLOCK
        blocks[first // BLOCK] = ''.join(sizes[first:first + BLOCK])
        text.append(f'Player {player} takes {count} tokens from the pile {pile + 1}.\nState:\n')
        text += blocks
        if len(text) > PIECES:
            print(''.join(text), end='')
            text.clear()
    print(*text, f'Player {loser} loses.', sep='')


def lines_of(stream: TextIO | None) -> Iterator[str]:
    """Yield the lines of a stream, without their ends; raise `InvalidGameError` for a long one."""
    number, rest = 1, ''
    is_end = stream is None
    while stream and not is_end:
        try:
            text = stream.read(CHUNK)
        except OSError as error:
            if stream is sys.stdin:
                fail(1, f'standard input cannot be read: {error.strerror}')
            fail(2, f'{stream.name!r} cannot be read: {error.strerror}')
        is_end = len(text) < CHUNK
        if number == 1 and not rest and text.startswith('\ufeff'):
            text = text[1:]
        if is_end:
            text += '\n'                # a blank line more does not matter
        *lines, rest = (rest + text).replace('\r\n', '\n').split('\n')
        # Only the first line may have begun in another chunk. The end of the last is not yet known.
        if len(lines[0] if lines else rest[:-1]) > LONGEST_LINE:
            raise nim.InvalidGameError(f'line {number}: {TOO_LONG}')
        yield from lines
        number += len(lines)


def play_piles(dialog: Dialog, rng: Random) -> None:
    """Play classic Nim against the computer, which moves second, and optimally."""
    print("We're going to play Nim. You'd better play optimally or I'll win.")
    number = dialog.ask_integer('How many piles do you want to play with? ', from_to(1))
    game = nim.NimGame([dialog.ask_integer(f'How many in pile {pile}? ', from_to(1))
                        for pile in range(number)])
    print_piles(game)
    while game.turn:
        if game.turn == 1:
            pile, count = ask_move(game, dialog)
        else:
            print('My turn ... prepare to be dazzled!!!')
            pile, count = nim.optimal_move(game, rng)
            print(f'I remove {count} from pile {pile}')
        game.make_move(pile, count)
        print_piles(game)
    print('You win ... this time' if game.winner() == 1 else 'I win ... AGAIN')


def ask_move(game: nim.NimGame, dialog: Dialog) -> tuple[int, int]:
    """Return the user's move: first the pile, then the count."""
    print('Your turn ...')
    pile = dialog.ask_integer('Which pile? ', lambda pile: game.check_move(pile, 1))
    return pile, dialog.ask_integer('How many? ', lambda count: game.check_move(pile, count))


def print_piles(game: nim.NimGame) -> None:
    """Print every pile on a line of its own."""
    print(*(f'pile {pile} = {size}' for pile, size in enumerate(game.piles)), sep='\n')


def play_tlcw(dialog: Dialog, rng: Random) -> None:
    """Play on a single pile until the last coin is taken, or the user cheats."""
    total = dialog.ask_integer('How many coins are there to begin with? ', from_to(2))
    limit = dialog.ask_integer('How many may be taken on each turn? ', from_to(1, total - 1))
    orders = {'C': 'CU', 'U': 'UC'}
    movers = dialog.ask('Who starts, the computer (C) or you (U)? ',
                        lambda answer: orders.get(answer.strip(nim.BLANKS).upper())
                        or refuse('it is not C or U'))
    game = nim.NimGame([total], max_take=limit)
    while game.turn:
        mover = movers[game.turn - 1]
        print(f'COINS: {game.piles[0]}  TURN: {mover}')
        if mover == 'C':
            count = nim.ordinary_count(game, rng)
            everything = 'all ' if count == game.piles[0] else ''
            print(f'The computer takes {everything}{coins(count)}.')
            game.make_move(0, count)
        else:
            count = dialog.ask_integer('How many coins do you take? ')
            try:
                game.make_move(0, count)
            except nim.InvalidMoveError:
                print('You are cheating!', 'The computer wins. Thank you for playing!', sep='\n')
                return
            print(f'You take {coins(count)}.')
    print('You win. Congratulations, and thank you for playing!'
          if movers[game.winner() - 1] == 'U' else 'The computer wins. Thank you for playing!')


def coins(count: int) -> str:
    """Return a number of coins in words."""
    return f'{count} coin' if count == 1 else f'{count} coins'


def play_stones(dialog: Dialog, rng: Random) -> None:
    """Play rounds of Taking Stones until the humans have had enough."""
    print(WELCOME)
    humans = []
    for number in ('One', 'Two'):
        name = dialog.ask(f'What is your name, Player {number}? ',
                          lambda answer: nim.tidy_name(answer) or refuse(BLANK))
        identity = dialog.ask(f'What is your MIT Student ID, {name}? ',
                              lambda answer: nim.tidy_id(answer) or refuse(BLANK))
        humans.append((name, identity))
    match = nim.StonesMatch(humans)
    print(f'Welcome, {match.names[0]} and {match.names[1]} to the game of Taking Stones.')
    while True:
        play_round(match, dialog, rng)
        again = dialog.ask('Would you like to play again? ',
                           lambda answer: answer.strip(nim.BLANKS) or refuse(BLANK))
        if again.lower() not in ('y', 'yes'):
            break
        print(f'\nGreat! Get ready for round {match.round + 1}...\n')
    print('\nGoodbye, and thank you for playing PyNIM!!!')


def play_round(match: nim.StonesMatch, dialog: Dialog, rng: Random) -> None:
    """Play a round until somebody takes the last stone, and tell who it was."""
    question = (f'How many stones (from 30 to 50) would you like to start the game with, '
                f'{match.names[0]}? ')
    game = None
    while not game:
        stones = dialog.ask_integer(question, complaint=NO_NUMBER)
        try:
            game = match.start_round(stones)
        except nim.InvalidGameError as error:
            dialog.reject(error)
    print(f'You have selected {game.piles[0]} stones, {match.names[0]}. A fine choice!\n')
    while game.turn:
        if game.turn == match.PYTHON:
            count = nim.python_count(game)
            print(f'The Python has removed {count} stones...\n')
        else:
            print(f'There are {game.piles[0]} stones remaining...')
            count = ask_count(match.names[game.turn - 1], game, dialog, rng)
        game.make_move(0, count)
    print_result(match, match.end_round(game))


def ask_count(name: str, game: nim.NimGame, dialog: Dialog, rng: Random) -> int:
    """Return how many stones a human takes: a mystery value for a blank answer."""
    most = game.most(0)

    def accept(answer: str) -> int:
        if answer.strip(nim.BLANKS):
            count = integer(answer)
            game.check_move(0, count)
            return count
        count = nim.random_count(game, rng)
        print(f'{name}, you have removed {count} stones.')
        return count

    return dialog.ask(f'How many stones (from 1 to {most}) will you remove, {name}? '
                      '(or press Enter for a mystery value): ', accept,
                      f'You MUST enter a number from 1 to {most}! Can you even count, {name}?')


def print_result(match: nim.StonesMatch, winner: int) -> None:
    """Print the winner in a box as wide as its first line, the score, and the Python's comment."""
    name = match.names[winner - 1]
    lines = [f'And...THE WINNER IS......... {name}!!!']
    if winner != match.PYTHON:
        lines += [f'Your MIT Student ID is: {match.ids[winner - 1]}',
                  f'Congratulations, {name}! Nice work!']
    width = len(lines[0])
    stars = '*' * (width + 12)
    print('', stars, *(f'*     {line:{width}}     *' for line in lines), stars, '', sep='\n')
    print('The score so far:')
    print(*(f'{name}: {score}' for name, score in zip(match.names, match.scores)), '', sep='\n')
    if winner != match.PYTHON:
        print('The Python is hissing as it concedes to your superior playing skill. '
              'Ssssssssss...\n')
    elif match.python_leads():
        print('Evidently, reptilian intelligence exceeds that of humans.\n'
              'Perhaps you can be a better example of success for your species '
              'in the next game...?\n')


class Dialog:
    """Questions, printed or not, and their answers on standard input."""

    def __init__(self, prompts: bool, explains: bool) -> None:
        self._prompts = prompts
        self._explains = explains
        self._number = 0                # of the last line, from 1
        self._is_cut = False            # whether that line is longer than what was read of it

    def ask(self, question: str, accept: Callable[[str], Value], complaint: str = '') -> Value:
        """Return what `accept` makes of an answer; ask again as long as it refuses."""
        while True:
            if self._prompts:
                print(question, end='')
            try:
                return accept(self._read(f'the answer to "{question.strip()}"'))
            except (Refused, nim.NimError) as error:
                self.reject(error, complaint)

    def ask_integer(self, question: str, check: Callable[[int], None] = lambda number: None,
                    complaint: str = '') -> int:
        """Return an answer that is an integer, and that `check` does not refuse."""
        def accept(answer: str) -> int:
            number = integer(answer)
            check(number)
            return number
        return self.ask(question, accept, complaint)

    def reject(self, error: Exception, complaint: str = '') -> None:
        """Say that an answer is not accepted: what the game says of it, if it says anything."""
        if complaint:
            print(complaint)
        elif not self._prompts:
            print('INVALID')
        if self._explains:
            sys.stdout.flush()
            complain(f"line {self._number}: {getattr(error, 'reason', error)}")

    def _read(self, expected: str) -> str:
        """Return the next line without its end, or refuse it if it is too long.

        Ends the program where there is no line.
        """
        is_rest = True
        sys.stdout.flush()
        while is_rest:                  # of a line that was too long
            is_rest = self._is_cut
            try:
                line = sys.stdin.readline(LIMIT) if sys.stdin else ''
            except OSError as error:
                fail(1, f'standard input cannot be read: {error.strerror}')
            self._is_cut = len(line) == LIMIT and line[-1] != '\n'
        if not line:
            fail(1, f'the input ended after line {self._number}: expected {expected}')
        self._number += 1
        if self._number == 1 and line.startswith('\ufeff'):
            line = line[1:]
        line = line.rstrip('\n')
        line = line[:-1] if line.endswith('\r') else line
        if len(line) > LONGEST_LINE:
            refuse(TOO_LONG)
        return line


def integer(answer: str) -> int:
    """Return the integer that an answer is, or refuse it."""
    number = nim.parse_integer(answer)
    return refuse('it is not an integer') if number is None else number


def from_to(least: int, most: int | None = None) -> Callable[[int], None]:
    """Return the check that refuses a number that is too small or too large."""
    def check(number: int) -> None:
        if number < least:
            refuse(f'it is less than {least}')
        if most is not None and number > most:
            refuse(f'it is more than {most}')
    return check


def refuse(reason: str) -> NoReturn:
    """Raise the error, also within an expression, that an answer is not accepted."""
    raise Refused(reason)


def prepare_streams() -> None:
    """Make the streams the same on every machine, and such that nothing is lost."""
    for name, mode, buffering in (('stdin', 'r', -1), ('stdout', 'w', -1), ('stderr', 'w', 1)):
        stream = getattr(sys, name)
        if hasattr(stream, 'reconfigure'):          # neither None nor a window of IDLE
            if hasattr(os, 'set_blocking'):
                os.set_blocking(stream.fileno(), True)
            # Opened anew: under -u there is no buffer, which sees to what a write leaves over.
            setattr(sys, name, open(stream.fileno(), mode, buffering, 'utf-8',  # noqa: SIM115
                                    'replace', newline='\n', closefd=False))
    if hasattr(sys, 'set_int_max_str_digits'):
        sys.set_int_max_str_digits(nim.LONGEST_NUMBER)


def discard_pending_input() -> None:
    """Keep the rest of a paste from the shell."""
    if sys.stdin and sys.stdin.isatty():
        try:
            import termios
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
        except Exception:               # on Windows, or where the terminal has gone away
            pass


def fail(status: int, message: str) -> NoReturn:
    """End the program, and say why, behind what it has printed."""
    sys.stdout.flush()
    complain(message)
    sys.exit(status)


def complain(message: str) -> None:
    """Say on standard error, in one line without control characters, what is wrong."""
    shown = ''.join(char if char.isprintable() else repr(char)[1:-1] for char in message)
    try:
        if sys.stderr:
            print(f'{PROGRAM}: {shown}', file=sys.stderr)
    except OSError:                     # nobody hears that either
        pass


if __name__ == '__main__':
    # All is flushed. A tidy end would cost a seventh of the run, and try once more, aloud, to
    # write what cannot be written.
    os._exit(main())
