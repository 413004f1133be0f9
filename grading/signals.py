"""Handles signals that end the grader: the grader first cleans up, and reports the signal."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from threading import Timer, get_ident

ENDING_SIGNALS = [
    getattr(signal, name) for name in ('SIGINT', 'SIGTERM', 'SIGHUP') if hasattr(signal, name)
]  # Windows has no SIGHUP
CLEANUP_SECONDS = 5  # how long further signals are ignored
RETRY_SECONDS = 0.05  # seconds to wait before a signal is sent again

_accepted = 0.0  # when the last signal arrived, not counting ignored ones (monotonic clock), or 0


class Termination(BaseException):
    """Raised when a signal ends the grader; the message is the name of the signal.

    This is not an `Exception`, so that no `except Exception` catches it by accident.
    """


def ended_by_signals(run: Callable[[], int]) -> int:
    """Run a function; return its exit status, or 128 plus the number of the ending signal."""
    for number in ENDING_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # `nohup` ignores SIGHUP
            signal.signal(number, end)
    sys.unraisablehook = send_again
    try:
        return run()
    except Termination as ended:
        # Without --out, there are no saved results to continue from.
        keeps_results = any(word.startswith('--out') for word in sys.argv)
        more = '; start it again to continue' if keeps_results else ''
        print(f'grading: ended by {ended}{more}', file=sys.stderr)
        return 128 + signal.Signals[str(ended)]
    finally:
        for number in ENDING_SIGNALS:  # the cleanup is over: nothing is left to interrupt
            signal.signal(number, signal.SIG_IGN)


def end(number: int, frame: object) -> None:
    """Raise `Termination`; ignore further signals for a few seconds, while the grader cleans up."""
    global _accepted
    now = time.monotonic()
    if _accepted and now < _accepted + CLEANUP_SECONDS:
        return
    _accepted = now
    raise Termination(signal.Signals(number).name)


def send_again(dropped: sys.UnraisableHookArgs) -> None:
    """Send a signal again if Python has dropped its `Termination`.

    Python drops any exception raised in a finalizer. It would also drop an exception raised in this
    hook, so another thread sends the signal to this thread.
    """
    global _accepted
    if isinstance(dropped.exc_value, Termination):
        _accepted = 0.0
        number = signal.Signals[str(dropped.exc_value)]
        if hasattr(signal, 'pthread_kill'):
            Timer(RETRY_SECONDS, signal.pthread_kill, [get_ident(), number]).start()
        else:  # on Windows, where a signal cannot interrupt a sleeping thread
            Timer(RETRY_SECONDS, signal.raise_signal, [number]).start()
    else:
        sys.__unraisablehook__(dropped)
