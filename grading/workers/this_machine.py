"""A class graded on this machine: many submissions at once, each in a process of its own.

So each can fail alone. The grader starts no threads, so that it can fork workers after all imports.
Workers end when the grader ends, even if it is killed.
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

from ..engine.class_lock import LONG, MOST_LONG, ClassGate, processors
from ..reports.interruptions import INTERRUPTED
from ..results import Results, without_grade
from ..sandbox.control_groups import lighten
from ..sandbox.descendants import Descendants, descendants, processor_seconds, threads_of
from ..sandbox.kernel import patiently, status_of
from ..sandbox.scratch import remove_abandoned
from ..signals import ENDING_SIGNALS, Ended, end
from .stages import grade_one_of_many
from .task import Summaries, Task

LOOKING = 0.2  # seconds between two looks at the submissions
IDLE = 0.1  # share of a processor; using less holds no place
MOST_RUNNING = 8  # submissions for each processor, most of which wait
LOWEST = 19  # priority


def grade_all(tasks: Sequence[Task]) -> Summaries:
    """Yield the result of each task as soon as it is known; grade as many at once as processors.

    A submission that has had `LONG` seconds, or that uses no processor, does not count as one of
    these. Whoever has not begun always may: if too many have begun, one of those that do not count
    is put back. It begins anew when all others have begun. If the machine lacks something for a
    submission, grade it once more, when all others are done.
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
                yield from queue.results_within(LOOKING)
                queue.look_at_running()
        finally:
            queue.end()
            remove_abandoned()  # they may have been ended before they could clean up


class Queue:
    """The submissions of a class, on their way from waiting to graded.

    A submission that was put back waits until all others have begun. One for which the machine
    lacked something waits until no other is left, and gets one more try.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._waiting = deque(tasks)  # they have not begun
        self._put_back = deque[Task]()  # they have begun, and were ended
        self._short = deque[Task]()  # the machine lacked something for them
        self._repeated: list[Task] = []  # they have been among these
        self._running: dict[Connection, Worker] = {}  # by what brings the result

    @property
    def is_done(self) -> bool:
        """Whether all are graded."""
        return not (self._waiting or self._put_back or self._running or self._short)

    @property
    def have_all_begun(self) -> bool:
        """Whether nobody waits to begin, or to begin anew."""
        return not (self._waiting or self._put_back)

    @property
    def have_all_had_time(self) -> bool:
        """Whether none waits to begin, and none that runs is new."""
        return not self._waiting and not any(worker.is_new for worker in self._running.values())

    def start_some(self) -> Iterator[Results]:
        """Start submissions as long as there is a place; yield results of those that cannot start.

        Of those that were put back start no more than may run at once.
        """
        if not (self._waiting or self._put_back or self._running):
            self._waiting.append(self._short.popleft())
        while self._waiting or self._put_back:
            most, has_few_places = self._bounds()
            is_full = sum(worker.holds_place for worker in self._running.values()) >= processors()
            is_begun_anew = not self._waiting
            if is_full or (is_begun_anew and len(self._running) >= most):
                return
            if not self._has_room(most, has_few_places):
                return
            queue = self._waiting or self._put_back
            task = queue.popleft()
            try:
                self._start(task)
            except OSError as error:
                if self._running:  # when one of them has ended, there may be room
                    queue.appendleft(task)
                    return
                yield without_grade(
                    task.name, f'the system has no process for it: {error.strerror}'
                )

    def results_within(self, seconds: float) -> Iterator[Results]:
        """Yield the results that come within some seconds, if they count."""
        for receiver in wait(list(self._running), seconds):
            assert isinstance(receiver, Connection)
            worker = self._running.pop(receiver)
            results = received(receiver, worker)
            if worker.is_put_back and results.score is None:
                self._put_back.append(worker.task)
            elif results.is_short and worker.task not in self._repeated:
                self._short.append(worker.task)
                self._repeated.append(worker.task)
            else:
                yield results

    def look_at_running(self) -> None:
        """Look at what the submissions use that run; end those that were put back."""
        for worker in self._running.values():
            worker.look()
            if worker.is_put_back:
                worker.process.terminate()  # one signal may be lost

    def end(self) -> None:
        """End all that run."""
        for worker in self._running.values():
            worker.process.terminate()
        for worker in self._running.values():
            worker.process.join()

    def _bounds(self) -> tuple[int, bool]:
        """Return how many may run at once, and whether they wait for few places."""
        places = next((task.machine.places for task in [*self._waiting, *self._put_back]), None)
        most = min(processors(), places or math.inf)
        return MOST_RUNNING * int(most), (places or math.inf) < (1 + MOST_LONG) * processors()

    def _has_room(self, most: int, has_few_places: bool) -> bool:
        """Return whether one more may start, so that no more than `most` go on.

        If that is needed, put back the submission that loses least by it. Where all wait for few
        places, put back no new one: it has perhaps not had anything of its time.
        """
        staying = [worker for worker in self._running.values() if not worker.is_put_back]
        if len(staying) < most:
            return True
        candidates = [
            worker
            for worker in staying
            if not (worker.is_new if has_few_places else worker.holds_place)
        ]
        if not candidates:
            return False
        last = max(candidates, key=lambda worker: worker.start)
        last.is_put_back = True
        last.process.terminate()
        return True

    def _start(self, task: Task) -> None:
        """Start a process that grades a submission. Raises `OSError`."""
        receiver, sender = multiprocessing.Pipe(duplex=False)
        process = ForkProcess(target=work, args=(task, sender))
        with sender:
            # A signal that asks for an end waits until the worker can handle it.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
            try:
                patiently(process.start)
                self._running[receiver] = Worker(process, task)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass
class Worker:
    """A process that grades a submission."""

    process: ForkProcess
    task: Task
    start: float = field(default_factory=time.monotonic)
    used: float = 0.0  # seconds of the processors, when it was looked at last
    looked: float = field(default_factory=time.monotonic)
    is_idle: bool = False  # whether it hardly used any since the look before
    is_put_back: bool = False  # whether it was ended, so that others can start

    @property
    def is_new(self) -> bool:
        """Whether the submission has not had its time yet."""
        return time.monotonic() < self.start + LONG

    @property
    def holds_place(self) -> bool:
        return self.is_new and not self.is_idle and not self.is_put_back

    def look(self) -> None:
        """Look at what all processes of the submission use.

        If they have used up its time, give all of them the lowest priority. It is the processors'
        time that counts: on a busy machine a right program may take long, too. Linux may share the
        processors out among sessions; /proc/*/autogroup has the priority of one.
        """
        now = time.monotonic()
        if now < self.looked + LOOKING:
            return
        assert self.process.pid  # it has been started
        numbers = [self.process.pid, *descendants(self.process.pid)]
        used = processor_seconds(numbers)
        self.is_idle = used - self.used < IDLE * (now - self.looked) and not any(
            status_of(number)[:1] == [b'R'] for number in numbers
        )
        self.used, self.looked = used, now
        for number in numbers if used >= LONG else ():
            with suppress(OSError):  # it has ended, or there is no such file
                lighten(number)
                for thread in threads_of(number):
                    os.setpriority(os.PRIO_PROCESS, thread, LOWEST)
                if os.getsid(number) != os.getsid(0):
                    Path(f'/proc/{number}/autogroup').write_text(str(LOWEST), encoding='ascii')


def received(receiver: Connection, worker: Worker) -> Results:
    """Return the result that a worker sent, or a note that it was killed; wait for its end.

    The system may have killed it for want of memory.
    """
    try:
        results: Results | None = receiver.recv()
    except (OSError, EOFError):
        results = None
    worker.process.join()
    receiver.close()
    if not results:
        remove_abandoned()
        results = without_grade(worker.task.name, "the grader's process for it was killed")
        results.is_short = True
    return results


def work(task: Task, sender: Connection) -> None:
    """Grade one submission in this process, and send the result.

    At the beginning and the end, when there is no handler, signals are held back.
    """
    for number in ENDING_SIGNALS:  # Ctrl-C reaches all processes; then the grader ends them
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
