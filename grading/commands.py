"""What the grader is told on its command line, done: grade, record, pack."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import ContextManager, Sequence

from .assignments.consoles import record
from .assignments.find import find
from .batch.pages import write_overview
from .batch.resume import grader_version
from .batch.tasks import (
    GradeAll,
    Task,
    grade_here,
    grade_task,
    task_of_command,
    tasks_for,
    tasks_of_exports,
)
from .printable import printable
from .project import FOLDER, all_transcripts
from .reports.files import SavedResults
from .reports.grades import INTERRUPTED, name_of, without_grade
from .reports.gradescope.pack import pack
from .reports.gradescope.tools import what_is_missing
from .reports.notices import tell_ignored, tell_page, warn
from .reports.progress import progress
from .reports.results import BEYOND, points_of
from .reports.text import line, report
from .sandbox.system import HAS_SANDBOX, scratch_folder
from .sessions.recorder import record_by
from .sessions.transcript import display_name
from .settings import Settings
from .usage import UsageError, check, seeded, settings_from, words_of

RIGHT, WRONG, WRONG_USAGE, UNGRADED = range(4)      # exit statuses


def run_record(arguments: argparse.Namespace) -> int:
    """Record scenarios."""
    if os.environ.get('CI'):
        raise UsageError('transcripts are not recorded in CI')
    words = words_of('command', arguments.command)
    for path in arguments.files:
        if not path.exists():
            raise UsageError(f'no such file: {printable(str(path))}')
        if not words:
            record(path)
        elif not record_by(words, path):
            print(f'grading: {printable(str(path))}: nothing was printed before the last line had '
                  'been read: a program that answers line by line has to flush', file=sys.stderr)
        if not words and path.resolve() not in all_transcripts():
            print(f'grading: {printable(str(path))} is recorded, but nobody is graded by it there: '
                  f'transcripts are {display_name(FOLDER)}/**/*.txt', file=sys.stderr)
    return RIGHT


def run_pack(arguments: argparse.Namespace) -> int:
    """Make an autograder."""
    if not HAS_SANDBOX:
        raise UsageError('pack needs Linux or macOS')
    settings = settings_from(arguments)
    if settings.confine == 'bwrap':
        raise UsageError("--confine bwrap: Gradescope's containers have no namespaces for it")
    if settings.confine == 'auto':         # never as root without walls, unless somebody says so
        settings = replace(settings, confine='required')
    transcripts = find(settings).transcripts
    try:
        arguments.zip.write_bytes(packed(settings, arguments.install))
    except OSError as error:
        raise UsageError(f'{printable(str(arguments.zip))}: {error.strerror}') from None
    points = sum(map(points_of, transcripts)) + settings.fresh_points
    print(f'{printable(str(arguments.zip))}: {settings.game}, {len(transcripts)} transcripts; '
          f'on Gradescope, enter {points:g} autograder points')
    missing = what_is_missing(settings.command or '', settings.build or '')
    if missing and not arguments.install:
        print(f'{printable(str(arguments.zip))}: {printable(missing)}')
    return RIGHT


def packed(settings: Settings, packages: Sequence[str]) -> bytes:
    """Return an autograder as a zip."""
    if settings.sessions:
        words = [*settings.words[:-1], f'sessions/{settings.game}']
        return pack(words, [], packages, settings.sessions)
    return pack(settings.words, find(settings).transcripts, packages)


def run_grade(arguments: argparse.Namespace) -> int:
    """Grade submissions, or a command as it stands."""
    settings = settings_from(arguments)
    check(arguments)
    settings = seeded(settings, arguments.out)
    if HAS_SANDBOX:
        import_module('grading.sandbox.cleanup').remove_abandoned()
    if arguments.cluster:
        with cluster_at(arguments.cluster) as grade_there:
            return grade_many(arguments, settings, grade_there)
    if arguments.submissions:
        from .sandbox.probe import survey  # on Linux and macOS alone

        own = [Path(arguments.game)] if settings.sessions else []
        settings = survey(settings, [path.resolve() for path in [
            *arguments.submissions, *own, *filter(None, [arguments.out])]])
        warn(settings)
        if arguments.export or len(arguments.submissions) > 1:
            from .batch.workers import grade_all  # which forks

            prepare(arguments.out, settings)
            return grade_many(arguments, settings, grade_all)
        task, = tasks_for(arguments.submissions, settings, arguments.out)
    else:
        task = task_of_command(arguments.command, settings, arguments.out)
    return grade_one(replace(task, gradescope=arguments.results))


def prepare(out: Path | None, settings: Settings) -> None:
    """Do once what each process would have to do: what takes long, and is kept."""
    if out:
        grader_version()
        import_module('grading.reports.html.render').environment().get_template('report.html')
    if settings.fresh:
        import_module('grading.fresh')


def cluster_at(address: str) -> ContextManager[GradeAll]:
    """Return the workers of a cluster, if what it takes is installed."""
    try:
        from .batch.cluster import cluster
    except ImportError as error:
        raise UsageError(f'--cluster: {error}; the extra "cluster" brings it') from None
    return cluster(address)


def grade_one(task: Task) -> int:
    """Grade one submission, print its report, and return the exit status."""
    try:
        with progress('transcripts') as tell:
            results = grade_task(task, partial(grade_here, report=tell))
    finally:
        if task.folder:
            write_overview(task.folder.parent)
    print(*report(results), sep='\n')
    if task.folder:
        tell_page(task.folder / 'report.html')
    return status_of(results)


def grade_many(arguments: argparse.Namespace, settings: Settings, grade_them: GradeAll) -> int:
    """Grade many submissions, be they in an export or not; return the exit status."""
    with scratch_folder() as scratch:
        settings = replace(settings, turns=scratch)
        if arguments.export:
            tasks, ignored = tasks_of_exports(arguments.submissions, arguments.export, settings,
                                              arguments.out, scratch)
            tell_ignored(ignored)
        else:
            tasks = tasks_for(arguments.submissions, settings, arguments.out)
        return grade_tasks(tasks, grade_them, arguments.out)


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
            write_overview(out, [one for one in graded.values() if one['score'] is None])
    if out:
        tell_page(out / 'index.html')
    return max(map(status_of, graded.values()), default=RIGHT)


def status_of(results: SavedResults) -> int:
    """Return the exit status that the results of a submission ask for.

    What is beyond the assignment is not wrong; all else is, whatever it is worth.
    """
    if results['score'] is None:
        return UNGRADED
    is_right = all(test['status'] == 'passed' or BEYOND in test['tags']
                   for test in results['tests'])
    return RIGHT if is_right else WRONG
