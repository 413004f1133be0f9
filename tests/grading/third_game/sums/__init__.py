"""A third game."""

from ..game import Game

GAMES = (Game('sums', ('sums_console.py',)),)
