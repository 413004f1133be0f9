"""Hold memory that no limit counts: in a file without a name."""

from __future__ import annotations

import os


def attack() -> bool:
    with open(os.memfd_create('memory'), 'wb') as stream:
        for _ in range(8):
            stream.write(bytes(1 << 20))
    return True
