"""The command `grade`: prepares a grading of one submission, of a class, or of a command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from ..assignments.folder import files_of_one
from ..command_line.settings import settings_from
from ..command_line.usage import UsageError, refuse
from ..printable import printable
from ..reports.out_folder import results_below
from ..sandbox.confine import remove_abandoned
from ..sandbox.program import UNCOUNTED, words_in
from ..settings import Assignment, Settings
from ..submissions.names import folder_name, name_of_command
from ..workers.task import Task
from .grade_class import grade_class, tasks_for
from .grade_one import grade_one


def run(arguments: argparse.Namespace) -> int:
    """Grade submissions, or a command in the current folder."""
    settings = settings_from(arguments)
    if arguments.out:
        prepare_out(arguments.out, settings.assignment)
    remove_abandoned()
    if arguments.cluster or not arguments.submissions:  # each worker probes its own sandbox
        return grade_all_of(arguments, settings)
    with sandbox_probed(arguments, settings) as settings:
        warn(settings)
        return grade_all_of(arguments, settings)


def prepare_out(out: Path, assignment: Assignment) -> None:
    """Make the folder of --out, unless it has results of another assignment.

    Raises `UsageError`.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f'--out: {printable(str(out))}: {error.strerror}') from None
    for results in results_below(out):
        if results.assignment:
            refuse(
                results.assignment != assignment.label,
                f'--out: {out} has results of {results.assignment}; choose another folder',
            )
            return


@contextmanager
def sandbox_probed(arguments: argparse.Namespace, settings: Settings) -> Iterator[Settings]:
    """Provide the settings with the sandbox that works here, and what it hides and cannot hide."""
    from ..sandbox.confine import surveyed  # on Linux and macOS alone
    from ..sandbox.kernel import clear_seed

    clear_seed()
    path = settings.assignment.path
    own = [] if not path else [path] if path.is_dir() else files_of_one(path)
    tools = [
        word
        for language in settings.languages
        for word in (*words_in(language.command), 'sh', '-c', language.build)
    ]
    with surveyed(
        settings.confine,
        settings.command,
        [path.resolve() for path in arguments.submissions],
        [path.resolve() for path in [*own, *filter(None, [arguments.out])]],
        tools,
    ) as survey:
        yield replace(settings, **survey._asdict())


def warn(settings: Settings) -> None:
    """Print on standard error what programs can reach."""
    if settings.confine == 'none':
        print(
            'grading: programs run without a sandbox: they can read and change all that you can',
            file=sys.stderr,
        )
    elif settings.reach:
        print(
            f'grading: programs run in the sandbox {settings.confine}, but can still reach: '
            f'{", ".join(settings.reach)}. A program written to cheat or to disturb could use '
            'this; the grading of any other program is the same',
            file=sys.stderr,
        )
        if UNCOUNTED in settings.reach:
            print(
                'grading: a filter of system calls prevents most of this; it needs '
                'libseccomp (on Debian and Ubuntu: apt install libseccomp2) and pyseccomp (pip '
                'install pyseccomp)',
                file=sys.stderr,
            )


def grade_all_of(arguments: argparse.Namespace, settings: Settings) -> int:
    """Grade submissions, or a command, here or on a cluster; return the exit status."""
    sources, out = arguments.submissions, arguments.out
    if not arguments.cluster and not arguments.export and len(sources) < 2:
        if sources:
            (task,) = tasks_for(sources, settings, out)
        else:
            name = folder_name(name_of_command(arguments.command), set())
            task = Task(name, None, replace(settings, confine='none'), out and out / name)
        return grade_one(replace(task, gradescope=arguments.results), arguments.junit)
    from ..workers.cluster import cluster  # on Linux and macOS alone
    from ..workers.this_machine import grade_all

    with cluster(arguments.cluster) if arguments.cluster else nullcontext(grade_all) as grade_those:
        return grade_class(arguments, settings, grade_those)
