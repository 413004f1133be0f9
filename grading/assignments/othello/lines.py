"""Othello programs that print, or read, otherwise than they should."""

from __future__ import annotations

from typing import ClassVar

from ...diagnosis.models import varied
from ...diagnosis.session import Session
from .model import OTHER, Cell, Othello


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


class TurnMissing(Othello):
    def say_turn(self, color: str) -> None:
        pass


class TurnLast(Othello):
    """The turn of the player who would be next, or of the other; of nobody."""

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


def turns_last() -> list[type[Session]]:
    whose = [OTHER, {'B': 'B', 'W': 'W'}, {'B': 'NONE', 'W': 'NONE'}]
    return [varied(TurnLast, last=later, last_at_start=start)
            for later in whose for start in whose if (later is whose[2]) == (start is whose[2])]


class WinnerMissing(Othello):
    def say_winner(self, winner: str) -> None:
        pass


# What is read

class RowsColumnsSwapped(Othello):
    def cell_on(self, line: str) -> Cell | None:
        cell = super().cell_on(line)
        return cell and (cell[1], cell[0])


class FromZero(Othello):
    def cell_on(self, line: str) -> Cell | None:
        cell = super().cell_on(line)
        return cell and (cell[0] + 1, cell[1] + 1)


class SquareRules(Othello):
    """The whole board is read and printed, and only so many columns are played on."""

    def set_up(self) -> None:
        super().set_up()
        self.columns = self.rows


class SquareBoard(SquareRules):
    """Only so many columns are kept."""

    def set_up(self) -> None:
        super().set_up()
        self.board = [row[:self.rows] for row in self.board]


class SquareMoves(Othello):
    """Only moves are refused, not runs."""

    def has(self, row: int, column: int) -> bool:
        return super().has(row, column) and column < self.rows


class FirstPlayer(Othello):
    def start(self) -> None:
        self.turn = 'B'
        super().start()


class WinsIgnored(Othello):
    def set_up(self) -> None:
        super().set_up()
        self.wins = '>'


class WinsSwapped(Othello):
    def set_up(self) -> None:
        super().set_up()
        self.wins = '<' if self.wins == '>' else '>'


class NoTie(Othello):
    """Names the player who would win with one disc more, or one less."""

    names: ClassVar[dict[str, str]] = {'>': 'B', '<': 'B'}

    def winner(self) -> str:
        winner = super().winner()
        return self.names[self.wins] if winner == 'NONE' else winner
