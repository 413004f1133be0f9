"""Says what the statements of Python files are, so that the grader need not parse any.

    python [OPTIONS] -I -c "$(cat statements.py)" FILES ROOT SCRIPT...

FILES are paths from the folder ROOT (`''`: that of SCRIPT), as a list in JSON. It needs nothing but
the standard library, of Python 3.8 or later. For each file that can be parsed it prints a line, in
JSON: its path, and its statements in order, each as a list of

    FIRST LAST              its lines; a compound statement is its header alone
    KEYWORD                 that it begins with, such as `def`, `if`, `return`, or `''`; `:` of a
                            name that is declared and not set
    SIZE                    how many expressions it has
    NAMES SETS              the names in it, and those of them that it sets
    WITHIN                  the index of the innermost `def` around it, or -1
    DECIDERS                those of the conditions and loops that decide whether it runs: around
                            it, and, before it, with a jump in them
"""

from __future__ import annotations

import ast
import json
import os
import sys
from typing import Any, Iterator, List

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
JUMPS = ast.Return, ast.Raise, ast.Break, ast.Continue

Statement = List[Any]


class Statements:
    """The statements of a file, in the form in which they are printed."""

    def __init__(self, tree: ast.Module) -> None:
        self.all: list[Statement] = []
        self._add_block(tree.body, -1, [])

    def _add_block(self, nodes: list[Any], within: int, deciders: list[int]) -> None:
        for node in nodes:
            keyword = KEYWORDS.get(type(node).__name__, '')
            if isinstance(node, ast.AnnAssign) and not node.value:
                keyword = ':'
            self._add(node, keyword, within, deciders)
            number = len(self.all) - 1
            inner = (number, []) if keyword == 'def' else (
                within, [number, *deciders] if keyword in DECIDING else deciders)
            for block in BLOCKS:
                self._add_block(getattr(node, block, []), *inner)
            if keyword in DECIDING and any(isinstance(part, JUMPS) for part in ast.walk(node)):
                deciders = [number, *deciders][:MOST_DECIDERS]

    def _add(self, node: Any, keyword: str, within: int, deciders: list[int]) -> None:
        """Add a statement, or extend the one that ends in the same line."""
        parts = list(header(node))
        first = getattr(node, 'lineno', 0) or min(lines_of(parts, 'lineno'))
        last = max([first, *lines_of(parts, 'end_lineno')])
        size = sum(isinstance(part, ast.expr) for part in parts)
        names = {name for part in parts for name in names_of(part)}
        sets = {name for part in parts for name in set_by(part)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(
                node.value.func, ast.Attribute):
            sets.update(target_of(node.value.func.value))       # a method may change its object
        before = self.all[-1] if self.all else None
        if before and first <= before[1]:
            before[1] = max(last, before[1])
            before[3] += size
            before[4], before[5] = sorted(names.union(before[4])), sorted(sets.union(before[5]))
        else:
            self.all.append([first, last, keyword, size, sorted(names), sorted(sets), within,
                             deciders])


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


def run(files: str, root: str, *words: str) -> None:
    """Print the statements of files."""
    folder = root or (os.path.dirname(os.path.realpath(words[0])) if words[0] != '-m' else '')
    for file in json.loads(files):
        try:
            with open(os.path.join(folder, file), 'rb') as source:
                tree = ast.parse(source.read())
            print(json.dumps([file, Statements(tree).all]), flush=True)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            pass


run(*sys.argv[1:])
