"""Finds a submission's program: which file it is, and how to start it.

Without a command, the program is a Python module: `module_of` answers which one. If there is
nothing to run, the error message lists the submitted files and says what to submit.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path, PureWindowsPath

from ..limits import OWN_PROGRAM_BOUNDS
from ..printable import list_names, printable
from ..sandbox.program import ENDINGS, INTERPRETER, Program, script_of, words_in
from ..sandbox.untrusted_files import SubmissionError
from ..settings import Language
from .copying import ARCHIVES, MODULES, SOURCES, copy_submission, is_visible_file, visible_files
from .entries import ENVIRONMENT, TESTS, UNPACKED, is_set_aside

# Kinds of files, by suffix; for the others, see `copying`.
NOTEBOOKS = ('.ipynb',)
TYPED_TEXTS = ('text.html', 'onlinetext.html', 'link.html')  # what students typed into a form
DOCUMENTS = ('.pdf', '.txt', '.md', '.rtf', '.doc', '.docx', '.odt', '.html', '.png', '.jpg')
PACKED = (*UNPACKED, *ARCHIVES, *NOTEBOOKS)  # a command cannot run what is in such a file

# Matches the start of a module's `__main__` block. Like other course graders, look for it anywhere
# in a file, even in comments and docstrings.
EXECUTABLE = re.compile(rb'if\s+__name__\s*==\s*([\'"])__main__\1\s*:')
BLOCK = 'if __name__ == ' + "'__main__':"
MAINS = ('__main__', 'main')  # names of modules that run without a block, in this order
# Modules that are not the program, even with a block.
TEST = re.compile(r'test_.*|.*_tests?|conftest')
SETUP, PACKAGING = 'setup', re.compile(rb'\b(setuptools|distutils)\b')
IMPORTED = re.compile(r'^[ \t]*(?:from|import)[ \t]+(\.*)(\w*)', re.MULTILINE)
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
    (NOTEBOOKS, ' (a notebook): submit it as a module, *.py'),
    (('.pyc',), ' (a compiled module): submit its source, *.py'),
    (SOURCES, ' (in another language): grade it with --command, and --build if needed'),
    (('.zip',), ' (a zip inside the submission): submit the *.py files, or a zip of them'),
    (UNPACKED, ' (an archive inside the submission): submit the *.py files, or a .zip of them'),
    (
        ARCHIVES,
        ' (an archive that the grader does not unpack): submit the *.py files, or a .zip of them',
    ),
    (TYPED_TEXTS, ' (text typed into a form): submit the *.py files'),
    (DOCUMENTS, ' (a document): submit the *.py files'),
    (('',), ': submit the *.py files'),
)
# Files beside the folder of a program, such as README.md; a .txt file may be the program's data.
BESIDE = re.compile(r'(readme|licen[cs]e)\b.*|.*\.(md|pdf|rtf|docx?|odt)', re.IGNORECASE)
WITH_VALUE = ('-cp', '-classpath', '-X', '-W', '-c', '-e')  # interpreter options with a value
# Commands that run another command. `STARTER_ARGUMENT` matches arguments before that command.
STARTERS = ('env', 'nice', 'setarch', 'stdbuf', 'time', 'timeout', 'unbuffer', 'winpty')
STARTER_ARGUMENT = re.compile(r'-|\w+=|[\d.]+[smhd]?$')
ABOUT_INTERPRETER = r'import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep="\n")'
INTERPRETER_SECONDS = 10  # the time limit for running `ABOUT_INTERPRETER`


def own_files(folder: Path, with_tests: bool = False) -> list[Path]:
    """Return the visible files of a copied submission, except in folders that are set aside.

    If all others are documents, return all visible files.
    """
    files = visible_files(folder)
    kept = ('', TESTS) if with_tests else ('',)
    own = [path for path in files if folder_set_aside(path, folder) in kept]
    has_program = any(not path.name.lower().endswith(DOCUMENTS) for path in own)
    return own if has_program else files


def folder_set_aside(path: Path, folder: Path) -> str:
    """Return the name of the first folder around a path that is set aside, or ''.

    Only folders below `folder` count.
    """
    around = [above for above in path.parents if folder in above.parents]
    return next(
        (
            above.name
            for above in reversed(around)
            if is_set_aside(above.name, (above / ENVIRONMENT).is_file())
        ),
        '',
    )


def language_of(files: Sequence[Path], languages: Sequence[Language]) -> Language:
    """Return the first language whose suffix occurs among the files of a program.

    A language without a suffix fits every submission. If no language fits, return the default,
    which runs a Python module. Raises `SubmissionError` if the submission has files, but none in
    these languages or in Python.
    """
    names = [path.name for path in files]
    for language in languages:
        if not language.suffix or any(name.endswith(language.suffix) for name in names):
            return language
    if names and languages and not any(name.lower().endswith(MODULES) for name in names):
        wanted = ' or '.join(f'*{language.suffix}' for language in languages)
        raise SubmissionError(
            f'no {wanted} file was submitted, only {list_names(sorted(names), MAX_FILES_NAMED)}'
        )
    return Language('', '', '')


def program_of_command(words: list[str], folder: Path, commands: str = '') -> Program:
    """Return a program for running a command in the folder of a submission.

    If the folder contains only another folder, as in many zips, the command runs in the inner
    folder. Hidden files do not count, and neither do documents such as a README, unless `commands`,
    the text of the command and of the build, names the inner folder. Raises `SubmissionError` if
    there are no files.
    """
    inner = folder
    while True:
        entries = [path for path in inner.iterdir() if not path.name.startswith('.')]
        folders = [path for path in entries if path.is_dir() and not path.is_symlink()]
        beside = [path.name for path in entries if path not in folders]
        if len(folders) != 1 or not all(map(BESIDE.fullmatch, beside)):
            break
        if beside and names_folder(commands, folders[0].name):
            break
        inner = folders[0]
    if not entries:
        raise SubmissionError(NO_FILES)
    return Program(words, folder, os.path.relpath(inner, folder))


def names_folder(commands: str, folder: str) -> bool:
    """Return whether a word of some commands is a folder, or a path or a module in it.

    >>> names_folder('make -C src', 'src'), names_folder('python3 -m src.game', 'src')
    (True, True)
    >>> names_folder('cc -o game *.c; ./game', 'game')
    False
    """
    words = re.split(r'[\s\'";&|=:()]+', commands)
    return any(
        word.removeprefix('./').startswith(f'{folder}/')
        or (word == folder and before != '-o')
        or (before == '-m' and word.startswith(f'{folder}.'))
        for before, word in zip(['', *words], words, strict=False)
    )


def program_of_module(
    folder: Path, python: str, files: Sequence[Path] | None = None
) -> tuple[Program, list[str]]:
    """Return the program of a copied submission: its module, run by `python`.

    Search only `files`, if they are given. Also return a note if several modules could have been
    the program. Raises `SubmissionError` if it is not clear which module to run.
    """
    module, is_choice = module_of(
        folder, own_files(folder, with_tests=True) if files is None else files
    )
    name = module.relative_to(folder)
    return program_of_file(module, folder, python), (
        [f'of several Python modules, the grader ran {printable(str(name))}'] if is_choice else []
    )


def module_of(folder: Path, files: Sequence[Path]) -> tuple[Path, bool]:
    """Return the module to run among the files of a folder, and whether there was a choice.

    This is the only module with a `__main__` block or, if there is none, `__main__.py`, `main.py`
    or the only module. Tests and set-up count only if this finds nothing. Raises `SubmissionError`
    if there is no such module, or more than one.
    """
    every = [path for path in files if path.name.lower().endswith(MODULES)]
    if not every:
        raise SubmissionError(why_no_module(folder))
    executable = [path for path in every if EXECUTABLE.search(path.read_bytes())]
    likely = [path for path in every if not is_test_or_setup(path, folder)]
    for modules in (likely, every):
        found = [path for path in modules if path in executable] or only_main(modules)
        if len(found) > 1:
            names = [str(path.relative_to(folder)) for path in found]
            raise SubmissionError(
                f'more than one executable module: {list_names(names, MAX_MODULES_NAMED)}; each '
                f'contains "{BLOCK}", which counts even in a comment. {MANY_SUBMISSIONS}'
            )
        if found:
            return found[0], len(every) > 1 and executable != found
    is_one_folder = len({path.parent for path in every}) == 1
    raise SubmissionError(
        f'no executable module: none of the *.py files contains "{BLOCK}"'
        + ('' if is_one_folder else f'. {MANY_SUBMISSIONS}')
    )


def only_main(modules: list[Path]) -> list[Path]:
    """Return the module to run if none has a block, as a list; it is empty if that is not clear."""
    groups = [[path for path in modules if path.stem.lower() == name] for name in MAINS]
    return next((group for group in [*groups, modules] if len(group) == 1), [])


def is_test_or_setup(module: Path, folder: Path) -> bool:
    """Return whether a module tests a program, or installs it as a package."""
    name = module.stem.lower()
    if TEST.fullmatch(name) or folder_set_aside(module, folder) == TESTS:
        return True
    return name == SETUP and PACKAGING.search(module.read_bytes()) is not None


def program_of_file(module: Path, folder: Path, python: str) -> Program:
    """Return the program for running a module of a copied submission.

    If the module imports from its own package, it is run with `-m`. If it imports from a folder
    above, as development environments allow, this folder is added to Python's path.
    """
    text = module.read_bytes().decode('latin-1')
    imports = IMPORTED.findall(text)  # the leading dots and the first name of each import
    around = [path for path in module.parents if folder in (path, *path.parents)]
    package = enclosing_package(module, around, imports)
    if package:
        names = [*module.relative_to(package.parent).parent.parts, module.stem]
        return Program(
            [python, '-m', '.'.join(names)], folder, os.path.relpath(package.parent, folder)
        )
    return Program(
        [python, f'./{module.name}'],
        folder,
        os.path.relpath(module.parent, folder),
        env=path_for(around, imports),
    )


def enclosing_package(
    module: Path, around: Sequence[Path], imports: Sequence[tuple[str, str]]
) -> Path | None:
    """Return the package around a module that it imports from, with dots or by name, or None.

    `around` are the folders around the module, from the inside out. Only a package with an
    `__init__.py` can be imported by name.
    """
    levels = max((len(dots) for dots, _ in imports), default=0)
    if not module.stem.isidentifier() or module.suffix != '.py' or levels > len(around):
        return None
    if levels:
        return around[levels - 1]
    is_named = (around[0] / '__init__.py').exists() and ('', around[0].name) in imports
    return around[0] if is_named else None


def path_for(around: Sequence[Path], imports: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return the variable that adds a folder to Python's path, if a module imports from there.

    `around` are the folders around the module, from the inside out.
    """
    # Each folder is listed once: a module may have thousands of imports, many folders deep.
    offered = [
        {path.name.removesuffix('.py') for path in folder.iterdir() if can_be_imported(path)}
        for folder in around
    ]
    for dots, name in imports:
        if dots or not name or name in sys.stdlib_module_names:
            continue
        holders = [folder for folder, names in zip(around, offered, strict=True) if name in names]
        if holders and holders[0] != around[0]:
            return {'PYTHONPATH': os.path.relpath(holders[0], around[0])}
    return {}


def can_be_imported(path: Path) -> bool:
    """Return whether a path is a module's file, or a folder."""
    return path.suffix == '.py' or path.is_dir()


def why_no_module(folder: Path) -> str:
    """Return an error message that lists the submitted files, none of them a Python module."""
    paths = [path for path in folder.rglob('*') if not path.is_dir()]
    own = [path for path in paths if not folder_set_aside(path, folder)]
    names = sorted(str(path.relative_to(folder)) for path in own or paths)
    if not names:
        return NO_FILES
    advice = advice_on(names)
    message = f'no Python module was submitted, only {list_names(names, MAX_FILES_NAMED)}{advice}'
    archives = [name for name in names if name.lower().endswith(UNPACKED)]
    return f'{message}. {MANY_SUBMISSIONS}' if len(archives) > 1 else message


def advice_on(names: Sequence[str]) -> str:
    """Return what some submitted files are, and what to submit instead of them."""
    return next(
        advice
        for endings, advice in ADVICE
        if any(name.lower().endswith(endings) for name in names)
    )


def check_packed(folder: Path, commands: str) -> None:
    """Raise `SubmissionError` if a submission has only archives or notebooks, and documents.

    But `commands`, the text of the command and of the build, may name files with these suffixes.
    """
    names = [path.name for path in own_files(folder)]
    packed = [name for name in names if name.lower().endswith(PACKED)]
    is_used = any(ending in commands for ending in PACKED)
    if packed and not is_used and all(name in packed or BESIDE.fullmatch(name) for name in names):
        what, _, _ = advice_on(packed).partition(':')
        raise SubmissionError(
            f'no program was submitted, only {list_names(sorted(names), MAX_FILES_NAMED)}{what}: '
            "submit the program's files, or a .zip of them"
        )


def looks_like_class(folder: Path, commands: str, has_command: bool) -> bool:
    """Return whether a folder looks like the submissions of a class.

    A class's folder contains only folders and archives, and at least two of these are archives or
    contain a program. Links, and names starting with a dot or `__`, do not count.

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
        if not is_set_aside(path.name, (path / ENVIRONMENT).is_file())
    ]
    archives = [path for path in entries if path.name.lower().endswith(UNPACKED)]
    folders = [path for path in entries if path.is_dir()]
    has_other_files = len(folders) + len(archives) < len(entries)
    if has_other_files or any(path.name in commands for path in folders):
        return False
    programs = [
        path
        for subfolder in folders
        for depth in range(DEEPEST_PROGRAM)
        for path in subfolder.glob('*/' * depth + '*')
        if path.name.lower().endswith((*MODULES, *SOURCES)) and is_visible_file(path, subfolder)
    ]
    modules = [path for path in programs if path.name.lower().endswith(MODULES) and has_block(path)]
    if not has_command and len(modules) == 1:
        return False
    folders_with_programs = {path.relative_to(folder).parts[0] for path in programs}
    return len(archives) + len(folders_with_programs) > 1


def has_block(module: Path) -> bool:
    """Return whether a module has a `__main__` block in its first `MAX_READ` bytes."""
    with module.open('rb') as stream:
        return EXECUTABLE.search(stream.read(MAX_READ)) is not None


def copy_of_own(program: Program, target: Path) -> Program:
    """Copy the folder of a user's program to `target`; return the program to run there.

    Copy the current folder, or the folder of a Python program's file if that file is elsewhere or
    the current folder is too large. A Python program uses the real interpreter, not a wrapper
    script such as pyenv's. Raises `SubmissionError` or `OSError` if the program cannot be copied or
    the interpreter fails.
    """
    index = script_of(program.words)
    words = [*program.words]
    if index is None:
        copy_submission(Path.cwd(), target, OWN_PROGRAM_BOUNDS)
        return replace(program, folder=target)
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


def name_of_command(command: str) -> str:
    """Return the name of the program a command line runs, without folders or suffix.

    >>> name_of_command('python3 -u ../hw/sums1.py'), name_of_command('java -cp build Sums')
    ('sums1', 'Sums')
    >>> name_of_command('./sums --fast'), name_of_command('python3 -m my.sums')
    ('sums', 'my.sums')
    >>> name_of_command('stdbuf -o0 ./sums'), name_of_command('timeout 5 nice -n 5 python3 sums.py')
    ('sums', 'sums')
    """
    first, *words = words_in(command)
    while first in STARTERS and (others := [*dropwhile(STARTER_ARGUMENT.match, words)]):
        first, *words = others
    name = PureWindowsPath(first).name
    is_interpreter = name == 'java' or INTERPRETER.fullmatch(name)
    if not is_interpreter:
        words = [first]
    while words and words[0].startswith('-'):
        del words[: 2 if words[0] in WITH_VALUE else 1]
    file = PureWindowsPath(words[0] if words else first)
    return file.stem if file.suffix in (*ENDINGS, '.exe') else file.name
