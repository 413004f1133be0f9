"""Guesses what the user meant by a wrong command line."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
from pathlib import Path

from ..installation import PYTHON
from ..printable import did_you_mean
from ..sandbox.program import ENDINGS, INTERPRETER

OPTIONS_WITH_VALUES = ('-W', '-X', '-I', '-r', '-o')  # interpreter options with a value


def meant_by(path: Path) -> str:
    """Return a question that suggests a similar path, or `''` if no similar path exists."""
    names = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    folder = str(path.parent / '_').removesuffix('_')
    return did_you_mean(path.name, names, folder)


def with_quotes(command: str | None, *others: object) -> str:
    """Return a command and the words after it in quotation marks, if the user forgot the marks.

    That is probable if the command is only an interpreter, and other words follow it. Otherwise,
    return `''`.

    >>> with_quotes('python3', 'game.py'), with_quotes('./game', 'ann')
    ('"python3 game.py"', '')
    """
    name = os.path.basename(command or '')
    if not others or not (name == 'java' or INTERPRETER.fullmatch(name)):
        return ''
    return f'"{shlex.join([command or "", *map(str, others)])}"'


def with_interpreter(words: list[str], is_submission: bool) -> str:
    """Return the command line that starts a Python module, if `words` lack the interpreter.

    Return `''` if the words do not begin with a module, or if the module may itself be a command.
    In a submission, a module may be a command if its path has a folder, such as `./game.py`.
    Elsewhere, it may be one if it is an executable script with a `#!` line, or if it does not
    exist.
    """
    if not words or not words[0].endswith('.py'):
        return ''
    if is_submission:
        is_command = bool(os.path.dirname(words[0]))
    else:
        found = shutil.which(words[0])
        is_script = found and Path(found).read_bytes()[:2] == b'#!'
        is_command = is_script or not os.path.exists(words[0])
    return '' if is_command else shlex.join([PYTHON, *words])


def missing_file(words: list[str]) -> str:
    """Return the name of a missing file that a command would run, and a suggestion, if any.

    Return `''` if the file exists, or if the command runs no file. The file is the first word after
    the command and its options. If the command is not an interpreter, this word counts only if it
    has the ending of a program, such as .py.
    """
    candidates = [
        index
        for index, word in enumerate(words)
        if index and word[:1] != '-' and words[index - 1] not in OPTIONS_WITH_VALUES
    ]
    if not candidates or {'-c', '-m', '-e'} & {*words}:
        return ''
    start = candidates[0]
    file = words[start]
    is_run = file.endswith(ENDINGS) or INTERPRETER.fullmatch(os.path.basename(words[0]))
    if not is_run or os.path.exists(file):
        return ''
    for end in range(len(words), start + 1, -1):  # a path with spaces, without quotes?
        path = ' '.join(words[start:end])
        if os.path.exists(path):
            meant = shlex.join([*words[:start], path, *words[end:]])
            return f'{file}; are quotes missing? Type --command "{meant}"'
    return f'{file}{meant_by(Path(file))}'


def possible_programs(arguments: argparse.Namespace) -> list[Path]:
    """Return the files to record that are not named *.txt: they may be programs, not sessions."""
    return [file for file in arguments.files if not file.name.endswith('.txt')]
