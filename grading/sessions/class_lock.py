"""The order in which the programs of a class run: beside programs of other graders, or alone."""

from __future__ import annotations

import math
import os
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Iterator, Sequence

LONG = 5.0                              # seconds for which a submission holds a place of the class
MOST_LONG = 3                           # runs beside these, for each processor, of the others
LATER = 30.0                            # seconds by which who wants to be alone stands back
FIRST_PAUSE, LAST_PAUSE = 0.002, 0.05   # seconds between two looks at a lock
CLASS = 'class'                         # locked while some have not begun, or not had their time
COURSE = 'course'                       # locked by all who run, or by one who is alone
CLAIM = 'claim-'                        # begins a file's name, locked by somebody who waits
OVER = 'over'                           # has the time since when all have begun


class ClassLock:
    """The order in which the programs of a class run; without a folder nobody waits.

    The next place goes to the submission that has had the least time. One that has had `LONG`
    seconds takes a seat for each run; there are a few for each processor. It may be alone for
    `seconds` in all, once all others have begun and had their `LONG` seconds; as long as it waits
    for that, it keeps only those from running that have had `LATER` seconds more. Waiting counts as
    a submission's time when the class is `OVER`: all have begun. After `whole` seconds it waits no
    longer.
    """

    def __init__(self, folder: Path | None = None, seconds: float = 0,
                 whole: float = math.inf) -> None:
        self.waited = 0.0               # seconds that do not count as its time
        self._folder = folder
        self.seconds_left = seconds     # for which the submission may still be alone
        self._whole = whole
        self._begin = time.monotonic()
        self._waiting = 0.0             # seconds of waiting, whether they count or not

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Run beside other programs, but not while one runs alone."""
        with ExitStack() as held:
            had = time.monotonic() - self._begin - self._waiting
            if had >= LONG:
                seats = [f'seat-{number}' for number in range(MOST_LONG * processors())]
                self._hold(held, seats, claim=had)
            self._hold(held, [COURSE])
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run while no other program of the class runs."""
        with ExitStack() as held:
            had = time.monotonic() - self._begin - self._waiting
            self._hold(held, [CLASS])
            held.close()
            self._hold(held, [COURSE], claim=had + LATER)
            begin = time.monotonic()
            try:
                yield
            finally:
                self.seconds_left = max(0, self.seconds_left - (time.monotonic() - begin))

    def _hold(self, held: ExitStack, names: Sequence[str], claim: float | None = None) -> None:
        """Wait for one of some locks, and hold it; the system releases it if this process ends.

        With a `claim` hold it alone, and before that wait until nobody waits who has claimed with
        fewer seconds.
        """
        if not self._folder:
            return
        begin, waited, pause = time.monotonic(), 0.0, FIRST_PAUSE
        with ExitStack() as queue:
            own = None
            if claim is not None:
                own = self._folder / f'{CLAIM}{claim:012.3f}-{os.getpid()}'
                queue.callback(own.unlink, missing_ok=True)
                # Before it is locked, others may take it for that of a process that was killed.
                while not (locked(queue, own, alone=True) and own.exists()):
                    time.sleep(FIRST_PAUSE)
            while not ((own is None or is_first(own))
                       and any(locked(held, self._folder / name, bool(own)) for name in names)):
                time.sleep(pause)
                pause = min(2 * pause, LAST_PAUSE)
                now = time.monotonic()
                over = math.inf         # since when all have begun, by the monotonic clock
                with suppress(OSError, ValueError):
                    over = float((self._folder / OVER).read_text(encoding='ascii'))
                waited = max(0, min(now, over) - begin)
                if now - self._begin - self.waited - waited > self._whole:
                    break
        self.waited += waited
        self._waiting += time.monotonic() - begin


def is_first(own: Path) -> bool:
    """Return whether nobody waits in the folder of a class whose claim is before one's own."""
    for claim in sorted(own.parent.glob(f'{CLAIM}*')):
        with ExitStack() as ended:
            if claim == own or not locked(ended, claim, alone=True):
                return claim == own
            claim.unlink(missing_ok=True)       # of a process that was killed
    return True


def locked(held: ExitStack, path: Path, alone: bool) -> bool:
    """Lock a file, for this process alone or for all who share it, if it is free."""
    import fcntl  # which Windows does not have

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return False
    held.callback(os.close, descriptor)
    held.callback(fcntl.flock, descriptor, fcntl.LOCK_UN)       # a fork may have it open, too
    return True


def processors() -> int:
    """Return how many processors the grader may use."""
    has_mask = hasattr(os, 'sched_getaffinity')     # of those that it may use
    return len(os.sched_getaffinity(0)) if has_mask else os.cpu_count() or 1
