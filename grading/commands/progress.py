"""Messages on standard error: how far grading has got, and where to find the page."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path

from ..printable import printable

CLEAR = '\r\33[K'  # clears the line the cursor is on
FIRST_SECONDS = 3  # how long to wait before the first estimate of the time left
STEP_SECONDS = 10  # round estimates in seconds up to a multiple of this


class Progress:
    """A progress line on standard error, if that is a terminal."""

    def __init__(self, noun: str) -> None:
        self._noun = noun  # what to count, such as 'sessions'
        self._start = time.monotonic()
        self._is_shown = sys.stderr.isatty()

    def show(self, done: int, total: int) -> None:
        """Show how many sessions or submissions are done, and an estimate of the time left."""
        left = time_left(done, total, time.monotonic() - self._start)
        self._write(f'{CLEAR}{done} of {total} {self._noun}{left}')

    def clear(self) -> None:
        """Clear the line to make room for other output."""
        self._write(CLEAR)

    def _write(self, text: str) -> None:
        if self._is_shown:
            print(text, end='', file=sys.stderr, flush=True)


@contextmanager
def progress(noun: str) -> Iterator[Progress]:
    """Provide a progress line; clear it at the end."""
    line = Progress(noun)
    try:
        yield line
    finally:
        line.clear()


def time_left(done: int, total: int, seconds: float) -> str:
    """Return an estimate of the time left, in words, if the first `done` took `seconds`.

    Return `''` if nothing is left, or if it is too early to tell.

    >>> time_left(1, 3, 40), time_left(10, 40, 60), time_left(2, 30, 1)
    (', about 80 s left', ', about 3 min left', '')
    """
    if not done or done >= total or seconds < FIRST_SECONDS:
        return ''
    left = seconds / done * (total - done)
    if left > 2 * 60:
        return f', about {ceil(left / 60)} min left'
    return f', about {ceil(left / STEP_SECONDS) * STEP_SECONDS} s left'


def print_page_path(path: Path) -> None:
    """Print the path of a page on standard error."""
    print(f'grading: see {printable(str(path))}', file=sys.stderr)
