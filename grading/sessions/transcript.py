"""The transcript format: a recorded session in a text file.

Only the first character of a line says what the line is, and a final backslash what ends it:

    # a comment, or a directive: see `directives`
    $ nim_console.py piles --prompts      the command line, before any input and output
    |text                                 printed: the text and a newline
    |text\\                                printed: the text alone, as a prompt is
    anything else                         typed: one line of input
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Callable, Collection, Iterator, Sequence

from .directives import PLACED, About, directive_in, expression_in, file_in
from .steps import (
    File,
    Printed,
    Step,
    TranscriptError,
    as_typed,
    content_of,
    decode,
    display_name,
    lines_in,
    marked,
)

__all__ = ['Transcript', 'TranscriptError']

LONGEST_SESSION = 200_000               # lines; more cannot be played within its time


class Transcript(About):
    """A session: its `name`, `lines`, `command` line as words, and `steps`.

    `text` is the text of its file. `directives` are those of the whole assignment, such as 'ignore:
    case'; the session's own directives replace them. Raises `TranscriptError`.

    >>> transcript = Transcript('a', '$ greeter.py --loud\\nAnn\\n|HELLO, ANN\\\\\\n')
    >>> transcript.command, transcript.inputs, transcript.output
    (['greeter.py', '--loud'], ['Ann'], 'HELLO, ANN')
    """

    def __init__(self, name: str, text: str, directives: Sequence[str] = ()) -> None:
        super().__init__()
        self.name = name
        self.directives = directives
        *self.lines, last = text.split('\n')
        if last:
            self.lines.append(last)
        self.command: list[str] = []        # empty where no `$` line gives it
        self.answers = ''                   # of a pair: the name of the file with the output
        self.title = ''                     # the first comment that is no directive
        self.files: list[File] = []         # the files that the program must leave
        # The words of lines that are due, where a program may print others of its own.
        self.due_words: Collection[str] = ()
        # Yields the sessions that go on in another way from a step, and are also right.
        self.others: Callable[[int], Iterator[Transcript]] | None = None
        self.is_derived = False             # whether a model says what is due, with faults
        # Of a session in which all input is typed at once: the session line by line.
        self.in_turns: Transcript | None = None
        self.steps = [Step()]
        if len(self.lines) > LONGEST_SESSION:
            raise TranscriptError(f'{name}: more than {LONGEST_SESSION:,} lines')
        if self.lines and all(line.endswith('\r') for line in self.lines):
            raise TranscriptError(f'{name}:1: lines end with \\r\\n; a session has \\n alone')
        self._next: set[str] = set()        # directives about the next printed line
        self._file: File | None = None      # the file whose lines follow
        for directive in directives:
            self._read_comment(name, f'# {directive}')
        for number, line in enumerate(self.lines, 1):
            self._add(number, line)
        self._end_step(f'{name}:{len(self.lines)}')
        for due in [due for step in self.steps for due in step.printed if due.rule == 'regex']:
            try:
                due.expression = expression_in(due.text, self.rules)
            except ValueError as error:
                raise TranscriptError(f'{name}:{due.number}: {error}') from None
        if self.prints_nothing and any(step.printed for step in self.steps):
            raise TranscriptError(f'{name}: "# prints nothing", but the session has printed lines')

    @classmethod
    def of_pair(cls, name: str, typed: str, answers: str, printed: str,
                directives: Sequence[str] = ()) -> Transcript:
        """Return the session in which all input is typed at once, and then all output is due.

        The input is in the file that has the session's name, the output in the one named `answers`.
        Raises `TranscriptError`.
        """
        transcript = cls(name, '', directives)
        transcript.answers = answers
        first, last = Step(), Step()
        first.ends_input = True
        inputs = [line.rstrip('\n') for line in lines_in(typed.replace('\r\n', '\n'))]
        if inputs:
            first.input, first.number = '\n'.join(inputs), len(inputs)
            first.end = '\n' if typed.endswith('\n') else ''
        outputs = lines_in(printed.replace('\r\n', '\n'))
        if len(outputs) > LONGEST_SESSION:
            raise TranscriptError(f'{name}: more than {LONGEST_SESSION:,} lines of output')
        last.printed = [Printed(number, line.rstrip('\n'), line.endswith('\n'))
                        for number, line in enumerate(outputs, 1)]
        transcript.lines = [*map(as_typed, inputs), *map(marked, last.printed)]
        transcript.steps = [first, last]
        transcript.prints_nothing = not last.printed
        return transcript

    @classmethod
    def read(cls, path: Path, directives: Sequence[str] = ()) -> Transcript:
        """Return the transcript in a file, with the name that a person would type in the project.

        Raises `TranscriptError`.
        """
        name = display_name(path)
        return cls(name, decode(name, content_of(name, path)), directives)

    @property
    def last_line(self) -> int:
        """The number of the last line of the file that says what is due."""
        return max(1, len(self.steps[-1].printed)) if self.answers else len(self.lines)

    @property
    def line_by_line(self) -> Transcript:
        """The session line by line, also where all its input is typed at once."""
        return self.in_turns or self

    @property
    def arguments(self) -> list[str]:
        """The words after the program's name on the `$` line."""
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
        """Whether the session says what is due, even if it says that nothing is."""
        return (self.prints_nothing or self.still_asks
                or any(step.printed or step.is_open for step in self.steps)
                or any(file.content.printed for file in self.files))

    @property
    def is_exact(self) -> bool:
        """Whether all output is compared byte for byte."""
        return self.rules.are_exact and not self.has_free_prompts and not any(
            step.is_open or not all(line.is_text for line in step.printed) for step in self.steps)

    @property
    def reads_all_first(self) -> bool:
        """Whether the program prints only when it has read all input and its end."""
        return not self.still_asks and not any(
            step.printed or step.is_open or step.ends_input for step in self.steps[:-1])

    def asks_after(self, step: Step) -> bool:
        """Return whether the program waits for input at the end of a step."""
        return (step.input is not None or step.ends_input
                or (self.still_asks and step is self.steps[-1]))

    def _add(self, number: int, line: str) -> None:
        kind = line[:1]
        place = f'{self.name}:{number}'
        if line.endswith('\r') and kind in ('#', '$', '|'):
            raise TranscriptError(f'{place}: the line ends with \\r\\n; a session has \\n alone')
        if kind == '#':
            self._read_comment(place, line, number)
        elif kind == '$':
            self._set_command(place, line)
        elif kind == '|':
            self._add_printed(place, number, line)
        else:
            self._add_input(place, number, line)

    def _add_printed(self, place: str, number: int, line: str) -> None:
        has_backslash = 'backslash' in self._next
        if has_backslash and not line.endswith('\\'):
            raise TranscriptError(f'{place}: after "# backslash" a line must end with a backslash')
        ends = has_backslash or not line.endswith('\\')
        printed = Printed(number, line[1:] if ends else line[1:-1], ends)
        if self._file:
            self._next.discard('backslash')
            self._file.content.printed.append(printed)
            return
        if self.still_asks:
            raise TranscriptError(f'{place}: after "# still asks" nothing is printed')
        printed.skips = 'any lines' in self._next
        if 'free' in self._next:
            printed.rule = 'free'
        elif 'regex' in self._next:
            printed.rule = 'regex'
        self._next = set()
        self.steps[-1].printed.append(printed)

    def _add_input(self, place: str, number: int, line: str) -> None:
        self._check_goes_on(place, repr(line))
        self._end_step(place)
        step = self.steps[-1]
        step.input, step.number = line, number
        self.steps.append(Step())

    def _check_goes_on(self, place: str, then: str) -> None:
        """Raise `TranscriptError` if nothing may be typed after the last step."""
        if self.still_asks or self.steps[len(self.steps) - 2].ends_input:
            after = 'still asks' if self.still_asks else 'end of input'
            raise TranscriptError(f'{place}: after "# {after}" nothing is typed: {then}')

    def _end_step(self, place: str) -> None:
        """End the step: apply directives about its end."""
        self._file = None
        for rule in self._next - {'any lines'}:
            raise TranscriptError(f'{place}: no printed line after "# {rule}"')
        self.steps[-1].is_open = bool(self._next)
        self._next = set()

    def _set_command(self, place: str, line: str) -> None:
        if self.command or len(self.steps) > 1 or self.steps[0].printed:
            raise TranscriptError(f'{place}: only one $ line, before all other lines')
        try:
            self.command = shlex.split(line[1:])
        except ValueError as error:
            raise TranscriptError(f'{place}: {error}') from None
        if not self.command:
            raise TranscriptError(f'{place}: the $ line must name a program')

    def _read_comment(self, place: str, line: str, number: int = 0) -> None:
        """Apply a comment that is a directive; the first other comment is the title."""
        try:
            name, value = directive_in(line)
            if name:
                self._file = self._file if name == 'backslash' else None
                self._apply_directive(place, name, value, number)
            self.title = self.title or ('' if name else line[1:].strip())
        except ValueError as error:
            raise TranscriptError(f'{place}: {error}') from None

    def _apply_directive(self, place: str, name: str, value: str, number: int) -> None:
        """Apply a directive about one place, or about all. Raises `ValueError`."""
        if not number and name in PLACED:
            raise ValueError(f'"# {name}" is about one place in a session, not about all sessions')
        if name in ('free', 'regex', 'any lines', 'backslash'):
            self._next.add(name)
            if {'free', 'regex'} <= self._next:
                raise ValueError('a printed line is "# free" or "# regex", not both')
        elif name == 'type':
            self._add_input(place, number, value)
        elif name == 'end of input':
            self._check_goes_on(place, '"# end of input"')
            self._end_step(place)
            self.steps[-1].ends_input, self.steps[-1].number = True, number
            self.steps.append(Step())
        elif name == 'file':
            self._file = File(number, file_in(value))
            if value in [file.path for file in self.files]:
                raise ValueError(f'the lines of {value} stand here a second time')
            self.files.append(self._file)
        else:
            self.apply(name, value)
