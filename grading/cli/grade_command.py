"""The command `grade`: grades one submission, a class, or the user's own command."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from importlib import import_module
from math import ceil
from pathlib import Path

from ..api import with_options
from ..assignments.choice import assignment_named
from ..engine.grade import grade, sandbox_probed
from ..installation import PYTHON, command_name, grader_version
from ..printable import list_names, printable
from ..reports.junit import junit_xml
from ..reports.out_folder import publish, results_below, write_overview
from ..reports.results_json import write_whole
from ..reports.text import line, report
from ..reports.wording import CLASS_PAGE, INTERRUPTED, REPORT, common_failure_warning
from ..results import RIGHT, Results, without_grade
from ..sandbox.program import ENDINGS, UNCOUNTED
from ..sandbox.scratch import remove_abandoned, scratch_folder
from ..settings import (
    OPTIONS,
    SEED,
    SEED_VARIABLE,
    Assignment,
    Options,
    secret_of,
    with_seed,
)
from ..submissions.copying import linked_submissions, open_submission, submission_names, valid_name
from ..submissions.which_program import name_of_command
from ..workers.task import GradeAll, Task, explain, grade_task
from .mistakes import (
    UsageError,
    check_class,
    check_command,
    check_options,
    check_results,
    check_submissions,
    check_system,
    refuse,
)
from .parser import value_of

MAX_IGNORED = 9  # maximum number of ignored files to name in a message
CLEAR = '\r\33[K'  # clears the line the cursor is on
FIRST_SECONDS = 3  # how long to wait before the first estimate of the time left
STEP_SECONDS = 10  # round estimates in seconds up to a multiple of this


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
    with sandbox_probed(assignment, options, arguments.submissions, hidden) as (options, machine):
        warn(options.confine, machine.reach)
        return grade_all_of(arguments, replace(common, options=options, machine=machine))


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
                options = with_seed(task.options)
                with open_submission(task.source, task.name, notes=task.notes) as submission:
                    results = grade(
                        task.assignment, submission, options, show, task.machine, explain
                    )
    except BaseException:
        if task.folder:  # the pages about the class must show what has been saved so far
            write_overview(task.folder.parent, (), task.assignment.sessions)
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
        import_module('grading.reports.pages').report_page(Results(''))  # loads the templates
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
                    common.assignment.sessions,
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


def settings_from(arguments: argparse.Namespace) -> tuple[Assignment, Options]:
    """Return the assignment and the options of a command line.

    The assignment can also set options; the command line overrides these. Add the assignment to
    `arguments`, and the seed from the environment if fresh games need one. Raises `UsageError`, or
    `TranscriptError` if the assignment cannot be read.
    """
    command = (
        shlex.join([PYTHON, arguments.game]) if arguments.game.endswith(('.py', '.pyc')) else 'CMD'
    )
    refuse(
        arguments.game.endswith(ENDINGS) and os.path.isfile(arguments.game),
        f'{arguments.game} is a program; run: {command_name()} {arguments.name} GAME '
        f'--command "{command}"',
    )
    arguments.assignment = assignment_named(arguments.game)
    seed = os.environ.get(SEED_VARIABLE)
    if seed and arguments.fresh and arguments.seed is None:
        arguments.seed = value_of(SEED_VARIABLE, SEED)(seed)
    check_submissions(arguments)
    check_class(arguments)
    check_results(arguments)
    check_system(arguments)
    check_command(arguments)
    check_options(arguments)
    words = {name: getattr(arguments, name) for name in OPTIONS}
    given = {name: value for name, value in words.items() if value is not None}
    assignment, options = with_options(arguments.assignment, given)
    if not assignment.sessions:
        refuse(arguments.prompts, f'no session of {assignment.name} has prompts')
        raise UsageError(
            f'all sessions of {assignment.name} go beyond the assignment: add --beyond to play them'
        )
    return assignment, options


class ProgressLine:
    """A progress line on standard error, if that is a terminal."""

    def __init__(self, noun: str) -> None:
        self._noun = noun  # what to count, such as 'sessions'
        self._start = time.monotonic()
        self._is_shown = sys.stderr.isatty()

    def show(self, done: int, total: int) -> None:
        """Show how many sessions or submissions are done, and an estimate of the time left."""
        left = time_left(done, total, time.monotonic() - self._start)
        self._write(f'{CLEAR}{done} of {total} {self._noun}{left}')

    def clear(self) -> None:
        """Clear the line to make room for other output."""
        self._write(CLEAR)

    def _write(self, text: str) -> None:
        if self._is_shown:
            print(text, end='', file=sys.stderr, flush=True)


@contextmanager
def progress(noun: str) -> Iterator[ProgressLine]:
    """Provide a progress line; clear it at the end."""
    line = ProgressLine(noun)
    try:
        yield line
    finally:
        line.clear()


def time_left(done: int, total: int, seconds: float) -> str:
    """Return an estimate of the time left, in words, if the first `done` took `seconds`.

    Return `''` if nothing is left, or if it is too early to tell.

    >>> time_left(1, 3, 40), time_left(10, 40, 60), time_left(2, 30, 1)
    (', about 80 s left', ', about 3 min left', '')
    """
    if not done or done >= total or seconds < FIRST_SECONDS:
        return ''
    left = seconds / done * (total - done)
    if left > 2 * 60:
        return f', about {ceil(left / 60)} min left'
    return f', about {ceil(left / STEP_SECONDS) * STEP_SECONDS} s left'


def print_page_path(path: Path) -> None:
    """Print the path of a page on standard error."""
    print(f'grading: see {printable(str(path))}', file=sys.stderr)
