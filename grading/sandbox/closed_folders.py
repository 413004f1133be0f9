"""Denies other users access to some folders while untrusted programs run as another user."""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import stat
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from .program import SandboxError, is_inside
from .untrusted_files import FILE, NO_LINK, opened

CLOSED = 'closed'  # a file in a grader's folder: the list of what the grader has closed
LOCKED_FOLDER = '/tmp'  # a grader that closes folders holds a lock on this one
LOCK_SECONDS = 300  # how long to wait for another grader, which may grade one submission
PAUSE = 0.1  # seconds between attempts to lock the folder

Rights = dict[str, tuple[int, int, int]]  # by path: device, inode, and the mode to restore


@contextmanager
def closed_to_others(
    paths: Iterable[Path], open_to_all: Sequence[str | Path], scratch: Path
) -> Iterator[None]:
    """Close some folders and files to all other users; reopen them at the end.

    Folders with a sticky bit, such as /tmp, stay open, and so do folders that contain anything in
    `open_to_all`; the probe finds out what programs can reach there. A file in `scratch`, the
    grader's folder, lists what is closed (see `note_on_closed`). Meanwhile, no other grader of this
    machine closes folders. Raises `SandboxError` if another grader does not end in time.
    """
    with one_at_a_time():
        rights = rights_to_take(paths, open_to_all)
        (scratch / CLOSED).write_text(json.dumps(rights), encoding='ascii')
        try:
            for path, (device, inode, mode) in rights.items():
                change_mode(path, device, inode, mode & 0o700)
            yield
        finally:
            for path, (device, inode, mode) in rights.items():
                change_mode(path, device, inode, mode)
            (scratch / CLOSED).unlink()


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Hold the lock for closing folders. Raises `SandboxError`."""
    until = time.monotonic() + LOCK_SECONDS
    with opened(LOCKED_FOLDER) as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise SandboxError(
                        'another grader on this machine is running programs in the "user" sandbox: '
                        'wait until it has ended'
                    ) from None
            time.sleep(PAUSE)
        try:
            yield
        finally:  # a child process may still have the descriptor
            fcntl.flock(lock, fcntl.LOCK_UN)


def rights_to_take(paths: Iterable[Path], open_to_all: Sequence[str | Path]) -> Rights:
    """Return those of `paths` that other users could enter or read, without what must stay open."""
    rights: Rights = {}
    for path in paths:
        with suppress(OSError):
            found = path.lstat()
            mode = stat.S_IMODE(found.st_mode)
            is_needed = any(is_inside(Path(needed), [path]) for needed in open_to_all)
            if mode & 0o077 and not mode & stat.S_ISVTX and not is_needed:
                rights[str(path)] = found.st_dev, found.st_ino, mode
    return rights


def note_on_closed(scratch: Path) -> str:
    """Return what is still closed after a grader was killed, and how to open it, or ''."""
    with suppress(OSError, ValueError):  # nothing was closed, or not all of the list was written
        modes = defaultdict(list)
        rights: Rights = json.loads((scratch / CLOSED).read_text(encoding='ascii'))
        for path, (_, _, mode) in rights.items():
            if os.path.exists(path) and stat.S_IMODE(os.stat(path).st_mode) == mode & 0o700:
                modes[mode].append(path)
        commands = [shlex.join(['chmod', f'{mode:o}', *closed]) for mode, closed in modes.items()]
        if commands:
            return (
                'a grader was killed, and has left folders closed to other users. To open them, '
                f'type: {" && ".join(commands)}'
            )
    return ''


def change_mode(path: str, device: int, inode: int, mode: int) -> None:
    """Change the mode of a file or folder; do nothing if something else has taken its place."""
    with suppress(OSError), opened(path, FILE | NO_LINK) as descriptor:
        found = os.fstat(descriptor)
        if (found.st_dev, found.st_ino) == (device, inode):
            os.fchmod(descriptor, mode)
