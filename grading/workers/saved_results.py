"""Saves a submission's results while it is being graded, and reads them back later.

A submission is not graded again if everything its results depend on is unchanged: its files, the
assignment, the options and the grader.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from ..installation import grader_version
from ..reports.addresses import RESULTS
from ..reports.gradescope import for_gradescope
from ..reports.results_json import read_results, write_json, write_results
from ..results import Results
from ..settings import OPTIONS
from ..submissions.copying import Submission
from ..submissions.digests import fingerprint
from .task import Task

SAVE_SECONDS = 1.0  # minimum time between two saves while a submission is being graded

Report = Callable[[int, int], None]  # takes the number of finished sessions and the total


def ignore_progress(done: int, total: int) -> None:
    """Do nothing: a `Report` for when nobody wants to see a task's progress."""


class SavedResults:
    """The files with a task's results: results.json, and for Gradescope a file in its format.

    Each file is replaced atomically, so that nobody reads a half-written file. The latest results
    are written at the end of the `with` block.
    """

    def __init__(self, task: Task, digest: str = '', report: Report = ignore_progress) -> None:
        self._task = task
        self._digest = digest  # see `digest_of`; '' if the results are not kept
        self._report = report
        self._written = -SAVE_SECONDS  # when the files were last written
        self._results: Results | None = None  # the latest results

    def earlier(self) -> Results | None:
        """Return the results of an earlier grading if they are still valid, or else None.

        If they are valid and the task has a file for Gradescope, write this file.
        """
        if not self._digest or self._task.again:
            return None
        assert self._task.folder  # because there is a digest
        results = read_results(self._task.folder / RESULTS)
        if not results or results.fingerprint != self._digest:
            return None
        if self._task.gradescope:
            write_json(self._task.gradescope, for_gradescope(results))
        return results

    def update(self, results: Results) -> None:
        """Report progress, and save the results if the last save was at least a second ago.

        Saving more often would take time away from the submission. But once all points are known,
        every update is saved, because the points are final even if explaining the faults then
        fails.
        """
        self._results = results
        self._report(sum(test.state != 'waiting' for test in results.tests), len(results.tests))
        if results.complete or time.monotonic() >= self._written + SAVE_SECONDS:
            self.write(results)

    def write(self, results: Results) -> None:
        """Write the files. Raises `OSError`."""
        if self._task.folder:
            write_results(self._task.folder / RESULTS, results)
        if self._task.gradescope:
            write_json(self._task.gradescope, for_gradescope(results))
        self._written = time.monotonic()

    def __enter__(self) -> SavedResults:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._results:
            return
        if not error and are_lasting(self._results):
            self._results.fingerprint = self._digest
        self.write(self._results)


def are_lasting(results: Results) -> bool:
    """Return whether results stay valid as long as the submission and the settings do not change.

    Results do not stay valid if the grading was cut short before any session failed: the machine
    may have been slow.
    """
    return not results.ended or any(test.state == 'failed' for test in results.tests)


def digest_of(task: Task, submission: Submission) -> str:
    """Return a fingerprint of everything the results depend on, or '' if they are not kept."""
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
