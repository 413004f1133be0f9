"""Let much wait in sockets, which no limit of the kernel's counts."""

from __future__ import annotations

import socket

from common import anything

LONG = 64                               # connections that wait to be accepted


def attack() -> bool:
    return anything([send_datagrams, enlarge_buffer, queue_connections])


def send_datagrams() -> None:
    """Send from many sockets into one."""
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].send(bytes(100_000))


def enlarge_buffer() -> None:
    one, _ = socket.socketpair()
    before = one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, before)
    assert one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) > before


def queue_connections() -> None:
    """Leave what was sent by many who have gone."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind('waiting')
        listener.listen(LONG)
        for _ in range(LONG):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect('waiting')
                client.setblocking(False)
                client.send(bytes(100_000))
