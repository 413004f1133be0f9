"""Hold memory that no limit counts: shared, without a file."""

from __future__ import annotations

import mmap


def attack() -> bool:
    with mmap.mmap(-1, 600 << 20) as memory:
        memory[0] = 1
    return True
