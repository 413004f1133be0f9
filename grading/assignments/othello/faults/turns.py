"""Othello programs that pass the turn, or end the game, otherwise than they should."""

from __future__ import annotations

from typing import AbstractSet, ClassVar, Mapping

from ....diagnosis.model import GameModel
from ..model import OTHER, Othello, Pair


class LooksLate(Othello):
    """Looks whether either can move, and may crash there, once the board is printed."""

    crash: LookupError | None = None

    def hand_over(self, color: str) -> None:
        try:
            super().hand_over(color)
            self.can_move(OTHER[color])
        except LookupError as error:
            self.crash = error

    def say_turn(self, color: str) -> None:
        if self.crash:
            raise self.crash
        super().say_turn(color)


class StuckStart(LooksLate):
    def start(self) -> None:
        first = self.turn
        super().start()
        self.turn = self.turn and first

    def hand_over(self, color: str) -> None:
        if hasattr(self, 'moved'):
            super(LooksLate, self).hand_over(color)
        else:
            super().hand_over(color)


class NoLookAtStart(Othello):
    """Does not look for the end before the first move either."""

    def start(self) -> None:
        pass


class NeverPasses(LooksLate):
    """Does not look for a pass before the first move either."""

    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        self.turn = self.turn and color


class NeverPassesLater(Othello):
    is_started = False

    def start(self) -> None:
        super().start()
        self.is_started = True

    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        if self.is_started:
            self.turn = self.turn and color


class LatePass(Othello):
    """Shows the whole state with the turn of the player who cannot move, then again."""

    stuck: str | None = None

    @property
    def skipped(self) -> str | None:
        """The player whose turn was passed, unless it is that player's all the same."""
        return self.stuck if self.stuck != self.turn else None

    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        self.stuck = color if self.turn == OTHER[color] else None

    def show(self) -> None:
        if self.skipped:
            self.turn, self.stuck = self.skipped, None
            super().show()
            self.turn = OTHER[self.turn]
        super().show()


class LatePassTurn(LatePass):
    """Prints the two `TURN` lines, one after the other."""

    def show(self) -> None:
        Othello.show(self)

    def say_turn(self, color: str) -> None:
        if self.skipped:
            super().say_turn(self.skipped)
        self.stuck = None
        super().say_turn(color)


class LatePassMove(LatePass):
    """Passes once the next move has been read, which is the other player's."""

    def show(self) -> None:
        Othello.show(self)

    def say_turn(self, color: str) -> None:
        super().say_turn(self.skipped or color)
        self.stuck = None


class LatePassRefused(LatePass):
    """Passes once a move has been refused."""

    def show(self) -> None:
        skipped, self.stuck = self.skipped, None
        if skipped:
            self.turn = skipped
            Othello.show(self)
            self.read_move()
            self.refuse()
            self.turn = OTHER[skipped]
        Othello.show(self)


class RightStart(LatePass):
    """Only a start without a pass is announced as it should be."""

    def start(self) -> None:
        super().start()
        self.stuck = None


def late_passes() -> list[type[GameModel]]:
    passes = [LatePass, LatePassTurn, LatePassMove, LatePassRefused]
    return [*passes, *(type(late.__name__, (RightStart, late), {}) for late in passes)]


class FullBoardOnly(Othello):
    """The turn passes on for ever, though nobody can move."""

    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        if not any('.' in row for row in self.board):
            self.turn = None
        elif not self.turn:
            self.turn = self.next_of(color)

    def next_of(self, color: str) -> str:
        return color


class FullBoardOnlyBack(FullBoardOnly):
    """The turn stays with the last mover."""

    def next_of(self, color: str) -> str:
        return OTHER[color]


class EndsAtInvalid(Othello):
    """Ends at the first move that is refused."""

    def refuse(self) -> None:
        super().refuse()
        self.turn = None


class StartMoves(Othello):
    """Accepts only the moves that there are at the start, as long as the game goes on.

    They are those of each color; or those of the first player, for both.
    """

    is_shared: ClassVar[bool]
    moves: Mapping[str, AbstractSet[Pair]] = {'B': frozenset(), 'W': frozenset()}

    def start(self) -> None:
        first = self.turn or ''
        self.moves = {color: {(row, column) for row in range(self.rows)
                              for column in range(self.columns)
                              if self.gains_at(row, column, first if self.is_shared else color)}
                      for color in OTHER}
        super().start()

    def gains_at(self, row: int, column: int, color: str) -> bool:
        return self.is_empty(row, column, color) and Othello.gains(self, row, column, color)

    def accepts(self, row: int, column: int, color: str) -> bool:
        return (row, column) in self.moves[color]


class StartMovesEnd(StartMoves):
    """And asks only them whether a turn is passed, or the game over."""

    def is_legal(self, row: int, column: int, color: str) -> bool:
        return (row, column) in self.moves[color]


class NoMovesAtStart(Othello):
    """Knows no moves before one has been made, and refuses all."""

    def accepts(self, row: int, column: int, color: str) -> bool:
        return hasattr(self, 'moved') and super().accepts(row, column, color)


class EndsInsteadOfPassing(LooksLate):
    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        if self.turn != color:
            self.turn = None


class EndsInsteadOfPassingLater(EndsInsteadOfPassing):
    """Passes before the first move."""

    def start(self) -> None:
        first = self.turn or ''
        Othello.hand_over(self, first)
