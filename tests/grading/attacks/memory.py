"""Hold more memory than one process may."""

from __future__ import annotations

import mmap

from common import anything

MUCH = 600 << 20


def attack() -> bool:
    return anything([lambda: mmap.mmap(-1, MUCH, mmap.MAP_PRIVATE), lambda: bytearray(MUCH)])
