"""Control groups: the memory that the machine, or the container around the grader, has."""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from pathlib import Path

SHARE = 0.75                            # of all memory that a run may hold

PROCESS = Path('/proc/self')
MEMORY_INFO = Path('/proc/meminfo')
GROUPS = Path('/sys/fs/cgroup')
# The files of a group with its limit and its use, by version.
MEMORY = (('', 'memory.max', 'memory.current'),
          ('memory', 'memory.limit_in_bytes', 'memory.usage_in_bytes'))


def group_of(controller: str) -> Path | None:
    """Return the folder of this process's group, None if it cannot be seen.

    `controller` is that of a version 1 hierarchy, such as 'memory'; '' is version 2.
    """
    with suppress(OSError):
        for line in (PROCESS / 'cgroup').read_text(encoding='utf-8').splitlines():
            _, names, path = line.split(':', 2)
            if controller in names.split(','):
                top = GROUPS / controller
                # In a container the path may be that on the host, and the group itself the top.
                return next((folder for folder in (top / path.lstrip('/'), top)
                             if (folder / 'cgroup.procs').exists()), None)
    return None


def memory_sizes() -> tuple[float, float]:
    """Return how many bytes the machine, or the group around the grader, has, and has free."""
    sizes = {}
    with suppress(OSError, ValueError), open(MEMORY_INFO, encoding='ascii') as lines:
        sizes = {name: int(rest.split()[0]) << 10 for name, rest in (
            line.split(':', 1) for line in lines)}
    whole = sizes.get('MemTotal', math.inf)
    free = sizes.get('MemAvailable', whole)
    for controller, limit, use in MEMORY:
        group = group_of(controller)
        while group and group != GROUPS.parent:
            with suppress(OSError, ValueError):     # ValueError: "max"
                most = int((group / limit).read_text(encoding='ascii'))
                cache = [int(line.split()[1]) for line in (group / 'memory.stat').read_text(
                    encoding='ascii').splitlines()
                    if line.split()[0] in ('inactive_file', 'total_inactive_file')]
                used = int((group / use).read_text(encoding='ascii')) - max(cache, default=0)
                whole, free = min(whole, most), min(free, most - used)
            group = group.parent
    return whole, free


def share_of_memory() -> int:
    """Return how many bytes a run may hold, whatever its limits: the grader needs some, too."""
    whole, _ = memory_sizes()
    return sys.maxsize if whole == math.inf else int(whole * SHARE)


def has_free(size: int) -> bool:
    """Return whether the machine, or the container, has so many bytes free."""
    return memory_sizes()[1] >= size
