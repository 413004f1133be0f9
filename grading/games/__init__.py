"""The games: all that is particular to one of them is in its folder.

registry      finds the games, and the game of a session
consoles      plays our own consoles, and records what they print
known_faults  what a known fault is: only the diagnosis needs it
game          what the engine asks of a game
othello, nim  the games of one console each: models, known faults, hints, fresh games, pictures
"""

from pathlib import Path

from ..installation import ROOT, own_module

# The modules below import the games' logic by name. Import it here by its path: a file with that
# name in another folder may be somebody else's.
for package in sorted(Path(__file__).parent.glob('*/__init__.py')):
    if (ROOT / f'{package.parent.name}_logic.py').exists():
        own_module(f'{package.parent.name}_logic')
