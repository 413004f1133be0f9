"""Nim against the computer: what its games share, and the shortest of them, TLCW."""

from __future__ import annotations

import random
import re
from typing import Collection, Container, Iterable

from ...diagnosis.model import GameModel

INTEGER = re.compile(r'[ \t]*[+-]?[0-9]+[ \t]*')


class AgainstComputer(GameModel):
    """A game against the computer, whose questions are asked until they are answered."""

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        super().__init__(lines, arguments)
        words = [*arguments]
        self.rng = random.Random(
            int(words[words.index('--seed') + 1]) if '--seed' in words else None)

    def refuse(self) -> None:
        if not self.prompts:
            self.say('INVALID')

    def ask_integer(self, prompt: str, choices: Container[int] | None = None) -> int:
        """Ask until an integer comes, among the choices if there are any."""
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

    def play(self) -> None:
        coins = self.ask_integer('How many coins are there to begin with? ', range(2, 10**9))
        most = self.ask_integer('How many may be taken on each turn? ', range(1, coins))
        while True:
            turn = self.ask('Who starts, the computer (C) or you (U)? ').strip().upper()
            if turn in ('C', 'U'):
                break
            self.refuse()
        while True:
            self.say(self.state(coins, turn))
            if turn == 'C':
                taken = coins if coins <= most else self.rng.randint(1, most)
                all_of_them = 'all ' if taken == coins else ''
                self.say(f'The computer takes {all_of_them}{taken} coin{"s" * (taken != 1)}.')
            else:
                taken = self.ask_integer('How many coins do you take? ')
                if not 1 <= taken <= min(coins, most):
                    return self.cheat()
                self.say(f'You take {taken} coin{"s" * (taken != 1)}.')
            coins -= taken
            if not coins:
                return self.say_winner(turn)
            turn = 'U' if turn == 'C' else 'C'

    def state(self, coins: int, turn: str) -> str:
        return f'COINS: {coins}  TURN: {turn}'

    def cheat(self) -> None:
        """End the game of a user who cheats."""
        self.say('You are cheating!')
        self.say_winner('C')

    def say_winner(self, winner: str) -> None:
        self.say('You win. Congratulations, and thank you for playing!' if winner == 'U'
                 else 'The computer wins. Thank you for playing!')
