"""Outlive the run, and rewrite the results for ever."""

from __future__ import annotations

import os
import time
from contextlib import suppress

from common import aims, write


def attack() -> None:
    if os.fork() == 0:
        with suppress(PermissionError):
            os.setsid()
        for descriptor in range(3):
            os.close(descriptor)
        os.fork()
        while True:
            with suppress(OSError):
                write(aims.results)
            time.sleep(0.01)
