"""The source files of a program, and the statements in each.

A source, and the list of its statements, may be anything that a hostile program has written. The
grader parses no source, and believes nothing that is impossible.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .trace import LONGEST_NAME, Line

STATEMENTS = Path(__file__).with_name('statements.py').read_text(encoding='utf-8')
MOST_FILES = 50
MOST_BYTES = 1 << 22                    # of all files together
MOST_NAMES = 1000                       # in a statement
LONGEST_WORD = 100                      # characters


@dataclass(frozen=True, eq=False)       # a statement is equal only to itself
class Statement:
    """A statement of a file; `number` is its index there."""

    file: str
    number: int
    first: int                          # its lines
    last: int
    keyword: str = ''                   # at its beginning, such as def, if, return
    size: int = 0                       # how many expressions it has
    names: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()  # the names that it sets
    within: Statement | None = None     # the innermost `def` around it
    deciders: tuple[Statement, ...] = ()    # what decides whether it runs, the innermost first

    @property
    def is_start(self) -> bool:
        """Whether it only calls a function, without arguments, and once, as `main()` does."""
        return self.size == 2 and not (
            self.keyword or self.within
            or {'for', 'while'} & {one.keyword for one in self.deciders})

    @property
    def is_setting(self) -> bool:
        """Whether it sets something at the top of the file, without a condition."""
        return bool(self.sets) and not (self.within or self.deciders or self.keyword)


def read_statements(said: bytes) -> dict[str, list[Statement]]:
    """Return the statements of each file from the output of `statements.py`.

    A hostile program may have written the output: a file with an impossible statement has none.
    """
    found = {}
    for line in said.split(b'\n'):
        with suppress(ValueError, TypeError, RecursionError):
            file, records = json.loads(line)
            statements: list[Statement] = []
            for record in records:
                statements.append(statement(str(file), statements, *record))
            if statements:
                found[str(file)] = statements
    return found


def statement(file: str, before: list[Statement], first: Any, last: Any, keyword: Any, size: Any,
              names: Any, sets: Any, within: Any, deciders: Any) -> Statement:
    """Return the statement after those `before`. Raises `ValueError` and `TypeError`."""
    end = before[-1].last if before else 0
    indices = [within, *deciders]
    words = [keyword, *names, *sets]
    if not (all(type(number) is int for number in (first, last, size, *indices))
            and end < first <= last and all(-1 <= index < len(before) for index in indices)
            and len(words) + len(indices) <= MOST_NAMES
            and all(type(word) is str and len(word) <= LONGEST_WORD for word in words)):
        raise ValueError('no statement')
    return Statement(file, len(before), first, last, keyword, size, frozenset(names),
                     frozenset(sets), before[within] if within >= 0 else None,
                     tuple(before[index] for index in deciders if index >= 0))


class Sources:
    """The files of a program that its runs have named: each is read once, with its statements."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._left = MOST_BYTES
        self._lines: dict[str, list[str]] = {}
        self._statements: dict[Line, Statement] = {}

    def learn(self, said: bytes) -> None:
        """Add the statements of some files."""
        for file, statements in read_statements(said).items():
            lines = len(self._read(file))
            for one in statements if statements[-1].last <= lines else ():
                for number in range(one.first, one.last + 1):
                    self._statements[Line(file, number)] = one

    def statement(self, line: Line) -> Statement | None:
        """Return the statement to which a line belongs, None if there is no such line.

        A line about which nothing is known counts as a statement.
        """
        if not 0 < line.number <= len(self._read(line.file)):
            return None
        if line not in self._statements:
            self._statements[line] = Statement(line.file, line.number, line.number, line.number)
        return self._statements[line]

    def text(self, file: str, first: int, last: int) -> str:
        """Return some lines of a file."""
        return '\n'.join(self._read(file)[first - 1:last])

    def _read(self, file: str) -> list[str]:
        if file not in self._lines and len(self._lines) < MOST_FILES:
            text = ''
            with suppress(OSError, ValueError):         # no such file, or no name of a file
                text = self._content(file)
            self._lines[file] = text.split('\n') if text else []
        return self._lines.get(file, [])

    def _content(self, file: str) -> str:
        """Return the text of a file, '' if it is not the program's own, or too big to look at.

        Raises `OSError` and `ValueError`.
        """
        if len(file) > LONGEST_NAME:
            return ''
        path = Path(os.path.realpath(self._folder / file))
        if self._folder not in path.parents or not path.is_file():
            return ''
        with path.open('rb') as source:
            content = source.read(self._left + 1)
        if len(content) > self._left:
            return ''
        self._left -= len(content)
        return content.decode(errors='replace').replace('\r\n', '\n').replace('\r', '\n')
