"""Stop, and never end."""

from __future__ import annotations

import os
import signal


def attack() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)
