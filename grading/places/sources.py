"""The source files of a program as the grader has them, whatever a run may have made of its own."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from .statements import Statement, statements
from .trace import LONGEST_NAME, Line

MOST_FILES = 50
MOST_BYTES = 1 << 22                    # of all files together
MOST_CHARACTERS = 1 << 17               # of a file of which the statements are known


class Sources:
    """The files below a folder that runs have named, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._left = MOST_BYTES
        self._lines: dict[str, list[str]] = {}
        self._statements: dict[Line, Statement] = {}

    def statement(self, line: Line) -> Statement | None:
        """Return the statement that a line is part of, None if there is no such line."""
        if not 0 < line.number <= len(self._read(line.file)):
            return None
        if line not in self._statements:        # it stands for itself
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
            for statement in statements(file, text) if len(text) <= MOST_CHARACTERS else ():
                for number in range(statement.first, statement.last + 1):
                    self._statements[Line(file, number)] = statement
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
