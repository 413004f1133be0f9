"""A simple second implementation of the Nim games against the computer: TLCW and Taking Stones."""

from __future__ import annotations

import random
import re
from typing import Collection, Container, Iterable

from ...diagnosis.fault_models import GameModel

INTEGER = re.compile(r'[ \t]*[+-]?[0-9]+[ \t]*')
WELCOME = '''Welcome to PyNIM, the Ancient game of NIM played against a real live Python!
... or, perhaps against a virtual Python...
... or, maybe it's played against a computer language called Python.

A formidable opponent... Can you (or your friend) beat the powerful AI of the Python?

PyNIM has 3 players: Two humans, plus "The Python" which is this computer.
The first player initially decides how many stones to start the game with, from 30 to 50.
For each round of the game, each player gets to remove from 1 to 3 stones from the pile.
The player who removes the last stone (i.e. reduces the pile to 0 stones) is the winner.
'''


class AgainstComputer(GameModel):
    """A game against the computer that repeats each question until the answer is right."""

    asked = ''                              # the last question

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        super().__init__(lines, arguments)
        self.typed: list[str] = []          # the lines that have been read
        words = [*arguments]
        self.rng = random.Random(
            int(words[words.index('--seed') + 1]) if '--seed' in words else None)

    def ask(self, prompt: str) -> str:
        self.asked = prompt
        self.typed.append(super().ask(prompt))
        return self.typed[-1]

    def refuse(self) -> None:
        if not self.prompts:
            self.say('INVALID')

    def ask_integer(self, prompt: str, choices: Container[int] | None = None) -> int:
        """Ask until the answer is an integer, and one of the choices if there are any."""
        while True:
            line = self.ask(prompt)
            if INTEGER.fullmatch(line) and self.is_choice(int(line), choices):
                return int(line)
            self.refuse()

    def is_choice(self, number: int, choices: Container[int] | None) -> bool:
        """Return whether a number may be chosen."""
        return choices is None or number in choices

    def ask_text(self, prompt: str) -> str:
        while True:
            line = self.ask(prompt).strip()
            if line:
                return line
            self.refuse()


class Tlcw(AgainstComputer):
    """Take the last coin to win."""

    coins = limit = 0
    all_of_them = 'all '

    def play(self) -> None:
        self.coins = self.ask_integer('How many coins are there to begin with? ', range(2, 10**9))
        self.limit = self.ask_integer('How many may be taken on each turn? ', range(1, self.coins))
        while True:
            turn = self.ask('Who starts, the computer (C) or you (U)? ').strip().upper()
            if turn in ('C', 'U'):
                break
            self.refuse()
        while True:
            self.say(self.state(self.coins, turn))
            most = min(self.coins, self.limit)
            if turn == 'C':
                taken = most if most == self.coins else self.rng.randint(1, most)
                all_of_them = self.all_of_them if taken == self.coins else ''
                self.say(f'The computer takes {all_of_them}{self.counted(taken)}.')
            else:
                taken = self.ask_integer('How many coins do you take? ')
                if not 1 <= taken <= most:
                    return self.cheat()
                self.say(f'You take {self.counted(taken)}.')
            self.coins -= taken
            if not self.coins:
                return self.say_winner(turn)
            turn = 'U' if turn == 'C' else 'C'

    def counted(self, coins: int) -> str:
        return f'{coins} coin{"s" * (coins != 1)}'

    def state(self, coins: int, turn: str) -> str:
        return f'COINS: {coins}  TURN: {turn}'

    def cheat(self) -> None:
        """End the game of a user who cheats."""
        self.say('You are cheating!')
        self.say_winner('C')

    def say_winner(self, winner: str) -> None:
        self.say('You win. Congratulations, and thank you for playing!' if winner == 'U'
                 else 'The computer wins. Thank you for playing!')


class Stones(AgainstComputer):
    """Taking Stones: two humans and the computer."""

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
            winner = self.play_round()
            self.wins[winner] += 1
            self.show_winner(winner)
            if self.ask_text('Would you like to play again? ').lower() not in ('y', 'yes'):
                return self.say_lines('\nGoodbye, and thank you for playing PyNIM!!!')
            games += 1
            self.say_lines(f'\nGreat! Get ready for round {games}...\n')

    def say_lines(self, text: str) -> None:
        for line in text.split('\n'):
            self.say(line)

    def play_round(self) -> int:
        """Play one round; return its winner, from 0."""
        left = self.ask_size()
        self.say_lines(f'You have selected {left} stones, {self.names[0]}. A fine choice!\n')
        player = 0
        while True:
            if player == 2:
                taken = left if left <= 3 else 1 + (left % 3 == 0)
                self.say_lines(f'The Python has removed {taken} stones...\n')
            else:
                self.say(f'There are {left} stones remaining...')
                taken = self.ask_taken(self.names[player], left)
            left -= taken
            if left <= 0:
                return player
            player = (player + 1) % 3

    def ask_size(self) -> int:
        while True:
            line = self.ask('How many stones (from 30 to 50) would you like to start the game '
                            f'with, {self.names[0]}? ')
            if not INTEGER.fullmatch(line):
                self.say('This is not even a number! Numbers consist of the digits from 0 to 9, '
                         'in case you have forgotten!')
            elif 30 <= int(line) <= 50:
                return int(line)
            else:
                self.refuse()

    def ask_taken(self, name: str, left: int) -> int:
        while True:
            line = self.ask(f'How many stones (from 1 to {self.bound(left)}) will you remove, '
                            f'{name}? (or press Enter for a mystery value): ')
            if not line.strip():
                taken = self.rng.randint(1, min(3, left))
                self.say(f'{name}, you have removed {taken} stones.')
                return taken
            if INTEGER.fullmatch(line) and 1 <= int(line) <= self.most(left):
                return int(line)
            self.say(f'You MUST enter a number from 1 to {self.bound(left)}! '
                     f'Can you even count, {name}?')

    def bound(self, left: int) -> int:
        """Return the most that may be taken, as questions say it."""
        return min(3, left)

    def most(self, left: int) -> int:
        """Return the most that may be taken."""
        return min(3, left)

    def show_winner(self, winner: int) -> None:
        name = [*self.names, 'The Python'][winner]
        first = f'*     And...THE WINNER IS......... {name}!!!     *'
        box = [first]
        if winner < 2:
            box += [('*     ' + line).ljust(len(first) - 1) + '*'
                    for line in (f'Your MIT Student ID is: {self.ids[winner]}',
                                 f'Congratulations, {name}! Nice work!')]
        self.say_lines('\n'.join(['', '*' * len(first), *box, '*' * len(first), '']))
        self.say('The score so far:')
        for player, wins in zip([*self.names, 'The Python'], self.wins):
            self.say(f'{player}: {wins}')
        self.say('')
        if winner < 2:
            self.say_lines('The Python is hissing as it concedes to your superior playing skill. '
                           'Ssssssssss...\n')
        elif self.wins[2] > self.wins[0] and self.wins[2] > self.wins[1]:
            self.say_lines('Evidently, reptilian intelligence exceeds that of humans.\nPerhaps you '
                           'can be a better example of success for your species in the next '
                           'game...?\n')
