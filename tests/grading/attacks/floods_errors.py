"""Print on standard error for ever."""

from __future__ import annotations

import os


def attack() -> None:
    os.fork()
    while True:
        os.write(2, b'\x1b[2J error\n' * 4096)
