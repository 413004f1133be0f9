"""The assignments: sessions in order, and everything about a single game."""

from pathlib import Path

from ..installation import ROOT, own_module

# The modules below import the games' logic by name. Import it here by its path: a file with that
# name in another folder may be somebody else's.
for package in sorted(Path(__file__).parent.glob('*/__init__.py')):
    if (ROOT / f'{package.parent.name}_logic.py').exists():
        own_module(f'{package.parent.name}_logic')
