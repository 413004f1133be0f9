"""Finds where Othello programs usually have to be changed, for each kind of fault.

A walk is a loop or a recursive function that goes from cell to cell to find or flip discs. A loop
is quiet if it sets something, and neither reads nor prints. The block of a loop consists of the
statements in it.
"""

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
UP_OR_LEFT = r'[(\[,=]\s*-\s*1\b|["\s]-1\b'  # -1 as a step, in a table or a loop
SETS_CELL = r'\] *=[^=]|\.set\w*\('
# A condition that excludes the first or last row or column, such as `c > 0` or `c < columns - 1`.
SKIPS_EDGE = r'> *0\b|>= *1\b|\b[01] *< *\w|< *[\w.()\[\]]+ *- *1\b|<= *[\w.()\[\]]+ *- *2\b'
EMPTY = '.'  # the character for an empty cell


def rule_signs(program: TracedProgram) -> set[Statement]:
    """Return the statements with < or > in their literals, or in those of their condition."""
    return {
        statement
        for statement in program.known
        if {'<', '>'}.intersection(
            word for part in (statement, *statement.deciders[:1]) for word in part.text.split()
        )
    }


def sizes(program: TracedProgram) -> set[Statement]:
    """Return the statements that name variables from the input at least twice.

    If none of these statements can contain a condition, return the conditions that use such a
    variable or `len`.
    """
    names = {name for statement in readers(program) for name in statement.sets}
    both = set()
    for statement in program.ran:
        words = re.findall(r'\w+', program.source_of(statement))
        if len([word for word in words if word in names]) > 1:
            both.add(statement)
    if any(statement.keyword in CONDITIONS for statement in both):
        return both
    return {
        statement
        for statement in program.ran
        if statement.keyword in CONDITIONS and statement.names & {*names, 'len'}
    }


def is_walk(loop: Statement, ran: Collection[Statement]) -> bool:
    """Return whether a loop changes two variables of one condition, such as a row and a column.

    A recursive function also counts as a walk, because it calls itself with changed variables.
    """
    if loop.is_recursive:
        return True
    inside = [statement for statement in ran if statement.loops[:1] == [loop]]
    changed = {name for statement in inside if not statement.keyword for name in statement.sets}
    conditions = [loop, *(statement for statement in inside if statement.keyword == 'if')]
    return any(len(statement.names & changed) > 1 for statement in conditions)


def walks(program: TracedProgram) -> set[Statement]:
    """Return the innermost walks, or all quiet loops if there is no walk, with their blocks."""
    quiet = program.quiet_loops(program.ran)
    walking = {loop for loop in quiet if is_walk(loop, program.ran)}
    loops = walking - {loop for statement in walking for loop in statement.repeats} or quiet
    return loops | {statement for statement in program.ran if loops.intersection(statement.repeats)}


def loops_around_walks(program: TracedProgram) -> set[Statement]:
    """Return the quiet loops around the walks, or around their callers, with their blocks.

    Leave out the walks themselves. If there are no such loops, return the walks instead.
    """
    walking, quiet = walks(program), program.quiet_loops(program.ran)
    around, calling = set[Statement](), walking
    for _ in range(MOST_CALLS):
        around = {loop for statement in calling for loop in statement.loops[:1]} & quiet - walking
        if around:
            break
        calling = callers_of(calling, program.ran)
    blocks = {statement for statement in program.ran if around.intersection(statement.loops)}
    return around | blocks - walking or walking


def gatherings(program: TracedProgram) -> set[Statement]:
    """Return the loops around the walks, and the statements that store what these loops return."""
    around = loops_around_walks(program)
    callers = callers_of(around, program.ran)
    return around | {statement for statement in callers if statement.sets}


def directions(program: TracedProgram) -> set[Statement]:
    """Return the statements with a step of -1, and the `for` loops around the walks."""
    loops = {statement for statement in loops_around_walks(program) if statement.keyword == 'for'}
    return loops | program.matching(UP_OR_LEFT)


def flips(program: TracedProgram) -> set[Statement]:
    """Return the innermost quiet loops that set cells, with their blocks and their callers."""
    setting = program.matching(SETS_CELL)
    loops = program.quiet_loops(program.known).intersection(
        loop for statement in setting for loop in statement.repeats[:1]
    )
    blocks = {statement for statement in program.known if loops.intersection(statement.repeats)}
    return loops | callers_of(loops, program.ran) | blocks


def starts_of_walks(program: TracedProgram) -> set[Statement]:
    """Return the statements that just set a name to a constant, in any function with a walk.

    If there are none, return such statements from the whole program.
    """
    settings = constants(program)
    functions = {statement.within for statement in walks(program)}
    return {statement for statement in settings if statement.within in functions} or settings


def ends_of_walks(program: TracedProgram) -> set[Statement]:
    """Return the statements that decide where a walk ends, and those that run right after it.

    If any walk is a `while` loop, ignore all other walks. Include all conditions that contain the
    character for an empty cell.
    """
    walking = walks(program)
    loops = {statement for statement in walking if statement.keyword == 'while'} or walking
    ends = {
        statement
        for statement in program.ran
        for loop in loops
        if statement.within is loop.within
        and statement.first >= loop.first
        and {*loop.loops} <= {*statement.loops}
        and (statement.keyword or loop not in statement.deciders)
    }
    return ends | {
        statement
        for statement in program.ran
        if statement.keyword in CONDITIONS and EMPTY in statement.text.split()
    }


def edges_of_walks(program: TracedProgram) -> set[Statement]:
    """Return the conditions near walks that exclude an edge, or else all `ends_of_walks`."""
    ends = ends_of_walks(program)
    functions = {statement.within for statement in ends}
    skipping = {
        statement
        for statement in program.matching(SKIPS_EDGE)
        if statement.keyword in CONDITIONS and statement.within in functions
    }
    return skipping or ends


def ends_of_the_game(program: TracedProgram) -> set[Statement]:
    """Return the loops that print whose turn it is, and what decides when these loops end."""
    asking = program.printing_requests()
    loops = {
        loop
        for statement in asking | callers_of(asking, program.ran)
        for loop in statement.loops[-1:]
    }
    loops -= {
        statement
        for statement in loops
        if loops.intersection(
            loop for caller in callers_of([statement], program.ran) for loop in caller.loops
        )
    }
    leaving = with_deciders(
        statement for statement in program.known if loops.intersection(loops_left_by(statement))
    )
    names = names_in(loops | {statement for statement in leaving if statement.keyword == 'if'})
    setting = with_deciders(statement for statement in program.known if statement.sets & names)
    return program.with_results(loops | leaving | setting)


def loops_left_by(statement: Statement) -> list[Statement]:
    """Return the loops that a `break` or a `return` leaves."""
    if statement.keyword == 'break':
        return statement.loops[:1]
    return statement.loops if statement.keyword == 'return' else []


def counts_of_passes(program: TracedProgram) -> set[Statement]:
    """Return the statements that count up to 2, their conditions, and others that set the count.

    A program may have to reset its count in the other branch of a condition, or after the
    condition. So also return the first statement of each branch, and the statement after the
    condition.
    """
    sources = {statement: program.source_of(statement) for statement in program.known}
    limited = {
        name
        for statement, source in sources.items()
        if statement.keyword in CONDITIONS
        for name in re.findall(r'(\w+) *(?:<|==|>=|>) *[12]\b', source)
    }
    adding = {
        statement
        for statement, source in sources.items()
        if statement.sets & limited and re.search(r'\+ *=? *1\b', source)
    }
    deciders = {decider for statement in adding for decider in statement.deciders[:1]}
    begins = {
        statement
        for statement in sources
        if deciders.intersection(statement.deciders[:1])
        and program.source(statement.file, statement.first - 1, statement.first - 1).endswith(':')
    }
    setting = {
        statement for statement in sources for other in adding if statement.sets & other.sets
    }
    return deciders | begins | {after(statement, program) for statement in deciders} | setting


def after(block: Statement, program: TracedProgram) -> Statement:
    """Return the statement after a block, or the block's header if no statement follows."""
    return min(
        (
            statement
            for statement in program.known
            if statement.file == block.file
            and statement.first > block.first
            and statement.column <= block.column
        ),
        key=lambda statement: statement.first,
        default=block,
    )


# The comments say what the author of the program has to change.
RULE_SIGN = Kind('reading rule', READING, rule_signs)  # the sign of a rule, < or >
SIZE = Kind('size', points_to=sizes)  # the numbers of rows and columns: swapped or misused
# The loop that walks over cells to find or flip discs.
WALK = Kind('walk', points_to=walks, is_of_moves=True, is_early=True)
WALK_RUNS = Kind('walk runs', WALK, gatherings)  # how the directions are combined
WALK_FLIPS = Kind('walk flips', WALK, flips)  # the loop that flips discs
WALK_START = Kind('walk start', WALK, starts_of_walks)  # the values with which the walk begins
WALK_DIRECTION = Kind('walk direction', WALK, directions)  # a direction that is missing or wrong
WALK_END = Kind('walk end', WALK, ends_of_walks, is_early=True)  # where the walk ends
# A copy of a board that shares its rows.
COPY_OF_ROWS = Kind('copy rows', COPY, partial(TracedProgram.matching, pattern=SHALLOW_COPY))
# Whether the walk goes on to the edge of the board.
WALK_EDGE = Kind('walk edge', WALK, edges_of_walks, is_early=True)
GAME_END = Kind('turn end', TURN, ends_of_the_game, is_of_moves=True)  # when the game is over
PASS_COUNT = Kind(
    'turn count', TURN, counts_of_passes, is_of_moves=True
)  # the count of consecutive passes
