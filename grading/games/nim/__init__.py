"""The four games of Nim."""

from ..game import Game

CONSOLE = 'nim_console.py'

GAMES = (
    Game('recorded', (CONSOLE, 'recorded')),
    Game('stones', (CONSOLE, 'stones'), has_prompts=True),
    Game('tlcw', (CONSOLE, 'tlcw'), has_prompts=True),
    Game('piles', (CONSOLE, 'piles'), has_prompts=True),
)
