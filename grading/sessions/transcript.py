"""The transcript format: a recorded session in a text file.

Only the first character of a line says what the line is, and a final backslash what ends it:

    # a comment, or a directive: see `directives`
    $ nim_console.py piles --prompts      the command line, before any input and output
    |text                                 printed: the text and a newline
    |text\\                                printed: the text alone, as a prompt is
    anything else                         typed: one line of input
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Literal, Sequence

from ..project import ROOT
from .directives import (
    EXACT,
    Status,
    directive_in,
    file_in,
    ignoring,
    points_in,
    status_in,
    tolerant,
)

ATTRIBUTES = {'beyond the assignment': 'is_beyond', 'prints nothing': 'prints_nothing',
              'hidden': 'is_hidden', 'still asks': 'still_asks'}
PLACED = ('free', 'regex', 'any lines', 'end of input', 'still asks')    # among the lines
MOST_LINES = 200_000                    # of a session; more cannot be played in its time

Rule = Literal['text', 'free', 'regex']         # by which one line is compared


class TranscriptError(Exception):
    """What a file says that no transcript can, or what a session did that none can hold."""


class Printed:
    """What the program printed and one `|` line holds: `text`, whether a newline `ends` it."""

    __slots__ = ('ends', 'number', 'rule', 'skips', 'text')

    def __init__(self, number: int, text: str, ends: bool, rule: Rule = 'text',
                 skips: bool = False) -> None:
        self.number = number                # of the line in the file, from 1
        self.text = text
        self.ends = ends
        self.rule: Rule = rule
        self.skips = skips                  # whether any lines may come before it

    def __str__(self) -> str:
        return self.text + '\n' if self.ends else self.text

    @property
    def is_free(self) -> bool:
        """Whether any other line will do."""
        return self.rule == 'free'

    @property
    def is_text(self) -> bool:
        """Whether this text is due, and at once."""
        return self.rule == 'text' and not self.skips


class Step:
    """The lines that are printed before an input line, and that line: None after the last.

    Instead of a line the end of input may follow.
    """

    __slots__ = ('ends_input', 'input', 'is_open', 'number', 'printed')

    def __init__(self) -> None:
        self.printed: list[Printed] = []
        self.input: str | None = None
        self.number = 0                     # the input's line number, from 1
        self.ends_input = False             # whether the end of input follows
        self.is_open = False                # whether any lines may come at its end

    @property
    def output(self) -> str:
        """The printed lines as one text."""
        return ''.join(map(str, self.printed))


class File:
    """A file that a program has to leave: its path in the program's folder, and its lines."""

    def __init__(self, number: int, path: str) -> None:
        self.number = number                # of the directive in the file, from 1
        self.path = path
        self.content = Step()


class Transcript:
    """A parsed transcript: its `name`, `lines`, `command` line as words, `steps`, `points`.

    `text` is what the file holds; `directives` are those of the whole assignment, such as
    'ignore: case', which the session's own ones replace. Raises `TranscriptError`.

    >>> transcript = Transcript('a', '$ greeter.py --loud\\nAnn\\n|HELLO, ANN\\\\\\n')
    >>> transcript.command, transcript.inputs, transcript.output
    (['greeter.py', '--loud'], ['Ann'], 'HELLO, ANN')
    """

    def __init__(self, name: str, text: str, directives: Sequence[str] = ()) -> None:
        self.name = name
        *self.lines, last = text.split('\n')
        if last:
            self.lines.append(last)
        self.command: list[str] = []        # empty where no `$` line gives it
        self.title = ''                     # the first comment that is no directive
        self.is_beyond = False              # whether the session is beyond the assignment
        self.is_hidden = False              # whether students do not see what is in it
        self.points: float = 1
        self.status: Status = 0             # that the program ends with, 'any', or 'not 0'
        self.rules = EXACT                  # by which all lines are compared
        self.has_free_prompts = False
        self.prints_nothing = False         # whether it says that nothing is due
        self.still_asks = False             # whether the program waits for input at its end
        self.files: list[File] = []         # that it has to leave
        self.steps = [Step()]
        if len(self.lines) > MOST_LINES:
            raise TranscriptError(f'{name}: more than {MOST_LINES:,} lines, which cannot be '
                                  f'played in the time of a session; a pair of files, .in and '
                                  '.ans, can have more')
        if self.lines and all(line.endswith('\r') for line in self.lines):
            raise TranscriptError(f'{name}:1: lines end with \\r\\n; a transcript has \\n alone')
        self._next: list[str] = []          # directives about the next printed line
        self._file: File | None = None      # whose content is being read
        for directive in directives:
            self._heed(name, directive)
        for number, line in enumerate(self.lines, 1):
            self._add(number, line)
        self._end_step(f'{name}:{len(self.lines)}')
        if self.prints_nothing and any(step.printed for step in self.steps):
            raise TranscriptError(f'{name}: "# prints nothing", but printed lines are in it')

    @classmethod
    def of_pair(cls, name: str, typed: str, printed: str,
                directives: Sequence[str] = ()) -> Transcript:
        """Return the session in which all input is typed at once, and then all output is due.

        Raises `TranscriptError`.
        """
        transcript = cls(name, '', directives)
        first, last = Step(), Step()
        first.ends_input = True
        *inputs, rest = typed.replace('\r\n', '\n').split('\n')
        inputs += [rest] if rest else []
        if inputs:
            first.input, first.number = '\n'.join(inputs), 1
        *lines, rest = printed.replace('\r\n', '\n').split('\n')
        last.printed = [Printed(number, line, ends=True)
                        for number, line in enumerate(lines, len(inputs) + 1)]
        if rest:
            last.printed.append(Printed(len(inputs) + len(lines) + 1, rest, ends=False))
        transcript.lines = [*inputs, *(f'|{line}' for line in lines)]
        transcript.lines += [f'|{rest}\\'] if rest else []
        transcript.steps = [first, last]
        transcript.prints_nothing = not last.printed
        return transcript

    @classmethod
    def read(cls, path: Path) -> Transcript:
        """Return the transcript in a file, named as a person would type it at the project's root.

        Raises `TranscriptError`.
        """
        name = display_name(path)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise TranscriptError(f'{name}: {error.strerror}') from error
        return cls(name, decode(name, content))

    @property
    def arguments(self) -> list[str]:
        """What follows the program's name on the command line."""
        return self.command[1:]

    @property
    def inputs(self) -> list[str]:
        """The input lines, without newlines."""
        return [step.input for step in self.steps if step.input is not None]

    @property
    def output(self) -> str:
        """All that is printed."""
        return ''.join(step.output for step in self.steps)

    @property
    def is_recorded(self) -> bool:
        """Whether it says what is due, be it nothing."""
        return (self.prints_nothing or any(step.printed or step.is_open for step in self.steps)
                or any(file.content.printed for file in self.files))

    @property
    def is_exact(self) -> bool:
        """Whether all that is printed is compared byte for byte."""
        return self.rules.are_exact and not self.has_free_prompts and not any(
            step.is_open or not all(line.is_text for line in step.printed) for step in self.steps)

    @property
    def reads_all_first(self) -> bool:
        """Whether the program prints only once all input has been read, to its very end."""
        return not self.still_asks and not any(
            step.printed or step.is_open or step.ends_input for step in self.steps[:-1])

    def accepts_status(self, status: int) -> bool:
        """Return whether a program may end so: with an exit status, negative for a signal."""
        if self.status == 'not 0':
            return status > 0
        return self.status in ('any', status)

    def asks_after(self, step: Step) -> bool:
        """Return whether the program waits for input at the end of a step."""
        return (step.input is not None or step.ends_input
                or (self.still_asks and step is self.steps[-1]))

    def _add(self, number: int, line: str) -> None:
        kind = line[:1]
        place = f'{self.name}:{number}'
        if line.endswith('\r') and kind in ('#', '$', '|'):
            raise TranscriptError(f'{place}: the line ends with \\r\\n; a transcript has \\n alone')
        if kind == '#':
            self._heed(place, line[1:].strip(), number)
        elif kind == '$':
            self._set_command(place, line)
        elif kind == '|':
            self._add_printed(place, number, line)
        else:
            self._add_input(place, number, line)

    def _add_printed(self, place: str, number: int, line: str) -> None:
        ends = not line.endswith('\\')
        printed = Printed(number, line[1:] if ends else line[1:-1], ends)
        if self._file:
            self._file.content.printed.append(printed)
            return
        if self.still_asks:
            raise TranscriptError(f'{place}: after "# still asks" nothing is printed')
        printed.skips = 'any lines' in self._next
        if 'free' in self._next:
            printed.rule = 'free'
        elif 'regex' in self._next:
            printed.rule = 'regex'
            check_expression(place, printed.text)
        self._next = []
        self.steps[-1].printed.append(printed)

    def _add_input(self, place: str, number: int, line: str) -> None:
        self._check_goes_on(place, repr(line))
        self._end_step(place)
        step = self.steps[-1]
        step.input, step.number = line, number
        self.steps.append(Step())

    def _check_goes_on(self, place: str, then: str) -> None:
        """Raise `TranscriptError` if nothing is typed any more, and so not this."""
        if self.still_asks or self.steps[len(self.steps) - 2].ends_input:
            after = 'still asks' if self.still_asks else 'end of input'
            raise TranscriptError(f'{place}: after "# {after}" nothing is typed: {then}')

    def _end_step(self, place: str) -> None:
        """Take over what stands at the end of a step."""
        self._file = None
        if self._next and self._next != ['any lines']:
            rule, = {*self._next} & {'free', 'regex'}
            raise TranscriptError(f'{place}: no printed line after "# {rule}"')
        self.steps[-1].is_open = bool(self._next)
        self._next = []

    def _set_command(self, place: str, line: str) -> None:
        if self.command or len(self.steps) > 1 or self.steps[0].printed:
            raise TranscriptError(f'{place}: one $ line, before all others')
        try:
            self.command = shlex.split(line[1:])
        except ValueError as error:
            raise TranscriptError(f'{place}: {error}') from None
        if not self.command:
            raise TranscriptError(f'{place}: a $ line names a program')

    def _heed(self, place: str, comment: str, number: int = 0) -> None:
        """Take over what a comment means, if it is a directive, or the title."""
        try:
            name, value = directive_in(comment)
            if name:
                self._file = None
                self._obey(place, name, value, number)
            else:
                self.title = self.title or comment
        except ValueError as error:
            raise TranscriptError(f'{place}: {error}') from None

    def _obey(self, place: str, name: str, value: str, number: int) -> None:
        """Take over a directive. Raises `ValueError`."""
        if not number and name in PLACED:
            raise ValueError(f'"# {name}" is about one place in a session, not about all')
        if name in ('free', 'regex', 'any lines'):
            self._next.append(name)
            if {'free', 'regex'} <= {*self._next}:
                raise ValueError('a printed line is "# free" or "# regex", not both')
        elif name == 'end of input':
            self._check_goes_on(place, '"# end of input"')
            self._end_step(place)
            self.steps[-1].ends_input, self.steps[-1].number = True, number
            self.steps.append(Step())
        elif name == 'file':
            self._file = File(number, file_in(value))
            if value in [file.path for file in self.files]:
                raise ValueError(f'what {value} holds stands here a second time')
            self.files.append(self._file)
        elif name == 'points':
            self.points = points_in(value)
        elif name == 'exit status':
            self.status = status_in(value)
        elif name == 'ignore':
            self.rules = ignoring(self.rules, value)
        elif name == 'tolerance':
            self.rules = tolerant(self.rules, value)
        elif name == 'prompts':
            if value != 'free':
                raise ValueError(f'prompts are "free", or as they stand, not {value!r}')
            self.has_free_prompts = True
        else:
            setattr(self, ATTRIBUTES[name], True)


def check_expression(place: str, expression: str) -> None:
    """Raise `TranscriptError` if a text is no regular expression."""
    try:
        re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        raise TranscriptError(f'{place}: no regular expression: {error}') from None


def decode(name: str, content: bytes) -> str:
    """Return the text that a file holds; raises `TranscriptError` by its name if it is no UTF-8."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        encoding = 'UTF-16' if content[:2] in (b'\xff\xfe', b'\xfe\xff') else error.reason
        raise TranscriptError(f'{name}: not UTF-8: {encoding}') from error
    if text.startswith('\ufeff'):
        raise TranscriptError(f'{name}:1: the file begins with a byte order mark')
    if '\0' in text:
        raise TranscriptError(f'{name}: not UTF-8: it has NUL bytes, as UTF-16 has')
    return text


def display_name(path: Path) -> str:
    """Return a path as a person would type it at the root of the project."""
    path = path.resolve()
    return str(path.relative_to(ROOT)) if ROOT in path.parents else str(path)
