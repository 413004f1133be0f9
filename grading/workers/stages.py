"""One submission of many: it is graded and explained, and its results and its page are written.

What has been graded, and has not changed since, is not graded again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..engine.grade import PlayedSessions, grade
from ..engine.player import Shortage
from ..installation import grader_version
from ..printable import printable
from ..reports.addresses import RESULTS
from ..reports.gradescope import for_gradescope
from ..reports.out_folder import write_pages
from ..reports.results_json import read_results, write_json, write_results
from ..reports.summary import summary
from ..results import INTERRUPTED, Results, without_grade
from ..sandbox.untrusted_files import is_shortage
from ..seeds import seed_of
from ..settings import OPTIONS, Options
from ..signals import Ended
from ..submissions.copying import Submission, open_submission
from ..submissions.digests import fingerprint
from .task import Grade, Task

SAVE_SECONDS = 1.0  # at least, between two times while sessions are played

Report = Callable[[int, int], None]  # gets how many of how many are done


def unreported(done: int, total: int) -> None:
    """Report no progress."""


def grade_submission(
    task: Task, submission: Submission, digest: str = '', report: Report = unreported
) -> Results:
    """Grade a submission, explain what is wrong, and return its results, which are saved meanwhile.

    `submission` is its copy; `digest` is the fingerprint of the results, '' if they are not kept.
    If something ends this, note it in the results. Raises `Ended`, `Shortage`, or what a failure of
    the grader raises, such as `SandboxError` and `OSError`.
    """
    files = ResultFiles(task)

    def on_progress(results: Results) -> None:
        report(sum(test.state != 'waiting' for test in results.tests), len(results.tests))
        files.write_at_times(results)

    def explain_saved(
        played: PlayedSessions, results: Results, options: Options, earlier: Any
    ) -> Any:
        from ..diagnosis.explain import explain  # which a right program does not need

        files.write(results)  # points stand, even if the explanation fails
        return explain(played, results, options, earlier)

    try:
        results = grade(
            task.assignment, submission, task.options, on_progress, task.machine, explain_saved
        )
        # Where the time was over before anything went wrong, the machine may have been slow.
        if not results.ended or any(test.state == 'failed' for test in results.tests):
            results.fingerprint = digest  # until something changes they stand
    finally:
        files.write_last()
    return results


class ResultFiles:
    """The files of the results of a task: results.json, and perhaps one for Gradescope.

    They are replaced as a whole, so that nobody reads half of one.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._written = -SAVE_SECONDS  # when they were written last
        self._results: Results | None = None  # which change while sessions are played

    def write(self, results: Results) -> None:
        """Write the files. Raises `OSError`."""
        if self._task.folder:
            write_results(self._task.folder / RESULTS, results)
        if self._task.gradescope:
            write_json(self._task.gradescope, for_gradescope(results))
        self._written = time.monotonic()

    def write_at_times(self, results: Results) -> None:
        """Write the files unless they were written just now: it takes the submission's time."""
        self._results = results
        if time.monotonic() >= self._written + SAVE_SECONDS:
            self.write(results)

    def write_last(self) -> None:
        """Write the files with the results as they are at the end, if there are any."""
        if self._results:
            self.write(self._results)


def grade_task(task: Task, grade_it: Grade = grade_submission) -> Results:
    """Return the results of one submission, graded if something has changed."""
    if task.folder:
        task.folder.mkdir(parents=True, exist_ok=True)
    with open_submission(
        task.source, task.name, id=task.id, email=task.email, late=task.late, notes=task.notes
    ) as submission:
        digest = digest_of(task, submission)
        results = graded_before(task, digest)
        if results:
            if task.gradescope:
                write_json(task.gradescope, for_gradescope(results))
        else:
            results = grade_it(with_seed(task, digest), submission, digest)
    return results


def digest_of(task: Task, submission: Submission) -> str:
    """Return the fingerprint of all that the results depend on, '' if they are not kept."""
    if not task.folder or not submission.folder:
        return ''
    return fingerprint(
        submission.folder,
        (
            grader_version(),
            task.assignment.name,
            task.assignment.files,
            [getattr(task.options, option) for option in OPTIONS],
            task.machine.reach,
            task.name,
            task.id,
            task.email,
            task.late,
            submission.notes,
            submission.complaint,
        ),
    )


def graded_before(task: Task, digest: str) -> Results | None:
    """Return the results of a submission that has not changed since, None if there are none."""
    if not digest or task.again:
        return None
    assert task.folder  # it has a digest
    results = read_results(task.folder / RESULTS)
    return results if results and results.fingerprint == digest else None


def with_seed(task: Task, digest: str) -> Task:
    """Return a task whose fresh games have a seed, if it has some."""
    if not task.options.fresh or task.options.seed is not None:
        return task
    seed = seed_of(digest, task.folder and task.folder.parent)
    return replace(task, options=replace(task.options, seed=seed))


def grade_one_of_many(task: Task, grade_it: Grade = grade_submission) -> Results:
    """Grade one submission and write its page; return a summary.

    No error goes on, so that the next submission can be graded.
    """
    try:
        results = grade_task(task, grade_it)
        if task.folder:
            write_pages(task.folder, results, task.assignment.transcripts)
        return summary(results)
    except Ended:
        return without_grade(task.name, INTERRUPTED)
    except Exception as error:
        kind = '' if isinstance(error, Shortage) else f'{type(error).__name__}: '
        results = without_grade(task.name, printable(f'{kind}{error}'))
        results.is_short = isinstance(error, Shortage) or is_shortage(error)
        return results
