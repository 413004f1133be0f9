"""Writes a file atomically, so nobody reads a half-written file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically, readable and writable only by its owner; replace an existing file.

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
