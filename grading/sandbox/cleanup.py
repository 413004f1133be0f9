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

from .limits import adopt_orphans

PREFIX = 'grading.'                     # of the grader's folders
ENDING_SECONDS = 5                      # after which what cannot be ended is left
REMOVING_SECONDS = 60                   # seconds that a folder may take to be removed


class Offspring:
    """All processes that descend from this one, which adopts orphans, and were started since."""

    def __init__(self) -> None:
        adopt_orphans()
        self._bystanders = frozenset(descendants(os.getpid()))

    @property
    def numbers(self) -> list[int]:
        """Return their numbers, the nearest first."""
        return [number for number in descendants(os.getpid()) if number not in self._bystanders]

    def end(self, kill_all: Callable[[], None] = lambda: None) -> None:
        """Kill and bury them; `kill_all` kills those of a user all at once."""
        deadline = time.monotonic() + ENDING_SECONDS
        # While any of them lives, one is a child of this process.
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
