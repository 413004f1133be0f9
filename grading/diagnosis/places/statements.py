"""The statements of a Python file: what each does, and what decides whether it runs."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from typing import Any, Iterator

KEYWORDS = {
    'FunctionDef': 'def', 'AsyncFunctionDef': 'def', 'ClassDef': 'class', 'Return': 'return',
    'Delete': 'del', 'For': 'for', 'AsyncFor': 'for', 'While': 'while', 'If': 'if', 'With': 'with',
    'AsyncWith': 'with', 'Match': 'match', 'match_case': 'case', 'Raise': 'raise', 'Try': 'try',
    'TryStar': 'try', 'ExceptHandler': 'except', 'Assert': 'assert', 'Import': 'import',
    'ImportFrom': 'from', 'Global': 'global', 'Nonlocal': 'nonlocal', 'Pass': 'pass',
    'Break': 'break', 'Continue': 'continue'}
DECIDING = 'for', 'if', 'while', 'match', 'case', 'except'
BLOCKS = 'body', 'handlers', 'orelse', 'finalbody', 'cases'
MOST_DECIDERS = 10                      # of a statement
MOST_PARSED = 100_000                   # characters of a file: more may take minutes
JUMPS = ast.Return, ast.Raise, ast.Break, ast.Continue


@dataclass(eq=False)                    # a statement is equal only to itself
class Statement:
    """A statement of a file; a compound statement is its header alone."""

    file: str
    number: int                         # its index there
    first: int                          # its lines
    last: int
    keyword: str = ''                   # at its beginning, such as def, if, return
    size: int = 0                       # how many expressions it has
    names: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()  # the names that it sets
    within: Statement | None = None     # the innermost `def` around it
    # The conditions and loops that decide whether it runs, the innermost first: those around it,
    # and those before it that have a jump in them.
    deciders: tuple[Statement, ...] = ()

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


def statements_in(file: str, source: str) -> list[Statement]:
    """Return the statements of a file, none if this Python cannot parse it, or it is too long.

    >>> [(one.first, one.keyword) for one in statements_in('a.py', 'if x:\\n    y = 1')]
    [(1, 'if'), (2, '')]
    """
    if len(source) > MOST_PARSED:
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            # As bytes it may begin with a byte order mark.
            tree = ast.parse(source.encode(errors='replace'))
        found: list[Statement] = []
        add_block(found, file, tree.body, None, ())
        return found
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def add_block(found: list[Statement], file: str, nodes: list[Any], within: Statement | None,
              deciders: tuple[Statement, ...]) -> None:
    """Add the statements of a block; one that begins where another ends belongs to that one."""
    for node in nodes:
        keyword = KEYWORDS.get(type(node).__name__, '')
        if isinstance(node, ast.AnnAssign) and not node.value:
            keyword = ':'               # a name that is declared and not set
        parts = list(header(node))
        first = getattr(node, 'lineno', 0) or min(lines_of(parts, 'lineno'))
        last = max([first, *lines_of(parts, 'end_lineno')])
        names = frozenset(name for part in parts for name in names_of(part))
        sets = frozenset(name for part in parts for name in set_by(part))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(
                node.value.func, ast.Attribute):
            sets |= {*target_of(node.value.func.value)}         # a method may change its object
        if not found or first > found[-1].last:
            found.append(Statement(file, len(found), first, last, keyword, 0, names, sets, within,
                                   deciders))
        statement = found[-1]
        statement.last = max(last, statement.last)
        statement.size += sum(isinstance(part, ast.expr) for part in parts)
        statement.names, statement.sets = statement.names | names, statement.sets | sets
        for block in BLOCKS:
            inside = getattr(node, block, [])
            if keyword == 'def':
                add_block(found, file, inside, statement, ())
            else:
                add_block(found, file, inside, within,
                          (statement, *deciders) if keyword in DECIDING else deciders)
        if keyword in DECIDING and any(isinstance(part, JUMPS) for part in ast.walk(node)):
            deciders = (statement, *deciders)[:MOST_DECIDERS]


def header(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a statement, except for its blocks."""
    yield node
    for name, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST) and name not in BLOCKS:
                yield from ast.walk(part)


def lines_of(parts: list[ast.AST], name: str) -> list[int]:
    """Return the first or last lines of a statement; of one with blocks, those of its parts."""
    parts = parts[1:] if hasattr(parts[0], 'body') else parts[:1]
    return [getattr(part, name) for part in parts if hasattr(part, name)]


def names_of(part: Any) -> Iterator[str]:
    """Yield the names in a part; in a definition, the names that it defines."""
    for field in 'id', 'attr', 'arg', 'name', 'names', 'asname':
        value = getattr(part, field, None)
        for name in value if isinstance(value, list) else [value]:
            if isinstance(name, str):
                yield name


def set_by(part: Any) -> Iterator[str]:
    """Yield the names that a part sets: for `game.board[row] = 1`, the name `board`."""
    if isinstance(getattr(part, 'ctx', None), (ast.Store, ast.Del)):
        yield from target_of(part)
    elif isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
        yield from filter(None, [part.name])
    elif isinstance(part, ast.alias):
        yield (part.asname or part.name).partition('.')[0]


def target_of(part: Any) -> Iterator[str]:
    """Yield the name of what is set."""
    while isinstance(part, (ast.Subscript, ast.Starred, ast.Call)):
        part = part.func if isinstance(part, ast.Call) else part.value
    if isinstance(part, (ast.Name, ast.Attribute)):
        yield part.id if isinstance(part, ast.Name) else part.attr
