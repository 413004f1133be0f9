"""Signals that end the grader: it clears up, and says what has ended it."""

from __future__ import annotations

import signal
from typing import NoReturn

ENDING_SIGNALS = [getattr(signal, name) for name in ('SIGINT', 'SIGTERM', 'SIGHUP')
          if hasattr(signal, name)]     # signals that ask for an end; Windows has no SIGHUP


class Ended(Exception):
    """The grading was told to end; the text says by what."""


def heed_signals() -> None:
    """Let signals that ask for an end be heard, unless whoever started the grader ignores them."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)


def end(number: int, frame: object) -> NoReturn:
    """End, when told so by a signal."""
    for other in ENDING_SIGNALS:
        signal.signal(other, signal.SIG_IGN)    # once is enough
    raise Ended(signal.Signals(number).name)
