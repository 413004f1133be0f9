"""A third game, which a test adds to the project."""

from ..game import Game

GAMES = (Game('sums', ('sums_console.py',)),)
