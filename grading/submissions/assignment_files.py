"""The assignment's own files: nothing that a program brings or builds takes their place.

A file of the same name is replaced. For a module in Python that is not enough: an import prefers a
package `checks/`, `checks.abi3.so`, or what is compiled in `__pycache__` to `checks.py`. So
whatever an import may find by the name of a module in `files/` is left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from ..printable import printable
from ..sandbox.untrusted_files import remove
from ..settings import DataFile

MOST_NOTES = 20  # on what is left out
COMPILED = '.pyc'
EXTENSIONS = ('.so', '.pyd')  # before which a version may be named
CACHE, PACKAGE = '__pycache__', '__init__'


def put(files: Iterable[DataFile], folder: Path) -> list[str]:
    """Write files into one of the grader's folders; replace what has their names, links too.

    Leave out whatever else has the name of a module among them; return notes on that.
    """
    files = [*files]
    own = {folder / file.name for file in files}
    notes = []
    for module in sorted(modules_of([file.name for file in files])):  # each after its package
        for path in [path for path in forms_of(module, folder) if path not in own]:
            remove(path)
            name = printable(str(path.relative_to(folder)))
            notes.append(f'left out: {name}: the assignment has a module of this name')
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
    return notes if len(notes) <= MOST_NOTES else [*notes[:MOST_NOTES], '...']


def modules_of(names: Iterable[str]) -> set[str]:
    """Return the paths of all modules among some files, and of the packages that these are in.

    >>> sorted(modules_of(['checks.py', 'more/rules/__init__.py', 'words/list.txt']))
    ['checks', 'more', 'more/rules']
    """
    modules: set[str] = set()
    for path in map(PurePosixPath, names):
        name = module_in(path.name)
        if name:
            module = path.parent if name == PACKAGE else path.parent / name
            modules.update(str(one) for one in (module, *module.parents) if one.name)
    return modules


def module_in(name: str) -> str:
    """Return the name of the module that a file has by its own name, `''` if none.

    >>> module_in('checks.py'), module_in('checks.abi3.so'), module_in('checks.txt')
    ('checks', 'checks', '')
    """
    stem, ending = os.path.splitext(name)
    return (
        stem
        if ending in ('.py', COMPILED)
        else (stem.partition('.')[0] if ending in EXTENSIONS else '')
    )


def forms_of(module: str, folder: Path) -> Iterator[Path]:
    """Yield whatever in a folder an import of a module may find; of links, not their targets."""
    path = folder / module
    if path.is_symlink():
        yield path
    else:
        yield from named(PACKAGE, path)
    yield from named(path.name, path.parent)


def named(module: str, folder: Path) -> Iterator[Path]:
    """Yield the files of a module in a folder, with those that are compiled."""
    cache = folder / CACHE
    if cache.is_symlink():
        yield cache
    with suppress(OSError):  # there is no such folder
        yield from (path for path in folder.iterdir() if module_in(path.name) == module)
        yield from (
            path
            for path in cache.iterdir()
            if path.suffix == COMPILED
            and path.name.partition('.')[0] == module
            and not cache.is_symlink()
        )
