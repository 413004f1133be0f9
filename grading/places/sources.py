"""The source files of a program as the grader has them, whatever a run may have made of its own."""

from __future__ import annotations

import os
from pathlib import Path

from .statements import Statement, statements
from .trace import Line

MOST_FILES = 50


class Sources:
    """The files below a folder of which a run has spoken, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._texts: dict[str, list[str]] = {}
        self._statements: dict[str, dict[int, Statement]] = {}

    def text(self, file: str, number: int) -> str:
        """Return a line of a file, `''` where there is none."""
        lines = self._lines(file)
        return lines[number - 1].strip() if 0 < number <= len(lines) else ''

    def statement(self, line: Line) -> Statement | None:
        """Return the statement that a line is part of, None if there is none."""
        if line.file not in self._statements:
            found = statements('\n'.join(self._lines(line.file)))
            self._statements[line.file] = {
                number: statement for statement in found
                for number in range(statement.first, statement.last + 1)}
        return self._statements[line.file].get(line.number)

    def _lines(self, file: str) -> list[str]:
        if file not in self._texts and len(self._texts) < MOST_FILES:
            path = Path(os.path.realpath(self._folder / file))
            is_inside = self._folder in path.parents and path.is_file()
            content = path.read_bytes() if is_inside else b''
            text = content.decode(errors='replace').replace('\r\n', '\n').replace('\r', '\n')
            self._texts[file] = text.split('\n')
        return self._texts.get(file, [])
