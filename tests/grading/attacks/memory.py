"""Hold more memory than one process may."""

from __future__ import annotations

import mmap


def attack() -> bool:
    return len(bytearray(600 << 20)) > 0 or len(mmap.mmap(-1, 600 << 20, mmap.MAP_PRIVATE)) > 0
