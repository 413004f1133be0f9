"""Finds submissions that are links, perhaps to somebody else's program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path


def linked_submissions(sources: Sequence[Path]) -> dict[Path, Path]:
    """Map each submission to the first link in its path; leave out submissions without links.

    Ignore links in the path of the folder with all submissions: they are the teacher's.
    """
    paths = [Path(os.path.abspath(source)) for source in sources]
    top = Path(os.path.commonpath([path.parent for path in paths])) if paths else Path()
    found = {}
    for source, path in zip(sources, paths, strict=True):
        below = [*reversed(path.parents), path][len(top.parts) :]
        links = [parent for parent in below if parent.is_symlink()]
        if links:
            found[source] = links[0]
    return found
