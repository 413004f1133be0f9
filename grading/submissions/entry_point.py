"""Finds what to run in a submission: a command in its folder, or its only executable module.

If there is nothing to run, the error message lists the submitted files and says what to submit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from ..printable import list_names
from ..sandbox.program import Program
from ..sandbox.untrusted_files import SubmissionError
from ..settings import Language
from .copying import is_visible_file, visible_files
from .file_types import ARCHIVES, DOCUMENTS, SOURCES, TYPED_TEXTS

# Matches the start of a module's `__main__` block. Like other course graders, look for it anywhere
# in a file, even in comments and docstrings.
EXECUTABLE = re.compile(rb'if\s+__name__\s*==\s*([\'"])__main__\1\s*:')
BLOCK = 'if __name__ == ' + "'__main__':"
DEEPEST_PROGRAM = 3  # how many levels of folders to search for a student's program
MAX_READ = 1 << 20  # maximum bytes of a module for `has_block` to search
MAX_MODULES_NAMED = 9  # maximum number of modules to name in a message
MAX_FILES_NAMED = 5  # maximum number of files to name in a message
NO_FILES = 'the submission has no files'
MANY_SUBMISSIONS = (
    'To grade many submissions, name them all, as in class/*, or add --export PLATFORM.'
)
# What to say about files with certain suffixes. The first row to match any file is used.
ADVICE = (
    (('.py.txt',), ' (a module with the wrong extension): rename it to *.py'),
    (('.ipynb',), ' (a notebook): submit it as a module, *.py'),
    (('.pyc',), ' (a compiled module): submit its source, *.py'),
    (SOURCES, ' (in another language): grade it with --command, and --build if needed'),
    (('.zip',), ' (a zip inside the submission): submit the *.py files, or a zip of them'),
    (
        ARCHIVES,
        ' (an archive that the grader does not unpack): submit the *.py files, or a .zip of them',
    ),
    (TYPED_TEXTS, ' (text typed into a form): submit the *.py files'),
    (DOCUMENTS, ' (a document): submit the *.py files'),
    (('',), ': submit the *.py files'),
)


def language_of(folder: Path, languages: Sequence[Language]) -> Language:
    """Return the first language whose suffix occurs among a copied submission's files.

    A language without a suffix fits every submission. If no language fits, return the default,
    which runs a Python module. Raises `SubmissionError` if the submission has files, but none in
    these languages or in Python.
    """
    names = [path.name for path in visible_files(folder)]
    for language in languages:
        if not language.suffix or any(name.endswith(language.suffix) for name in names):
            return language
    if names and languages and not visible_files(folder, '*.py'):
        wanted = ' or '.join(f'*{language.suffix}' for language in languages)
        raise SubmissionError(
            f'no {wanted} file was submitted, only {list_names(sorted(names), MAX_FILES_NAMED)}'
        )
    return Language('', '', '')


def program_of_command(words: list[str], folder: Path) -> Program:
    """Return a program for running a command in the folder of a submission.

    If the folder contains only another folder, as in many zips, the command runs in the inner
    folder. Hidden files do not count. Raises `SubmissionError` if there are no files.
    """
    inner, entries = folder, [folder]
    while len(entries) == 1 and entries[0].is_dir() and not entries[0].is_symlink():
        inner = entries[0]
        entries = [path for path in inner.iterdir() if not path.name.startswith('.')]
    if not entries:
        raise SubmissionError(NO_FILES)
    return Program(words, folder, os.path.relpath(inner, folder))


def program_of_module(folder: Path, python: str) -> Program:
    """Return the program of a copied submission: its only executable module, run by `python`.

    A submission's only module needs no `__main__` block. Raises `SubmissionError` if there is no
    executable module, or more than one.
    """
    sources = visible_files(folder, '*.py')
    if not sources:
        raise SubmissionError(why_no_module(folder))
    if len(sources) == 1:
        return program_of_file(sources[0], folder, python)

    executable = (path for path in sources if EXECUTABLE.search(path.read_bytes()))
    modules = list(islice(executable, MAX_MODULES_NAMED + 1))
    if not modules:
        is_one_folder = len({path.parent for path in sources}) == 1
        raise SubmissionError(
            f'no executable module: none of the *.py files contains "{BLOCK}"'
            + ('' if is_one_folder else f'. {MANY_SUBMISSIONS}')
        )
    if len(modules) > 1:
        names = list_names([str(path.relative_to(folder)) for path in modules], MAX_MODULES_NAMED)
        raise SubmissionError(
            f'more than one executable module: {names}; each contains '
            f'"{BLOCK}", which counts even in a comment. {MANY_SUBMISSIONS}'
        )
    return program_of_file(modules[0], folder, python)


def program_of_file(module: Path, folder: Path, python: str) -> Program:
    """Return the program for running a module of a copied submission.

    If the module imports from its own package, it is run with `-m`.
    """
    package = enclosing_package(module)
    if package:
        return Program(
            [python, '-m', f'{package.name}.{module.stem}'],
            folder,
            os.path.relpath(package.parent, folder),
        )
    return Program([python, f'./{module.name}'], folder, os.path.relpath(module.parent, folder))


def enclosing_package(module: Path) -> Path | None:
    """Return the package that contains a module if the module imports from it, else None."""
    package = module.parent
    if not (package / '__init__.py').exists() or not module.stem.isidentifier():
        return None
    imports = re.compile(
        rf'^[ \t]*(from|import)[ \t]+(\.|{re.escape(package.name)}\b)', re.MULTILINE
    )
    return package if imports.search(module.read_bytes().decode('latin-1')) else None


def why_no_module(folder: Path) -> str:
    """Return an error message that lists the submitted files, none of them a Python module."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob('*') if not path.is_dir())
    if not names:
        return NO_FILES
    advice = next(
        advice
        for endings, advice in ADVICE
        if any(name.lower().endswith(endings) for name in names)
    )
    message = f'no Python module was submitted, only {list_names(names, MAX_FILES_NAMED)}{advice}'
    archives = [name for name in names if name.lower().endswith('.zip')]
    return f'{message}. {MANY_SUBMISSIONS}' if len(archives) > 1 else message


def looks_like_class(folder: Path, commands: str, has_command: bool) -> bool:
    """Return whether a folder looks like the submissions of a class.

    A class's folder contains only folders and zips, and at least two of these are zips or contain a
    program. Links, and names starting with a dot or `__`, do not count.

    The folder is a single submission if a folder in it is mentioned in `commands`, the text of
    --command and --build. If there is no command, the folder is also a single submission if it
    contains only one executable module.
    """
    if not folder.is_dir():
        return False
    entries = [
        path
        for path in folder.iterdir()
        if not path.name.startswith(('.', '__')) and not path.is_symlink()
    ]
    archives = [path for path in entries if path.suffix.lower() == '.zip']
    folders = [path for path in entries if path.is_dir()]
    has_other_files = len(folders) + len(archives) < len(entries)
    if has_other_files or any(path.name in commands for path in folders):
        return False
    programs = [
        path
        for subfolder in folders
        for depth in range(DEEPEST_PROGRAM)
        for path in subfolder.glob('*/' * depth + '*')
        if path.suffix in ('.py', *SOURCES) and is_visible_file(path, subfolder)
    ]
    modules = [path for path in programs if path.suffix == '.py' and has_block(path)]
    if not has_command and len(modules) == 1:
        return False
    folders_with_programs = {path.relative_to(folder).parts[0] for path in programs}
    return len(archives) + len(folders_with_programs) > 1


def has_block(module: Path) -> bool:
    """Return whether a module has a `__main__` block in its first `MAX_READ` bytes."""
    with module.open('rb') as stream:
        return EXECUTABLE.search(stream.read(MAX_READ)) is not None
