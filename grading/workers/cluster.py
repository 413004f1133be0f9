"""Grades the submissions of a class in parallel, on a dask.distributed cluster.

This process makes a safe copy of each submission (see `submissions.copying`), sends the copy to a
worker, and gets the results back. The worker starts the same grader, with its own sandbox and the
usual limits.

First each submission is one task, which shares the machine with others. If it must run alone, it is
sent once more at the end, as a task that runs with no other.
"""

from __future__ import annotations

import io
import logging
import pickle
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ..engine.grade import grade, sandbox_probed
from ..engine.retries import Shortage
from ..engine.stints import Stint, StintKind
from ..installation import ROOT, grader_version
from ..printable import decoded, printable
from ..reports.out_folder import write_pages
from ..reports.wording import in_words
from ..results import UNGRADED, Results
from ..sandbox.scratch import scratch_folder
from ..signals import Termination, ended_by_signals
from ..submissions.copying import Submission
from .task import GradeAll, MustBeAlone, Summaries, Task, grade_one_of_many, grade_task, open_task

ANSWER_SECONDS = 10  # how long to wait for the scheduler to answer
RETRIES = 2  # how often to retry after an error in a worker; if a worker dies, dask retries anyway
# With these words before its command line, the grader ends when the worker that started it is
# killed.
TIED = ['setpriv', '--pdeathsig', 'TERM']
COMMAND = 'import sys; from grading.workers.cluster import main; sys.exit(main())'


class ClusterError(OSError):
    """A cluster, or one of its workers, cannot grade; the message says why."""


@contextmanager
def cluster(address: str) -> Iterator[GradeAll]:
    """Provide a function that grades tasks on the workers of the scheduler at `address`.

    Raises `ClusterError`.
    """
    from distributed import Client  # an optional dependency

    for name in ('distributed', 'distributed.client'):  # this module reports errors itself
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f'{address}: {error or "no answer"}') from None
    with client:
        processors = sum(client.ncores().values())
        if not processors:
            raise ClusterError(f'{address}: the scheduler has no workers')
        # Send two tasks for each processor, so that no worker waits for its next task.
        yield partial(grade_all_there, client, 2 * processors)


def grade_all_there(client: Any, most_sent: int, tasks: Sequence[Task]) -> Summaries:
    """Yield a summary of each task's results as soon as it is known.

    At any time, up to `most_sent` tasks are in preparation here or on the workers. Those that must
    run alone do so at the end.
    """
    executor = client.get_executor(pure=False, retries=RETRIES)
    alone = []
    with ThreadPoolExecutor(most_sent) as pool:
        futures = {
            pool.submit(grade_one_of_many, task, partial(grade_there, executor, 'slow')): task
            for task in tasks
        }
        try:
            for future in as_completed(futures):
                results = future.result()
                if results.is_short:
                    alone.append(futures[future])
                else:
                    yield results
            for task in alone:
                yield grade_one_of_many(task, partial(grade_there, executor, 'alone'))
        finally:
            for future in futures:
                future.cancel()
            executor.shutdown(wait=False)


def grade_there(executor: Executor, kind: StintKind, task: Task) -> Results:
    """Return a submission's results, from a worker if anything must be run; write its pages here.

    Results of an earlier grading are reused if they are still valid. Raises `MustBeAlone`.
    """
    with open_task(task) as (task, submission, saved):
        results = saved.earlier()
        if not results:
            if submission.folder and not submission.complaint:
                results = graded_by_worker(executor, kind, task, submission, submission.folder)
                saved.update(results)
            else:  # there is nothing to run
                results = grade(
                    task.assignment, submission, task.options, saved.update, task.machine
                )
    if task.folder:
        write_pages(task.folder, results, task.assignment.sessions)
    return results


def graded_by_worker(
    executor: Executor, kind: StintKind, task: Task, submission: Submission, folder: Path
) -> Results:
    """Send the `folder` of a submission to a worker; return the worker's results.

    Raises `MustBeAlone`.
    """
    sent = replace(task, source=None, folder=None, gradescope=None, notes=())
    try:
        results = executor.submit(
            grade_sent, pack_folder(folder), pickle.dumps((sent, kind)), grader_version()
        ).result()
    except CancelledError:
        raise Termination('the shutdown of the cluster or the grader') from None
    if not results:
        raise MustBeAlone
    return replace(results, notes=[*submission.notes, *results.notes])


def pack_folder(folder: Path) -> bytes:
    """Return a compressed tar archive of everything in a folder, with links and modes."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode='w:gz') as archive:
        archive.add(folder, '.')
    return stream.getvalue()


def grade_sent(submission: bytes, task: bytes, version: str) -> Results | None:
    """Grade a submission on this worker; return None if it must run alone. Raises `ClusterError`.

    submission  its packed folder
    task        the pickled task, and the kind of its stint
    version     the version of the grader on the sending machine
    """
    if grader_version() != version:
        raise ClusterError('a worker has a different version of the grader or of the sessions')
    with scratch_folder() as scratch:
        folder = scratch / 'submission'
        with tarfile.open(fileobj=io.BytesIO(submission)) as archive:
            filters: Any = archive  # older versions of Python have no extraction filters
            filters.extraction_filter = getattr(tarfile, 'data_filter', None)
            archive.extractall(folder)
        tied = TIED if shutil.which(TIED[0]) else []
        grader = subprocess.run(  # a process of its own: a worker has threads, and must not fork
            [*tied, sys.executable, '-c', COMMAND, str(folder)],
            check=False,
            cwd=ROOT,
            input=task,
            capture_output=True,
        )
    if grader.returncode:
        message = decoded(grader.stderr).strip().rpartition('\n')[2]
        raise ClusterError(f'a worker could not grade this submission: {printable(message)}')
    results: Results | None = pickle.loads(grader.stdout)
    return results


def main() -> int:
    """Grade a submission in the folder that the command line names; return the exit status.

    The task is on standard input. Its results go to standard output: see `grade_sent`.
    """

    def run() -> int:
        task, kind = pickle.load(sys.stdin.buffer)
        source = Path(sys.argv[1])
        results: Results | None = None
        try:
            with sandbox_probed(task.assignment, task.options, [source]) as (options, machine):
                task = replace(task, source=source, options=options, machine=machine)
                results = grade_task(task, stint=Stint(kind, refuse_to_be_alone))
        except MustBeAlone:
            pass
        except Shortage as error:
            print(in_words(error.interruption), file=sys.stderr)
            return UNGRADED
        except Exception as error:
            print(f'{type(error).__name__}: {error}', file=sys.stderr)
            return UNGRADED
        pickle.dump(results, sys.stdout.buffer)
        return 0

    return ended_by_signals(run)


def refuse_to_be_alone(kind: StintKind) -> None:
    """Refuse a stint alone: others run on the cluster. Raises `MustBeAlone`."""
    if kind == 'alone':
        raise MustBeAlone
