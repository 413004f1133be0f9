"""Play with somebody else's program."""

from __future__ import annotations

import os

from common import aims, anything, read


def attack() -> bool:
    return anything([lambda: os.listdir(aims.other)[0],
                     lambda: read(f'{aims.other}/othello_console.py')])
