"""Copies the current folder before each run of the user's own program, so that no run sees another.

This module also works on Windows.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .untrusted_files import IGNORED

MAX_FILES, MAX_BYTES = 500, 16 << 20  # of a copy; larger folders are linked instead


@contextmanager
def in_fresh_folder(scratch: Path) -> Iterator[None]:
    """Run the block in a copy of the current folder, in the folder `scratch`.

    Instead of a subfolder that is large, has links, or is in `IGNORED`, the copy has a link to it.
    If the system makes no links, the block runs in the current folder itself.
    """
    here, fresh = Path.cwd(), Path(tempfile.mkdtemp(prefix='fresh-', dir=scratch))
    try:
        with suppress(OSError):
            copy_or_link(here, fresh)
            os.chdir(fresh)
        yield
    finally:
        os.chdir(here)
        shutil.rmtree(fresh, ignore_errors=True)


def copy_or_link(source: Path, target: Path) -> None:
    """Copy the files and small subfolders of a folder to another folder, and link the rest.

    Raises `OSError`.
    """
    files, size = 0.0, 0.0
    for path in sorted(source.iterdir()):
        number, length = size_of(path)
        if files + number > MAX_FILES or size + length > MAX_BYTES:
            (target / path.name).symlink_to(path.absolute())
            continue
        files, size = files + number, size + length
        if path.is_dir():
            shutil.copytree(path, target / path.name)
        else:
            shutil.copy2(path, target / path.name)


def size_of(path: Path) -> tuple[float, float]:
    """Return the number and the total bytes of the files in a path.

    The number is infinite if the path is to be linked.
    """
    files, size, paths = 0, 0, [path]
    while paths:
        path = paths.pop()
        is_kept = os.access(path, os.R_OK) and (path.is_file() or path.is_dir())
        if path.is_symlink() or path.name in IGNORED or not is_kept or files > MAX_FILES:
            return float('inf'), 0
        files, size = files + 1, size + path.stat().st_size
        if path.is_dir():
            paths += path.iterdir()
    return files, size
