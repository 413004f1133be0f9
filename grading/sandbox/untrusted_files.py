"""Folders and zips that may be hostile: read without following links, and within bounds."""

from __future__ import annotations

import errno
import io
import os
import shutil
import subprocess
import zipfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator

# Windows has none of these flags, and copies nothing that was handed in.
NO_LINK = getattr(os, 'O_NOFOLLOW', 0)
ONLY_FOLDERS = os.O_RDONLY | getattr(os, 'O_DIRECTORY', 0)
FILE = os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0)   # without waiting for the writer of a FIFO
SHORTAGES = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM)
REMOVING_SECONDS = 60                   # to remove a folder
DEEPEST = 50                            # folders in folders
# Bytes of a path in a copy. A run has its copy in a folder with a long name, and macOS allows no
# more than 1,024 bytes in all.
LONGEST_PATH = 800
TOO_DEEP = f'more than {DEEPEST} folders deep'
IGNORED = ('__pycache__', '.git', '.venv', '__MACOSX', '.DS_Store')
LONGEST_LIST = 4 << 20                  # bytes of the list of files in a zip: up to 85,000 files
# Python unpacks these piece by piece, but others all at once, whatever size the zip claims.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class CopyError(Exception):
    """Why nothing can be copied, in words for the author of the submission."""


def raise_if_ours(error: Exception) -> None:
    """Raise an error again if the machine, and no submission, has caused it, as a full disk."""
    if isinstance(error, MemoryError) or (
            isinstance(error, OSError) and error.errno in SHORTAGES):
        raise error


def reason_of(error: Exception) -> str:
    """Return the message of an error, without the paths that the system adds to it."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


@contextmanager
def open_folder(source: Path | int) -> Iterator[int]:
    """Open a folder, and close it at the end; a folder that is open already stays open."""
    folder = source if isinstance(source, int) else os.open(source, ONLY_FOLDERS)
    try:
        yield folder
    finally:
        if folder != source:
            os.close(folder)


def remove(path: Path) -> None:
    """Remove a file or a link, or a folder however deep it is and whatever its modes are."""
    if path.is_symlink() or not path.is_dir():
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path)
    except (OSError, RecursionError):   # closed by its owner, or too deep
        for command in (['chmod', '-R', 'u+rwx'], ['rm', '-rf', '--']):
            with suppress(subprocess.TimeoutExpired):
                subprocess.run([*command, str(path)], check=False, capture_output=True,
                               timeout=REMOVING_SECONDS)


def open_below(folder: int, path: str, flags: int = ONLY_FOLDERS) -> int:
    """Open a path below an open folder, without following any link.

    Raises `OSError`.
    """
    *parents, last = path.split('/')
    parent = os.dup(folder)
    try:
        for part in parents:
            child = os.open(part, ONLY_FOLDERS | NO_LINK, dir_fd=parent)
            os.close(parent)
            parent = child
        return os.open(last or '.', flags | NO_LINK, dir_fd=parent)
    finally:
        os.close(parent)


def target_of_link(folder: int, path: str) -> tuple[str, str]:
    """Return the target of a link below an open folder, and the text of the link.

    The target is a path from that folder, '' if it is not below it or cannot be read.
    """
    try:
        parent = open_below(folder, os.path.dirname(path))
        try:
            text = os.readlink(os.path.basename(path), dir_fd=parent)
        finally:
            os.close(parent)
    except OSError as error:
        raise_if_ours(error)
        return '', ''
    target = os.path.normpath(os.path.join(os.path.dirname(path), text))
    return '' if target.split('/')[0] in ('', '..') else target, text


def why_not_copied(path: str) -> str:
    """Return why a file with this path cannot be copied into runs, '' if it can.

    The path of a folder ends with a slash.
    """
    if path.count('/') > DEEPEST:
        return TOO_DEEP
    is_long = len(os.fsencode(path)) > LONGEST_PATH
    return f'a path of more than {LONGEST_PATH} bytes' if is_long else ''


def is_ignored(name: str) -> bool:
    """Return whether a copy leaves out a file or folder of this name without a note."""
    return name in IGNORED or name.startswith('._')


@contextmanager
def open_zip(path: Path, longest_list: int = LONGEST_LIST) -> Iterator[zipfile.ZipFile]:
    """Open a zip whose list of files is not too large. Raises `CopyError`."""
    if not path.is_file():
        raise CopyError('not a plain file')
    with ZipStream(path, longest_list) as stream:
        try:
            archive = zipfile.ZipFile(stream)
        except Exception as error:          # zipfile raises anything where a zip is damaged
            raise_if_ours(error)
            raise CopyError(f'not a zip file that can be read: {reason_of(error)}') from None
        yield archive


class ZipStream(io.FileIO):
    """A zip file that refuses large reads, such as a list of a million files."""

    def __init__(self, path: Path, largest_piece: int) -> None:
        super().__init__(path)
        self._largest_piece = largest_piece

    def read(self, size: int | None = -1) -> bytes:
        """Read `size` bytes. Raises `zipfile.BadZipFile` if that is too much."""
        if size and size > self._largest_piece:
            raise zipfile.BadZipFile('a list of too many files')
        return super().read(size) or b''
