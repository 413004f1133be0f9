"""Where in a program for Othello each kind of fault is: walks, flips, the end of the game."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial

from ..kinds import COPY, READING, TURN, Kind, constants, readers
from ..traced_program import (
    CONDITIONS,
    MOST_CALLS,
    Statement,
    TracedProgram,
    callers_of,
    names_in,
    with_deciders,
)

SHALLOW_COPY = r'\b(copy|list)\([\w.]+\)|\.copy\(\)|\[:\]'
UP_OR_LEFT = r'[(\[,=]\s*-\s*1\b|["\s]-1\b'  # -1 as a step in a table or a loop
SETS_CELL = r'\] *=[^=]|\.set\w*\('
EMPTY = '.'  # an empty cell


def rule_signs(program: TracedProgram) -> set[Statement]:
    """Return the statements with < or > in their literals, and what they decide about."""
    return {
        one
        for one in program.known
        if {'<', '>'}.intersection(
            word for part in (one, *one.deciders[:1]) for word in part.text.split()
        )
    }


def sizes(program: TracedProgram) -> set[Statement]:
    """Return the statements with two names that the setup sets, or with one of them twice.

    If no condition is among them, return the conditions with one of these names, or with a length.
    """
    names = {name for one in readers(program) for name in one.sets}
    both = {
        one
        for one in program.ran
        if sum(word in names for word in re.findall(r'\w+', program.source_of(one))) > 1
    }
    if any(one.keyword in CONDITIONS for one in both):
        return both
    return {one for one in program.ran if one.keyword in CONDITIONS and one.names & {*names, 'len'}}


def is_walk(loop: Statement, ran: Collection[Statement]) -> bool:
    """Return whether a loop changes two names of one condition in it, as a row and a column.

    A function that calls itself changes them in its call.
    """
    if loop.is_recursive:
        return True
    inside = [one for one in ran if one.loops[:1] == [loop]]
    changed = {name for one in inside if not one.keyword for name in one.sets}
    conditions = [loop, *(one for one in inside if one.keyword == 'if')]
    return any(len(one.names & changed) > 1 for one in conditions)


def walks(program: TracedProgram) -> set[Statement]:
    """Return the innermost loops that walk over cells, or all quiet loops; with their blocks."""
    quiet = program.quiet_loops(program.ran)
    walking = {loop for loop in quiet if is_walk(loop, program.ran)}
    loops = walking - {loop for one in walking for loop in one.repeats} or quiet
    return loops | {one for one in program.ran if loops.intersection(one.repeats)}


def loops_around_walks(program: TracedProgram) -> set[Statement]:
    """Return the quiet loops around the walks, or around what calls them, with their blocks.

    The walks themselves are left out, unless there is nothing else.
    """
    walking, quiet = walks(program), program.quiet_loops(program.ran)
    around, calling = set[Statement](), walking
    for _ in range(MOST_CALLS):
        around = around or {loop for one in calling for loop in one.loops[:1]} & quiet - walking
        calling = callers_of(calling, program.ran)
    blocks = {one for one in program.ran if around.intersection(one.loops)}
    return around | blocks - walking or walking


def directions(program: TracedProgram) -> set[Statement]:
    """Return the statements with a step of -1, and the `for` loops around the walks."""
    loops = {one for one in loops_around_walks(program) if one.keyword == 'for'}
    return loops | program.matching(UP_OR_LEFT)


def flips(program: TracedProgram) -> set[Statement]:
    """Return the innermost quiet loops that set cells, with their blocks and their callers."""
    setting = program.matching(SETS_CELL)
    loops = program.quiet_loops(program.known).intersection(
        loop for one in setting for loop in one.repeats[:1]
    )
    blocks = {one for one in program.known if loops.intersection(one.repeats)}
    return loops | callers_of(loops, program.ran) | blocks


def starts_of_walks(program: TracedProgram) -> set[Statement]:
    """Return what sets a name to a constant in a function that walks, or else anywhere."""
    settings = constants(program)
    functions = {one.within for one in walks(program)}
    return {one for one in settings if one.within in functions} or settings


def ends_of_walks(program: TracedProgram) -> set[Statement]:
    """Return what decides where a walk ends, and what runs then, in its function.

    If there is a `while`, only that counts as a walk. Any condition with the sign of an empty cell
    may decide it.
    """
    walking = walks(program)
    loops = {one for one in walking if one.keyword == 'while'} or walking
    ends = {
        one
        for one in program.ran
        for loop in loops
        if one.within is loop.within
        and one.first >= loop.first
        and {*loop.loops} <= {*one.loops}
        and (one.keyword or loop not in one.deciders)
    }
    return ends | {
        one for one in program.ran if one.keyword in CONDITIONS and EMPTY in one.text.split()
    }


def ends_of_the_game(program: TracedProgram) -> set[Statement]:
    """Return the loops around what says whose turn it is, and what decides when they end."""
    asking = program.asking()
    loops = {loop for one in asking | callers_of(asking, program.ran) for loop in one.loops[-1:]}
    loops -= {
        one
        for one in loops
        if loops.intersection(
            loop for caller in callers_of([one], program.ran) for loop in caller.loops
        )
    }
    leaving = with_deciders(
        one
        for one in program.known
        if loops.intersection({'break': one.loops[:1], 'return': one.loops}.get(one.keyword, []))
    )
    names = names_in(loops | {one for one in leaving if one.keyword == 'if'})
    setting = with_deciders(one for one in program.known if one.sets & names)
    return program.with_results(loops | leaving | setting)


def counts_of_passes(program: TracedProgram) -> set[Statement]:
    """Return what counts up to 2, what decides that, and what sets the same names.

    The count may have to be set where the other branch of that condition begins, or after it.
    """
    sources = {one: program.source_of(one) for one in program.known}
    limited = {
        name
        for one, source in sources.items()
        if one.keyword in CONDITIONS
        for name in re.findall(r'(\w+) *(?:<|==|>=|>) *[12]\b', source)
    }
    adding = {
        one
        for one, source in sources.items()
        if one.sets & limited and re.search(r'\+ *=? *1\b', source)
    }
    deciders = {decider for one in adding for decider in one.deciders[:1]}
    begins = {
        one
        for one in sources
        if deciders.intersection(one.deciders[:1])
        and program.source(one.file, one.first - 1, one.first - 1).endswith(':')
    }
    setting = {one for one in sources for other in adding if one.sets & other.sets}
    return deciders | begins | {after(one, program) for one in deciders} | setting


def after(block: Statement, program: TracedProgram) -> Statement:
    """Return the statement after a block, the header of the block if there is none."""
    return min(
        (
            one
            for one in program.known
            if one.file == block.file and one.first > block.first and one.column <= block.column
        ),
        key=lambda one: one.first,
        default=block,
    )


RULE_SIGN = Kind('reading rule', READING, rule_signs)  # the sign of a rule, < or >
SIZE = Kind('size', points_to=sizes)  # numbers of rows and columns, mixed up or used wrongly
# The loop that walks over cells, and finds or flips discs.
WALK = Kind('walk', points_to=walks, is_of_moves=True, is_early=True)
WALK_RUNS = Kind('walk runs', WALK, loops_around_walks)  # how all directions come together
WALK_FLIPS = Kind('walk flips', WALK, flips)  # the loop that flips discs
WALK_START = Kind('walk start', WALK, starts_of_walks)  # what is known at its beginning
WALK_DIRECTION = Kind('walk direction', WALK, directions)
WALK_END = Kind('walk end', WALK, ends_of_walks, is_early=True)  # where the loop ends
# A copy that has the same rows.
COPY_OF_ROWS = Kind('copy rows', COPY, partial(TracedProgram.matching, pattern=SHALLOW_COPY))
GAME_END = Kind('turn end', TURN, ends_of_the_game, is_of_moves=True)  # when the game is over
PASS_COUNT = Kind(
    'turn count', TURN, counts_of_passes, is_of_moves=True
)  # the turns in a row that were passed
