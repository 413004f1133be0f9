"""What is below a folder whose owner may have put links anywhere: none of them is followed."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

# Windows has none of these, and copies nothing that was handed in.
NO_LINK = getattr(os, 'O_NOFOLLOW', 0)
ONLY_FOLDERS = os.O_RDONLY | getattr(os, 'O_DIRECTORY', 0)
FILE = os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0)   # a FIFO that was put there is not waited for


@contextmanager
def opened(source: Path | int) -> Iterator[int]:
    """Open a folder, or use one that is open, and stays open."""
    folder = source if isinstance(source, int) else os.open(source, ONLY_FOLDERS)
    try:
        yield folder
    finally:
        if folder != source:
            os.close(folder)


def open_below(folder: int, name: str, flags: int = ONLY_FOLDERS) -> int:
    """Open what has a name, a path, below an open folder; follow no link, nor one at its end.

    Raises `OSError`.
    """
    *parents, last = name.split('/')
    parent = os.dup(folder)
    try:
        for part in parents:
            child = os.open(part, ONLY_FOLDERS | NO_LINK, dir_fd=parent)
            os.close(parent)
            parent = child
        return os.open(last or '.', flags | NO_LINK, dir_fd=parent)
    finally:
        os.close(parent)


def target_of_link(folder: int, name: str) -> str:
    """Return what a link below an open folder says, from there, '' if that is not below it."""
    parent = open_below(folder, os.path.dirname(name))
    try:
        said = os.readlink(os.path.basename(name), dir_fd=parent)
    finally:
        os.close(parent)
    target = os.path.normpath(os.path.join(os.path.dirname(name), said))
    return '' if target.split('/')[0] in ('', '..') else target
