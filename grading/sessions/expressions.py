"""Regular expressions of a session, tried on what a program prints, for a limited time.

An expression such as `(a+)+b` may take longer than the universe will last to find that a text does
not match. A timer's signal ends that: Python looks for signals while it matches.
"""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Iterator

SECONDS = 1.0                           # of processor time, that one text may take
LONGEST_TRIED = 1 << 12                       # characters of a text that is tried at all


class TooSlow(Exception):
    """No answer has come in time."""


def matches(expression: str, text: str, ignores_case: bool = False) -> bool:
    """Return whether a whole text is what an expression describes. Raises `TooSlow`."""
    if len(text) > LONGEST_TRIED:
        return False
    with limited(SECONDS):
        return bool(re.fullmatch(expression, text, re.IGNORECASE if ignores_case else 0))


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` when what is done takes more processor time than some seconds.

    Windows has no such timer, and runs only its user's own programs; other threads than the main
    one get no signals, and none of the grader's plays sessions.
    """
    if not hasattr(signal, 'setitimer') or current_thread() is not main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)
