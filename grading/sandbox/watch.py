"""Checks what the processes of a run use, and kills them if that is too much."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import current_thread, main_thread

from ..limits import Limits
from .control_groups import Group
from .descendants import Descendants
from .kernel import PROCESSES, Process, stat_fields
from .program import OTHERS_SECONDS
from .usage import excess_of, memory_excess, shared_memory_of_machine

PAUSE = 0.1  # the shortest pause between checks, in seconds
# After counting for s seconds, the pause is `PAUSE` + `REST` * s seconds, so counting takes at most
# a quarter of the time.
REST = 3


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
        self._sessions = {process.number}  # those that have their share of the processors
        self._excess = ''
        self._next_count = self.next  # counting takes longer than sharing the processors

    @property
    def only_process(self) -> int | None:
        """The ID of the program's only process, or None if it has several processes, or none."""
        own = self._processes.numbers[self._sandbox_processes :]
        return own[0] if len(own) == 1 else None

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
        if begin < self._next_count:
            return
        files = [self._run_folder, *self._files()] if self._run_folder else []
        self._excess = self.excess or excess_of(
            numbers, files, limits, self._group is not None, self._owner, self._shared_before
        )
        end = time.monotonic()
        self._next_count = end + PAUSE + REST * (end - begin)

    def _share_processors(self, processes: Iterable[int]) -> None:
        """Give a small share of the processors to each session that the program has opened.

        Linux divides the processors among sessions, so a program could take many shares. A session
        with the highest nice value gets a 68th of a usual share. Linux lets users other than root
        set only one value in each tenth of a second; the next check tries again.
        """
        for process in processes:
            session = int((stat_fields(process)[3:4] or [b'0'])[0])
            if session and session not in self._sessions:
                with suppress(OSError):  # the process has ended, or it is too early
                    Path(PROCESSES, str(process), 'autogroup').write_text('19', encoding='ascii')
                    self._sessions.add(session)

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
