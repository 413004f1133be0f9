"""Nothing outlives a run: its processes end, its folders go, what was closed is open again."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, Sequence, Tuple

from .limits import adopt_orphans
from .program import is_inside

PREFIX = 'grading.'                     # of the grader's folders
ENDING_SECONDS = 5                      # after which what cannot be ended is left
REMOVING_SECONDS = 60                   # seconds that a folder may take to be removed
RECORDS = Path('/run/grading')          # what graders have closed, each in a file that it locks
ITSELF = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK

Rights = Dict[str, Tuple[int, int, int]]    # by path: device, inode, and the mode to give back


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


@contextmanager
def closed_to_others(paths: Iterable[Path], open_to_all: Sequence[str | Path]) -> Iterator[None]:
    """Take all rights to some folders and files from all other users; give them back when done.

    But not to those that hold what must stay open, or that all may write in, as in `/tmp`: the
    probe says what is reached. If this process is killed, the next grader gives them back.
    """
    rights = rights_to(paths, open_to_all)
    with recorded(rights) as record:
        try:
            for path, (device, inode, mode) in rights.items():
                change_mode(path, device, inode, mode & 0o700)
            yield
        finally:
            give_back(rights, record)


def rights_to(paths: Iterable[Path], open_to_all: Sequence[str | Path]) -> Rights:
    """Return what may be closed of some paths, with its mode before any grader has closed it."""
    rights: Rights = {}
    noted = noted_rights(Path())
    for path in paths:
        with suppress(OSError):
            found = path.lstat()
            if not found.st_mode & stat.S_ISVTX and not any(
                    is_inside(Path(needed), [path]) for needed in open_to_all):
                rights[str(path)] = noted.get(
                    str(path), (found.st_dev, found.st_ino, stat.S_IMODE(found.st_mode)))
    return rights


@contextmanager
def recorded(rights: Rights) -> Iterator[Path]:
    """Note rights for other graders, as far as that is possible; yield where."""
    record, lock = Path(), -1
    with suppress(OSError):             # there is no such folder, or it is read-only
        RECORDS.mkdir(0o700, exist_ok=True)
        lock, name = tempfile.mkstemp(dir=RECORDS)
        record = Path(name)
        fcntl.flock(lock, fcntl.LOCK_EX)
        record.write_text(json.dumps(rights), encoding='ascii')
    try:
        yield record
    finally:
        if lock >= 0:
            with suppress(FileNotFoundError):
                record.unlink()
            os.close(lock)


def noted_rights(besides: Path) -> Rights:
    """Return what graders have closed, but for what one record says."""
    noted: Rights = {}
    for record in RECORDS.glob('*'):
        with suppress(OSError, ValueError):
            if record != besides:
                noted.update(json.loads(record.read_text(encoding='ascii')))
    return noted


def give_back(rights: Rights, record: Path) -> None:
    """Give rights back to others, but not while another grader needs them to be closed."""
    noted = noted_rights(record)
    for path, (device, inode, mode) in rights.items():
        if path not in noted:
            change_mode(path, device, inode, mode)


def change_mode(path: str, device: int, inode: int, mode: int) -> None:
    """Change the mode of a file or folder, but of nothing that has taken its place."""
    with suppress(OSError):
        descriptor = os.open(path, ITSELF)
        try:
            found = os.fstat(descriptor)
            if (found.st_dev, found.st_ino) == (device, inode):
                os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)


def reopen_abandoned() -> None:
    """Give back the rights that graders have taken which were killed."""
    for record in RECORDS.glob('*'):
        with suppress(OSError, ValueError):     # BlockingIOError: its grader lives
            lock = os.open(record, ITSELF)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                give_back(json.loads(record.read_text(encoding='ascii')), record)
                record.unlink()
            finally:
                os.close(lock)
