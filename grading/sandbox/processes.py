"""All processes of a run: which they are, how they end, and what they hold together.

No limit of the kernel's counts what several hold. Only root can look into a process whose file is
not readable: what it may share, or has open, counts as if it were its own, or many.
"""

from __future__ import annotations

import math
import os
import signal
import stat
import subprocess
import time
from contextlib import contextmanager, suppress
from typing import Callable, Iterator, Sequence

from ..settings import Limits
from .kernel import MEGABYTE, adopt_orphans

ENDING_SECONDS = 5                      # after which what cannot be ended is left
PAUSE = 0.1                             # seconds between two looks at memory and processes
OWN_PROCESSES = 2                       # of a sandbox: bubblewrap itself, twice
COUNT_PAUSE = 0.5                       # at the disk
COUNTING = 5                            # that counting what is on the disk may take
MOST_SOCKETS = 256                      # in a run; see `kernel.filter_instructions`
UNSEEN = 150                            # that a process counts for which cannot be looked at
PAGE_TABLES = 8                         # of the memory they may take one part in so many
IN_MEMORY = ('VmRSS:', 'VmSwap:', 'VmPTE:')     # page tables, too


class Offspring:
    """All processes that descend from this one, which adopts orphans, and were started since."""

    def __init__(self) -> None:
        adopt_orphans()
        self._bystanders = frozenset(descendants(os.getpid()))

    @property
    def numbers(self) -> list[int]:
        """Return their numbers, the nearest first."""
        return [number for number in descendants(os.getpid()) if number not in self._bystanders]

    def end(self, kill_all: Callable[[], None] = lambda: None) -> None:
        """Kill and bury them; `kill_all` kills those of a user all at once."""
        deadline = time.monotonic() + ENDING_SECONDS
        # While any of them lives, one is a child of this process.
        while time.monotonic() < deadline and (found := self.numbers):
            kill_all()
            for number in found:        # no number is reused until it is reaped below
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)
            for number in found:
                with suppress(ChildProcessError):
                    os.waitpid(number, os.WNOHANG)


@contextmanager
def nothing_left() -> Iterator[None]:
    """End, when done, all processes that descend from this one, but for those that did before."""
    offspring = Offspring()
    try:
        yield
    finally:
        offspring.end()


def descendants(parent: int) -> list[int]:
    """Return the numbers of all processes below one, the nearest first."""
    found = [parent]
    for process in found:
        try:
            for thread in os.listdir(f'/proc/{process}/task'):
                with open(f'/proc/{process}/task/{thread}/children', encoding='ascii') as children:
                    found += map(int, children.read().split())
        except OSError:                 # it has ended, or this is not Linux
            continue
    return found[1:]


class Watch:
    """A watch on what a program and all that it has started hold together.

    `files` returns what it has written on the machine's disk; `end` ends it all when it holds more
    than `limits` say, `None` for no limits. `excess` is what was too much, if anything was, such as
    'more than 1,024 MB of memory'.
    """

    def __init__(self, offspring: Offspring, files: Callable[[], Sequence[str]],
                 end: Callable[[], None], limits: Limits | None) -> None:
        self.excess = ''
        self.next = time.monotonic() + PAUSE
        self._next_count = time.monotonic() + COUNT_PAUSE
        self._offspring = offspring
        self._files = files
        self._end = end
        self._limits = limits

    def look(self) -> None:
        """End everything if it holds too much; but look no more often than makes sense."""
        if time.monotonic() < self.next or self.excess:
            return
        if self._limits:
            self.excess = self._found(self._limits)
        if self.excess:
            self._end()
        self.next = time.monotonic() + PAUSE

    def _found(self, limits: Limits) -> str:
        """Return what is too much now, in words, '' if nothing is."""
        numbers = self._offspring.numbers
        if count_threads(numbers) > limits.processes + OWN_PROCESSES:
            return f'more than {limits.processes} processes and threads'
        sizes = [sizes_of(number) for number in numbers]
        tables = limits.memory // PAGE_TABLES
        if sum(size.get('VmPTE:', 0) for size in sizes) > tables:
            return f'more than {tables // MEGABYTE:,} MB of page tables'
        # What several share counts for each of them at first: to tell exactly takes long.
        if (sum(sum(size.values()) for size in sizes) > limits.memory
                and memory_exactly(numbers) > limits.memory):
            return f'more than {limits.memory // MEGABYTE:,} MB of memory'
        if count_sockets(numbers) > MOST_SOCKETS:
            return f'more than {MOST_SOCKETS} sockets'
        if time.monotonic() >= self._next_count:
            held = disk(self._files(), numbers)
            self._next_count = time.monotonic() + COUNT_PAUSE
            if held > limits.disk:
                return f'more than {limits.disk // MEGABYTE:,} MB of files'
        return ''


def count_threads(processes: Sequence[int]) -> int:
    """Return how many threads processes have together, their first ones included."""
    total = 0
    for process in processes:
        with suppress(OSError):
            total += len(os.listdir(f'/proc/{process}/task'))
    return total


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
            sizes = sizes_of(process)   # none, if it has ended
        except OSError:
            sizes = {}
        total += sum(sizes.values())
    return total


def sizes_of(process: int) -> dict[str, int]:
    """Return how many bytes a process has in memory, by the kernel's name for each kind.

    One that has ended has none, even if nobody has waited for it.
    """
    with suppress(OSError), open(f'/proc/{process}/status', encoding='utf-8',
                                 errors='replace') as status:
        words = [line.split() for line in status if line.startswith(IN_MEMORY)]
        return {name: int(size) << 10 for name, size, _ in words}
    return {}


def count_sockets(processes: Sequence[int]) -> int:
    """Return how many sockets processes have open."""
    found, unseen = set(), 0
    for process in processes:
        try:
            found |= {status.st_ino for status in open_files(process)
                      if stat.S_ISSOCK(status.st_mode)}
        except PermissionError:
            unseen += UNSEEN if sizes_of(process) else 0        # not if it has ended
        except OSError:
            pass
    return len(found) + unseen


def disk(files: Sequence[str], processes: Sequence[int]) -> float:
    """Return how many bytes files take, those below folders, and removed ones that are open.

    If counting takes too long, it is too much.
    """
    if not files:
        return 0
    try:
        counted = subprocess.run(['du', '-sk', *files], check=False, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 timeout=COUNTING)
    except subprocess.TimeoutExpired:
        return math.inf
    total = sum(int(line.split()[0]) << 10 for line in counted.stdout.splitlines())
    removed = {}
    for process in processes:
        with suppress(OSError):
            removed.update({(found.st_dev, found.st_ino): found.st_blocks * 512
                            for found in open_files(process)
                            if stat.S_ISREG(found.st_mode) and not found.st_nlink})
    return total + sum(removed.values())


def open_files(process: int) -> list[os.stat_result]:
    """Return what is known of what a process has open. Raises `OSError`."""
    found = []
    for entry in os.scandir(f'/proc/{process}/fd'):
        with suppress(OSError):
            found.append(entry.stat())
    return found
