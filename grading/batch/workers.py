"""Workers on this machine: one process for each submission, so that one can fail alone.

The grader starts no threads, so that it can fork workers after all imports. Workers end when the
grader ends, even if it is killed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from threading import Thread, main_thread
from typing import Dict, Iterator, Sequence, Tuple

from ..reports.grades import INTERRUPTED
from ..reports.results_json import SavedResults, without_grade
from ..sandbox.confine import remove_abandoned
from ..sandbox.processes import nothing_left
from ..signals import ENDING_SIGNALS, Ended, end
from .grade import Summaries, Task, grade_one_of_many

WORKER_KILLED = "the grader's process for it was killed"

LONG = 30.0                             # seconds after which a submission holds up no other one
MOST_A_PROCESSOR = 3                    # submissions for each processor, even if all take long

# The workers, by the connection that brings the result; each with the time of its start, by the
# monotonic clock.
Running = Dict[Connection, Tuple[ForkProcess, Task, float]]


def grade_all(tasks: Sequence[Task]) -> Summaries:
    """Yield the result of each task as soon as it is known; grade as many at once as processors.

    Submissions that take long do not count: most of these only wait.
    """
    waiting = list(reversed(tasks))
    running: Running = {}
    with nothing_left():
        try:
            while waiting or running:
                while waiting and has_room(running):
                    task = waiting.pop()
                    try:
                        start(task, running)
                    except OSError as error:
                        if running:     # when one of them has ended, there may be room
                            waiting.append(task)
                            break
                        yield without_grade(
                            task.name, f'the system has no process for it: {error.strerror}')
                for receiver in wait(list(running), LONG / 10):
                    assert isinstance(receiver, Connection)
                    yield received(receiver, running)
        finally:
            for process, *_ in running.values():
                process.terminate()
            for process, *_ in running.values():
                process.join()
            if running:                 # they may have been ended before they could clean up
                remove_abandoned()


def has_room(running: Running) -> bool:
    """Return whether one more submission may be graded at once."""
    now = time.monotonic()
    short = sum(now < begin + LONG for _, _, begin in running.values())
    return short < processors() and len(running) < MOST_A_PROCESSOR * processors()


def start(task: Task, running: Running) -> None:
    """Start a process for a task. Raises `OSError`."""
    context = multiprocessing.get_context('fork')
    receiver, sender = context.Pipe(duplex=False)
    with sender, signals_held_back():
        process = context.Process(target=work, args=(task, sender))
        process.start()
        running[receiver] = process, task, time.monotonic()


def received(receiver: Connection, running: Running) -> SavedResults:
    """Return the result that a worker sent, or note that it was killed; wait for its end."""
    process, task, _ = running[receiver]
    try:
        graded: SavedResults | None = receiver.recv()
    except (OSError, EOFError):
        graded = None
    process.join()
    del running[receiver]
    receiver.close()
    if not graded:
        remove_abandoned()
    return graded or without_grade(task.name, WORKER_KILLED)


def work(task: Task, sender: Connection) -> None:
    """Grade one submission in this process, and send the result.

    At the beginning and the end, when there is no handler, signals are held back.
    """
    for number in ENDING_SIGNALS:       # Ctrl-C reaches all processes; then the grader ends them
        signal.signal(number, end if number == signal.SIGTERM else pass_over)
    Thread(target=end_with_grader, daemon=True).start()
    graded = without_grade(task.name, INTERRUPTED)
    with suppress(Ended):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        graded = grade_one_of_many(task)
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    if grader_is_alive():
        with suppress(BrokenPipeError):
            sender.send(graded)
    else:
        remove_abandoned()


def pass_over(number: int, frame: object) -> None:
    """Ignore a signal. Programs would inherit SIG_IGN, but they do not inherit this handler."""


def end_with_grader() -> None:
    """End this process when the grader has ended."""
    grader, main = multiprocessing.parent_process(), main_thread().ident
    if grader and main:
        grader.join()
        signal.pthread_kill(main, signal.SIGTERM)


def grader_is_alive() -> bool:
    """Return whether the grader still waits for the result."""
    grader = multiprocessing.parent_process()
    return grader is not None and grader.is_alive()


@contextmanager
def signals_held_back() -> Iterator[None]:
    """Hold back the signals that ask for an end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def processors() -> int:
    """Return how many processors the grader may use."""
    if hasattr(os, 'sched_getaffinity'):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
