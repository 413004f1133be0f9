"""Signals that end the grader: it cleans up, and says what ended it."""

from __future__ import annotations

import signal
import sys
import time
from typing import Callable

ENDING_SIGNALS = [getattr(signal, name) for name in ('SIGINT', 'SIGTERM', 'SIGHUP')
                  if hasattr(signal, name)]     # that ask for an end; Windows has no SIGHUP
CLEANUP_SECONDS = 5                     # in which no other signal disturbs the end

_first = 0.0                            # when the first signal came, by the monotonic clock


class Ended(BaseException):
    """The grader was told to end; the text says by what.

    It is no `Exception`: whoever catches those must not go on.
    """


def ended_by_signals(run: Callable[[], int]) -> int:
    """Return the exit status of a program that signals end, if whoever started it heeds them."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
    try:
        return run()
    except Ended as ended:
        print(f'grading: ended by {ended}; start it again to go on', file=sys.stderr)
        return 128 + signal.Signals[str(ended)]
    finally:
        for number in ENDING_SIGNALS:           # nothing is left to be ended
            signal.signal(number, signal.SIG_IGN)


def end(number: int, frame: object) -> None:
    """Raise `Ended` for a signal, but once alone while the grader cleans up.

    A later one counts again: Python drops what is raised in a finalizer.
    """
    global _first
    now = time.monotonic()
    if _first and now < _first + CLEANUP_SECONDS:
        return
    _first = now
    raise Ended(signal.Signals(number).name)
