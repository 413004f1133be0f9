"""What of an export is whose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, NamedTuple, Sequence

from ...printable import printable
from ..unrunnable import ARCHIVES, SOURCES
from .files import Files, Parts

ONE_FILE = ('.zip', '.py', *ARCHIVES, *SOURCES)     # endings of what may be a whole submission
MOST_NAME = 1000                        # characters of a name that is read; no system makes more


@dataclass
class Share:
    """What of an export is one person's: the paths of its files, and where they are to go."""

    who: str
    late: bool | None = None            # None where the export does not tell
    files: dict[Parts, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Reading(NamedTuple):
    """One way to read the name of a file: who has handed it in, and what they call it."""

    who: str
    file: str
    late: bool | None = None


def shares_of(names: Mapping[Parts, Sequence[Reading]]) -> list[Share]:
    """Return whose each file is, by its name.

    Students choose the names of files, and their own, so a name may have several readings. The
    first counts, unless it would add to what certainly is somebody's: then the file is left out.
    Both cases are noted.
    """
    certain = {readings[0].who for readings in names.values() if len(readings) == 1}
    shares: dict[str, Share] = {}
    for parts, readings in names.items():
        whose = list(dict.fromkeys(reading.who for reading in readings))
        taken = readings[0] if len(whose) == 1 or not certain.intersection(whose) else None
        for who in [taken.who] if taken else filter(certain.__contains__, whose):
            share = shares.setdefault(who, Share(who))
            if len(whose) > 1:
                share.notes.append(printable(
                    f'{"" if taken else "left out: "}{parts[-1]}: its name can be read as that of '
                    f'{", or of ".join(whose)}'))
        if taken:
            share.late = share.late or taken.late
            share.files.update({parts: taken.file} if taken.file else {})
    return list(shares.values())


def shares_by_folder(files: Files, depth: int) -> list[Share]:
    """Return what is whose where each has a folder, or one file, so many folders deep."""
    shares: dict[str, Share] = {}
    for parts in files.paths:
        if len(parts) > depth + 1:
            share = shares.setdefault(parts[depth], Share(parts[depth]))
            share.files.update({parts: '/'.join(parts[depth + 1:])} if parts[-1] else {})
        elif len(parts) == depth + 1 and parts[-1].lower().endswith(ONE_FILE):
            who = parts[-1].rpartition('.')[0]
            shares.setdefault(who, Share(who)).files[parts] = parts[-1]
    return list(shares.values())


def depth_of_shares(files: Files) -> int:
    """Return how many folders are around all submissions."""
    paths = [parts for parts in files.paths if not parts[-1].startswith('.')]
    depth = 0
    while is_around_all(paths, depth, files.repositories):
        depth += 1
    return depth


def is_around_all(paths: list[Parts], depth: int, repositories: set[str]) -> bool:
    """Return whether there is one folder at a depth, and in it nothing but folders and zips."""
    heads = {parts[depth] for parts in paths}
    below = [parts[depth + 1:] for parts in paths]
    return len(heads) == 1 and not heads & repositories and all(
        len(parts) > 1 or (parts and parts[0].lower().endswith(('.zip', *ARCHIVES)))
        for parts in below)
