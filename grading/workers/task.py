"""Takes one submission through the three stages: engine, diagnosis, reports.

A task is one submission to grade, and where its results go.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..engine.grade import OnProgress, grade, ignore
from ..engine.retries import Shortage
from ..engine.stints import Stint
from ..installation import grader_version
from ..printable import printable
from ..reports.out_folder import write_pages
from ..reports.students import summary
from ..reports.wording import INTERRUPTED, in_words
from ..results import Results, without_grade
from ..sandbox.choose import ANY_MACHINE, Machine
from ..sandbox.untrusted_files import is_shortage
from ..settings import OPTIONS, Assignment, Options, with_seed
from ..signals import Termination
from ..submissions.copying import Submission, open_submission
from ..submissions.digests import fingerprint
from .saved_results import SavedResults


@dataclass(frozen=True)
class Task:
    """One submission to grade: its `name`, its `source`, and where its results go."""

    name: str
    source: Path | None  # a folder, zip or file, or None if options contain the command to grade
    assignment: Assignment
    options: Options
    machine: Machine = ANY_MACHINE
    folder: Path | None = None  # the folder for its results and pages, or None to keep none
    gradescope: Path | None = None  # where to write a results.json for Gradescope, or None
    again: bool = False  # whether to grade it again even if it has not changed
    late: bool | None = None  # whether it was submitted late, or None if unknown
    notes: tuple[str, ...] = ()  # notes on its name, and on its files in an export
    id: str = ''  # the student's id, or '' if unknown
    email: str = ''  # the student's email address, or '' if unknown


class MustBeAlone(Exception):
    """The machine may be the reason for a failure: the submission must be graded alone."""


Summaries = Generator[Results, None, None]
# Grades all tasks, and yields a summary of each task's results when the task is done. Closing the
# generator ends all processes it has started.
GradeAll = Callable[[Sequence[Task]], Summaries]


def grade_task(task: Task, on_progress: OnProgress = ignore, stint: Stint | None = None) -> Results:
    """Grade and explain a submission; save its results, write its page, and return the results.

    Results of an earlier grading are reused if they are still valid. If the grading is interrupted,
    the saved results say why. Raises `Termination`, `Shortage`, or any error of the grader itself,
    such as `SandboxError` or `OSError`.
    """
    with open_task(task, on_progress) as (task, submission, saved):
        results = saved.earlier() or grade(
            task.assignment, submission, task.options, saved.update, task.machine, explain, stint
        )
    if task.folder:
        write_pages(task.folder, results, task.assignment.sessions)
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
    task: Task, on_progress: OnProgress = ignore
) -> Iterator[tuple[Task, Submission, SavedResults]]:
    """Provide a task, the copy of its submission, and the object that saves its results.

    A task with fresh games gets a seed for them. For `on_progress`, see `engine.grade.grade`.
    """
    if task.folder:
        task.folder.mkdir(parents=True, exist_ok=True)
    with open_submission(
        task.source, task.name, id=task.id, email=task.email, late=task.late, notes=task.notes
    ) as submission:
        digest = digest_of(task, submission)
        with SavedResults(task.folder, task.gradescope, digest, task.again, on_progress) as saved:
            seeded = with_seed(task.options, digest, task.folder and task.folder.parent)
            yield replace(task, options=seeded), submission, saved


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


def grade_one_of_many(task: Task, grade_task: Callable[[Task], Results] = grade_task) -> Results:
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
        results.is_short = isinstance(error, MustBeAlone) or is_shortage(error)
        return results
