"""Runs programs as an unprivileged user, keeps this user out of folders, and cleans up after it."""

from __future__ import annotations

import fcntl
import json
import os
import random
import shlex
import signal
import stat
import subprocess
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from .control_groups import PREFIX
from .kernel import read, succeeds_in_new_process
from .program import SandboxError, is_inside
from .untrusted_files import FILE, NO_LINK, opened, remove
from .usage import ipc_objects

# Unused user IDs. A container may have only 65,536 user IDs. If so, FEW_USER_IDS are used: they are
# reserved for dynamic users of systemd, but containers have no such users.
USER_IDS = range(0x70000000, 0x7FFFFFFF)
FEW_USER_IDS = range(61184, 65520)
KILLING_SECONDS = 5  # the time limit for killing all processes of a user
SEARCHING_SECONDS = 60  # the time limit for finding world-writable folders


class OtherUser:
    """An unprivileged user; if the grader is root, it can run programs as this user.

    `number` is the user ID. If it is None, choose a random user ID not in `taken`.
    """

    def __init__(self, number: int | None = None, taken: Collection[int] = ()) -> None:
        id_count = sum(int(line.split()[2]) for line in read('self/uid_map').splitlines())
        numbers = USER_IDS if id_count > USER_IDS[-1] else FEW_USER_IDS
        # The ID is random, so that graders, even in different containers, do not share a user and
        # its limits. It is even, so that the next ID is free for `_killer`.
        while number is None or number in taken:
            number = random.SystemRandom().choice(numbers[::2])
        self.number = number
        self._killer = number + 1  # no program runs as this user

    @classmethod
    def of_folder(cls, scratch: Path) -> OtherUser:
        """Return the user for all runs of a grader, given the grader's folder.

        The first call chooses a user, and gives the folder to the user's group. No two folders have
        the same user, so submissions share neither files nor limits. If a grader is killed, the
        group of its folder tells the next grader which user's processes and files to remove.
        """
        number = scratch.stat().st_gid
        if any(number in numbers for numbers in (USER_IDS, FEW_USER_IDS)):
            return cls(number)
        taken = set()
        for folder in scratch.parent.glob(f'{PREFIX}*'):
            with suppress(OSError):  # the folder may be gone
                taken.add(folder.lstat().st_gid)
        user = cls(taken=taken)
        os.chown(scratch, -1, user.number)
        return user

    def become(self, as_killer: bool = False) -> None:
        """Permanently change this process to run as this user. Raises `OSError`.

        With `as_killer`, this process can send signals to the user's processes, but they cannot
        send signals to this process. (A process has the right to send a signal if its real or
        effective user is the real or saved user of the other process: see kill(2).)
        """
        own = self._killer if as_killer else self.number
        os.setgroups([])
        os.setresgid(own, self.number, own)
        os.setresuid(own, self.number, own)

    def end_processes(self) -> None:
        """Kill all processes of this user at once, with one system call."""

        def kill() -> None:
            self.become(as_killer=True)
            os.kill(-1, signal.SIGKILL)

        succeeds_in_new_process(kill, KILLING_SECONDS)

    def files(self) -> Iterator[str]:
        """Yield the paths of this user's files and folders in world-writable folders."""
        for folder in world_writable_folders():
            with suppress(OSError), os.scandir(folder) as entries:  # the folder may be gone
                for entry in entries:
                    with suppress(FileNotFoundError):
                        if entry.stat(follow_symlinks=False).st_uid == self.number:
                            yield entry.path

    def remove_all(self) -> None:
        """Remove what this user owns: System V memory and so on, and files in shared folders."""
        for path in [*self.files()]:
            with suppress(OSError):
                remove(Path(path))
        owned = [item for item in ipc_objects() if self.number in item.owners]

        def remove_items() -> None:
            self.become(as_killer=True)
            for item in owned:
                item.remove()

        if owned:  # as their owner, because root needs CAP_SYS_ADMIN to remove other users' items
            succeeds_in_new_process(remove_items, KILLING_SECONDS)


@cache
def world_writable_folders() -> list[str]:
    """Return the machine's folders that any unprivileged user can write to."""
    search = [
        '/usr/bin/find',
        '/',
        '-path',
        '/proc',
        '-prune',
        '-o',
        '-path',
        '/sys',
        '-prune',
        '-o',
        '-type',
        'd',
        '-writable',
        '-print0',
    ]
    try:
        found = subprocess.run(
            search,
            check=False,
            preexec_fn=OtherUser().become,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SEARCHING_SECONDS,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:  # after a timeout, use what was found
        found = getattr(error, 'stdout', None) or b''
    return [os.fsdecode(folder) for folder in found.split(b'\0')[:-1]]


CLOSED = 'closed'  # a file in a grader's folder: the list of what the grader has closed
LOCKED_FOLDER = '/tmp'  # a grader that closes folders holds a lock on this one
LOCK_SECONDS = 300  # how long to wait for another grader, which may grade one submission
PAUSE = 0.1  # seconds between attempts to lock the folder

Rights = dict[str, int]  # by path: the mode to restore


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
            for path, mode in rights.items():
                change_mode(path, mode & 0o700)
            yield
        finally:
            for path, mode in rights.items():
                change_mode(path, mode)
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
            mode = stat.S_IMODE(path.lstat().st_mode)
            is_needed = any(is_inside(Path(needed), [path]) for needed in open_to_all)
            if mode & 0o077 and not mode & stat.S_ISVTX and not is_needed:
                rights[str(path)] = mode
    return rights


def note_on_closed(scratch: Path) -> str:
    """Return what is still closed after a grader was killed, and how to open it, or ''."""
    with suppress(OSError, ValueError):  # nothing was closed, or not all of the list was written
        modes = defaultdict(list)
        rights: Rights = json.loads((scratch / CLOSED).read_text(encoding='ascii'))
        for path, mode in rights.items():
            if os.path.exists(path) and stat.S_IMODE(os.stat(path).st_mode) == mode & 0o700:
                modes[mode].append(path)
        commands = [shlex.join(['chmod', f'{mode:o}', *closed]) for mode, closed in modes.items()]
        if commands:
            return (
                'a grader was killed, and has left folders closed to other users. To open them, '
                f'type: {" && ".join(commands)}'
            )
    return ''


def change_mode(path: str, mode: int) -> None:
    """Change the mode of a file or folder, but not of a link, if it still exists."""
    with suppress(OSError), opened(path, FILE | NO_LINK) as descriptor:
        os.fchmod(descriptor, mode)
