"""The source files of a program as the grader has them, and the statements in each.

A source may be anything: it is neither compiled nor parsed, which could end the grader, and where
its tokens end in an error, so do its statements. A compound statement is its header alone, each of
its clauses a statement.
"""

from __future__ import annotations

import io
import keyword
import os
import re
import tokenize
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

from .trace import LONGEST_NAME, Line

MOST_FILES = 50
MOST_BYTES = 1 << 22                    # of all files together
MOST_CHARACTERS = 1 << 17               # of a file of which the statements are known
OPENING, CLOSING = ('(', '[', '{'), (')', ']', '}')
ASSIGNMENT = re.compile(r'(\*\*|//|>>|<<|[-+*/%&|^@])?=')
BRACES = re.compile(r'\{([^{}]*)\}')
NAME = re.compile(r'[^\W\d]\w*')
CONTINUING = ('elif', 'else', 'except', 'finally')       # what was begun before
DECIDING = ('elif', 'for', 'if', 'while')
LAYOUT = (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT)


@dataclass(frozen=True, eq=False)       # a statement is only like itself
class Statement:
    """A statement of a file, of which it is the one with this `number`."""

    file: str
    number: int
    first: int                          # its lines
    last: int
    size: int = 0                       # how many tokens it has
    keyword: str = ''                   # that it begins with, such as def, if, return
    names: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()  # those of the names that it sets
    within: Statement | None = None     # the innermost `def` around it
    decider: Statement | None = None    # the condition or loop that decides whether it runs

    @property
    def is_setting(self) -> bool:
        """Whether it sets, always and in no function, something for all that follows."""
        return bool(self.sets) and not (self.within or self.decider or self.keyword)


def statements(file: str, source: str) -> list[Statement]:
    """Return the statements of a source, in order.

    >>> [(s.first, s.last, s.keyword, *s.sets) for s in statements('', 'n = (\\n 1)\\nif n: n = 2')]
    [(1, 2, '', 'n'), (3, 3, 'if', 'n')]
    """
    found: list[Statement] = []
    around: list[Statement] = []
    latest: dict[int, Statement] = {}   # by how many are around it
    tokens: list[tokenize.TokenInfo] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NEWLINE and tokens:
                words = [word for token in tokens for word in words_of(token)]
                header = (latest.get(len(around)) if words[0] in CONTINUING
                          else around[-1] if around else None)
                lines = tokens[0].start[0], tokens[-1].end[0]
                found.append(statement(file, len(found), lines, words, header))
                latest[len(around)] = found[-1]
                tokens = []
            elif token.type == tokenize.INDENT and found:
                around.append(found[-1])
            elif token.type == tokenize.DEDENT and around:
                around.pop()
            elif token.type not in LAYOUT:
                tokens.append(token)
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found


def statement(file: str, number: int, lines: tuple[int, int], words: Sequence[str],
              header: Statement | None) -> Statement:
    """Return the statement that some words are, in the block of a header or continuing it."""
    first = next((word for word in words[:2] if keyword.iskeyword(word) and word != 'async'), '')
    names = (name for name in words if NAME.fullmatch(name) and not keyword.iskeyword(name))
    within = decider = None
    if header and header.keyword == 'def':
        within = header
    elif header:
        within = header.within
        decider = header if header.keyword in DECIDING else header.decider
    return Statement(file, number, *lines, len(words), first, frozenset(names),
                     frozenset(set_by(words, first)), within, decider)


def words_of(token: tokenize.TokenInfo) -> list[str]:
    """Return names and operators of a token: of a string, the names in its braces."""
    if token.type == tokenize.STRING:
        return ['""', *(name for inside in BRACES.findall(token.string)
                        for name in NAME.findall(inside))]
    return [token.string]


def set_by(words: Sequence[str], first: str) -> Iterator[str]:
    """Yield the names that a statement sets: of `game.board[row] = 1`, the name `board`."""
    if first == 'def':
        yield from words[words.index('def') + 1:][:1]
    depth = 0
    targets: list[str] = []
    for word, before in zip(words, ['', *words]):
        depth += (word in OPENING) - (word in CLOSING)
        if depth == 0 and (ASSIGNMENT.fullmatch(word) or (first == 'for' and word == 'in')):
            yield from targets
        elif depth == 0 and NAME.fullmatch(word) and not keyword.iskeyword(word):
            targets = [*(targets[:-1] if before == '.' else targets), word]


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
