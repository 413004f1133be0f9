"""What somebody may have meant who typed a command line that cannot be right."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
from pathlib import Path

from ..installation import PYTHON
from ..printable import did_you_mean
from ..sandbox.program import ENDINGS, INTERPRETER

OPTIONS_WITH_VALUES = ('-W', '-X', '-I', '-r', '-o')  # of interpreters, before the file


def meant_by(path: Path) -> str:
    """Return words that name the path that may have been meant, '' if none is near."""
    there = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    return did_you_mean(path.name, there, str(path.parent / '_')[:-1])


def unquoted(command: str | None, *others: object) -> str:
    """Return a command line with its quotation marks, if somebody has forgotten them.

    An interpreter alone would run nothing of a submission; the words behind it belong to it.
    """
    name = os.path.basename(command or '')
    is_bare = others and (name == 'java' or INTERPRETER.fullmatch(name))
    return f'"{shlex.join([command or "", *map(str, others)])}"' if is_bare else ''


def module_as_command(words: list[str], is_handed_in: bool) -> str:
    """Return the command line that starts a Python module, if the module alone is to be run."""
    if not words or not words[0].endswith('.py'):
        return ''
    # A script may have the executable bit and name its interpreter.
    found = shutil.which(words[0])
    is_command = (
        os.path.dirname(words[0])
        if is_handed_in
        else ((found and Path(found).read_bytes()[:2] == b'#!') or not os.path.exists(words[0]))
    )
    return '' if is_command else shlex.join([PYTHON, *words])


def missing_file(words: list[str]) -> str:
    """Return the file that the user's own command line runs, if there is none, and what was meant.

    The file is the first word behind an interpreter and its options; behind another command only
    if it ends as a program does.
    """
    place = next(
        (
            place
            for place, word in enumerate(words)
            if place and word[:1] != '-' and words[place - 1] not in OPTIONS_WITH_VALUES
        ),
        0,
    )
    file = words[place]
    is_run = file.endswith(ENDINGS) or INTERPRETER.fullmatch(os.path.basename(words[0]))
    if not place or {'-c', '-m', '-e'} & {*words} or not is_run or os.path.exists(file):
        return ''
    for end in range(len(words), place + 1, -1):  # a path with blanks, without quotes?
        path = ' '.join(words[place:end])
        if os.path.exists(path):
            meant = shlex.join([*words[:place], path, *words[end:]])
            return f'{file}; quotes missing? --command "{meant}"'
    return f'{file}{meant_by(Path(file))}'


def no_sessions(asked: argparse.Namespace) -> list[Path]:
    """Return the files to record that are not named as sessions are: perhaps the program."""
    return [file for file in asked.files if not file.name.endswith('.txt')]
