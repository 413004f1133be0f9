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
MOST_RUNNING = 1 << 20
BLOCK = 512                             # bytes, in which a shell counts the size of a file


def set_limits(running: int = 0) -> None:
    """Limit this process, but for the size of files; see `blocks`.

    Without a user of its own, all that runs already counts among its processes, too.
    """
    for name, most in (('CORE', 0), ('DATA', DATA), ('NOFILE', DESCRIPTORS), ('MSGQUEUE', 0),
                       ('NPROC', running + PROCESSES)):
        number = getattr(resource, f'RLIMIT_{name}', None)
        if number is not None:
            with suppress(OSError, ValueError):
                resource.setrlimit(number, (lowest(number, most),) * 2)


def count_running() -> int:
    """Return how many threads run on this machine; if unknown, a number above any limit."""
    return len(glob.glob('/proc/[0-9]*/task/*')) or MOST_RUNNING


def blocks() -> str:
    """Return how long a file may be, as `ulimit -f` counts."""
    return str(lowest(resource.RLIMIT_FSIZE, FILE) // BLOCK)


def lowest(number: int, most: int) -> int:
    """Return a limit, or a lower one that this process already has."""
    _, hard = resource.getrlimit(number)
    return most if hard == resource.RLIM_INFINITY else min(most, hard)
