"""What the grader is told on its command line, done: grade, record, pack."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from random import SystemRandom
from typing import Any, ContextManager, Mapping, Sequence

from .assignments.consoles import record
from .assignments.find import transcripts_for
from .batch.resume import grader_version
from .batch.tasks import (
    INTERRUPTED,
    Crew,
    Graded,
    Task,
    earlier_seed,
    grade_task,
    tasks_for,
    tasks_of_exports,
    write_overview,
)
from .batch.workers import grade_all
from .grader import play_here
from .printable import printable
from .project import FOLDER, all_transcripts
from .reports.gradescope.pack import pack
from .reports.gradescope.tools import what_is_missing
from .reports.results import points_of
from .reports.text import line, progress, report, tell_ignored, warn
from .sandbox.cleanup import remove_abandoned, scratch_folder
from .sandbox.probe import survey
from .sessions.transcript import display_name
from .settings import OPTIONS, Settings

RIGHT, WRONG, WRONG_USAGE, UNGRADED = range(4)      # exit statuses


class UsageError(Exception):
    """Words on the command line that make no sense together."""


def run_record(arguments: argparse.Namespace) -> int:
    """Record scenarios."""
    if os.environ.get('CI'):
        raise UsageError('transcripts are not recorded in CI')
    for path in arguments.files:
        if not path.exists():
            raise UsageError(f'no such file: {printable(str(path))}')
        record(path)
        if path.resolve() not in all_transcripts():
            print(f'grading: {printable(str(path))} is recorded, but nobody is graded by it there: '
                  f'transcripts are {display_name(FOLDER)}/**/*.txt', file=sys.stderr)
    return RIGHT


def run_pack(arguments: argparse.Namespace) -> int:
    """Make an autograder."""
    settings = settings_from(arguments)
    if settings.confine == 'bwrap':
        raise UsageError("--confine bwrap: Gradescope's containers have no namespaces for it")
    if settings.confine == 'auto':         # never as root without walls, unless somebody says so
        settings = replace(settings, confine='required')
    transcripts = transcripts_for(settings.game, settings.prompts, settings.beyond)
    try:
        arguments.zip.write_bytes(pack(settings.words, transcripts, arguments.install))
    except OSError as error:
        raise UsageError(f'{printable(str(arguments.zip))}: {error.strerror}') from None
    points = sum(map(points_of, transcripts)) + settings.fresh_points
    print(f'{printable(str(arguments.zip))}: {settings.game}, {len(transcripts)} transcripts; '
          f'on Gradescope, enter {points:g} autograder points')
    missing = what_is_missing(settings.command or '', settings.build or '')
    if missing and not arguments.install:
        print(f'{printable(str(arguments.zip))}: {printable(missing)}')
    return RIGHT


def run_grade(arguments: argparse.Namespace) -> int:
    """Grade submissions, or a command as it stands."""
    settings = settings_from(arguments)
    check(arguments)
    settings = seeded(settings, arguments.out)
    remove_abandoned()
    if not arguments.submissions:
        return show_one(Task(arguments.command, None, replace(settings, confine='none'),
                             arguments.results))
    if arguments.cluster:
        with cluster_at(arguments.cluster) as crew:
            return grade_many(arguments, settings, crew)
    settings = survey(settings, [path.resolve() for path in [*arguments.submissions,
                                                       *filter(None, [arguments.out])]])
    warn(settings)
    if len(arguments.submissions) == 1 and not arguments.export:
        task, = tasks_for(arguments.submissions, settings, arguments.out)
        return show_one(replace(task, path=arguments.results or task.path))
    prepare(arguments.out, settings)
    return grade_many(arguments, settings, grade_all)


def prepare(out: Path | None, settings: Settings) -> None:
    """Do once what each process would have to do: import what takes long."""
    if out:
        import_module('grading.reports.html').environment().get_template('report.html')
    if settings.fresh:
        import_module('grading.fresh')


def grade_many(arguments: argparse.Namespace, settings: Settings, crew: Crew) -> int:
    """Grade many submissions, be they in an export or not."""
    with scratch_folder() as scratch:
        if arguments.export:
            tasks, ignored = tasks_of_exports(arguments.submissions, arguments.export, settings,
                                              arguments.out, scratch)
            tell_ignored(ignored)
        else:
            tasks = tasks_for(arguments.submissions, settings, arguments.out)
        return show_all(tasks, crew, arguments.out)


def cluster_at(address: str) -> ContextManager[Crew]:
    """Return the crew of a cluster, if what it takes is installed."""
    try:
        from .batch.cluster import cluster
    except ImportError as error:
        raise UsageError(f'--cluster: {error}; the extra "cluster" brings it') from None
    return cluster(address)


def seeded(settings: Settings, out: Path | None) -> Settings:
    """Return settings whose fresh games, if any, are chosen: those of an earlier time, or others.

    Their seed is printed.
    """
    if not settings.fresh:
        return settings
    if settings.seed is None:
        seed = None if settings.again else earlier_seed(out)
        settings = replace(settings, seed=SystemRandom().randrange(10**6) if seed is None else seed)
    print(f'fresh games: --seed {settings.seed}')
    return settings


def settings_from(arguments: argparse.Namespace) -> Settings:
    """Return what is to be done with each submission."""
    for name in ('command', 'build'):
        try:
            if getattr(arguments, name) is not None and not shlex.split(getattr(arguments, name)):
                raise UsageError(f'--{name}: the command line is empty')
        except ValueError as error:
            raise UsageError(f'--{name}: {error}') from None
    if not arguments.fresh and (arguments.seed is not None or arguments.fresh_points):
        raise UsageError('--seed and --fresh-points are for --fresh games')
    if not transcripts_for(arguments.game, arguments.prompts):
        raise UsageError(f'no transcript of {arguments.game} has prompts')
    return Settings(arguments.game, version=grader_version(),
                 **{name: getattr(arguments, name) for name in OPTIONS},
                 again=getattr(arguments, 'again', False))


def check(arguments: argparse.Namespace) -> None:
    """End, if the words on the command line make no sense together."""
    for path in arguments.submissions:
        if not path.exists():
            raise UsageError(f'no such file or folder: {printable(str(path))}')
    if not arguments.submissions:
        if arguments.command is None:
            raise UsageError('name a SUBMISSION, or a --command')
        tool = shlex.split(arguments.command)[:1]
        if tool and not shutil.which(tool[0]):
            raise UsageError(f'--command: no such command: {printable(tool[0])}')
        if arguments.build or arguments.confine != 'auto':
            raise UsageError('--build and --confine are for a SUBMISSION: a command as it stands '
                             'here is your own')
    if arguments.results and (arguments.export or len(arguments.submissions) > 1):
        raise UsageError('--results is for one SUBMISSION; see --out')
    if arguments.again and not arguments.out:
        raise UsageError('--again is for what has been graded into --out')
    if arguments.export and not arguments.out:
        raise UsageError('--export needs --out, for the results of all')
    if arguments.cluster and (arguments.results or not arguments.submissions):
        raise UsageError('--cluster is for SUBMISSIONs; see --out for their results')
    if arguments.results and (arguments.results.is_dir()
                              or not os.access(arguments.results.parent, os.W_OK)):
        raise UsageError(f'--results: {printable(str(arguments.results))} cannot be written')
    if arguments.out:
        try:
            arguments.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f'--out: {printable(str(arguments.out))}: {error.strerror}') from None


def show_one(task: Task) -> int:
    """Grade one submission, print its report, and return the exit status."""
    with progress('transcripts') as tell:
        results = grade_task(task, partial(play_here, tell=tell))
    print(*report(results), sep='\n')
    return status_of(results)


def show_all(tasks: Sequence[Task], crew: Crew, out: Path | None) -> int:
    """Grade submissions, print a line for each, and return the exit status.

    Whatever ends it before, those that have been graded are in the overview.
    """
    missing = {task.name: Graded(task, note=INTERRUPTED) for task in tasks}
    all_graded: list[Graded] = []
    try:
        with closing(crew(tasks)) as those_done, progress('submissions') as tell:
            tell(0, len(tasks))
            for graded in those_done:
                del missing[graded.task.name]
                all_graded.append(graded)
                print(f'[{len(all_graded)}/{len(tasks)}] {line(graded)}', flush=True)
                tell(len(all_graded), len(tasks))
    finally:
        if out:
            write_overview(out, [*all_graded, *missing.values()])
    return max((status_of(graded.results) for graded in all_graded), default=RIGHT)


def status_of(results: Mapping[str, Any]) -> int:
    """Return the exit status that the results of a submission ask for."""
    if not results:
        return UNGRADED
    is_right = all(test['status'] == 'passed' or not test['max_score'] for test in results['tests'])
    return RIGHT if is_right else WRONG
