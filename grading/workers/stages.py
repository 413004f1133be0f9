"""Takes one submission through the three stages: engine, diagnosis, reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..engine.grade import grade
from ..engine.player import Shortage
from ..printable import printable
from ..reports.interruptions import INTERRUPTED, in_words
from ..reports.out_folder import write_pages
from ..reports.summary import summary
from ..results import Results, without_grade
from ..sandbox.untrusted_files import is_shortage
from ..seeds import seed_of
from ..signals import Termination
from ..submissions.copying import Submission, open_submission
from .saved_results import Report, SavedResults, digest_of, ignore_progress
from .task import Task


def grade_here(task: Task) -> Results:
    """Grade and explain a submission; save its results, write its page, and return the results.

    Results of an earlier grading are reused if they are still valid. If the grading is interrupted,
    the saved results say why. Raises `Termination`, `Shortage`, or any error of the grader itself,
    such as `SandboxError` or `OSError`.
    """
    with open_task(task) as (task, submission, saved):
        results = saved.earlier() or grade(
            task.assignment, submission, task.options, saved.update, task.machine, explain
        )
    if task.folder:
        write_pages(task.folder, results, task.assignment.transcripts)
    return results


def explain(*facts: Any) -> Any:
    """Explain what is wrong: see `diagnosis.explain`.

    The diagnosis is imported only here, because importing it takes a long time, and correct
    programs do not need it.
    """
    from ..diagnosis.explain import explain

    return explain(*facts)


@contextmanager
def open_task(
    task: Task, report: Report = ignore_progress
) -> Iterator[tuple[Task, Submission, SavedResults]]:
    """Provide a task, the copy of its submission, and the object that saves its results.

    A task with fresh games gets a seed for them. `report` gets the progress whenever a test ends.
    """
    if task.folder:
        task.folder.mkdir(parents=True, exist_ok=True)
    with open_submission(
        task.source, task.name, id=task.id, email=task.email, late=task.late, notes=task.notes
    ) as submission:
        digest = digest_of(task, submission)
        with SavedResults(task, digest, report) as saved:
            yield with_seed(task, digest), submission, saved


def with_seed(task: Task, digest: str) -> Task:
    """Return the task, with a seed added if it has fresh games and no seed yet."""
    if not task.options.fresh or task.options.seed is not None:
        return task
    seed = seed_of(digest, task.folder and task.folder.parent)
    return replace(task, options=replace(task.options, seed=seed))


def grade_one_of_many(task: Task, grade_task: Callable[[Task], Results] = grade_here) -> Results:
    """Grade one submission with `grade_task`; return a summary of its results.

    Catches every error, so that the other submissions can be graded.
    """
    try:
        return summary(grade_task(task))
    except Termination:
        return without_grade(task.name, INTERRUPTED)
    except Shortage as error:
        results = without_grade(task.name, in_words(error.interruption))
        results.is_short = True
        return results
    except Exception as error:
        results = without_grade(task.name, printable(f'{type(error).__name__}: {error}'))
        results.is_short = is_shortage(error)
        return results
