"""Grades one submission, or the user's own command, and prints the report."""

from __future__ import annotations

from pathlib import Path

from ..engine.grade import grade
from ..reports.addresses import REPORT
from ..reports.junit import junit_xml
from ..reports.out_folder import publish, write_overview
from ..reports.text import report
from ..results import Results
from ..submissions.copying import open_submission
from ..whole_file import write_whole
from ..workers.task import Task, explain, grade_task, with_seed
from .progress import print_page_path, progress


def grade_one(task: Task, junit: Path | None) -> int:
    """Grade and explain one submission, and report the results; return the exit status.

    `junit` is the file to write the results to as JUnit XML, or None to write no such file.
    """
    try:
        with progress('sessions') as shown:

            def show(results: Results) -> None:
                shown.show(
                    sum(test.state != 'waiting' for test in results.tests), len(results.tests)
                )

            if task.folder or task.gradescope:
                results = grade_task(task, show)  # saves the results, or reuses earlier ones
            else:
                task = with_seed(task)
                with open_submission(task.source, task.name, notes=task.notes) as submission:
                    results = grade(
                        task.assignment, submission, task.options, show, task.machine, explain
                    )
    except BaseException:
        if task.folder:  # the pages about the class must show what has been saved so far
            write_overview(task.folder.parent, (), task.assignment.transcripts)
        raise
    if task.folder:
        publish(results, task.folder.parent, task.assignment)
    if junit:
        write_whole(junit, junit_xml(results))
    if results.seed is not None and not task.gradescope:  # on Gradescope, students may see this
        print(f'fresh games: --seed {results.seed}')
    print(*report(results), sep='\n')
    if task.folder:
        print_page_path(task.folder / REPORT)
    return results.exit_status
