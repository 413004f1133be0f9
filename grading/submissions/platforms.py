"""Learning platforms, and how each names students' files in its exports.

Each platform is a row of `PLATFORMS`, and its key a choice of --export.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

LONGEST_FILE_NAME = 1000  # characters; no system makes longer names
# What follows a student's name in Canvas. If names are hidden, a word replaces the id; typed text
# or a link has no file number. All matches count, even overlapping ones.
AFTER_NAME_IN_CANVAS = re.compile(
    r'(?=_(?P<id>\d+|(?<=anon_)[a-z0-9]{5})_'
    r'(?:(?P<number>\d+)_(?P<file>.+)|(?P<entry>(?:text|link)\.html)$))',
    re.IGNORECASE | re.DOTALL,
)
LATE_MARK = re.compile(r'^late_|[_-]late$', re.IGNORECASE)
RESUBMITTED = re.compile(r'([^\W\d]\w*)(?:-\d{1,3})+(\.\w+)')
FOLDER_IN_MOODLE = re.compile(r'(.+)_(\d+)_assignsubmission_[a-z]+_?', re.DOTALL)
AFTER_NAME_IN_MOODLE = re.compile(r'(?=_(\d+)_assignsubmission_[a-z]+_(.+))', re.DOTALL)
Parts = tuple[str, ...]  # of a path: its folders and its file, which is '' for an empty folder


class NameReading(NamedTuple):
    """One way to read a file's name: the student who owns it, and the name it had there."""

    who: str  # with the id, because two students may have the same name
    id: str
    file: str
    late: bool | None = None
    digits: int = 0  # of Canvas's file number, or 0 if there is none


class Platform(NamedTuple):
    """How a learning platform exports the submissions of a class."""

    title: str
    # Yields the ways to read a file's name, or None if each student has a folder, a zip or a file.
    readings: Callable[[Parts], Iterator[NameReading]] | None = None
    metadata: str = ''  # the file that lists the students, or '' if there is none
    renames_resubmissions: bool = False  # to `game-1.py`, where students submitted `game.py`


def readings_in_canvas(parts: Parts) -> Iterator[NameReading]:
    """Yield the ways to read the name of a file; the shortest student's name comes first."""
    name = parts[-1]
    for match in AFTER_NAME_IN_CANVAS.finditer(name) if len(name) <= LONGEST_FILE_NAME else ():
        if match.start():
            student, late = LATE_MARK.subn('', name[: match.start()])
            yield NameReading(
                f'{student}_{match["id"]}',
                match['id'],
                match['file'] or match['entry'],
                late > 0,
                len(match['number'] or ''),
            )


def original_names(names: list[str]) -> dict[str, str]:
    """Return the name of each file of a submission without the `-1` of a resubmission.

    If two files would get the same name, both keep theirs.

    >>> original_names(['nim_logic-1.py', 'a-1.txt', 'a-2.txt'])
    {'nim_logic-1.py': 'nim_logic.py', 'a-1.txt': 'a-1.txt', 'a-2.txt': 'a-2.txt'}
    """
    originals = {
        name: RESUBMITTED.sub(r'\1\2', name) if RESUBMITTED.fullmatch(name) else name
        for name in names
    }
    uses = Counter(originals.values())
    return {name: original if uses[original] == 1 else name for name, original in originals.items()}


def readings_in_moodle(parts: Parts) -> Iterator[NameReading]:
    """Yield the ways to read a path; the shortest student's name comes first."""
    *folders, name = parts
    for place, folder in enumerate(folders):
        match = FOLDER_IN_MOODLE.fullmatch(folder) if len(folder) <= LONGEST_FILE_NAME else None
        if match:
            yield NameReading(f'{match[1]}_{match[2]}', match[2], '/'.join(parts[place + 1 :]))
            return
    for match in AFTER_NAME_IN_MOODLE.finditer(name) if len(name) <= LONGEST_FILE_NAME else ():
        if match.start():
            yield NameReading(f'{name[: match.start()]}_{match[1]}', match[1], match[2])


PLATFORMS = {  # by name on the command line
    # A flat zip of `name_12345_67890_file.py`, with the numbers of the user and of the file;
    # `_LATE` follows the name if the submission is late.
    'canvas': Platform('Canvas', readings_in_canvas, renames_resubmissions=True),
    # A folder `Name_123_assignsubmission_file_` for each student, or files with this prefix.
    'moodle': Platform('Moodle', readings_in_moodle),
    'gradescope': Platform('Gradescope', metadata='submission_metadata.yml'),
    # Cloned repositories, as GitHub Classroom made them until August 2026.
    'github': Platform('GitHub'),
}
