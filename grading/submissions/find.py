"""What somebody hands in, made a program: a copy of it, and the command line that starts it."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path

from ..printable import printable
from ..sandbox.program import Program
from .copy import Copy
from .failures import CopyError
from .unrunnable import MANY, NOTHING, advice_on

# What course graders look for, in the whole text, comments and docstrings included.
EXECUTABLE = re.compile(rb'if\s+__name__\s*==\s*([\'"])__main__\1\s*:')
BLOCK = "if __name__ == " + "'__main__':"
MOST_NAMED = 9                          # modules


class SubmissionError(Exception):
    """Why a submission cannot be run; for its author."""


def copy_submission(source: Path, target: Path) -> list[str]:
    """Copy a folder, the contents of a zip, or a file into a new folder; return notes on it.

    Raises `SubmissionError`.
    """
    target.mkdir(0o755)
    copy = Copy(target)
    try:
        if source.is_dir():
            copy.add_folder(source)
        elif source.suffix.lower() == '.zip':
            copy.add_zip(source)
        else:
            copy.add_file(source, source.name)
    except CopyError as error:
        raise SubmissionError(str(error)) from None
    return copy.notes


def program_of_command(words: list[str], folder: Path) -> Program:
    """Return the program that is a command, run where the files of a copied submission are.

    Raises `SubmissionError` if there are none.
    """
    top = folder
    entries = seen_in(top)
    while len(entries) == 1 and entries[0].is_dir() and not entries[0].is_symlink():
        top = entries[0]                # as many zips have one folder around all files
        entries = seen_in(top)
    if not entries:
        raise SubmissionError(NOTHING)
    return Program(words, folder, os.path.relpath(top, folder))


def seen_in(folder: Path) -> list[Path]:
    """Return what is in a folder, but for what is hidden: editors and systems put it there."""
    return [path for path in folder.iterdir() if not path.name.startswith('.')]


def find_program(folder: Path, python: str) -> Program:
    """Return the program of a copied submission: its one executable module, run by `python`.

    Raises `SubmissionError`.
    """
    module = executable_module(folder)
    package = enclosing_package(module)
    if package:
        return Program([python, '-m', f'{package.name}.{module.stem}'], folder,
                       os.path.relpath(package.parent, folder))
    return Program([python, f'./{module.name}'], folder, os.path.relpath(module.parent, folder))


def executable_module(folder: Path) -> Path:
    """Return the one executable module in a folder, or raise `SubmissionError`."""
    sources = python_files(folder)
    if not sources:
        raise SubmissionError(advice_on(folder))
    if len(sources) == 1:
        return sources[0]                   # there is nothing that it could be mistaken for
    modules = list(islice(filter(is_executable, sources), MOST_NAMED + 1))
    if not modules:
        is_one = len({path.parent for path in sources}) == 1
        raise SubmissionError(f'no executable module: no *.py of the submission has a block '
                              f'"{BLOCK}"' + ('' if is_one else f'. {MANY}'))
    if len(modules) > 1:
        names = [printable(str(path.relative_to(folder))) for path in modules]
        names[MOST_NAMED:] = ['...'] * (len(names) > MOST_NAMED)
        raise SubmissionError(f'more than one executable module: {", ".join(names)}; each has the '
                              f'text "{BLOCK}", which counts in comments too. {MANY}')
    return modules[0]


def is_executable(module: Path) -> bool:
    """Return whether the text of a module has the executable block."""
    return bool(EXECUTABLE.search(module.read_bytes()))


def python_files(folder: Path) -> list[Path]:
    """Return the Python files in a folder and below it, but for what is hidden or a link."""
    return [path for path in sorted(folder.rglob('*.py'))
            if path.is_file() and not path.is_symlink()
            and not any(part.startswith('.') for part in path.relative_to(folder).parts)]


def enclosing_package(module: Path) -> Path | None:
    """Return the package of a module that imports from it by its name or by dots, else None."""
    package = module.parent
    if not (package / '__init__.py').exists() or not module.stem.isidentifier():
        return None
    imports = re.compile(rf'^[ \t]*(from|import)[ \t]+(\.|{re.escape(package.name)}\b)',
                         re.MULTILINE)
    return package if imports.search(module.read_bytes().decode('latin-1')) else None
