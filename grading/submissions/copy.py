"""Safe copies of submissions: plain files, and links between them, within bounds."""

from __future__ import annotations

import os
from itertools import takewhile
from pathlib import Path
from typing import Collection, NamedTuple

from ..printable import printable
from ..sandbox.untrusted_files import (
    Content,
    Entry,
    entries_of,
    raise_if_ours,
    reason_of,
    why_not_copied,
)

MOST_NOTES = 20                         # on one copy
LONGEST_NAME_NOTED = 400                # characters of a file's name in a note
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
                 tools: Collection[str] = ()) -> None:
        self.target = target
        self._bounds = bounds
        self._tools = tools
        self.notes: list[str] = []
        self._files = 0
        self._bytes = 0

    def add_all(self, source: Path | int) -> None:
        """Copy a folder, which may be open already, the contents of a zip, or a single file.

        Of links, those are copied that lead to something in the folder. Raises `SubmissionError`.
        """
        links = []
        most = 2 * self._bounds.files   # each may have a twin that is ignored
        with entries_of(source, most, with_all=bool(self._tools)) as entries:
            for entry in entries:
                if self.is_full:
                    break
                if entry.kind == 'link':
                    links.append(entry)
                    self._count()
                elif entry.kind != 'ignored':
                    self.add(entry, entry.path)
        for entry in links:             # last, so that nothing is written through them
            place, above = self.target / entry.path, os.path.dirname(entry.path)
            target = os.path.normpath(os.path.join(above, entry.target))
            try:
                if os.path.dirname(target) in self._tools and target == entry.target:
                    place.symlink_to(target)
                elif target.split('/')[0] not in ('', '..'):
                    place.symlink_to(os.path.relpath(target, above))
            except OSError as error:
                raise_if_ours(error)
        for entry in links:
            if not os.path.exists(self.target / entry.path):
                (self.target / entry.path).unlink(missing_ok=True)
                self._leave_out(entry.path, 'a link to nothing in the folder')

    def add(self, entry: Entry, name: str) -> None:
        """Copy a file or a folder without its files; `name` is the path of the copy."""
        problem = entry.problem or why_not_copied(name)
        if problem or entry.kind != 'folder':       # else it counts when it is made
            self._count()
        if problem:
            self._leave_out(name, problem)
            return
        try:
            if entry.kind == 'folder':
                self._make_folders(name)
                return
            with entry.open() as content:
                size = -(-content.size // self._bounds.block) * self._bounds.block
                if self._bytes + size > self._bounds.size:
                    self._leave_out(name, f'more than {self._bounds.size >> 20} MB in all')
                else:
                    self._bytes += size
                    self._write(name, content)
        except Exception as error:
            raise_if_ours(error)
            self._leave_out(name, reason_of(error))

    def note(self, text: str) -> None:
        """Add a note, unless there are many already."""
        if len(self.notes) <= MOST_NOTES:
            self.notes.append('...' if len(self.notes) == MOST_NOTES else printable(text))

    @property
    def is_full(self) -> bool:
        """Whether the copy has as many files as it may have."""
        return self._files >= self._bounds.files

    def _leave_out(self, name: str, why: str) -> None:
        shown = name[:LONGEST_NAME_NOTED] + '...' * (len(name) > LONGEST_NAME_NOTED)
        self.note(f'left out: {shown}: {why}')

    def _write(self, name: str, content: Content) -> None:
        path = self.target / name
        self._make_folders(os.path.dirname(name))
        with open(path, 'xb') as copy:
            left = content.size
            try:
                while left and (chunk := content.stream.read(min(left, CHUNK))):
                    left -= copy.write(chunk)
            except Exception:
                path.unlink()
                raise
        path.chmod(0o755 if content.is_executable else 0o644)

    def _make_folders(self, name: str) -> None:
        """Make those folders that are missing down to a path in the copy."""
        path = self.target / name
        for folder in reversed([*takewhile(lambda one: not one.is_dir(), [path, *path.parents])]):
            self._count()
            folder.mkdir(0o755)

    def _count(self) -> None:
        self._files += 1
        if self._files == self._bounds.files:
            self._leave_out('the rest', f'more than {self._bounds.files:,} files in all')
