"""The explanation of what went wrong, made in a process of its own.

The process reads what was written by a student who may want the grader to fail, so it has limits of
time and memory. It sends what it finds, piece by piece; if it is killed, its last piece counts. The
points do not depend on it.
"""

from __future__ import annotations

import math
import multiprocessing
import pickle
import re
import signal
import time
from contextlib import closing
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

from .assignments.games import game_of
from .diagnosis.diagnose import diagnose
from .diagnosis.example import explained_example
from .diagnosis.finding import Example, Finding
from .diagnosis.places.traced_runs import Tracing, why_silent
from .player import Player
from .sandbox.program import ENDING_SECONDS, HAS_SANDBOX, folder_of, script_of
from .sessions.transcript import Transcript
from .sessions.verdict import Played
from .settings import Settings
from .signals import ENDING_SIGNALS

MOST_SENT = 64 << 20                    # bytes of one piece
ABOUT_PYTHON = re.compile(r' ?In Python.*?\.(?= |$)')      # a sentence of an advice

# What an explanation has found; how each session fails; and what a clock has cut short.
Found = Tuple[List[Finding], Dict[str, Example], List[str]]
# Yields what it has found so far; each piece replaces the one before.
Explain = Callable[[], Iterator[Any]]


def pieces_of(settings: Settings, player: Player, worth: Callable[[Transcript], float],
              failed: Sequence[Played], passed: Sequence[Transcript]) -> Iterator[Found]:
    """Yield what is found, piece by piece: how each session fails, then why, then where.

    `worth` returns the points of a session.
    """
    examples = {one.session.name: explained_example(one, game_of(one.session)) for one in failed}
    yield [], examples, []
    diagnosis = diagnose(game_of, failed, passed, settings.limits.search,
                         partial(why_silent, player.program))
    is_python = script_of(player.program.words) is not None
    if not is_python:
        for fault in diagnosis.faults:
            fault.advice = ABOUT_PYTHON.sub('', fault.advice).strip()
    late = ['search'] * diagnosis.is_late
    yield diagnosis.findings(worth, game_of), examples, late
    if settings.no_where or player.seconds_left <= 0 or not is_python:
        return
    seconds = settings.limits.tracing
    if settings.lock_folder is not None:    # in a class it takes no more than a fifth of all time
        seconds = min(seconds, player.seconds / 4)
    tracing = Tracing(player.play_traced, folder_of(player.program), seconds)
    # A program that is followed may go another way another time.
    diagnosis, where = tracing.explain(
        diagnosis, failed, [one for one in passed if not one.others])
    late += ['tracing'] * tracing.is_late
    yield diagnosis.findings(worth, game_of, where), examples, late


def explained(explain: Explain, seconds: float, memory: int) -> tuple[Any, str]:
    """Return the last piece of an explanation, and why it ended before its end, '' if it did not.

    The explanation is made in a fork of this process. It may take `seconds` by the clock, and
    `memory` in bytes.
    """
    pieces: list[Any] = [None]
    if not HAS_SANDBOX:                 # only the user's own program is graded
        end = run(explain, pieces.append, memory)
        return pieces[-1], end
    from .sandbox.processes import Descendants  # on Linux and macOS alone

    until = time.monotonic() + seconds
    context = multiprocessing.get_context('fork')
    receiver, sender = context.Pipe(duplex=False)
    with receiver, closing(Descendants()):
        with sender:
            process = context.Process(target=run_limited, args=(explain, sender, seconds, memory))
            try:
                process.start()
            except OSError as error:
                return None, f'the system has no process for it: {error.strerror}'
        try:
            while receiver.poll(max(0, until - time.monotonic())):
                found, end = pickle.loads(receiver.recv_bytes(MOST_SENT))
                if end is not None:
                    return pieces[-1], end
                pieces.append(found)
            return pieces[-1], f'the explanation took more than {seconds:g} s'
        except (EOFError, OSError):
            return pieces[-1], 'the process that explains was killed'
        finally:
            process.kill()
            process.join(ENDING_SECONDS)


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
