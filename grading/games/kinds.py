"""Defines the kinds of faults that programs for any game may have; each game adds its own kinds.

A kind says what the author of a program has to change. It also finds the statements of a traced
program that usually have to be changed. In this module, the "last line" is the last line of input
that the program read before it printed the wrong line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from .traced_program import (
    CONDITIONS,
    CONSTANT,
    NAME,
    Statement,
    TracedProgram,
    callers_of,
    conditions_of,
    names_in,
    with_deciders,
)

LONGEST = 500  # how far to search a line for words, in characters


@dataclass(frozen=True, eq=False)  # a kind is equal only to itself
class Kind:
    """What the author of a program with a fault has to change.

    Kinds with a common ancestor form a family: their faults are easily confused. `points_to`
    returns the statements to look at first; it is None if a fault of this kind can be anywhere.
    """

    name: str
    parent: Kind | None = None
    points_to: Callable[[TracedProgram], set[Statement]] | None = None
    is_of_moves: bool = False  # whether this kind and its descendants concern the effects of moves
    is_early: bool = False  # whether the statements that ran first, not last, are most suspicious

    @property
    def family(self) -> Kind:
        """The oldest ancestor of this kind."""
        return self.parent.family if self.parent else self

    @property
    def is_before_printing(self) -> bool:
        """Whether the program makes a wrong decision, but prints it correctly."""
        return self.is_of_moves or bool(self.parent and self.parent.is_before_printing)

    def may_be_taken_for(self, other: Kind) -> bool:
        """Return whether a fault of this kind is easily mistaken for a fault of another kind.

        A fault of the kind `OTHER` is easily mistaken for any fault.
        """
        return self.family in (other.family, OTHER)


def words_without_numbers(line: str) -> set[str]:
    """Return the words and punctuation marks of a line, except numbers, periods and underscores."""
    return {*re.findall(r'[^\W\d_]+|[^\w\s.]+', line[:LONGEST])}


def literals_of(program: TracedProgram) -> set[Statement]:
    """Return the statements whose literals contain the most words of the wrong line.

    If the program omitted the expected line, count all words of that line. Otherwise, count the
    printed words that were not expected; if there are none, count the expected words that were not
    printed; if there are none of these either, count all printed words.

    If only spaces differ, return the statements with a literal that begins or ends with a space. If
    the program printed an empty line instead, return the statements that may print an empty line.
    If the program omitted the line, and no statement contains any of its words, return the
    statements from `answering`.
    """
    wrong = program.wrong
    if wrong.printed_next and not wrong.printed.split():  # an empty line
        return program.matching(r'\bprint\(\)') | {
            statement for statement in program.known if re.search(r'\S\n|\n\S', statement.text)
        }
    if wrong.printed.split() == wrong.expected.split():
        # `text` has a space after each literal, so two spaces in a row mean that a literal begins
        # or ends with a space.
        return {statement for statement in program.known if '  ' in f' {statement.text}'}
    printed, expected = map(words_without_numbers, (wrong.printed, wrong.expected))
    following = map(words_without_numbers, wrong.expected_next)
    is_left_out = wrong.printed in wrong.expected_next or (
        printed and printed != expected and printed in following
    )
    known = {word for statement in program.known for word in statement.text.split()}
    if is_left_out and known.isdisjoint(wrong.expected.split()):
        return answering(program)
    words = expected if is_left_out else printed - expected or expected - printed or printed
    matches = {
        statement: len([word for word in words if word in statement.text])
        for statement in program.known
    }
    most = max([1, *matches.values()])
    return {statement for statement, number in matches.items() if number == most}


def answering(program: TracedProgram) -> set[Statement]:
    """Return what ran after the last line was read, in the function that read it or in a caller.

    If no statement prints the expected line, that statement is missing somewhere among these.
    """
    reading = {statement.within: statement for statement in program.read_last_called}
    return {
        statement
        for statement in program.ran_lately - program.printed_wrong
        if statement.within in reading and statement.first > reading[statement.within].first
    }


def printers_before(program: TracedProgram) -> set[Statement]:
    """Return statements that may decide what follows the last text printed before the wrong line.

    These are the statements that printed that text, their callers, the innermost loops around them,
    and the statements of the same functions that ran between that text and the wrong line.
    """
    printing = program.printed_before
    loops = {loop for statement in printing for loop in statement.loops[:1]}
    functions = {statement.within for statement in printing}
    later = {statement for statement in program.ran_between if statement.within in functions}
    return printing | loops | later


def readers(program: TracedProgram) -> set[Statement]:
    """Return the statements that read the last line, and those that may read the setup."""
    return program.read_setup | program.read_last


def reading_loops(program: TracedProgram) -> set[Statement]:
    """Return the statements that read the last line, the loops around them, and `if`s in the loops.

    Of nested loops, return only the innermost.
    """
    reading = program.read_last_called
    loops = {loop for statement in reading for loop in statement.loops[:1]}
    conditions = {
        statement
        for statement in program.ran
        if statement.keyword == 'if' and loops.intersection(statement.loops)
    }
    return reading | loops | conditions


def guards(program: TracedProgram) -> set[Statement]:
    """Return each `if` that controls a jump, such as `return` or `break`, and the jump itself.

    Leave out an `if` that did not run after the last line was read. A wrong check is often such an
    `if`, and a missing check often belongs next to one. Also return the condition that let the
    program print the wrong line.
    """
    leaving = {
        statement
        for statement in program.known
        if statement.keyword in ('return', 'raise', 'break', 'continue')
        and statement.deciders
        and statement.deciders[0].keyword == 'if'
        and statement.deciders[0] in program.ran_lately
    }
    conditions = {statement.deciders[0] for statement in leaving}
    return leaving | conditions | conditions_of(program.printed_wrong)


def range_checks(program: TracedProgram) -> set[Statement]:
    """Return the conditions that compare a value with a limit or a list item, or else `guards`."""
    pattern = r'[<>]|\bin range\(|\] *[!=]= *["\']'
    comparisons = {
        statement
        for statement in program.known
        if statement.keyword in (*CONDITIONS[1:], 'assert')
        and len(statement.names) > 1
        and re.search(pattern, program.source_of(statement))
    }
    return comparisons or guards(program)


def constants(program: TracedProgram) -> set[Statement]:
    """Return the statements that just set a name to a constant."""
    return program.settings(CONSTANT)


def turns(program: TracedProgram) -> set[Statement]:
    """Return the statements that decide whose turn it is.

    The line that asks for input usually names the player. So return the statements that set a
    variable that is printed in that line, and the conditions of these statements. If possible,
    ignore variables that are also printed by a statement whose text contains the first word of the
    wrong line. If a function sets such a variable, also return its callers. Also return the loops
    around the statements that printed the wrong line.
    """
    asking = program.asking()
    printed = {*program.wrong.printed.split()[:1]}
    mistaken = {
        statement
        for statement in program.known - asking
        if printed.intersection(statement.text.split())
    }
    names = names_in(program.with_results(asking))
    others = names_in(program.with_results(mistaken))
    setting = {
        statement for statement in program.known if statement.sets & (names - others or names)
    }
    setting |= callers_of(setting, program.ran)
    loops = {loop for statement in program.printed_wrong for loop in statement.loops}
    return program.with_results(with_deciders(setting)) | loops


# The comments say what the author of the program has to change.
OTHER = Kind('other')
TEXT = Kind('text', points_to=literals_of)  # a printed word, space or line
# A line that is printed where the output should have ended, but is correct elsewhere. The
# statements that ran first matter most, because the program should have stopped before them.
TEXT_AGAIN = Kind('text again', TEXT, printers_before)
TEXT_MISSING = Kind('text missing', TEXT, literals_of)  # a line that is never printed
READING = Kind('reading', points_to=readers)  # how input is read and interpreted
READING_AGAIN = Kind('reading again', READING, reading_loops)  # the loop that asks again
COUNTING = Kind('counting')  # whether numbering begins at 0 or at 1
COUNTING_TEXT = Kind('counting text', COUNTING, literals_of)  # where printed numbering begins
CHECK = Kind(
    'check', points_to=guards, is_of_moves=True, is_early=True
)  # how input is checked, and what a check leads to
RANGE_CHECK = Kind('range check', CHECK, range_checks)  # whether a number is in its range
START = Kind('start', points_to=constants)  # the initial value of a count or a score
COPY = Kind('copy', points_to=partial(TracedProgram.settings, to=NAME))  # an alias: copy the object
TURN = Kind('turn', points_to=turns)  # who moves next
WINNER = Kind('winner')  # who has won or lost

OF_PRINTING = TEXT, TEXT_AGAIN  # only the output is wrong
SAME_MOVES = TEXT, WINNER  # families of faults that do not change a program's moves
