"""Represents a traced program: its statements, and which of them ran.

The diagnosis finds out which statements ran in a session that shows a fault. The fault's kind
points to the statements that usually have to be changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from ..sessions.verdict import WrongLine

READS_OR_PRINTS = frozenset({'input', 'print', 'readline', 'stdin', 'read', 'write'})
CONDITIONS = 'for', 'if', 'while', 'return'  # keywords of statements that may contain a condition
MOST_CALLS = 3  # how many levels of calls to follow

# Patterns for the right-hand side of an assignment.
NAME = r' *[\w.]+'
CONSTANT = r"""(?:[^\w'"]|\d|'[^']*'|"[^"]*"|True|False|None|set|list|dict)*"""


@dataclass(eq=False)  # a statement is equal only to itself
class Statement:
    """A statement of a file; for a compound statement, only its header."""

    file: str
    first: int  # its first line, from 1
    last: int
    column: int = 0  # where it begins, from 0
    keyword: str = ''  # its first word if it is a keyword, such as def, if or return
    size: int = 0  # how many expressions it contains
    names: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()  # the names that it sets
    text: str = ''  # its string literals, each followed by a space
    name: str = ''  # the name of the function that it defines, if it is a `def`
    is_recursive: bool = False  # whether that function calls itself
    within: Statement | None = None  # the innermost `def` around the statement
    # The conditions and loops that decide whether the statement runs, the innermost first: those
    # around the statement, and earlier ones that contain a jump.
    deciders: tuple[Statement, ...] = ()

    @property
    def loops(self) -> list[Statement]:
        """The loops around the statement, the innermost first."""
        return [
            decider
            for decider in self.deciders
            if decider.keyword in ('for', 'while') and decider.column < self.column
        ]

    @property
    def repeats(self) -> list[Statement]:
        """What can run the statement again: `loops`, then its function if that is recursive."""
        recursive = [self.within] if self.within and self.within.is_recursive else []
        return [*self.loops, *recursive]

    @property
    def is_start(self) -> bool:
        """Whether this is a call without arguments at the top level, such as `main()`."""
        return self.size == 2 and not (self.keyword or self.within or self.loops)

    @property
    def is_setting(self) -> bool:
        """Whether this sets a name at the top level, unconditionally."""
        return bool(self.sets) and not (self.within or self.deciders or self.keyword)


@dataclass
class TracedProgram:
    """What ran in a session that shows a fault, up to the first wrong line."""

    wrong: WrongLine
    known: set[Statement]  # all statements of the files that ran
    ran: set[Statement]
    ran_lately: set[Statement]  # ran after the last line of input was read
    printed_wrong: set[Statement]  # printed the wrong line, or called the function that did
    printed_before: set[Statement]  # printed the last text between that input and the wrong line
    ran_between: set[Statement]  # ran between that text and the wrong line
    read_last: set[Statement]  # read the last line of input
    read_last_called: set[Statement]  # read the last line, or called the function that did
    read_setup: set[Statement]  # read exactly one line of input, as the setup is often read
    source: Callable[[str, int, int], str]  # takes a file, and the first and last line to return

    def source_of(self, statement: Statement) -> str:
        """Return the source of a statement."""
        return self.source(statement.file, statement.first, statement.last)

    def matching(self, pattern: str) -> set[Statement]:
        """Return the statements whose source contains a match for a pattern."""
        return {
            statement for statement in self.known if re.search(pattern, self.source_of(statement))
        }

    def settings(self, to: str) -> set[Statement]:
        """Return the statements that just set a name to a value whose source matches `to`."""
        return {
            statement
            for statement in self.known
            if statement.sets
            and re.fullmatch(
                f'[^-=()+*/%|&^<>!]+={to}', self.source_of(statement).partition('#')[0].rstrip()
            )
        }

    def asking(self) -> set[Statement]:
        """Return the statements whose literals contain the first word of a prompting line.

        The last expected line before each line of input is a prompting line. If the session has no
        such line, use the line that was expected in place of the wrong line.
        """
        words = {
            word
            for step in self.wrong.session.steps[:-1]
            for line in step.printed[-1:]
            for word in line.text.split()[:1]
        } or {*self.wrong.expected.split()[:1]}
        return {statement for statement in self.known if words.intersection(statement.text.split())}

    def with_results(self, some: Collection[Statement]) -> set[Statement]:
        """Return these statements, and those that decide the results of the functions they call."""
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
        """Return the loops around these statements that set something, but do no input or output.

        A recursive function counts as such a loop, even if it sets nothing.
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
    """Return all names in these statements."""
    return {name for statement in some for name in statement.names}


def callers_of(some: Collection[Statement], ran: Iterable[Statement]) -> set[Statement]:
    """Return the statements in `ran` that name a function containing one of `some`."""
    functions = {name for statement in some if statement.within for name in statement.within.sets}
    return {statement for statement in ran if statement.names & functions}


def with_deciders(some: Iterable[Statement]) -> set[Statement]:
    """Return the statements, and the innermost condition or loop of each."""
    return {part for statement in some for part in (statement, *statement.deciders[:1])}


def conditions_of(some: Iterable[Statement]) -> set[Statement]:
    """Return, for each statement, the innermost `if` or `while` that decides whether it runs."""
    found = set()
    for statement in some:
        conditions = [decider for decider in statement.deciders if decider.keyword != 'for']
        found.update(conditions[:1])
    return found
