"""Fresh games of the third game."""

from random import Random

from ..game import Maker


def make(rng: Random) -> list[str]:
    """Return the input lines of a fresh game."""
    return [*(str(rng.randint(1, 99)) for _ in range(rng.randint(1, 9))), '0']


MAKERS = {'sums': Maker(make)}
