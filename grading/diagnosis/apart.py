"""Runs an explanation in a separate process, with limits on time and memory.

The process reads the output of programs that may try to break the grader. It sends drafts, each
more complete than the previous draft. Even if the process is killed, its last draft counts.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any

from ..sandbox.program import ENDING_SECONDS, HAS_SANDBOX
from ..signals import ENDING_SIGNALS

MAX_SENT = 64 << 20  # maximum size of one draft of an explanation, in bytes
# Yields drafts. Each contains everything found so far, and replaces the previous draft.
Drafts = Callable[[], Iterator[Any]]
# A draft and None; at the end, None and why the explanation is incomplete, or '' if it is complete.
Message = tuple[Any, str | None]


def explain_apart(
    explain: Drafts, seconds: float, memory: int, clear: Callable[[], None] = lambda: None
) -> tuple[Any, str]:
    """Return the last draft of an explanation, and why it is incomplete, or '' if it is complete.

    The explanation runs in a fork of this process. The fork may take `seconds` of real time and use
    `memory` bytes. If it does not end by itself, `clear` removes what its runs of the program left
    behind.
    """
    received: list[Message] = [(None, None)]  # begins with "no draft yet"
    if not HAS_SANDBOX:  # then only the user's own program is graded
        send_drafts(explain, received.append, seconds, memory)
        return received[-2][0], received[-1][1] or ''
    import multiprocessing  # not needed to grade a correct program
    import pickle

    from ..sandbox.kernel import (
        Descendants,
        patiently,  # only on Linux and macOS
    )

    until = time.monotonic() + seconds
    context = multiprocessing.get_context('fork')
    receiver, sender = context.Pipe(duplex=False)
    with receiver, closing(Descendants()):
        with sender:
            process = context.Process(
                target=send_drafts, args=(explain, sender.send, seconds, memory)
            )
            try:
                patiently(process.start)
            except OSError as error:
                return None, f'its process could not be started: {error.strerror}'
        try:
            while receiver.poll(max(0, until - time.monotonic())):
                received.append(pickle.loads(receiver.recv_bytes(MAX_SENT)))
                if received[-1][1] is not None:
                    return received[-2][0], received[-1][1]
            return received[-1][0], f'it took more than {seconds:g} s'
        except (EOFError, OSError):
            return received[-1][0], 'its process was killed'
        finally:
            if received[-1][1] is None:
                # Stop the process before killing it, so that it starts no more programs while
                # `clear` removes what they have left.
                assert process.pid  # the process was started
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGSTOP)
                clear()
            process.kill()
            process.join(ENDING_SECONDS)


def send_drafts(
    explain: Drafts, send: Callable[[Message], None], seconds: float, memory: int
) -> None:
    """Send each draft of an explanation; at the end, send why it is incomplete, or ''.

    If there is a sandbox, this function must run in a fork of the grader: it limits its process.
    """
    end = ''
    if HAS_SANDBOX:
        import resource  # not on Windows

        gc.freeze()  # the grader's objects outlive this process: collecting them would waste time
        for number in ENDING_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        # The limit on processor time matters only if the grader is killed; otherwise, the grader
        # ends this process in time. Runs of the program have their own limits.
        for kind, limit in (
            (resource.RLIMIT_DATA, memory),
            (resource.RLIMIT_CPU, math.ceil(seconds) + 1),
        ):
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))
    try:
        for found in explain():
            send((found, None))
    except MemoryError:
        end = f'it used more than {memory >> 20} MB of memory'
    except Exception as error:
        end = type(error).__name__
    send((None, end))
