"""Be root in a user namespace of its own."""

from __future__ import annotations

import ctypes

from common import anything

NEW_USER = 0x10000000


def unshare() -> None:
    if ctypes.CDLL(None).unshare(NEW_USER) != 0:
        raise OSError


def clone() -> None:
    if ctypes.CDLL(None).syscall(56, NEW_USER | 17, 0, 0, 0, 0) < 0:     # on x86-64
        raise OSError


def attack() -> bool:
    return anything([unshare, clone])
