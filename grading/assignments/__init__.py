"""What is graded: sessions in order, and all that is particular to a game."""

from ..project import ROOT, own_module

# They are imported by name below. A file of such a name that lies elsewhere can be anybody's.
for logic in sorted(ROOT.glob('*_logic.py')):
    own_module(logic.stem)
