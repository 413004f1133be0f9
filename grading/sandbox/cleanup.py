"""Nothing outlives a run: all processes that it has started end, and all files that it has left."""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Collection, Iterator

SET_CHILD_SUBREAPER = 36                # of Linux's prctl
PREFIX = 'grading.'                     # of the grader's folders
SECONDS = 5                             # after which what cannot be ended is left


def adopt_orphans() -> None:
    """Become the parent of all that descends from this process, whatever sessions it opens."""
    if sys.platform == 'linux':
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@contextmanager
def nothing_left() -> Iterator[None]:
    """End, when done, all processes that descend from this one, but for those that did before."""
    bystanders = descendants(os.getpid())
    try:
        yield
    finally:
        end_descendants(bystanders)


def end_descendants(spared: Collection[int]) -> None:
    """Kill and bury every process that descends from this one, but for those that are spared."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        found = [process for process in descendants(os.getpid()) if process not in spared]
        for process in found:           # a number is not another's before it is buried below
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        for process in found:
            with suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        if not found:
            break


def descendants(parent: int) -> list[int]:
    """Return the numbers of all processes below one, the nearest first."""
    found = [parent]
    for process in found:
        try:
            for thread in os.listdir(f'/proc/{process}/task'):
                with open(f'/proc/{process}/task/{thread}/children', encoding='ascii') as children:
                    found += map(int, children.read().split())
        except OSError:                 # it has ended, or this is not Linux
            continue
    return found[1:]


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder for the grader, locked while the grader lives, and remove it."""
    folder, lock = locked_folder()
    try:
        yield folder
    finally:
        remove(folder)
        os.close(lock)


def locked_folder() -> tuple[Path, int]:
    """Make a folder and lock it; return both."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        with suppress(FileNotFoundError):       # until it was locked, it seemed abandoned
            lock = os.open(folder, os.O_RDONLY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)


def remove(folder: Path) -> None:
    """Remove a folder, however deep, whatever its modes are."""
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):   # closed by its owner, or too deep
        subprocess.run(['chmod', '-R', 'u+rwx', str(folder)], check=False, capture_output=True)
        subprocess.run(['rm', '-rf', '--', str(folder)], check=False, capture_output=True)
