"""Files of results: written whole or not at all, read whatever stands there."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any, Dict

SavedResults = Dict[str, Any]           # what results.json holds


def read_results(path: Path) -> SavedResults:
    """Return the results in a file, `{}` if there are none."""
    try:
        # Whatever it is that stands there, it is not waited for.
        is_plain = stat.S_ISREG(path.lstat().st_mode)
        results = json.loads(path.read_text(encoding='utf-8')) if is_plain else {}
    except (OSError, ValueError, RecursionError):
        return {}
    is_ours = isinstance(results, dict) and {'score', 'tests', 'extra_data'} <= results.keys()
    return results if is_ours else {}


def write_results(path: Path, results: SavedResults) -> None:
    """Write results.json, whole. Raises `OSError`."""
    write_whole(path, json.dumps(results, indent=1) + '\n')


def write_whole(path: Path, text: str) -> None:
    """Replace a file, whatever stands there, by one that only its owner may read and write."""
    descriptor, name = tempfile.mkstemp(prefix=f'.{path.name[:50]}-', dir=path.parent)
    try:
        with open(descriptor, 'w', encoding='utf-8') as stream:
            stream.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
