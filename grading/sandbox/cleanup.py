"""Nothing outlives a run: all processes that it has started end, and its folders are removed."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Callable, Iterator

from .other_user import OtherUser

PREFIX = 'grading.'                     # of the grader's folders
ENDING_SECONDS = 5                      # after which what cannot be ended is left
REMOVING_SECONDS = 60                   # seconds that a folder may take to be removed


class Offspring:
    """All processes that descend from this one and have been started since."""

    def __init__(self) -> None:
        self._bystanders = frozenset(descendants(os.getpid()))

    @property
    def numbers(self) -> list[int]:
        """Return their numbers, the nearest first."""
        return [number for number in descendants(os.getpid()) if number not in self._bystanders]

    def end(self, kill_all: Callable[[], None] = lambda: None) -> None:
        """Kill and bury them; `kill_all` kills those of a user all at once."""
        deadline = time.monotonic() + ENDING_SECONDS
        # While any of them lives, one is a child of this process, which adopts orphans.
        while time.monotonic() < deadline and (found := self.numbers):
            kill_all()
            for number in found:        # no number is reused until it is reaped below
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for number in found:
                with suppress(ChildProcessError):
                    os.waitpid(number, os.WNOHANG)


@contextmanager
def nothing_left() -> Iterator[None]:
    """End, when done, all processes that descend from this one, but for those that did before."""
    offspring = Offspring()
    try:
        yield
    finally:
        offspring.end()


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
        for command in (['chmod', '-R', 'u+rwx'], ['rm', '-rf', '--']):
            with suppress(subprocess.TimeoutExpired):
                subprocess.run([*command, str(folder)], check=False, capture_output=True,
                               timeout=REMOVING_SECONDS)


def remove_abandoned() -> None:
    """Remove the folders of graders that were killed, and end what still runs as their users."""
    for folder in Path(tempfile.gettempdir()).glob(f'{PREFIX}*'):
        with suppress(OSError):         # BlockingIOError: a grader holds it
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
            try:
                status = os.fstat(lock)
                if status.st_uid == os.geteuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    user = OtherUser.of(status.st_gid)      # to whose group it was opened
                    if user:
                        user.end_processes()
                        user.remove_all()
                    remove(folder)
            finally:
                os.close(lock)
