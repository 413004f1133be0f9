"""Checks what the processes of a run use, and kills them if that is too much."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import current_thread, main_thread

from ..limits import MAX_DATA, MEGABYTE, Limits
from .capacity import sizes_in
from .control_groups import Group
from .descendants import Descendants, threads_of
from .kernel import PROCESSES, Process, read, stat_fields
from .program import OTHERS_SECONDS
from .usage import excess_of, memory_excess, shared_memory_of_machine

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
