"""The files of an export, a folder or a zip, and copies of one student's files."""

from __future__ import annotations

import os
import re
import zipfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, Tuple, Union

from ..printable import printable
from ..sandbox.untrusted_files import (
    DEEPEST,
    METHODS,
    TOO_DEEP,
    CopyError,
    is_ignored,
    open_zip,
    raise_if_ours,
    reason_of,
)
from .copy import Copy
from .executable import ARCHIVES, DOCUMENTS, ONE_FILE

LONGEST_METADATA = 1 << 24              # bytes of the export's metadata
LONGEST_LIST_OF_A_CLASS = 32 << 20      # bytes of the list in a zip of many submissions
RESUBMITTED = re.compile(r'([^\W\d]\w*)(?:-\d{1,3})+(\.\w+)')

Parts = Tuple[str, ...]                 # of a path: its folders, and its file or ''


@dataclass
class Share:
    """One student's files in an export: their paths, and their names in a copy."""

    who: str
    id: str = ''                        # '' if the export does not say it
    email: str = ''
    late: bool | None = None            # None if the export does not say it
    files: dict[Parts, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    folder: Path = Path()               # of their copies


@contextmanager
def files_of(path: Path) -> Iterator[Files]:
    """Provide the files of an export. Raises `CopyError`."""
    if path.is_dir():
        yield FolderOfFiles(path)
    else:
        with open_zip(path, LONGEST_LIST_OF_A_CLASS) as archive:
            yield Archive(archive)


class FolderOfFiles:
    """The files in a folder: their `paths`, and the names of folders that are `repositories`.

    An empty folder has a path that ends with ''. A folder that is too deep, or cannot be read,
    counts as a file.
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
        """Return the readable text of a file."""
        path = self._root.joinpath(*parts)
        try:
            with open(path if path.is_file() else os.devnull, 'rb') as stream:
                return stream.read(LONGEST_METADATA).decode(errors='replace')
        except OSError as error:
            raise_if_ours(error)
            return ''


class Archive:
    """The files in a zip, with the same attributes as `FolderOfFiles`."""

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
        """Return the readable text of a file."""
        entry = self._files[parts]
        try:
            if entry.compress_type not in METHODS:
                return ''
            with self._zip.open(entry) as stream:
                return stream.read(LONGEST_METADATA).decode(errors='replace')
        except Exception as error:      # zipfile raises anything where a zip is damaged
            raise_if_ours(error)
            return ''


Files = Union[FolderOfFiles, Archive]


def copy_share(share: Share, files: Files, folder: Path) -> None:
    """Copy one student's files into a new folder; unpack zips if there are no other programs.

    Add notes on files that were not copied to the share.
    """
    folder.mkdir(0o755, parents=True)
    copy = Copy(folder)
    for parts, name in sorted(share.files.items()):
        if not copy.is_full:
            files.copy(parts, name, copy)
    top = sorted(folder.iterdir())
    zips = [path for path in top if path.suffix.lower() == '.zip']
    is_unpacked = all(path.suffix.lower() in ('.zip', *DOCUMENTS) for path in top)
    for archive in zips:
        try:
            if not is_unpacked:
                raise CopyError('not unpacked, because other files were handed in beside it')
            copy.add_zip(archive)
        except CopyError as error:
            copy.note(f'{archive.name}: {error}')
        else:
            archive.unlink()
    share.folder, share.id, share.email = folder, printable(share.id), printable(share.email)
    share.notes += copy.notes


def original_names(names: list[str]) -> dict[str, str]:
    """Return for each name in a submission the name without the `-1` of a resubmission.

    A name stays as it is if two files would get the same one.

    >>> original_names(['nim_logic-1.py', 'a-1.txt', 'a-2.txt'])
    {'nim_logic-1.py': 'nim_logic.py', 'a-1.txt': 'a-1.txt', 'a-2.txt': 'a-2.txt'}
    """
    originals = {name: RESUBMITTED.sub(r'\1\2', name) if RESUBMITTED.fullmatch(name) else name
                 for name in names}
    often = Counter(originals.values())
    return {name: original if often[original] == 1 else name
            for name, original in originals.items()}


def shares_by_folder(files: Files, depth: int) -> list[Share]:
    """Return the files of each student, who has a folder or file at this depth."""
    shares: dict[str, Share] = {}
    for parts in files.paths:
        if len(parts) > depth + 1:
            share = shares.setdefault(parts[depth], Share(parts[depth]))
            share.files.update({parts: '/'.join(parts[depth + 1:])} if parts[-1] else {})
        elif len(parts) == depth + 1 and parts[-1].lower().endswith(ONE_FILE):
            who = parts[-1].rpartition('.')[0]
            shares.setdefault(who, Share(who)).files[parts] = parts[-1]
    return list(shares.values())


def shares_of_github(files: Files) -> list[Share]:
    """Return the files of each student in an export, which may have folders around everything."""
    below = [parts for parts in files.paths if not parts[-1].startswith('.')]
    depth = 0
    while True:
        heads = {parts[0] for parts in below}
        below = [parts[1:] for parts in below]
        # Around everything is a folder that has nothing but folders and zips.
        if len(heads) != 1 or heads & files.repositories or not all(
                len(parts) > 1 or (parts and parts[0].lower().endswith(('.zip', *ARCHIVES)))
                for parts in below):
            return shares_by_folder(files, depth)
        depth += 1
