"""What one process may take: the kernel's own limits."""

from __future__ import annotations

import glob
import resource
from contextlib import suppress

MEGABYTE = 1 << 20
DATA = 512 * MEGABYTE                   # a JVM and node must still start
FILE = 16 * MEGABYTE
DESCRIPTORS = 256
PROCESSES = 64
BLOCK = 512                             # bytes, in which a shell counts the size of a file


def set_limits(is_own_user: bool) -> None:
    """Limit this process, but for the size of files; see `blocks`.

    Without a user of its own, all that runs already counts among the processes, too.
    """
    running = 0 if is_own_user else len(glob.glob('/proc/[0-9]*/task/*'))
    for name, most in (('CORE', 0), ('DATA', DATA), ('NOFILE', DESCRIPTORS), ('MSGQUEUE', 0),
                       ('NPROC', running + PROCESSES)):
        number = getattr(resource, f'RLIMIT_{name}', None)
        if number is not None and (running or is_own_user or name != 'NPROC'):
            with suppress(OSError, ValueError):
                resource.setrlimit(number, (lowest(number, most),) * 2)


def blocks() -> str:
    """Return how long a file may be, as `ulimit -f` counts."""
    return str(lowest(resource.RLIMIT_FSIZE, FILE) // BLOCK)


def lowest(number: int, most: int) -> int:
    """Return a limit, or a lower one that this process already has."""
    _, hard = resource.getrlimit(number)
    return most if hard == resource.RLIM_INFINITY else min(most, hard)
