"""Moodle: a folder `Name_123_assignsubmission_file_` for each, or flat files that begin so."""

from __future__ import annotations

import re
from typing import Iterator

from .files import Files, Parts
from .shares import MOST_NAME, Reading, Share, shares_of

FOLDER_NAME = re.compile(r'(.+_\d+)_assignsubmission_[a-z]+_?', re.DOTALL)
# Behind a name; each place where it fits is found, also within another.
BEHIND = re.compile(r'(?=(_\d+)_assignsubmission_[a-z]+_(.+))', re.DOTALL)


def shares(files: Files) -> list[Share]:
    """Return what is whose, be it in folders or flat."""
    names = {parts: list(readings_of(parts)) for parts in files.paths}
    return shares_of({parts: readings for parts, readings in names.items() if readings})


def readings_of(parts: Parts) -> Iterator[Reading]:
    """Yield the ways to read a path, that of the shortest name of a student first."""
    *folders, name = parts
    for place, folder in enumerate(folders):
        match = FOLDER_NAME.fullmatch(folder) if len(folder) <= MOST_NAME else None
        if match:
            yield Reading(match[1], '/'.join(parts[place + 1:]))
            return
    for match in BEHIND.finditer(name) if len(name) <= MOST_NAME else ():
        if match.start():
            yield Reading(name[:match.start()] + match[1], match[2])
