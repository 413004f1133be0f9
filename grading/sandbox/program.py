"""What is run: a command line, and the folder that it runs in."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from .system import IS_WINDOWS


@dataclass
class Program:
    """A command line, and where it runs.

    Each run has a fresh copy of `folder`, and begins in the folder `below` in it; a program
    without a folder runs as it stands, in the current one.
    """

    words: list[str]
    folder: Path | None = None
    below: str = '.'


def words_in(command: str) -> list[str]:
    """Return the words of a command line, as this system has them. Raises `ValueError`."""
    return words_on_windows(command) if IS_WINDOWS else shlex.split(command)


def words_on_windows(command: str) -> list[str]:
    r"""Return the words of a command line as programs on Windows are given them.

    Backslashes mean something only before a quotation mark (Microsoft, "Parsing C command-line
    arguments").

    >>> words_on_windows(r'py "C:\My files\game.py" ""')
    ['py', 'C:\\My files\\game.py', '']
    """
    words: list[str] = []
    word: str | None = None
    is_quoted = False
    for part in re.finditer(r'(\\*)"|\\+|[ \t]+|[^\\" \t]+', command):
        if part[0].endswith('"'):
            word = (word or '') + '\\' * (len(part[1]) // 2)
            if len(part[1]) % 2:
                word += '"'
            else:
                is_quoted = not is_quoted
        elif is_quoted or part[0][0] not in ' \t':
            word = (word or '') + part[0]
        elif word is not None:
            words.append(word)
            word = None
    return words if word is None else [*words, word]
