"""Opens and removes files and folders that may be hostile, and says why that failed."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

# Windows lacks most of these flags, but there the grader copies no submissions.
NO_LINK = getattr(os, 'O_NOFOLLOW', 0)
ONLY_FOLDERS = os.O_RDONLY | getattr(os, 'O_DIRECTORY', 0)
FILE = os.O_RDONLY | getattr(os, 'O_NONBLOCK', 0)  # opens a FIFO without waiting for its writer
# The errors of a machine short of disk space, open files, memory or processes.
SHORTAGES = (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
REMOVING_SECONDS = 60  # the time limit for each command used to remove a folder
NOT_REGULAR = 'not a regular file'
IGNORED = ('__pycache__', '.git', '.venv', '__MACOSX', '.DS_Store')


class SubmissionError(Exception):
    """A submission, or a file in it, cannot be copied or run; the message tells the student why."""


def is_shortage(error: Exception) -> bool:
    """Return whether the machine ran short of something, such as space on the disk."""
    return isinstance(error, MemoryError) or (
        isinstance(error, OSError) and error.errno in SHORTAGES
    )


def raise_if_shortage(error: Exception) -> None:
    """Raise an error if a shortage, such as a full disk, caused it rather than the submission."""
    if is_shortage(error):
        raise error


def reason_of(error: Exception) -> str:
    """Return the message of an error, without the paths added by the system."""
    if isinstance(error, OSError):
        if error.errno == errno.ENXIO:  # the file is a socket
            return NOT_REGULAR
        if error.strerror:
            return error.strerror
    return str(error) or type(error).__name__


def remove(path: Path) -> None:
    """Remove a file, a link, or a folder, even if the folder is very deep or unreadable.

    If removing a folder takes too long, the rest of it stays.
    """
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
    """Open a path, yield its descriptor, and close it after the block. Raises `OSError`.

    If the descriptor of a `folder` is given, the path is relative to this folder, and any link in
    the path is an error.
    """
    if folder < 0:
        steps = [(str(path), flags)]
    else:  # open one folder after the other, to notice each link
        *above, last = str(path).split('/')
        steps = [(name, ONLY_FOLDERS | NO_LINK) for name in above]
        steps.append((last or '.', flags | NO_LINK))
    with ExitStack() as stack:
        for name, flags_of_step in steps:
            folder = os.open(name, flags_of_step, dir_fd=None if folder < 0 else folder)
            stack.callback(os.close, folder)
        yield folder


def is_ignored(name: str) -> bool:
    """Return whether files and folders with this name are silently left out of copies."""
    return name in IGNORED or name.startswith('._')
