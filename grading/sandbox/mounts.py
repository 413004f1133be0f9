"""File systems, network and queues that one process, and what it starts, has for itself alone.

They need root with `CAP_SYS_ADMIN`, which most containers lack. They end with the last process.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Sequence

from .kernel import IS_LINUX, call
from .program import is_inside, outermost
from .start import Process, fork

NEW_NAMESPACES = 0x20000 | 0x8000000 | 0x40000000       # of mounts, System V and queues, network
RECURSIVE_PRIVATE = 0x4000 | 0x40000
BIND, READ_ONLY, REMOUNT, NO_SUID_NO_DEVICES = 0x1000, 1, 0x20, 2 | 4
IN_MEMORY = ('/tmp', '/dev/shm')        # as large as a program may need
MOST_FILES = 20_000                     # in each folder in memory
TRIAL_SECONDS = 20


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
    if not IS_LINUX:
        return False

    def attempt() -> None:
        os.setsid()
        separate([], ['/tmp'], 1 << 20)
        os._exit(0)

    return Process(fork(attempt)).status(TRIAL_SECONDS) == 0
