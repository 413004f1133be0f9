"""Defines the kinds of faults in programs for any game; each game adds kinds of its own.

A kind says what the author of a program has to change. It also points to the most likely statements
to change in a traced program. For the meaning of "last step", see the module `traced_program`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..sessions.verdict import WrongLine
from .traced_program import (
    CONSTANT,
    NAME,
    Statement,
    TracedProgram,
    callers_of,
    conditions_of,
    names_in,
    with_deciders,
)

MAX_SEARCHED = 500  # how much of a line to search for words, in characters


@dataclass(frozen=True, eq=False)  # a kind is equal only to itself
class Kind:
    """What the author of a program with a fault has to change.

    Kinds with a common ancestor form a family: their faults are easily confused. `points_to`
    returns the statements to look at first; it is None if a fault of this kind can be anywhere.
    Descendants inherit only `is_of_moves`.
    """

    name: str
    parent: Kind | None = None
    points_to: Callable[[TracedProgram], set[Statement]] | None = None
    is_of_moves: bool = False  # whether it concerns what moves do, not how they are printed
    is_early: bool = False  # whether earlier statements in the last step are more suspicious

    @property
    def family(self) -> Kind:
        """The oldest ancestor of this kind."""
        return self.parent.family if self.parent else self

    @property
    def concerns_moves(self) -> bool:
        """Whether this kind or one of its ancestors `is_of_moves`."""
        return self.is_of_moves or bool(self.parent and self.parent.concerns_moves)

    def may_be_taken_for(self, other: Kind) -> bool:
        """Return whether a fault of this kind is easily mistaken for a fault of another kind.

        A fault of the kind `OTHER` is easily mistaken for any fault.
        """
        return self.family in (other.family, OTHER)


def words_without_numbers(line: str) -> set[str]:
    """Return the words of a line, and its punctuation marks other than periods and underscores.

    >>> sorted(words_without_numbers('Move_1: take 2.'))
    [':', 'Move', 'take']
    """
    return {*re.findall(r'[^\W\d_]+|[^\w\s.]+', line[:MAX_SEARCHED])}


def literals_of(program: TracedProgram) -> set[Statement]:
    """Return the statements with wrong literals, judging by the wrong line.

    - If the program printed an empty line instead, return what may print an empty line.
    - If only spaces differ, see `literals_with_spaces`.
    - If the program omitted the line, return the statements with the most of the line's words in
      their literals. If no literal contains a word of the line, see `below_reading`.
    - Otherwise, return the statements with the most `suspicious_words` in their literals.
    """
    wrong = program.wrong
    if wrong.printed_next and not wrong.printed.split():
        return empty_lines(program)
    if wrong.printed.split() == wrong.expected.split():
        return literals_with_spaces(program)
    if is_omitted(wrong):
        literals = {word for statement in program.known for word in statement.text.split()}
        if literals.isdisjoint(wrong.expected.split()):
            return below_reading(program)
        words = words_without_numbers(wrong.expected)
    else:
        words = suspicious_words(wrong)
    matches = {
        statement: len([word for word in words if word in statement.text])
        for statement in program.known
    }
    most = max([1, *matches.values()])
    return {statement for statement, number in matches.items() if number == most}


def empty_lines(program: TracedProgram) -> set[Statement]:
    """Return what may print an empty line: `print()`, or a literal with text and a newline."""
    return program.matching(r'\bprint\(\)') | {
        statement for statement in program.known if re.search(r'\S\n|\n\S', statement.text)
    }


def literals_with_spaces(program: TracedProgram) -> set[Statement]:
    """Return the statements with a literal that may put too many or too few spaces into a line.

    Such a literal is empty, begins or ends with a space, or has two spaces in a row.
    """
    # `text` has a space after each literal, so all of these show as two spaces in a row.
    return {statement for statement in program.known if '  ' in f' {statement.text}'}


def is_omitted(wrong: WrongLine) -> bool:
    """Return whether the program omitted the expected line, and printed a later line instead.

    The numbers may differ from the later line, unless the words are also those of the expected
    line.
    """
    printed = words_without_numbers(wrong.printed)
    is_like_later = printed in map(words_without_numbers, wrong.expected_next)
    is_different = bool(printed) and printed != words_without_numbers(wrong.expected)
    return wrong.printed in wrong.expected_next or (is_different and is_like_later)


def suspicious_words(wrong: WrongLine) -> set[str]:
    """Return the words to look for in literals if the program printed a wrong line.

    These are the words printed but not expected; if there are none, the words expected but not
    printed; if there are none either, all printed words.
    """
    printed, expected = map(words_without_numbers, (wrong.printed, wrong.expected))
    return printed - expected or expected - printed or printed


def below_reading(program: TracedProgram) -> set[Statement]:
    """Return what ran in the last step, further down in the source than the reading of input.

    In the reading function, this means below the reading statement; in its caller, below the call;
    and so on. Leave out what printed the wrong line. If no statement prints the expected line, such
    a statement is missing somewhere there.
    """
    reading = {statement.within: statement for statement in program.read_last_stack}
    return {
        statement
        for statement in program.ran_in_last_step - program.printed_wrong
        if statement.within in reading and statement.first > reading[statement.within].first
    }


def around_last_text(program: TracedProgram) -> set[Statement]:
    """Return statements that may decide what follows the last text printed before the wrong line.

    These are: the printing statement; the call of its function; the innermost loop around each of
    them; and what ran in their functions between the text and the wrong line.
    """
    printing = program.printed_before
    loops = {loop for statement in printing for loop in statement.loops[:1]}
    functions = {statement.within for statement in printing}
    later = {statement for statement in program.ran_between if statement.within in functions}
    return printing | loops | later


def readers(program: TracedProgram) -> set[Statement]:
    """Return what read the last line of input, and what may read the setup.

    Programs often read each line of the setup in a separate statement, which runs only once.
    """
    return program.read_once | program.read_last


def reading_loops(program: TracedProgram) -> set[Statement]:
    """Return what read the last line of input, and the calls leading to it.

    Also return the innermost loop around each of them, and each `if` that ran in these loops.
    """
    reading = program.read_last_stack
    loops = {loop for statement in reading for loop in statement.loops[:1]}
    conditions = {
        statement
        for statement in program.ran
        if statement.keyword == 'if' and loops.intersection(statement.loops)
    }
    return reading | loops | conditions


def guards(program: TracedProgram) -> set[Statement]:
    """Return each `if` controlling a jump, such as `return` or `break`, and the jump itself.

    A wrong check is often such an `if`, and a missing check often belongs next to it. Leave out any
    `if` that did not run in the last step. Also return the condition for printing the wrong line.
    """
    jumps = {
        statement
        for statement in program.known
        if statement.keyword in ('return', 'raise', 'break', 'continue')
        and statement.deciders
        and statement.deciders[0].keyword == 'if'
        and statement.deciders[0] in program.ran_in_last_step
    }
    conditions = {jump.deciders[0] for jump in jumps}
    return jumps | conditions | conditions_of(program.printed_wrong)


def range_checks(program: TracedProgram) -> set[Statement]:
    """Return the conditions like `a < b`, `a in range(b)` or `a[b] == 'x'`, or else `guards`.

    Such a condition compares a value with a limit, or a list item with a string.
    """
    pattern = r'[<>]|\bin range\(|\] *[!=]= *["\']'
    comparisons = {
        statement
        for statement in program.known
        if statement.keyword in ('if', 'while', 'return', 'assert')
        and len(statement.names) > 1
        and re.search(pattern, program.source_of(statement))
    }
    return comparisons or guards(program)


def constants(program: TracedProgram) -> set[Statement]:
    """Return the assignments of constants."""
    return program.settings(CONSTANT)


def turns(program: TracedProgram) -> set[Statement]:
    """Return what decides whose turn it is.

    A request for input usually names the player, so a name in the statement that prints it may hold
    whose turn it is. If possible, leave out the names in other statements that may have printed the
    wrong line: those with its first word in a literal.

    Return:

    - the statements that set such a name, the callers of their functions, and the nearest condition
      of each
    - what decides the results of the functions named there
    - the loops around the statement that printed the wrong line, and around its caller
    """
    requests = program.printing_requests()
    first_word = {*program.wrong.printed.split()[:1]}
    mistaken = {
        statement
        for statement in program.known - requests
        if first_word.intersection(statement.text.split())
    }
    names = names_in(program.with_results(requests))
    other_names = names_in(program.with_results(mistaken))
    names = names - other_names or names
    setting = {statement for statement in program.known if statement.sets & names}
    setting |= callers_of(setting, program.ran)
    loops = {loop for statement in program.printed_wrong for loop in statement.loops}
    return program.with_results(with_deciders(setting)) | loops


# The comments say what the author of the program has to change.
OTHER = Kind('other')  # nothing is known about the fault
TEXT = Kind('text', points_to=literals_of)  # a printed word, space or line
# A line printed where the output should have ended, but correct elsewhere. The first statements to
# run matter most, because the program should have stopped before them.
TEXT_AGAIN = Kind('text again', TEXT, around_last_text)
TEXT_MISSING = Kind('text missing', TEXT, literals_of)  # a line never printed
READING = Kind('reading', points_to=readers)  # how input is read and interpreted
READING_AGAIN = Kind('reading again', READING, reading_loops)  # the loop that asks again
COUNTING = Kind('counting')  # whether numbering begins at 0 or at 1
COUNTING_TEXT = Kind('counting text', COUNTING, literals_of)  # where printed numbering begins
# How input is checked, and what a check leads to.
CHECK = Kind('check', points_to=guards, is_of_moves=True, is_early=True)
RANGE_CHECK = Kind('range check', CHECK, range_checks)  # whether a number is in its range
START = Kind('start', points_to=constants)  # the initial value of a count or a score
# A second name for an object, where a copy is needed.
COPY = Kind('copy', points_to=partial(TracedProgram.settings, to=NAME))
TURN = Kind('turn', points_to=turns)  # who moves next
WINNER = Kind('winner')  # who has won or lost

OF_PRINTING = TEXT, TEXT_AGAIN  # a line is printed wrongly or again, but none is missing
