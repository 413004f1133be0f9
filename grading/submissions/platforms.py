"""Learning platforms, and how each names students' files in its exports.

Each platform is a row of `PLATFORMS`; its key is a choice of --export.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

LONGEST_FILE_NAME = 1000  # characters; no system allows longer names
# Matches what follows a student's name in Canvas: the id, the file's number and the file's name. If
# names are hidden, every student is called `anon`, and five letters or digits replace the id. Text
# or a link typed by the student has no file number. A lookahead finds overlapping matches, too.
AFTER_NAME_IN_CANVAS = re.compile(
    r'(?=_(?P<id>\d+|(?<=anon_)[a-z0-9]{5})_'
    r'(?:(?P<number>\d+)_(?P<file>.+)|(?P<entry>(?:text|link)\.html)$))',
    re.IGNORECASE | re.DOTALL,
)
LATE_MARK = re.compile(r'^late_|[_-]late$', re.IGNORECASE)
RESUBMITTED = re.compile(r'([^\W\d]\w*)(?:-\d{1,3})+(\.\w+)')  # such as `game-1.py` in Canvas
FOLDER_IN_MOODLE = re.compile(r'(.+)_(\d+)_assignsubmission_[a-z]+_?', re.DOTALL)
AFTER_NAME_IN_MOODLE = re.compile(r'(?=_(\d+)_assignsubmission_[a-z]+_(.+))', re.DOTALL)
Parts = tuple[str, ...]  # the parts of a path; the last part is '' for an empty folder


class NameReading(NamedTuple):
    """One way to read a file's name: the file's owner, and the name the owner gave it."""

    who: str  # the student's name, with the id because two students may have the same name
    id: str
    file: str
    late: bool | None = None
    digits: int = 0  # how many digits Canvas's file number has, or 0 if there is no number


class Platform(NamedTuple):
    """How a learning platform exports the submissions of a class."""

    title: str
    # Yields the ways to read a file's name. None if each student has one folder, zip or file.
    readings: Callable[[Parts], Iterator[NameReading]] | None = None
    metadata: str = ''  # the file that lists the students, or '' if there is none
    renames_resubmissions: bool = False  # whether a resubmitted `game.py` is called `game-1.py`


def readings_in_canvas(parts: Parts) -> Iterator[NameReading]:
    """Yield the ways to read a file's name, starting with the shortest student name."""
    name = parts[-1]
    if len(name) > LONGEST_FILE_NAME:
        return
    for match in AFTER_NAME_IN_CANVAS.finditer(name):
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
    """Map a submission's file names to those names without a resubmission's number, such as `-1`.

    If several files would get the same name, all of them keep their current names.

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
    """Yield the ways to read a path, starting with the shortest student name."""
    *folders, name = parts
    for index, folder in enumerate(folders):
        match = FOLDER_IN_MOODLE.fullmatch(folder) if len(folder) <= LONGEST_FILE_NAME else None
        if match:
            yield NameReading(f'{match[1]}_{match[2]}', match[2], '/'.join(parts[index + 1 :]))
            return
    if len(name) > LONGEST_FILE_NAME:
        return
    for match in AFTER_NAME_IN_MOODLE.finditer(name):
        if match.start():
            yield NameReading(f'{name[: match.start()]}_{match[1]}', match[1], match[2])


PLATFORMS = {  # the keys are the choices of --export
    # A flat zip of files such as `name_12345_67890_file.py`: the first number is the user's, and
    # the second is the file's. `_LATE` follows the name if the submission is late.
    'canvas': Platform('Canvas', readings_in_canvas, renames_resubmissions=True),
    # A folder `Name_123_assignsubmission_file_` for each student, or files with this prefix.
    'moodle': Platform('Moodle', readings_in_moodle),
    'gradescope': Platform('Gradescope', metadata='submission_metadata.yml'),
    # Cloned repositories, as GitHub Classroom made them until August 2026.
    'github': Platform('GitHub'),
}
