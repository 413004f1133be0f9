"""Represents a traced program: its statements, and which of them ran.

The diagnosis finds out which statements ran in a session with a fault. The fault's kind then points
to the most likely statements to change.

A step of a run ends when the program reads input after printing something, or when the run ends. In
the last step here, the program printed the wrong line, or failed to print a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from ..sessions.verdict import WrongLine

READS_OR_PRINTS = frozenset({'input', 'print', 'readline', 'stdin', 'read', 'write'})
CONDITIONS = 'for', 'if', 'while', 'return'  # keywords of statements with a possible condition
MAX_CALLS = 3  # how many levels of calls to follow

# Patterns for the right-hand side of an assignment.
NAME = r' *[\w.]+'  # a variable or an attribute
# Literals and operators, such as `-1` or `[0, 'a']`, or a new collection, such as `set()`.
CONSTANT = r"""(?:[^\w'"]|\d|'[^']*'|"[^"]*"|True|False|None|set|list|dict)*"""


@dataclass(eq=False)  # a statement is equal only to itself
class Statement:
    """A statement of a file; for a compound statement, only its header."""

    file: str
    first: int  # its first line, from 1
    last: int
    column: int = 0  # where it begins, from 0
    keyword: str = ''  # def, for, if, return and so on; '' for an assignment or an expression
    size: int = 0  # how many expressions it contains
    names: frozenset[str] = frozenset()  # all names in it
    sets: frozenset[str] = frozenset()  # the names it sets, deletes, defines or may modify
    text: str = ''  # its string literals, each followed by a space
    name: str = ''  # the name of the function it defines, if it is a `def`
    is_recursive: bool = False  # whether the function calls itself
    within: Statement | None = None  # the innermost `def` around the statement
    # The conditions and loops in the same function that decide whether the statement runs, the
    # nearest first. Each is around the statement, or is before it and contains a jump like
    # `return`.
    deciders: tuple[Statement, ...] = ()

    @property
    def loops(self) -> list[Statement]:
        """The loops around the statement in its function, the innermost first."""
        return [
            decider
            for decider in self.deciders
            if decider.keyword in ('for', 'while') and decider.column < self.column
        ]

    @property
    def repeats(self) -> list[Statement]:
        """What can run the statement again: its loops, then its function if recursive."""
        recursive = [self.within] if self.within and self.within.is_recursive else []
        return [*self.loops, *recursive]

    @property
    def is_start(self) -> bool:
        """Whether a statement with a call is just `main()`, say, outside functions and loops."""
        return self.size == 2 and not (self.keyword or self.within or self.loops)

    @property
    def is_setting(self) -> bool:
        """Whether this sets a name at the top level of a file, under no condition."""
        return bool(self.sets) and not (self.within or self.deciders or self.keyword)


@dataclass
class TracedProgram:
    """What ran in a session with a fault, up to the end of the last step."""

    wrong: WrongLine
    known: set[Statement]  # all statements of the files that ran
    ran: set[Statement]
    ran_in_last_step: set[Statement]  # ran in the last step, before the wrong output if any
    printed_wrong: set[Statement]  # printed the wrong line, or called the function that did
    # Printed the last text before the wrong line in the last step, or called the function that did.
    printed_before: set[Statement]
    ran_between: set[Statement]  # first ran in the last step between this text and the wrong line
    # Read the last line of input before the wrong line or, if output is missing, waited for input
    # instead of printing.
    read_last: set[Statement]
    read_last_stack: set[Statement]  # `read_last`, its caller, the caller's caller and so on
    read_once: set[Statement]  # read exactly one line in the whole run, or called what read it
    source: Callable[[str, int, int], str]  # takes a file, and the first and last line to return

    def source_of(self, statement: Statement) -> str:
        """Return the lines of a statement, as one string."""
        return self.source(statement.file, statement.first, statement.last)

    def matching(self, pattern: str) -> set[Statement]:
        """Return the statements with a match for a pattern in their lines."""
        return {
            statement for statement in self.known if re.search(pattern, self.source_of(statement))
        }

    def settings(self, to: str) -> set[Statement]:
        """Return the assignments whose right-hand side matches a pattern, such as `CONSTANT`."""
        assignment = re.compile(f'[^-=()+*/%|&^<>!]+={to}')
        return {
            statement
            for statement in self.known
            if statement.sets
            and assignment.fullmatch(self.source_of(statement).partition('#')[0].rstrip())
        }

    def printing_requests(self) -> set[Statement]:
        """Return the statements that may print a request for input, such as `TURN: B`.

        A request is the last expected line before a line of input. If there is none, take the line
        expected in place of the wrong line. The statement has a literal with the first word of the
        request.
        """
        words = {
            word
            for step in self.wrong.session.steps[:-1]
            for line in step.expected[-1:]
            for word in line.text.split()[:1]
        }
        words = words or {*self.wrong.expected.split()[:1]}
        return {statement for statement in self.known if words.intersection(statement.text.split())}

    def with_results(self, statements: Collection[Statement]) -> set[Statement]:
        """Return these statements, and what decides the results of the functions they name.

        What decides a result is each `return` outside loops, its nearest condition, and whatever in
        its function sets a name used in it.
        """
        names = names_in(statements)
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
        return {*statements} | with_deciders(returning) | setting

    def quiet_loops(self, statements: Collection[Statement]) -> set[Statement]:
        """Return the loops where some of these statements set something, but none do I/O.

        A loop also does I/O if a function it calls does, up to `MAX_CALLS` calls away. A recursive
        function counts as a loop, even if it sets nothing.
        """
        io_statements = {statement for statement in statements if statement.names & READS_OR_PRINTS}
        for _ in range(MAX_CALLS):
            io_statements |= callers_of(io_statements, statements)
        loud = {loop for statement in io_statements for loop in statement.repeats}
        setting = {
            loop
            for statement in statements
            for loop in statement.repeats
            if statement.sets or loop.is_recursive
        }
        return setting - loud


def names_in(statements: Iterable[Statement]) -> set[str]:
    return {name for statement in statements for name in statement.names}


def callers_of(
    statements: Collection[Statement], candidates: Iterable[Statement]
) -> set[Statement]:
    """Return the candidates naming the innermost function around one of the statements."""
    functions = {statement.within for statement in statements if statement.within}
    names = {name for function in functions for name in function.sets}
    return {candidate for candidate in candidates if candidate.names & names}


def with_deciders(statements: Iterable[Statement]) -> set[Statement]:
    """Return the statements, and the nearest decider of each."""
    return {part for statement in statements for part in (statement, *statement.deciders[:1])}


def conditions_of(statements: Iterable[Statement]) -> set[Statement]:
    """Return, for each statement, its nearest decider other than a `for` loop."""
    found = set()
    for statement in statements:
        conditions = [decider for decider in statement.deciders if decider.keyword != 'for']
        found.update(conditions[:1])
    return found
