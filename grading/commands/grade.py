"""The command `grade`: prepares to grade one submission, a class, or the user's own command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from ..command_line.settings import settings_from
from ..command_line.usage import UsageError, refuse
from ..engine.machine import sandbox_probed
from ..printable import printable
from ..reports.out_folder import results_below
from ..sandbox.program import UNCOUNTED
from ..sandbox.scratch import remove_abandoned
from ..settings import Assignment
from ..submissions.names import name_of_command, valid_name
from ..workers.task import Task
from .grade_class import grade_class, task_named, tasks_for
from .grade_one import grade_one


def run(arguments: argparse.Namespace) -> int:
    """Grade submissions, or a command in the current folder; return the exit status."""
    assignment, options = settings_from(arguments)
    if arguments.out:
        prepare_out(arguments.out, assignment)
    remove_abandoned(say=lambda note: print(f'grading: {note}', file=sys.stderr))
    # All tasks share these values, but `folder` is still the --out folder itself.
    common = Task('', None, assignment, options, folder=arguments.out, again=arguments.again)
    # Cluster workers probe their own sandboxes, and the user's own command runs without a sandbox.
    if arguments.cluster or not arguments.submissions:
        return grade_all_of(arguments, common)
    hidden = [arguments.out] if arguments.out else []
    with sandbox_probed(assignment, options, arguments.submissions, hidden) as (probed, machine):
        warn(probed.confine, machine.reach)
        return grade_all_of(arguments, replace(common, options=probed, machine=machine))


def prepare_out(out: Path, assignment: Assignment) -> None:
    """Create the --out folder.

    Raises `UsageError` if this fails, or if the first results found there are for another
    assignment.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f'--out: {printable(str(out))}: {error.strerror}') from None
    for results in results_below(out):
        if results.assignment:
            refuse(
                results.assignment != assignment.label,
                f'--out: {out} already contains results for {results.assignment}; choose another '
                f'folder',
            )
            return


def warn(confine: str, reach: Sequence[str]) -> None:
    """Warn on standard error if programs run without a sandbox, or if the sandbox has gaps.

    `confine` is the kind of sandbox, and `reach` names what programs can reach but should not. If a
    system call filter would help, say what to install.
    """
    if confine == 'none':
        print(
            'grading: programs run without a sandbox: they can read and change everything that '
            'you can',
            file=sys.stderr,
        )
    elif reach:
        print(
            f'grading: programs run in the {confine} sandbox, but can still reach: '
            f'{", ".join(reach)}. A program written to cheat or to interfere with others could '
            'exploit this; all other programs are graded as usual',
            file=sys.stderr,
        )
        if UNCOUNTED in reach:
            print(
                'grading: a system call filter would prevent most of this; it needs libseccomp '
                '(on Debian and Ubuntu: apt install libseccomp2) and pyseccomp (pip '
                'install pyseccomp)',
                file=sys.stderr,
            )


def grade_all_of(arguments: argparse.Namespace, common: Task) -> int:
    """Grade submissions, or a command, on this machine or a cluster; return the exit status."""
    sources = arguments.submissions
    if not arguments.cluster and not arguments.export and len(sources) < 2:
        if sources:
            (task,) = tasks_for(sources, common)
        else:
            task = replace(
                task_named(valid_name(name_of_command(arguments.command)), None, common),
                options=replace(common.options, confine='none'),
            )
        return grade_one(replace(task, gradescope=arguments.results), arguments.junit)
    from ..workers.class_processes import grade_all
    from ..workers.cluster import cluster  # cannot be imported on Windows

    with cluster(arguments.cluster) if arguments.cluster else nullcontext(grade_all) as grade_those:
        return grade_class(arguments, common, grade_those)
