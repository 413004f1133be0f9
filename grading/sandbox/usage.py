"""Measures what the processes of a run use in total, and whether it is too much.

If a control group limits a run, only files are counted here: the kernel limits the rest.

Only root can inspect a process with an unreadable executable. If the grader is not root, memory
shared between such a process and others counts in full, and the process is assumed to have many
open sockets.
"""

from __future__ import annotations

import errno
import math
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

from ..limits import LARGEST_FILE, MAX_SOCKETS, MAX_TERMINALS, MEGABYTE, Limits
from .capacity import sizes_in
from .control_groups import OWN_PROCESSES
from .descendants import names_in, threads_of
from .kernel import FILE_BLOCK, PROCESSES, read
from .system_v import items

COUNTING_SECONDS = 5  # the time limit for counting files
SMALLEST_FILE = 4096  # even a smaller file or folder counts as this many bytes
# How many sockets a process is assumed to have if it cannot be inspected: a run may have one such
# process, but not two.
UNSEEN_SOCKETS = 150
LONGEST_MAPS = 8 << 20  # the maximum number of bytes to read from a run's files /proc/*/maps
MAPPING = 100  # bytes in a typical line of these files
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
    try:
        excess = '' if is_grouped else excess_besides_files(processes, limits, owner, shared_before)
        if not excess and files and disk_usage(files, processes, limits.disk) > limits.disk:
            return f'more than {limits.disk // MEGABYTE:,} MB of disk space'
    except OverflowError:
        return f'more than {LONGEST_MAPS // MAPPING:,} memory mappings'
    return excess


def excess_besides_files(
    processes: Sequence[int],
    limits: Limits,
    owner: int | None = None,
    shared_before: float = math.inf,
) -> str:
    """Return how processes without a control group exceed any limit except the one on files, or ''.

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
    for item in items() if owner is not None else ():
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
        and b'VmRSS' in read(f'{process}/status')  # otherwise it has ended, and has no sockets
    ]
    return len(seen) + UNSEEN_SOCKETS * len(unseen)


def mappings_of(processes: Sequence[int]) -> bytes:
    """Return the kernel's lists of the mappings of all processes.

    Raises `OverflowError` if the lists together have `LONGEST_MAPS` bytes or more.
    """
    text = b''
    for process in processes:
        text += read(f'{process}/maps', LONGEST_MAPS - len(text))
    if len(text) == LONGEST_MAPS:
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
