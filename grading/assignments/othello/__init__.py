"""Othello: all that the grader knows of it."""

from ..game import Game
from .faults.table import FAULTS
from .fresh import MAKER
from .hints import hint
from .model import Othello
from .positions import find_boards

OTHELLO = Game('othello', ('othello_console.py',), Othello, FAULTS, hint, find_boards, MAKER)
