"""Finds where a Nim program chooses the computer's move: near the code that computes nim-sums."""

from __future__ import annotations

from ..fault_kinds import Kind
from ..traced_program import Statement, TracedProgram, names_in

NIM_SUM = r'\^|\bxor\b|(?i:nim_?sum)'  # code that computes a nim-sum, perhaps wrongly


def choices(program: TracedProgram) -> set[Statement]:
    """Return what computes a nim-sum, and what sets variables used in it.

    Include the innermost loops around the nim-sums, the other statements of the functions around
    them, and the functions called there.
    """
    computing = program.matching(NIM_SUM)
    functions = {statement.within for statement in computing} - {None}
    names = names_in(computing)
    loops = {loop for statement in computing for loop in statement.loops[:1]}
    around = {
        statement
        for statement in program.ran
        if statement.within in functions or statement.sets & names
    }
    named = names_in(statement for statement in around if statement.within in functions)
    called = {
        statement for statement in program.ran if statement.within and statement.within.sets & named
    }
    return computing | loops | around | called


CHOICE = Kind('choice', points_to=choices, is_of_moves=True)  # the computer's move
