"""Workers on this machine: one process for each submission, so that one can fail alone.

The grader starts no threads, so that it can fork workers after all imports. Workers end when the
grader ends, even if it is killed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from contextlib import ExitStack, closing, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from threading import Thread, main_thread
from typing import Dict, Iterator, Sequence, Tuple

from .batch import Summaries, grade_one_of_many
from .grader import Task
from .reports.files import INTERRUPTED
from .reports.results import Results, without_grade, write_whole
from .sandbox.confine import remove_abandoned
from .sandbox.processes import (
    Descendants,
    descendants,
    lighten,
    processor_seconds,
    threads_of,
)
from .sessions.class_lock import CLASS, LONG, OVER, locked, processors
from .signals import ENDING_SIGNALS, Ended, end

WORKER_KILLED = "the grader's process for it was killed"

LOOKING = 0.5                           # seconds between two looks at the submissions
MOST_RUNNING = 8                        # submissions for each processor, most of which wait
LOWEST = 19                             # priority

# The workers, by the connection that brings the result; each with the time of its start, by the
# monotonic clock.
Running = Dict[Connection, Tuple[ForkProcess, Task, float]]


def grade_all(tasks: Sequence[Task]) -> Summaries:
    """Yield the result of each task as soon as it is known; grade as many at once as processors.

    A submission that has had `LONG` seconds does not count any more.
    """
    waiting = list(reversed(tasks))
    folder = tasks[0].settings.lock_folder if tasks else None
    running: Running = {}
    with closing(Descendants()), ExitStack() as class_:
        try:
            while waiting or running:
                yield from start_some(waiting, running)
                if folder and not waiting:
                    note_end(folder)
                if not any(map(is_short, running.values())):
                    class_.close()      # who waits to be alone may be
                elif folder:            # if this process does not lock it already
                    locked(class_, folder / CLASS, alone=True)
                for receiver in wait(list(running), LOOKING):
                    assert isinstance(receiver, Connection)
                    yield received(receiver, running)
                give_way(running)
        finally:
            for process, *_ in running.values():
                process.terminate()
            for process, *_ in running.values():
                process.join()
            if running:                 # they may have been ended before they could clean up
                remove_abandoned()


def start_some(waiting: list[Task], running: Running) -> Iterator[Results]:
    """Start those who wait as long as there is a place; yield results of who cannot be started."""
    while waiting and (sum(map(is_short, running.values())) < processors()
                       and len(running) < MOST_RUNNING * processors()):
        task = waiting.pop()
        context = multiprocessing.get_context('fork')
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(task, sender))
        try:
            with sender:
                # A signal that asks for an end waits until the worker can handle it.
                before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
                try:
                    process.start()
                    running[receiver] = process, task, time.monotonic()
                finally:
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except OSError as error:
            if running:                 # when one of them has ended, there may be room
                waiting.append(task)
                return
            yield without_grade(task.name, f'the system has no process for it: {error.strerror}')


def note_end(folder: Path) -> None:
    """Note in the folder of a class, once, when its last submission has begun."""
    if not (folder / OVER).exists():
        with suppress(OSError):         # a program may have filled the disk; then another time
            write_whole(folder / OVER, str(time.monotonic()))


def is_short(one: tuple[ForkProcess, Task, float]) -> bool:
    """Return whether a submission still holds a place."""
    return time.monotonic() < one[2] + LONG


def give_way(running: Running) -> None:
    """Give the lowest priority to all processes of submissions that have used up their time.

    It is the processors' time that counts: on a busy machine a right program may take long, too.
    Linux may share the processors out among sessions; /proc/*/autogroup has the priority of one.
    """
    for process, *_ in running.values():
        if not process.pid:
            continue
        numbers = [process.pid, *descendants(process.pid)]
        for number in numbers if processor_seconds(numbers) >= LONG else ():
            with suppress(OSError):         # it has ended, or there is no such file
                lighten(number)
                for thread in threads_of(number):
                    os.setpriority(os.PRIO_PROCESS, thread, LOWEST)
                if os.getsid(number) != os.getsid(0):
                    Path(f'/proc/{number}/autogroup').write_text(str(LOWEST), encoding='ascii')


def received(receiver: Connection, running: Running) -> Results:
    """Return the result that a worker sent, or note that it was killed; wait for its end."""
    process, task, _ = running[receiver]
    try:
        graded: Results | None = receiver.recv()
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
    grader = multiprocessing.parent_process()
    if grader and grader.is_alive():
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
