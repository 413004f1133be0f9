"""Reads folders and zips that may be hostile: it follows no links, and stays within bounds."""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Literal, NamedTuple

# Windows has none of these flags, but there the grader copies no submissions.
NO_LINK = getattr(os, 'O_NOFOLLOW', 0)
ONLY_FOLDERS = os.O_RDONLY | getattr(os, 'O_DIRECTORY', 0)
FILE = os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0)  # does not wait for the writer of a FIFO
SHORTAGES = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
REMOVING_SECONDS = 60  # to remove a folder
DEEPEST = 50  # nested folders
# Bytes of a path in a copy. The copy is in a folder with a long name, and macOS allows 1,024 bytes
# for the whole path.
LONGEST_PATH = 800
NOT_REGULAR = 'not a regular file'
IGNORED = ('__pycache__', '.git', '.venv', '__MACOSX', '.DS_Store')
LONGEST_LIST = 4 << 20  # bytes of the list of files in a zip: up to 85,000 files
# Python unpacks these in chunks. It unpacks others all at once, whatever size the zip claims.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

EntryKind = Literal['file', 'folder', 'link', 'ignored']


class SubmissionError(Exception):
    """A submission, or a file in it, cannot be copied or run; the message tells its author why."""


def is_shortage(error: Exception) -> bool:
    """Return whether the machine ran short of something, such as space on the disk."""
    return isinstance(error, MemoryError) or (
        isinstance(error, OSError) and error.errno in SHORTAGES
    )


def raise_if_ours(error: Exception) -> None:
    """Raise an error again if the machine is to blame, not the submission (say, a full disk)."""
    if is_shortage(error):
        raise error


def reason_of(error: Exception) -> str:
    """Return the message of an error, without the paths that the system adds."""
    if isinstance(error, OSError) and error.errno == errno.ENXIO:  # a socket
        return NOT_REGULAR
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def remove(path: Path) -> None:
    """Remove a file, a link, or a folder of any depth and with any modes."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path)
    except (OSError, RecursionError):  # unreadable, or too deep
        for command in (['chmod', '-R', 'u+rwx'], ['rm', '-rf', '--']):
            with suppress(subprocess.TimeoutExpired):
                subprocess.run(
                    [*command, str(path)],
                    check=False,
                    capture_output=True,
                    timeout=REMOVING_SECONDS,
                )


@contextmanager
def opened(path: str | Path, flags: int = ONLY_FOLDERS, folder: int = -1) -> Iterator[int]:
    """Open a path, and close it at the end. Below an open `folder`, if given, follow no links.

    Raises `OSError`.
    """
    *above, last = [str(path)] if folder < 0 else str(path).split('/')
    no_link = 0 if folder < 0 else NO_LINK
    with ExitStack() as stack:
        for name, how in [*((name, ONLY_FOLDERS) for name in above), (last or '.', flags)]:
            folder = os.open(name, how | no_link, dir_fd=None if folder < 0 else folder)
            stack.callback(os.close, folder)
        yield folder


def why_not_copied(path: str) -> str:
    """Return why a file with this path cannot be copied into runs, or '' if it can.

    The path of a folder ends with a slash.
    """
    return (
        f'more than {DEEPEST} folders deep'
        if path.count('/') > DEEPEST
        else f'a path of more than {LONGEST_PATH} bytes'
        if len(os.fsencode(path)) > LONGEST_PATH
        else ''
    )


def is_ignored(name: str) -> bool:
    """Return whether a copy leaves out a file or folder of this name without a note."""
    return name in IGNORED or name.startswith('._')


class Content(NamedTuple):
    """A plain file that is open."""

    stream: IO[bytes]
    size: int  # bytes; a zip may claim any size
    is_executable: bool


class Entry(NamedTuple):
    """A file, folder or link in a folder or zip; its path never leads out of there."""

    path: str
    open: Callable[[], AbstractContextManager[Content]]  # raises any error, also if not plain
    kind: EntryKind = 'file'
    problem: str = ''  # why it cannot be copied; the path is then arbitrary
    target: str = ''  # the text of a link


@contextmanager
def entries_of(
    source: Path | int,
    most: int | None = None,
    longest_list: int = LONGEST_LIST,
    with_all: bool = False,
) -> Iterator[Iterator[Entry]]:
    """Provide the entries of a folder (a path or a descriptor), of a zip, or of a single file.

    At most `most` entries of each folder are read. A zip whose list is longer than `longest_list`
    bytes is refused. `with_all` includes names that are otherwise ignored. Raises
    `SubmissionError`.
    """
    name = '' if isinstance(source, int) or source.is_dir() else source.name
    is_zip = name.lower().endswith('.zip')
    if isinstance(source, Path) and is_zip and not source.is_file():
        raise SubmissionError(NOT_REGULAR)
    with ExitStack() as stack:
        try:
            if isinstance(source, Path) and is_zip:
                stream = stack.enter_context(ZipStream(source, longest_list))
                entries = entries_of_zip(zipfile.ZipFile(stream))
            else:
                folder = (
                    source
                    if isinstance(source, int)
                    else stack.enter_context(opened(source.parent if name else source))
                )
                entries = (
                    iter([Entry(name, partial(open_plain, folder, name))])
                    if name
                    else entries_of_folder(folder, most, with_all)
                )
        except Exception as error:  # zipfile raises any exception for a damaged zip
            raise_if_ours(error)
            why = 'not a zip file that can be read: ' if is_zip else ''
            raise SubmissionError(why + reason_of(error)) from None
        yield entries


def entries_of_folder(root: int, most: int | None, with_all: bool) -> Iterator[Entry]:
    """Yield the entries of an open folder and its subfolders, each folder before its contents."""
    folders = ['']
    while folders:  # no recursion: a folder may be very deep
        above = folders.pop()
        found: list[Entry] = []
        problem = why_not_copied(f'{above}/')
        try:
            found = [] if problem else entries_in(root, above, most, with_all)
        except OSError as error:
            raise_if_ours(error)
            problem = reason_of(error)
        if above or problem:
            yield Entry(above or '.', partial(open_plain, root, above), 'folder', problem)
        folders += [entry.path for entry in found if entry.kind == 'folder']
        yield from (entry for entry in found if entry.kind != 'folder')


def entries_in(root: int, above: str, most: int | None, with_all: bool) -> list[Entry]:
    """Return the entries of a folder below an open one, in order of name. Raises `OSError`."""
    found = []
    with opened(above, folder=root) as folder, os.scandir(folder) as listed:
        for entry in islice(listed, most):
            path = os.path.join(above, entry.name)
            kind: EntryKind = 'file'
            if is_ignored(entry.name) and not with_all:
                kind = 'ignored'
            elif entry.is_symlink():
                kind = 'link'
            elif entry.is_dir(follow_symlinks=False):
                kind = 'folder'
            text = os.readlink(entry.name, dir_fd=folder) if kind == 'link' else ''
            found.append(Entry(path, partial(open_plain, root, path), kind, target=text))
    return sorted(found)


@contextmanager
def open_plain(root: int, path: str) -> Iterator[Content]:
    """Open a plain file below an open folder. Raises `OSError`, `SubmissionError`."""
    with opened(path, FILE, root) as descriptor, open(descriptor, 'rb', closefd=False) as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise SubmissionError(NOT_REGULAR)
        yield Content(stream, status.st_size, bool(status.st_mode & stat.S_IXUSR))


def entries_of_zip(archive: zipfile.ZipFile) -> Iterator[Entry]:
    """Yield the entries of a zip; a zip may lack entries for its folders."""
    for found in archive.infolist():
        name = found.filename.replace('\\', '/')
        path = os.path.normpath(name)
        parts = path.split('/')
        is_folder = name.endswith('/')
        problem = ''
        if path == '.':  # zipfile cuts a name at a NUL
            problem = 'its name is empty'
        elif path.startswith('/') or '..' in parts or ':' in parts[0]:
            problem = 'its path leads out of the folder'
        elif stat.S_ISLNK(found.external_attr >> 16):
            problem = 'a link'
        elif found.compress_type not in METHODS:
            problem = 'compressed with a method that the grader does not support'
        kind: EntryKind = 'folder' if is_folder else 'file'
        if any(map(is_ignored, parts)) or (is_folder and path == '.'):
            kind = 'ignored'
        yield Entry(
            found.orig_filename if problem else path,
            partial(open_packed, archive, found),
            kind,
            problem,
        )


@contextmanager
def open_packed(archive: zipfile.ZipFile, found: zipfile.ZipInfo) -> Iterator[Content]:
    """Open a file in a zip. zipfile may raise any exception for a damaged zip."""
    with archive.open(found) as stream:
        # Unpacking costs time, even if the file turns out to be damaged.
        yield Content(
            stream,
            max(found.file_size, found.compress_size),
            bool(found.external_attr >> 16 & stat.S_IXUSR),
        )


class ZipStream(io.FileIO):
    """A zip file that refuses large reads, such as the directory of a million files."""

    def __init__(self, path: Path, largest_piece: int) -> None:
        super().__init__(path)
        self._largest_piece = largest_piece

    def read(self, size: int | None = -1) -> bytes:
        """Read `size` bytes. Raises `zipfile.BadZipFile` if `size` is too large."""
        if size and size > self._largest_piece:
            raise zipfile.BadZipFile('it lists too many files')
        return super().read(size) or b''
