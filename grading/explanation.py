"""The explanation of what went wrong, made in a process of its own.

The process reads what a student wrote who may want the grader to fail, so it has limits of time and
memory. It sends what it finds, piece by piece; if it is killed, its last piece counts. The
points do not depend on it.
"""

from __future__ import annotations

import math
import multiprocessing
import pickle
import signal
import time
from multiprocessing.connection import Connection
from typing import Any, Callable, Iterator

from .sandbox.program import HAS_SANDBOX
from .signals import ENDING_SIGNALS

MOST_SENT = 64 << 20                    # bytes of one piece
ENDING_SECONDS = 5                      # for a killed process to end

Explain = Callable[[], Iterator[Any]]
"""Yields what it has found so far; each piece replaces the one before."""


class NotExplained(Exception):
    """Why an explanation was not finished; `found` is its last piece, None before any."""

    def __init__(self, reason: str, found: Any) -> None:
        super().__init__(reason)
        self.found = found


def explained(explain: Explain, seconds: float, memory: int) -> Any:
    """Return the last piece of an explanation.

    `explain` yields the pieces. The explanation may take `seconds` by the clock, and `memory` in
    bytes. Raises `NotExplained` if it fails or takes more.
    """
    pieces: list[Any] = [None]
    if HAS_SANDBOX:
        reason = run_apart(explain, pieces, seconds, memory)
    else:                               # only the user's own program is graded
        reason = run(explain, pieces.append, memory)
    if reason:
        raise NotExplained(reason, pieces[-1])
    return pieces[-1]


def run(explain: Explain, send: Callable[[Any], None], memory: int) -> str:
    """Explain, and send each piece; return why it ended before its end, '' if it did not."""
    try:
        for found in explain():
            send(found)
    except MemoryError:
        return f'the explanation used more than {memory >> 20} MB of memory'
    except Exception as error:
        return type(error).__name__
    return ''


def run_apart(explain: Explain, pieces: list[Any], seconds: float, memory: int) -> str:
    """Run an explanation in a fork of this process, and add its pieces to a list.

    Return why it ended before its end, '' if it did not.
    """
    from .sandbox.processes import nothing_left  # on Linux and macOS alone

    until = time.monotonic() + seconds
    context = multiprocessing.get_context('fork')
    receiver, sender = context.Pipe(duplex=False)
    with receiver, nothing_left():
        with sender:
            process = context.Process(target=run_limited, args=(explain, sender, seconds, memory))
            try:
                process.start()
            except OSError as error:
                return f'the system has no process for it: {error.strerror}'
        try:
            while receiver.poll(max(0, until - time.monotonic())):
                found, end = pickle.loads(receiver.recv_bytes(MOST_SENT))
                if end is not None:
                    return str(end)
                pieces.append(found)
            return f'the explanation took more than {seconds:g} s'
        except (EOFError, OSError):
            return 'the process that explains was killed'
        finally:
            process.kill()
            process.join(ENDING_SECONDS)


def run_limited(explain: Explain, sender: Connection, seconds: float, memory: int) -> None:
    """Explain in this process, with limits; send each piece, and at the end why it ended."""
    import resource  # which Windows does not have

    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, most))    # programs have limits of their own
    # The grader ends this process in time, unless something has killed the grader.
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds) + 1, most))
    end = run(explain, lambda found: sender.send((found, None)), memory)
    sender.send((None, end))
