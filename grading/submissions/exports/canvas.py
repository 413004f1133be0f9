"""Canvas: a flat zip of `name_12345_67890_file.py`, the numbers those of the user and the file.

`_LATE` follows the name of who was late. A file that is handed in again becomes `file-1.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Iterator, NamedTuple

from .files import Files
from .shares import MOST_NAME, Reading, Share, shares_of

# Behind a name. The number is another word where names are hidden; a text that was typed in, or a
# link, has no number of its own. Each place where it fits is found, also within another.
BEHIND = re.compile(r'(?=_(?P<id>\d+|(?<=anon_)[a-z0-9]{5})_'
                    r'(?:(?P<number>\d+)_(?P<file>.+)|(?P<entry>(?:text|link)\.html)$))',
                    re.IGNORECASE | re.DOTALL)
LATE_MARK = re.compile(r'^late_|[_-]late$', re.IGNORECASE)
RESUBMITTED = re.compile(r'([^\W\d]\w*)(?:-\d{1,3})+(\.\w+)')


class Numbered(NamedTuple):
    """A reading, and how many digits the file's number has in it, 0 if it has none."""

    reading: Reading
    digits: int


def shares(files: Files) -> list[Share]:
    """Return what is whose; files have the names that their authors gave.

    A student may be called `ann_1_2`, and a file `1_2_x.py`: what can be read as two students' is
    noted. But one whose number is far too small for one of Canvas's is no reading.
    """
    names = {parts: list(readings_of(parts[-1])) for parts in files.paths}
    certain = [ways[0].digits for ways in names.values() if len(ways) == 1 and ways[0].digits]
    fewest = min(certain, default=1) - 1
    found = shares_of({
        parts: [way.reading for way in ways if way.digits >= fewest or not way.digits]
        or [way.reading for way in ways] for parts, ways in names.items() if ways})
    for share in found:
        originals = original_names(list(share.files.values()))
        share.files = {parts: originals[name] for parts, name in share.files.items()}
    return found


def readings_of(name: str) -> Iterator[Numbered]:
    """Yield the ways to read the name of a file, that of the shortest name of a student first."""
    for match in BEHIND.finditer(name) if len(name) <= MOST_NAME else ():
        if match.start():
            student, late = LATE_MARK.subn('', name[:match.start()])
            reading = Reading(f'{student}_{match["id"]}', match['file'] or match['entry'], late > 0)
            yield Numbered(reading, len(match['number'] or ''))


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
