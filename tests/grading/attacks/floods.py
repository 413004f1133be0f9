"""Print for ever, both ways."""

from __future__ import annotations

import os


def attack() -> None:
    os.fork()
    while True:
        os.write(1, b'FULL\n' * 4096)
        os.write(2, b'error\n' * 4096)
