"""Copies the user's own program before the grader traces it."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from ..sandbox.program import Program, script_of
from ..sandbox.untrusted_files import SubmissionError
from .copying import Bounds, copy_submission

# These bounds are small, because each traced run copies the folder of the user's program again.
OWN_PROGRAM_BOUNDS = Bounds(500, 16 << 20)
ABOUT_INTERPRETER = r'import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep="\n")'
INTERPRETER_SECONDS = 10  # the time limit for running `ABOUT_INTERPRETER`


def copy_of_own(program: Program, target: Path) -> Program:
    """Copy the folder of a user's Python program to `target`; return the program to run there.

    Copy the current folder, or the folder of the program's file if that file is elsewhere or the
    current folder is too large. The copied program uses the real interpreter, not a wrapper script
    such as pyenv's. Raises `SubmissionError` or `OSError` if the program cannot be copied or the
    interpreter fails.
    """
    index = script_of(program.words)
    assert index is not None
    words = [*program.words]
    if words[index] == '-m':
        copy_submission(Path.cwd(), target, OWN_PROGRAM_BOUNDS)
    else:
        words[index] = copy_with_file(Path(words[index]).resolve(), target)
    try:
        printed = subprocess.run(
            [words[0], '-c', ABOUT_INTERPRETER],
            check=True,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=INTERPRETER_SECONDS,
        ).stdout
        words[0], *folders = printed.splitlines()
    except (subprocess.SubprocessError, ValueError) as error:
        raise SubmissionError(f"the program's interpreter cannot be started: {error}") from None
    return replace(program, words=words, folder=target, needs=tuple(map(Path, folders)))


def copy_with_file(file: Path, target: Path) -> str:
    """Copy the current folder, or else the folder of `file`; return the file's path in the copy."""
    for source in (Path.cwd(), file.parent):
        if source in file.parents:
            copy_submission(source, target, OWN_PROGRAM_BOUNDS)
            path = os.path.relpath(file, source)
            if (target / path).is_file():
                return path
            shutil.rmtree(target)
    raise SubmissionError('the program is too large to copy')
