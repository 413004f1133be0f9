"""The transcript format: a recorded session in a text file.

Only the first character of a line says what the line is, and a final backslash what ends it:

    # a comment
    $ nim_console.py piles --prompts      the command line, before any input and output
    |text                                 printed: the text and a newline
    |text\\                                printed: the text alone, as a prompt is
    anything else                         typed: one line of input

Three comments mean something: `# points: 2` gives the transcript another weight than 1,
`# beyond the assignment` says that the session holds what the assignment does not promise, and
`# free` that the assignment does not give the words of the next printed line: any line will do.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from ..project import ROOT

MOST_FREE = 1 << 12                     # bytes of a line whose words are free


class TranscriptError(Exception):
    """What a file says that no transcript can, or what a session did that none can hold."""


class Printed:
    """What the program printed and one `|` line holds: `text`, whether a newline `ends` it."""

    def __init__(self, number: int, text: str, ends: bool, is_free: bool) -> None:
        self.number = number                # of the line in the file, from 1
        self.text = text
        self.ends = ends
        self.is_free = is_free              # whether any other line will do

    def __str__(self) -> str:
        return self.text + '\n' if self.ends else self.text


class Step:
    """The lines that are printed before an input line, and that line: None after the last."""

    def __init__(self) -> None:
        self.printed: list[Printed] = []
        self.input: str | None = None
        self.number = 0                     # the input's line number, from 1

    @property
    def output(self) -> str:
        """The printed lines as one text."""
        return ''.join(map(str, self.printed))

    def due(self, printed: bytes) -> list[bytes]:
        """Return the lines that are due where this much of the step has been printed.

        They are the printed lines, but for those that are free: these are as the program prints
        them.
        """
        lines: list[bytes] = []
        start = 0
        for line in self.printed:
            due = str(line).encode()
            if line.is_free and start < len(printed):
                own, _, _ = printed[start:start + MOST_FREE].partition(b'\n')
                due = own + b'\n'
            lines.append(due)
            start += len(due)
        return lines


class Transcript:
    """A parsed transcript: its `name`, `lines`, `command` line as words, `steps`, `points`.

    `text` is what the file holds. Raises `TranscriptError`.

    >>> transcript = Transcript('a', '$ greeter.py --loud\\nAnn\\n|HELLO, ANN\\\\\\n')
    >>> transcript.command, transcript.inputs, transcript.output
    (['greeter.py', '--loud'], ['Ann'], 'HELLO, ANN')
    """

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        *self.lines, last = text.split('\n')
        if last:
            self.lines.append(last)
        self.command: list[str] = []        # empty where no `$` line gives it
        self.is_beyond = False              # whether the session is beyond the assignment
        self.points: float = 1
        self.steps = [Step()]
        if self.lines and all(line.endswith('\r') for line in self.lines):
            raise TranscriptError(f'{name}:1: lines end with \\r\\n; a transcript has \\n alone')
        self._is_next_free = False          # whether `# free` has been read, and no line since
        for number, line in enumerate(self.lines, 1):
            self._add(number, line)
        if self._is_next_free:
            raise TranscriptError(f'{name}:{len(self.lines)}: no printed line after "# free"')

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
    def reads_all_first(self) -> bool:
        """Whether the program prints only once all input has been read, to its very end."""
        return not any(step.printed for step in self.steps[:-1])

    def _add(self, number: int, line: str) -> None:
        kind = line[:1]
        if line.endswith('\r') and kind in ('#', '$', '|'):
            raise TranscriptError(f'{self.name}:{number}: the line ends with \\r\\n; a transcript '
                                  'has \\n alone')
        if kind == '#':
            self._heed(number, line[1:].strip())
            return
        step = self.steps[-1]
        is_free, self._is_next_free = self._is_next_free, False
        ends = not line.endswith('\\')
        if is_free and (kind != '|' or not ends):
            raise TranscriptError(f'{self.name}:{number}: not a printed line that ends with a '
                                  'newline, as there must be one after "# free"')
        if kind == '$':
            self._set_command(number, line)
        elif kind == '|':
            step.printed.append(Printed(number, line[1:] if ends else line[1:-1], ends, is_free))
        else:
            step.input = line
            step.number = number
            self.steps.append(Step())

    def _heed(self, number: int, comment: str) -> None:
        """Take over what a comment means, if it is one of the three that mean something."""
        self._is_next_free = self._is_next_free or comment == 'free'
        self.is_beyond = self.is_beyond or comment == 'beyond the assignment'
        weight = re.match(r'points\s*:\s*(.*)', comment)
        if weight:
            if not re.fullmatch(r'[0-9]{1,6}(\.[0-9]{1,6})?', weight.group(1)):
                raise TranscriptError(f'{self.name}:{number}: points are a number such as 2 or '
                                      f'2.5, not {weight.group(1)!r}')
            points = float(weight.group(1))
            self.points = int(points) if points.is_integer() else points

    def _set_command(self, number: int, line: str) -> None:
        if self.command or len(self.steps) > 1 or self.steps[0].printed:
            raise TranscriptError(f'{self.name}:{number}: one $ line, before all others')
        try:
            self.command = shlex.split(line[1:])
        except ValueError as error:
            raise TranscriptError(f'{self.name}:{number}: {error}') from None
        if not self.command:
            raise TranscriptError(f'{self.name}:{number}: a $ line names a program')


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
    """Return a path as a person would type it at the root of the project; there with slashes."""
    path = path.resolve()
    return path.relative_to(ROOT).as_posix() if ROOT in path.parents else str(path)
