"""Finds where Othello programs usually have to be changed, for each kind of fault.

A walk is a loop or a recursive function that goes from cell to cell to find or flip discs. A quiet
loop sets something, and neither reads nor prints. The block of a loop consists of the statements in
it, including those in inner loops.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial

from ..fault_kinds import COPY, READING, TURN, Kind, constants, readers
from ..traced_program import (
    CONDITIONS,
    MAX_CALLS,
    Statement,
    TracedProgram,
    callers_of,
    names_in,
    with_deciders,
)

# A copy of a list, but not of the lists in it, such as `list(board)` or `board[:]`.
SHALLOW_COPY = r'\b(copy|list)\([\w.]+\)|\.copy\(\)|\[:\]'
UP_OR_LEFT = r'[(\[,=]\s*-\s*1\b|["\s]-1\b'  # -1 as a step, in a table or a loop
SETS_CELL = r'\] *=[^=]|\.set\w*\('  # such as `board[r][c] = color` or `board.set_cell(...)`
# A condition that excludes the first or last row or column, such as `c > 0` or `c < columns - 1`.
SKIPS_EDGE = r'> *0\b|>= *1\b|\b[01] *< *\w|< *[\w.()\[\]]+ *- *1\b|<= *[\w.()\[\]]+ *- *2\b'
EMPTY = '.'  # the character for an empty cell


def rule_signs(program: TracedProgram) -> set[Statement]:
    """Return the statements with the literal '<' or '>' in them or in their nearest condition."""
    return {
        statement
        for statement in program.known
        if {'<', '>'}.intersection(
            word for part in (statement, *statement.deciders[:1]) for word in part.text.split()
        )
    }


def sizes(program: TracedProgram) -> set[Statement]:
    """Return what ran and uses input twice, such as `r < rows and c < columns`.

    If these include no `for`, `if`, `while` or `return`, return each statement with such a keyword
    that uses input or `len`. A statement uses input if it names a variable set by `readers`.
    """
    names = {name for statement in readers(program) for name in statement.sets}
    twice = set()
    for statement in program.ran:
        words = re.findall(r'\w+', program.source_of(statement))
        if len([word for word in words if word in names]) > 1:
            twice.add(statement)
    if any(statement.keyword in CONDITIONS for statement in twice):
        return twice
    return {
        statement
        for statement in program.ran
        if statement.keyword in CONDITIONS and statement.names & {*names, 'len'}
    }


def is_walk(loop: Statement, ran: Collection[Statement]) -> bool:
    """Return whether a loop sets two variables used together in one of its conditions.

    The two are probably a row and a column. The conditions of a loop are its own and those of the
    `if`s in it, except in inner loops. A recursive function is always a walk: it calls itself with
    new values.
    """
    if loop.is_recursive:
        return True
    inside = [statement for statement in ran if statement.loops[:1] == [loop]]
    changed = {name for statement in inside if not statement.keyword for name in statement.sets}
    conditions = [loop, *(statement for statement in inside if statement.keyword == 'if')]
    return any(len(condition.names & changed) > 1 for condition in conditions)


def walks(program: TracedProgram) -> set[Statement]:
    """Return the innermost walks, or all quiet loops if there is no walk, with their blocks."""
    quiet = program.quiet_loops(program.ran)
    walking = {loop for loop in quiet if is_walk(loop, program.ran)}
    around = {loop for walk in walking for loop in walk.repeats}
    loops = walking - around or quiet
    return loops | {statement for statement in program.ran if loops.intersection(statement.repeats)}


def loops_around_walks(program: TracedProgram) -> set[Statement]:
    """Return the quiet loops just around the walks, with their blocks, but without the walks.

    If there are no such loops, return those around the callers of the walks, or around their
    callers. If there are none there either, return the walks.
    """
    walking = walks(program)
    candidates = program.quiet_loops(program.ran) - walking
    around, calling = set[Statement](), walking
    for _ in range(MAX_CALLS):
        around = {loop for statement in calling for loop in statement.loops[:1]} & candidates
        if around:
            break
        calling = callers_of(calling, program.ran)
    if not around:
        return walking
    blocks = {statement for statement in program.ran if around.intersection(statement.loops)}
    return around | (blocks - walking)


def loops_over_directions(program: TracedProgram) -> set[Statement]:
    """Return the loops around the walks, and what stores the results of their functions."""
    around = loops_around_walks(program)
    callers = callers_of(around, program.ran)
    return around | {statement for statement in callers if statement.sets}


def directions(program: TracedProgram) -> set[Statement]:
    """Return the statements with a step of -1, and the `for` loops around the walks."""
    loops = {statement for statement in loops_around_walks(program) if statement.keyword == 'for'}
    return loops | program.matching(UP_OR_LEFT)


def flips(program: TracedProgram) -> set[Statement]:
    """Return the innermost quiet loops that set cells, with their blocks and callers."""
    setting = program.matching(SETS_CELL)
    loops = program.quiet_loops(program.known).intersection(
        loop for statement in setting for loop in statement.repeats[:1]
    )
    blocks = {statement for statement in program.known if loops.intersection(statement.repeats)}
    return loops | callers_of(loops, program.ran) | blocks


def starts_of_walks(program: TracedProgram) -> set[Statement]:
    """Return the assignments of constants in the functions with a walk.

    If there are none, return all assignments of constants.
    """
    settings = constants(program)
    functions = {statement.within for statement in walks(program)}
    return {statement for statement in settings if statement.within in functions} or settings


def ends_of_walks(program: TracedProgram) -> set[Statement]:
    """Return the walks, and the statements that may decide where they end or what happens then.

    Such a statement is below the first line of the walk, in the same function and the same loops.
    If the walk decides whether it runs, it must have a keyword: an `if` may end the walk, but an
    assignment cannot. If any walk is a `while` loop, only walks of this kind count.

    Also return all conditions with the character for an empty cell.
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
    """Return the conditions that exclude an edge in the functions of `ends_of_walks`.

    If there are none, return `ends_of_walks`.
    """
    ends = ends_of_walks(program)
    functions = {statement.within for statement in ends}
    skipping = {
        statement
        for statement in program.matching(SKIPS_EDGE)
        if statement.keyword in CONDITIONS and statement.within in functions
    }
    return skipping or ends


def ends_of_the_game(program: TracedProgram) -> set[Statement]:
    """Return the loops over the turns of a game, and what decides when they end.

    A loop over the turns is the outermost loop around a request for input, or around the call of
    its function. Leave out loops in functions called in another of these loops.

    A loop ends at its own condition, or at a `break` or `return` and its condition. So also return
    what sets names in these conditions.
    """
    requests = program.printing_requests()
    loops = {
        loop
        for statement in requests | callers_of(requests, program.ran)
        for loop in statement.loops[-1:]
    }
    loops -= {loop for loop in loops if is_called_in(loops, loop, program)}
    leaving = with_deciders(
        statement for statement in program.known if loops.intersection(loops_left_by(statement))
    )
    names = names_in(loops | {statement for statement in leaving if statement.keyword == 'if'})
    setting = with_deciders(statement for statement in program.known if statement.sets & names)
    return program.with_results(loops | leaving | setting)


def is_called_in(loops: set[Statement], statement: Statement, program: TracedProgram) -> bool:
    """Return whether any of the loops calls the function around a statement."""
    return any(loops.intersection(caller.loops) for caller in callers_of([statement], program.ran))


def loops_left_by(statement: Statement) -> list[Statement]:
    """Return the loops a statement leaves if it is a `break` or a `return`."""
    if statement.keyword == 'break':
        return statement.loops[:1]
    return statement.loops if statement.keyword == 'return' else []


def counts_of_passes(program: TracedProgram) -> set[Statement]:
    """Return what may count passes, and where a program may have to reset the count.

    A variable counts passes if it is compared with 1 or 2, and a statement adds 1 to it. Return:

    - whatever sets the variable
    - the nearest condition of each addition
    - the first statement of each branch of this condition, and the statement after it
    """
    sources = {statement: program.source_of(statement) for statement in program.known}
    compared = {
        name
        for statement, source in sources.items()
        if statement.keyword in CONDITIONS
        for name in re.findall(r'(\w+) *(?:<|==|>=|>) *[12]\b', source)
    }
    adding = {
        statement
        for statement, source in sources.items()
        if statement.sets & compared and re.search(r'\+ *=? *1\b', source)
    }
    conditions = {decider for statement in adding for decider in statement.deciders[:1]}
    first_in_branch = {
        statement
        for statement in sources
        if conditions.intersection(statement.deciders[:1])
        and program.source(statement.file, statement.first - 1, statement.first - 1).endswith(':')
    }
    following = {after(condition, program) for condition in conditions}
    setting = {
        statement for statement in sources for other in adding if statement.sets & other.sets
    }
    return conditions | first_in_branch | following | setting


def after(header: Statement, program: TracedProgram) -> Statement:
    """Return the statement after the block with this header, or the header if none follows.

    After an `if` with an `elif`, return the `elif`.
    """
    return min(
        (
            statement
            for statement in program.known
            if statement.file == header.file
            and statement.first > header.first
            and statement.column <= header.column
        ),
        key=lambda statement: statement.first,
        default=header,
    )


# The comments say what the author of the program has to change.
RULE_SIGN = Kind('reading rule', READING, rule_signs)  # the sign of a rule, < or >
SIZE = Kind('size', points_to=sizes)  # how the numbers of rows and columns are used
# The loop that walks over cells to find or flip discs.
WALK = Kind('walk', points_to=walks, is_of_moves=True, is_early=True)
# How the runs of discs in all directions are combined.
WALK_RUNS = Kind('walk runs', WALK, loops_over_directions)
WALK_FLIPS = Kind('walk flips', WALK, flips)  # the loop that flips discs
WALK_START = Kind('walk start', WALK, starts_of_walks)  # the values at the start of a walk
WALK_DIRECTION = Kind('walk direction', WALK, directions)  # a missing or wrong direction
WALK_END = Kind('walk end', WALK, ends_of_walks, is_early=True)  # where the walk ends
# A copy of a board, but not of its rows.
COPY_OF_ROWS = Kind('copy rows', COPY, partial(TracedProgram.matching, pattern=SHALLOW_COPY))
# Whether the walk goes on to the edge of the board.
WALK_EDGE = Kind('walk edge', WALK, edges_of_walks, is_early=True)
GAME_END = Kind('turn end', TURN, ends_of_the_game, is_of_moves=True)  # when the game is over
# The count of consecutive passes.
PASS_COUNT = Kind('turn count', TURN, counts_of_passes, is_of_moves=True)
