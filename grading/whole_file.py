"""Writes a file as a whole, so that nobody reads half of one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file as a whole, for its owner alone; it replaces whatever has its name.

    Raises `OSError`.
    """
    descriptor, name = tempfile.mkstemp(prefix=f'.{path.name[:50]}-', dir=path.parent)
    try:
        with open(descriptor, 'w', encoding='utf-8') as stream:
            stream.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
