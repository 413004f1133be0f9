"""Find the POSIX queue that a run before has left; leave one."""

from __future__ import annotations

import ctypes
import os

from common import aims


def attack() -> bool:
    library = ctypes.CDLL(None)
    name = f'/{aims.mark}'.encode()
    found = library.mq_open(name, os.O_RDWR) != -1
    library.mq_open(name, os.O_RDWR | os.O_CREAT, 0o666, None)
    return found
