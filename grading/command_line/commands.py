"""The commands of the command line: grade, record, pack."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import ContextManager, Sequence

from ..assignments.configuration import directives_beside
from ..assignments.folder import MOST_SESSIONS, Contents, all_files
from ..assignments.games import find, is_of_ours, record
from ..batch.grade import GradeAll, grade_many, grade_one, task_of_command, tasks_for
from ..installation import TRANSCRIPTS_FOLDER, all_transcripts
from ..printable import printable
from ..reports.gradescope import pack, what_is_missing
from ..reports.messages import counted
from ..reports.results import points_of
from ..reports.results_json import RIGHT, WRONG_USAGE
from ..reports.text import warn
from ..sandbox.confine import remove_abandoned
from ..sandbox.program import HAS_SANDBOX
from ..sessions.record import record_by
from ..sessions.transcript import TranscriptError, display_name
from ..settings import Settings
from .usage import UsageError, check, settings_from, words_of


def run_record(arguments: argparse.Namespace) -> int:
    """Record sessions into their files."""
    if os.environ.get('CI'):
        raise UsageError('sessions are not recorded in CI')
    words = words_of('command', arguments.command)
    if len(arguments.files) > MOST_SESSIONS:
        raise UsageError(f'more than {MOST_SESSIONS:,} sessions')
    for path in arguments.files:
        if not path.exists():
            raise UsageError(f'no such file: {printable(str(path))}')
        if not words and not is_of_ours(path):
            raise UsageError(f'{printable(str(path))}: not a session of our games; add '
                             '--command "CMD" to record your own program')
    is_right = True
    for number, path in enumerate(arguments.files, 1):
        if len(arguments.files) > 1 and sys.stderr.isatty():
            print(f'\r\33[K{number} of {len(arguments.files)}: {printable(path.name)}',
                  end='' if number < len(arguments.files) else '\n', file=sys.stderr, flush=True)
        try:
            note = (record_by(words, path, directives_beside(path)) if words
                    else record_by_ours(path))
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
    return (f'{path} is recorded, but games are graded only by the sessions in '
            f'{display_name(TRANSCRIPTS_FOLDER)}')


def run_pack(arguments: argparse.Namespace) -> int:
    """Write an autograder for Gradescope."""
    if not HAS_SANDBOX:
        raise UsageError('pack needs Linux or macOS')
    settings = settings_from(arguments)
    if settings.confine == 'bwrap':
        raise UsageError("--confine bwrap: Gradescope's containers do not allow it")
    transcripts = find(settings).transcripts
    try:
        arguments.zip.write_bytes(packed(settings, arguments.install))
    except OSError as error:
        raise UsageError(f'{printable(str(arguments.zip))}: {error.strerror}') from None
    points = sum(map(points_of, transcripts)) + settings.fresh_points
    print(f'{printable(str(arguments.zip))}: {settings.game}, {counted(len(transcripts))}; '
          f'on Gradescope, enter {points:g} autograder points')
    missing = what_is_missing(*(f'{language.command} ; {language.build}'
                                for language in find(settings).recipe.languages))
    if missing and not arguments.install:
        print(f'{printable(str(arguments.zip))}: {printable(missing)}')
    return RIGHT


def packed(settings: Settings, packages: Sequence[str]) -> bytes:
    """Return an autograder as a zip."""
    if settings.sessions:
        words = [*settings.words[:-1], f'sessions/{settings.game}']
        own = Contents(settings.sessions, settings.data)
        return pack(words, [], packages, all_files(own))
    return pack(settings.words, find(settings).transcripts, packages)


def run_grade(arguments: argparse.Namespace) -> int:
    """Grade submissions, or a command in the current folder."""
    check(arguments)
    settings = settings_from(arguments)
    if arguments.out:
        try:
            arguments.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f'--out: {printable(str(arguments.out))}: {error.strerror}') from None
    remove_abandoned()
    if arguments.cluster or not arguments.submissions:
        return grade_all_of(arguments, settings)
    from ..sandbox.confine import surveyed  # on Linux and macOS alone

    own = [Path(arguments.game)] if settings.sessions else []
    with surveyed(settings, [path.resolve() for path in [
            *arguments.submissions, *own, *filter(None, [arguments.out])]]) as settings:
        warn(settings)
        return grade_all_of(arguments, settings)


def grade_all_of(arguments: argparse.Namespace, settings: Settings) -> int:
    """Grade submissions, or a command, with the workers that are asked for; return the exit status.
    """
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
    """Return what grades many submissions: workers of a cluster, or of this machine."""
    if not address:
        from ..batch.workers import grade_all  # which forks

        return nullcontext(grade_all)
    try:
        from ..batch.cluster import cluster
    except ImportError as error:
        raise UsageError(f'--cluster: {error}; install the extra "cluster"') from None
    return cluster(address)
