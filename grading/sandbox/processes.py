"""All processes of a run: which they are, how the grader ends them, what they use together.

No limit of the kernel counts what several processes use together. Only root can look into a process
whose file is not readable: memory that it may share counts as its own, and it counts as having many
sockets open.
"""

from __future__ import annotations

import errno
import math
import os
import signal
import stat
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import Callable, Iterable, Iterator, Sequence

from ..limits import Limits
from .groups import Group
from .kernel import MEGABYTE, SET_CHILD_SUBREAPER, control

ENDING_SECONDS = 5                      # to end processes; the rest is left alone
PAUSE = 0.1                             # seconds between two looks at memory and processes
OWN_PROCESSES = 2                       # of the sandbox: bubblewrap runs twice
COUNT_PAUSE = 0.5                       # seconds between two looks at the disk
COUNTING = 5                            # seconds that counting files may take
SMALLEST_FILE = 4096                    # bytes that each file and folder counts, at least
MOST_SOCKETS = 256                      # in a run; see `kernel.filter_instructions`
UNSEEN_SOCKETS = 150                    # sockets of a process that the grader cannot look into
MAPPING, LONGEST_MAPS = 100, 8 << 20    # bytes of a line, and of all lines, in /proc/*/maps
ZERO = b'/dev/zero'
PAGE_TABLES = 8                         # page tables may use an eighth of the memory
# Whether this kernel lists the children of a thread.
HAS_CHILDREN = os.path.exists(f'/proc/self/task/{os.getpid()}/children')
IN_MEMORY = ('VmRSS:', 'VmSwap:', 'VmPTE:')     # the last are the page tables


class Descendants:
    """All descendants of this process, which adopts orphans, that have started since."""

    def __init__(self) -> None:
        control(SET_CHILD_SUBREAPER, 1)         # orphans become children of this process
        self._bystanders = frozenset(descendants(os.getpid()))

    @property
    def numbers(self) -> list[int]:
        """The numbers of these processes, children first."""
        return [number for number in descendants(os.getpid()) if number not in self._bystanders]

    def end(self, kill_all: Callable[[], None] | None = None) -> None:
        """Kill these processes, and reap them; `kill_all` kills all of one user at once."""
        deadline = time.monotonic() + ENDING_SECONDS
        # While any of them lives, one is a child of this process.
        while time.monotonic() < deadline and (found := self.numbers):
            if kill_all:
                kill_all()
            for number in found:        # no number is reused until it is reaped below
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for number in found:
                with suppress(ChildProcessError):
                    os.waitpid(number, os.WNOHANG)


@contextmanager
def nothing_left() -> Iterator[None]:
    """At the end of the block, kill the descendants of this process that started in it."""
    started = Descendants()
    try:
        yield
    finally:
        started.end()


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


class Watch:
    """A watch on what a program and its descendants use together.

    `files` returns the paths of what they have written on the machine's disk. When they use more
    than `limits` allow (`None` for no limits), the watch calls `end`, and `excess` says what was
    too much, such as 'more than 1,024 MB of memory'. If the run has a control `group`, the kernel
    keeps most limits.
    """

    def __init__(self, started: Descendants, files: Callable[[], Iterable[str]],
                 end: Callable[[], None], limits: Limits | None, group: Group | None) -> None:
        self.next = time.monotonic() + PAUSE
        self._next_count = time.monotonic() + COUNT_PAUSE
        self._started = started
        self._files = files
        self._end = end
        self._limits = limits
        self._group = group
        self._excess = ''

    @property
    def excess(self) -> str:
        """What they have used too much of, '' if nothing is known of."""
        if self._limits and self._group and self._group.has_run_out:
            return memory_in_words(self._limits)
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
            self._end()
        self.next = time.monotonic() + PAUSE


def memory_in_words(limits: Limits) -> str:
    """Return in words how much memory is too much."""
    return f'more than {limits.memory // MEGABYTE:,} MB of memory'


def excess_of(numbers: Sequence[int], limits: Limits) -> str:
    """Return in words what processes without a control group use too much of, '' if nothing."""
    if sum(len(threads_of(number)) for number in numbers) > limits.processes + OWN_PROCESSES:
        return f'more than {limits.processes} processes and threads'
    sizes = [sizes_of(number) for number in numbers]
    tables = limits.memory // PAGE_TABLES
    if sum(size.get('VmPTE:', 0) for size in sizes) > tables:
        return f'more than {tables // MEGABYTE:,} MB of page tables'
    unseen = devices_mapped(numbers)
    if unseen is None:
        return f'more than {LONGEST_MAPS // MAPPING:,} mappings of memory'
    # First count shared memory for each process that has it: to count it once takes long.
    if (sum(sum(size.values()) for size in sizes) + unseen > limits.memory
            and memory_exactly(numbers) + unseen > limits.memory):
        return memory_in_words(limits)
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
        sizes = sizes_of(process)
        try:
            with open(f'/proc/{process}/smaps_rollup', encoding='ascii') as rollup:
                sizes['VmRSS:'] = sum(int(line.split()[1]) << 10 for line in rollup
                                      if line.startswith('Pss:'))
        except PermissionError:
            sizes = sizes_of(process)   # nothing, if it has ended
        except OSError:
            sizes = {}
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


def devices_mapped(processes: Sequence[int]) -> int | None:
    """Return how many bytes of shared memory processes have mapped by /dev/zero.

    It may be in memory though no process has it resident. The result is None if there are so many
    mappings that the kernel's lists of them take much memory themselves.
    """
    sizes: dict[bytes, int] = {}                # by inode
    left = LONGEST_MAPS
    for process in processes:
        with suppress(OSError), open(f'/proc/{process}/maps', 'rb', buffering=0) as maps:
            text = b''
            while piece := maps.read(min(left, 1 << 16)):
                left -= len(piece)
                text += piece
            if not left:
                return None
            for line in text.splitlines() if ZERO in text else ():
                if ZERO in line:
                    begin, end = (int(number, 16) for number in line.split()[0].split(b'-'))
                    inode = line.split()[4]
                    sizes[inode] = max(sizes.get(inode, 0), end - begin)
    return sum(sizes.values())


def count_sockets(processes: Sequence[int]) -> int:
    """Return how many sockets processes have open."""
    found, unseen = set(), 0
    for process in processes:
        try:
            found |= {status.st_ino for status in open_files(process)
                      if stat.S_ISSOCK(status.st_mode)}
        except PermissionError:
            unseen += UNSEEN_SOCKETS if sizes_of(process) else 0        # not if it has ended
        except OSError:
            pass
    return len(found) + unseen


def disk(files: Iterable[str], processes: Sequence[int], most: int) -> float:
    """Return how many bytes files and folders take, with removed files that are still open.

    Counting ends above `most`. If it takes too long, or a path is too long, the result is infinite.
    """
    until = time.monotonic() + COUNTING
    sizes: dict[tuple[int, int], int] = {}      # a file with two names counts once
    total = 0
    try:
        for found in chain(removed_files(processes), files_below(files, most // SMALLEST_FILE)):
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


def removed_files(processes: Sequence[int]) -> Iterator[os.stat_result]:
    """Yield the status of each file that is removed, but still open in a process."""
    for process in processes:
        with suppress(OSError):
            for found in open_files(process):
                if stat.S_ISREG(found.st_mode) and not found.st_nlink:
                    yield found


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


def open_files(process: int) -> list[os.stat_result]:
    """Return the status of each file that a process has open. Raises `OSError`."""
    found = []
    for entry in os.scandir(f'/proc/{process}/fd'):
        with suppress(OSError):
            found.append(entry.stat())
    return found
