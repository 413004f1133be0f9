"""Schedules the programs of a class: how many run at once, in which order, and which run alone."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ..sandbox.program import HAS_SANDBOX
from ..whole_file import write_whole

if HAS_SANDBOX:
    import fcntl

FREE_SECONDS = 5.0  # how many seconds a new submission may run freely
SEATS_PER_PROCESSOR = 3  # for submissions with no `FREE_SECONDS` left
# A submission waiting to run alone delays only submissions that have run for at least this many
# seconds longer.
HANDICAP = 30.0
# Seconds between attempts to get a lock. Each pause is twice as long as the previous one, up to
# `LONGEST_PAUSE`.
FIRST_PAUSE, LONGEST_PAUSE = 0.002, 0.05
# The names of files in the folder of a class:
GATE = 'gate'  # locked until every submission has had its first `FREE_SECONDS`
RUNNING = 'running'  # locked while a program runs: an exclusive lock if it runs alone, else shared
# The prefix of files created and locked by submissions waiting for a seat or to run alone.
CLAIM = 'claim-'
ALL_BEGUN = 'all-begun'  # contains the time when the last submission began (monotonic clock)


class ClassLock:
    """Lets one submission's program run when its turn comes; without a `folder`, immediately.

    For its first `FREE_SECONDS`, a submission runs freely. After that, each of its runs needs one
    of a limited number of seats. A free seat goes to the waiting submission with the least running
    time.

    A submission may run alone for `seconds_alone` in total, but only after every other submission
    has had its first `FREE_SECONDS`. While it is waiting, it delays only submissions that have run
    for at least `HANDICAP` seconds longer.

    Waiting counts against a submission only after the last submission has begun. Once `time_limit`
    seconds of waiting and running have been counted against a submission, it stops waiting.

    `places` is the number of programs the machine has room for, or None for any number. If it is
    less than the processors could handle, every run needs a seat, there are no more seats than
    places, and waiting never counts against a submission.
    """

    def __init__(
        self,
        folder: Path | None = None,
        seconds_alone: float = 0,
        time_limit: float = math.inf,
        places: int | None = None,
    ) -> None:
        self.waited = 0.0  # seconds of waiting not counted against the submission
        self._folder = folder
        self.seconds_left_alone = seconds_alone  # how long the submission may still run alone
        self._time_limit = time_limit
        self._places = places or math.inf
        # Besides its seats, each processor needs room for one new submission, which may run freely.
        self._has_few = self._places < (1 + SEATS_PER_PROCESSOR) * processors()
        self._begin = time.monotonic()
        self._waiting = 0.0  # all seconds of waiting, whether or not they count

    @property
    def has_class(self) -> bool:
        """Whether other submissions are graded at the same time."""
        return self._folder is not None

    @property
    def _seconds_run(self) -> float:
        return time.monotonic() - self._begin - self._waiting

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Run at the same time as other programs, but not while another program runs alone."""
        with ExitStack() as held:
            seconds_run = self._seconds_run
            if seconds_run >= FREE_SECONDS or self._has_few:
                seats = int(min(SEATS_PER_PROCESSOR * processors(), self._places))
                self._hold(held, [f'seat-{number}' for number in range(seats)], claim=seconds_run)
            self._hold(held, [RUNNING])
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run while no other program of the class runs."""
        with ExitStack() as held:
            claim = self._seconds_run + HANDICAP
            self._hold(held, [GATE])
            held.close()  # it is enough that the gate was open
            self._hold(held, [RUNNING], claim=claim)
            begin = time.monotonic()
            try:
                yield
            finally:
                seconds = time.monotonic() - begin
                self.seconds_left_alone = max(0, self.seconds_left_alone - seconds)

    def _hold(self, held: ExitStack, names: Sequence[str], claim: float | None = None) -> None:
        """Wait for one of several locks, and hold that lock until `held` is closed.

        With a `claim`, lock exclusively, and only after all waiting submissions with smaller
        claims. Return without a lock when the submission must stop waiting (see `ClassLock`). If
        this process dies, the system releases its locks.
        """
        if not self._folder:
            return
        folder = self._folder
        begin, waited, pause = time.monotonic(), 0.0, FIRST_PAUSE
        with ExitStack() as queue:
            own = None
            if claim is not None:
                own = folder / f'{CLAIM}{claim:012.3f}-{os.getpid()}'
                queue.callback(own.unlink, missing_ok=True)
                # Until the file is locked, another process may think that its owner was killed, and
                # remove the file.
                while not (try_lock(queue, own, alone=True) and own.exists()):
                    time.sleep(FIRST_PAUSE)

            def gets_lock() -> bool:
                if own and not is_first(own):
                    return False
                return any(try_lock(held, folder / name, alone=bool(own)) for name in names)

            while not gets_lock():
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                now = time.monotonic()
                waited = max(0, min(now, self._last_begin) - begin)
                if now - self._begin - self.waited - waited > self._time_limit:
                    break
        self.waited += waited
        self._waiting += time.monotonic() - begin

    @property
    def _last_begin(self) -> float:
        """When the last submission began, or infinity if it has not, or if waiting never counts."""
        if self._folder and not self._has_few:
            with suppress(OSError, ValueError):
                return float((self._folder / ALL_BEGUN).read_text(encoding='ascii'))
        return math.inf


class ClassGate:
    """Keeps submissions from running alone until each has had its first `FREE_SECONDS`.

    Until then, the gate holds a lock, and every `ClassLock.alone` waits for it.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = ExitStack()

    def __enter__(self) -> ClassGate:
        return self

    def __exit__(self, *error: object) -> None:
        self._lock.close()

    def update(self, have_all_begun: bool, have_all_had_time: bool) -> None:
        """Open or close the gate, and record the time when the last submission began."""
        with suppress(OSError):  # a program may have filled the disk: try again next time
            if self._folder and have_all_begun and not (self._folder / ALL_BEGUN).exists():
                write_whole(self._folder / ALL_BEGUN, str(time.monotonic()))
            if have_all_had_time:
                self._lock.close()  # submissions may run alone from now on
            elif self._folder:
                try_lock(self._lock, self._folder / GATE, alone=True)


def is_first(own: Path) -> bool:
    """Return whether no waiting submission has a claim before `own`; remove dead claims before it.

    A claim is dead if nobody holds its lock, because its process was killed.
    """
    for claim in sorted(own.parent.glob(f'{CLAIM}*')):
        if claim == own:
            return True
        with ExitStack() as held:
            if not try_lock(held, claim, alone=True):
                return False
            claim.unlink(missing_ok=True)
    return True


def try_lock(held: ExitStack, path: Path, alone: bool) -> bool:
    """Lock a file, exclusively if `alone`, without waiting; return whether this succeeded."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return False
    held.callback(os.close, descriptor)
    # Closing is not enough: a forked process may still have the file open.
    held.callback(fcntl.flock, descriptor, fcntl.LOCK_UN)
    return True


def processors() -> int:
    """Return how many processors the grader may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1
