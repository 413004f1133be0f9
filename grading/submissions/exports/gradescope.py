"""Gradescope: a folder for each, and `submission_metadata.yml`, which says whose they are.

It tells when they were created, too, but not when they were due.
"""

from __future__ import annotations

from . import github
from .files import Files, Parts
from .metadata import METADATA, owners
from .shares import Share, shares_by_folder


def shares(files: Files) -> list[Share]:
    """Return what is whose: named by the metadata, if there is any."""
    place = place_of_metadata(files)
    if place is None:
        return github.shares(files)
    known = owners(files.text(place))
    found = shares_by_folder(files, len(place) - 1)
    for share in found:
        share.who = known.pop(share.who, share.who)
    return [*found, *map(Share, known.values())]        # who has handed in nothing comes last


def place_of_metadata(files: Files) -> Parts | None:
    """Return the path of the export's own metadata: a student may hand in a file of this name."""
    paths = [parts for parts in files.paths if not parts[-1].startswith('.')]
    places = sorted((parts for parts in paths if parts[-1] == METADATA), key=len)[:1]
    return next((place for place in places
                 if all(parts[:len(place) - 1] == place[:-1] for parts in paths)), None)
