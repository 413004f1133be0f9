"""A simple second implementation of two Nim games, with a method for each decision."""

from __future__ import annotations

import re
from functools import reduce
from operator import xor
from typing import Collection, Iterable

from ...diagnosis.fault_models import GameModel
from .computer import INTEGER, AgainstComputer

MANY = range(1, 10**9)
STATE = re.compile(r'^pile \d+ = (-?\d{1,9})$', re.MULTILINE)
OWN_WORDS = re.compile(r"We're going to play Nim\. .*|My turn \.\.\. .*|I remove \d+ from pile \d+"
                       r'|You win \.\.\. .*|I win \.\.\. .*|INVALID')


class Recorded(GameModel):
    """A recorded game of two players: checked, and printed."""

    sizes: list[int]
    player = 1
    why_invalid = ''                        # the game is, in words for a student

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        super().__init__(lines, arguments)
        self.held: list[str] = []           # what to print when everything is checked

    def play(self) -> None:
        lines = list(self.lines)
        self.texts += [''] * len(lines)
        try:
            self.replay(self.split(lines))
        except (ValueError, IndexError) as error:
            self.why_invalid = str(error)
            self.say('Invalid Game.')
        else:
            for line in self.held:
                self.say(line)

    def split(self, lines: list[str]) -> list[list[str]]:
        """Return the parts of each line, without blank lines at the end."""
        text = '\n'.join(lines).lstrip('\ufeff').rstrip(' \t\r\n')
        return [line.rstrip('\r').split(';') for line in text.split('\n')]

    def integers(self, row: list[str], number: int) -> list[int]:
        """Return the integers of a line, two of them but for line 2."""
        self.check_line(row, number)
        if number != 2 and len(row) != 2:
            raise ValueError(f'line {number} of the input must be two integers with ; between them')
        return [int(part) for part in row]

    def check_line(self, row: list[str], number: int) -> None:
        if not all(INTEGER.fullmatch(part) for part in row):
            integers = 'integers' if number == 2 else 'two integers'
            raise ValueError(f'line {number} of the input must be {integers} with ; between them')

    def replay(self, rows: list[list[str]]) -> None:
        """Check and print a game. Raises `ValueError`, which says why the game is invalid."""
        self.check_lines(rows)
        counters, count = self.integers(rows[0], 1)
        if len(rows) < 2:
            raise ValueError('there is no line with the piles')
        self.sizes = self.integers(rows[1], 2)
        self.begin(self.why_no_setup(counters, count))
        for number, row in enumerate(rows[2:], 3):
            pile, taken = self.integers(row, number)
            why = self.why_illegal(pile, taken, number == len(rows))
            if why:
                raise ValueError(f'line {number} of the input: {why}')
            self.sizes[pile] -= taken
            self.tell(f'Player {self.player} takes {taken} tokens from the pile '
                      f'{self.number(pile)}.')
            self.tell('State:')
            self.tell(self.state())
            self.player = 3 - self.player
        if not self.is_over():
            raise ValueError(f'{sum(self.sizes)} tokens are left at the end, not 1')
        self.tell(f'Player {self.loser()} loses.')

    def check_lines(self, rows: list[list[str]]) -> None:
        for number, row in enumerate(rows, 1):
            self.check_line(row, number)

    def begin(self, why: str) -> None:
        """Print the starting state, unless something is wrong with it."""
        if why:
            raise ValueError(why)
        self.tell('Starting State:')
        self.tell(self.state())

    def why_no_setup(self, counters: int, count: int) -> str:
        """Return what is wrong with the first two lines, `''` for nothing."""
        if counters < 1 or count < 1:
            return 'both numbers in line 1 of the input must be 1 or more'
        if count != len(self.sizes):
            return f'line 1 of the input says {count} piles, line 2 has {len(self.sizes)}'
        if min(self.sizes) < 0:
            return 'no pile may be below 0'
        if not self.adds_up(counters):
            return f'line 1 of the input says {counters} tokens, the piles have {sum(self.sizes)}'
        return ''

    def adds_up(self, counters: int) -> bool:
        return sum(self.sizes) == counters

    def why_illegal(self, pile: int, taken: int, is_last: bool) -> str:
        """Return what is wrong with a move, `''` for nothing."""
        if not 0 <= pile < len(self.sizes):
            return f'there is no pile {pile}'
        if taken < 1:
            return 'a player takes at least 1 token'
        if taken > self.sizes[pile]:
            return f'pile {pile} has only {self.sizes[pile]}'
        return '' if self.leaves_enough(taken) else 'no token would be left'

    def leaves_enough(self, taken: int) -> bool:
        return taken < sum(self.sizes)

    def is_over(self) -> bool:
        return sum(self.sizes) == 1

    def loser(self) -> int:
        return self.player

    def tell(self, line: str) -> None:
        self.held.append(line)

    def state(self) -> str:
        return '  '.join(map(str, self.sizes))

    def number(self, pile: int) -> int:
        """Return the number of a pile as it is printed."""
        return pile + 1


class Piles(AgainstComputer):
    """Classic Nim against the computer."""

    sizes: list[int]
    pile = 0                                # the one that the user has chosen

    @classmethod
    def is_left_free(cls, line: str) -> bool:
        return bool(OWN_WORDS.fullmatch(line))

    def play(self) -> None:
        self.say("We're going to play Nim. You'd better play optimally or I'll win.")
        count = self.ask_integer('How many piles do you want to play with? ', MANY)
        self.sizes = [self.ask_integer(f'How many in pile {i}? ', MANY) for i in range(count)]
        self.show()
        while True:
            self.say('Your turn ...')
            self.pile = self.ask_pile()
            self.sizes[self.pile] -= self.ask_number(self.sizes[self.pile])
            self.show()
            if not any(self.sizes):
                return self.say('You win ... this time')
            self.say('My turn ... prepare to be dazzled!!!')
            pile, taken = self.choose(self.winning_moves())
            self.say(f'I remove {taken} from pile {pile}')
            self.sizes[pile] -= taken
            self.show()
            if not any(self.sizes):
                return self.say('I win ... AGAIN')

    def show(self) -> None:
        for i, size in enumerate(self.sizes):
            self.say(f'pile {i} = {size}')

    def ask_pile(self) -> int:
        return self.ask_integer('Which pile? ', self.standing())

    def ask_number(self, size: int) -> int:
        return self.ask_integer('How many? ', range(1, size + 1))

    def standing(self) -> list[int]:
        """Return the piles that are not empty."""
        return [i for i, size in enumerate(self.sizes) if size]

    def winning_moves(self) -> list[tuple[int, int]]:
        """Return the optimal moves, pile and number: those that leave a nim-sum of 0."""
        return [(i, n) for i, n in self.legal_moves()
                if reduce(xor, [*self.sizes[:i], self.sizes[i] - n, *self.sizes[i + 1:]]) == 0]

    def choose(self, wins: list[tuple[int, int]]) -> tuple[int, int]:
        """Return the computer's move."""
        if wins:
            return wins[0]
        shown = self.shown_move()
        if shown in self.legal_moves():
            return shown
        pile = self.rng.choice(self.standing())
        return pile, self.rng.randint(1, self.sizes[pile])

    def legal_moves(self) -> list[tuple[int, int]]:
        return [(i, n) for i, size in enumerate(self.sizes) for n in range(1, size + 1)]

    def shown_move(self) -> tuple[int, int]:
        """Return the move that the graded program shows next, (0, 0) for none."""
        shown = STATE.findall(self.upcoming())[:len(self.sizes)]
        moves = [(i, size - int(left)) for i, (size, left) in enumerate(zip(self.sizes, shown))
                 if int(left) != size]
        return moves[0] if len(moves) == 1 else (0, 0)

    def refuse(self) -> None:
        """Refuse an answer; first print the line that the graded program prints here, if any."""
        line, newline, rest = self.upcoming().partition('\n')
        prompt = self.prompted(self.asked)      # '' if the program has its own
        is_own = rest.startswith(prompt) if prompt else not STATE.match(line)
        if self.prompts and newline and is_own:
            self.write(line + newline)
        super().refuse()
