"""The game of Othello."""

from ..game import Game

GAMES = (Game('othello', ('othello_console.py',), begins=r'\d+\n\d+\n[BW]\n[<>](\n|$)'),)
