"""Zips of people who may mean harm: what is read of one is bounded before it is read."""

from __future__ import annotations

import io
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from .failures import CopyError, check_whose, reason_of

MOST_LISTED = 4 << 20                   # bytes of the list in a zip: up to 85,000 files
# Both are unpacked piece by piece; others all at once, whatever size they say they have.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@contextmanager
def open_zip(path: Path, most_listed: int = MOST_LISTED) -> Iterator[zipfile.ZipFile]:
    """Provide a zip whose list of files has so many bytes at most. Raises `CopyError`."""
    if not path.is_file():
        raise CopyError('not a plain file')
    with ZipStream(path, most_listed) as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except Exception as error:          # whatever zipfile raises where a zip is damaged
            check_whose(error)
            raise CopyError(f'not a zip file that can be read: {reason_of(error)}') from None
        yield archive


class ZipStream(io.FileIO):
    """A zip that is only read in pieces: a list of a million files is noticed before it is read."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(path)
        self._most = most

    def read(self, size: int | None = -1) -> bytes:
        """Read so many bytes. Raises `zipfile.BadZipFile` for more than are allowed."""
        if size and size > self._most:
            raise zipfile.BadZipFile('it lists too many files')
        return super().read(size) or b''
