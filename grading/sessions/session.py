"""Defines a session: its input, its expected output, and how the output is compared.

These objects are immutable. The module `transcript` makes a session from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from ..installation import digest_of
from ..sandbox.program import status_in_shell


class Rules(NamedTuple):
    """The rules for comparing all lines of a session."""

    ignores_case: bool = False
    ignores_whitespace: bool = False  # whether empty lines and the amount of space are ignored
    tolerance: float | None = None  # for numbers, or None to compare numbers as text


EXACT = Rules()


@dataclass(frozen=True, eq=False)
class ExpectedLine:
    """One `|` line: its `text` without a newline, and whether a newline follows."""

    number: int  # the line number in the file, from 1
    text: str
    has_newline: bool
    rule: str = 'text'  # how it is compared: a name in `LINE_RULES`
    # What may precede it: nothing, any lines, or any text, even on the same line.
    skips: Literal['', 'lines', 'text'] = ''

    def __str__(self) -> str:
        return self.text + '\n' if self.has_newline else self.text

    @property
    def is_text(self) -> bool:
        """Whether the program must print this text, except for what the session ignores."""
        return self.rule == 'text'

    @property
    def is_free_text(self) -> bool:
        """Whether the program may print free text instead."""
        return self.rule in ('words', 'question')


@dataclass(frozen=True, eq=False)
class Step:
    """The lines a program must print, and then the input to type.

    The input is one line. If all input is typed at once, it holds all the lines. It is None in the
    last step, and if a step only ends standard input.
    """

    expected: Sequence[ExpectedLine] = ()
    input: str | None = None
    end: str = '\n'  # what to type after the input: '' if an input file does not end with a newline
    number: int = 0  # the line number of the input, from 1, or 0 if there is none
    ends_input: bool = False  # whether standard input ends after this step
    is_open: bool = False  # whether any lines may be printed after the expected ones

    @property
    def output(self) -> str:
        """The expected lines as one string."""
        return ''.join(map(str, self.expected))

    @property
    def typed(self) -> bytes:
        """The input as bytes to send, or b'' if there is none."""
        return b'' if self.input is None else (self.input + self.end).encode()


@dataclass(frozen=True)
class ExpectedFile:
    """A file the program must write."""

    number: int  # the line number of its directive, from 1
    path: str  # relative to the program's folder
    content: Step  # the lines of the file, as the expected lines of a step
    last: int  # the line number of its last line or directive, from 1


@dataclass(frozen=True)
class ExpectedEnd:
    """How a run must end."""

    status: int | str = 0  # the exit status, 'any', or 'not 0'
    still_asks: bool = False  # whether the program must be waiting for more input at the end
    files: Sequence[ExpectedFile] = ()  # files the program must write

    def accepts(self, status: int) -> bool:
        """Return whether a program may end with this exit status (negative for a signal)."""
        if self.status == 'not 0':
            return status > 0
        return self.status in ('any', status_in_shell(status))


@dataclass(frozen=True, eq=False)
class Session:
    """A session: one run of the program, and how it is compared and graded."""

    name: str
    lines: Sequence[str] = ()  # of its transcript, without newlines
    command: Sequence[str] = ()  # the words of the `$` line
    steps: Sequence[Step] = (Step(),)
    end: ExpectedEnd = ExpectedEnd()
    title: str = ''  # the first comment, not counting directives
    points: float = 1
    is_beyond: bool = False  # whether it tests more than the assignment asks for
    is_hidden: bool = False  # whether its content is hidden from students
    prints_nothing: bool = False  # whether a directive says that no output is expected
    has_free_prompts: bool = False  # whether the program may print any prompts, or none
    rules: Rules = EXACT  # the rules for comparing all lines
    directives: Sequence[str] = ()  # directives of the assignment, such as 'ignore: case'
    answers: str = ''  # the name of the output file, if input and output are a pair of files
    # The words of expected lines (see `words_of`); only lines with other words may be free text.
    expected_words: frozenset[str] = frozenset()
    # Yields other correct sessions, identical to this one up to a given step.
    others: Callable[[Session, int], Iterator[Session]] | None = None
    is_derived: bool = False  # whether a model with faults computed the expected output
    # The session line by line, if `at_once` has made this one from it.
    at_once_from: Session | None = None

    @property
    def text(self) -> str:
        """The transcript as one string."""
        return '\n'.join([*self.lines, ''])

    @property
    def line_by_line(self) -> Session:
        """The session line by line, even if all its input is typed at once."""
        return self.at_once_from or self

    @property
    def is_recorded(self) -> bool:
        """Whether the session says what the program must do, even if it must print nothing."""
        return (
            self.prints_nothing
            or any(step.expected or step.is_open for step in self.steps)
            or any(file.content.expected for file in self.end.files)
        )

    def is_exact(self, steps: Sequence[Step]) -> bool:
        """Return whether the output of these steps is compared byte for byte."""
        if self.rules != EXACT or self.has_free_prompts or any(step.is_open for step in steps):
            return False
        return all(line.is_text and not line.skips for step in steps for line in step.expected)

    @property
    def arguments(self) -> Sequence[str]:
        """The words after the program's name on the `$` line."""
        return self.command[1:]

    @property
    def inputs(self) -> list[str]:
        """The lines to type; all of them in one if they are typed at once."""
        return [step.input for step in self.steps if step.input is not None]

    @property
    def output(self) -> str:
        """All expected output."""
        return ''.join(step.output for step in self.steps)

    @property
    def reads_all_first(self) -> bool:
        """Whether all output is expected after the last input line.

        If so, the grader may end the input before it waits for output. The result is False if a
        directive says where the input ends, or that it must not end.
        """
        return not self.end.still_asks and not any(
            step.expected or step.is_open or step.ends_input for step in self.steps[:-1]
        )

    def asks_after(self, step: Step) -> bool:
        """Return whether the program should be waiting for input at the end of a step."""
        return (
            step.input is not None
            or step.ends_input
            or (self.end.still_asks and step is self.steps[-1])
        )


def digest_of_sessions(sessions: Sequence[Session]) -> str:
    """Return a digest that changes whenever the sessions, their points or their rules change."""
    facts = [
        (session.name, session.points, session.directives, session.answers, session.text)
        for session in sessions
    ]
    return digest_of(repr(facts).encode(errors='surrogateescape'))


def at_once(session: Session) -> Session:
    r"""Return a copy of a session that types all input at once, and then expects all output.

    >>> session = Session('a', steps=(Step(input='1'), Step(input='2'), Step()))
    >>> [step.typed for step in at_once(session).steps]
    [b'1\n2\n', b'']
    """
    typed = b''.join(step.typed for step in session.steps).decode()
    lines = []
    is_open = False  # whether any lines may precede the next line
    for step in session.steps:
        for line in step.expected:
            lines.append(replace(line, skips='text') if is_open else line)
            is_open = is_open and line.is_free_text  # free text may be missing
        is_open = is_open or step.is_open
    steps = [
        Step(input=typed, end='', ends_input=True),
        # If the program must still ask, it may print anything when its input ends.
        Step(lines, is_open=is_open or session.end.still_asks),
    ]
    return replace(session, steps=steps, at_once_from=session)
