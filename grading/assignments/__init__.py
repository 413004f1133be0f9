"""The assignments: sessions in order, and everything about a single game."""

from pathlib import Path

from ..installation import ROOT, own_module

# The games' logic is imported by name below. A file of such a name that lies elsewhere, or another
# one that lies beside ours, can be anybody's.
for package in sorted(Path(__file__).parent.glob('*/__init__.py')):
    if (ROOT / f'{package.parent.name}_logic.py').exists():
        own_module(f'{package.parent.name}_logic')
