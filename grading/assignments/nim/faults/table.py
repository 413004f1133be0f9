"""The faults of Nim programs that are known, in order of simplicity."""

from __future__ import annotations

from ....diagnosis.model import Known, fixed
from ..model import Recorded
from . import played


class RecordedOneBlank(Recorded):
    def state(self) -> str:
        return super().state().replace('  ', ' ')


class PilesFromZero(Recorded):
    def number(self, pile: int) -> int:
        return super().number(pile) - 1


class PrintsBeforeChecking(Recorded):
    """All lines are integers before anything is printed, and the setup is right."""

    def tell(self, line: str) -> None:
        self.say(line)


class PrintsAfterReading(PrintsBeforeChecking):
    """All lines are two integers, but for the second."""

    def check_lines(self, rows: list[list[str]]) -> None:
        super().check_lines(rows)
        if any(len(row) != 2 for row in [rows[0], *rows[2:]]):
            raise ValueError


class PrintsBeforeReading(PrintsBeforeChecking):
    """A line is looked at when its turn has come."""

    def check_lines(self, rows: list[list[str]]) -> None:
        pass


class PrintsStart(PrintsBeforeChecking):
    """The start is printed, right or not."""

    def begin(self, is_right: bool) -> None:
        super().begin(True)
        if not is_right:
            raise ValueError('setup')


class PrintsStartBeforeReading(PrintsStart, PrintsBeforeReading):
    pass


class PrintsStartAfterReading(PrintsStart, PrintsAfterReading):
    pass


class LastMoveUnchecked(Recorded):
    """What is left is checked."""

    def is_legal(self, pile: int, taken: int, is_last: bool) -> bool:
        return is_last or super().is_legal(pile, taken, is_last)


class LastMoveAndEndUnchecked(LastMoveUnchecked):
    def is_over(self) -> bool:
        return True


class LastMoveLeavesOne(LastMoveUnchecked):
    """At most one token is left."""

    def is_over(self) -> bool:
        return sum(self.sizes) <= 1


class SumUnchecked(Recorded):
    def adds_up(self, counters: int) -> bool:
        return True


class EmptiesAll(Recorded):
    """The player to move loses, though nothing is left."""

    def leaves_enough(self, taken: int) -> bool:
        return True

    def is_over(self) -> bool:
        return super().is_over() or sum(self.sizes) == 0


class EmptiesAllLoses(EmptiesAll):
    """Who has emptied all loses."""

    def loser(self) -> int:
        return super().loser() if sum(self.sizes) else 3 - super().loser()


class NormalPlay(Recorded):
    def loser(self) -> int:
        return 3 - super().loser()


RECORDED = [
    Known('one-blank', 'puts one blank between the piles', 'Print two blanks between piles.',
          fixed(RecordedOneBlank), is_printing=True),
    Known('piles-from-zero', 'counts the piles from 0 where it prints them',
          'Add 1 to the number of the pile that you print.', fixed(PilesFromZero)),
    Known('prints-before-checking', 'prints states before it has checked the whole game',
          'Keep what you would print until the last line is checked; if anything is wrong, print '
          'Invalid Game. alone.',
          fixed(PrintsBeforeChecking, PrintsAfterReading, PrintsBeforeReading, PrintsStart,
                PrintsStartAfterReading, PrintsStartBeforeReading)),
    Known('last-move-unchecked', 'does not check the last move',
          'Check the last move as you check the others.',
          fixed(LastMoveUnchecked, LastMoveAndEndUnchecked, LastMoveLeavesOne)),
    Known('sum-unchecked', 'does not check that the piles add up to the counters',
          'The first number of the file is how many tokens there are in all piles together.',
          fixed(SumUnchecked)),
    Known('empties-all', 'allows a move that empties all piles',
          'A move that leaves no token at all makes the game invalid.',
          fixed(EmptiesAll, EmptiesAllLoses)),
    Known('normal-play', 'names the wrong loser',
          'The player whose turn it is when one token is left loses.', fixed(NormalPlay)),
]
ASKS_AGAIN = Known(
    'asks-again', 'asks again with other words',
    'Where an answer is refused, print what is shown under expected, and nothing else.',
    fixed(played.AsksAgain), is_printing=True)
PILES = [
    Known('accepts-refused', 'accepts numbers that are to be refused',
          'Ask again until the user names a pile that is not empty, and then a number from 1 to '
          'its size.',
          fixed(*played.accepting())),
    Known('piles-from-one', 'counts the piles from 1 where it prints them',
          'Print the number of a pile as it is typed: the first is pile 0.',
          fixed(played.PilesFromOne, played.MovesFromOne)),
    Known('highest-pile', 'makes an optimal move, but not in the lowest-numbered pile',
          'Of all piles that have an optimal move take the one with the lowest number.',
          fixed(played.HighestPile)),
    Known('not-optimal', 'makes moves that are not optimal',
          'Reduce a pile to its size XOR the nim-sum, where that is less than its size.',
          fixed(played.NotOptimal)),
]
TLCW = [
    ASKS_AGAIN,
    Known('one-blank', 'puts one blank before TURN', 'Print two blanks before TURN.',
          fixed(played.TlcwOneBlank), is_printing=True),
    Known('cheat-wins', 'lets a cheat win', 'Who cheats has lost: the computer wins.',
          fixed(played.CheatWins)),
]
STONES = [
    Known('fixed-bound', 'always says 1 to 3', 'Say 1 to 2, or 1 to 1, when fewer than 3 are left.',
          fixed(played.FixedBound, played.FixedBoundTaken)),
]
