"""Grades many submissions, and prints one line about each."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from ..exit_statuses import RIGHT
from ..installation import grader_version
from ..printable import list_names
from ..reports.addresses import CLASS_PAGE
from ..reports.interruptions import INTERRUPTED
from ..reports.notes import common_failure_warning
from ..reports.out_folder import write_overview
from ..reports.text import line
from ..results import without_grade
from ..sandbox.scratch import scratch_folder
from ..seeds import secret_of
from ..submissions.links import linked_submissions
from ..submissions.names import submission_names
from ..workers.task import GradeAll, Task
from .progress import print_page_path, progress

MAX_IGNORED = 9  # maximum number of ignored files to name in a message


def task_named(name: str, source: Path | None, common: Task) -> Task:
    """Return the task for a submission, made from what all tasks share (`common`)."""
    return replace(common, name=name, source=source, folder=common.folder and common.folder / name)


def tasks_for(sources: Sequence[Path], common: Task) -> list[Task]:
    """Return a task for each submission, named after its folder, zip or file if possible.

    If a submission is a symbolic link or is in a linked folder, the task's source is the link
    itself, so grading refuses the link instead of following it.
    """
    links = linked_submissions(sources)
    return [
        replace(
            task_named(named.name, links.get(source, source), common),
            notes=(*filter(None, [named.note]),),
        )
        for source, named in zip(sources, submission_names(sources), strict=True)
    ]


def grade_class(arguments: argparse.Namespace, common: Task, grade_all: GradeAll) -> int:
    """Grade submissions, or the submissions in exports; return the exit status.

    Print a line about each submission. With --out, write grades.csv and the class page at the end,
    even if grading is interrupted. Raises `SubmissionError` if an export cannot be read.
    """
    sources, export, out = arguments.submissions, arguments.export, arguments.out
    # Prepare what is slow, or shared by all submissions, before the workers are forked.
    import_module('grading.diagnosis.places.where')
    if out:
        grader_version()
        import_module('grading.reports.rendering').ENVIRONMENT.get_template('report.html')
        if common.options.fresh:
            secret_of(out)
    with scratch_folder() as scratch:
        tasks = (
            tasks_of_exports(sources, export, scratch, common)
            if export
            else tasks_for(sources, common)
        )
        graded = {task.name: without_grade(task.name, INTERRUPTED) for task in tasks}
        try:
            with closing(grade_all(tasks)) as finished, progress('submissions') as shown:
                shown.show(0, len(tasks))
                for number, results in enumerate(finished, 1):
                    graded[results.submission] = results
                    shown.clear()
                    print(f'[{number}/{len(tasks)}] {line(results)}', flush=True)
                    shown.show(number, len(tasks))
        finally:
            if out:
                write_overview(
                    out,
                    [results for results in graded.values() if results.score is None],
                    common.assignment.transcripts,
                )
    warning = common_failure_warning(graded.values())
    if warning:
        print(f'grading: {warning}', file=sys.stderr)
    if out:
        print_page_path(out / CLASS_PAGE)
    return max((results.exit_status for results in graded.values()), default=RIGHT)


def tasks_of_exports(sources: Sequence[Path], kind: str, scratch: Path, common: Task) -> list[Task]:
    """Copy exports into the folder `scratch`; return a task for each submission in them."""
    from ..submissions.exports import read_export  # rarely needed

    shares, ignored = [], []
    for number, source in enumerate(sources, 1):
        found, others = read_export(source, kind, scratch / f'export-{number}')
        shares += found
        ignored += others
    if ignored:
        print(
            'grading: ignored these files, which belong to no student: '
            f'{list_names(ignored, MAX_IGNORED)}',
            file=sys.stderr,
        )
    return [
        replace(
            task, id=share.id, email=share.email, late=share.late, notes=(*task.notes, *share.notes)
        )
        for task, share in zip(
            tasks_for([share.folder for share in shares], common), shares, strict=False
        )
    ]
