"""Another user, without rights: all that it starts can be ended, and all that it leaves removed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Iterator, Sequence

from ..settings import Limits
from .base import Kind, Sandbox
from .limits import (
    LIBRARY,
    clear_keyrings,
    die_first,
    die_with_parent,
    filter_instructions,
    gain_nothing,
    leave_keyring,
    load_filter,
    set_limits,
)
from .program import SandboxError
from .start import Launch, Process, fork

# User IDs that nobody has. A container may have only 65,536; then systemd's range for dynamic users
# is best.
NUMBERS = range(0x70000000, 0x7FFFFFFF)
FEW_NUMBERS = range(61184, 65520)
KILLING_SECONDS = 5                     # seconds that may take
SEARCHING_SECONDS = 60                  # that the search for world-writable folders may take
REMOVE = 0                              # IPC_RMID
# What System V has, as in /proc/sysvipc: memory, queues, semaphores; and what removes them.
SYSTEM_V = {'shm': 'shmctl', 'msg': 'msgctl', 'sem': 'semctl'}


class OtherUser:
    """A user without any rights, as whom the grader, being root, can run programs."""

    def __init__(self, number: int | None = None) -> None:
        # Random: graders, even in other containers, must not share one, nor its limits.
        self.number = number or free_number()
        self._killer = free_number(besides=self.number)

    @classmethod
    def of(cls, group: int) -> OtherUser | None:
        """Return the user to whose group a folder of the grader's has been opened, if to any."""
        is_free = group in NUMBERS or group in FEW_NUMBERS
        return cls(group) if is_free and os.geteuid() == 0 else None

    @property
    def command(self) -> list[str]:
        """The beginning of a command line that is run as this user, from within a sandbox."""
        number = str(self.number)
        return ['setpriv', '--reuid', number, '--regid', number, '--clear-groups',
                '--no-new-privs', '--bounding-set=-all']

    def become(self) -> None:
        """Turn this process into one of the user's, for good. Raises `OSError`."""
        os.setgroups([])
        os.setresgid(self.number, self.number, self.number)
        os.setresuid(self.number, self.number, self.number)

    def end_processes(self) -> None:
        """Kill all its processes at once, as only the kernel can."""
        killer = Process(fork(self._kill))
        if killer.status(KILLING_SECONDS) is None:
            killer.end()

    def _kill(self) -> None:
        os.setsid()
        self.become_killer()
        os.kill(-1, signal.SIGKILL)

    def become_killer(self) -> None:
        """Turn this process into one that may signal the user's, which may not signal it.

        See kill(2): a signal goes from a real or effective user to a real or saved one. Raises
        `OSError`.
        """
        killer = self._killer, self.number, self._killer
        os.setgroups([])
        os.setresgid(*killer)
        os.setresuid(*killer)

    def files(self) -> list[str]:
        """Return what it has in folders in which all may write."""
        return [path for folder in world_writable_folders()
                for path in files_of(self.number, folder)]

    def remove_all(self) -> None:
        """Remove what it has left in folders in which all may write, and of System V's."""
        left = self.files()
        if left:
            with suppress(subprocess.TimeoutExpired):
                subprocess.run(['rm', '-rf', '--', *left], check=False, capture_output=True,
                               timeout=SEARCHING_SECONDS)
        for kind, remove in SYSTEM_V.items():
            for number in system_v(kind, self.number):
                getattr(LIBRARY, remove)(number, *[0] * (kind == 'sem'), REMOVE, None)


class AsOtherUser(Sandbox):
    """A sandbox in which programs run as another user, to whom the grader's folders are closed."""

    kind: Kind = 'user'

    def __init__(self, scratch: Path, hidden: Sequence[Path] = (),
                 limits: Limits | None = None) -> None:
        super().__init__(scratch, hidden, limits)
        if os.geteuid() != 0:
            raise SandboxError('only root can run programs as another user')
        self._user = OtherUser()
        self._filter = filter_instructions()
        os.chown(scratch, 0, self._user.number)     # to go through, not to look around
        scratch.chmod(0o710)

    def works(self) -> bool:
        if super().works():
            return True
        # The grader's own interpreter may be closed to others; the system's is not.
        self.python = os.path.realpath(shutil.which('python3', path=os.defpath) or self.python)
        return super().works()

    def _prepare(self) -> None:
        set_limits(self._limits.processes)
        die_first()
        self._user.become()
        leave_keyring()
        clear_keyrings()
        # If that has ended already, the program is never told to go on; see `start.START`.
        die_with_parent(signal.SIGKILL)
        gain_nothing()
        load_filter(self._filter)

    def _give(self, folder: Path) -> None:
        os.chown(folder, self._user.number, self._user.number)

    def _files(self, launch: Launch) -> list[str]:
        return [*super()._files(launch), *self._user.files()]

    def _kill_all(self) -> None:
        self._user.end_processes()

    @contextmanager
    def _nothing_left(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._user.remove_all()


def free_number(besides: int = 0) -> int:
    """Return the number of a user that nobody is, in this container."""
    with open('/proc/self/uid_map', encoding='ascii') as ranges:
        numbers = sum(int(line.split()[2]) for line in ranges)
    free = NUMBERS if numbers > NUMBERS[-1] else FEW_NUMBERS
    while True:
        number = random.SystemRandom().choice(free)
        if number != besides:
            return number


@lru_cache(maxsize=None)
def world_writable_folders() -> list[str]:
    """Return the folders of the machine that a user without any rights finds and may write in."""
    with tempfile.TemporaryFile() as found:
        search = Process(fork(lambda: search_folders(found.fileno())))
        if search.status(SEARCHING_SECONDS) is None:
            search.end()
        found.seek(0)
        return [os.fsdecode(folder) for folder in found.read().split(b'\0')[:-1]]


def search_folders(found: int) -> None:
    """Become a search for these folders."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDWR), 2)
    os.dup2(found, 1)
    OtherUser().become()
    os.execv('/usr/bin/find', ['find', '/', '-path', '/proc', '-prune', '-o', '-path', '/sys',
                               '-prune', '-o', '-type', 'd', '-writable', '-print0'])


def files_of(number: int, folder: str) -> Iterator[str]:
    """Yield what is a user's in a folder."""
    with suppress(OSError):                 # the folder is gone
        for entry in list(os.scandir(folder)):
            with suppress(FileNotFoundError):
                if entry.stat(follow_symlinks=False).st_uid == number:
                    yield entry.path


def system_v(kind: str, number: int) -> Iterator[int]:
    """Yield the identifiers of what a user has of System V's shared memory, queues, semaphores."""
    with suppress(OSError), open(f'/proc/sysvipc/{kind}', encoding='ascii') as table:
        names = next(table).split()
        for line in table:
            values = dict(zip(names, line.split()))
            if str(number) in (values['uid'], values['cuid']):
                yield int(line.split()[1])
