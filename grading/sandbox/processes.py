"""All processes of a run: which they are, how the grader ends them, what they use together.

A control group limits that, where the grader may make groups: as root, or in a group (of version 2)
that somebody has left it, in which it alone runs. Version 2 has one tree of groups, version 1 a
tree for each controller. Elsewhere the grader watches. Only root can look into a process whose file
is not readable: memory that it may share counts as its own, and it counts as having many sockets
open.
"""

from __future__ import annotations

import errno
import math
import os
import re
import signal
import stat
import time
from collections import defaultdict
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Callable, Iterable, Iterator, Sequence

from ..limits import Limits
from .kernel import (
    LARGEST_FILE,
    MEGABYTE,
    SET_CHILD_SUBREAPER,
    TRIAL_SECONDS,
    Process,
    control,
    killed_for_memory,
    succeeds_apart,
)
from .program import ENDING_SECONDS

PAUSE = 0.1                             # seconds between two looks at memory and processes
OWN_PROCESSES = 4                       # of the sandbox, in a run: bubblewrap runs twice
COUNT_PAUSE = 0.5                       # seconds between two looks at the disk
COUNTING = 5                            # seconds that counting files may take
SMALLEST_FILE = 4096                    # bytes that each file and folder counts, at least
MOST_SOCKETS = 256                      # in a run; see `kernel.filter_of_calls`
UNSEEN_SOCKETS = 150                    # sockets of a process that the grader cannot look into
MAPPING, LONGEST_MAPS = 100, 8 << 20    # bytes of a line, and of all lines, in /proc/*/maps
# A mapping of shared memory by /dev/zero: where it begins and ends, and its inode.
ZERO = re.compile(rb'^(\w+)-(\w+) \S+ \S+ \S+ (\d+) +/dev/zero', re.MULTILINE)
# A mapping of a file that has been removed: its device and inode. What is in /dev is memory, such
# as the semaphores of Python's multiprocessing; so is what has no slash behind the first.
REMOVED = re.compile(rb' (\S+ \d+) +/(?!dev/)[^\n/]*/[^\n]* \(deleted\)$', re.MULTILINE)
WAITING = re.compile(rb'^scm_fds:\s*(\d+)', re.MULTILINE)
PAGE_TABLES = 8                         # page tables may use an eighth of the memory
# Whether this kernel lists the children of a thread.
HAS_CHILDREN = os.path.exists(f'/proc/self/task/{os.getpid()}/children')
IN_MEMORY = ('VmRSS:', 'VmSwap:', 'VmPTE:')     # the last are the page tables

MEMORY_EXCESS = 'more than {:,} MB of memory'

SHARE = 0.75                            # of all memory that a run may hold
PREFIX = 'grading.'                     # of the names of the grader's groups, and of its folders
REMOVING_SECONDS = 1                    # for processes that have been killed to leave a group

PROCESSES = Path('/proc')
MEMORY_INFO = Path('/proc/meminfo')
GROUPS = Path('/sys/fs/cgroup')
CONTROLLERS = ('memory', 'pids', 'cpu')
# The files of a group with its limit and its use, by version.
MEMORY = (('', 'memory.max', 'memory.current'),
          ('memory', 'memory.limit_in_bytes', 'memory.usage_in_bytes'))
KILLS = ('memory.events', 'memory.oom_control')         # count what was killed, by version
# The smallest share of the processors, by version.
LIGHTEST = (('', 'cpu.weight', '1'), ('cpu', 'cpu.shares', '2'))


class Descendants:
    """All descendants of this process, which adopts orphans, that have started since.

    `kill_all` kills all processes of one user at once.
    """

    def __init__(self, kill_all: Callable[[], None] | None = None) -> None:
        self._kill_all = kill_all
        control(SET_CHILD_SUBREAPER, 1)         # orphans become children of this process
        self._bystanders = frozenset(descendants(os.getpid()))

    @property
    def numbers(self) -> list[int]:
        """The numbers of these processes, children first."""
        return [number for number in descendants(os.getpid()) if number not in self._bystanders]

    def close(self) -> None:
        """Kill these processes, and reap them."""
        deadline = time.monotonic() + ENDING_SECONDS
        # While any of them lives, one is a child of this process.
        while time.monotonic() < deadline and (found := self.numbers):
            if self._kill_all:
                self._kill_all()
            for number in found:        # no number is reused until it is reaped below
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for number in found:
                with suppress(ChildProcessError):
                    os.waitpid(number, os.WNOHANG)


def descendants(parent: int) -> list[int]:
    """Return the numbers of all descendants of a process, children first."""
    found = [parent]
    children = defaultdict(list)
    if not HAS_CHILDREN:                # this takes long where there are many processes
        for name in os.listdir('/proc') if os.path.isdir('/proc') else ():
            with suppress(OSError, ValueError), open(f'/proc/{name}/stat', encoding='ascii',
                                                     errors='replace') as status:
                children[int(status.read().rpartition(')')[2].split()[1])].append(int(name))
    for process in found:
        found += children[process]
        for thread in threads_of(process) if HAS_CHILDREN else ():
            with suppress(OSError), open(f'/proc/{process}/task/{thread}/children',
                                         encoding='ascii') as numbers:
                found += map(int, numbers.read().split())
    return found[1:]


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
        return sum(killed_for_memory(folder / name) for folder in self._folders for name in KILLS)

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
                if succeeds_apart(group.enter, TRIAL_SECONDS):
                    return trees
            finally:
                group.remove()
    return ()


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


class Watch:
    """A watch on what a program and its descendants use together.

    `files` returns the paths of what they have written on the machine's disk. When they use more
    than `limits` allow (`None` for no limits), the watch ends them, and `excess` says what was too
    much, such as 'more than 1,024 MB of memory'. If the run has a control `group`, the kernel keeps
    most limits.
    """

    def __init__(self, process: Process, started: Descendants, files: Callable[[], Iterable[str]],
                 limits: Limits | None, group: Group | None) -> None:
        self.next = time.monotonic() + PAUSE
        self._next_count = time.monotonic() + COUNT_PAUSE
        self._process = process
        self._started = started
        self._files = files
        self._limits = limits
        self._group = group
        self._excess = ''

    @property
    def excess(self) -> str:
        """What they have used too much of, '' if nothing is known of."""
        if self._limits and self._group and self._group.has_run_out:
            return MEMORY_EXCESS.format(self._limits.memory // MEGABYTE)
        return self._excess

    def look(self) -> None:
        """End the processes if they use too much. A look soon after another one does nothing."""
        if time.monotonic() < self.next or self._excess:
            return
        if self._limits:
            numbers = self._started.numbers
            self._excess = self.excess if self._group else excess_of(numbers, self._limits)
            if not self._excess and time.monotonic() >= self._next_count:
                most = self._limits.disk
                if disk(self._files(), numbers, most) > most:
                    self._excess = f'more than {most // MEGABYTE:,} MB of files'
                self._next_count = time.monotonic() + COUNT_PAUSE
        if self._excess:
            self._process.end()
            self._started.close()
        self.next = time.monotonic() + PAUSE


def excess_of(numbers: Sequence[int], limits: Limits) -> str:
    """Return in words what processes without a control group use too much of, '' if nothing."""
    if sum(len(threads_of(number)) for number in numbers) > limits.processes + OWN_PROCESSES:
        return f'more than {limits.processes} processes and threads'
    sizes = [sizes_of(number) for number in numbers]
    tables = limits.memory // PAGE_TABLES
    if sum(size.get('VmPTE:', 0) for size in sizes) > tables:
        return f'more than {tables // MEGABYTE:,} MB of page tables'
    try:
        unseen = devices_mapped(numbers)
    except OverflowError:
        return f'more than {LONGEST_MAPS // MAPPING:,} mappings of memory'
    # First count shared memory for each process that has it: to count it once takes long.
    if (sum(sum(size.values()) for size in sizes) + unseen > limits.memory
            and memory_exactly(numbers) + unseen > limits.memory):
        return MEMORY_EXCESS.format(limits.memory // MEGABYTE)
    return f'more than {MOST_SOCKETS} sockets' if count_sockets(numbers) > MOST_SOCKETS else ''


def threads_of(process: int) -> list[int]:
    """Return the numbers of a process's threads, none if it has ended."""
    with suppress(OSError):
        return [int(name) for name in os.listdir(f'/proc/{process}/task')]
    return []


def processor_seconds(processes: Sequence[int]) -> float:
    """Return how much time of the processors some processes, and their ended children, have had."""
    ticks = 0
    for process in processes:
        with suppress(OSError), open(f'/proc/{process}/stat', encoding='ascii',
                                     errors='replace') as status:
            ticks += sum(map(int, status.read().rpartition(')')[2].split()[11:15]))
    return ticks / os.sysconf('SC_CLK_TCK')


def memory_exactly(processes: Sequence[int]) -> int:
    """Return how many bytes processes have in memory, what they share counted once."""
    total = 0
    for process in processes:
        resident = None
        with suppress(OSError), open(f'/proc/{process}/smaps_rollup', encoding='ascii') as rollup:
            resident = sum(int(line.split()[1]) << 10 for line in rollup if line.startswith('Pss:'))
        sizes = sizes_of(process)       # nothing, if it has ended meanwhile
        if sizes and resident is not None:
            sizes['VmRSS:'] = resident
        total += sum(sizes.values())
    return total


def sizes_of(process: int) -> dict[str, int]:
    """Return how many bytes a process has in memory, by the kernel's name for each kind.

    The result is empty for a process that has ended, even before its parent reaps it.
    """
    with suppress(OSError), open(f'/proc/{process}/status', encoding='utf-8',
                                 errors='replace') as status:
        words = [line.split() for line in status if line.startswith(IN_MEMORY)]
        return {name: int(size) << 10 for name, size, _ in words}
    return {}


def mappings_of(processes: Sequence[int]) -> Iterator[bytes]:
    """Yield the kernel's list of the mappings of each process.

    Raises `OverflowError` if there are so many that these lists take much memory themselves.
    """
    left = LONGEST_MAPS
    for process in processes:
        with suppress(OSError), open(f'/proc/{process}/maps', 'rb') as maps:
            text = maps.read(left)
            left -= len(text)
            if not left:
                raise OverflowError
            yield text


def devices_mapped(processes: Sequence[int]) -> int:
    """Return how many bytes of shared memory processes have mapped by /dev/zero.

    It may be in memory though no process has it resident. Raises `OverflowError`.
    """
    sizes: dict[bytes, int] = {}                # by inode
    for text in mappings_of(processes):
        for begin, end, inode in ZERO.findall(text):
            sizes[inode] = max(sizes.get(inode, 0), int(end, 16) - int(begin, 16))
    return sum(sizes.values())


def count_sockets(processes: Sequence[int]) -> int:
    """Return how many sockets processes have open."""
    found, unseen = set(), 0
    for process in processes:
        files = open_files(process)
        found |= {status.st_ino for status in files or () if stat.S_ISSOCK(status.st_mode)}
        if files is None and sizes_of(process):     # not if it has ended
            unseen += UNSEEN_SOCKETS
    return len(found) + unseen


def disk(files: Iterable[str], processes: Sequence[int], most: int) -> float:
    """Return how many bytes files and folders take, with removed files that are still held.

    Counting ends above `most`. If it takes too long, or a path is too long, the result is infinite.
    """
    until = time.monotonic() + COUNTING
    sizes: dict[tuple[int, int], int] = {}      # a file with two names counts once
    try:
        total = LARGEST_FILE * unseen_files(processes)
        removed = (found for process in processes for found in open_files(process) or ()
                   if stat.S_ISREG(found.st_mode) and not found.st_nlink)
        for found in chain(removed, files_below(files, most // SMALLEST_FILE)):
            size = max(found.st_blocks * 512, SMALLEST_FILE)
            total += size - sizes.get((found.st_dev, found.st_ino), 0)
            sizes[found.st_dev, found.st_ino] = size
            if total > most:
                break
            if time.monotonic() > until:
                return math.inf
    except OverflowError:
        return math.inf
    return total


def unseen_files(processes: Sequence[int]) -> int:
    """Return how many files may exist that are in no folder, and that no process has open.

    They are mapped, or wait in sockets. Raises `OverflowError`.
    """
    mapped = {found for text in mappings_of(processes) for found in REMOVED.findall(text)}
    waiting = 0
    for process in processes:
        with suppress(OSError):         # it has ended, or may not be seen
            for entry in os.scandir(f'/proc/{process}/fdinfo'):
                with suppress(OSError), open(entry.path, 'rb') as facts:
                    found = WAITING.search(facts.read(SMALLEST_FILE))
                    waiting += int(found[1]) if found else 0
    return len(mapped) + waiting


def files_below(paths: Iterable[str], most: int) -> Iterator[os.stat_result]:
    """Yield the status of files and folders, and of all that is in these.

    Raises `OverflowError` for a path that is too long, and for more than `most` names at once.
    """
    for top in paths:
        left = [top]
        while left:
            path = left.pop()
            try:
                found = os.lstat(path)
                yield found
                if stat.S_ISDIR(found.st_mode):
                    with os.scandir(path) as entries:
                        left += [entry.path for entry in islice(entries, most)]
            except OSError as error:    # or it is gone
                if error.errno == errno.ENAMETOOLONG:
                    raise OverflowError from None
            if len(left) > most:
                raise OverflowError


def open_files(process: int) -> list[os.stat_result] | None:
    """Return the status of each file that a process has open, `None` if this may not be seen."""
    found = []
    try:
        for entry in os.scandir(f'/proc/{process}/fd'):
            with suppress(OSError):
                found.append(entry.stat())
    except PermissionError:
        return None
    except OSError:                     # it has ended
        pass
    return found
