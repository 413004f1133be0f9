"""Stop whatever process might end it, for ever, in two processes."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from common import others, read


def stopped(process: int) -> bool:
    """Return whether a process is stopped."""
    with suppress(OSError):
        return read(f'/proc/{process}/stat').rsplit(b') ', 1)[1].startswith(b'T')
    return False


def attack() -> bool:
    before = {process for process in others() if stopped(process)}
    partner = os.fork() or os.getppid()
    while True:
        with suppress(OSError):
            os.kill(-1, signal.SIGSTOP)
        for process in others():
            if process not in before and process != partner and stopped(process):
                return True
