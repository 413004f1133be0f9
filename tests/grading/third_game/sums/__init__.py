"""A third game: all that the grader knows of it."""

from random import Random

from ..game import Game, GameModel, Maker


class Sums(GameModel):
    """A session of sums."""

    def play(self) -> None:
        total = 0
        for number in iter(lambda: int(self.ask('')), 0):
            total += number
            self.say(f'Now {total}')
        self.say(f'In all {total}')


def make(rng: Random) -> list[str]:
    """Return the lines of a fresh game."""
    return [*(str(rng.randint(1, 99)) for _ in range(rng.randint(1, 9))), '0']


GAMES = (Game('sums', ('sums_console.py',), Sums, maker=Maker(make)),)
