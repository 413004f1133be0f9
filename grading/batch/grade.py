"""One submission or many, graded: what is printed meanwhile, and the exit status."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Sequence

from ..assignments.find import find
from ..reports.formats import junit_xml
from ..reports.grades import INTERRUPTED, without_grade
from ..reports.notices import progress, tell_ignored, tell_page
from ..reports.pages import write_overview
from ..reports.results_json import RIGHT, name_of, status_of, write_whole
from ..reports.text import line, report
from ..sandbox.confine import scratch_folder
from ..settings import Settings
from .resume import grader_version, secret_of
from .tasks import GradeAll, Task, grade_here, grade_task, tasks_for, tasks_of_exports


def grade_one(task: Task, junit: Path | None = None) -> int:
    """Grade one submission, print its report, and return the exit status.

    `junit` is a file for its results as JUnit XML.
    """
    try:
        with progress('transcripts') as tell:
            results = grade_task(task, partial(grade_here, report=tell))
    finally:
        if task.folder:
            write_overview(task.folder.parent, (), find(task.settings).transcripts)
    if junit:
        write_whole(junit, junit_xml(results))
    if 'seed' in results['extra_data']:
        print(f'fresh games: --seed {results["extra_data"]["seed"]}')
    print(*report(results), sep='\n')
    if task.folder:
        tell_page(task.folder / 'report.html')
    return status_of(results)


def grade_many(sources: Sequence[Path], export: str | None, settings: Settings, out: Path | None,
               grade_them: GradeAll) -> int:
    """Grade many submissions, be they in exports or not; return the exit status."""
    prepare(out, settings)
    with scratch_folder() as scratch:
        settings = replace(settings, lock_folder=scratch)
        if export and out:
            tasks, ignored = tasks_of_exports(sources, export, settings, out, scratch)
            tell_ignored(ignored)
        else:
            tasks = tasks_for(sources, settings, out)
        return grade_tasks(tasks, grade_them, out)


def prepare(out: Path | None, settings: Settings) -> None:
    """Do once what each process would have to do: what takes long, and is kept."""
    if out:
        grader_version()
        import_module('grading.reports.html.page').environment().get_template('report.html')
    if out and settings.fresh:
        secret_of(out)


def grade_tasks(tasks: Sequence[Task], grade_them: GradeAll, out: Path | None) -> int:
    """Grade submissions, print a line for each, and return the exit status.

    Whatever ends it before, those that have been graded are in the overview.
    """
    graded = {task.name: without_grade(task.name, INTERRUPTED) for task in tasks}
    try:
        with closing(grade_them(tasks)) as those_done, progress('submissions') as tell:
            tell(0, len(tasks))
            for number, results in enumerate(those_done, 1):
                graded[name_of(results)] = results
                print(f'[{number}/{len(tasks)}] {line(results)}', flush=True)
                tell(number, len(tasks))
    finally:
        if out:
            write_overview(out, [one for one in graded.values() if one['score'] is None],
                           find(tasks[0].settings).transcripts if tasks else ())
    if out:
        tell_page(out / 'index.html')
    return max(map(status_of, graded.values()), default=RIGHT)
