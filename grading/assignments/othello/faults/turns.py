"""Othello programs that pass the turn, or end the game, at the wrong time."""

from __future__ import annotations

from typing import AbstractSet, ClassVar, Mapping

from ....diagnosis.fault_models import GameModel
from ..model import OTHER, Othello, Pair


class LooksLate(Othello):
    """Checks whether the players can move only after it has printed the board."""

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
    """Checks neither for a pass nor for the end before the first move."""

    def start(self) -> None:
        pass


class NeverPasses(LooksLate):
    """Never passes a turn, not even before the first move."""

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
    """Prints the whole state with TURN for a player who cannot move, then passes."""

    stuck: str | None = None

    @property
    def skipped(self) -> str | None:
        """The player who cannot move, None if it is nobody or this player moves all the same."""
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
    """Prints TURN for the player who cannot move, and then TURN for the other player."""

    def show(self) -> None:
        Othello.show(self)

    def say_turn(self, color: str) -> None:
        if self.skipped:
            super().say_turn(self.skipped)
        self.stuck = None
        super().say_turn(color)


class LatePassMove(LatePass):
    """Prints TURN for a player who cannot move, but takes the move as one of the other player."""

    def show(self) -> None:
        Othello.show(self)

    def say_turn(self, color: str) -> None:
        super().say_turn(self.skipped or color)
        self.stuck = None


class LatePassRefused(LatePass):
    """Prints TURN for a player who cannot move, and passes after it has refused a move."""

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
    """Passes before the first move as it should, and too late afterwards."""

    def start(self) -> None:
        super().start()
        self.stuck = None


def late_passes() -> list[type[GameModel]]:
    passes = [LatePass, LatePassTurn, LatePassMove, LatePassRefused]
    return [*passes, *(type(late.__name__, (RightStart, late), {}) for late in passes)]


class NeverEnds(Othello):
    """Gives the turn to the next player when nobody can move."""

    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        self.turn = self.turn or self.next_of(color)

    def next_of(self, color: str) -> str:
        return color


class NeverEndsBack(NeverEnds):
    """Gives the turn to the same player again when nobody can move."""

    def next_of(self, color: str) -> str:
        return OTHER[color]


class FullBoardOnly(NeverEnds):
    """Ends only when the board is full."""

    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        if not any('.' in row for row in self.board):
            self.turn = None


class FullBoardOnlyBack(FullBoardOnly, NeverEndsBack):
    pass


class EndsAtInvalid(Othello):
    """Ends at the first invalid move."""

    def refuse(self) -> None:
        super().refuse()
        self.turn = None


class StartMoves(Othello):
    """Accepts only moves that were legal at the start.

    These are the moves of each color, or those of the first player for both (`is_shared`).
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
    """Uses the moves that were legal at the start to decide on passes and the end, too."""

    def is_legal(self, row: int, column: int, color: str) -> bool:
        return (row, column) in self.moves[color]


class NoMovesAtStart(Othello):
    """Refuses every first move: it computes legal moves only after a move."""

    def accepts(self, row: int, column: int, color: str) -> bool:
        return hasattr(self, 'moved') and super().accepts(row, column, color)


class EndsInsteadOfPassing(LooksLate):
    def hand_over(self, color: str) -> None:
        super().hand_over(color)
        if self.turn != color:
            self.turn = None


class EndsInsteadOfPassingLater(EndsInsteadOfPassing):
    """Ends the game instead of passing, except before the first move."""

    def start(self) -> None:
        first = self.turn or ''
        Othello.hand_over(self, first)
