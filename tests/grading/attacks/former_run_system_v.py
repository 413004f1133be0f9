"""Find the System V memory, queue or semaphores that a run before has left; leave some."""

from __future__ import annotations

import ctypes

from common import aims

CREATE = 0o1000 | 0o666


def attack() -> bool:
    library = ctypes.CDLL(None)
    key = int(aims.mark.strip('mark'))
    found = library.shmget(key, 4096, 0) != -1 or library.msgget(key, 0) != -1 or (
        library.semget(key, 1, 0) != -1)
    library.shmget(key, 4096, CREATE)
    library.msgget(key, CREATE)
    library.semget(key, 1, CREATE)
    return found
