"""Grades the submissions of a class in parallel, on a dask.distributed cluster.

This process makes a safe copy of each submission (see `submissions.copying`), sends the copy to a
worker, and gets the results back. The worker runs the same grader, with its own sandbox and the
usual limits.
"""

from __future__ import annotations

import io
import logging
import os
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

from ..engine.grade import grade
from ..exit_statuses import RIGHT, WRONG
from ..installation import ROOT, grader_version
from ..printable import decoded, printable
from ..reports.out_folder import write_pages
from ..reports.results_json import read_results
from ..results import Results
from ..sandbox.scratch import scratch_folder
from ..seeds import SEED_VARIABLE
from ..settings import DataFile
from ..signals import Termination
from ..submissions.assignment_files import put_files
from ..submissions.copying import Submission
from .stages import grade_one_of_many, open_task
from .task import GradeAll, Summaries, Task

ANSWER_SECONDS = 10  # how long to wait for the scheduler to answer
RETRIES = 2  # how often to retry after an error in a worker; if a worker dies, dask retries anyway
# With these words before its command line, the grader ends when the worker that started it is
# killed.
TIED = ['setpriv', '--pdeathsig', 'TERM']


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
        slots = sum(client.ncores().values())
        if not slots:
            raise ClusterError(f'{address}: the scheduler has no workers')
        # Send two tasks for each slot, so that no worker waits for its next task.
        yield partial(grade_all_there, client, 2 * slots)


def grade_all_there(client: Any, most_sent: int, tasks: Sequence[Task]) -> Summaries:
    """Yield a summary of each task's results as soon as it is known.

    At any time, up to `most_sent` tasks are in preparation here or on the workers.
    """
    executor = client.get_executor(pure=False, retries=RETRIES)
    with ThreadPoolExecutor(most_sent) as pool:
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


def grade_there(executor: Executor, task: Task) -> Results:
    """Return a submission's results, from a worker if anything must be run; write its pages here.

    Results of an earlier grading are reused if they are still valid.
    """
    with open_task(task) as (task, submission, saved):
        results = saved.earlier()
        if not results:
            if submission.folder and not submission.complaint:
                results = graded_by_worker(executor, task, submission, submission.folder)
                saved.update(results)
            else:  # there is nothing to run
                results = grade(
                    task.assignment, submission, task.options, saved.update, task.machine
                )
    if task.folder:
        write_pages(task.folder, results, task.assignment.transcripts)
    return results


def graded_by_worker(
    executor: Executor, task: Task, submission: Submission, folder: Path
) -> Results:
    """Send the `folder` of a submission to a worker; return the worker's results."""
    try:
        results = executor.submit(
            grade_sent,
            pack_folder(folder),
            task.options.words_for(task.assignment),
            task.options.seed,
            task.assignment.name,
            task.assignment.files,
            grader_version(),
        ).result()
    except CancelledError:
        raise Termination('the shutdown of the cluster or the grader') from None
    return replace(
        results,
        submission=task.name,
        id=task.id,
        email=task.email,
        late=task.late,
        assignment=task.assignment.label,
        notes=[*submission.notes, *results.notes],
        fingerprint='',  # the worker's fingerprint is only valid for the worker's copy
    )


def pack_folder(folder: Path) -> bytes:
    """Return a compressed tar archive of everything in a folder, with links and modes."""
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
    """Grade a submission on this worker. Raises `ClusterError`.

    submission  its packed folder
    words       the grader's options, as words of a command line
    game        the name of the assignment
    files       the files of the assignment; none if the assignment is built in
    version     the version of the grader on the sending machine
    """
    if grader_version() != version:
        raise ClusterError('a worker has a different version of the grader or of the sessions')
    with scratch_folder() as scratch:
        folder, out = scratch / 'submission', scratch / 'out'
        with tarfile.open(fileobj=io.BytesIO(submission)) as archive:
            filters: Any = archive  # older versions of Python have no extraction filters
            filters.extraction_filter = getattr(tarfile, 'data_filter', None)
            archive.extractall(folder)
        if files:
            assignment = scratch / 'sessions' / game
            assignment.parent.mkdir()
            put_files(files, assignment)
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
            message = decoded(grader.stderr).strip().rpartition('\n')[2]
            raise ClusterError(f'a worker could not grade this submission: {printable(message)}')
        results = read_results(out / folder.name / 'results.json')
        assert results
        return results
