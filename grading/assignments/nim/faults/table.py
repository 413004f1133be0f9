"""The faults of Nim programs that are known, in order of simplicity."""

from __future__ import annotations

from ....diagnosis.fault_models import Known, fixed, mixed
from ..model import Recorded
from . import computer


class RecordedOneBlank(Recorded):
    def state(self) -> str:
        return super().state().replace('  ', ' ')


class PilesFromZero(Recorded):
    def number(self, pile: int) -> int:
        return super().number(pile) - 1


class PrintsBeforeChecking(Recorded):
    """Prints states before it has checked all moves; it checks form and setup first."""

    def tell(self, line: str) -> None:
        self.say(line)


class PrintsAfterReading(PrintsBeforeChecking):
    """Prints states before it has checked the moves; all lines but the second are two integers."""

    def check_lines(self, rows: list[list[str]]) -> None:
        super().check_lines(rows)
        if any(len(row) != 2 for row in [rows[0], *rows[2:]]):
            raise ValueError


class PrintsBeforeReading(PrintsBeforeChecking):
    """Looks at each line only after it has printed the states before."""

    def check_lines(self, rows: list[list[str]]) -> None:
        pass


class PrintsStart(PrintsBeforeChecking):
    """Prints the starting state even if the setup is wrong."""

    def begin(self, is_right: bool) -> None:
        super().begin(True)
        if not is_right:
            raise ValueError('setup')


class PrintsStartBeforeReading(PrintsStart, PrintsBeforeReading):
    pass


class PrintsStartAfterReading(PrintsStart, PrintsAfterReading):
    pass


class EmptiesLater(Recorded):
    """Checks only after it has told a move whether the move leaves a token."""

    def leaves_enough(self, taken: int) -> bool:
        return True

    def tell(self, line: str) -> None:
        super().tell(line)
        if line == self.state() and not any(self.sizes):
            raise ValueError('empty')


PRINTING_BEFORE = [PrintsBeforeChecking, PrintsAfterReading, PrintsBeforeReading, PrintsStart,
                   PrintsStartAfterReading, PrintsStartBeforeReading]


class LastMoveUnchecked(Recorded):
    """Does not check the last move, but does check what is left at the end."""

    def is_legal(self, pile: int, taken: int, is_last: bool) -> bool:
        return is_last or super().is_legal(pile, taken, is_last)


class LastMoveAndEndUnchecked(LastMoveUnchecked):
    def is_over(self) -> bool:
        return True


class LastMoveLeavesOne(LastMoveUnchecked):
    """Does not check the last move; at most one token must be left."""

    def is_over(self) -> bool:
        return sum(self.sizes) <= 1


class SumUnchecked(Recorded):
    def adds_up(self, counters: int) -> bool:
        return True


class EmptiesAll(Recorded):
    """Allows a move that empties all piles; then the player whose turn it is loses."""

    def leaves_enough(self, taken: int) -> bool:
        return True

    def is_over(self) -> bool:
        return super().is_over() or sum(self.sizes) == 0


class EmptiesAllLoses(EmptiesAll):
    """Allows a move that empties all piles; then the player who made it loses."""

    def loser(self) -> int:
        return super().loser() if sum(self.sizes) else 3 - super().loser()


class NormalPlay(Recorded):
    def loser(self) -> int:
        return 3 - super().loser()


RECORDED = [
    Known('one-blank', 'prints only one blank between the piles',
          'Print two blanks between piles.',
          fixed(RecordedOneBlank), is_printing=True),
    Known('piles-from-zero', 'prints numbers of piles that start at 0',
          'Add 1 to the number of a pile before you print it.', fixed(PilesFromZero)),
    Known('prints-before-checking', 'prints states before it has checked the whole game',
          'Check all lines before you print anything. If a line is wrong, print only "Invalid '
          'Game."',
          fixed(*PRINTING_BEFORE, *(mixed(EmptiesLater, made) for made in PRINTING_BEFORE))),
    Known('last-move-unchecked', 'does not check the last move',
          'Check the last move like the other moves.',
          fixed(LastMoveUnchecked, LastMoveAndEndUnchecked, LastMoveLeavesOne)),
    Known('sum-unchecked', 'does not check how many tokens the piles have in all',
          'The first number of the file must be the number of tokens in all piles together.',
          fixed(SumUnchecked)),
    Known('empties-all', 'allows a move that empties all piles',
          'A move that leaves no token makes the game invalid.',
          fixed(EmptiesAll, EmptiesAllLoses)),
    Known('normal-play', 'names the wrong loser',
          'When one token is left, the player whose turn it is loses.', fixed(NormalPlay)),
]
ASKS_AGAIN = Known(
    'asks-again', 'asks again in other words',
    'After a wrong answer print exactly what stands under "expected".',
    fixed(computer.AsksAgain), is_printing=True)
PILES = [
    Known('accepts-refused', 'accepts numbers that it must refuse',
          'Ask again until the user names a pile that is not empty, and then a number from 1 to '
          'the size of that pile.',
          fixed(*computer.accepting())),
    Known('piles-from-one', 'prints numbers of piles that start at 1',
          'Print the number of a pile as the user types it: the first pile is pile 0.',
          fixed(computer.PilesFromOne, computer.MovesFromOne)),
    Known('highest-pile', 'makes an optimal move, but not in the pile with the lowest number',
          'If several piles have an optimal move, take the pile with the lowest number.',
          fixed(computer.HighestPile)),
    Known('not-optimal', 'makes moves that are not optimal',
          'Find a pile whose size XOR the nim-sum is less than its size, and reduce the pile to '
          'that number.',
          fixed(computer.NotOptimal)),
]
TLCW = [
    ASKS_AGAIN,
    Known('one-blank', 'prints only one blank before TURN',
          'Print two blanks before TURN.',
          fixed(computer.TlcwOneBlank), is_printing=True),
    Known('always-coins', 'prints coins also for one coin',
          'Print coin for 1, and coins for other numbers.',
          fixed(computer.AlwaysCoins), is_printing=True),
    Known('all-missing', 'does not print all when the computer takes all coins',
          'When the computer takes the last coins, print all before their number.',
          fixed(computer.NeverAll), is_printing=True),
    Known('cheat-wins', 'lets a player who cheats win',
          'A player who cheats loses: the computer wins.',
          fixed(computer.CheatWins)),
]
STONES = [
    Known('fixed-bound', 'always says 1 to 3',
          'When fewer than 3 stones are left, say 1 to 2, or 1 to 1.',
          fixed(computer.FixedBound, computer.FixedBoundTaken)),
]
