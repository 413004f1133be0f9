"""Checks what the processes of a run use in total, and kills them if that is too much.

If a control group limits a run, only files, sockets and pseudo-terminals are counted here: the
kernel limits the rest.

Only root can inspect a process with an unreadable executable. If the grader is not root, memory
shared between such a process and others counts in full, and the process is assumed to have many
open sockets.
"""

from __future__ import annotations

import errno
import math
import os
import re
import signal
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, cached_property
from itertools import chain, islice
from pathlib import Path
from threading import current_thread, main_thread
from typing import NamedTuple

from ..limits import (
    LARGEST_FILE,
    MAX_DATA,
    MAX_MAPPINGS,
    MAX_SOCKETS,
    MAX_TERMINALS,
    MEGABYTE,
    Limits,
)
from .control_groups import OWN_PROCESSES, Group, sizes_in
from .kernel import (
    FILE_BLOCK,
    LIBRARY,
    PROBE_SECONDS,
    PROCESSES,
    Descendants,
    Process,
    call,
    descendants,
    names_in,
    read,
    stat_fields,
    succeeds_in_new_process,
    threads_of,
)
from .program import OTHERS_SECONDS

COUNTING_SECONDS = 5  # the time limit for counting files
SMALLEST_FILE = 4096  # even a smaller file or folder counts as this many bytes
# How many sockets a process is assumed to have if it cannot be inspected: a run may have one such
# process, but not two.
UNSEEN_SOCKETS = 150
MAPPING = 100  # bytes in a typical line of /proc/PID/maps
ALL_MEMORY = 'more memory than the machine has'  # if the system killed the program for its memory
TERMINALS = os.makedev(5, 2)  # the device that makes pseudo-terminals, /dev/ptmx
# A mapping of shared memory without a file: its start, end, offset, and inode. The kernel calls
# anonymous shared memory /dev/zero. Its pages may not be resident in any process, so all of it
# counts. Of a removed file in /dev/shm, the same is true.
SHARED = re.compile(
    rb'^(\w+)-(\w+) \S+ (\w+) \S+ (\d+) +/(?:dev/zero|SYSV|memfd:|dev/shm/.* \(deleted\)$)',
    re.MULTILINE,
)
# A mapping of a removed file: the file's device and inode. Shared memory is listed as a removed
# file, too, but does not match: it is in /dev, like a semaphore of Python's multiprocessing, or its
# path has only one slash, as in /memfd:name.
REMOVED = re.compile(rb' (\S+ \d+) +/(?!dev/)[^\n/]*/[^\n]* \(deleted\)$', re.MULTILINE)


def memory_excess(limits: Limits) -> str:
    """Return what to report if too much memory is used: 'more than 1,024 MB of memory'."""
    return f'more than {limits.memory // MEGABYTE:,} MB of memory'


def excess_of(
    processes: Sequence[int],
    files: Sequence[str],
    limits: Limits,
    is_grouped: bool,
    owner: int | None = None,
    shared_before: float = math.inf,
) -> str:
    """Return how processes exceed the limits, such as 'more than 256 sockets', or ''.

    `files` are the paths of what the processes have written. If `is_grouped`, check only what the
    processes' control group does not limit. `owner` is the user of the processes, if no other
    process has this user. `shared_before` is how much `shared_memory_of_machine` there was before
    the processes started.
    """
    processes = [*map(thread_with_memory, processes)]
    try:
        excess = '' if is_grouped else excess_in_group(processes, limits, owner, shared_before)
        excess = excess or excess_of_open_files(processes)
        if not excess and files and disk_usage(files, processes, limits.disk) > limits.disk:
            return f'more than {limits.disk // MEGABYTE:,} MB of disk space'
    except OverflowError:
        return f'more than {MAX_MAPPINGS:,} memory mappings'
    return excess


def thread_with_memory(process: int) -> int:
    """Return the ID of a process or, if its first thread has ended, of one that goes on.

    The kernel shows neither memory nor open files of a first thread that has ended.
    """
    if has_memory(process):
        return process
    return next(filter(has_memory, threads_of(process)), process)


def has_memory(thread: int) -> bool:
    """Return whether the kernel shows the memory of a thread: not once it has ended."""
    return b'VmRSS' in read(f'{thread}/status')


def excess_in_group(
    processes: Sequence[int],
    limits: Limits,
    owner: int | None = None,
    shared_before: float = math.inf,
) -> str:
    """Return how processes exceed the limits that a control group would set, or ''.

    Raises `OverflowError` if they have too many mappings.
    """
    threads = sum(len(threads_of(process)) for process in processes)
    if threads > limits.processes + OWN_PROCESSES:
        return f'more than {limits.processes} processes and threads'
    sizes = [
        sizes_in(read(f'{process}/status') + read(f'{process}/smaps_rollup'))
        for process in processes
    ]
    # Pss, if the kernel reports it, divides shared memory among the processes sharing it.
    # `shared_memory` counts shared memory, resident or not.
    resident = sum(
        size[b'Pss'] - size.get(b'Pss_Shmem', 0) if b'Pss' in size else size.get(b'VmRSS', 0)
        for size in sizes
    )
    swapped = sum(size.get(b'VmSwap', 0) for size in sizes)
    shared = shared_memory(processes, owner)
    # A process that unmaps a part of such memory still holds all of it, and only the machine's
    # total shows that. Other programs add to that total, too, but seldom that much.
    if shared and shared_memory_of_machine() - shared_before > limits.memory:
        return memory_excess(limits)
    if resident + swapped + shared > limits.memory:
        return memory_excess(limits)
    return ''


def excess_of_open_files(processes: Sequence[int]) -> str:
    """Return how processes exceed the limits on sockets and pseudo-terminals, or ''."""
    opened = [*open_files(processes)]
    if sockets_of(processes, opened) > MAX_SOCKETS:
        return f'more than {MAX_SOCKETS} sockets'
    if sum(found.st_rdev == TERMINALS for found in opened) > MAX_TERMINALS:
        return f'more than {MAX_TERMINALS} pseudo-terminals'
    return ''


def shared_memory(processes: Sequence[int], owner: int | None) -> int:
    """Return the total size of shared memory without a file, in bytes.

    This is what the processes have mapped, and what the user `owner`, if given, has in the lists of
    System V memory, queues and semaphores. Of several mappings of the same memory, only the one
    that reaches furthest counts.
    """
    sizes: dict[int, int] = {}  # by inode; of System V memory, this is the memory's number
    for begin, end, offset, inode in SHARED.findall(mappings_of(processes)):
        size = int(end, 16) - int(begin, 16) + int(offset, 16)
        sizes[int(inode)] = max(sizes.get(int(inode), 0), size)
    others = 0
    for item in ipc_objects() if owner is not None else ():
        if owner in item.owners:
            others += max(0, item.size - (sizes.get(item.number, 0) if item.kind == 'shm' else 0))
    return sum(sizes.values()) + others


def shared_memory_of_machine() -> int:
    """Return how much shared memory the machine holds, with files in memory, in bytes."""
    return sizes_in(read('meminfo')).get(b'Shmem', 0)


def sockets_of(processes: Sequence[int], opened: Iterable[os.stat_result]) -> int:
    """Return how many sockets the processes have; `opened` are their open files."""
    seen = {found.st_ino for found in opened if stat.S_ISSOCK(found.st_mode)}
    unseen = [
        process
        for process in processes
        if not os.access(f'{PROCESSES}/{process}/fd', os.R_OK)
        and has_memory(process)  # otherwise it has ended, and has no sockets
    ]
    return len(seen) + UNSEEN_SOCKETS * len(unseen)


def mappings_of(processes: Sequence[int]) -> bytes:
    """Return the kernel's lists of the mappings of all processes.

    Raises `OverflowError` if the lists together are as long as those of `MAX_MAPPINGS`.
    """
    text, longest = b'', MAX_MAPPINGS * MAPPING
    for process in processes:
        text += read(f'{process}/maps', longest - len(text))
    if len(text) == longest:
        raise OverflowError
    return text


def open_files(processes: Sequence[int]) -> Iterator[os.stat_result]:
    """Yield the status of each file the processes have open, if the grader can see it."""
    for process in processes:
        for name in names_in(f'{process}/fd'):
            with suppress(OSError):
                yield os.stat(f'{PROCESSES}/{process}/fd/{name}')


def disk_usage(files: Iterable[str], processes: Sequence[int], most: int) -> float:
    """Return how many bytes files and folders use, including removed files still in use.

    Counting stops once the total exceeds `most`. The result is infinite if counting takes too long,
    if a path is too long, or if there are too many files. Raises `OverflowError` if the processes
    have too many mappings.
    """
    until = time.monotonic() + COUNTING_SECONDS
    sizes: dict[tuple[int, int], int] = {}  # a file with two names counts once
    # A removed file may be mapped without a descriptor in any process.
    total = LARGEST_FILE * len({*REMOVED.findall(mappings_of(processes))})
    removed = (
        found
        for found in open_files(processes)
        if stat.S_ISREG(found.st_mode) and not found.st_nlink
    )
    try:
        for found in chain(removed, files_below(files, most // SMALLEST_FILE)):
            size = max(found.st_blocks * FILE_BLOCK, SMALLEST_FILE)
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
    """Yield the status (see lstat(2)) of files and folders, and of everything below the folders.

    Raises `OverflowError` if a path is too long, or if more than `most` paths are waiting to be
    visited.
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
        except OSError as error:  # the file or folder may be gone
            if error.errno == errno.ENAMETOOLONG:
                raise OverflowError from None
        if len(left) > most:
            raise OverflowError


REMOVE = 0  # IPC_RMID
SEMAPHORE = 128  # bytes of kernel memory for a semaphore; some kernels need less
MESSAGE = 64  # bytes of kernel memory for a message, besides its text
NEW_IPC = 0x8000000  # CLONE_NEWIPC
# The limits of a namespace for one run: 256 MB of shared memory (in pages of 4 KB), 64 queues (of
# at most 16 KB), and 128 sets with 32,000 semaphores in all.
LIMITS = {'shmall': '65536', 'msgmni': '64', 'sem': '32000 32000 500 128'}


class IpcObject(NamedTuple):
    """A shared memory, a queue, or a set of semaphores."""

    kind: str  # its list in /proc/sysvipc: 'shm', 'msg' or 'sem'
    number: int
    owners: frozenset[int]  # the IDs of the users who made it and who own it
    size: int  # bytes of memory in use

    def remove(self) -> None:
        """Remove this, if this process is one of the owners."""
        numbers = (self.number, 0) if self.kind == 'sem' else (self.number,)
        getattr(LIBRARY, f'{self.kind}ctl')(*numbers, REMOVE, None)


def ipc_objects() -> Iterator[IpcObject]:
    """Yield everything in the IPC namespace of the grader."""
    for kind in ('shm', 'msg', 'sem'):
        titles, *lines = [line.split() for line in read(f'sysvipc/{kind}').splitlines()] or [[]]
        for line in lines:
            values = dict(zip(titles, map(int, line), strict=False))
            yield IpcObject(
                kind,
                int(line[1]),
                frozenset((values[b'uid'], values[b'cuid'])),
                # The first two are of shared memory, the next two of a queue.
                values.get(b'rss', 0)
                + values.get(b'swap', 0)
                + values.get(b'cbytes', 0)
                + MESSAGE * values.get(b'qnum', 0)
                + SEMAPHORE * values.get(b'nsems', 0),
            )


def enter_limited_namespace() -> None:
    """Move this process into its own IPC namespace, with `LIMITS`. Raises `OSError`."""
    call('unshare', NEW_IPC)
    for name, value in LIMITS.items():
        Path('/proc/sys/kernel', name).write_text(value, encoding='ascii')


@cache
def can_limit() -> bool:
    """Return whether this process may make such a namespace: only root may, outside containers."""
    return succeeds_in_new_process(enter_limited_namespace, PROBE_SECONDS)


PAUSE = 0.1  # the shortest pause between checks, in seconds
# After counting for s seconds, the pause is `PAUSE` + `REST` * s seconds, so counting takes at most
# a quarter of the time.
REST = 3
FREE_SESSIONS = 8  # so many sessions of a run may have a full share of the processors each
LOWEST = 19  # the highest nice value, and so the lowest priority
STACK = 9 << 20  # bytes for the stack of a thread, by default, with what surrounds it


class Watch:
    """Checks what the processes of a run use in total, whenever `look` is called.

    If they use more than `limits` allow, kill them. If `limits` is None, there are no limits. If
    the run has a control `group`, the kernel enforces most limits. If only the program's first
    process has ended, kill the others after `OTHERS_SECONDS`.

    `run_folder` is the run's folder on the machine's disk, or '' if the run has its own file
    systems. `files` returns the paths of what the run has written elsewhere on the disk. The first
    `sandbox_processes` processes of the run are the sandbox's own. `owner` is the user of the run's
    processes, if no other process has this user.
    """

    def __init__(
        self,
        process: Process,
        processes: Descendants,
        run_folder: str,
        files: Callable[[], Iterable[str]],
        limits: Limits | None,
        group: Group | None,
        sandbox_processes: int = 0,
        owner: int | None = None,
    ) -> None:
        # When to check next, as `time.monotonic()`; infinite if never, or during a check.
        self.next = time.monotonic() + PAUSE
        self._ended = math.inf  # when the program's first process was seen to have ended
        self._process = process
        self._processes = processes
        self._run_folder = run_folder
        self._files = files
        self._limits = limits
        self._group = group
        self._sandbox_processes = sandbox_processes
        self._owner = owner
        self._shared_before = shared_memory_of_machine()
        self._nice: dict[int, int] = {}  # the nice values of sessions, if they were changed
        self._excess = ''
        self._refused: list[str] = []
        self._next_count = self.next  # counting takes longer than sharing the processors

    @property
    def program_processes(self) -> Sequence[int]:
        """The IDs of the program's processes, without the sandbox's own."""
        return descendants(self._adopter) if self._sandbox_processes else self._processes.numbers

    @cached_property
    def _adopter(self) -> int:
        """The ID of the sandbox's own process that adopts the run's orphans."""
        below = descendants(self._process.number)
        return [self._process.number, *below][: self._sandbox_processes][-1]

    @cached_property
    def first_process(self) -> int:
        """The ID of the program's first process; 0 if it has ended."""
        return [*self.program_processes, 0][0]

    @property
    def excess(self) -> str:
        """What was too much, such as 'more than 1,024 MB of memory', or ''."""
        if self._limits and self._group and self._group.has_run_out_of_memory:
            return memory_excess(self._limits)
        return self._excess

    def look(self) -> None:
        """Check the processes, if it is time for the next check, and perhaps kill them."""
        if time.monotonic() < self.next:
            return
        self.next = math.inf  # so that no signal (see `while_busy`) starts a second check
        if self._limits:
            self._check(self._limits)
        now = time.monotonic()
        if self._excess or now >= self._ended + OTHERS_SECONDS:
            self._process.end()
            self._processes.close()
            return
        if self._process.status(0) is not None:
            self._ended = min(self._ended, now)
        self.next = now + PAUSE

    def _check(self, limits: Limits) -> None:
        """Share the processors and, if it is time for that, count what the processes use."""
        begin, numbers = time.monotonic(), self._processes.numbers
        if not self._group:
            self._share_processors(numbers)
        self._note_refusals(numbers)
        if begin < self._next_count:
            return
        files = [self._run_folder, *self._files()] if self._run_folder else []
        self._excess = self.excess or excess_of(
            numbers, files, limits, self._group is not None, self._owner, self._shared_before
        )
        end = time.monotonic()
        self._next_count = end + PAUSE + REST * (end - begin)

    @property
    def refused(self) -> Sequence[str]:
        """What the program was probably refused, because it had as much as the limits allow."""
        self._note_refusals(self._processes.numbers)
        return self._refused

    def _note_refusals(self, processes: Sequence[int]) -> None:
        """Note if processes have as many threads, or one has as much data, as the limits allow.

        The sandbox's own processes may count towards the limit, too.
        """
        if not self._limits or self._refused:
            return
        most = self._limits.processes
        if sum(len(threads_of(process)) for process in processes) >= most:
            self._refused.append(f'more than {most} processes and threads (EAGAIN)')
        data = [sizes_in(read(f'{process}/status')).get(b'VmData', 0) for process in processes]
        if max(data, default=0) > MAX_DATA - STACK:
            self._refused.append(f'more than {MAX_DATA // MEGABYTE:,} MB for one process (ENOMEM)')

    def _share_processors(self, processes: Iterable[int]) -> None:
        """Let the sessions beyond the first `FREE_SESSIONS` share the processors as one session.

        Linux divides the processors among sessions, so a program could take many shares. A session
        gets four fifths of its share for each step of its nice value. Linux lets users other than
        root set only one value in each tenth of a second; the next check tries again.
        """
        fields = {process: stat_fields(process)[3:4] for process in processes}
        members = {int(found[0]): process for process, found in fields.items() if found}
        extra = [session for session in members if session][FREE_SESSIONS:]
        nice = min(LOWEST, math.ceil(math.log(max(1, len(extra)), 1.25)))
        for session in extra:
            if self._nice.get(session, 0) < nice:
                with suppress(OSError):  # the process has ended, or it is too early
                    path = Path(PROCESSES, str(members[session]), 'autogroup')
                    path.write_text(str(nice), encoding='ascii')
                    self._nice[session] = nice

    @contextmanager
    def while_busy(self) -> Iterator[None]:
        """Also check while the block computes something, such as matches of a slow pattern.

        A timer's signal calls `look` after each `PAUSE` of processor time. Only the main thread
        gets signals, so in other threads there are no checks. The block must neither start nor end
        processes.
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
