"""Finds files the grader must not overwrite, because it did not write them."""

from __future__ import annotations

from pathlib import Path

from ..reports.addresses import CLASS_PAGE, GRADES

MAX_READ = 1 << 24  # maximum bytes of a file to search for a mark
# The grader writes these marks into its pages, tables, results, JUnit files and autograders.
PAGE, TABLE = b'content="console-grader"', b'submission,'
RESULTS, JUNIT, AUTOGRADER = b'"output"', b'<testsuite', b'run_autograder'


def is_foreign(path: Path, mark: bytes) -> bool:
    """Return whether a file exists, is not empty, and does not contain the grader's mark."""
    if not path.is_file():
        return False
    with path.open('rb') as stream:
        content = stream.read(MAX_READ)
    return bool(content) and mark not in content


def foreign_in(folder: Path) -> Path | None:
    """Return a file in --out that the grader would overwrite but did not write, or None."""
    for name, mark in ((CLASS_PAGE, PAGE), (GRADES, TABLE)):
        if is_foreign(folder / name, mark):
            return folder / name
    return None
