"""Grades a class on this machine: each submission in its own process, which waits for its stints.

This way, a submission can fail without affecting the others. The grader itself runs no threads, so
it can safely fork workers once everything is imported. The workers end when the grader ends, even
if the grader is killed.

A worker sends the kind of stint it wants, and goes on when it receives an answer; at the end, it
sends its results.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import resource
import signal
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from threading import Thread, main_thread

from ..engine.stints import Stint, StintKind, next_stint
from ..limits import MAX_WAITING
from ..reports.wording import INTERRUPTED
from ..results import Results, without_grade
from ..sandbox.choose import as_in_terminal
from ..sandbox.control_groups import free_processes, memory_sizes
from ..sandbox.kernel import Descendants, patiently
from ..sandbox.program import ENDING_SECONDS
from ..sandbox.scratch import remove_abandoned
from ..signals import ENDING_SIGNALS, Termination, end
from .task import Summaries, Task, grade_one_of_many, grade_task

RETRY_SECONDS = 0.5  # seconds between attempts to start a process
# What a worker that waits for a stint needs: bytes of memory, processes and threads, and
# descriptors of the grader.
WAITING_MEMORY, WAITING_PROCESSES, WAITING_DESCRIPTORS = 16 << 20, 2, 3
WAITING_SHARE = 4  # waiting workers use at most one part in this many of what is free


@dataclass(eq=False)
class Worker:
    """A submission of the class, and its process, if it has one."""

    task: Task
    wants: StintKind | None = 'quick'  # the stint it waits for, or None if it has a stint
    has: StintKind | None = None
    process: ForkProcess | None = None
    connection: Connection | None = None  # to its process
    is_second_try: bool = False  # whether the machine ran short of something in the first try


def grade_all(tasks: Sequence[Task]) -> Summaries:
    """Yield a summary of each task's results as soon as it is known.

    If the machine runs short of something, such as memory, while a submission is being graded, this
    submission is graded once more, alone, after all the others.
    """
    if tasks and not tasks[0].assignment.requires_flush:
        as_in_terminal(tasks[0].options.confine)  # it is cached, and the workers inherit the cache
    workers = Workers(tasks)
    with closing(Descendants()):
        try:
            while workers.are_left:
                yield from workers.give_stints()
                yield from workers.next_results()
        finally:
            workers.end()
            remove_abandoned()  # workers may have been killed before they could clean up


class Workers:
    """The submissions of a class that are not graded yet."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        # In the order in which they asked for a stint. One without a process starts with its stint.
        self._waiting = [Worker(task) for task in tasks]
        self._running: list[Worker] = []
        self._before: StintKind = 'quick'  # the kind of the last stint that was given
        most_runs = tasks[0].machine.most_runs if tasks else None
        self._most_running = min(processors(), most_runs or math.inf)
        self._most_waiting = most_waiting()

    @property
    def are_left(self) -> bool:
        """Whether any submission is not graded yet."""
        return bool(self._waiting or self._running)

    def give_stints(self) -> Iterator[Results]:
        """Give as many stints as possible; yield the results of submissions that cannot start."""
        while True:
            number = next_stint(
                [worker.wants for worker in self._waiting if worker.wants],
                [worker.has for worker in self._running if worker.has],
                int(self._most_running),
                self._before,
            )
            if number is None:
                return
            worker = self._waiting.pop(number)
            try:
                if not worker.process:
                    start(worker)
            except OSError as error:
                if self._running:
                    self._waiting.insert(number, worker)  # there may be room later
                    return
                started = [other for other in self._waiting if other.process]
                if not started:
                    why = f'no process could be started to grade it: {error.strerror}'
                    yield without_grade(worker.task.name, why)
                    continue
                self._waiting.insert(number, worker)
                worker = started[0]
                self._waiting.remove(worker)
            if worker.connection:
                with suppress(OSError):  # it has been killed: `next_results` finds out
                    worker.connection.send(None)
            worker.wants, worker.has = None, worker.wants
            self._before = worker.has or 'quick'
            self._running.append(worker)

    def next_results(self) -> Iterator[Results]:
        """Wait until workers send something; yield the results that count."""
        workers = [worker for worker in [*self._running, *self._waiting] if worker.process]
        ready = wait([worker.connection for worker in workers if worker.connection], RETRY_SECONDS)
        for worker in workers:
            if worker.connection not in ready:
                continue
            received = receive(worker)
            if worker in self._running:
                self._running.remove(worker)
            else:  # it was killed while it waited
                self._waiting.remove(worker)
            if not isinstance(received, Results):
                worker.wants = received
                self._waiting.append(worker)
            elif received.is_short and not worker.is_second_try:
                self._waiting.append(Worker(worker.task, 'alone', is_second_try=True))
            else:
                yield received
        self._start_over(sum(bool(worker.process) for worker in self._waiting) - self._most_waiting)

    def _start_over(self, number: int) -> None:
        """Stop the processes that wait longest; their submissions start over in a slow stint."""
        for worker in [worker for worker in self._waiting if worker.process][: max(0, number)]:
            self._waiting.remove(worker)
            stop([worker])
            wants: StintKind = 'alone' if worker.is_second_try else 'slow'
            self._waiting.append(Worker(worker.task, wants, is_second_try=worker.is_second_try))

    def end(self) -> None:
        """End all processes."""
        stop([*self._running, *self._waiting])


def processors() -> int:
    """Return how many processors the grader may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1


def most_waiting() -> int:
    """Return how many workers may wait for a stint at a time."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    rooms = (
        memory_sizes()[1] / WAITING_MEMORY,
        free_processes() / WAITING_PROCESSES,
        descriptors / WAITING_DESCRIPTORS,
    )
    return int(min(MAX_WAITING, *(room / WAITING_SHARE for room in rooms)))


def start(worker: Worker) -> None:
    """Start a process that grades a submission when it receives an answer. Raises `OSError`."""
    ours, theirs = multiprocessing.Pipe()
    assert worker.wants
    process = ForkProcess(target=work, args=(worker.task, worker.wants, theirs))
    with theirs:
        # Block signals until the worker can handle them.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
        try:
            patiently(process.start)
            worker.process, worker.connection = process, ours
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def receive(worker: Worker) -> StintKind | Results:
    """Return the kind of stint that a worker asks for, or its results once it has ended.

    If the worker was killed, perhaps because memory ran out, the results say so.
    """
    assert worker.process
    assert worker.connection
    try:
        received: StintKind | Results = worker.connection.recv()
    except (OSError, EOFError):
        received = without_grade(worker.task.name, 'the process that graded it was killed')
        received.is_short = True
        worker.process.join()
        remove_abandoned()
    if isinstance(received, Results):
        worker.process.join()
        worker.connection.close()
    return received


def stop(workers: Sequence[Worker]) -> None:
    """End the processes of submissions, and let them clean up first."""
    processes = [worker.process for worker in workers if worker.process]
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(ENDING_SECONDS)
        process.kill()
        process.join()
    for worker in workers:
        if worker.connection:
            worker.connection.close()


def work(task: Task, kind: StintKind, grader: Connection) -> None:
    """Grade one submission in this process, and send a summary of the results.

    Signals are blocked at the beginning and the end, when nothing could handle them.
    """
    # Ctrl-C sends a signal to all processes, but only the grader may end its workers, with SIGTERM.
    for number in ENDING_SIGNALS:
        signal.signal(number, end if number == signal.SIGTERM else ignore_signal)
    Thread(target=end_with_grader, daemon=True).start()

    def wait_for(kind: StintKind) -> None:
        grader.send(kind)
        grader.recv()

    graded = without_grade(task.name, INTERRUPTED)
    with suppress(Termination):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        grader.recv()
        graded = grade_one_of_many(task, partial(grade_task, stint=Stint(kind, wait_for)))
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    parent = multiprocessing.parent_process()
    if parent and parent.is_alive():
        with suppress(OSError):
            grader.send(graded)
    else:
        remove_abandoned()


def ignore_signal(number: int, frame: object) -> None:
    """Ignore a signal. Programs would inherit SIG_IGN, but they do not inherit this handler."""


def end_with_grader() -> None:
    """Wait until the grader has ended, then end this process."""
    grader, main = multiprocessing.parent_process(), main_thread().ident
    if grader and main:
        grader.join()
        signal.pthread_kill(main, signal.SIGTERM)
