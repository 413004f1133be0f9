"""The files in a folder or a zip that many submissions come in, one way to look at both."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path
from typing import Tuple, Union

from ..copy import ENTRY_ERRORS, Copy, is_ignored, open_zip

MOST_TEXT = 1 << 24                     # bytes of a file that is read here

Parts = Tuple[str, ...]                 # of a path: the folders, and the file


class FolderOfFiles:
    """The files in a folder; `paths` are theirs, `repositories` the folders that git has made."""

    def __init__(self, root: Path) -> None:
        self._files: dict[Parts, Path] = {}
        self.repositories: set[str] = set()
        for place, folders, names in os.walk(root):
            folder = Path(place)
            if '.git' in folders:
                self.repositories.add(folder.name)
            folders[:] = [name for name in folders if not is_ignored(name)]
            for name in names:
                if not is_ignored(name):
                    self._files[(folder / name).relative_to(root).parts] = folder / name

    @property
    def paths(self) -> list[Parts]:
        """The paths of all files, as parts."""
        return list(self._files)

    def copy(self, parts: Parts, name: str, copy: Copy) -> None:
        """Copy a file to a path in a copy."""
        copy.add_file(self._files[parts], name)

    def text(self, parts: Parts) -> str:
        """Return the text of a file, as far as it can be read."""
        try:
            with open(self._files[parts], 'rb') as stream:
                return stream.read(MOST_TEXT).decode(errors='replace')
        except OSError:
            return ''

    def close(self) -> None:
        """Do nothing: no file is open."""


class Archive:
    """The files in a zip, as `FolderOfFiles` shows those in a folder. Raises `CopyError`."""

    def __init__(self, path: Path) -> None:
        self._zip = open_zip(path)
        self._files: dict[Parts, zipfile.ZipInfo] = {}
        self.repositories: set[str] = set()
        for entry in self._zip.infolist():
            parts = tuple(part for part in entry.filename.replace('\\', '/').split('/')
                          if part not in ('', '.'))
            if '.git' in parts[1:]:
                self.repositories.add(parts[parts.index('.git') - 1])
            if parts and not entry.is_dir() and not any(map(is_ignored, parts)):
                self._files[parts] = entry

    @property
    def paths(self) -> list[Parts]:
        """The paths of all files, as parts."""
        return list(self._files)

    def copy(self, parts: Parts, name: str, copy: Copy) -> None:
        """Copy a file to a path in a copy."""
        copy.add_entry(self._zip, self._files[parts], name)

    def text(self, parts: Parts) -> str:
        """Return the text of a file, as far as it can be read."""
        try:
            with self._zip.open(self._files[parts]) as stream:
                return stream.read(MOST_TEXT).decode(errors='replace')
        except ENTRY_ERRORS:
            return ''

    def close(self) -> None:
        """Close the zip."""
        self._zip.close()


Files = Union[FolderOfFiles, Archive]
