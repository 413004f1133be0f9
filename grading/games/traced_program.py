"""A traced program, in the form that kinds of faults need.

The diagnosis finds out which statements ran in a session that shows a fault. A kind of fault points
to some of these statements: to the place that most authors have to change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from ..sessions.verdict import WrongLine

READS_OR_PRINTS = frozenset({'input', 'print', 'readline', 'stdin', 'read', 'write'})
CONDITIONS = 'for', 'if', 'while', 'return'  # statements that may have a condition
MOST_CALLS = 3  # levels of calls that are followed

# Patterns of the value in an assignment.
NAME = r' *[\w.]+'
CONSTANT = r"""(?:[^\w'"]|\d|'[^']*'|"[^"]*"|True|False|None|set|list|dict)*"""


@dataclass(eq=False)  # a statement is equal only to itself
class Statement:
    """A statement of a file; a compound statement is its header alone."""

    file: str
    first: int  # its first line, from 1
    last: int
    column: int = 0  # where it begins, from 0
    keyword: str = ''  # at its beginning, such as def, if, return
    size: int = 0  # the number of its expressions
    names: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()  # the names that it sets
    text: str = ''  # its string literals
    name: str = ''  # of the function that it defines
    is_recursive: bool = False  # whether that function calls itself
    within: Statement | None = None  # the innermost `def` around it
    # The conditions and loops that decide whether it runs, the innermost first: those around it,
    # and earlier ones that contain a jump.
    deciders: tuple[Statement, ...] = ()

    @property
    def loops(self) -> list[Statement]:
        """The loops around it, the innermost first."""
        return [
            decider
            for decider in self.deciders
            if decider.keyword in ('for', 'while') and decider.column < self.column
        ]

    @property
    def repeats(self) -> list[Statement]:
        """Its loops, the innermost first, and the function around it if that is recursive."""
        recursive = [self.within] if self.within and self.within.is_recursive else []
        return [*self.loops, *recursive]

    @property
    def is_start(self) -> bool:
        """Whether it is a call at the top of the file, without arguments, such as `main()`."""
        return self.size == 2 and not (self.keyword or self.within or self.loops)

    @property
    def is_setting(self) -> bool:
        """Whether it sets something at the top of the file, without a condition."""
        return bool(self.sets) and not (self.within or self.deciders or self.keyword)


@dataclass
class TracedProgram:
    """What ran in a session that shows a fault, up to the first wrong line."""

    wrong: WrongLine
    known: set[Statement]  # all statements of the files that ran
    ran: set[Statement]
    ran_lately: set[Statement]  # since the last input
    printed_wrong: set[Statement]  # printed the wrong line, or called what did
    printed_before: set[Statement]  # printed the text just before it, since the same input
    ran_between: set[Statement]  # ran between these two
    read_last: set[Statement]  # read the last line of input
    read_last_called: set[Statement]  # read the last line of input, or called what did
    read_setup: set[Statement]  # read exactly one line of input
    source: Callable[[str, int, int], str]  # the lines of a file, from one to another

    def source_of(self, statement: Statement) -> str:
        """Return the source of a statement."""
        return self.source(statement.file, statement.first, statement.last)

    def matching(self, pattern: str) -> set[Statement]:
        """Return the statements whose source has a match of a pattern."""
        return {
            statement for statement in self.known if re.search(pattern, self.source_of(statement))
        }

    def settings(self, to: str) -> set[Statement]:
        """Return the statements that only set a name, to a value that matches the pattern `to`."""
        return {
            statement
            for statement in self.known
            if statement.sets
            and re.fullmatch(
                f'[^-=()+*/%|&^<>!]+={to}', self.source_of(statement).partition('#')[0].rstrip()
            )
        }

    def asking(self) -> set[Statement]:
        """Return the statements whose literals have the first word of a line that asks for input.

        Such a line is the last expected line before an input.
        """
        words = {
            word
            for step in self.wrong.session.steps[:-1]
            for line in step.printed[-1:]
            for word in line.text.split()[:1]
        } or {*self.wrong.expected.split()[:1]}
        return {statement for statement in self.known if words.intersection(statement.text.split())}

    def with_results(self, some: Collection[Statement]) -> set[Statement]:
        """Return statements, and those that decide the results of the functions that they call."""
        names = names_in(some)
        returning = {
            statement
            for statement in self.known
            if statement.keyword == 'return'
            and not statement.loops
            and statement.within
            and statement.within.sets & names
        }
        setting = {
            statement
            for statement in self.known
            for other in returning
            if statement.within is other.within and statement.sets & other.names
        }
        return {*some} | with_deciders(returning) | setting

    def quiet_loops(self, statements: Collection[Statement]) -> set[Statement]:
        """Return the loops around statements that set something, if they neither read nor print.

        A recursive function counts as a loop, whether it sets something or not.
        """
        io_statements = {statement for statement in statements if statement.names & READS_OR_PRINTS}
        for _ in range(MOST_CALLS):
            io_statements |= callers_of(io_statements, statements)
        loud = {loop for statement in io_statements for loop in statement.repeats}
        return {
            loop
            for statement in statements
            for loop in statement.repeats
            if statement.sets or loop.is_recursive
        } - loud


def names_in(some: Iterable[Statement]) -> set[str]:
    """Return all names in some statements."""
    return {name for statement in some for name in statement.names}


def callers_of(some: Collection[Statement], ran: Iterable[Statement]) -> set[Statement]:
    """Return the statements in `ran` that name a function around one of the other statements."""
    functions = {name for statement in some if statement.within for name in statement.within.sets}
    return {statement for statement in ran if statement.names & functions}


def with_deciders(some: Iterable[Statement]) -> set[Statement]:
    """Return some statements, and the innermost condition of each."""
    return {part for statement in some for part in (statement, *statement.deciders[:1])}


def conditions_of(some: Iterable[Statement]) -> set[Statement]:
    """Return, for each statement, the innermost `if` or `while` that decides whether it runs."""
    return {
        condition
        for statement in some
        for condition in [decider for decider in statement.deciders if decider.keyword != 'for'][:1]
    }
