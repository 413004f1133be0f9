"""Write more than folders in memory may hold; and in every folder of the system."""

from __future__ import annotations

from contextlib import suppress

from common import aims, anything, write


def attack() -> bool:
    total = 0
    with suppress(OSError):
        for number in range(12):
            with open(f'{number}', 'wb') as stream:
                for _ in range(12):
                    total += stream.write(bytes(1 << 20))
    return total > 130 << 20 or anything(
        [lambda folder=folder: write(f'{folder}/{aims.mark}')
         for folder in ['/', '/dev', '/mnt', '/proc', '/etc', aims.project, aims.base]])
