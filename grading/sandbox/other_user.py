"""A user whom nobody else is: all that it has started can be ended, all it has left removed."""

from __future__ import annotations

import os
import random
import subprocess
from contextlib import suppress
from functools import lru_cache
from typing import Iterator

# Numbers that are nobody's; a container may have no more than 65,536 in all, and then systemd's
# for users that live for a while are the best.
NUMBERS = range(0x70000000, 0x7FFFFFFF)
FEW_NUMBERS = range(61184, 65520)


class Stranger:
    """A user without any rights, as whom the grader, being root, can run programs."""

    def __init__(self, number: int | None = None) -> None:
        with open('/proc/self/uid_map', encoding='ascii') as ranges:
            numbers = sum(int(line.split()[2]) for line in ranges)
        # By chance: other graders, in other containers too, have others, and their own limits.
        self.number = number or random.SystemRandom().choice(
            NUMBERS if numbers > NUMBERS[-1] else FEW_NUMBERS)

    def command(self, words: list[str]) -> list[str]:
        """Return the command line that does something as this user."""
        number = str(self.number)
        return ['setpriv', '--reuid', number, '--regid', number, '--clear-groups',
                '--no-new-privs', '--bounding-set=-all', '--pdeathsig', 'KILL', *words]

    def end_processes(self) -> None:
        """Kill all its processes at once, as only the kernel can, and remove its shared memory."""
        subprocess.run(self.command(['sh', '-c', 'kill -9 -1; ipcrm --all']), check=False,
                       stdin=subprocess.DEVNULL, capture_output=True)

    def remove_files(self) -> None:
        """Remove what it has left in folders in which all may write."""
        left = [path for folder in folders_of_all() for path in files_of(self.number, folder)]
        if left:
            subprocess.run(['rm', '-rf', '--', *left], check=False, capture_output=True)


@lru_cache(maxsize=None)
def folders_of_all() -> list[str]:
    """Return the folders of the machine, not too deep, in which all may write."""
    found = subprocess.run(
        ['find', '/', '/dev/shm', '/dev/mqueue', '/run', '-xdev', '-maxdepth', '3',
         '-type', 'd', '-perm', '-0002', '-print0'],
        check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [os.fsdecode(folder) for folder in found.stdout.split(b'\0') if folder]


def files_of(number: int, folder: str) -> Iterator[str]:
    """Yield what is a user's in a folder."""
    with suppress(OSError):                 # the folder is gone
        for entry in list(os.scandir(folder)):
            with suppress(FileNotFoundError):
                if entry.stat(follow_symlinks=False).st_uid == number:
                    yield entry.path
