"""Nim in four forms: all that the grader knows of them."""

from typing import Sequence, Type

from ...diagnosis.known import Known
from ...diagnosis.model import GameModel
from ..game import Game
from .faults import table as faults
from .hints import hint
from .model import Piles, Recorded, Tlcw
from .positions import find_piles
from .stones import Stones


def game(name: str, model: Type[GameModel], known: Sequence[Known]) -> Game:
    """Return one of the four games."""
    return Game(name, ('nim_console.py', name), model, known, hint, find_piles,
                fresh=f'{__name__}.fresh')


RECORDED = game('recorded', Recorded, faults.RECORDED)
STONES = game('stones', Stones, faults.STONES)
TLCW = game('tlcw', Tlcw, faults.TLCW)
PILES = game('piles', Piles, faults.PILES)
