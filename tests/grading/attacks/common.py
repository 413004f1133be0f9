"""What attacks on the grader share; each is a module beside this one, with a function `attack`.

A hostile submission holds all of them, and runs one. An attack may return whether it has succeeded;
then the program plays as it should, and scores.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from contextlib import suppress
from types import SimpleNamespace

SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock', '/dev', '/mnt', '/']
KEYRINGS = (-3, -4, -5)                 # of the session, of the user, of the user's session
SEARCH_KEYS = 10
aims = SimpleNamespace()                # where the grader keeps what, if nothing were in the way


def run(name: str, where: dict[str, str]) -> None:
    """Attack; play the game if that was of any use."""
    vars(aims).update(where)
    try:
        succeeded = importlib.import_module(name).attack()
    except (Exception, SystemExit):
        succeeded = False
    if succeeded:
        os.execv(sys.executable, [sys.executable, 'answer/console'])


def others() -> list[int]:
    """Return the processes that can be seen, but for this one and the first."""
    numbers = [int(name) for name in os.listdir('/proc') if name.isdigit()]
    return [number for number in numbers if number not in (1, os.getpid())]


def anything(attempts: list) -> bool:
    """Return whether any of some attempts is not refused."""
    for attempt in attempts:
        with suppress(Exception):
            attempt()
            return True
    return False


def read(path: str) -> bytes:
    """Return the beginning of a file."""
    with open(path, 'rb') as stream:
        return stream.read(1 << 20)


def write(path: str) -> None:
    """Write something that can be found again."""
    with open(path, 'w') as stream:
        stream.write(aims.mark)


def find_key(name: str, keyring: int) -> bool:
    """Return whether a keyring has a key."""
    return ctypes.CDLL(None).syscall(int(aims.keyctl), SEARCH_KEYS, keyring, b'user', name.encode(),
                                     0) != -1


def add_key(name: str, content: bytes, keyring: int) -> bool:
    """Add a key; return whether that was possible."""
    return ctypes.CDLL(None).syscall(int(aims.add_key), b'user', name.encode(), content,
                                     len(content), keyring) != -1
