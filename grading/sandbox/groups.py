"""Control groups: limits that the kernel keeps for all processes of a run, and free memory.

Version 2 has one tree of groups, version 1 a tree for each controller. A grader may make groups for
runs if it is root, or if somebody has left it a group (of version 2) in which it alone runs.
"""

from __future__ import annotations

import errno
import math
import os
import time
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Sequence

from ..limits import Limits
from .start import Process, fork

SHARE = 0.75                            # of all memory that a run may hold
PREFIX = 'grading.'                     # of the names of the grader's groups, and of its folders
OWN_PROCESSES = 4                       # of the sandbox, in a run
TRIAL_SECONDS = 20
REMOVING_SECONDS = 1                    # for processes that have been killed to leave a group

PROCESSES = Path('/proc')
MEMORY_INFO = Path('/proc/meminfo')
GROUPS = Path('/sys/fs/cgroup')
CONTROLLERS = ('memory', 'pids', 'cpu')
# The files of a group with its limit and its use, by version.
MEMORY = (('', 'memory.max', 'memory.current'),
          ('memory', 'memory.limit_in_bytes', 'memory.usage_in_bytes'))
KILLS = ('memory.events', 'memory.oom_control')         # have "oom_kill" and how many were killed
# The smallest share of the processors, by version.
LIGHTEST = (('', 'cpu.weight', '1'), ('cpu', 'cpu.shares', '2'))


class Group:
    """The control group of a submission's runs, which has a folder in each tree."""

    def __init__(self, name: str, trees: Sequence[Path]) -> None:
        self._folders = [tree / name for tree in trees]
        self._killed_before = 0

    def limit(self, limits: Limits) -> None:
        """Make the group, if it is new, and set its limits for a run. Raises `OSError`."""
        memory = str(limits.memory)
        values = {'memory.max': memory, 'memory.swap.max': '0', 'memory.limit_in_bytes': memory,
                  'memory.memsw.limit_in_bytes': memory,
                  'pids.max': str(limits.processes + OWN_PROCESSES)}
        found = set()
        for folder in self._folders:
            folder.mkdir(exist_ok=True)
            for name in values:
                if (folder / name).exists():
                    (folder / name).write_text(values[name], encoding='ascii')
                    found.add(name)
        if 'pids.max' not in found or len(found) < 2:
            raise FileNotFoundError(errno.ENOENT, 'no limits')
        self._killed_before = self._killed()

    def enter(self) -> None:
        """Put this process, and what it will start, into the group. Raises `OSError`."""
        for folder in self._folders:
            (folder / 'cgroup.procs').write_text('0', encoding='ascii')

    @property
    def has_run_out(self) -> bool:
        """Whether the kernel has killed a process of the run for want of memory."""
        return self._killed() > self._killed_before

    def _killed(self) -> int:
        killed = 0
        for path in [folder / name for folder in self._folders for name in KILLS]:
            with suppress(OSError):     # a group of the other version, or one that is gone
                for line in path.read_text(encoding='ascii').splitlines():
                    name, number = line.split()
                    killed += int(number) if name == 'oom_kill' else 0
        return killed

    def remove(self) -> None:
        """Remove the group, in which nothing runs any more."""
        until = time.monotonic() + REMOVING_SECONDS
        for folder in self._folders:
            while folder.exists() and time.monotonic() < until:
                with suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(REMOVING_SECONDS / 100)


@lru_cache(maxsize=None)
def trees_for_runs() -> tuple[Path, ...]:
    """Return the folders in which this process may make groups for runs; it needs all of them."""
    for found in (map(group_of, CONTROLLERS), [group_of('')], [GROUPS]):
        trees = tuple(tree for tree in found if tree)
        group = Group(f'{PREFIX}trial-{os.getpid()}', trees)
        with suppress(OSError):
            try:
                for tree in trees:
                    hand_down_controllers(tree)
                group.limit(Limits())
                if Process(fork(partial(enter_and_end, group))).status(TRIAL_SECONDS) == 0:
                    return trees
            finally:
                group.remove()
    return ()


def enter_and_end(group: Group) -> None:
    """Try to put this process into a group, and end it."""
    group.enter()
    os._exit(0)


def hand_down_controllers(tree: Path) -> None:
    """Let the groups below a group of version 2 have limits. Raises `OSError`.

    Such a group may have no processes itself, except for the machine's first. So the grader moves
    to a group below it.
    """
    if not (tree / 'cgroup.subtree_control').exists():
        return
    known = (tree / 'cgroup.controllers').read_text(encoding='ascii').split()
    wanted = ' '.join(f'+{name}' for name in CONTROLLERS if name in known)
    try:
        (tree / 'cgroup.subtree_control').write_text(wanted, encoding='ascii')
    except OSError:
        own = tree / f'{PREFIX}grader'
        own.mkdir(exist_ok=True)
        (own / 'cgroup.procs').write_text('0', encoding='ascii')
        try:
            (tree / 'cgroup.subtree_control').write_text(wanted, encoding='ascii')
        except OSError:                 # others have processes there
            (tree / 'cgroup.procs').write_text('0', encoding='ascii')
            own.rmdir()
            raise


def lighten(process: int) -> None:
    """Give a run the smallest share of the processors, if a process is in the group of one."""
    for controller, name, value in LIGHTEST:
        group = group_of(controller, str(process))
        if group and group.name.startswith(PREFIX):
            with suppress(OSError):
                (group / name).write_text(value, encoding='ascii')


def group_of(controller: str, process: str = 'self') -> Path | None:
    """Return the folder of a process's group, None if it cannot be seen.

    `controller` is that of a version 1 hierarchy, such as 'memory'; '' is version 2.
    """
    with suppress(OSError):
        for line in (PROCESSES / process / 'cgroup').read_text(encoding='utf-8').splitlines():
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
