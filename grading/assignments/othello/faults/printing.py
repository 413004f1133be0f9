"""Othello programs that print other lines than the protocol has."""

from __future__ import annotations

import re
from typing import ClassVar, Iterable

from ....diagnosis.fault_models import Departure, GameModel, varied
from ..model import OTHER, Othello


class OneBlank(Othello):
    def counts(self, black: int, white: int) -> str:
        return super().counts(black, white).replace('  ', ' ')


class CountsSwapped(Othello):
    def counts(self, black: int, white: int) -> str:
        return super().counts(white, black)


class NoFull(Othello):
    def greet(self) -> None:
        pass


class BoardAfterInvalid(Othello):
    def refuse(self) -> None:
        super().refuse()
        self.show()

    @classmethod
    def detail(cls) -> str:
        return ': counts, board and TURN'


class TurnAfterInvalid(Othello):
    def refuse(self) -> None:
        super().refuse()
        self.say_turn(self.turn or '')

    @classmethod
    def detail(cls) -> str:
        return ': TURN'


class TurnMissing(Othello):
    def say_turn(self, color: str) -> None:
        pass


class TurnLast(Othello):
    """Prints a TURN line when the game is over: the next player, the other one, or NONE."""

    last: ClassVar[dict[str, str]] = OTHER
    last_at_start: ClassVar[dict[str, str]] = OTHER
    following = ''
    is_started = False

    def hand_over(self, color: str) -> None:
        self.following = (self.last if self.is_started else self.last_at_start)[color]
        self.is_started = True
        super().hand_over(color)

    def say_winner(self, winner: str) -> None:
        self.say(f'TURN: {self.following}')
        super().say_winner(winner)


def turns_last() -> list[type[GameModel]]:
    whose = [OTHER, {'B': 'B', 'W': 'W'}, {'B': 'NONE', 'W': 'NONE'}]
    return [varied(TurnLast, last=later, last_at_start=start)
            for later in whose for start in whose if (later is whose[2]) == (start is whose[2])]


class WinnerMissing(Othello):
    def say_winner(self, winner: str) -> None:
        pass


class NoTie(Othello):
    """Names a winner when the counts are equal, under each rule the same player."""

    names: ClassVar[dict[str, str]] = {'>': 'B', '<': 'B'}

    def winner(self) -> str:
        winner = super().winner()
        return self.names.get(self.wins, 'B') if winner == 'NONE' else winner


class OneWinner(Othello):
    """Names the same winner for every game."""

    name: ClassVar[str] = 'B'

    def winner(self) -> str:
        return self.name


class RowNumbers(Othello):
    """Prints before each row its number, from 0 or 1, in a fixed width, and a separator."""

    first: ClassVar[int] = 1
    width: ClassVar[int] = 1
    between: ClassVar[str] = ' '

    def say_row(self, number: int, row: str) -> None:
        super().say_row(number, f'{number + self.first:{self.width}}{self.between}{row}')


def with_row_numbers(place: Departure) -> Iterable[type[GameModel]]:
    """Yield the variant whose number stands before the next row that is due, if one does."""
    row = re.escape(place.due.rstrip('\n'))
    for line in place.session.upcoming().split('\n')[:2]:
        numbered = re.fullmatch(f'( *[01])([^\\w.]+){row} *', line) if row else None
        if numbered:
            yield varied(RowNumbers, first=int(numbered[1]), width=len(numbered[1]),
                         between=numbered[2])
