"""Write a file of more than 16 MB."""

from __future__ import annotations

import signal

from common import aims


def attack() -> bool:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open(aims.mark, 'wb') as stream:
        stream.truncate(17 << 20)
    return True
