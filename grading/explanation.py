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
    if HAS_SANDBOX:
        return explained_apart(explain, seconds, memory)
    found = None                        # without a sandbox, only the user's own program is graded
    try:
        for piece in explain():
            found = piece
    except Exception as error:
        raise NotExplained(type(error).__name__, found) from error
    return found


def explained_apart(explain: Explain, seconds: float, memory: int) -> Any:
    """Return the last piece of an explanation that runs in a fork of this process."""
    from .sandbox.processes import nothing_left  # on Linux and macOS alone

    found = None
    until = time.monotonic() + seconds
    context = multiprocessing.get_context('fork')
    receiver, sender = context.Pipe(duplex=False)
    with receiver, nothing_left():
        with sender:
            process = context.Process(target=run, args=(explain, sender, seconds, memory))
            try:
                process.start()
            except OSError as error:
                reason = f'the system has no process for it: {error.strerror}'
                raise NotExplained(reason, None) from None
        try:
            while receiver.poll(max(0, until - time.monotonic())):
                piece = pickle.loads(receiver.recv_bytes(MOST_SENT))
                if 'end' in piece:
                    break
                found = piece['found']
            else:
                raise NotExplained(f'the explanation took more than {seconds:g} s', found)
        except (EOFError, OSError):
            raise NotExplained('the process that explains was killed', found) from None
        finally:
            process.kill()
            process.join(ENDING_SECONDS)
    if piece['end']:
        raise NotExplained(piece['end'], found)
    return found


def run(explain: Explain, sender: Connection, seconds: float, memory: int) -> None:
    """Explain in this process; send each piece, and at the end why it ended ('' for success)."""
    import resource  # which Windows does not have

    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, most))    # programs have limits of their own
    # The grader ends this process in time, unless something has killed the grader.
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(seconds) + 1, most))
    reason = ''
    try:
        for found in explain():
            send(sender, found=found)
    except MemoryError:
        reason = f'the explanation used more than {memory >> 20} MB of memory'
    except BaseException as error:
        reason = type(error).__name__
    send(sender, end=reason)


def send(sender: Connection, **piece: Any) -> None:
    """Send a piece to the grader."""
    sender.send_bytes(pickle.dumps(piece))
