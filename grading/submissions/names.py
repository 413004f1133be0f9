"""Names of submissions, safe as folders on any machine and beside each other."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Sequence

from ..printable import printable
from .executable import ONE_FILE

LONGEST_NAME = 120                      # bytes; a file system may take no more than 255
# What some system forbids in names; and what hides a name at its start, or is lost at its end.
FORBIDDEN = re.compile(r'[/\\:*?"<>|]+')
EDGES = '. '
# What Windows keeps for itself, with any ending, and what the folder of all results holds.
RESERVED = re.compile(r'(con|prn|aux|nul|com\d|lpt\d)(\..*)?|grades\.csv|index\.html'
                      r'|session-\d+\.html',
                      re.IGNORECASE)


def submission_names(sources: Sequence[Path]) -> list[str]:
    """Return a name for each submission: that of its folder, or of its file without the ending.

    The ending stays where another submission has the same name.
    """
    own = [source.resolve() for source in sources]
    short = [path.stem if path.suffix.lower() in ONE_FILE and path.is_file() else path.name
             for path in own]
    often = Counter(map(str.casefold, short))
    taken: set[str] = set()
    return [folder_name(name if often[name.casefold()] == 1 else path.name, taken)
            for path, name in zip(own, short)]


def folder_name(wanted: str, taken: set[str]) -> str:
    """Return a name for a folder that is like the one wanted, and like none that is taken.

    It is added to `taken`, which holds names without regard to case.

    >>> taken = set()
    >>> [folder_name(name, taken) for name in ('Ann', 'ann', '../x', 'con', '')]
    ['Ann', 'ann-2', '-x', 'con_', 'unnamed']
    """
    plain = FORBIDDEN.sub('-', printable(unicodedata.normalize('NFC', wanted)).strip(EDGES))
    plain = shortened(plain, LONGEST_NAME).strip(EDGES) or 'unnamed'
    plain += '_' if RESERVED.fullmatch(plain) else ''
    name, number = plain, 1
    while name.casefold() in taken:
        number += 1
        name = f'{plain}-{number}'
    taken.add(name.casefold())
    return name


def shortened(text: str, size: int) -> str:
    """Return as much of a text as some bytes of UTF-8 hold."""
    return text.encode()[:size].decode(errors='ignore')
