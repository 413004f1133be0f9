"""Programs with faults for the Nim games against the computer."""

from __future__ import annotations

import re
from typing import Container

from ....diagnosis.fault_models import GameModel, mixed
from ..computer import AgainstComputer, Stones, Tlcw
from ..model import MANY, Piles


class PilesFromOne(Piles):
    """Prints states with pile numbers that start at 1."""

    numbers = r'(?<=^pile )\d+'

    def say(self, line: str) -> None:
        super().say(re.sub(self.numbers, lambda number: str(int(number[0]) + 1), line))


class MovesFromOne(PilesFromOne):
    """Prints states and the computer's moves with pile numbers that start at 1."""

    numbers = r'(?<=^pile )\d+|(?<=from pile )\d+'


class HighestPile(Piles):
    """Makes the same optimal move as the program."""

    def choose(self, wins: list[tuple[int, int]]) -> tuple[int, int]:
        move = self.shown_move()
        return move if move in wins else super().choose(wins)


class NotOptimal(Piles):
    """Makes the same legal move as the program."""

    def choose(self, wins: list[tuple[int, int]]) -> tuple[int, int]:
        move = self.shown_move()
        return move if move in self.legal_moves() else super().choose(wins)


class CheatWins(Tlcw):
    def cheat(self) -> None:
        self.say('You are cheating!')
        self.say_winner('U')


class TlcwOneBlank(Tlcw):
    def state(self, coins: int, turn: str) -> str:
        return super().state(coins, turn).replace('  ', ' ')


class FixedBound(Stones):
    def bound(self, left: int) -> int:
        return 3


class FixedBoundTaken(FixedBound):
    """Always says 1 to 3, and lets the user take more than there are."""

    def most(self, left: int) -> int:
        return 3


class AlwaysCoins(Tlcw):
    def counted(self, coins: int) -> str:
        return f'{coins} coins'


class NeverAll(Tlcw):
    all_of_them = ''


class AsksAgain(AgainstComputer):
    """Asks again in the program's words."""

    asked = ''

    def ask(self, prompt: str) -> str:
        self.asked = prompt
        return super().ask(prompt)

    def refuse(self) -> None:
        line, newline, _ = self.upcoming().partition('\n')
        if newline and line != 'INVALID' and any(map(str.isalpha, line)) and not (
                self.prompts and line.startswith(self.asked)):
            self.say(line)
        else:
            super().refuse()


class AcceptsEmptyPile(Piles):
    def ask_pile(self) -> int:
        return self.ask_integer('Which pile? ', range(len(self.sizes)))


class AcceptsIndex(Piles):
    """Accepts negative numbers of piles, as Python's indexes."""

    def ask_pile(self) -> int:
        return self.ask_integer('Which pile? ', range(-len(self.sizes), len(self.sizes)))


class AcceptsZero(Piles):
    def ask_number(self, size: int) -> int:
        return self.ask_integer('How many? ', range(size + 1))


class LessThanNothing(Piles):
    """Makes the same move as the program once a pile has less than 0."""

    def choose(self, wins: list[tuple[int, int]]) -> tuple[int, int]:
        pile, number = self.shown_move()
        is_lost = min(self.sizes) < 0 and pile < len(self.sizes)
        return (pile, number) if is_lost else super().choose(wins)


class AcceptsMore(LessThanNothing):
    def ask_number(self, size: int) -> int:
        return self.ask_integer('How many? ', MANY)


class AcceptsAny(LessThanNothing):
    def ask_number(self, size: int) -> int:
        return self.ask_integer('How many? ')


class AcceptsMoreAsAll(AcceptsMore):
    """Accepts more than a pile has, and takes the whole pile."""

    def ask_number(self, size: int) -> int:
        return min(size, super().ask_number(size))


class AcceptsAnySetup(Piles):
    """Accepts piles of 0 or fewer, or no piles at all."""

    is_set_up = False

    def show(self) -> None:
        self.is_set_up = True
        super().show()

    def is_choice(self, number: int, choices: Container[int] | None) -> bool:
        return not self.is_set_up or super().is_choice(number, choices)


def accepting() -> list[type[GameModel]]:
    """Return all variants that accept numbers which they must refuse."""
    piles, numbers = (AcceptsEmptyPile, AcceptsIndex), (
        AcceptsZero, AcceptsMore, AcceptsMoreAsAll, AcceptsAny)
    return [*piles, *numbers, AcceptsAnySetup,
            *(mixed(pile, number) for pile in piles for number in numbers)]
