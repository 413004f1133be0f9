"""Connect to a server that has a name instead of a file."""

from __future__ import annotations

import socket

from common import aims


def attack() -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect('\0' + aims.mark)
    return True
