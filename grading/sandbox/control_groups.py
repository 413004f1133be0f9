"""Limits a submission's runs with a control group, and measures what is left for more runs.

Control groups (version 2) are a feature of the Linux kernel. The grader can make groups only if it
is root, or if it is alone in a group delegated to it. The groups around it limit the grader itself,
as in a container.
"""

from __future__ import annotations

import math
import os
import re
import resource
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from ..limits import Limits
from .kernel import (
    PROBE_SECONDS,
    PROCESSES,
    allowed_limit,
    killed_for_memory,
    names_in,
    read,
    succeeds_in_new_process,
    threads_of,
)

OWN_PROCESSES = 4  # how many processes the sandbox itself may add to a run; bubblewrap adds two
PREFIX = 'grading.'  # the names of graders' groups and folders begin with this
LEAVING_SECONDS = 1  # how long killed processes may take to leave a group
GROUPS = Path('/sys/fs/cgroup')
CONTROLLERS = ('memory', 'pids', 'cpu')


class Group:
    """The control group of a submission's runs: a folder `name` in the folder `tree`."""

    def __init__(self, name: str, tree: Path, limits: Limits | None = None) -> None:
        self._folder = tree / name
        self._limits = limits or Limits()
        self._killed_before = self._killed()

    def enter(self) -> None:
        """Move this process and its future children into the group, and set the limits.

        Make the group if it does not exist yet. Raises `OSError`.
        """
        self._folder.mkdir(exist_ok=True)
        limits = {
            'memory.max': self._limits.memory,
            'memory.swap.max': 0,
            'pids.max': self._limits.processes + OWN_PROCESSES,
        }
        for name, value in limits.items():
            file = self._folder / name
            if name != 'memory.swap.max' or file.exists():  # the kernel may not support swap
                file.write_text(str(value), encoding='ascii')
        (self._folder / 'cgroup.procs').write_text('0', encoding='ascii')

    @property
    def has_run_out_of_memory(self) -> bool:
        """Whether the kernel has killed a process of the group because memory ran out.

        Processes killed before this object was created do not count.
        """
        return self._killed() > self._killed_before

    def _killed(self) -> int:
        return killed_for_memory(self._folder / 'memory.events')

    def remove(self) -> None:
        """Remove the group, once all processes have left it; give up after `LEAVING_SECONDS`."""
        until = time.monotonic() + LEAVING_SECONDS
        while self._folder.exists() and time.monotonic() < until:
            with suppress(OSError):
                self._folder.rmdir()
                return
            time.sleep(LEAVING_SECONDS / 100)


@cache
def tree_for_runs() -> Path | None:
    """Return a folder in which this process can make groups for runs, or None if there is none."""
    for tree in (own_group(), GROUPS):
        if not tree or not (tree / 'cgroup.controllers').exists():
            continue
        group = Group(f'{PREFIX}probe-{os.getpid()}', tree)
        with suppress(OSError):
            try:
                hand_down_controllers(tree)
                if succeeds_in_new_process(group.enter, PROBE_SECONDS):
                    return tree
            finally:
                group.remove()
    return None


def hand_down_controllers(tree: Path) -> None:
    """Enable limits for the groups below a group. Raises `OSError`.

    The kernel refuses this for a group with processes in it, unless it is the machine's root group.
    If the kernel refuses, the grader moves itself into a subgroup and tries again. If that fails as
    well, because the group contains other processes, the grader stays in the subgroup.
    """
    handed_down = tree / 'cgroup.subtree_control'
    known = (tree / 'cgroup.controllers').read_text(encoding='ascii').split()
    wanted = ' '.join(f'+{name}' for name in CONTROLLERS if name in known)
    try:
        handed_down.write_text(wanted, encoding='ascii')
    except OSError:
        own = tree / 'grader'
        own.mkdir(exist_ok=True)
        (own / 'cgroup.procs').write_text('0', encoding='ascii')
        handed_down.write_text(wanted, encoding='ascii')


def own_group() -> Path | None:
    """Return the folder of this process's group, or None if it is not visible."""
    for line in read('self/cgroup').decode(errors='surrogateescape').splitlines():
        number, _, path = line.split(':', 2)
        if number != '0':  # a group of version 1
            continue
        # In a container, the path may be the host's. Then the group is visible as the root group.
        for folder in (GROUPS / path.lstrip('/'), GROUPS):
            if os.path.exists(folder / 'cgroup.procs'):
                return folder
    return None


def limits_around(controller: str) -> Iterator[tuple[Path, int, int]]:
    """Yield the groups that limit the grader's use of 'memory' or 'pids', the `controller`.

    These are the grader's group and its ancestors, except those without a limit. Yield each with
    its limit and its current use.
    """
    group = own_group()
    while group and group != GROUPS.parent:
        with suppress(OSError, ValueError):  # ValueError: the limit is "max", so there is none
            limit, used = (group / f'{controller}.{name}' for name in ('max', 'current'))
            yield group, int(limit.read_bytes()), int(used.read_bytes())
        group = group.parent


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
