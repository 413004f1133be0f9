"""Change a result, an answer, the grader, somebody else's program."""

from __future__ import annotations

import os

from common import aims, anything, write


def attack() -> bool:
    files = [aims.results, *(f'{aims.project}/{name}' for name in (
        'othello_console.py', 'tests/conftest.py', 'transcripts/othello/worked_example.txt',
        'grading/__init__.py')), f'{aims.other}/othello_console.py']
    attempts = []
    for path in files:
        attempts += [lambda path=path: write(path), lambda path=path: write(path + '.new'),
                     lambda path=path: os.remove(path), lambda path=path: os.chmod(path, 0o777),
                     lambda path=path: os.rename(os.path.dirname(path), path + '-gone')]
    return anything(attempts)
