"""Open the teacher's terminal."""

from __future__ import annotations

import os

from common import anything


def attack() -> bool:
    return anything([lambda: os.open('/dev/tty', os.O_RDWR)])
