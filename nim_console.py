"""Play Nim on standard input and output, with prompts only if --prompts is given."""

from __future__ import annotations

import os
import sys

import nim_logic as nim

TYPE_CHECKING = False  # like `typing.TYPE_CHECKING`, but `typing` is slow to import
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Callable, NoReturn, TextIO, TypeVar

    Value = TypeVar('Value')

PROGRAM = 'nim_console.py'
INTERRUPTED = 130  # the exit status that a shell reports after Ctrl-C

HELP = """\
usage: nim_console.py [-h] [--explain] [--prompts] [--seed N] [GAME] [FILE]

Play Nim on standard input and output, with prompts only if --prompts is given.

  recorded [FILE]  check and replay a recorded game, from FILE or standard
                   input; this is the default
  stones           Taking Stones: two humans and The Python, 30 to 50 stones
  tlcw             take the last coin to win: one pile, a limit for each turn
  piles            classic Nim: any piles, you and the computer

For the rules of a game, its input and output, and a session to paste, type

  nim_console.py GAME --help

Options (a recorded game has only --explain):

  --prompts        ask for each input, as the original assignments do
  --seed N         make the same random moves each time
  --explain        say on standard error why an answer or a game is refused

Exit status: 0 the game is over, or the recorded game is invalid; 1 the input
ends early or the output cannot be written; 2 wrong usage or a FILE that cannot
be read; 130 Ctrl-C.
"""


class Refused(ValueError):
    """Raised for a wrong line or answer; `argparse` turns any `ValueError` into a message."""


def main() -> int:
    """Run the program, and return its exit status, even after an error."""
    try:
        if sys.stdout is None:
            raise OSError(0, 'it is closed')
        run(**options_of(sys.argv[1:]))
        sys.stdout.flush()
    except SystemExit as end:  # from `fail` or argparse
        return int(end.code or 0)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # nobody reads the output any more
        return 1
    except OSError as error:
        complain(f'cannot write to standard output: {error.strerror}')
        return 1
    return 0


def options_of(arguments: list[str]) -> dict[str, Any]:
    """Return the keyword arguments for `run`; a FILE without GAME is a recorded game."""
    if not arguments:
        return {}
    if len(arguments) == 1 and arguments[0] in HELP_ON:
        return {'game': arguments[0]}
    import argparse  # it takes as long to load as Python takes to start

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            fail(2, f'{message[:200]} (see --help)')

    parser = Parser(add_help=False, allow_abbrev=False)
    parser.add_argument('-h', '--help', action='store_true')
    parser.add_argument('--explain', action='store_true')
    parser.add_argument('--prompts', action='store_true')
    parser.add_argument('--seed', type=integer)
    parser.add_argument('game', nargs='?', metavar='GAME')
    parser.add_argument('file', nargs='?', metavar='FILE')
    options = vars(parser.parse_intermixed_args(arguments))
    is_overview = options['game'] is None
    if options['game'] not in HELP_ON and options['file'] is None:
        options.update(game='recorded', file=options['game'])
    if options['game'] != 'recorded' and options['file'] is not None:
        parser.error(f'a FILE is for recorded games, not for {options["game"]!r}')
    if options['game'] == 'recorded' and (options['prompts'] or options['seed'] is not None):
        parser.error('a recorded game takes neither --prompts nor --seed')
    if options.pop('help'):
        print(HELP if is_overview else HELP_ON[options['game']], end='', flush=True)
        sys.exit()
    return options


def run(
    game: str = 'recorded',
    file: str | None = None,
    explain: bool = False,
    prompts: bool = False,
    seed: int | None = None,
) -> None:
    """Play a game, or check and replay a recorded one."""
    try:
        if game == 'recorded':
            replay(file, explain)
        else:
            from random import Random

            PLAY[game](Dialog(prompts, explain), Random(seed))
    finally:
        if file is None:
            discard_pending_input()


def hint(expected: str) -> None:
    """In a terminal, print what the program is waiting for."""
    if all(end and end.isatty() for end in (sys.stdin, sys.stderr)):
        sys.stdout.flush()
        complain(f'waiting for {expected}')


RECORDED_HELP = r"""usage: nim_console.py recorded [-h] [--explain] [FILE]

Check a recorded game of two players, and replay it.

A move takes at least one token from one pile. Player 1 moves first, and then
the players take turns. The game ends when one token is left: the player whose
turn it is must take it, and loses. So no move may empty all piles. The game is
invalid if a move breaks a rule, a line is wrong, or more than one token is left
at the end.

Input, from FILE or standard input; in a terminal Ctrl-D ends it:
  counters;piles      how many tokens there are, and how many piles: 12;3
  size;size;...       how many tokens are in each pile: 3;3;6
  pile;tokens         each move: the pile, from 0, and how many tokens it takes
Output: each state and each move, with piles counted from 1, and who loses; or
Invalid Game. and nothing else. --explain says why, on standard error.

A session to paste into a shell:

printf '%s\n' '12;3' '3;3;6' '0;3' '2;5' '1;3' | python3 nim_console.py recorded
"""


def replay(file: str | None, explains: bool) -> None:
    """Replay the recorded game in a file or, without a file, on standard input, if it is valid."""
    if file is None:
        hint('a recorded game, and then for Ctrl-D; --help lists the other games')
    try:
        record = read_record(file)
    except (Refused, nim.InvalidGameError) as error:
        print('Invalid Game.', flush=True)
        if explains:
            complain(str(error))
        return
    game = record.start
    sizes = [str(size) for size in game.piles]
    print('Starting State:', '  '.join(sizes), sep='\n')
    for pile, count in record.moves():
        player = game.turn
        game.make_move(pile, count)
        sizes[pile] = str(game.piles[pile])
        print(
            f'Player {player} takes {count} tokens from the pile {pile + 1}.\nState:\n'
            + '  '.join(sizes)
        )
    print(f'Player {record.loser()} loses.')


def read_record(file: str | None) -> nim.RecordedGame:
    """Return the recorded game in a file or, without a file, on standard input.

    Raises `Refused` or `InvalidGameError`.
    """
    try:
        if file is None:
            return record_in(sys.stdin)
        with open(file, encoding='utf-8', errors='replace', newline='\n') as stream:
            return record_in(stream)
    except OSError as error:
        name, status = ('standard input', 1) if file is None else (f'{file!r:.200}', 2)
        is_missing = isinstance(error, FileNotFoundError)
        games = f'; the games are {", ".join(HELP_ON)}' if is_missing else ''
        fail(status, f'cannot read {name}: {error.strerror}{games}')


def record_in(stream: TextIO | None) -> nim.RecordedGame:
    """Return the recorded game in a stream, which is read to its end even if the game is invalid.

    Otherwise, a shell would run the rest of a paste, and the writer to a pipe would fail.
    """
    lines = Input(stream)
    try:
        return nim.RecordedGame(iter(lines.read, None))
    except (Refused, nim.InvalidGameError):
        while lines.stream and lines.stream.readline():
            pass
        raise


PILES_HELP = r"""usage: nim_console.py piles [-h] [--explain] [--prompts] [--seed N]

Play classic Nim against the computer.

There can be any number of piles. A move takes at least one coin from one pile.
You move first, and then you and the computer take turns. Whoever takes the last
coin wins. The computer plays optimally: if it can, it makes the nim-sum (the
exclusive or of the sizes of all piles) 0, and takes from the first pile where
this works. Otherwise, it moves at random.

Input, each answer on its own line:
  how many piles; then how many coins in each pile (all at least 1)
  in each of your turns: which pile, counted from 0; then how many coins
Output: all piles before each turn and at the end, what the computer takes, and
who has won. A bad answer is INVALID; with --prompts the question is repeated.

A session to paste into a shell:

printf '%s\n' 2 2 2 0 1 1 1 | python3 nim_console.py piles
"""


def play_piles(dialog: Dialog, rng: Random) -> None:
    """Play classic Nim against the computer."""
    print("We're going to play Nim. You'd better play optimally or I'll win.")
    number = dialog.ask('How many piles do you want to play with? ', positive)
    game = nim.NimGame(
        [dialog.ask(f'How many in pile {pile}? ', positive) for pile in range(number)]
    )
    while True:
        print(game)
        if game.is_over():
            break
        if game.turn == 1:
            print('Your turn ...')
            pile = dialog.ask('Which pile? ', lambda reply: pile_to_take_from(game, reply))
            dialog.ask('How many? ', lambda reply: game.make_move(pile, integer(reply)))
        else:
            print('My turn ... prepare to be dazzled!!!')
            pile, count = nim.optimal_move(game, rng)
            print(f'I remove {count} from pile {pile}')
            game.make_move(pile, count)
    print('You win ... this time' if game.winner() == 1 else 'I win ... AGAIN')


def pile_to_take_from(game: nim.NimGame, answer: str) -> int:
    """Return the number of the pile in an answer; refuse a pile that is empty or does not exist."""
    pile = integer(answer)
    game.check_move(pile, 1)
    return pile


TLCW_HELP = r"""usage: nim_console.py tlcw [-h] [--explain] [--prompts] [--seed N]

Play take the last coin to win, against the computer.

There is one pile of coins, and a limit. A move takes at least one coin and at
most as many as the limit. You and the computer move in turn. Whoever takes the
last coin wins. The computer takes all coins if the limit allows it, otherwise
a random number. Any illegal number is cheating: you lose at once.

Input, each answer on its own line:
  how many coins (at least 2); the limit (at least 1, but less than that)
  who starts: C for the computer, U for you (the user)
  in each of your turns: how many coins
Output: the coins and whose turn it is before each turn, what is taken, and who
has won. A bad answer is INVALID; with --prompts the question is repeated.

A session to paste into a shell:

printf '%s\n' 5 3 U 2 | python3 nim_console.py tlcw
"""


def play_tlcw(dialog: Dialog, rng: Random) -> None:
    """Play take the last coin to win, against the computer."""
    # Each answer is checked by making a match with it.
    coins = dialog.ask(
        'How many coins are there to begin with? ',
        lambda answer: nim.TlcwMatch(integer(answer)).coins,
    )
    limit = dialog.ask(
        'How many may be taken on each turn? ',
        lambda answer: nim.TlcwMatch(coins, integer(answer)).limit,
    )
    match = dialog.ask(
        'Who starts, the computer (C) or you (U)? ',
        lambda answer: nim.TlcwMatch(coins, limit, answer.strip(nim.SPACES).upper()),
    )
    while match.turn:
        print(f'COINS: {match.coins}  TURN: {match.turn}')
        if match.turn == 'C':
            _, count = nim.ordinary_move(match.game, rng)
            taken = 'The computer takes all' if count == match.coins else 'The computer takes'
        else:
            count = dialog.ask('How many coins do you take? ', integer)
            taken = 'You take'
        match.take(count)
        if match.cheating:
            dialog.reject(match.cheating, 'You are cheating!')
        else:
            print(f'{taken} {count} {"coin" if count == 1 else "coins"}.')
    print(
        'You win. Congratulations, and thank you for playing!'
        if match.winner() == 'U'
        else 'The computer wins. Thank you for playing!'
    )


WELCOME = """\
Welcome to PyNIM, the Ancient game of NIM played against a real live Python!
... or, perhaps against a virtual Python...
... or, maybe it's played against a computer language called Python.

A formidable opponent... Can you (or your friend) beat the powerful AI of the Python?

PyNIM has 3 players: Two humans, plus "The Python" which is this computer.
The first player initially decides how many stones to start the game with, from 30 to 50.
For each round of the game, each player gets to remove from 1 to 3 stones from the pile.
The player who removes the last stone (i.e. reduces the pile to 0 stones) is the winner.
"""
NO_NUMBER = (
    'This is not even a number! Numbers consist of the digits from 0 to 9, '
    'in case you have forgotten!'
)

STONES_HELP = r"""usage: nim_console.py stones [-h] [--explain] [--prompts] [--seed N]

Play Taking Stones: two humans and the computer, The Python.

There is one pile of 30 to 50 stones; Player 1 chooses how many. A move takes 1,
2 or 3 stones. Player 1, Player 2 and The Python move in turn. Whoever takes the
last stone wins the round. The Python takes all stones if 3 or fewer are left.
Otherwise, it takes 2 if their number is divisible by 3, and 1 if not. After a
round, you can play again.

Input, each answer on its own line:
  name and student ID of Player 1, then of Player 2
  how many stones; then each human's moves (an empty line: a random move)
  after each round: y or yes to play again, anything else to end
Output: the stones before each human's turn, what The Python takes, the winner
in a box, and the score. A bad answer gets a message, and is asked for again.

A session to paste into a shell:

printf '%s\n' Ann 1 Ben 2 30 3 3 3 3 3 3 2 1 3 n | python3 nim_console.py stones
"""


def play_stones(dialog: Dialog, rng: Random) -> None:
    """Play Taking Stones: two humans and the computer, The Python."""
    print(WELCOME)
    humans = []
    for number in ('One', 'Two'):
        name = dialog.ask(f'What is your name, Player {number}? ', filled)
        shown = nim.StonesMatch.name_of(name)
        humans.append((name, dialog.ask(f'What is your MIT Student ID, {shown}? ', filled)))
    match = nim.StonesMatch(humans)
    print(f'Welcome, {match.names[0]} and {match.names[1]} to the game of Taking Stones.')
    play_round(match, dialog, rng)
    while dialog.ask('Would you like to play again? ', filled).lower() in ('y', 'yes'):
        print(f'\nGreat! Get ready for round {match.round + 1}...\n')
        play_round(match, dialog, rng)
    print('\nGoodbye, and thank you for playing PyNIM!!!')


def play_round(match: nim.StonesMatch, dialog: Dialog, rng: Random) -> None:
    """Play a round until somebody takes the last stone, and print the result."""
    first = match.names[0]
    game = dialog.ask(
        f'How many stones (from 30 to 50) would you like to start the game with, {first}? ',
        lambda answer: match.start_round(integer(answer)),
        NO_NUMBER,
    )
    print(f'You have selected {game.piles[0]} stones, {first}. A fine choice!\n')
    while game.turn:
        if game.turn == match.PYTHON:
            _, count = nim.python_move(game, rng)
            game.make_move(0, count)
            print(f'The Python has removed {count} stones...\n')
        else:
            print(f'There are {game.piles[0]} stones remaining...')
            take_stones(match.names[game.turn - 1], game, dialog, rng)
    print_result(match, match.end_round())


def take_stones(name: str, game: nim.NimGame, dialog: Dialog, rng: Random) -> None:
    """Make a human's move; an empty answer makes a random move."""
    most = game.most(0)

    def take(answer: str) -> None:
        if answer.strip(nim.SPACES):
            game.make_move(0, integer(answer))
        else:
            _, count = nim.random_move(game, rng)
            game.make_move(0, count)
            print(f'{name}, you have removed {count} stones.')

    dialog.ask(
        f'How many stones (from 1 to {most}) will you remove, {name}? '
        '(or press Enter for a mystery value): ',
        take,
        f'You MUST enter a number from 1 to {most}! Can you even count, {name}?',
    )


def print_result(match: nim.StonesMatch, winner: int) -> None:
    """Print the winner in a box, the score, and any comment by The Python."""
    name = match.names[winner - 1]
    lines = [f'And...THE WINNER IS......... {name}!!!']
    if winner != match.PYTHON:
        lines += [
            f'Your MIT Student ID is: {match.ids[winner - 1]}',
            f'Congratulations, {name}! Nice work!',
        ]
    width = len(lines[0])
    stars = '*' * (width + 12)
    print(
        '',
        stars,
        *(f'*     {line:{width}}     *' for line in lines),
        stars,
        '',
        'The score so far:',
        *map('{}: {}'.format, match.names, match.scores),
        '',
        sep='\n',
    )
    if winner != match.PYTHON:
        print(
            'The Python is hissing as it concedes to your superior playing skill. Ssssssssss...\n'
        )
    elif match.python_leads():
        print(
            'Evidently, reptilian intelligence exceeds that of humans.\n'
            'Perhaps you can be a better example of success for your species '
            'in the next game...?\n'
        )


HELP_ON = {
    'recorded': RECORDED_HELP,
    'stones': STONES_HELP,
    'tlcw': TLCW_HELP,
    'piles': PILES_HELP,
}
PLAY = {'stones': play_stones, 'tlcw': play_tlcw, 'piles': play_piles}


class Dialog:
    """Asks questions, which are printed only with --prompts, and reads the answers."""

    def __init__(self, prompts: bool, explains: bool) -> None:
        self._prompts = prompts
        self._explains = explains
        self._lines = Input(sys.stdin)

    def ask(self, question: str, accept: Callable[[str], Value], complaint: str = '') -> Value:
        """Ask until `accept` accepts an answer; return what `accept` returns.

        `complaint` replaces INVALID, unless the answer is an integer that makes no valid game.
        """
        expected = f'the answer to "{question.strip()}"'
        while True:
            if self._prompts:
                print(question, end='')
            elif not self._lines.number:
                hint(f'{expected}; --prompts prints each question')
            try:
                return accept(self._lines.ask(expected))
            except nim.InvalidGameError as error:  # an integer that the game refuses
                self.reject(str(error))
            except nim.InvalidMoveError as error:
                self.reject(error.reason, complaint)
            except Refused as error:
                self.reject(str(error), complaint)

    def reject(self, reason: str, complaint: str = '') -> None:
        """Print a complaint about an answer, or INVALID; with --explain, also the reason.

        With --prompts, INVALID is not printed: the question is repeated instead.
        """
        if complaint or not self._prompts:
            print(complaint or 'INVALID', flush=True)
        if self._explains:
            place = '' if reason.startswith('line ') else f'line {self._lines.number}: '
            complain(place + reason)


def integer(answer: str) -> int:
    """Return the integer in an answer. Raises `Refused` if there is none."""
    numbers = nim.parse_integers(answer)
    if len(numbers) != 1:
        raise Refused('it is not an integer')
    return numbers[0]


def positive(answer: str) -> int:
    """Return the integer in an answer. Raises `Refused` if it is less than 1."""
    number = integer(answer)
    if number < 1:
        raise Refused('it is less than 1')
    return number


def filled(answer: str) -> str:
    """Return an answer without the spaces around it. Raises `Refused` if nothing is left."""
    text = answer.strip(nim.SPACES)
    if not text:
        raise Refused('it is empty')
    return text


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
    """Print a message on standard error, in one line and without control characters."""
    shown = ''.join(char if char.isprintable() else repr(char)[1:-1] for char in message)
    try:
        if sys.stderr:
            print(f'{PROGRAM}: {shown}', file=sys.stderr, flush=True)
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
