"""What attacks on the grader share; each is a module beside this one, with a function `attack`.

An attack may return whether it has succeeded; the program says which of those that it makes have.
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


def run(names: list[str], where: dict[str, str]) -> None:
    """Make some attacks, one after the other; say which have succeeded."""
    vars(aims).update(where)
    succeeded = [name for name in names if succeeds(name)]
    print('succeeded:', *succeeded or ['none'], file=sys.stderr, flush=True)


def succeeds(name: str) -> bool:
    """Make an attack; return whether it says that it has succeeded."""
    with suppress(Exception, SystemExit):
        return importlib.import_module(name).attack() or False
    return False


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
