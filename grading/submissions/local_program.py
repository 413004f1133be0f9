"""A copy of the user's own program, for the runs that trace it."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

from ..sandbox.program import Program, script_of
from ..sandbox.untrusted_files import SubmissionError
from .copying import Bounds, copy_submission

# Of the folder of a user's own program, which each traced run gets.
OWN = Bounds(500, 16 << 20)
ABOUT_INTERPRETER = r'import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep="\n")'
INTERPRETER_SECONDS = 10


def copy_of_own(program: Program, target: Path) -> Program:
    """Return a user's own Python program that runs in a copy of its folder; make this copy.

    The folder is the current one, or that of the program's file if this lies elsewhere. The
    interpreter itself is run, not a script that finds it, such as pyenv's. Raises
    `SubmissionError` and `OSError` if the program cannot be copied or its interpreter not run.
    """
    number = script_of(program.words)
    assert number is not None
    here, words = Path.cwd(), [*program.words]
    if words[number] != '-m':
        file = Path(words[number]).resolve()
        here = here if here in file.parents else file.parent
        words[number] = os.path.relpath(file, here)
    copy_submission(here, target, OWN)
    if words[number] != '-m' and not (target / words[number]).is_file():
        raise SubmissionError('the program is too large to copy')
    try:
        said = subprocess.run(
            [words[0], '-c', ABOUT_INTERPRETER],
            check=True,
            text=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=INTERPRETER_SECONDS,
        ).stdout
        words[0], *folders = said.splitlines()
    except (subprocess.SubprocessError, ValueError) as error:
        raise SubmissionError(f'its interpreter does not run: {error}') from None
    return replace(program, words=words, folder=target, needs=tuple(map(Path, folders)))
