"""Fill the pipe that it should read from."""

from __future__ import annotations

import os
import time
from contextlib import suppress


def attack() -> None:
    descriptor = os.open('/proc/self/fd/0', os.O_WRONLY | os.O_NONBLOCK)
    with suppress(OSError):
        while True:
            os.write(descriptor, bytes(4096))
    time.sleep(600)
