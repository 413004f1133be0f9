"""Counts statements, functions and modules in each folder of the project: `make statements`.

A docstring is no statement, and `__init__.py` is no module. Every other statement counts, also one
inside another. To count another checkout, name its folder: `make statements CHECKOUT=FOLDER`.
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

TOPS = ('grading', 'tests', 'tools')
WITH_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def counts_of(source: str) -> Counter[str]:
    """Return how many statements and functions a source has.

    >>> counts_of('def f(x):\\n    "Return x."\\n    if x: return x')
    Counter({'statements': 3, 'functions': 1})
    """
    nodes = [*ast.walk(ast.parse(source))]
    docstrings = sum(
        isinstance(node, WITH_DOCSTRINGS) and ast.get_docstring(node) is not None for node in nodes
    )
    return Counter(
        statements=sum(isinstance(node, ast.stmt) for node in nodes) - docstrings,
        functions=sum(isinstance(node, FUNCTIONS) for node in nodes),
    )


def counts_below(folder: Path) -> dict[str, Counter[str]]:
    """Return the counts of each game's module, of each folder with modules, and of all of them."""
    rows = {path.name: Counter(modules=1) + count_in(path) for path in sorted(folder.glob('*.py'))}
    for top in TOPS:
        paths = sorted((folder / top).rglob('*.py'))
        total = rows[f'{top}, all'] = Counter()
        for path in paths:
            counts = Counter(modules=path.name != '__init__.py') + count_in(path)
            row = path.parent.relative_to(folder).as_posix()
            rows[row] = rows.get(row, Counter()) + counts
            total += counts
    return rows


def count_in(path: Path) -> Counter[str]:
    return counts_of(path.read_text(encoding='utf-8'))


def main(folder: str = '.') -> None:
    """Print a table with a row for each of the games' modules and for each folder."""
    print('| | modules | functions | statements |\n|---|---:|---:|---:|')
    for name, counts in counts_below(Path(folder)).items():
        print(f'| {name} | {counts["modules"]} | {counts["functions"]} | {counts["statements"]} |')
