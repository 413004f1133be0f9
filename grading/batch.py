"""The grading of one submission or many: which have to be graded, what is printed and written."""

from __future__ import annotations

import sys
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Callable, Generator, Iterator, Sequence

from .grader import Report, Task, grade, unreported
from .installation import grader_version
from .player import Shortage
from .printable import list_names, printable
from .reports.files import INTERRUPTED, junit_xml, summary, write_overview, write_pages
from .reports.results import (
    RIGHT,
    Results,
    read_results,
    without_grade,
    write_json,
    write_whole,
)
from .reports.text import line, report
from .sandbox.confine import scratch_folder
from .settings import OPTIONS, Settings
from .signals import Ended
from .submissions.identity import (
    fingerprint,
    secret_of,
    seed_of,
    submission_names,
)
from .submissions.submission import Submission, open_submission

MOST_IGNORED = 9                        # files that are named


# Grades a submission with a given fingerprint; saves its results and returns them.
Grade = Callable[[Task, Submission, str], Results]
Summaries = Generator[Results, None, None]
# Grades all tasks, and yields a summary of each when it is done; `close` ends what it started.
GradeAll = Callable[[Sequence[Task]], Summaries]


def tasks_for(sources: Sequence[Path], settings: Settings, out: Path | None) -> list[Task]:
    """Return a task for each submission, named as its folder, zip or file."""
    return [Task(name, source, settings, out and out / name)
            for source, name in zip(sources, submission_names(sources))]


def grade_task(task: Task, grade_it: Grade = grade) -> Results:
    """Return the results of one submission, graded if something has changed; write its pages."""
    settings, digest, graded = task.settings, '', None
    if task.folder:
        task.folder.mkdir(parents=True, exist_ok=True)
    with open_submission(task.source) as handed_in:
        if task.folder and handed_in.folder:        # else the results are not kept
            digest = fingerprint(handed_in.folder, (
                grader_version(), settings.assignment.name, settings.assignment.files,
                [getattr(settings, option) for option in OPTIONS], settings.reach, task.name,
                task.id, task.email, task.late, task.notes, handed_in.notes, handed_in.complaint))
            if not settings.again:
                graded = read_results(task.folder / 'results.json')
        if graded and graded.fingerprint == digest:
            if task.gradescope:
                from .reports.gradescope import for_gradescope  # which is seldom needed

                write_json(task.gradescope, for_gradescope(graded))
        else:
            if settings.fresh and settings.seed is None:
                settings = replace(settings,
                                   seed=seed_of(digest, task.folder and task.folder.parent))
            graded = grade_it(replace(task, settings=settings), handed_in, digest)
    if task.folder:
        write_pages(task.folder, graded, settings.assignment.transcripts)
    return graded


def grade_one_of_many(task: Task, grade_it: Grade = grade) -> Results:
    """Grade one submission; return a summary. No error goes on, so that the next can be graded."""
    try:
        return summary(grade_task(task, grade_it))
    except Ended:
        return without_grade(task.name, INTERRUPTED)
    except Exception as error:
        kind = '' if isinstance(error, Shortage) else f'{type(error).__name__}: '
        return without_grade(task.name, printable(f'{kind}{error}'))


def grade_one(task: Task, junit: Path | None) -> int:
    """Grade one submission, print its report, and return the exit status.

    `junit` is a file for its results as JUnit XML.
    """
    try:
        with progress('sessions') as tell:
            results = grade_task(task, partial(grade, report=tell))
    finally:
        if task.folder:
            write_overview(task.folder.parent, (), task.settings.assignment.transcripts)
    if junit:
        write_whole(junit, junit_xml(results))
    if results.seed is not None and not task.gradescope:        # which may show it to students
        print(f'fresh games: --seed {results.seed}')
    print(*report(results), sep='\n')
    if task.folder:
        tell_page(task.folder / 'report.html')
    return results.exit_status


def grade_many(sources: Sequence[Path], export: str | None, settings: Settings, out: Path | None,
               grade_them: GradeAll) -> int:
    """Grade submissions, or all in some exports; print a line for each; return the exit status.

    If something ends this, the overview has the submissions that were graded before. Raises
    `SubmissionError` if an export cannot be read.
    """
    import_module('grading.diagnosis.places.traced_runs')       # once; the forked workers share it
    if out:
        grader_version()
        import_module('grading.reports.pages').environment().get_template('report.html')
        if settings.fresh:
            secret_of(out)
    with scratch_folder() as scratch:
        settings = replace(settings, lock_folder=scratch)
        tasks = (tasks_of_exports(sources, export, settings, out) if export
                 else tasks_for(sources, settings, out))
        graded = {task.name: without_grade(task.name, INTERRUPTED) for task in tasks}
        try:
            with closing(grade_them(tasks)) as those_done, progress('submissions') as tell:
                tell(0, len(tasks))
                for number, results in enumerate(those_done, 1):
                    graded[results.submission] = results
                    print(f'[{number}/{len(tasks)}] {line(results)}', flush=True)
                    tell(number, len(tasks))
        finally:
            if out:
                write_overview(out, [one for one in graded.values() if one.score is None],
                               settings.assignment.transcripts)
    if out:
        tell_page(out / 'index.html')
    return max((results.exit_status for results in graded.values()), default=RIGHT)


def tasks_of_exports(sources: Sequence[Path], kind: str, settings: Settings,
                     out: Path | None) -> list[Task]:
    """Return a task for each submission in some exports, which are unpacked for the class."""
    from .submissions.exports import read_export  # which is seldom needed

    shares, ignored = [], []
    assert settings.lock_folder
    for number, source in enumerate(sources):
        target = settings.lock_folder / f'export-{number}'
        target.mkdir()
        found, others = read_export(source, kind, target)
        shares += found
        ignored += others
    if ignored:
        print('grading: ignored, because they belong to no student: '
              f'{list_names(ignored, MOST_IGNORED)}', file=sys.stderr)
    return [replace(task, id=one.id, email=one.email, late=one.late, notes=tuple(one.notes))
            for task, one in zip(tasks_for([one.folder for one in shares], settings, out), shares)]


def tell_page(path: Path) -> None:
    """Print on standard error where the page is."""
    print(f'grading: see {printable(str(path))}', file=sys.stderr)


@contextmanager
def progress(what: str) -> Iterator[Report]:
    """Show a progress bar on standard error, if that is a terminal; a line without library rich."""
    if not sys.stderr.isatty():
        yield unreported
        return
    if not find_spec('rich'):           # What is printed next is printed over the line.
        yield lambda done, total: print(f'\33[K{done} of {total} {what}\r', end='',
                                        file=sys.stderr, flush=True)
        print('\33[K', end='', file=sys.stderr, flush=True)
        return
    from rich.console import Console  # which takes long to import
    from rich.progress import Progress

    # Lines on standard output are printed above the bar, where both are the same terminal. The
    # bar gets no thread of its own: the grader forks.
    with Progress(console=Console(stderr=True), transient=True, auto_refresh=False,
                  redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, refresh=True)
