"""Safe copies of submissions: plain files, and links between them, within bounds."""

from __future__ import annotations

import errno
import os
import stat
import zipfile
from itertools import islice, takewhile
from pathlib import Path
from typing import IO, Collection, NamedTuple

from ..printable import printable
from ..sandbox.untrusted_files import (
    FILE,
    METHODS,
    is_ignored,
    open_below,
    open_folder,
    open_zip,
    raise_if_ours,
    reason_of,
    target_of_link,
    why_not_copied,
)

MOST_NOTES = 20                         # on one copy
LONGEST_NAME_NOTED = 400                # characters of a file's name in a note
NOT_PLAIN = 'not a plain file'
MOST_LINKS = 40                         # that lead from one to the next, as in Linux
CHUNK = 1 << 16                         # bytes that are copied at once


class Bounds(NamedTuple):
    """How many files, and how many bytes, a copy may hold."""

    files: int                          # folders count, too
    size: int                           # bytes of all files
    block: int = 1                      # bytes, of which each file takes whole ones


HANDED_IN = Bounds(2_000, 64 << 20)
# A build may install libraries. Each run copies all files that it leaves: 10,000 take 0.7 s. Under
# bubblewrap the copy is in memory, where there is room for 128 MB.
BUILT = Bounds(10_000, 96 << 20, 4096)


class Copy:
    """A copy of a submission in the folder `target`; `notes` name the files that it leaves out.

    For the folder of a build, `tools` are the folders of the system's commands. Then the copy has
    all files whatever their names, and links to commands, as virtual environments have them.
    """

    def __init__(self, target: Path, bounds: Bounds = HANDED_IN,
                 tools: Collection[str] | None = None) -> None:
        self.target = target
        self._bounds = bounds
        self._tools = tools
        self.notes: list[str] = []
        self._files = 0
        self._bytes = 0

    def add_folder(self, source: Path | int) -> None:
        """Copy a folder, or an open one, with those of its links that lead to something in it."""
        with open_folder(source) as root:
            links: list[str] = []
            folders = ['']
            while folders and not self.is_full:     # no recursion: a folder may be very deep
                folder = folders.pop()
                try:
                    entries = self._entries_of(root, folder)
                    if folder:
                        self._make_folder(folder)
                except OSError as error:
                    raise_if_ours(error)
                    self.leave_out(folder, error.strerror)
                    continue
                for name, is_link, is_folder in entries:
                    reason = why_not_copied(f'{name}/') if is_folder else ''
                    if self.is_full:
                        break
                    if is_link:
                        links.append(name)
                        self._count()
                    elif reason:
                        self.leave_out(name, reason)
                    elif is_folder:
                        folders.append(name)
                    else:
                        self._add_below(root, name)
            targets = {name: target_of_link(root, name) for name in links}
        for name in links:              # last, so that nothing is written through them
            self._add_link(name, targets)

    def add_file(self, path: Path, name: str) -> None:
        """Copy a file, if it is a plain one."""
        with open_folder(path.parent) as folder:
            self._add_below(folder, path.name, name)

    def _add_below(self, folder: int, path: str, name: str = '') -> None:
        name = name or path
        try:
            descriptor = open_below(folder, path, FILE)
            with open(descriptor, 'rb') as stream:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    self.leave_out(name, NOT_PLAIN)
                elif self._has_room_for(name, status.st_size):
                    self._write(name, stream, status.st_size, bool(status.st_mode & stat.S_IXUSR))
        except OSError as error:            # ENXIO: it is a socket
            raise_if_ours(error)
            is_plain = error.errno != errno.ENXIO
            self.leave_out(name, error.strerror if is_plain else NOT_PLAIN)

    def add_zip(self, path: Path) -> None:
        """Unpack a zip. Raises `CopyError` if it cannot be read."""
        with open_zip(path) as archive:
            for entry in archive.infolist():
                if self.is_full:
                    break
                if not entry.filename.endswith(('/', '\\')):
                    self.add_entry(archive, entry, entry.filename)

    def add_entry(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: str) -> None:
        """Copy a file of a zip, if it is a plain file with a path inside the folder."""
        path = os.path.normpath(name.replace('\\', '/'))
        parts = path.split('/')
        if any(map(is_ignored, parts)):
            return
        if path == '.':                     # what follows a NUL is not part of a name
            self.leave_out(entry.orig_filename, 'its name is empty')
        elif path.startswith('/') or '..' in parts or ':' in parts[0]:
            self.leave_out(name, 'its path leads out of the folder')
        elif stat.S_ISLNK(entry.external_attr >> 16):
            self.leave_out(name, 'a link')
        elif entry.compress_type not in METHODS:
            self.leave_out(name, 'packed by a method that the grader does not unpack')
        # Unpacking costs time, even if the file turns out to be damaged.
        elif self._has_room_for(path, max(entry.file_size, entry.compress_size)):
            try:
                with archive.open(entry) as stream:
                    self._write(path, stream, entry.file_size,
                                bool(entry.external_attr >> 16 & 0o100))
            except Exception as error:      # zipfile raises anything where a zip is damaged
                raise_if_ours(error)
                self.leave_out(name, reason_of(error))

    def leave_out(self, name: str, why: str | None) -> None:
        """Note that a file is not in the copy, and why."""
        shown = name[:LONGEST_NAME_NOTED] + '...' * (len(name) > LONGEST_NAME_NOTED)
        self.note(f'left out: {shown}: {why}')

    def note(self, text: str) -> None:
        """Add a note, unless there are many already."""
        if len(self.notes) <= MOST_NOTES:
            self.notes.append('...' if len(self.notes) == MOST_NOTES else printable(text))

    @property
    def is_full(self) -> bool:
        """Whether the copy has as many files as it may have."""
        return self._files >= self._bounds.files

    def _has_room_for(self, name: str, size: int) -> bool:
        """Return whether there is room for a file that is not read yet; note it if not."""
        self._count()
        reason = why_not_copied(name)
        size = -(-size // self._bounds.block) * self._bounds.block
        if not reason and self._bytes + size > self._bounds.size:
            reason = f'more than {self._bounds.size >> 20} MB in all'
        if reason:
            self.leave_out(name, reason)
            return False
        self._bytes += size
        return True

    def _write(self, name: str, stream: IO[bytes], size: int, is_executable: bool) -> None:
        path = self.target / name
        missing = list(takewhile(lambda folder: not folder.is_dir(), path.parents))
        for folder in reversed(missing):
            self._make_folder(str(folder.relative_to(self.target)))
        with open(path, 'xb') as copy:
            try:
                while size and (chunk := stream.read(min(size, CHUNK))):
                    size -= copy.write(chunk)
            except Exception:
                path.unlink()
                raise
        path.chmod(0o755 if is_executable else 0o644)

    def _make_folder(self, name: str) -> None:
        self._count()
        (self.target / name).mkdir(0o755, exist_ok=True)

    def _add_link(self, name: str, targets: dict[str, tuple[str, str]]) -> None:
        """Copy a link that leads, perhaps by other links, to something in the copy or a tool."""
        last, place = name, self.target / name
        for _ in range(MOST_LINKS):
            target, text = targets[last]
            if target not in targets:
                break
            last = target
        is_tool = (os.path.dirname(text) in (self._tools or ()) and os.path.normpath(text) == text)
        try:
            if target not in targets and (os.path.lexists(self.target / target) if target
                                          else is_tool):
                target, text = targets[name]
                place.symlink_to(os.path.relpath(self.target / target, place.parent) if target
                                 else text)
                return
        except OSError as error:
            raise_if_ours(error)
        self.leave_out(name, 'a link to nothing in the folder')

    def _count(self) -> None:
        self._files += 1
        if self._files == self._bounds.files:
            self.leave_out('the rest', f'more than {self._bounds.files:,} files in all')

    def _entries_of(self, root: int, name: str) -> list[tuple[str, bool, bool]]:
        """Return for each entry of a folder its path, and whether it is a link, or a folder.

        `name` is the path of the folder below the open one. The entries are in order of name; there
        are no more than could be copied.
        """
        folder = open_below(root, name)
        try:
            with os.scandir(folder) as entries:
                seen = ((os.path.join(name, entry.name), entry.is_symlink(),
                         entry.is_dir(follow_symlinks=False)) for entry in entries
                        if self._tools is not None or not is_ignored(entry.name))
                return sorted(islice(seen, self._bounds.files + 1))
        finally:
            os.close(folder)
