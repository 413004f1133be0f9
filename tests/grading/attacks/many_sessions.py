"""Open sessions, each of which gets as much of the processors as another program has in all."""

from __future__ import annotations

import os


def attack() -> bool:
    child = os.fork()
    if not child:
        try:
            os.setsid()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0
