"""Hold memory that no limit counts: System V's."""

from __future__ import annotations

import ctypes

PRIVATE, CREATE, REMOVE = 0, 0o1000, 0


def attack() -> bool:
    library = ctypes.CDLL(None)
    memory = library.shmget(PRIVATE, 600 << 20, CREATE | 0o600)
    if memory != -1:
        library.shmctl(memory, REMOVE, None)
    return memory != -1
