"""Exports that name files after students: those of Canvas and Moodle.

Canvas makes a flat zip of `name_12345_67890_file.py`: the numbers are those of the user and of the
file, `_LATE` follows the name of a student who was late, and a file that is handed in again becomes
`file-1.py`. Moodle makes a folder `Name_123_assignsubmission_file_` for each student, or flat files
whose names begin so.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Iterator, Mapping, NamedTuple, Sequence

from ...printable import printable
from .files import Files, Parts, Share

LONGEST_FILE_NAME = 1000                # characters of a name that is read; no system makes more
# What stands behind a student's name in Canvas. The number is another word where names are hidden;
# a text that was typed in, or a link, has no number of its own. Each match counts, even those
# within another one.
BEHIND_IN_CANVAS = re.compile(
    r'(?=_(?P<id>\d+|(?<=anon_)[a-z0-9]{5})_'
    r'(?:(?P<number>\d+)_(?P<file>.+)|(?P<entry>(?:text|link)\.html)$))', re.IGNORECASE | re.DOTALL)
LATE_MARK = re.compile(r'^late_|[_-]late$', re.IGNORECASE)
RESUBMITTED = re.compile(r'([^\W\d]\w*)(?:-\d{1,3})+(\.\w+)')
FOLDER_IN_MOODLE = re.compile(r'(.+)_(\d+)_assignsubmission_[a-z]+_?', re.DOTALL)
BEHIND_IN_MOODLE = re.compile(r'(?=_(\d+)_assignsubmission_[a-z]+_(.+))', re.DOTALL)


class Reading(NamedTuple):
    """One way to read the name of a file: who has handed it in, and what they call it."""

    name: str
    id: str
    file: str
    late: bool | None = None
    digits: int = 0                     # of the number that Canvas gives the file, 0 if it has none

    @property
    def who(self) -> str:
        """The name and the number together, which tell students of one name apart."""
        return f'{self.name}_{self.id}'


def shares_of_canvas(files: Files) -> list[Share]:
    """Return whose the files of an export of Canvas are, by the names that their authors gave.

    A student may be called `ann_1_2`, and a file `1_2_x.py`: a name that can be read as two
    students' is noted. But a reading in which the file's number is far too small is none.
    """
    names = {parts: list(readings_in_canvas(parts[-1])) for parts in files.paths}
    certain = [ways[0].digits for ways in names.values() if len(ways) == 1 and ways[0].digits]
    fewest = min(certain, default=1) - 1
    shares = shares_of({
        parts: [way for way in ways if way.digits >= fewest or not way.digits] or ways
        for parts, ways in names.items() if ways})
    for share in shares:
        originals = original_names(list(share.files.values()))
        share.files = {parts: originals[name] for parts, name in share.files.items()}
    return shares


def readings_in_canvas(name: str) -> Iterator[Reading]:
    """Yield the ways to read the name of a file, the one with the shortest student's name first."""
    for match in BEHIND_IN_CANVAS.finditer(name) if len(name) <= LONGEST_FILE_NAME else ():
        if match.start():
            student, late = LATE_MARK.subn('', name[:match.start()])
            yield Reading(student, match['id'], match['file'] or match['entry'], late > 0,
                          len(match['number'] or ''))


def original_names(names: list[str]) -> dict[str, str]:
    """Return for each name in a submission the one without a resubmission's `-1`.

    A name stays as it is where two would become one.

    >>> original_names(['nim_logic-1.py', 'a-1.txt', 'a-2.txt'])
    {'nim_logic-1.py': 'nim_logic.py', 'a-1.txt': 'a-1.txt', 'a-2.txt': 'a-2.txt'}
    """
    originals = {name: RESUBMITTED.sub(r'\1\2', name) if RESUBMITTED.fullmatch(name) else name
                 for name in names}
    often = Counter(originals.values())
    return {name: original if often[original] == 1 else name
            for name, original in originals.items()}


def shares_of_moodle(files: Files) -> list[Share]:
    """Return whose the files of an export of Moodle are, be they in folders or flat."""
    names = {parts: list(readings_in_moodle(parts)) for parts in files.paths}
    return shares_of({parts: readings for parts, readings in names.items() if readings})


def readings_in_moodle(parts: Parts) -> Iterator[Reading]:
    """Yield the ways to read a path, the one with the shortest student's name first."""
    *folders, name = parts
    for place, folder in enumerate(folders):
        match = FOLDER_IN_MOODLE.fullmatch(folder) if len(folder) <= LONGEST_FILE_NAME else None
        if match:
            yield Reading(match[1], match[2], '/'.join(parts[place + 1:]))
            return
    for match in BEHIND_IN_MOODLE.finditer(name) if len(name) <= LONGEST_FILE_NAME else ():
        if match.start():
            yield Reading(name[:match.start()], match[1], match[2])


def shares_of(names: Mapping[Parts, Sequence[Reading]]) -> list[Share]:
    """Return whose each file is, given the ways to read its name.

    Students choose the names of files, and their own, so a name may have several readings. The
    first counts, unless it would add to the files that certainly are somebody's: then the file is
    left out. Both cases are noted.
    """
    certain = {readings[0].who for readings in names.values() if len(readings) == 1}
    shares: dict[str, Share] = {}
    for parts, readings in names.items():
        ids = {reading.who: reading.id for reading in readings}
        whose = list(ids)
        taken = readings[0] if len(whose) == 1 or not certain.intersection(whose) else None
        for who in [taken.who] if taken else filter(certain.__contains__, whose):
            share = shares.setdefault(who, Share(who, ids[who]))
            if len(whose) > 1:
                share.notes.append(printable(
                    f'{"" if taken else "left out: "}{parts[-1]}: its name can be read as that of '
                    f'{", or of ".join(whose)}'))
        if taken:
            share.late = share.late or taken.late
            share.files.update({parts: taken.file} if taken.file else {})
    return list(shares.values())
