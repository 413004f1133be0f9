"""The assignments: their sessions in order, and everything about each game.

`games` finds an assignment by its name, or reads it from a folder, with its `assignment.ini`, or
from the file of one session. Each folder here has the games of one console: models, known faults,
hints, fresh games, pictures of positions.
"""

from pathlib import Path

from ..installation import ROOT, own_module

# The modules below import the games' logic by name. Import it here by its path: a file with that
# name in another folder may be somebody else's.
for package in sorted(Path(__file__).parent.glob('*/__init__.py')):
    if (ROOT / f'{package.parent.name}_logic.py').exists():
        own_module(f'{package.parent.name}_logic')
