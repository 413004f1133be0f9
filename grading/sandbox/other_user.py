"""Another user, without rights, as whom programs run.

The grader can end every process of this user, and remove every file. It closes its own folders to
all other users while it runs; if it is killed, the next grader reopens them. Where root has
`CAP_SYS_ADMIN`, which most containers lack, a process of the user, and what it starts, has file
systems, queues and a network for itself alone, which end with it.
"""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Dict, Iterable, Iterator, Sequence, Tuple

from .kernel import IS_LINUX, LIBRARY, TRIAL_SECONDS, call, succeeds_apart
from .processes import PREFIX
from .program import is_inside, outermost

# User IDs that nobody has. A container may have only 65,536 of them; there the range that systemd
# uses for dynamic users is free.
USER_IDS = range(0x70000000, 0x7FFFFFFF)
FEW_USER_IDS = range(61184, 65520)
KILLING_SECONDS = 5                     # to kill all processes of a user
SEARCHING_SECONDS = 60                  # to search for world-writable folders
REMOVE = 0                              # IPC_RMID
# System V's memory, queues and semaphores, as /proc/sysvipc names them; and what removes each.
SYSTEM_V = {'shm': 'shmctl', 'msg': 'msgctl', 'sem': 'semctl'}
CLOSED = 'closed'                       # in a folder of a grader: what it has closed
ITSELF = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK

NEW_NAMESPACES = 0x20000 | 0x8000000 | 0x40000000       # of mounts, System V and queues, network
RECURSIVE_PRIVATE = 0x4000 | 0x40000
BIND, READ_ONLY, REMOUNT, NO_SUID_NO_DEVICES = 0x1000, 1, 0x20, 2 | 4
IN_MEMORY = ('/tmp', '/dev/shm')        # as large as a program may need
MOST_FILES = 20_000                     # in each folder in memory

Rights = Dict[str, Tuple[int, int, int]]    # by path: device, inode, and the mode to give back


class OtherUser:
    """A user without rights, as whom a grader that is root can run programs."""

    def __init__(self, number: int | None = None) -> None:
        with open('/proc/self/uid_map', encoding='ascii') as ranges:
            known = sum(int(line.split()[2]) for line in ranges)
        # Random: graders, even in other containers, must share neither a user nor its limits.
        first, second = random.SystemRandom().sample(
            USER_IDS if known > USER_IDS[-1] else FEW_USER_IDS, 2)
        self.number = number or first
        self._killer = second if second != self.number else first

    def become(self) -> None:
        """Change this process, for ever, to one of this user. Raises `OSError`."""
        os.setgroups([])
        os.setresgid(self.number, self.number, self.number)
        os.setresuid(self.number, self.number, self.number)

    def end_processes(self) -> None:
        """Kill all processes of this user at once, with one system call."""
        def kill() -> None:
            self.become_killer()
            os.kill(-1, signal.SIGKILL)

        succeeds_apart(kill, KILLING_SECONDS)

    def become_killer(self) -> None:
        """Change this process so that it may signal the user's processes, but not the reverse.

        A process may send a signal if its real or effective user is the real or saved user of the
        other process: see kill(2). Raises `OSError`.
        """
        killer = self._killer, self.number, self._killer
        os.setgroups([])
        os.setresgid(*killer)
        os.setresuid(*killer)

    def files(self) -> Iterator[str]:
        """Yield the files and folders of this user in world-writable folders."""
        for folder in world_writable_folders():
            with suppress(OSError), os.scandir(folder) as entries:      # the folder may be gone
                for entry in entries:
                    with suppress(FileNotFoundError):
                        if entry.stat(follow_symlinks=False).st_uid == self.number:
                            yield entry.path

    def remove_all(self) -> None:
        """Remove this user's files in world-writable folders, and its objects of System V."""
        left = [os.fsencode(path) for path in self.files()]
        if left:                        # perhaps more than one command line can hold
            with suppress(subprocess.TimeoutExpired):
                subprocess.run(['xargs', '-0', 'rm', '-rf', '--'], input=b'\0'.join(left),
                               check=False, capture_output=True, timeout=SEARCHING_SECONDS)
        for kind, remove in SYSTEM_V.items():
            for number in system_v(kind, self.number):
                getattr(LIBRARY, remove)(number, *[0] * (kind == 'sem'), REMOVE, None)


@lru_cache(maxsize=None)
def world_writable_folders() -> list[str]:
    """Return the folders of the machine in which a user without rights may write."""
    with tempfile.TemporaryFile() as found:
        def search() -> None:
            os.dup2(os.open(os.devnull, os.O_RDWR), 2)
            os.dup2(found.fileno(), 1)
            OtherUser().become()
            os.execv('/usr/bin/find', ['find', '/', '-path', '/proc', '-prune', '-o', '-path',
                                       '/sys', '-prune', '-o', '-type', 'd', '-writable',
                                       '-print0'])

        succeeds_apart(search, SEARCHING_SECONDS)
        found.seek(0)
        return [os.fsdecode(folder) for folder in found.read().split(b'\0')[:-1]]


def system_v(kind: str, number: int) -> Iterator[int]:
    """Yield the identifiers of a user's shared memory, queues and semaphores of System V."""
    with suppress(OSError), open(f'/proc/sysvipc/{kind}', encoding='ascii') as table:
        names = next(table).split()
        for line in table:
            values = dict(zip(names, line.split()))
            if str(number) in (values['uid'], values['cuid']):
                yield int(line.split()[1])


def separate(shown: Sequence[Path], writable: Sequence[str], size: int) -> None:
    """Give this process file systems of its own in all `writable` folders, empty and in memory.

    Of what was in these it sees only the folders in `shown`, read-only. `size` is how many bytes
    the files in the larger ones may hold. Raises `OSError`.
    """
    call('unshare', NEW_NAMESPACES)
    call('mount', None, b'/', None, RECURSIVE_PRIVATE, None)
    descriptors = {path: os.open(path, os.O_PATH | os.O_DIRECTORY) for path in shown
                   if is_inside(path, [*IN_MEMORY, *writable])}
    for folder in map(str, outermost([Path(name) for name in (*IN_MEMORY, *writable)])):
        if folder == '/dev/mqueue':
            call('mount', b'mqueue', folder.encode(), b'mqueue', NO_SUID_NO_DEVICES, None)
        elif os.path.isdir(folder):
            most = size if folder in IN_MEMORY else os.sysconf('SC_PAGE_SIZE')
            call('mount', b'tmpfs', os.fsencode(folder), b'tmpfs', NO_SUID_NO_DEVICES,
                 f'mode=1777,size={most},nr_inodes={MOST_FILES}'.encode())
    if os.path.isdir('/dev/pts'):       # so that no terminals can be made
        call('mount', b'tmpfs', b'/dev/pts', b'tmpfs', READ_ONLY, None)
    for path, descriptor in descriptors.items():
        path.mkdir(0o755, parents=True, exist_ok=True)
        call('mount', f'/proc/self/fd/{descriptor}'.encode(), os.fsencode(path), None, BIND, None)
        call('mount', None, os.fsencode(path), None,
             BIND | REMOUNT | READ_ONLY | NO_SUID_NO_DEVICES, None)
        os.close(descriptor)


@lru_cache(maxsize=None)
def can_separate() -> bool:
    """Return whether a process of the grader may have file systems of its own."""
    return IS_LINUX and succeeds_apart(lambda: separate([], ['/tmp'], 1 << 20), TRIAL_SECONDS)


@contextmanager
def closed_to_others(paths: Iterable[Path], open_to_all: Sequence[str | Path],
                     scratch: Path) -> Iterator[None]:
    """Close some folders and files to all other users; reopen them at the end.

    World-writable folders stay open, and so do folders that hold something in `open_to_all`; the
    probe finds what programs can reach there. `scratch` is a folder of the grader, which notes what
    is closed: if this process is killed, who removes the folder reopens that.
    """
    rights: Rights = {}
    noted = noted_rights()
    for path in paths:
        with suppress(OSError):
            found = path.lstat()
            if not found.st_mode & stat.S_ISVTX and not any(
                    is_inside(Path(needed), [path]) for needed in open_to_all):
                rights[str(path)] = noted.get(      # as they were before any grader closed it
                    str(path), (found.st_dev, found.st_ino, stat.S_IMODE(found.st_mode)))
    (scratch / CLOSED).touch(0o600)
    (scratch / CLOSED).write_text(json.dumps(rights), encoding='ascii')
    try:
        for closed, (device, inode, mode) in rights.items():
            change_mode(closed, device, inode, mode & 0o700)
        yield
    finally:
        reopen(scratch)


def noted_rights() -> Rights:
    """Return the rights to everything that graders have closed."""
    noted: Rights = {}
    for record in Path(tempfile.gettempdir()).glob(f'{PREFIX}*/{CLOSED}'):
        with suppress(OSError, ValueError):
            if record.parent.lstat().st_uid == os.geteuid():
                noted.update(json.loads(record.read_text(encoding='ascii')))
    return noted


def reopen(scratch: Path) -> None:
    """Reopen what a grader has closed, except what another one has closed, too."""
    with suppress(OSError, ValueError):     # it has closed nothing
        rights = json.loads((scratch / CLOSED).read_text(encoding='ascii'))
        (scratch / CLOSED).unlink()
        noted = noted_rights()
        for path, (device, inode, mode) in rights.items():
            if path not in noted:
                change_mode(path, device, inode, mode)


def change_mode(path: str, device: int, inode: int, mode: int) -> None:
    """Change the mode of a file or folder; do nothing if something else has taken its place."""
    with suppress(OSError):
        descriptor = os.open(path, ITSELF)
        try:
            found = os.fstat(descriptor)
            if (found.st_dev, found.st_ino) == (device, inode):
                os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)
