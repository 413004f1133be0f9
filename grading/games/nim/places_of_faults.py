"""Where in a program for Nim each kind of fault is: its nim-sums."""

from __future__ import annotations

from ..kinds import Kind
from ..traced_program import Statement, TracedProgram, names_in

XOR = r'\^|\bxor\b'  # computes a nim-sum


def choices(program: TracedProgram) -> set[Statement]:
    """Return the statements that compute a nim-sum, what sets their names, and all around them.

    That is the rest of their functions, or the innermost loops.
    """
    computing = program.matching(XOR)
    functions, names = {one.within for one in computing} - {None}, names_in(computing)
    loops = {loop for one in computing for loop in one.loops[:1]}
    around = {one for one in program.ran if one.within in functions or one.sets & names}
    return computing | loops | around


CHOICE = Kind('choice', points_to=choices, is_of_moves=True)  # the computer's move
