"""Measures how much memory and how many processes are still available to the grader."""

from __future__ import annotations

import math
import os
import re
import resource
from contextlib import suppress
from functools import cache

from .control_groups import limits_around
from .descendants import names_in, threads_of
from .kernel import PROCESSES, allowed_limit, read

FOR_EACH_PLACE = 32  # processes and threads the grader itself needs for each simultaneous run
MEMORY_SHARE = 0.75  # the largest part of the machine's memory one run may use
LARGEST_LIMIT = 1 << 30  # stands for an infinite limit on a user's processes
MEMORY, PIDS = 'memory', 'pids'  # the names of controllers of control groups
# A line with a memory size in /proc/meminfo, or in a file about a process, such as /proc/*/status.
SIZE_LINE = re.compile(rb'^(\w+):\s+(\d+) kB$', re.MULTILINE)
INACTIVE = re.compile(rb'^inactive_file (\d+)$', re.MULTILINE)


def memory_sizes() -> tuple[float, float]:
    """Return the total and the free memory, in bytes, within the limits of control groups.

    On a system without /proc, both are infinite.
    """
    sizes = sizes_in(read('meminfo'))
    whole: float = sizes.get(b'MemTotal', math.inf)
    free = sizes.get(b'MemAvailable', whole)
    for group, most, used in limits_around(MEMORY):
        inactive = INACTIVE.search(read(group / 'memory.stat'))
        reclaimable = int(inactive[1]) if inactive else 0
        whole = min(whole, most)
        free = min(free, most - used + reclaimable)
    return whole, free


def sizes_in(text: bytes) -> dict[bytes, int]:
    """Return the sizes in a /proc file, in bytes, by name."""
    return {name: int(size) << 10 for name, size in SIZE_LINE.findall(text)}


def free_processes() -> float:
    """Return how many more processes and threads the user's limit and control groups allow.

    The result is infinite if nothing limits them.
    """
    free = min((most - used for _, most, used in limits_around(PIDS)), default=math.inf)
    if os.geteuid() == 0:  # the user's limit does not apply to root
        return free
    own = 0
    for name in filter(str.isdigit, names_in('')):
        with suppress(OSError):  # the process has ended
            if os.stat(f'{PROCESSES}/{name}').st_uid == os.geteuid():
                own += len(threads_of(int(name)))
    return min(free, allowed_limit(resource.RLIMIT_NPROC, LARGEST_LIMIT) - own)


@cache
def is_limited() -> bool:
    """Return whether a control group limits the grader's processes or memory."""
    whole = sizes_in(read('meminfo')).get(b'MemTotal', 0)
    return any(True for _ in limits_around(PIDS)) or memory_sizes()[0] < whole
