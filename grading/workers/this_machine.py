"""Grades a class on this machine: many submissions at once, each in its own process.

This way, a submission can fail without affecting the others. The grader itself runs no threads, so
it can safely fork workers once everything is imported. The workers end when the grader ends, even
if the grader is killed.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from threading import Thread, main_thread

from ..engine.class_lock import FREE_SECONDS, SEATS_PER_PROCESSOR, ClassGate, processors
from ..reports.interruptions import INTERRUPTED
from ..results import Results, without_grade
from ..sandbox.control_groups import minimize_cpu_share
from ..sandbox.descendants import Descendants, descendants, processor_seconds, threads_of
from ..sandbox.kernel import patiently, stat_fields
from ..sandbox.scratch import remove_abandoned
from ..signals import ENDING_SIGNALS, Termination, end
from .stages import grade_one_of_many
from .task import Summaries, Task

CHECK_SECONDS = 0.2  # seconds between checks of how much the submissions use
IDLE = 0.1  # share of a processor; if a submission uses less, it does not hold a slot
MAX_RUNNING = 8  # maximum number of submissions in progress per processor; most are waiting
LOWEST = 19  # the lowest priority


def grade_all(tasks: Sequence[Task]) -> Summaries:
    """Yield a summary of each task's results as soon as it is known.

    There is one slot for each processor. A submission holds a slot only during its first
    `FREE_SECONDS`, and only while it is using the processor. A waiting submission starts as soon as
    a slot is free. If too many submissions would then be in progress, one without a slot is put
    back, and starts over once all the others have begun. If the machine runs short of something,
    such as memory, while a submission is being graded, this submission is retried once, alone,
    after all the others.
    """
    queue = Queue(tasks)
    with (
        closing(Descendants()),
        ClassGate(tasks[0].machine.lock_folder if tasks else None) as gate,
    ):
        try:
            while not queue.is_done:
                yield from queue.start_some()
                gate.update(queue.have_all_begun, queue.have_all_had_time)
                yield from queue.results_within(CHECK_SECONDS)
                queue.look_at_running()
        finally:
            queue.end()
            remove_abandoned()  # workers may have been killed before they could clean up


class Queue:
    """The submissions of a class, both waiting and in progress.

    After a submission is put back, it waits until all others have begun. If the machine ran short
    of something while a submission was being graded, this submission waits until all others are
    done, and is retried once, alone.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._waiting = deque(tasks)  # tasks not begun yet
        self._put_back = deque[Task]()  # tasks stopped so that others can start
        self._short = deque[Task]()  # tasks to retry, because the machine ran short of something
        self._repeated: list[Task] = []  # all tasks ever put into `_short`
        self._running: dict[Connection, Worker] = {}  # by the connection for receiving the results

    @property
    def is_done(self) -> bool:
        """Whether all submissions are graded."""
        return not (self._waiting or self._put_back or self._running or self._short)

    @property
    def have_all_begun(self) -> bool:
        """Whether no submission is waiting to begin or to start over."""
        return not (self._waiting or self._put_back)

    @property
    def have_all_had_time(self) -> bool:
        """Whether every submission has begun and had its first `FREE_SECONDS`."""
        return not self._waiting and not any(worker.is_new for worker in self._running.values())

    def start_some(self) -> Iterator[Results]:
        """Start submissions while a slot is free; yield the results of those that cannot start.

        After being put back, a submission starts only if no other must be put back to make room.
        """
        if not (self._waiting or self._put_back or self._running):
            self._waiting.append(self._short.popleft())
        while self._waiting or self._put_back:
            most, has_few_places = self._bounds()
            is_full = sum(worker.holds_slot for worker in self._running.values()) >= processors()
            starts_over = not self._waiting
            if is_full or (starts_over and len(self._running) >= most):
                return
            if not self._make_room(most, has_few_places):
                return
            queue = self._waiting or self._put_back
            task = queue.popleft()
            try:
                self._start(task)
            except OSError as error:
                if self._running:  # there may be room once a running submission has ended
                    queue.appendleft(task)
                    return
                yield without_grade(
                    task.name, f'no process could be started to grade it: {error.strerror}'
                )

    def results_within(self, seconds: float) -> Iterator[Results]:
        """Wait up to `seconds` for results; yield them unless their submissions will start over."""
        for receiver in wait(list(self._running), seconds):
            assert isinstance(receiver, Connection)
            worker = self._running.pop(receiver)
            results = receive_results(receiver, worker)
            if worker.is_put_back and results.score is None:  # not done yet
                self._put_back.append(worker.task)
            elif results.is_short and worker.task not in self._repeated:
                self._short.append(worker.task)
                self._repeated.append(worker.task)
            else:
                yield results

    def look_at_running(self) -> None:
        """Measure what the running submissions use, and stop those put back."""
        for worker in self._running.values():
            worker.look()
            if worker.is_put_back:
                worker.process.terminate()  # again, in case an earlier signal was lost

    def end(self) -> None:
        """End all running submissions."""
        for worker in self._running.values():
            worker.process.terminate()
        for worker in self._running.values():
            worker.process.join()

    def _bounds(self) -> tuple[int, bool]:
        """Return how many submissions may be in progress, and whether the machine has few places.

        Places are for runs of programs (see `Machine`). A machine has few places if it has room for
        fewer runs than its processors could handle.
        """
        tasks = [*self._waiting, *self._put_back]
        places = (tasks[0].machine.places if tasks else None) or math.inf
        has_few_places = places < (1 + SEATS_PER_PROCESSOR) * processors()
        return MAX_RUNNING * int(min(processors(), places)), has_few_places

    def _make_room(self, most: int, has_few_places: bool) -> bool:
        """Make room for one more submission; return whether there is room.

        At most `most` submissions may be in progress, not counting those being put back. If
        necessary, put back a submission without a slot: the last to begin, because it has the least
        to lose. On a machine with few places, never put back a new submission, because it may not
        have run yet.
        """
        staying = [worker for worker in self._running.values() if not worker.is_put_back]
        if len(staying) < most:
            return True
        candidates = [worker for worker in staying if not worker.holds_slot]
        if has_few_places:
            candidates = [worker for worker in staying if not worker.is_new]
        if not candidates:
            return False
        last = max(candidates, key=lambda worker: worker.start)
        last.is_put_back = True
        last.process.terminate()
        return True

    def _start(self, task: Task) -> None:
        """Start a process to grade a submission. Raises `OSError`."""
        receiver, sender = multiprocessing.Pipe(duplex=False)
        process = ForkProcess(target=work, args=(task, sender))
        with sender:
            # Block signals until the worker can handle them.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
            try:
                patiently(process.start)
                self._running[receiver] = Worker(process, task)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass
class Worker:
    """A process, and the submission it grades."""

    process: ForkProcess
    task: Task
    start: float = field(default_factory=time.monotonic)
    used: float = 0.0  # processor time used until the last check, in seconds
    last_check: float = field(default_factory=time.monotonic)
    is_idle: bool = False  # whether it hardly used the processor between the last two checks
    is_put_back: bool = False  # whether it was stopped so that others can start

    @property
    def is_new(self) -> bool:
        """Whether the submission is still in its first `FREE_SECONDS`."""
        return time.monotonic() < self.start + FREE_SECONDS

    @property
    def holds_slot(self) -> bool:
        return self.is_new and not self.is_idle and not self.is_put_back

    def look(self) -> None:
        """Measure how much processor time all processes of the submission have used.

        Once they have used up `FREE_SECONDS`, give them all the lowest priority. A limit on elapsed
        time would be unfair, because even a correct program takes a long time on a busy machine.
        Linux may divide processor time among process sessions; /proc/*/autogroup sets the priority
        of a session.
        """
        now = time.monotonic()
        if now < self.last_check + CHECK_SECONDS:
            return
        assert self.process.pid  # it has been started
        numbers = [self.process.pid, *descendants(self.process.pid)]
        used = processor_seconds(numbers)
        self.is_idle = used - self.used < IDLE * (now - self.last_check) and not any(
            stat_fields(number)[:1] == [b'R'] for number in numbers
        )
        self.used, self.last_check = used, now
        if used < FREE_SECONDS:
            return
        for number in numbers:
            with suppress(OSError):  # the process has ended, or the system has no autogroup file
                minimize_cpu_share(number)
                for thread in threads_of(number):
                    os.setpriority(os.PRIO_PROCESS, thread, LOWEST)
                if os.getsid(number) != os.getsid(0):
                    Path(f'/proc/{number}/autogroup').write_text(str(LOWEST), encoding='ascii')


def receive_results(receiver: Connection, worker: Worker) -> Results:
    """Return the results a worker sent, and wait for the worker to end.

    If the worker sent none, it was killed, perhaps because memory ran out; the results then say so.
    """
    try:
        results: Results | None = receiver.recv()
    except (OSError, EOFError):
        results = None
    worker.process.join()
    receiver.close()
    if not results:
        remove_abandoned()
        results = without_grade(worker.task.name, 'the process that graded it was killed')
        results.is_short = True
    return results


def work(task: Task, sender: Connection) -> None:
    """Grade one submission in this process, and send a summary of the results.

    Signals are blocked at the beginning and the end, when nothing could handle them.
    """
    # Ctrl-C sends a signal to all processes, but only the grader may end its workers, with SIGTERM.
    for number in ENDING_SIGNALS:
        signal.signal(number, end if number == signal.SIGTERM else ignore_signal)
    Thread(target=end_with_grader, daemon=True).start()
    graded = without_grade(task.name, INTERRUPTED)
    with suppress(Termination):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)
        graded = grade_one_of_many(task)
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
    grader = multiprocessing.parent_process()
    if grader and grader.is_alive():
        with suppress(BrokenPipeError):
            sender.send(graded)
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
