"""The transcript format: a recorded session in a text file, and the session made from it.

A backslash at the end of a printed line means that no newline follows. The first character of a
line shows what kind of line it is:

    # a comment, or a directive
    $ nim_console.py piles --prompts      the command line, before any input and output
    |text                                 printed: the text and a newline
    |text\\                                printed: the text without a newline, such as a prompt
    anything else                         typed: one line of input

Directives are comments that say how the session is played and compared:

    # points: 2                 the points for the session; the default is 1
    # beyond the assignment     the session tests more than the assignment asks for
    # prints nothing            the program prints nothing
    # hidden                    students do not see its input and output
    # exit status: 1            a number, "any" or "not 0"; the default is 0
    # ignore: case, whitespace  in all lines: the case of letters, the amount of whitespace
    # tolerance: 1e-6           how far numbers may be from the expected ones
    # prompts: free             the program may print any prompts, or none; "none" forbids prompts
    # file: after.csv           when the program has ended, this file must contain the following
                                lines, up to the next input or directive that is not about a line

    # free                      any single line may replace the next printed line
    # regex                     the next printed line is a regular expression
    # any lines                 any lines may be printed here
    # end of input              standard input ends here
    # still asks                at the end, the program must still be waiting for input
    # type: #3 x                a typed line that begins with #, $ or |
    # backslash                 the next printed line ends with a backslash and a newline

Any other comment is for people. A directive of another tool is an error, unless the comment ends
with a full stop.
"""

from __future__ import annotations

import re
import shlex
import stat
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from ..installation import ROOT
from ..limits import LARGEST_SESSION, LONGEST_SESSION
from .directives import DIRECTIVES, LINE_RULES, MARKS, TABLE, directive_in
from .session import ExpectedEnd, ExpectedFile, ExpectedLine, Rules, Session, Step

COMPARING = [row.name for row in TABLE if row.rule]  # directives for comparing a line


class TranscriptError(Exception):
    """A file is not a valid session, or a session cannot be recorded; the message says why."""


def decode(name: str, content: bytes) -> str:
    """Return the content of a file as text. Raises `TranscriptError` if it is not plain UTF-8."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        if content[:2] in (b'\xff\xfe', b'\xfe\xff'):
            raise TranscriptError(f'{name}: not UTF-8: it looks like UTF-16') from error
        number = content.count(b'\n', 0, error.start) + 1
        raise TranscriptError(
            f'{name}:{number}: not UTF-8: {error.reason}; save the file as UTF-8'
        ) from error
    if text.startswith('\ufeff'):
        raise TranscriptError(
            f'{name}:1: the file begins with a byte order mark; save it without one'
        )
    if '\0' in text:
        raise TranscriptError(f'{name}: not UTF-8: it contains NUL bytes, so it may be UTF-16')
    return text


def lines_in(text: str) -> list[str]:
    """Return the lines of a string, with their newlines; only a newline ends a line."""
    return re.findall(r'[^\n]*\n|[^\n]+', text)


def marked(line: ExpectedLine) -> str:
    """Return a printed line as a transcript has it, perhaps after the line "# backslash"."""
    directive = '# backslash\n' if line.has_newline and line.text.endswith('\\') else ''
    return f'{directive}|{line.text}' + ('' if line.has_newline else '\\')


def as_typed(line: str) -> str:
    """Return a typed line as a transcript has it.

    >>> as_typed('3'), as_typed('#3')
    ('3', '# type: #3')
    """
    return f'# type: {line}' if line.startswith(MARKS) else line


def parse(text: str, name: str = '', directives: Sequence[str] = ()) -> Session:
    r"""Return the session in a transcript.

    `name` is the session's name. `directives`, such as 'ignore: case', apply to the whole
    assignment; the session's own directives override them. Raises `TranscriptError`.

    >>> session = parse('$ greeter.py --loud\nAnn\n|HELLO, ANN\\\n')
    >>> session.command, session.inputs, session.output
    (('greeter.py', '--loud'), ['Ann'], 'HELLO, ANN')
    """
    return SessionParser(name, directives).session([line.rstrip('\n') for line in lines_in(text)])


def read_session(path: Path, directives: Sequence[str] = ()) -> Session:
    """Return the session in a file; its name is the path (see `display_name`).

    Raises `TranscriptError`.
    """
    name = display_name(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise TranscriptError(f'{name}: not a regular file')
        if status.st_size > LARGEST_SESSION:
            raise TranscriptError(f'{name}: more than {LARGEST_SESSION >> 20} MB')
        content = path.read_bytes()
    except OSError as error:
        raise TranscriptError(f'{name}: {error.strerror}') from error
    return parse(decode(name, content), name, directives)


def parse_pair(
    typed: str, printed: str, name: str, answers: str, directives: Sequence[str] = ()
) -> Session:
    """Return a session that types all input at once, and then expects all output.

    `typed` is the content of the input file, named `name`. `printed` is the content of the output
    file, named `answers`. Raises `TranscriptError`.
    """
    inputs = [line.rstrip('\n') for line in lines_in(typed.replace('\r\n', '\n'))]
    outputs = lines_in(printed.replace('\r\n', '\n'))
    if len(outputs) > LONGEST_SESSION:
        raise TranscriptError(f'{name}: more than {LONGEST_SESSION:,} lines of output')
    first = Step(
        input='\n'.join(inputs) if inputs else None,
        number=len(inputs),
        end='\n' if typed.endswith('\n') else '',
        ends_input=True,
    )
    last = Step(
        [
            ExpectedLine(number, line.rstrip('\n'), line.endswith('\n'))
            for number, line in enumerate(outputs, 1)
        ]
    )
    session = replace(
        parse('', name, directives),
        lines=(*map(as_typed, inputs), *map(marked, last.expected)),
        prints_nothing=not last.expected,
        answers=answers,
    )
    return replace(session, steps=[first, last])


def display_name(path: Path) -> str:
    """Return a path as text, relative to the project's folder if the path is inside it."""
    path = path.resolve()
    return path.relative_to(ROOT).as_posix() if ROOT in path.parents else str(path)


class PrintedLines:
    """Collects the printed lines of a step, or of a file."""

    def __init__(self) -> None:
        self.lines: list[ExpectedLine] = []
        self._directives: set[str] = set()  # the names of directives about the next line

    def add_directive(self, name: str) -> None:
        """Add a directive about the next line. Raises `ValueError`."""
        self._directives.add(name)
        rules = self._rules
        if len(rules) > 1:
            raise ValueError(f'an output line cannot be both "# {rules[0]}" and "# {rules[1]}"')

    def add(self, number: int, line: str) -> None:
        """Add a `|` line of the transcript. Raises `ValueError`."""
        has_backslash = 'backslash' in self._directives
        if has_backslash and not line.endswith('\\'):
            raise ValueError('the line after "# backslash" must end with a backslash')
        has_newline = has_backslash or not line.endswith('\\')
        self.lines.append(
            ExpectedLine(
                number,
                line[1:] if has_newline else line[1:-1],
                has_newline,
                self._rules[0] if self._rules else 'text',
                'lines' if 'any lines' in self._directives else '',
            )
        )
        self._directives.clear()

    def end(self) -> bool:
        """Return whether "# any lines" comes last: then any lines may follow.

        Raises `ValueError` if another directive about the next line comes last.
        """
        others = self._directives - {'any lines'}
        if others:
            raise ValueError(f'"# {min(others)}" must be followed by an output line')
        return bool(self._directives)

    @property
    def _rules(self) -> list[str]:
        """The names of the directives for comparing the next line."""
        return [name for name in COMPARING if name in self._directives]


class FileLines(PrintedLines):
    """Collects the lines of a file the program must write."""

    def __init__(self, number: int, path: str) -> None:
        super().__init__()
        self.number = number  # the line number of the directive
        self.path = path
        self.last = number  # the line number of the file's last line or directive


class SessionParser:
    """Reads a transcript, line by line."""

    def __init__(self, name: str, directives: Sequence[str] = ()) -> None:
        self._name = name
        self._directives = directives  # directives of the whole assignment
        self._facts: dict[str, Any] = {}  # field names and values set by directives
        self._title = ''
        self._command: Sequence[str] = ()
        self._steps: list[Step] = []  # complete steps
        self._printed = PrintedLines()  # the lines of the current step
        self._files: list[ExpectedFile] = []
        self._file: FileLines | None = None  # the file being read, if any

    def session(self, lines: Sequence[str]) -> Session:
        """Parse the lines of a session. Raises `TranscriptError`."""
        number = 0  # the line number of an error, or 0 if it is in no line
        try:
            for directive in self._directives:
                self._read_comment(0, f'# {directive}')
            if lines and all(line.endswith('\r') for line in lines):
                number = 1
                raise ValueError('lines end with \\r\\n; a session must use \\n alone')
            for number, line in enumerate(lines, 1):
                self._read(number, line)
            self._end_file()
            steps = [*self._steps, Step(tuple(self._printed.lines), is_open=self._printed.end())]
            rules = Rules(**self._facts_about(Rules._fields))
            for step in (*steps, *(file.content for file in self._files)):
                for expected in step.expected:
                    number = expected.number
                    LINE_RULES[expected.rule].check(expected.text, rules)
        except ValueError as error:
            place = f'{self._name}:{number}' if number else self._name
            raise TranscriptError(f'{place}: {error}') from None
        end = ExpectedEnd(
            **self._facts_about(fact.name for fact in fields(ExpectedEnd)), files=tuple(self._files)
        )
        session = Session(
            self._name,
            tuple(lines),
            self._command,
            tuple(steps),
            end,
            self._title,
            rules=rules,
            directives=self._directives,
            **self._facts_about(fact.name for fact in fields(Session)),
        )
        if session.prints_nothing and any(step.expected for step in steps):
            raise TranscriptError(
                f'{self._name}: the session has "# prints nothing", but also output lines'
            )
        return session

    def _facts_about(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the named fields set by directives, with their values."""
        return {name: self._facts[name] for name in names if name in self._facts}

    # All methods below raise `ValueError` or `TranscriptError` if the transcript is not valid.

    def _read(self, number: int, line: str) -> None:
        kind = line[:1]
        if number > LONGEST_SESSION:
            raise TranscriptError(f'{self._name}: more than {LONGEST_SESSION:,} lines')
        if line.endswith('\r') and kind in MARKS:
            raise ValueError('the line ends with \\r\\n; a session must use \\n alone')
        if kind == '#':
            self._read_comment(number, line)
        elif kind == '$':
            self._read_command(line)
        elif kind == '|':
            self._read_printed(number, line)
        else:
            self._end_step(number, line)

    def _read_command(self, line: str) -> None:
        if self._command or self._steps or self._printed.lines:
            raise ValueError(
                'only one $ line is allowed, and it must come before any typed or printed line'
            )
        self._command = tuple(shlex.split(line[1:]))
        if not self._command:
            raise ValueError('the $ line must name a program')

    def _read_printed(self, number: int, line: str) -> None:
        (self._file or self._printed).add(number, line)
        if self._file:
            self._file.last = number
        elif 'still_asks' in self._facts:
            raise ValueError('no output may follow "# still asks"')

    def _read_comment(self, number: int, line: str) -> None:
        """Apply a directive; the first comment of any other kind is the title.

        `number` is 0 for a directive of the assignment: it is in no line.
        """
        name, value = directive_in(line)
        if not name:
            self._title = self._title or line[1:].strip()
            return
        row = DIRECTIVES[name]
        if row.scope != 'line':
            self._end_file()
        if not number and row.scope != 'session':
            raise ValueError(f'"# {name}" applies to one place in a session, not to all sessions')
        if row.scope == 'line':
            (self._file or self._printed).add_directive(name)
            if self._file:
                self._file.last = number
        elif name == 'type':
            self._end_step(number, value)
        elif name == 'end of input':
            self._end_step(number, None)
        elif name == 'file':
            self._begin_file(number, value)
        self._facts.update(row.sets(value))

    def _end_step(self, number: int, typed: str | None) -> None:
        """End the current step with a typed line, or with the end of input (None)."""
        has_ended = bool(self._steps) and self._steps[-1].ends_input
        if 'still_asks' in self._facts or has_ended:
            after = 'still asks' if 'still_asks' in self._facts else 'end of input'
            then = '"# end of input"' if typed is None else repr(typed)
            raise ValueError(f'no input may follow "# {after}": {then}')
        self._end_file()
        self._steps.append(
            Step(
                tuple(self._printed.lines),
                typed,
                number=number,
                ends_input=typed is None,
                is_open=self._printed.end(),
            )
        )
        self._printed = PrintedLines()

    def _begin_file(self, number: int, path: str) -> None:
        if path in [file.path for file in self._files]:
            raise ValueError(f'"# file: {path}" appears twice')
        self._file = FileLines(number, path)

    def _end_file(self) -> None:
        if self._file:
            file = self._file
            content = Step(tuple(file.lines), is_open=file.end())
            self._files.append(ExpectedFile(file.number, file.path, content, file.last))
        self._file = None
