"""A simple second implementation of the Nim games, with a method or a setting for each decision.

A setting's comment says what its value means; its default is the correct value.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from functools import reduce
from operator import xor
from typing import Literal

from ...printable import counted
from ..model import GameModel, Output, Variant, decision, setting

INTEGER = re.compile(r'[ \t]*[+-]?[0-9]+[ \t]*')
MANY = range(1, 10**9)  # the positive numbers, up to more than anybody types
STATE = re.compile(r'^pile \d+ = (-?\d{1,9})$', re.MULTILINE)
SHOWN = re.compile(r'pile *\d+ *= *(-?\d{1,9})')  # finds piles with any text between them
# The lines of classic Nim a program may word freely.
FREE_TEXT = re.compile(
    r"We're going to play Nim\. .*|My turn \.\.\. .*|I remove \d+ from pile \d+"
    r'|You win \.\.\. .*|I win \.\.\. .*|INVALID',
    re.IGNORECASE,
)
WELCOME = """Welcome to PyNIM, the Ancient game of NIM played against a real live Python!
... or, perhaps against a virtual Python...
... or, maybe it's played against a computer language called Python.

A formidable opponent... Can you (or your friend) beat the powerful AI of the Python?

PyNIM has 3 players: Two humans, plus "The Python" which is this computer.
The first player initially decides how many stones to start the game with, from 30 to 50.
For each round of the game, each player gets to remove from 1 to 3 stones from the pile.
The player who removes the last stone (i.e. reduces the pile to 0 stones) is the winner.
"""


class RecordedGame(GameModel):
    """A recorded game of two players, which the program checks and prints."""

    sizes: list[int]  # of the piles
    held: list[Sequence[int] | str]  # piles and lines to print once everything has been checked
    player = 1  # the next player to move
    following = setting[Mapping[int, int]]({1: 2, 2: 1})  # who moves after each player
    why_invalid = ''  # why the game is invalid, in words for a student
    # What is checked in all lines before anything else: 'integers' (each line has only integers),
    # 'pairs' (each line but line 2 also has exactly two), or '' (nothing).
    first_check = setting[Literal['', 'integers', 'pairs']]('integers')
    begins_unchecked = setting(False)  # whether the piles are printed before they are checked
    checks_count = setting(True)  # whether line 1 must state the correct number of piles
    checks_sum = setting(True)  # whether line 1 must state the correct number of tokens
    spared = setting(0)  # the fewest tokens a move must leave in its pile
    checks_last = setting(True)  # whether the last move must be legal
    lowest = setting(0)  # the lowest pile index a move may name; -1 is the last pile
    stops_at_one = setting(False)  # whether moves are ignored once one token is left
    first_pile = setting(1)  # the printed number of the first pile
    smallest = setting(0)  # the smallest size of a pile at the start
    least = setting(1)  # the fewest tokens a move must leave in all piles together
    left_at_end = setting[Container[int]]((1,))  # the allowed numbers of tokens at the end
    # If one of these numbers of tokens is left, the player of the last move loses, not the other.
    mover_loses = setting[Container[int]](())
    holds = setting(True)  # whether everything is checked before anything is printed
    prints_empty = setting(False)  # whether a state without tokens is printed, and then refused

    def play(self) -> None:
        lines = list(self.lines)
        self.texts.extend([''] * len(lines))  # nothing is printed until all input has been read
        text = '\n'.join(lines).lstrip('\ufeff').rstrip(' \t\r\n')  # without empty lines at the end
        self.held = []
        try:
            self.replay([line.rstrip('\r').split(';') for line in text.split('\n')])
        except (ValueError, IndexError) as error:
            self.why_invalid = str(error)
            self.say('Invalid Game.')
        else:
            for line in self.held:
                self.print_now(line)

    def integers(self, row: list[str], number: int, needs_two: bool = True) -> list[int]:
        """Return the integers of a line; if `needs_two`, any line but line 2 must have exactly two.

        Raises `ValueError`; its message says what is wrong.
        """
        has_integers = all(INTEGER.fullmatch(part) for part in row)
        has_wrong_number = needs_two and number != 2 and len(row) != 2
        if not has_integers or has_wrong_number:
            raise ValueError(
                f'line {number} of the input must be '
                f'{"" if number == 2 else "two "}integers with ; between them'
            )
        return [int(part) for part in row]

    def begin(self, rows: list[list[str]]) -> None:
        """Check the setup, and print the starting state. Raises `ValueError` if it is invalid."""
        for number, row in enumerate(rows if self.first_check else [], 1):
            self.integers(row, number, needs_two=self.first_check == 'pairs')
        tokens, piles = self.integers(rows[0], 1)
        if len(rows) < 2:
            raise ValueError('line 2, with the piles, is missing')
        self.sizes = self.integers(rows[1], 2)
        real_piles, real_tokens = len(self.sizes), sum(self.sizes)
        why = first_of(
            [
                (
                    tokens < 1 or piles < 1,
                    'both numbers in line 1 of the input must be at least 1',
                ),
                (
                    piles != real_piles and self.checks_count,
                    f'the number of piles is {piles} in input line 1, but {real_piles} in line 2',
                ),
                (
                    min(self.sizes) < self.smallest,
                    f'no pile may have fewer than {self.smallest} tokens',
                ),
                (
                    tokens != real_tokens and self.checks_sum,
                    f'the number of tokens is {tokens} in input line 1, '
                    f'but {real_tokens} in line 2',
                ),
            ]
        )
        if why and not self.begins_unchecked:
            raise ValueError(why)
        self.print_state('Starting State:')
        if why:
            raise ValueError(why)

    def replay(self, rows: list[list[str]]) -> None:
        """Check a game, and print it. Raises `ValueError` if it is invalid."""
        self.begin(rows)
        for number, row in enumerate(rows[2:], 3):
            if self.stops_at_one and sum(self.sizes) == 1:
                break
            pile, taken = self.integers(row, number)
            is_pile = max(self.lowest, -len(self.sizes)) <= pile < len(self.sizes)
            size = self.sizes[pile] if is_pile else 0
            why = first_of(
                [
                    (not is_pile, f'there is no pile {pile}'),
                    (taken < 1, 'a player must take at least 1 token'),
                    (taken > size - self.spared, f'pile {pile} has only {counted(size, "token")}'),
                    (sum(self.sizes) - taken < self.least, 'no tokens would be left'),
                ]
            )
            if why and (self.checks_last or number < len(rows)):
                raise ValueError(f'{why} (line {number} of the input)')
            self.sizes[pile] -= taken
            self.print_or_hold(
                f'Player {self.player} takes {taken} tokens from the pile {pile + self.first_pile}.'
            )
            self.print_state('State:')
            if self.prints_empty and not any(self.sizes):
                raise ValueError('no tokens are left')
            self.player = self.following[self.player]
        if not self.is_ended():
            raise ValueError(
                f'{sum(self.sizes)} tokens are left at the end; exactly 1 must be left'
            )
        loser = 3 - self.player if sum(self.sizes) in self.mover_loses else self.player
        self.print_or_hold(f'Player {loser} loses.')

    @decision
    def is_ended(self) -> bool:
        return sum(self.sizes) in self.left_at_end

    def print_or_hold(self, line: Sequence[int] | str) -> None:
        """Print a line or piles, at once or when everything has been checked."""
        if self.holds:
            self.held.append(line)
        else:
            self.print_now(line)

    @decision
    def print_now(self, line: Sequence[int] | str) -> None:
        self.say(line if isinstance(line, str) else '  '.join(map(str, line)))

    def print_state(self, title: str) -> None:
        self.print_or_hold(title)
        self.print_or_hold(self.piles_now())

    @decision
    def piles_now(self) -> list[int]:
        return [*self.sizes]


def first_of(mistakes: Iterable[tuple[bool, str]]) -> str:
    """Return the text of the first mistake made, or `''` if there is none."""
    return next((why for is_made, why in mistakes if is_made), '')


class AgainstComputer(GameModel):
    """A game against the computer, which usually asks again until an answer is valid."""

    asked = ''  # the prompt of the last question

    def __init__(
        self,
        lines: Iterable[str],
        arguments: Collection[str] = (),
        variants: Sequence[Variant] = (),
        output: Output | None = None,
    ) -> None:
        super().__init__(lines, arguments, variants, output)
        self.typed: list[str] = []  # the input lines read so far
        words = [*arguments]
        self.rng = random.Random(
            int(words[words.index('--seed') + 1]) if '--seed' in words else None
        )

    def ask(self, prompt: str) -> str:
        self.asked = prompt
        self.typed.append(super().ask(prompt))
        return self.typed[-1]

    @decision
    def refuse(self) -> None:
        if not self.has_prompts:
            self.say('INVALID')

    @decision
    def ask_integer(
        self, prompt: str, choices: Container[int] | None = None, no_number: str = ''
    ) -> int:
        """Ask until the answer is an integer and, if `choices` are given, one of the choices.

        If an answer is not an integer, print `no_number`, or refuse the answer as usual if
        `no_number` is empty.
        """
        while True:
            line = self.ask(prompt)
            is_number = INTEGER.fullmatch(line)
            if is_number and (choices is None or int(line) in choices):
                return int(line)
            if no_number and not is_number:
                self.say(no_number)
            else:
                self.refuse()

    def ask_text(self, prompt: str, choices: Container[str] | None = None) -> str:
        """Ask until an answer is not empty and, if `choices` are given, matches one in any case.

        Return the answer as it was typed, but without the spaces around it.
        """
        while True:
            line = self.ask(prompt).strip()
            if line and (choices is None or line.upper() in choices):
                return line
            self.refuse()


def legal_moves(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the legal moves: the index of a pile, and how many tokens to take from the pile."""
    return [(i, n) for i, size in enumerate(sizes) for n in range(1, size + 1)]


def optimal_moves(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the legal moves that leave a nim-sum of 0, in the form of `legal_moves`."""
    nim_sum = reduce(xor, sizes)
    return [
        (i, size - (size ^ nim_sum)) for i, size in enumerate(sizes) if 0 <= size ^ nim_sum < size
    ]


class Piles(AgainstComputer):
    """Classic Nim against the computer."""

    sizes: list[int]
    pile = 0  # the index of the pile chosen by the user
    first_pile = setting(0)  # the number of the first pile when the sizes are printed
    first_typed = setting(0)  # the number of the first pile when the user chooses a pile
    first_announced = setting(0)  # the number of the first pile when the computer's move is printed
    counts = setting[Container[int] | None](MANY)  # allowed numbers of piles, or None for any
    start_sizes = setting[Container[int] | None](MANY)  # allowed sizes of piles, or None for any
    # Which piles may be chosen; 'from the end' also allows negative indexes.
    choices = setting[Literal['not empty', 'any', 'from the end']]('not empty')
    least = setting(1)  # the fewest tokens the user may take
    most = setting[int | None](None)  # the most the user may take, or None for the whole pile
    stops_at_zero = setting(False)  # whether a pile never goes below 0
    any_optimal = setting(False)  # whether the computer may make any optimal move
    any_legal = setting(False)  # whether the computer may make any legal move
    any_below_zero = setting(False)  # whether it may make any move while a pile is below 0

    @classmethod
    def is_left_free(cls, line: str) -> bool:
        return bool(FREE_TEXT.fullmatch(' '.join(line.split())))

    def play(self) -> None:
        self.say("We're going to play Nim. You'd better play optimally or I'll win.")
        count = self.ask_integer('How many piles do you want to play with? ', self.counts)
        self.sizes = [
            self.ask_integer(f'How many in pile {i}? ', self.start_sizes) for i in range(count)
        ]
        self.show()
        while True:
            self.say('Your turn ...')
            self.pile = self.ask_pile(self.piles_to_choose())
            taken = self.ask_taken()
            size = self.sizes[self.pile]
            self.take('user', self.pile, min(size, taken) if self.stops_at_zero else taken)
            if self.is_over():
                return self.say('You win ... this time')
            self.say('My turn ... prepare to be dazzled!!!')
            pile, taken = self.choose(optimal_moves(self.sizes))
            self.say(f'I remove {taken} from pile {pile + self.first_announced}')
            self.take('computer', pile, taken)
            if self.is_over():
                return self.say('I win ... AGAIN')

    def piles_to_choose(self) -> Sequence[int]:
        """Return the indexes of the piles the user may choose."""
        count = len(self.sizes)
        if self.choices == 'not empty':
            return self.nonempty_piles()
        return range(count) if self.choices == 'any' else range(-count, count)

    def ask_pile(self, choices: Iterable[int]) -> int:
        """Ask for the number of a pile until it is one of `choices`; return the pile's index."""
        numbers = [index + self.first_typed for index in choices]
        return self.ask_integer('Which pile? ', numbers) - self.first_typed

    @decision
    def take(self, player: str, pile: int, taken: int) -> None:
        self.sizes[pile] -= taken
        self.show()

    @decision
    def ask_taken(self) -> int:
        most = self.sizes[self.pile] if self.most is None else self.most
        return self.ask_integer('How many? ', range(self.least, most + 1))

    @decision
    def show(self) -> None:
        for number, size in enumerate(self.sizes, self.first_pile):
            self.say(f'pile {number} = {size}')

    @decision
    def is_over(self) -> bool:
        return not any(self.sizes)

    def nonempty_piles(self) -> list[int]:
        return [i for i, size in enumerate(self.sizes) if size]

    @decision
    def choose(self, wins: list[tuple[int, int]]) -> tuple[int, int]:
        """Return the followed program's move if it is allowed; otherwise, return a correct move.

        `wins` are the optimal moves. A correct program makes the first of them, or any legal move
        if there are none.
        """
        shown = self.shown_move()
        right = wins if self.any_optimal else wins[:1]
        if self.any_legal or not wins:
            right = legal_moves(self.sizes)
        if shown in right or (self.any_below_zero and any(size < 0 for size in self.sizes)):
            return shown
        if wins:
            return wins[0]
        pile = self.rng.choice(self.nonempty_piles())
        return pile, self.rng.randint(1, self.sizes[pile])

    def shown_move(self) -> tuple[int, int]:
        """Return the move shown by the piles that the followed program prints next.

        Return (0, 0) if they do not show a single move.
        """
        shown = SHOWN.findall(self.upcoming())[: len(self.sizes)]
        moves = [
            (i, size - int(left))
            for i, (size, left) in enumerate(zip(self.sizes, shown, strict=False))
            if int(left) != size
        ]
        return moves[0] if len(moves) == 1 else (0, 0)

    @decision
    def refuse(self) -> None:
        """Refuse an answer.

        In a session with prompts, the followed program may print a line before it asks again. Copy
        such a line. The same prompt must follow it or, if the program has its own prompts, the line
        must not be a pile.
        """
        line, newline, rest = self.upcoming().partition('\n')
        prompt = self.prompt_text(self.asked)  # '' if the program has its own prompts
        is_extra = rest.startswith(prompt) if prompt else not STATE.match(line)
        if self.has_prompts and newline and is_extra:
            self.write(line + newline)
        super().refuse()


class Tlcw(AgainstComputer):
    """The game "Take the last coin to win" (TLCW)."""

    coins = limit = 0
    one_coin = setting('coin')  # the word after the number 1
    short = setting(0)  # the computer takes all coins if coins <= limit - short
    fewest = setting(2)  # the fewest coins at the start
    margin = setting(1)  # the limit may be at most coins - margin
    least = setting(1)  # the fewest coins the user may take
    cheated = setting('C')  # who wins if the user cheats

    def play(self) -> None:
        self.coins = self.ask_integer(
            'How many coins are there to begin with? ', range(self.fewest, 10**9)
        )
        self.limit = self.ask_integer(
            'How many may be taken on each turn? ', range(1, self.coins + 1 - self.margin)
        )
        turn = self.ask_text('Who starts, the computer (C) or you (U)? ', ('C', 'U')).upper()
        while True:
            self.say(f'COINS: {self.coins}  TURN: {turn}')
            most = min(self.coins, self.limit)
            if turn == 'C':
                takes_all = self.coins <= self.limit - self.short
                taken = most if takes_all else self.choose(most)
                self.say(
                    f'The computer takes {"all " if takes_all else ""}{self.coins_in_words(taken)}.'
                )
            else:
                taken = self.ask_integer('How many coins do you take? ')
                if not self.least <= taken <= most:
                    self.say('You are cheating!')
                    return self.say_winner(self.cheated)
                self.say(f'You take {self.coins_in_words(taken)}.')
            self.coins -= taken
            if not self.coins:
                return self.say_winner(turn)
            turn = 'U' if turn == 'C' else 'C'

    @decision
    def choose(self, most: int) -> int:
        return self.rng.randint(1, most)

    def coins_in_words(self, coins: int) -> str:
        return f'{coins} {self.one_coin if coins == 1 else "coins"}'

    def say_winner(self, winner: str) -> None:
        self.say(
            'You win. Congratulations, and thank you for playing!'
            if winner == 'U'
            else 'The computer wins. Thank you for playing!'
        )


class Stones(AgainstComputer):
    """Taking Stones: two humans and the computer."""

    player = 0  # the player whose turn it is: 0 or 1 for a human, 2 for The Python
    # For both settings, 0 means 3, or the number of stones left if there are fewer.
    bound = setting(0)  # the largest number in the questions
    most = setting(0)  # the most stones a player may take
    over = setting[Container[int]](range(-2, 1))  # how many stones may be left when a round ends
    forgets_score = setting(False)  # whether each round resets the score

    def play(self) -> None:
        self.say_lines(WELCOME)
        self.names: list[str] = []
        self.ids: list[str] = []
        self.wins = [0, 0, 0]
        for which in ('One', 'Two'):
            name = self.ask_text(f'What is your name, Player {which}? ')
            self.names.append((name[:1].upper() + name[1:].lower())[:30])
            self.ids.append(self.ask_text(f'What is your MIT Student ID, {self.names[-1]}? ')[:9])
        self.say(f'Welcome, {self.names[0]} and {self.names[1]} to the game of Taking Stones.')
        games = 1
        while True:
            if self.forgets_score:
                self.wins = [0, 0, 0]
            winner = self.play_round()
            self.wins[winner] += 1
            self.show_winner(winner)
            if not self.plays_on(self.ask_text('Would you like to play again? ').lower()):
                return self.say_lines('\nGoodbye, and thank you for playing PyNIM!!!')
            games += 1
            self.say_lines(f'\nGreat! Get ready for round {games}...\n')

    @decision
    def plays_on(self, answer: str) -> bool:
        return answer in ('y', 'yes')

    def say_lines(self, text: str) -> None:
        for line in text.split('\n'):
            self.say(line)

    def play_round(self) -> int:
        """Play one round; return the index of its winner."""
        left = self.ask_integer(
            f'How many stones (from 30 to 50) would you like to start the game with, '
            f'{self.names[0]}? ',
            range(30, 51),
            'This is not even a number! Numbers consist of '
            'the digits from 0 to 9, in case you have forgotten!',
        )
        self.say_lines(f'You have selected {left} stones, {self.names[0]}. A fine choice!\n')
        self.player = self.first_player()
        while True:
            if self.player == 2:
                taken = self.choose(left)
                self.say_lines(f'The Python has removed {taken} stones...\n')
            else:
                self.say(f'There are {left} stones remaining...')
                taken = self.ask_taken(self.names[self.player], left)
            left -= taken
            if left in self.over:
                return self.player
            self.player = (self.player + 1) % 3

    @decision
    def first_player(self) -> int:
        return 0

    @decision
    def choose(self, left: int) -> int:
        """Return how many of the remaining stones The Python takes."""
        if left <= 3:
            return left
        return 2 if left % 3 == 0 else 1

    @decision
    def ask_taken(self, name: str, left: int) -> int:
        most = min(3, left)
        bound = self.bound or most
        while True:
            line = self.ask(
                f'How many stones (from 1 to {bound}) will you remove, '
                f'{name}? (or press Enter for a mystery value): '
            )
            if not line.strip():
                taken = self.rng.randint(1, most)
                self.say(f'{name}, you have removed {taken} stones.')
                return taken
            if INTEGER.fullmatch(line) and 1 <= int(line) <= (self.most or most):
                return int(line)
            self.say(f'You MUST enter a number from 1 to {bound}! Can you even count, {name}?')

    @decision
    def leads(self) -> bool:
        """Return whether The Python has won more rounds than each human."""
        return self.wins[2] > self.wins[0] and self.wins[2] > self.wins[1]

    @decision
    def concedes(self, winner: int) -> bool:
        return winner < 2

    @decision
    def draw(self, line: str) -> None:
        """Print a line of the box around the winner."""
        self.say(line)

    @decision
    def show_winner(self, winner: int) -> None:
        name = [*self.names, 'The Python'][winner]
        first = f'*     And...THE WINNER IS......... {name}!!!     *'
        box = [first]
        if winner < 2:
            box += [
                ('*     ' + line).ljust(len(first) - 1) + '*'
                for line in (
                    f'Your MIT Student ID is: {self.ids[winner]}',
                    f'Congratulations, {name}! Nice work!',
                )
            ]
        score = [
            f'{player}: {wins}'
            for player, wins in zip([*self.names, 'The Python'], self.wins, strict=False)
        ]
        self.say('')
        for line in ['*' * len(first), *box, '*' * len(first)]:
            self.draw(line)
        self.say_lines('\n'.join(['', 'The score so far:', *score, '']))
        if self.concedes(winner):
            self.say_lines(
                'The Python is hissing as it concedes to your superior playing skill. '
                'Ssssssssss...\n'
            )
        if winner == 2 and self.leads():
            self.say_lines(
                'Evidently, reptilian intelligence exceeds that of humans.\nPerhaps you '
                'can be a better example of success for your species in the next '
                'game...?\n'
            )
