"""Be root in a user namespace of its own."""

from __future__ import annotations

import ctypes
import os

from common import anything

NEW_USER = 0x10000000


def unshare() -> None:
    if ctypes.CDLL(None).unshare(NEW_USER) != 0:
        raise OSError


def clone() -> None:
    if ctypes.CDLL(None).syscall(56, NEW_USER | 17, 0, 0, 0, 0) < 0:     # on x86-64
        raise OSError


def attack() -> bool:
    child = os.fork()                   # what has such a namespace can do little else
    if not child:
        os._exit(not anything([unshare, clone]))
    return os.waitpid(child, 0)[1] == 0
