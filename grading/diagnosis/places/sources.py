"""The source files of a program that its runs have named: each is read once.

A source may be anything that a hostile program has written.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from .statements import Statement, statements_in
from .trace import LONGEST_NAME, Line

MOST_FILES = 50
MOST_BYTES = 1 << 22                    # of all files together


class Sources:
    """The lines of a program's files, and the statements in them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._left = MOST_BYTES
        self._lines: dict[str, list[str]] = {}
        self._statements: dict[Line, Statement] = {}

    def statement(self, line: Line) -> Statement | None:
        """Return the statement to which a line belongs, None if there is no such line.

        A line of a file that cannot be parsed counts as a statement.
        """
        if not 0 < line.number <= len(self._read(line.file)):
            return None
        return self._statements.setdefault(
            line, Statement(line.file, line.number, line.number, line.number))

    def text(self, file: str, first: int, last: int) -> str:
        """Return some lines of a file."""
        return '\n'.join(self._read(file)[first - 1:last])

    def _read(self, file: str) -> list[str]:
        if file not in self._lines and len(self._lines) < MOST_FILES:
            text = ''
            with suppress(OSError, ValueError):         # no such file, or no name of a file
                text = self._content(file)
            self._lines[file] = text.split('\n') if text else []
            for one in statements_in(file, text):
                for number in range(one.first, one.last + 1):
                    self._statements[Line(file, number)] = one
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
