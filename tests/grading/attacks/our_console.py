"""Play with our own console."""

from __future__ import annotations

from common import aims, anything, read


def attack() -> bool:
    return anything([lambda: read(f'{aims.project}/othello_console.py')])
