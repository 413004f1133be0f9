"""What the commands do: grade, record, pack."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import ContextManager, Sequence

from ..assignments.configuration import CONFIGURATION
from ..assignments.folder import files_of_one
from ..assignments.games import is_of_ours, record
from ..batch.grade import GradeAll, grade_many, grade_one, task_of_command, tasks_for
from ..installation import all_transcripts, command_name
from ..player import Shortage
from ..printable import printable
from ..reports.gradescope import pack, what_is_missing
from ..reports.messages import counted
from ..reports.out import results_below
from ..reports.results import RIGHT, UNGRADED, WRONG_USAGE
from ..reports.scorebook import points_of
from ..reports.text import warn
from ..sandbox.confine import remove_abandoned
from ..sandbox.program import SandboxError, words_in
from ..sessions.record import record_by
from ..sessions.transcript import TranscriptError
from ..settings import Settings
from ..solution import has_command, open_solution
from ..submissions.exports import ExportError
from .parser import command_line, parsed
from .rules import OF_RECORD, UsageError, check, settings_from


def run() -> int:
    """Run the command on the command line; return the exit status."""
    parser = command_line()
    if len(sys.argv) == 1:
        parser.print_help(sys.stderr)
        return WRONG_USAGE
    arguments = parsed(parser)
    try:
        return COMMANDS[arguments.name](arguments)
    except UsageError as error:
        parser.error(str(error))
    except TranscriptError as error:
        print(f'grading: {printable(str(error))}', file=sys.stderr)
        return WRONG_USAGE
    except BrokenPipeError:                 # nobody reads any more
        sys.stdout = None
        return UNGRADED
    except (SandboxError, ExportError, Shortage, OSError) as error:
        print(f'grading: {printable(str(error))}', file=sys.stderr)
        return UNGRADED


def run_record(arguments: argparse.Namespace) -> int:
    """Record sessions into their files."""
    if os.environ.get('CI'):
        raise UsageError('sessions are not recorded in CI')
    check(arguments, OF_RECORD)
    words = words_in(arguments.command or '')
    commands: dict[Path, bool] = {}     # whether there is one for the sessions in a folder
    for path in arguments.files:
        if path.parent not in commands:
            commands[path.parent] = bool(words) or has_command(path.parent)
        if not commands[path.parent] and not is_of_ours(path):
            raise UsageError(f'{printable(str(path))}: not a session of our games; add --command '
                             f'"CMD", or a command in {CONFIGURATION}, to record your own program')
    is_right = True
    with ExitStack() as stack:
        try:
            solutions = {folder: stack.enter_context(open_solution(folder, arguments.command))
                         for folder, is_own in commands.items() if is_own}
        except TranscriptError as error:        # with the lines of a compiler, perhaps
            print('grading:', printable(str(error), keep='\n'), file=sys.stderr)
            return WRONG_USAGE
        for number, path in enumerate(arguments.files, 1):
            if len(arguments.files) > 1 and sys.stderr.isatty():
                print(f'\r\33[K{number} of {len(arguments.files)}: {printable(path.name)}', end=''
                      if number < len(arguments.files) else '\n', file=sys.stderr, flush=True)
            try:
                solution = solutions.get(path.parent)
                note = record_by(solution, path) if solution else record_by_ours(path)
            except TranscriptError as error:
                is_right, note = False, str(error)
            if note:
                print(f'grading: {printable(note)}', file=sys.stderr)
    return RIGHT if is_right else WRONG_USAGE


def record_by_ours(path: Path) -> str:
    """Record a session with our own console; return a note for its author, '' for none."""
    record(path)
    if path.resolve() in all_transcripts():
        return ''
    return (f'{path} is recorded; to grade a program by it: {command_name()} grade '
            f'{shlex.quote(str(path))} --command "CMD"')


def run_pack(arguments: argparse.Namespace) -> int:
    """Write an autograder for Gradescope."""
    settings = settings_from(arguments)
    transcripts = settings.assignment.transcripts
    try:
        arguments.zip.write_bytes(packed(settings, arguments.install))
    except OSError as error:
        raise UsageError(f'{printable(str(arguments.zip))}: {error.strerror}') from None
    points = sum(map(points_of, transcripts)) + settings.fresh_points
    print(f'{printable(str(arguments.zip))}: {settings.assignment.name}, '
          f'{counted(len(transcripts))}; on Gradescope, enter {points:g} autograder points')
    missing = what_is_missing(*(f'{language.command} ; {language.build}'
                                for language in settings.languages))
    if missing and not arguments.install:
        print(f'{printable(str(arguments.zip))}: {printable(missing)}')
    return RIGHT


def packed(settings: Settings, packages: Sequence[str]) -> bytes:
    """Return an autograder as a zip."""
    assignment = settings.assignment
    if assignment.files:
        return pack([*settings.words, f'sessions/{assignment.name}'], [], packages,
                    assignment.files)
    return pack([*settings.words, assignment.name], assignment.transcripts, packages,
                seed=settings.seed)


def run_grade(arguments: argparse.Namespace) -> int:
    """Grade submissions, or a command in the current folder."""
    settings = settings_from(arguments)
    if arguments.out:
        try:
            arguments.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f'--out: {printable(str(arguments.out))}: {error.strerror}') from None
        other = next((results.assignment for results in results_below(arguments.out)
                      if results.assignment), settings.assignment.label)
        if other != settings.assignment.label:
            raise UsageError(f'--out: {printable(str(arguments.out))} has results of '
                             f'{printable(other)}; choose another folder')
    remove_abandoned()
    if arguments.cluster or not arguments.submissions:
        return grade_all_of(arguments, settings)
    from ..sandbox.confine import surveyed  # on Linux and macOS alone
    from ..sandbox.kernel import clear_seed

    clear_seed()
    path = settings.assignment.path
    own = [] if not path else [path] if path.is_dir() else files_of_one(path)
    with surveyed(settings.confine, settings.command, [path.resolve() for path in [
            *arguments.submissions, *own, *filter(None, [arguments.out])]]) as survey:
        settings = replace(settings, **survey._asdict())
        warn(settings)
        return grade_all_of(arguments, settings)


def grade_all_of(arguments: argparse.Namespace, settings: Settings) -> int:
    """Grade submissions, or a command, here or on a cluster; return the exit status."""
    if arguments.cluster or arguments.export or len(arguments.submissions) > 1:
        with workers(arguments.cluster) as grade_all:
            return grade_many(arguments.submissions, arguments.export, settings, arguments.out,
                              grade_all)
    if arguments.submissions:
        task, = tasks_for(arguments.submissions, settings, arguments.out)
    else:
        task = task_of_command(arguments.command, settings, arguments.out)
    return grade_one(replace(task, gradescope=arguments.results), arguments.junit)


def workers(address: str | None) -> ContextManager[GradeAll]:
    """Return the function that grades many submissions: on this machine, or on a cluster."""
    if not address:
        from ..batch.workers import grade_all  # which forks

        return nullcontext(grade_all)
    try:
        from ..batch.cluster import cluster
    except ImportError as error:
        raise UsageError(f'--cluster: {error}; install the extra "cluster"') from None
    return cluster(address)


COMMANDS = {'grade': run_grade, 'record': run_record, 'pack': run_pack}
