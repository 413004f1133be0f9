"""What the commands do: grade, record, pack."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from .assignments.games import (
    CONFIGURATION,
    assignment_of,
    beside,
    console_for,
    files_of_one,
    record,
)
from .command_line import (
    UsageError,
    check_record,
    command_line,
    refuse,
    settings_from,
)
from .grader import GradeAll, Report, Shortage, Task, grade, grade_task, points_of, unreported
from .installation import all_transcripts, command_name, grader_version
from .limits import Limits
from .printable import counted, list_names, printable
from .reports.addresses import REPORT
from .reports.junit import junit_xml
from .reports.notes import fail_alike
from .reports.out_folder import results_below, write_overview
from .reports.pack import pack
from .reports.packages import missing_packages
from .reports.text import line, report
from .results import INTERRUPTED, RIGHT, UNGRADED, WRONG_USAGE, without_grade
from .sandbox.confine import as_in_terminal, confine, remove_abandoned, scratch_folder
from .sandbox.program import HAS_SANDBOX, UNCOUNTED, Program, SandboxError, words_in
from .sandbox.untrusted_files import SubmissionError
from .seeds import secret_of
from .sessions.class_lock import ClassLock
from .sessions.record import record_by
from .sessions.transcript import TranscriptError
from .settings import Assignment, Language, Settings
from .submissions.assignment_files import put
from .submissions.building import build_twice
from .submissions.copying import open_submission
from .submissions.entry_point import language_of, program_of_module
from .submissions.names import folder_name, name_of_command, submission_names
from .whole_file import write_whole

MOST_IGNORED = 9  # files that are named


def run(arguments: argparse.Namespace) -> int:
    """Run the command of a command line; return the exit status."""
    try:
        return COMMANDS[arguments.name](arguments)
    except UsageError as error:
        command_line().error(str(error))  # which ends the grader
    except BrokenPipeError:  # nobody reads any more
        sys.stdout = None
        return UNGRADED
    except (TranscriptError, SandboxError, SubmissionError, Shortage, OSError) as error:
        print(f'grading: {printable(str(error))}', file=sys.stderr)
        return WRONG_USAGE if isinstance(error, TranscriptError) else UNGRADED


def run_record(arguments: argparse.Namespace) -> int:
    """Record sessions into their files."""
    check_record(arguments)
    assignments = {
        folder: assignment_of(folder, beside(folder))
        for folder in dict.fromkeys(path.parent for path in arguments.files)
    }
    own = {folder: one for folder, one in assignments.items() if arguments.command or one.files}
    for path in arguments.files:
        refuse(
            (
                path.parent not in own and not console_for(path),
                f'{path}: no session of a game that comes with the grader; add --command "CMD", or '
                f'a command in {CONFIGURATION}, to record your own program',
            )
        )
    with ExitStack() as stack:
        try:
            solutions = {
                folder: stack.enter_context(open_solution(one, arguments.command))
                for folder, one in own.items()
            }
        except TranscriptError as error:  # with the lines of a compiler, perhaps
            print('grading:', printable(str(error), keep='\n'), file=sys.stderr)
            return WRONG_USAGE
        return record_all(arguments.files, solutions)


def language_here(source: Path, languages: Sequence[Language], is_copied: bool) -> Language:
    """Return how to build and run the solution in a folder. Raises `SubmissionError`."""
    language = language_of(source, languages)
    if language.build and not is_copied:
        raise SubmissionError('nothing is built on this system; add --command "CMD"')
    return language


@contextmanager
def open_solution(assignment: Assignment, command: str | None) -> Iterator[Callable[[Path], str]]:
    """Provide what records the sessions of an assignment by a teacher's solution.

    The `command` starts it, or else that of assignment.ini, or else it is the executable Python
    module. If there is no `command`, or there are files/ for it, each run gets a copy of the
    current folder, with these files, and built as assignment.ini says: so do submissions.
    Otherwise, and on Windows, it runs in the current folder itself. Raises `TranscriptError`.
    """
    languages = [Language('', command, '')] if command else assignment.languages
    is_copied = HAS_SANDBOX and bool(assignment.data or not command)
    with open_submission(Path.cwd() if is_copied else None) as submission:
        source = submission.folder or Path.cwd()
        data = assignment.data if is_copied else ()
        try:
            language = language_here(source, languages, is_copied)
            sandbox = confine('none', submission.scratch)
            if language.build:
                put(data, source)
                source, _ = build_twice(
                    Program(['sh', '-c', language.build], source),
                    sandbox,
                    ClassLock(),
                    Limits().build,
                )
            module = None if language.command else program_of_module(source, sandbox.python)
            put(data, source)
        except SubmissionError as error:
            raise TranscriptError(
                f'{Path.cwd()}: {error}\nrecord makes the program from the files '
                'in this folder, where you started it'
            ) from None
        # Beside a copy there is nothing.
        words = [
            f'{Path.cwd()}/{word}' if is_copied and word.startswith('../') else word
            for word in words_in(language.command)
        ]
        program = module or Program(words, source if is_copied else None)
        if not assignment.requires_flush:
            program = replace(program, env=as_in_terminal('none'))
        yield partial(
            record_by,
            program,
            sandbox,
            assignment.directives,
            [file.name for file in assignment.data],
        )


def record_all(paths: Sequence[Path], solutions: Mapping[Path, Callable[[Path], str]]) -> int:
    """Record sessions by the solutions for their folders, or by our own consoles."""
    status = RIGHT
    for number, path in enumerate(paths, 1):
        if len(paths) > 1 and sys.stderr.isatty():
            print(
                f'\r\33[K{number} of {len(paths)}: {printable(path.name)}',
                end='' if number < len(paths) else '\n',
                file=sys.stderr,
                flush=True,
            )
        note = ''
        try:
            if path.parent in solutions:
                note = solutions[path.parent](path)
            else:
                record(path)
                if path.resolve() not in all_transcripts():
                    note = (
                        f'{path} is recorded; to grade a program by it: {command_name()} grade '
                        f'{shlex.quote(str(path))} --command "CMD"'
                    )
        except TranscriptError as error:
            status, note = WRONG_USAGE, str(error)
        if note:
            print(f'grading: {printable(note)}', file=sys.stderr)
    return status


def run_pack(arguments: argparse.Namespace) -> int:
    """Write an autograder for Gradescope."""
    settings = settings_from(arguments)
    assignment, zipped = settings.assignment, printable(str(arguments.zip))
    name = f'sessions/{assignment.name}' if assignment.files else assignment.name
    try:
        arguments.zip.write_bytes(
            pack(
                [*settings.words, name],
                () if assignment.files else assignment.transcripts,
                arguments.install,
                assignment.files,
                settings.seed,
            )
        )
    except OSError as error:
        raise UsageError(f'{zipped}: {error.strerror}') from None
    points = sum(map(points_of, assignment.transcripts)) + settings.fresh_points
    print(
        f'{zipped}: {assignment.name}, {counted(len(assignment.transcripts))}; '
        f'on Gradescope, enter {points:g} autograder points'
    )
    missing = missing_packages(
        *(
            command
            for language in settings.languages
            for command in (language.command, language.build)
        )
    )
    if missing and not arguments.install:
        print(f'{zipped}: {printable(missing)}')
    return RIGHT


def run_grade(arguments: argparse.Namespace) -> int:
    """Grade submissions, or a command in the current folder."""
    settings = settings_from(arguments)
    if arguments.out:
        try:
            arguments.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f'--out: {printable(str(arguments.out))}: {error.strerror}') from None
        other = next(
            (results.assignment for results in results_below(arguments.out) if results.assignment),
            settings.assignment.label,
        )
        refuse(
            (
                other != settings.assignment.label,
                f'--out: {arguments.out} has results of {other}; choose another folder',
            )
        )
    remove_abandoned()
    if arguments.cluster or not arguments.submissions:
        return grade_all_of(arguments, settings)
    from .sandbox.confine import surveyed  # on Linux and macOS alone
    from .sandbox.kernel import clear_seed

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
        settings = replace(settings, **survey._asdict())
        warn(settings)
        return grade_all_of(arguments, settings)


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
    from .workers import cluster, grade_all  # on Linux and macOS alone

    with cluster(arguments.cluster) if arguments.cluster else nullcontext(grade_all) as grade_those:
        return grade_many(arguments, settings, grade_those)


def tasks_for(sources: Sequence[Path], settings: Settings, out: Path | None) -> list[Task]:
    """Return a task for each submission, named as its folder, zip or file."""
    return [
        Task(name, source, settings, out and out / name)
        for source, name in zip(sources, submission_names(sources), strict=True)
    ]


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
    if results.seed is not None and not task.gradescope:  # which may show it to students
        print(f'fresh games: --seed {results.seed}')
    print(*report(results), sep='\n')
    if task.folder:
        tell_page(task.folder / REPORT)
    return results.exit_status


def grade_many(arguments: argparse.Namespace, settings: Settings, grade_all: GradeAll) -> int:
    """Grade submissions, or all in some exports; print a line for each; return the exit status.

    If something ends this, the overview has the submissions that were graded before. Raises
    `SubmissionError` if an export cannot be read.
    """
    sources, export, out = arguments.submissions, arguments.export, arguments.out
    import_module('grading.diagnosis.places.where')  # once; the forked workers share it
    if out:
        grader_version()
        import_module('grading.reports.rendering').ENVIRONMENT.get_template('report.html')
        if settings.fresh:
            secret_of(out)
    with scratch_folder() as scratch:
        settings = replace(settings, lock_folder=scratch)
        tasks = (
            tasks_of_exports(sources, export, settings, out)
            if export
            else tasks_for(sources, settings, out)
        )
        graded = {task.name: without_grade(task.name, INTERRUPTED) for task in tasks}
        try:
            with closing(grade_all(tasks)) as those_done, progress('submissions') as tell:
                tell(0, len(tasks))
                for number, results in enumerate(those_done, 1):
                    graded[results.submission] = results
                    print(f'[{number}/{len(tasks)}] {line(results)}', flush=True)
                    tell(number, len(tasks))
        finally:
            if out:
                write_overview(
                    out,
                    [one for one in graded.values() if one.score is None],
                    settings.assignment.transcripts,
                )
    alike = fail_alike(graded.values())
    if alike:
        print(f'grading: {alike}', file=sys.stderr)
    if out:
        tell_page(out / 'index.html')
    return max((results.exit_status for results in graded.values()), default=RIGHT)


def tasks_of_exports(
    sources: Sequence[Path], kind: str, settings: Settings, out: Path | None
) -> list[Task]:
    """Return a task for each submission in some exports, which are unpacked for the class."""
    from .submissions.exports import read_export  # which is seldom needed

    shares, ignored = [], []
    assert settings.lock_folder
    for number, source in enumerate(sources):
        found, others = read_export(source, kind, settings.lock_folder / f'export-{number}')
        shares += found
        ignored += others
    if ignored:
        print(
            'grading: ignored, because they belong to no student: '
            f'{list_names(ignored, MOST_IGNORED)}',
            file=sys.stderr,
        )
    return [
        replace(task, id=one.id, email=one.email, late=one.late, notes=tuple(one.notes))
        for task, one in zip(
            tasks_for([one.folder for one in shares], settings, out), shares, strict=False
        )
    ]


def tell_page(path: Path) -> None:
    """Print on standard error where the page is."""
    print(f'grading: see {printable(str(path))}', file=sys.stderr)


@contextmanager
def progress(what: str) -> Iterator[Report]:
    """Show a progress bar on standard error, if that is a terminal; a line without library rich."""
    if not sys.stderr.isatty():
        yield unreported
    elif not find_spec('rich'):  # What is printed next is printed over the line.
        yield lambda done, total: print(
            f'\33[K{done} of {total} {what}\r', end='', file=sys.stderr, flush=True
        )
        print('\33[K', end='', file=sys.stderr, flush=True)
    else:
        from rich.console import Console  # which takes long to import
        from rich.progress import Progress

        # Lines on standard output are printed above the bar, where both are the same terminal. The
        # bar gets no thread of its own: the grader forks.
        with Progress(
            console=Console(stderr=True),
            transient=True,
            auto_refresh=False,
            redirect_stdout=sys.stdout.isatty(),
        ) as bar:
            task = bar.add_task(what, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total, refresh=True)


COMMANDS = {'grade': run_grade, 'record': run_record, 'pack': run_pack}
