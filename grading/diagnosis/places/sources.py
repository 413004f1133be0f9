"""Reads the source files mentioned in a program's traces, and finds the statements in them.

Each file is read once. It may contain anything, because its author may be hostile.
"""

from __future__ import annotations

import ast
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...games.traced_program import Statement
from .trace import LONGEST_NAME, Line

MAX_FILES = 50  # maximum number of files to read
MAX_BYTES = 1 << 22  # maximum total size of the files
KEYWORDS = {  # the keyword of a statement, by the class of its syntax node
    'FunctionDef': 'def',
    'AsyncFunctionDef': 'def',
    'ClassDef': 'class',
    'Return': 'return',
    'Delete': 'del',
    'For': 'for',
    'AsyncFor': 'for',
    'While': 'while',
    'If': 'if',
    'With': 'with',
    'AsyncWith': 'with',
    'Match': 'match',
    'match_case': 'case',
    'Raise': 'raise',
    'Try': 'try',
    'TryStar': 'try',
    'ExceptHandler': 'except',
    'Assert': 'assert',
    'Import': 'import',
    'ImportFrom': 'from',
    'Global': 'global',
    'Nonlocal': 'nonlocal',
    'Pass': 'pass',
    'Break': 'break',
    'Continue': 'continue',
}
DECIDING = 'for', 'if', 'while', 'match', 'case', 'except'  # keywords of deciders
BLOCKS = 'body', 'handlers', 'orelse', 'finalbody', 'cases'  # fields of syntax nodes with blocks
MAX_DECIDERS = 10  # maximum number of deciders to keep when one with a jump is added
MAX_PARSED = 100_000  # characters; parsing a longer file could take minutes
NAMES = 'id', 'attr', 'arg', 'name', 'asname'  # fields of syntax nodes with names
DEFINITIONS = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
JUMPS = ast.Return, ast.Raise, ast.Break, ast.Continue


def statements_in(file: str, source: str) -> list[Statement]:
    """Return the statements of a file, or [] if it is too long or this Python cannot parse it.

    >>> [(found.first, found.keyword) for found in statements_in('a.py', 'if x:\\n    y = 1')]
    [(1, 'if'), (2, '')]
    """
    if len(source) > MAX_PARSED:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            # Encoded, because only bytes may begin with a byte order mark.
            tree = ast.parse(source.encode(errors='replace'))
        found: list[Statement] = []
        add_block(found, file, tree.body, None, ())
        return found
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def add_block(
    found: list[Statement],
    file: str,
    nodes: list[Any],
    within: Statement | None,
    deciders: tuple[Statement, ...],
) -> None:
    """Add the statements of a block to `found`; statements on the same line become one.

    `within` is the function around the block, if any. `deciders` are the deciders of the block's
    first statement.
    """
    for node in nodes:
        keyword = KEYWORDS.get(type(node).__name__, '')
        in_header: list[Any] = [*header(node)]
        parts = [node, *in_header]
        # If a statement contains blocks, only its header counts.
        counted = in_header if hasattr(node, 'body') else parts
        spans = [part for part in counted if hasattr(part, 'lineno')]
        # A `case` has no position of its own: it begins with its pattern.
        start = min(spans, key=lambda part: part.lineno) if keyword == 'case' else node
        first = start.lineno
        if not found or first > found[-1].last:
            found.append(
                Statement(
                    file, first, first, start.col_offset, keyword, within=within, deciders=deciders
                )
            )
        statement = found[-1]
        statement.last = max([first, statement.last, *(part.end_lineno for part in spans)])
        add_parts(statement, parts)
        inner_within, inner_deciders = within, deciders
        if keyword == 'def':
            statement.name, statement.is_recursive = node.name, calls_itself(node)
            inner_within, inner_deciders = statement, ()
        elif keyword in DECIDING:
            inner_deciders = (statement, *deciders)
        for block in BLOCKS:
            add_block(found, file, getattr(node, block, []), inner_within, inner_deciders)
        # A jump may skip the following statements.
        if keyword in DECIDING and any(isinstance(part, JUMPS) for part in ast.walk(node)):
            deciders = (statement, *deciders)[:MAX_DECIDERS]


def calls_itself(function: Any) -> bool:
    """Return whether a function calls itself, by its name or as a method of `self`."""
    called: list[Any] = [part.func for part in ast.walk(function) if isinstance(part, ast.Call)]
    return any(
        getattr(name, 'id', '') == function.name
        or (getattr(name, 'attr', '') == function.name and getattr(name.value, 'id', '') == 'self')
        for name in called
    )


def add_parts(statement: Statement, parts: Sequence[ast.AST]) -> None:
    """Add the names, expressions and strings in these syntax nodes to their statement."""
    names: set[object] = set()
    for part in parts:
        names.update(getattr(part, field, None) for field in NAMES)
    constants = [part.value for part in parts if isinstance(part, ast.Constant)]
    statement.text += ''.join(f'{value} ' for value in constants if isinstance(value, str))
    statement.size += sum(isinstance(part, ast.expr) for part in parts)
    statement.names |= {name for name in names if isinstance(name, str)}
    statement.sets |= {*names_set(parts)}


def header(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the syntax nodes below a statement's node, except those in its blocks."""
    for name, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST) and name not in BLOCKS:
                yield from ast.walk(part)


def names_set(parts: Iterable[Any]) -> Iterator[str]:
    """Yield the names a statement's syntax nodes set, delete, define, or may modify.

    The name is `board` in `game.board[0] = 1` and in `game.board.sort()`.
    """
    for part in parts:
        target = None
        if isinstance(getattr(part, 'ctx', None), (ast.Store, ast.Del)):
            target = part
        elif isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            target = getattr(part.value.func, 'value', None)  # the method may modify its object
            if getattr(target, 'id', '') == 'self':
                target = None
        while isinstance(target, ast.Subscript):
            target = target.value
        if isinstance(target, (ast.Name, ast.Attribute)):
            yield target.id if isinstance(target, ast.Name) else target.attr
        elif isinstance(part, DEFINITIONS):
            yield part.name


class Sources:
    """The lines of a program's files, and the statements in them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._left = MAX_BYTES  # how many bytes may still be read
        self._lines: dict[str, list[str]] = {}
        self._statements: dict[Line, Statement] = {}
        self.settings: list[Statement] = []  # the statements whose `is_setting` is true

    def statement(self, line: Line) -> Statement | None:
        """Return the statement of a line, or None if there is no such line.

        A line outside all statements, as in a file that cannot be parsed, counts as a statement of
        its own.
        """
        if not 0 < line.number <= len(self._read(line.file)):
            return None
        return self._statements.setdefault(line, Statement(line.file, line.number, line.number))

    @property
    def known(self) -> set[Statement]:
        """The statements of all files read so far."""
        return {*self._statements.values()}

    def statements(self, lines: Iterable[Line]) -> set[Statement]:
        """Return the statements of these lines."""
        return {statement for statement in map(self.statement, lines) if statement}

    def text(self, file: str, first: int, last: int) -> str:
        """Return the lines of a file from `first` to `last`."""
        return '\n'.join(self._read(file)[first - 1 : last])

    def _read(self, file: str) -> list[str]:
        """Return the lines of a file, or [] if it is too large or cannot be read."""
        may_read = len(self._lines) < MAX_FILES and len(file) <= LONGEST_NAME
        if may_read and file not in self._lines:
            text = self._content(file).decode(errors='replace')
            text = text.replace('\r\n', '\n').replace('\r', '\n')
            self._lines[file] = text.split('\n') if text else []
            for statement in statements_in(file, text):
                for number in range(statement.first, statement.last + 1):
                    self._statements[Line(file, number)] = statement
                if statement.is_setting:
                    self.settings.append(statement)
        return self._lines.get(file, [])

    def _content(self, file: str) -> bytes:
        """Return the content of a file, or b'' if it is too large or cannot be read.

        A file outside the program's folder is never read: a program may report any path.
        """
        if os.path.isabs(file) or '..' in file.split('/'):
            return b''
        with suppress(OSError, ValueError):  # the file does not exist, or its name is invalid
            path = Path(os.path.realpath(self._folder / file))
            if self._folder in path.parents and path.is_file():
                with path.open('rb') as source:
                    content = source.read(self._left + 1)
                if len(content) <= self._left:
                    self._left -= len(content)
                    return content
        return b''
