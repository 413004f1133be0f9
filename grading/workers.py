"""Workers, who grade the submissions of a class: on this machine, or on those of a cluster.

Here each submission has a process of its own, so that one can fail alone. The grader starts no
threads, so that it can fork workers after all imports. Workers end when the grader ends, even if it
is killed.

On a cluster, that of a dask.distributed scheduler, each worker runs the same grader, in a folder of
its own and with its own sandbox. The grader sends it the safe copy of a submission, so that all
limits hold, and gets the results.
"""

from __future__ import annotations

import io
import logging
import math
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from threading import Thread, main_thread
from typing import Any

from .grader import GradeAll, Summaries, Task, grade, grade_one_of_many
from .installation import ROOT, grader_version
from .printable import decoded, printable
from .reports.results_json import read_results, write_results
from .results import INTERRUPTED, RIGHT, WRONG, Results, without_grade
from .sandbox.confine import remove_abandoned, scratch_folder
from .sandbox.kernel import patiently, status_of
from .sandbox.processes import (
    Descendants,
    descendants,
    lighten,
    processor_seconds,
    threads_of,
)
from .seeds import SEED_VARIABLE
from .sessions.class_lock import CLASS, LONG, MOST_LONG, OVER, locked, processors
from .settings import DataFile
from .signals import ENDING_SIGNALS, Ended, end
from .submissions.assignment_files import put
from .submissions.copying import Submission
from .whole_file import write_whole

LOOKING = 0.2  # seconds between two looks at the submissions
IDLE = 0.1  # share of a processor; using less holds no place
MOST_RUNNING = 8  # submissions for each processor, most of which wait
LOWEST = 19  # priority
# Of a cluster.
ANSWER_SECONDS = 10  # for a scheduler to answer
RETRIES = 2  # if a worker fails; if one dies, dask itself tries again
# Ends the grader that a worker has started, if the worker is killed.
TIED = ['setpriv', '--pdeathsig', 'TERM']


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


# The workers, by the connection that brings the result.
Running = dict[Connection, Worker]


def grade_all(tasks: Sequence[Task]) -> Summaries:
    """Yield the result of each task as soon as it is known; grade as many at once as processors.

    A submission that has had `LONG` seconds, or that uses no processor, does not count as one of
    these. Whoever has not begun always may: if too many have begun, one of those that do not count
    is put back. It begins anew when all others have begun. If the machine lacks something for a
    submission, grade it once more, when all others are done.
    """
    waiting, put_back = list(reversed(tasks)), list[Task]()
    short, repeated = list[Task](), list[Task]()
    folder = tasks[0].settings.lock_folder if tasks else None
    running: Running = {}
    with closing(Descendants()), ExitStack() as class_:
        try:
            while waiting or put_back or running or short:
                if short and not (waiting or put_back or running):
                    waiting.append(short.pop(0))
                yield from start_some(waiting, put_back, running)
                with suppress(OSError):  # if a program has filled the disk, another time
                    if folder and not (waiting or put_back or (folder / OVER).exists()):
                        write_whole(folder / OVER, str(time.monotonic()))
                    if not waiting and not any(worker.is_new for worker in running.values()):
                        class_.close()  # now those that wait to be alone may run
                    elif folder:  # unless this process has locked it already
                        locked(class_, folder / CLASS, alone=True)
                for receiver in wait(list(running), LOOKING):
                    assert isinstance(receiver, Connection)
                    worker, graded = received(receiver, running)
                    if worker.is_put_back and graded.score is None:
                        put_back.insert(0, worker.task)
                    elif graded.is_short and worker.task not in repeated:
                        short.append(worker.task)
                        repeated.append(worker.task)
                    else:
                        yield graded
                for worker in running.values():
                    worker.look()
                    if worker.is_put_back:
                        worker.process.terminate()  # one signal may be lost
        finally:
            for worker in running.values():
                worker.process.terminate()
            for worker in running.values():
                worker.process.join()
            remove_abandoned()  # they may have been ended before they could clean up


def start_some(waiting: list[Task], put_back: list[Task], running: Running) -> Iterator[Results]:
    """Start submissions as long as there is a place; yield results of those that cannot start.

    Of those that were put back start no more than may run at once.
    """
    places = next((task.settings.places for task in [*waiting, *put_back]), None) or math.inf
    most = MOST_RUNNING * int(min(processors(), places))
    # Where all wait for few places, one that waits has perhaps not had anything of its time.
    has_few = places < (1 + MOST_LONG) * processors()
    while sum(worker.holds_place for worker in running.values()) < processors() and (
        waiting or (put_back and len(running) < most)
    ):
        if not has_room(running, most, has_few):
            return
        queue = waiting or put_back
        task = queue.pop()
        try:
            receiver, sender = multiprocessing.Pipe(duplex=False)
            process = ForkProcess(target=work, args=(task, sender))
            with sender:
                # A signal that asks for an end waits until the worker can handle it.
                before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
                try:
                    patiently(process.start)
                    running[receiver] = Worker(process, task)
                finally:
                    signal.pthread_sigmask(signal.SIG_SETMASK, before)
        except OSError as error:
            if running:  # when one of them has ended, there may be room
                queue.append(task)
                return
            yield without_grade(task.name, f'the system has no process for it: {error.strerror}')


def has_room(running: Running, most: int, spares_new: bool) -> bool:
    """Return whether one more may start, so that no more than `most` go on.

    Put back the submission that loses least by it, if that is needed, and no new one if they are to
    be spared.
    """
    staying = [worker for worker in running.values() if not worker.is_put_back]
    if len(staying) < most:
        return True
    candidates = [
        worker for worker in staying if not (worker.is_new if spares_new else worker.holds_place)
    ]
    if not candidates:
        return False
    last = max(candidates, key=lambda worker: worker.start)
    last.is_put_back = True
    last.process.terminate()
    return True


def received(receiver: Connection, running: Running) -> tuple[Worker, Results]:
    """Return a worker, and the result that it sent, or a note that it was killed.

    Wait for its end. The system may have killed it for want of memory.
    """
    worker = running[receiver]
    try:
        graded: Results | None = receiver.recv()
    except (OSError, EOFError):
        graded = None
    worker.process.join()
    del running[receiver]
    receiver.close()
    if not graded:
        remove_abandoned()
        graded = without_grade(worker.task.name, "the grader's process for it was killed")
        graded.is_short = True
    return worker, graded


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


# ------------------------------------------------------------------------------------ on a cluster


class ClusterError(OSError):
    """Why a cluster, or one of its workers, cannot grade."""


@contextmanager
def cluster(address: str) -> Iterator[GradeAll]:
    """Provide the workers of the scheduler at an address. Raises `ClusterError`."""
    from distributed import Client  # an extra of its own

    for name in ('distributed', 'distributed.client'):  # this module reports their errors
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f'{address}: {error or "no answer"}') from None
    with client:
        slots = sum(client.ncores().values())
        if not slots:
            raise ClusterError(f'{address}: the scheduler has no workers')
        yield partial(grade_all_there, client, 2 * slots)  # so that no worker waits for the next


def grade_all_there(client: Any, at_once: int, tasks: Sequence[Task]) -> Summaries:
    """Yield the result of each task as soon as it is known; send a few tasks ahead."""
    executor = client.get_executor(pure=False, retries=RETRIES)
    with ThreadPoolExecutor(at_once) as pool:
        futures = [
            pool.submit(grade_one_of_many, task, partial(grade_there, executor)) for task in tasks
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
            executor.shutdown(wait=False)


def grade_there(executor: Executor, task: Task, handed_in: Submission, digest: str) -> Results:
    """Grade one submission on a worker; save its results and return them."""
    if handed_in.complaint or not handed_in.folder:
        return grade(task, handed_in, digest)  # there is nothing to be run
    try:
        results = executor.submit(
            grade_sent,
            packed(handed_in.folder),
            task.settings.words,
            task.settings.seed,
            task.settings.assignment.name,
            task.settings.assignment.files,
            grader_version(),
        ).result()
    except CancelledError:
        raise Ended('the end of the cluster or the grader') from None
    results = replace(
        results,
        submission=task.name,
        id=task.id,
        email=task.email,
        late=task.late,
        assignment=task.settings.assignment.label,
        notes=[*task.notes, *handed_in.notes, *results.notes],
        # The worker's is of its own copy.
        fingerprint=results.fingerprint and digest,
    )
    if task.folder:
        write_results(task.folder / 'results.json', results)
    return results


def packed(folder: Path) -> bytes:
    """Return all files of a folder, with their links and modes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode='w:gz') as archive:
        archive.add(folder, '.')
    return stream.getvalue()


def grade_sent(
    submission: bytes,
    words: Sequence[str],
    seed: int | None,
    game: str,
    files: Sequence[DataFile],
    version: str,
) -> Results:
    """Grade a submission that was sent to this worker. Raises `ClusterError`."""
    if grader_version() != version:
        raise ClusterError('a worker has another version of the grader or its sessions')
    with scratch_folder() as scratch:
        folder, out = scratch / 'submission', scratch / 'out'
        with tarfile.open(fileobj=io.BytesIO(submission)) as archive:
            filters: Any = archive  # only newer versions of Python have them
            filters.extraction_filter = getattr(tarfile, 'data_filter', None)
            archive.extractall(folder)
        if files:
            assignment = scratch / 'sessions' / game
            assignment.parent.mkdir()
            put(files, assignment)
            game = str(assignment)
        tied = TIED if shutil.which(TIED[0]) else []
        grader = subprocess.run(
            [
                *tied,
                sys.executable,
                '-m',
                'grading',
                'grade',
                *words,
                game,
                '--out',
                str(out),
                str(folder),
            ],
            check=False,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, SEED_VARIABLE: '' if seed is None else str(seed)},
        )
        if grader.returncode not in (RIGHT, WRONG):
            said = decoded(grader.stderr).strip().rpartition('\n')[2]
            raise ClusterError(f'a worker could not grade this: {printable(said)}')
        results = read_results(out / folder.name / 'results.json')
        assert results
        return results
