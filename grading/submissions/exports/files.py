"""The files of an export, a folder or a zip alike, and which of them are whose."""

from __future__ import annotations

import os
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Tuple, Union

from ...sandbox.untrusted import METHODS, CopyError, open_zip, raise_if_ours, reason_of
from ..copy import DEEPEST, TOO_DEEP, Copy, is_ignored

LONGEST_TEXT = 1 << 24                  # bytes of the export's metadata
LONGEST_LIST_OF_A_CLASS = 32 << 20      # bytes of the list in a zip of many submissions

Parts = Tuple[str, ...]                 # of a path: the folders and the file, '' if there is none


@dataclass
class Share:
    """The files of an export that are one student's, by their paths, and their names in a copy."""

    who: str
    id: str = ''                        # '' where the export does not tell, as for the address
    email: str = ''
    late: bool | None = None            # None where the export does not tell
    files: dict[Parts, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@contextmanager
def files_of(path: Path) -> Iterator[Files]:
    """Provide the files of an export. Raises `CopyError`."""
    if path.is_dir():
        yield FolderOfFiles(path)
    else:
        with open_zip(path, LONGEST_LIST_OF_A_CLASS) as archive:
            yield Archive(archive)


class FolderOfFiles:
    """The files in a folder: their `paths`, and the names of the folders that are `repositories`.

    An empty folder counts as the path of a file without a name in it; a folder that is too deep,
    or cannot be read, as a file.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self.paths: list[Parts] = []
        self.repositories: set[str] = set()
        folders: list[Parts] = [()]
        while folders:                  # no recursion: a folder may be very deep
            folder = folders.pop()
            try:
                with os.scandir(root.joinpath(*folder)) as listed:
                    entries = list(listed)
            except OSError as error:
                raise_if_ours(error)
                if not folder:
                    raise CopyError(reason_of(error)) from None
                self.paths.append(folder)
                continue
            if any(entry.name == '.git' for entry in entries):
                self.repositories.update(folder[-1:])
            seen = [entry for entry in entries if not is_ignored(entry.name)]
            self.paths += [] if seen else [(*folder, '')]
            for entry in seen:
                path = (*folder, entry.name)
                is_walked = entry.is_dir(follow_symlinks=False) and len(path) <= DEEPEST
                (folders if is_walked else self.paths).append(path)

    def copy(self, parts: Parts, name: str, copy: Copy) -> None:
        """Copy a file to a path in a copy."""
        if len(parts) > DEEPEST:
            copy.leave_out(name, TOO_DEEP)
        else:
            copy.add_file(self._root.joinpath(*parts), name)

    def text(self, parts: Parts) -> str:
        """Return the text of a file, as far as it can be read."""
        path = self._root.joinpath(*parts)
        try:
            with open(path if path.is_file() else os.devnull, 'rb') as stream:
                return stream.read(LONGEST_TEXT).decode(errors='replace')
        except OSError as error:
            raise_if_ours(error)
            return ''


class Archive:
    """The files in a zip, as `FolderOfFiles` shows those in a folder."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._zip = archive
        self._files: dict[Parts, zipfile.ZipInfo] = {}
        self.repositories: set[str] = set()
        folders = set()
        for entry in archive.infolist():
            name = entry.filename.replace('\\', '/')
            parts = tuple(part for part in name.split('/') if part not in ('', '.'))
            if '.git' in parts[1:]:
                self.repositories.add(parts[parts.index('.git') - 1])
            if parts and not any(map(is_ignored, parts)):
                if name.endswith('/'):
                    folders.add(parts)
                else:
                    self._files[parts] = entry
        full = {parts[:end] for parts in [*self._files, *folders] for end in range(1, len(parts))}
        self.paths = [*self._files, *((*parts, '') for parts in folders - full)]

    def copy(self, parts: Parts, name: str, copy: Copy) -> None:
        """Copy a file to a path in a copy."""
        copy.add_entry(self._zip, self._files[parts], name)

    def text(self, parts: Parts) -> str:
        """Return the text of a file, as far as it can be read."""
        entry = self._files[parts]
        try:
            if entry.compress_type not in METHODS:
                return ''
            with self._zip.open(entry) as stream:
                return stream.read(LONGEST_TEXT).decode(errors='replace')
        except Exception as error:      # zipfile raises anything where a zip is damaged
            raise_if_ours(error)
            return ''


Files = Union[FolderOfFiles, Archive]
