"""Make a socket to the host of a virtual machine, which no namespace keeps apart."""

from __future__ import annotations

import socket


def attack() -> bool:
    socket.socket(socket.AF_VSOCK).close()
    return True
