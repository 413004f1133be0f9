"""Write a file of more than 16 MB."""

from __future__ import annotations

import signal


def attack() -> bool:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open('big', 'wb') as stream:
        stream.truncate(17 << 20)
    return True
