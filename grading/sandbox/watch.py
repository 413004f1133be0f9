"""Watches a run until it ends, and kills its processes if they use too much."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

from ..limits import Limits
from .control_groups import Group
from .descendants import Descendants
from .kernel import Process
from .usage import excess_of, memory_excess

PAUSE = 0.1  # the shortest pause between checks on what a run uses, in seconds
# Each pause is longer than `PAUSE` by this many times the duration of the last check, so that
# checks take at most a quarter of the time.
REST = 3


class Watch:
    """Watches what the processes of a run use in total.

    `place` is their folder on the machine's disk, or '' if they cannot write to the disk; `files`
    returns the paths of what they have written elsewhere. If they use more than `limits` allow, the
    watch kills them, and `excess` says what was too much, such as 'more than 1,024 MB of memory'.
    If `limits` is None, nothing is limited. If the run has a control `group`, the kernel enforces
    most limits. The first `around` processes of the run are the sandbox's own.
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
        # When to check next, as `time.monotonic()`; infinite if never, or during a check.
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
        """The program's only process, or None if the program has several processes, or none yet."""
        own = self._started.numbers[self._around :]
        return own[0] if len(own) == 1 else None

    @property
    def excess(self) -> str:
        """The limit that the processes have exceeded, or '' if they have exceeded none."""
        if self._limits and self._group and self._group.has_run_out:
            return memory_excess(self._limits)
        return self._excess

    def look(self) -> None:
        """Kill the processes if they use too much. Do nothing if the last check was recent."""
        begin = time.monotonic()
        if self._limits and begin >= self.next:
            files = [self._place, *self._files()] if self._place else []
            self.next = math.inf  # so that no signal (see `while_busy`) starts a second check
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
        """Also check while the block computes something, such as matches of a slow pattern.

        A timer's signal interrupts the block for each check. Only the main thread gets signals, so
        in other threads there are no checks. The block must neither start nor end processes.
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
