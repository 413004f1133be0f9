"""Play Nim on standard input and output; without prompts, unless they are asked for.

  recorded [FILE]  check a recorded game and replay it; from standard input without FILE
  stones           Taking Stones: two humans and The Python, one pile of 30 to 50
  tlcw             take the last coin to win: one pile, a limit a turn, you and the computer
  piles            classic Nim: any piles, you and the computer, which plays optimally

The last three take --prompts, to be asked for every input, and --seed N, to repeat what chance
decides; without GAME it is recorded.

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
    from argparse import Namespace
    from random import Random
    from typing import Callable, Iterator, NoReturn, TextIO, TypeVar
    Value = TypeVar('Value')

PROGRAM = 'nim_console.py'
LONGEST_LINE = 1_000_000                # characters; a longer line is bad whatever it says
LONGEST_NUMBER = 100_000                # digits
CHUNK = 1 << 16                         # characters that are read of a record at once
BLOCK = 32                              # piles of a state line that are put together at once
PIECES = 600                            # of text that are printed at once; more is slower again

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
    """Play the game that the command line names."""
    arguments = parse_arguments() if len(sys.argv) > 1 else None
    if arguments and arguments.game != 'recorded':
        from random import Random
        arguments.play(Dialog(arguments.prompts), Random(arguments.seed))
    elif arguments and arguments.file is not None:
        with open_record(arguments.file) as stream:
            play_recorded(stream)
    else:
        play_recorded(sys.stdin)


def parse_arguments() -> Namespace:
    """Return the game and its options; a FILE alone is a recorded game."""
    import argparse
    parser = argparse.ArgumentParser(prog=PROGRAM, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    games = parser.add_subparsers(dest='game', metavar='GAME', required=True)
    games.add_parser('recorded').add_argument('file', nargs='?', metavar='FILE')
    for name, play in (('stones', play_stones), ('tlcw', play_tlcw), ('piles', play_piles)):
        game = games.add_parser(name)
        game.set_defaults(play=play)
        game.add_argument('--prompts', action='store_true', help='ask for every input')
        game.add_argument('--seed', type=int, metavar='N', help='make random choices repeatable')
    words = sys.argv[1:]
    if words[0] not in games.choices and not words[0].startswith('-'):
        words.insert(0, 'recorded')
    return parser.parse_args(words)


def play_recorded(stream: TextIO | None) -> None:
    """Print the states of a recorded game, or only that it is invalid."""
    try:
        start, moves, loser = nim.read_recorded_game(lines_of(stream))
    except nim.InvalidGameError:
        print('Invalid Game.')
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


def open_record(path: str) -> TextIO:
    """Open the file of a recorded game; end if that fails."""
    try:
        return open(path, encoding='utf-8', errors='replace', newline='\n')
    except OSError as error:
        fail(2, f'{path!r} cannot be read: {error.strerror}')


def lines_of(stream: TextIO | None) -> Iterator[str]:
    """Yield the lines of a stream; of one that is too long, a beginning that is never right."""
    if not stream:                      # standard input is closed
        return
    try:
        text = stream.read(1)
        rest = text.lstrip('\ufeff')
        is_end = not text
        while not is_end:
            text = stream.read(CHUNK)
            *lines, rest = (rest + text).split('\n')
            yield from lines
            is_end = len(text) < CHUNK or len(rest) > LONGEST_LINE
    except OSError as error:
        fail(1 if stream is sys.stdin else 2,
             f'{stream.name!r} cannot be read: {error.strerror}')
    yield rest if len(rest) <= LONGEST_LINE else '\u2026'


def play_piles(dialog: Dialog, rng: Random) -> None:
    """Play classic Nim against the computer, which moves second, and optimally."""
    print("We're going to play Nim. You'd better play optimally or I'll win.")
    number = dialog.ask_integer('How many piles do you want to play with? ', lambda n: n >= 1)
    game = nim.NimGame([dialog.ask_integer(f'How many in pile {pile}? ', lambda n: n >= 1)
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
    pile = dialog.ask_integer('Which pile? ',
                              lambda n: 0 <= n < len(game.piles) and game.most(n) > 0)
    return pile, dialog.ask_integer('How many? ', lambda n: 1 <= n <= game.most(pile))


def print_piles(game: nim.NimGame) -> None:
    """Print every pile on a line of its own."""
    for pile, size in enumerate(game.piles):
        print(f'pile {pile} = {size}')


def play_tlcw(dialog: Dialog, rng: Random) -> None:
    """Play on a single pile until the last coin is taken, or the user cheats."""
    total = dialog.ask_integer('How many coins are there to begin with? ', lambda n: n >= 2)
    limit = dialog.ask_integer('How many may be taken on each turn? ', lambda n: 1 <= n < total)
    movers = dialog.ask('Who starts, the computer (C) or you (U)? ',
                        lambda answer: {'C': 'CU', 'U': 'UC'}.get(answer.strip().upper()))
    game = nim.NimGame([total], max_take=limit)
    while game.turn:
        mover = movers[game.turn - 1]
        print(f'COINS: {game.piles[0]}  TURN: {mover}')
        if mover == 'C':
            count = nim.ordinary_count(game, rng)
            everything = 'all ' if count == game.piles[0] else ''
            print(f'The computer takes {everything}{coins(count)}.')
        else:
            count = dialog.ask_integer('How many coins do you take? ', lambda n: True)
            if not 1 <= count <= game.most(0):
                print('You are cheating!', 'The computer wins. Thank you for playing!', sep='\n')
                return
            print(f'You take {coins(count)}.')
        game.make_move(0, count)
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
                          lambda answer: nim.tidy_name(answer) or None)
        identity = dialog.ask(f'What is your MIT Student ID, {name}? ',
                              lambda answer: nim.tidy_id(answer) or None)
        humans.append((name, identity))
    match = nim.StonesMatch(humans)
    print(f'Welcome, {match.names[0]} and {match.names[1]} to the game of Taking Stones.')
    while True:
        play_round(match, dialog, rng)
        again = dialog.ask('Would you like to play again? ', lambda answer: answer.strip() or None)
        if again.lower() not in ('y', 'yes'):
            break
        print(f'\nGreat! Get ready for round {match.round + 1}...\n')
    print('\nGoodbye, and thank you for playing PyNIM!!!')


def play_round(match: nim.StonesMatch, dialog: Dialog, rng: Random) -> None:
    """Play a round until somebody takes the last stone, and tell who it was."""
    stones = ask_stones(match.names[0], dialog)
    print(f'You have selected {stones} stones, {match.names[0]}. A fine choice!\n')
    game = match.start_round(stones)
    while game.turn:
        if game.turn == match.PYTHON:
            count = nim.python_count(game)
            print(f'The Python has removed {count} stones...\n')
        else:
            print(f'There are {game.piles[0]} stones remaining...')
            count = ask_count(match.names[game.turn - 1], game, dialog, rng)
        game.make_move(0, count)
    print_result(match, match.end_round(game))


def ask_stones(name: str, dialog: Dialog) -> int:
    """Return with how many stones a human wants to begin."""
    question = f'How many stones (from 30 to 50) would you like to start the game with, {name}? '
    while True:
        stones = dialog.ask_integer(question, lambda n: True, NO_NUMBER)
        if stones in nim.StonesMatch.STONES:
            return stones
        dialog.refuse()


def ask_count(name: str, game: nim.NimGame, dialog: Dialog, rng: Random) -> int:
    """Return how many stones a human takes: a mystery value for a blank answer."""
    most = game.most(0)

    def accept(answer: str) -> int | None:
        if answer.strip():
            count = nim.parse_integer(answer)
            return count if count in range(1, most + 1) else None
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
    for name, score in zip(match.names, match.scores):
        print(f'{name}: {score}')
    print()
    if winner != match.PYTHON:
        print('The Python is hissing as it concedes to your superior playing skill. '
              'Ssssssssss...\n')
    elif match.python_leads():
        print('Evidently, reptilian intelligence exceeds that of humans.\n'
              'Perhaps you can be a better example of success for your species '
              'in the next game...?\n')


class Dialog:
    """Questions, printed or not, and their answers."""

    def __init__(self, prompts: bool) -> None:
        self._prompts = prompts
        self._input = Input()

    def ask(self, question: str, accept: Callable[[str], Value | None],
            complaint: str = '') -> Value:
        """Return what `accept` makes of an answer; ask again as long as that is `None`."""
        while True:
            if self._prompts:
                print(question, end='')
            value = accept(self._input.read(f'the answer to "{question.strip()}"'))
            if value is not None:
                return value
            self.refuse(complaint)

    def ask_integer(self, question: str, is_right: Callable[[int], bool],
                    complaint: str = '') -> int:
        """Return an answer that is a right integer; ask again as long as it is not."""
        def accept(answer: str) -> int | None:
            number = nim.parse_integer(answer)
            return number if number is not None and is_right(number) else None
        return self.ask(question, accept, complaint)

    def refuse(self, complaint: str = '') -> None:
        """Say that an answer is not accepted: what the game says of it, if it says anything."""
        if complaint:
            print(complaint)
        elif not self._prompts:
            print('INVALID')


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
    if hasattr(sys, 'set_int_max_str_digits'):
        sys.set_int_max_str_digits(LONGEST_NUMBER)


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
