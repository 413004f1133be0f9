"""The parts of a session: printed lines, steps, and the files that a program leaves."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Iterator, Literal, Sequence

from ..installation import ROOT
from .directives import MARKS

LARGEST_SESSION = 64 << 20              # bytes of a transcript
Rule = Literal[                         # by which one line is compared
    'text', 'free', 'regex',
    'words',                            # the program prints its own lines instead, or none
    'question',                         # its own lines, or its own text without a newline
]


class TranscriptError(Exception):
    """Why a file is not a session, or why a session cannot be recorded."""


class Printed:
    """One `|` line: its `text`, and whether a newline `ends` it."""

    __slots__ = ('ends', 'expression', 'number', 'rule', 'skips', 'text')

    def __init__(self, number: int, text: str, ends: bool, rule: Rule = 'text',
                 skips: bool = False) -> None:
        self.number = number                # of the line in the file, from 1
        self.text = text
        self.ends = ends
        self.rule: Rule = rule
        self.skips = skips                  # whether any lines may come before it
        self.expression: re.Pattern[str] | None = None      # where it is one

    def __str__(self) -> str:
        return self.text + '\n' if self.ends else self.text

    @property
    def is_own(self) -> bool:
        """Whether the program may print its own words here."""
        return self.rule in ('words', 'question')

    @property
    def is_text(self) -> bool:
        """Whether exactly this text is due, without other lines before it."""
        return self.rule == 'text' and not self.skips


class Step:
    """The lines printed before an input line, and this line, None after the last step.

    The end of input may stand in place of the line.
    """

    __slots__ = ('end', 'ends_input', 'input', 'is_open', 'number', 'printed')

    def __init__(self) -> None:
        self.printed: list[Printed] = []
        self.input: str | None = None
        self.end = '\n'                     # of the input; the last line of a file may have none
        self.number = 0                     # the input's line number, from 1
        self.ends_input = False             # whether the end of input follows
        self.is_open = False                # whether any lines may come at the end of the step

    @property
    def output(self) -> str:
        """The printed lines as one text."""
        return ''.join(map(str, self.printed))

    @property
    def typed(self) -> bytes:
        """The input as it is sent, b'' if there is none."""
        return b'' if self.input is None else (self.input + self.end).encode()

    @property
    def size(self) -> int:
        """The number of bytes printed."""
        return len(self.output.encode())


class File:
    """A file that a program must leave: its path in the program's folder, and its lines."""

    def __init__(self, number: int, path: str) -> None:
        self.number = number                # of the directive in the file, from 1
        self.path = path
        self.content = Step()


def content_of(name: str, path: Path) -> bytes:
    """Return the bytes of a plain file. Raises `TranscriptError` with its name."""
    try:
        # Without waiting: a FIFO may have no writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0))
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SESSION:
                raise TranscriptError(f'{name}: not a plain file of at most '
                                      f'{LARGEST_SESSION >> 20} MB')
            with open(descriptor, 'rb', closefd=False) as file:
                return file.read()
        finally:
            os.close(descriptor)
    except OSError as error:
        raise TranscriptError(f'{name}: {error.strerror}') from error


def decode(name: str, content: bytes) -> str:
    """Return the text of a file; raises `TranscriptError` with its name if it is not UTF-8."""
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
    """Return a path as a person would type it in the project: relative, with slashes."""
    path = path.resolve()
    return path.relative_to(ROOT).as_posix() if ROOT in path.parents else str(path)


def lines_in(text: str) -> list[str]:
    """Return the lines of a text with their newlines; only a newline ends a line."""
    *lines, last = text.split('\n')
    return [f'{line}\n' for line in lines] + ([last] if last else [])


def marked(line: Printed) -> str:
    """Return a printed line as a transcript has it, perhaps behind a directive."""
    directive = '# backslash\n' if line.ends and line.text.endswith('\\') else ''
    return f'{directive}|{line.text}' + ('' if line.ends else '\\')


def as_typed(line: str) -> str:
    """Return a typed line as a transcript has it.

    >>> as_typed('3'), as_typed('#3')
    ('3', '# type: #3')
    """
    return f'# type: {line}' if line.startswith(MARKS) else line


def pieces_of(lines: Sequence[Printed], printed: bytes) -> Iterator[bytes]:
    """Yield the lines that are due, up to the first that was not printed."""
    start = 0
    for line in lines:
        due = str(line).encode()
        if line.rule != 'text' or not printed.startswith(due, start):
            return
        start += len(due)
        yield due


def split(parts: Sequence[Printed], printed: bytes) -> list[bytes]:
    """Return the pieces of a line that match its parts; the last piece has all that is left."""
    pieces = [*pieces_of(parts[:-1], printed)]
    pieces += [b''] * (len(parts) - 1 - len(pieces))
    return [*pieces, printed[sum(map(len, pieces)):]]
