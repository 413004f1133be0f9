"""All processes of a run: which they are, how the grader ends them, what they use together.

A control group (version 2) limits that, where the grader may make groups: as root, or in a group
that somebody has left it, in which it alone runs. Elsewhere the grader watches. Only root can look
into a process whose executable file is not readable; for others, memory that it may share counts as
its own, and it counts as having many sockets open.
"""

from __future__ import annotations

import errno
import math
import os
import re
import resource
import signal
import stat
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import chain, islice
from pathlib import Path
from threading import current_thread, main_thread

from ..limits import Limits
from .kernel import (
    ADOPT_ORPHANS,
    LARGEST_FILE,
    MEGABYTE,
    PROCESSES,
    TRIAL_SECONDS,
    Process,
    call,
    killed_for_memory,
    lowest,
    read,
    status_of,
    succeeds_apart,
)
from .program import ENDING_SECONDS

PAUSE = 0.1  # seconds between two looks at what a run uses
REST = 3  # times as long as a look took comes on top of a pause
OWN_PROCESSES = 4  # of the sandbox, in a run: bubblewrap runs twice
FOR_EACH_PLACE = 32  # processes and threads of the grader for each run at once
COUNTING = 5  # seconds that counting files may take
SMALLEST_FILE = 4096  # bytes that each file and folder counts, at least
MOST_SOCKETS = 256  # in a run; see `calls.FOR_DATAGRAMS`
UNSEEN_SOCKETS = 150  # sockets of a process that the grader cannot look into
MAPPING, LONGEST_MAPS = 100, 8 << 20  # bytes of a line, and of all lines, in /proc/*/maps
# A size in memory: of the whole machine, or of a process.
SIZE_LINE = re.compile(rb'^(\w+):\s+(\d+) kB$', re.MULTILINE)
# A mapping of shared memory by /dev/zero: where it begins and ends, and its inode. It may be in
# memory though no process has it resident.
ZERO = re.compile(rb'^(\w+)-(\w+) \S+ \S+ \S+ (\d+) +/dev/zero', re.MULTILINE)
# A mapping of a file that has been removed: its device and inode. What is in /dev is memory, such
# as the semaphores of Python's multiprocessing; so is what has no slash behind the first.
REMOVED = re.compile(rb' (\S+ \d+) +/(?!dev/)[^\n/]*/[^\n]* \(deleted\)$', re.MULTILINE)
# A connection that nobody has accepted, which no process has open, in /proc/*/net/unix.
NOT_ACCEPTED = re.compile(rb'^\w+: \w+ \w+ \w+ \w+ 02 +0(?: |$)', re.MULTILINE)
WAITING = re.compile(rb'^scm_fds:\s*(\d+)', re.MULTILINE)  # files on their way in a socket
INACTIVE = re.compile(rb'^inactive_file (\d+)$', re.MULTILINE)
PAGE_TABLES = 8  # page tables may use an eighth of the memory
# Whether this kernel lists the children of a thread.
HAS_CHILDREN = os.path.exists(f'/proc/self/task/{os.getpid()}/children')

LARGEST_LIMIT = 1 << 30  # stands for no limit of processes
MEMORY_EXCESS = 'more than {:,} MB of memory'

MEMORY_SHARE = 0.75  # of all memory that a run may hold
PREFIX = 'grading.'  # of the names of the grader's groups, and of its folders
LEAVING_SECONDS = 1  # for processes that have been killed to leave a group

GROUPS = Path('/sys/fs/cgroup')
CONTROLLERS = ('memory', 'pids', 'cpu')
MEMORY, PIDS = 'memory', 'pids'  # the names of a group's files begin so


def names_in(path: str) -> list[str]:
    """Return the names in a folder in /proc, none if it may not be read, or is gone."""
    with suppress(OSError):
        return os.listdir(os.path.join(PROCESSES, path))
    return []


def threads_of(process: int) -> list[int]:
    """Return the numbers of a process's threads, none if it has ended."""
    return [*map(int, names_in(f'{process}/task'))]


class Descendants:
    """All descendants of this process, which adopts orphans, that have started since.

    `kill_all` kills all processes of one user at once.
    """

    def __init__(self, kill_all: Callable[[], None] | None = None) -> None:
        self._kill_all = kill_all
        call('prctl', *ADOPT_ORPHANS)  # which become children of this process
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
            with suppress(OSError):  # there is no process for it: the next time there is
                if self._kill_all:
                    self._kill_all()
            for number in found:  # no number is reused until it is reaped below
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for number in found:
                with suppress(ChildProcessError):
                    os.waitpid(number, os.WNOHANG)


def descendants(parent: int) -> list[int]:
    """Return the numbers of all descendants of a process, children first."""
    found = [parent]
    children = defaultdict(list)
    if not HAS_CHILDREN:  # this takes long where there are many processes
        for name in filter(str.isdigit, names_in('')):
            for above in status_of(name)[1:2]:
                children[int(above)].append(int(name))
    for process in found:
        found += children[process]
        for thread in threads_of(process) if HAS_CHILDREN else ():
            found += map(int, read(f'{process}/task/{thread}/children').split())
    return found[1:]


def processor_seconds(processes: Sequence[int]) -> float:
    """Return how much time of the processors some processes, and their ended children, have had."""
    ticks = sum(int(word) for process in processes for word in status_of(process)[11:15])
    return ticks / os.sysconf('SC_CLK_TCK')


class Group:
    """The control group of a submission's runs, a folder in the `tree` of groups."""

    def __init__(self, name: str, tree: Path, limits: Limits | None = None) -> None:
        self._folder = tree / name
        self._limits = limits or Limits()
        self._killed_before = self._killed()

    def enter(self) -> None:
        """Put this process, and what it will start, into the group, and limit that.

        Make the group, if it is new. Raises `OSError`.
        """
        self._folder.mkdir(exist_ok=True)
        limits = {
            'memory.max': self._limits.memory,
            'memory.swap.max': 0,
            'pids.max': self._limits.processes + OWN_PROCESSES,
        }
        for name, value in limits.items():
            file = self._folder / name
            if name != 'memory.swap.max' or file.exists():  # the machine may have no swap
                file.write_text(str(value), encoding='ascii')
        (self._folder / 'cgroup.procs').write_text('0', encoding='ascii')

    @property
    def has_run_out(self) -> bool:
        """Whether the kernel has killed a process of the run for want of memory."""
        return self._killed() > self._killed_before

    def _killed(self) -> int:
        return killed_for_memory(self._folder / 'memory.events')

    def remove(self) -> None:
        """Remove the group, in which nothing runs any more."""
        until = time.monotonic() + LEAVING_SECONDS
        while self._folder.exists() and time.monotonic() < until:
            with suppress(OSError):
                self._folder.rmdir()
                return
            time.sleep(LEAVING_SECONDS / 100)


@cache
def tree_for_runs() -> Path | None:
    """Return the folder in which this process may make groups for runs, None if there is none."""
    for tree in (group_of(), GROUPS):
        if not tree or not (tree / 'cgroup.controllers').exists():
            continue
        group = Group(f'{PREFIX}trial-{os.getpid()}', tree)
        with suppress(OSError):
            try:
                hand_down_controllers(tree)
                if succeeds_apart(group.enter, TRIAL_SECONDS):
                    return tree
            finally:
                group.remove()
    return None


def hand_down_controllers(tree: Path) -> None:
    """Let the groups below a group have limits. Raises `OSError`.

    Such a group may have no processes itself, except for the machine's first. So the grader moves
    to a group below it, and stays there even if others, too, have processes in its way.
    """
    handed_down = tree / 'cgroup.subtree_control'
    known = (tree / 'cgroup.controllers').read_text(encoding='ascii').split()
    wanted = ' '.join(f'+{name}' for name in CONTROLLERS if name in known)
    try:
        handed_down.write_text(wanted, encoding='ascii')
    except OSError:
        own = tree / 'grader'  # not named as the groups of runs, which `lighten` changes
        own.mkdir(exist_ok=True)
        (own / 'cgroup.procs').write_text('0', encoding='ascii')
        handed_down.write_text(wanted, encoding='ascii')


def lighten(process: int) -> None:
    """Give a run the smallest share of the processors, if a process is in the group of one."""
    group = group_of(str(process))
    if group and group.name.startswith(PREFIX):
        with suppress(OSError):
            (group / 'cpu.weight').write_text('1', encoding='ascii')


def group_of(process: str = 'self') -> Path | None:
    """Return the folder of a process's group, None if it cannot be seen."""
    for line in read(f'{process}/cgroup').decode(errors='surrogateescape').splitlines():
        number, _, path = line.split(':', 2)
        if number != '0':  # a group of version 1
            continue
        # In a container the path may be that on the host, and the group itself the top.
        for folder in (GROUPS / path.lstrip('/'), GROUPS):
            if os.path.exists(folder / 'cgroup.procs'):
                return folder
    return None


def sizes_in(text: bytes) -> dict[bytes, int]:
    """Return the sizes in a list of the kernel, in bytes, by their names there."""
    return {name: int(size) << 10 for name, size in SIZE_LINE.findall(text)}


def memory_sizes() -> tuple[float, float]:
    """Return how many bytes the machine, or the group around the grader, has, and has free."""
    sizes = sizes_in(read('meminfo'))
    whole: float = sizes.get(b'MemTotal', math.inf)
    free = sizes.get(b'MemAvailable', whole)
    for group, most, used in limits_around(MEMORY):
        cache = map(int, INACTIVE.findall(read(group / 'memory.stat')))
        whole, free = min(whole, most), min(free, most - used + max(cache, default=0))
    return whole, free


def limits_around(controller: str) -> Iterator[tuple[Path, int, int]]:
    """Yield each group around the grader that limits something, its limit, and what is used."""
    group = group_of()
    while group and group != GROUPS.parent:
        with suppress(OSError, ValueError):  # ValueError: "max"
            limit, used = (group / f'{controller}.{name}' for name in ('max', 'current'))
            yield group, int(limit.read_bytes()), int(used.read_bytes())
        group = group.parent


def free_processes() -> float:
    """Return how many more processes and threads a group around the grader, and its user, may have.

    No limit of the user counts for root.
    """
    free = min((most - used for _, most, used in limits_around(PIDS)), default=math.inf)
    if os.geteuid() == 0:
        return free
    own = 0
    for name in filter(str.isdigit, names_in('')):
        with suppress(OSError):  # it has ended
            if os.stat(f'{PROCESSES}/{name}').st_uid == os.geteuid():
                own += len(threads_of(int(name)))
    return min(free, lowest(resource.RLIMIT_NPROC, LARGEST_LIMIT) - own)


@cache
def is_limited() -> bool:
    """Return whether a group around the grader limits its processes, or its memory."""
    whole = sizes_in(read('meminfo')).get(b'MemTotal', 0)
    return any(True for _ in limits_around(PIDS)) or memory_sizes()[0] < whole


class Watch:
    """A watch on what a program and its descendants use together.

    `place` is their folder on the machine's disk, '' if they cannot write there; `files` returns
    the paths of what they have written elsewhere. When they use more than `limits` allow (`None`
    for no limits), the watch ends them, and `excess` says what was too much, such as 'more than
    1,024 MB of memory'. If the run has a control `group`, the kernel keeps most limits. The
    first `around` processes are the sandbox's own.
    """

    def __init__(
        self,
        process: Process,
        started: Descendants,
        place: str,
        files: Callable[[], Iterable[str]],
        limits: Limits | None,
        group: Group | None,
        around: int = 0,
    ) -> None:
        self.next = time.monotonic() + PAUSE if limits else math.inf
        self._process = process
        self._started = started
        self._place = place
        self._files = files
        self._limits = limits
        self._group = group
        self._around = around
        self._excess = ''

    @property
    def only_process(self) -> int | None:
        """The program's process, None if the run has several, or none yet."""
        own = self._started.numbers[self._around :]
        return own[0] if len(own) == 1 else None

    @property
    def excess(self) -> str:
        """What they have used too much of, '' if nothing is known of."""
        if self._limits and self._group and self._group.has_run_out:
            return MEMORY_EXCESS.format(self._limits.memory // MEGABYTE)
        return self._excess

    def look(self) -> None:
        """End the processes if they use too much. A look soon after another one does nothing."""
        begin = time.monotonic()
        if self._limits and begin >= self.next:
            files = [self._place, *self._files()] if self._place else []
            self.next = math.inf  # for `while_busy`
            self._excess = self.excess or excess_of(
                self._started.numbers, files, self._limits, self._group is not None
            )
            end = time.monotonic()
            self.next = end + PAUSE + REST * (end - begin)
            if self._excess:
                self._process.end()
                self._started.close()
                self.next = math.inf

    @contextmanager
    def while_busy(self) -> Iterator[None]:
        """Look also while the block computes, as a regular expression does for seconds.

        This takes a signal, which only the main thread gets. The block must start and end nothing.
        """
        if math.isinf(self.next) or current_thread() is not main_thread():
            yield
            return
        before = signal.signal(signal.SIGPROF, lambda number, frame: self.look())
        signal.setitimer(signal.ITIMER_PROF, PAUSE, PAUSE)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)


def excess_of(
    processes: Sequence[int], files: Sequence[str], limits: Limits, is_grouped: bool
) -> str:
    """Return in words what processes, which have written `files`, use too much of, '' if nothing.

    What a control group counts is left to that.
    """
    try:
        excess = '' if is_grouped else excess_in_memory(processes, limits)
        if not excess and files and disk(files, processes, limits.disk) > limits.disk:
            return f'more than {limits.disk // MEGABYTE:,} MB of files'
    except OverflowError:
        return f'more than {LONGEST_MAPS // MAPPING:,} mappings of memory'
    return excess


def excess_in_memory(processes: Sequence[int], limits: Limits) -> str:
    """Return in words what processes without a control group hold too much of, '' if nothing.

    Raises `OverflowError` if they have too many mappings.
    """
    if sum(len(threads_of(process)) for process in processes) > limits.processes + OWN_PROCESSES:
        return f'more than {limits.processes} processes and threads'
    sizes = {
        process: sizes_in(read(f'{process}/status') + read(f'{process}/smaps_rollup'))
        for process in processes
    }
    tables = sum(size.get(b'VmPTE', 0) for size in sizes.values())
    if tables > limits.memory // PAGE_TABLES:
        return f'more than {limits.memory // PAGE_TABLES // MEGABYTE:,} MB of page tables'
    shared: dict[bytes, int] = {}  # by inode
    for begin, end, inode in ZERO.findall(mappings_of(processes)):
        shared[inode] = max(shared.get(inode, 0), int(end, 16) - int(begin, 16))
    # What several processes share counts in part for each, where the kernel says so (Pss).
    resident = sum(
        size.get(b'Pss', size.get(b'VmRSS', 0)) + size.get(b'VmSwap', 0) for size in sizes.values()
    )
    if resident + tables + sum(shared.values()) > limits.memory:
        return MEMORY_EXCESS.format(limits.memory // MEGABYTE)
    sockets = {found.st_ino for found in open_files(processes) if stat.S_ISSOCK(found.st_mode)}
    unseen = sum(
        not os.access(f'{PROCESSES}/{process}/fd', os.R_OK)
        and b'VmRSS' in read(f'{process}/status')  # or it has ended, and holds nothing
        for process in processes
    )
    waiting = len(NOT_ACCEPTED.findall(sockets_beside(processes)))
    return (
        f'more than {MOST_SOCKETS} sockets'
        if len(sockets) + UNSEEN_SOCKETS * unseen + waiting > MOST_SOCKETS
        else ''
    )


def mappings_of(processes: Sequence[int]) -> bytes:
    """Return the kernel's lists of the mappings of all processes.

    Raises `OverflowError` if there are so many that these lists take much memory themselves.
    """
    text = b''
    for process in processes:
        text += read(f'{process}/maps', LONGEST_MAPS - len(text))
    if len(text) == LONGEST_MAPS:
        raise OverflowError
    return text


def sockets_beside(processes: Sequence[int]) -> bytes:
    """Return the kernel's list of the sockets in the network of the youngest process that lives.

    A run under bubblewrap has a network for itself alone; another may share that of the grader.
    """
    return next(
        filter(
            None, (read(f'{process}/net/unix', LONGEST_MAPS) for process in reversed(processes))
        ),
        b'',
    )


def open_files(processes: Sequence[int]) -> Iterator[os.stat_result]:
    """Yield the status of each file that processes have open, where this may be seen."""
    for process in processes:
        for name in names_in(f'{process}/fd'):
            with suppress(OSError):
                yield os.stat(f'{PROCESSES}/{process}/fd/{name}')


def disk(files: Iterable[str], processes: Sequence[int], most: int) -> float:
    """Return how many bytes files and folders take, with removed files that are still held.

    Counting ends above `most`. If it takes too long, or a path is too long, the result is infinite.
    Raises `OverflowError` if the processes have too many mappings.
    """
    until = time.monotonic() + COUNTING
    sizes: dict[tuple[int, int], int] = {}  # a file with two names counts once
    # Files that are in no folder, and that no process has open: in mappings, and in sockets.
    total = LARGEST_FILE * (
        len({*REMOVED.findall(mappings_of(processes))})
        + sum(
            int(number)
            for process in processes
            for name in names_in(f'{process}/fdinfo')
            for number in WAITING.findall(read(f'{process}/fdinfo/{name}', SMALLEST_FILE))
        )
    )
    removed = (
        found
        for found in open_files(processes)
        if stat.S_ISREG(found.st_mode) and not found.st_nlink
    )
    try:
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


def files_below(paths: Iterable[str], most: int) -> Iterator[os.stat_result]:
    """Yield the status of files and folders, and of all that is in these.

    Raises `OverflowError` for a path that is too long, and for more than `most` names at once.
    """
    left = [*paths]
    while left:
        path = left.pop()
        try:
            found = os.lstat(path)
            yield found
            if stat.S_ISDIR(found.st_mode):
                with os.scandir(path) as entries:
                    left += [entry.path for entry in islice(entries, most)]
        except OSError as error:  # or it is gone
            if error.errno == errno.ENAMETOOLONG:
                raise OverflowError from None
        if len(left) > most:
            raise OverflowError
