"""The faults of programs for the third game."""

from ..known_faults import GameFaults
from ..model import GameModel


class Sums(GameModel):
    """A session of sums."""

    def play(self) -> None:
        total = 0
        for number in iter(lambda: int(self.ask('')), 0):
            total += number
            self.say(f'Now {total}')
        self.say(f'In all {total}')


FAULTS = {'sums': GameFaults(Sums)}
