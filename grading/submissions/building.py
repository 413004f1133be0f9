"""Builds a submission's program if its language needs a build, and adds the assignment's own files.

The assignment's files overwrite submitted and built files with the same name. For a Python module,
this is not enough: `import checks` prefers a package `checks/`, `checks.abi3.so`, or a compiled
file in `__pycache__` to `checks.py`. So the grader removes every other file such an import could
find.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ..limits import BUILD_BOUNDS
from ..printable import decoded, printable, status_in_words
from ..sandbox.program import Program, search_path, without_java_notice, words_in
from ..sandbox.untrusted_files import SubmissionError, remove
from ..sessions.run import running
from ..settings import Assignment, DataFile, Options
from .copying import MAX_NOTES, Copy
from .which_program import (
    check_packed,
    language_of,
    own_files,
    program_of_command,
    program_of_module,
)

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox

COLORS = re.compile(rb'\x1b\[[0-9;]*[mK]')  # what some compilers print even into a file
LONGEST_COMPLAINT = 4000  # maximum bytes to quote of a build's output, and of its errors
# Runs a build; returns a folder with the result, and notes on the files left out of the folder.
Build = Callable[[Program], tuple[Path, list[str]]]
COMPILED = '.pyc'
EXTENSIONS = ('.so', '.pyd')  # an ABI tag may precede these: checks.abi3.so
CACHE, PACKAGE = '__pycache__', '__init__'


def make_program(
    folder: Path | None,
    assignment: Assignment,
    options: Options,
    sandbox: Sandbox,
    run_build: Build,
) -> tuple[Program, list[str]]:
    """Return a copied submission's program, built if necessary, and notes on the files left out.

    If `folder` is None, the program is the user's own command, run in the current folder.
    The assignment's own files replace submitted or built files with the same name. Raises
    `SubmissionError`.
    """
    notes: list[str] = []
    data, languages = assignment.data, options.languages_of(assignment)
    if folder is None:
        return Program(
            words_in(languages[0].command), given=frozenset(file.name for file in data)
        ), notes
    language = language_of(own_files(folder), languages)
    commands = f'{language.build} {language.command}'
    if commands.strip() and not any(file.name in commands for file in data):
        check_packed(folder, commands)
    if language.build:
        program = program_of_command(['sh', '-c', language.build], folder, commands)
        notes += put_files(data, folder / program.below)
        folder, lost = run_build(program)
        notes += lost
    if language.command:
        program = program_of_command(words_in(language.command), folder, commands)
    else:
        program, choice = program_of_module(folder, sandbox.python)
        notes += choice
    when = 'after the build: ' if language.build else ''
    notes += [f'{when}{note}' for note in put_files(data, folder / program.below)]
    return replace(
        program,
        given=frozenset(os.path.normpath(os.path.join(program.below, file.name)) for file in data),
    ), notes


def build(program: Program, sandbox: Sandbox, seconds: float) -> tuple[Path, list[str]]:
    """Run a build command in the sandbox; return a copy of the resulting folder, and notes on it.

    Raises `SubmissionError` with the compiler's messages if the build fails, or if it takes longer
    than `seconds`.
    """
    folder = Path(tempfile.mkdtemp(prefix='built-', dir=sandbox.scratch))
    folder.chmod(0o755)
    copy = Copy(folder, BUILD_BOUNDS, tools=search_path(sandbox.python).split(os.pathsep))
    until = time.monotonic() + seconds

    @contextmanager
    def copy_built(built: int) -> Iterator[None]:
        yield
        copy.add_all(built)

    with running(program, sandbox, seconds, copy_built) as run:
        run.end_input()
        printed = b''
        while time.monotonic() < until and (piece := run.read(seconds)):
            printed = (printed + piece)[-LONGEST_COMPLAINT:]
        status = run.status(max(0, until - time.monotonic()))
        printed += run.read_errors()[-LONGEST_COMPLAINT:]
        if run.excess:
            printed += f'\nkilled: the build used {run.excess}'.encode()
    if status != 0:
        printed = COLORS.sub(b'', without_java_notice(printed))
        # The prefix distinguishes the compiler's lines from the report's.
        lines = printable(decoded(printed), keep='\n').strip().split('\n')
        messages = '\n'.join(f'  build    |{line}' for line in lines)
        failure = (
            f'was still running after {seconds:g} s'
            if status is None
            else f'failed with {status_in_words(status)}'
        )
        raise SubmissionError(f'the build {failure}:\n{messages}')
    return folder, [f'after the build: {note}' for note in copy.notes]


def put_files(files: Iterable[DataFile], folder: Path) -> list[str]:
    """Write the assignment's files into a copied submission, over any files with the same name.

    Also remove every other file that an import of one of the assignment's modules could find.
    Return notes on the removed files.
    """
    files = [*files]
    written = {folder / file.name for file in files}
    notes = []
    for module in sorted(modules_of([file.name for file in files])):  # a package before its modules
        others = [path for path in importable_paths(module, folder) if path not in written]
        for path in others:
            remove(path)
            name = printable(str(path.relative_to(folder)))
            notes.append(f'left out: {name}: the assignment has a module with this name')
    for file in files:
        path = folder
        for part in PurePosixPath(file.name).parts:
            if path.is_symlink() or not path.is_dir():
                remove(path)
                path.mkdir(0o755)
            path /= part
        remove(path)
        path.write_bytes(file.content)
        path.chmod(0o755 if file.is_executable else 0o644)
    return notes if len(notes) <= MAX_NOTES else [*notes[:MAX_NOTES], '...']


def modules_of(names: Iterable[str]) -> set[str]:
    """Return the import paths of the modules among some files, and of the packages around them.

    >>> sorted(modules_of(['checks.py', 'more/rules/__init__.py', 'words/list.txt']))
    ['checks', 'more', 'more/rules']
    """
    modules: set[str] = set()
    for path in map(PurePosixPath, names):
        name = module_in(path.name)
        if name:
            module = path.parent if name == PACKAGE else path.parent / name
            modules.update(str(path) for path in (module, *module.parents) if path.name)
    return modules


def module_in(name: str) -> str:
    """Return the import name of a file, or `''` if the file is not a module.

    >>> module_in('checks.py'), module_in('checks.abi3.so'), module_in('checks.txt')
    ('checks', 'checks', '')
    """
    stem, ending = os.path.splitext(name)
    if ending in ('.py', COMPILED):
        return stem
    return stem.partition('.')[0] if ending in EXTENSIONS else ''


def importable_paths(module: str, folder: Path) -> Iterator[Path]:
    """Yield every path an import of a module could find in a folder; follow no links."""
    path = folder / module
    if path.is_symlink():
        yield path
    else:
        yield from importable_files(PACKAGE, path)
    yield from importable_files(path.name, path.parent)


def importable_files(module: str, folder: Path) -> Iterator[Path]:
    """Yield the files in a folder importable under a module's name, including compiled files.

    If the folder's cache is a link, yield the link instead of compiled files.
    """
    cache = folder / CACHE
    is_linked = cache.is_symlink()
    if is_linked:
        yield cache
    with suppress(OSError):  # `folder` or `cache` may not exist
        yield from (path for path in folder.iterdir() if module_in(path.name) == module)
        if not is_linked:
            yield from (
                path
                for path in cache.iterdir()
                if path.suffix == COMPILED and path.name.partition('.')[0] == module
            )
