"""What of a submission is run: a command in its folder, or its one executable module.

If there is nothing to run, a message names the files that were submitted, and says what would help.
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
from .copying import visible_files
from .file_types import ARCHIVES, DOCUMENTS, SOURCES, TEXTS

# Course graders look for this in the whole text, comments and docstrings included.
EXECUTABLE = re.compile(rb'if\s+__name__\s*==\s*([\'"])__main__\1\s*:')
BLOCK = 'if __name__ == ' + "'__main__':"
MOST_MODULES_NAMED = 9  # in one message
MOST_FILES_NAMED = 5  # in one message
NO_FILES = 'the submission has no files'
MANY_SUBMISSIONS = (
    'Many submissions? Name each of them, as in class/*, or the export that they '
    'came in (--export).'
)
# How names end, what such files are, and what helps. The first entry that fits any of the files
# is used.
ADVICE = (
    (('.py.txt',), ' (a module with another name): call it *.py'),
    (('.ipynb',), ' (a notebook): save it as a module, *.py'),
    (('.pyc',), ' (a compiled module): hand in its source, *.py'),
    (SOURCES, ' (in another language): grade it with --command, and --build if needed'),
    (('.zip',), ' (a zip inside the submission): hand in the *.py files, or a zip of these'),
    (ARCHIVES, ' (an archive that is not unpacked): hand in the *.py files, or a .zip of these'),
    (TEXTS, ' (a text that was typed into a form): hand in the *.py files'),
    (DOCUMENTS, ' (a document): hand in the *.py files'),
    (('',), ': hand in the *.py files'),
)


def language_of(folder: Path, languages: Sequence[Language]) -> Language:
    """Return the first language of which a copied submission has a file.

    If none fits but there is a Python module, the language is Python. Raises `SubmissionError`.
    """
    names = [path.name for path in visible_files(folder)]
    for language in languages:
        if not language.suffix or any(name.endswith(language.suffix) for name in names):
            return language
    if names and languages and not visible_files(folder, '*.py'):
        wanted = ', '.join(f'*{language.suffix}' for language in languages)
        raise SubmissionError(
            f'no {wanted} was handed in, but {list_names(sorted(names), MOST_FILES_NAMED)}'
        )
    return Language('', '', '')


def program_of_command(words: list[str], folder: Path) -> Program:
    """Return a program that runs a command in the folder with the files of a submission.

    As in many zips, this may be the only folder in the copied one. Raises `SubmissionError` if
    there are no files.
    """
    top, entries = folder, [folder]
    while len(entries) == 1 and entries[0].is_dir() and not entries[0].is_symlink():
        top = entries[0]
        entries = [path for path in top.iterdir() if not path.name.startswith('.')]
    if not entries:
        raise SubmissionError(NO_FILES)
    return Program(words, folder, os.path.relpath(top, folder))


def program_of_module(folder: Path, python: str) -> Program:
    """Return the program of a copied submission: its one executable module, run by `python`.

    A module that is the only one of a submission needs no executable block. Raises
    `SubmissionError`.
    """
    sources = visible_files(folder, '*.py')
    if not sources:
        raise SubmissionError(why_no_module(folder))
    modules = (
        sources
        if len(sources) == 1
        else list(
            islice(
                (path for path in sources if EXECUTABLE.search(path.read_bytes())),
                MOST_MODULES_NAMED + 1,
            )
        )
    )
    if not modules:
        is_one = len({path.parent for path in sources}) == 1
        raise SubmissionError(
            f'no executable module: no *.py of the submission has a block '
            f'"{BLOCK}"' + ('' if is_one else f'. {MANY_SUBMISSIONS}')
        )
    if len(modules) > 1:
        names = list_names([str(path.relative_to(folder)) for path in modules], MOST_MODULES_NAMED)
        raise SubmissionError(
            f'more than one executable module: {names}; each has the text '
            f'"{BLOCK}", which counts in comments too. {MANY_SUBMISSIONS}'
        )
    module, package = modules[0], enclosing_package(modules[0])
    if package:
        return Program(
            [python, '-m', f'{package.name}.{module.stem}'],
            folder,
            os.path.relpath(package.parent, folder),
        )
    return Program([python, f'./{module.name}'], folder, os.path.relpath(module.parent, folder))


def enclosing_package(module: Path) -> Path | None:
    """Return the package of a module that imports from this package, else None."""
    package = module.parent
    if not (package / '__init__.py').exists() or not module.stem.isidentifier():
        return None
    imports = re.compile(
        rf'^[ \t]*(from|import)[ \t]+(\.|{re.escape(package.name)}\b)', re.MULTILINE
    )
    return package if imports.search(module.read_bytes().decode('latin-1')) else None


def why_no_module(folder: Path) -> str:
    """Return a message about a submission without a Python module: what it has, and what helps."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob('*') if not path.is_dir())
    if not names:
        return NO_FILES
    advice = next(
        advice
        for endings, advice in ADVICE
        if any(name.lower().endswith(endings) for name in names)
    )
    many = sum(name.lower().endswith('.zip') for name in names) > 1
    return f'no Python module was handed in, but {list_names(names, MOST_FILES_NAMED)}{advice}' + (
        f'. {MANY_SUBMISSIONS}' if many else ''
    )


def holds_many(folder: Path, commands: str, has_command: bool) -> bool:
    """Return whether a folder has only folders and zips in it, at least two of them programs.

    It is one program if a command line names one of them, or if, without a command, there is one
    executable module in all.
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
    if len(folders) + len(archives) < len(entries) or any(
        path.name in commands for path in folders
    ):
        return False
    programs = [
        path for one in folders for path in visible_files(one) if path.suffix in ('.py', *SOURCES)
    ]
    modules = [
        path for path in programs if path.suffix == '.py' and EXECUTABLE.search(path.read_bytes())
    ]
    if not has_command and len(modules) == 1:
        return False
    return len(archives) + len({path.relative_to(folder).parts[0] for path in programs}) > 1
