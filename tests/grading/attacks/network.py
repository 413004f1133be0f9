"""Connect to a server on this machine."""

from __future__ import annotations

import socket

from common import aims


def attack() -> bool:
    with socket.socket(socket.AF_INET) as client:
        client.connect(('127.0.0.1', int(aims.port)))
    return True
