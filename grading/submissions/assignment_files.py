"""Adds the assignment's own files; no submitted or built file can replace them.

These files overwrite submitted files with the same name. For a Python module, this is not enough:
`import checks` prefers a package `checks/`, `checks.abi3.so`, or a compiled file in `__pycache__`
to `checks.py`. So the grader removes every other file such an import could find.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ..printable import printable
from ..sandbox.untrusted_files import remove
from ..settings import DataFile

MAX_NOTES = 20  # maximum number of notes on removed files, besides a final '...'
COMPILED = '.pyc'
EXTENSIONS = ('.so', '.pyd')  # an ABI tag may precede these: checks.abi3.so
CACHE, PACKAGE = '__pycache__', '__init__'


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
