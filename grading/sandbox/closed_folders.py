"""Denies other users access to some folders while untrusted programs run as another user.

If a grader is killed, the next grader reopens these folders.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from .control_groups import PREFIX
from .program import SandboxError, is_inside
from .untrusted_files import FILE, NO_LINK, opened

CLOSED = 'closed'  # a file in a grader's folder: the list of what the grader has closed
LOCK = 'console-grader.lock'  # a file in the temporary folder, removed when the lock is released
LOCK_SECONDS = 60  # how long to wait for the lock; no grader needs the lock for that long
PAUSE = 0.01  # seconds between attempts to lock the file

Rights = dict[str, tuple[int, int, int]]  # by path: device, inode, and the mode to restore


@contextmanager
def closed_to_others(
    paths: Iterable[Path], open_to_all: Sequence[str | Path], scratch: Path
) -> Iterator[None]:
    """Close some folders and files to all other users; reopen them at the end.

    Folders with a sticky bit, such as /tmp, stay open, and so do folders that contain anything in
    `open_to_all`; the module `probe` finds out what programs can reach there. A file in `scratch`,
    the grader's folder, lists what is closed. If this process is killed, the next grader reopens
    everything and removes `scratch`. Raises `SandboxError` if the lock cannot be taken in time.
    """
    try:
        with one_at_a_time() as is_locked:
            if not is_locked:
                raise SandboxError(
                    f'{Path(tempfile.gettempdir(), LOCK)} could not be locked within '
                    f'{LOCK_SECONDS} s: another grader may be hanging, or the disk may be full'
                )
            close(paths, open_to_all, scratch)
        yield
    finally:
        reopen(scratch)


@contextmanager
def one_at_a_time() -> Iterator[bool]:
    """Hold the lock for closing or reopening folders, since each grader reads the others' lists.

    Yield whether the lock was acquired in time. If not, the block runs without the lock.
    """
    until = time.monotonic() + LOCK_SECONDS
    with ExitStack() as held:
        while not (is_held := hold_lock(held)) and time.monotonic() < until:
            pass
        yield is_held


def hold_lock(held: ExitStack) -> bool:
    """Try once to take the lock shared by all graders of this user; return whether that worked.

    The lock is released when `held` is closed. If another grader holds it, pause before returning.
    Only this user can open the lock's file, because opening a file is enough to lock it forever. If
    another user has put something else in its place, move it away (and remove it if it is a file).
    In that case, do not pause, or the other user could put something there again.
    """
    path = Path(tempfile.gettempdir(), LOCK)
    with ExitStack() as attempt:
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)
            attempt.callback(os.close, lock)
            found = os.fstat(lock)
            if found.st_uid != os.geteuid() or found.st_mode & 0o077:
                raise PermissionError
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(found, os.lstat(path)):
                held.enter_context(attempt.pop_all())
                held.callback(path.unlink, missing_ok=True)  # waiting graders create a new one
                return True
        except (BlockingIOError, FileNotFoundError):
            time.sleep(PAUSE)
        except OSError:
            try:
                other = path.rename(f'{path}-{os.urandom(4).hex()}')
            except OSError:  # this user has no right to rename it, or the disk is full
                time.sleep(PAUSE)
            else:
                with suppress(OSError):
                    other.unlink()
    return False


def close(paths: Iterable[Path], open_to_all: Sequence[str | Path], scratch: Path) -> None:
    """Save the permissions of `paths` in a file in `scratch`, then close them to other users.

    Skip those that must stay open (see `closed_to_others`).
    """
    rights: Rights = {}
    noted = noted_rights()
    for path in paths:
        with suppress(OSError):
            found = path.lstat()
            if not found.st_mode & stat.S_ISVTX and not any(
                is_inside(Path(needed), [path]) for needed in open_to_all
            ):
                rights[str(path)] = noted.get(  # its permissions before any grader closed it
                    str(path), (found.st_dev, found.st_ino, stat.S_IMODE(found.st_mode))
                )
    (scratch / CLOSED).touch(0o600)
    (scratch / CLOSED).write_text(json.dumps(rights), encoding='ascii')
    for closed, (device, inode, mode) in rights.items():
        change_mode(closed, device, inode, mode & 0o700)


def noted_rights() -> Rights:
    """Return the original permissions of everything this user's graders have closed."""
    noted: Rights = {}
    for record in Path(tempfile.gettempdir()).glob(f'{PREFIX}*/{CLOSED}'):
        with suppress(OSError, ValueError):
            if record.parent.lstat().st_uid == os.geteuid():
                noted.update(json.loads(record.read_text(encoding='ascii')))
    return noted


def reopen(scratch: Path) -> None:
    """Reopen what a grader has closed, except what another grader has closed as well."""
    # If nothing was closed, do not wait for the lock: another user may be blocking it.
    if not (scratch / CLOSED).exists():
        return
    # Go on even without the lock, or the folders would stay closed forever. A ValueError means
    # nothing has been written to the list yet.
    with suppress(OSError, ValueError), one_at_a_time():
        rights = json.loads((scratch / CLOSED).read_text(encoding='ascii'))
        (scratch / CLOSED).unlink()
        noted = noted_rights()
        for path, (device, inode, mode) in rights.items():
            if path not in noted:
                change_mode(path, device, inode, mode)


def change_mode(path: str, device: int, inode: int, mode: int) -> None:
    """Change the mode of a file or folder; do nothing if something else has taken its place."""
    with suppress(OSError), opened(path, FILE | NO_LINK) as descriptor:
        found = os.fstat(descriptor)
        if (found.st_dev, found.st_ino) == (device, inode):
            os.fchmod(descriptor, mode)
