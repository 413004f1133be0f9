"""Checks of a command line, before anything runs.

The first mistake is reported; a check can rely on those that `settings` and `record` make before.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from ..assignments.folder import MOST_SESSIONS
from ..games.registry import NAMES, games_of
from ..installation import IS_INSTALLED, PYTHON, ROOT
from ..printable import printable
from ..sandbox.program import HAS_SANDBOX, words_in
from .meant import meant_by, missing_file, module_as_command, no_sessions, unquoted
from .usage import UsageError, refuse

PAGES_LIBRARY, CLUSTER_LIBRARY = 'jinja2', 'distributed'


def check_record(asked: argparse.Namespace) -> None:
    """Raise `UsageError` if something is wrong with a command line of `record`."""
    others = no_sessions(asked)
    meant = unquoted(asked.command, *others)
    refuse(
        (os.environ.get('CI'), 'sessions are not recorded in CI'),
        (meant, f'quotes missing? --command {meant}'),
        *missing('file', asked.files),
    )
    for file in asked.files:
        refuse(
            (file.is_dir(), f'{file} is a folder: name its sessions, {file / "*.txt"}'),
            (
                file in others,
                f'{file}: the name of a session ends in .txt; record would overwrite this file',
            ),
        )
    refuse((len(asked.files) > MOST_SESSIONS, f'more than {MOST_SESSIONS:,} sessions'))
    check_command(asked)


def check_submissions(asked: argparse.Namespace) -> None:
    """Raise `UsageError` if something is wrong with the submissions, or with --build."""
    checked_words('--build', asked.build)
    meant = unquoted(asked.command, *asked.submissions)
    is_one = len(asked.submissions) == 1  # of many, a link to nothing is somebody's hand-in
    first, *others = asked.submissions or [Path()]
    own = '' if asked.command or first.exists() else unquoted(str(first), *others)
    refuse(
        (meant, f'quotes missing? --command {meant}'),
        (own, f'no such file or folder: {first}; to run your own program: --command {own}'),
        *missing(
            'file or folder',
            [path for path in asked.submissions if is_one or not path.is_symlink()],
        ),
        (
            asked.is_alone and asked.command is None,
            'add a SUBMISSION, or --command for your own program',
        ),
        (
            asked.is_alone and (asked.build or asked.confine not in (None, 'auto')),
            '--build and --confine need a SUBMISSION: --command alone runs your own program',
        ),
    )


def check_class(asked: argparse.Namespace) -> None:
    """Raise `UsageError` if a folder of submissions is named as one, or one of an export as all.

    What --results or --junit is for, as on Gradescope, is one submission whatever it looks like.
    """
    if not asked.submissions:
        return
    first = asked.submissions[0]
    if asked.export:
        from ..submissions.exports import holds_one  # which is seldom needed

        refuse(
            (
                holds_one(first, asked.export, len(asked.submissions) == 1),
                f'{first} is one submission; --export {asked.export} needs the folder with all: '
                f'{asked.name} {asked.game} {first.parent} --export {asked.export}',
            )
        )
    elif len(asked.submissions) == 1 and not (asked.results or asked.junit):
        from ..submissions.entry_point import holds_many  # which --help does not need

        words = f'{asked.command or ""} {asked.build or ""}'
        refuse(
            (
                holds_many(first, words, bool(asked.command or asked.assignment.languages)),
                f'{first} is a folder of submissions: {asked.name} {asked.game} '
                f'{first / "*"} (as one submission it needs --results FILE)',
            )
        )


def check_results(asked: argparse.Namespace) -> None:
    """Raise `UsageError` if something is wrong with the options that say where results go."""
    is_one = not asked.export and len(asked.submissions) < 2
    for option in ('results', 'junit'):
        path = getattr(asked, option)
        refuse(
            (path and not is_one, f'--{option} needs a single SUBMISSION; for several use --out'),
            (
                path and (path.is_dir() or not os.access(path.parent, os.W_OK)),
                f'--{option}: {path} cannot be written',
            ),
        )
    folders = [path.resolve() for path in asked.submissions if path.is_dir()]
    refuse(
        (asked.again and not asked.out, '--again needs --out'),
        (asked.export and not asked.out, '--export needs --out, for the results'),
        # A results.json that a student hands in would count.
        (
            asked.out
            and asked.out.resolve()
            in (folders if asked.export else [folder.parent for folder in folders]),
            f'--out: {asked.out} holds the submissions; name another folder for the results',
        ),
    )
    if is_one and any(path.suffix.lower() == '.zip' for path in asked.submissions):
        from ..submissions.exports import kind_of_export  # which is seldom needed

        kind = kind_of_export(*asked.submissions)
        refuse(
            (
                kind,
                f'{asked.submissions[0]} looks like an export of many: add --export {kind}, '
                'and --out for the results',
            )
        )


def check_system(asked: argparse.Namespace) -> None:
    """Raise `UsageError` if this system, or its libraries, cannot do what is asked for."""
    python = shlex.quote(sys.executable) if IS_INSTALLED else PYTHON
    cure = (
        f'run "make venv" in {ROOT}, then .venv/bin/grading there'
        if HAS_SANDBOX and not IS_INSTALLED
        else f'run "{python} -m pip install {PAGES_LIBRARY}"'
    )
    refuse(
        (
            asked.cluster and (asked.results or asked.junit or asked.is_alone),
            '--cluster needs a SUBMISSION, and --out for results',
        ),
        (not HAS_SANDBOX and asked.name == 'pack', 'pack needs Linux or macOS'),
        (
            not HAS_SANDBOX and (asked.submissions or asked.build),
            'a SUBMISSION runs in a sandbox, which needs Linux or macOS; for your own program '
            'type --command alone',
        ),
        (asked.out and not find_spec(PAGES_LIBRARY), f'--out needs {PAGES_LIBRARY}: {cure}'),
        (
            asked.cluster and not find_spec(CLUSTER_LIBRARY),
            f'--cluster needs {CLUSTER_LIBRARY}: install the extra "cluster"',
        ),
    )


def check_command(asked: argparse.Namespace) -> None:
    """Raise `UsageError` if something is wrong with --command."""
    words = checked_words('--command', asked.command)
    started = module_as_command(words, bool(asked.submissions))
    refuse((started, f'Python starts a module: --command "{started}"'))
    if asked.is_alone and words:
        file = missing_file(words)
        refuse(
            (not shutil.which(words[0]), f'--command: no such command: {words[0]}'),
            (file, f'--command: no such file: {file}'),
        )


def check_options(asked: argparse.Namespace) -> None:
    """Raise `UsageError` if options do not go with each other, or with the assignment.

    Print on standard error what may not be meant: missing files, a folder named as a game.
    """
    assignment = asked.assignment
    refuse(
        (
            not asked.fresh and (asked.seed is not None or asked.fresh_points),
            '--seed and --fresh-points need --fresh',
        ),
        (assignment.path and asked.prompts, f'--prompts works only with {", ".join(NAMES)}'),
        (
            asked.fresh
            and (assignment.path or not all(game.maker for game in games_of(assignment.name))),
            f'--fresh: {assignment.name} has no generator of fresh games',
        ),
        (
            asked.name == 'pack' and asked.confine == 'bwrap',
            "--confine bwrap: Gradescope's containers do not allow it",
        ),
    )
    for file in asked.assignment.data if asked.is_alone else ():
        if not os.path.exists(file.name):
            print(
                f'grading: {printable(file.name)} of the assignment is missing in this folder, '
                'where the command runs',
                file=sys.stderr,
            )
    if not assignment.path and os.path.exists(assignment.name):
        print(
            f'grading: {assignment.name} is the game; for the folder or file here, type '
            f'./{assignment.name}',
            file=sys.stderr,
        )


def checked_words(option: str, command: str | None) -> list[str]:
    """Return the words of a command line, if an option gives one. Raises `UsageError`."""
    try:
        words = [] if command is None else words_in(command)
    except ValueError as error:
        raise UsageError(f'{option}: {error}') from None
    refuse((command is not None and not words, f'{option}: the command line is empty'))
    return words


def missing(what: str, paths: Sequence[Path]) -> list[tuple[bool, str]]:
    """Return a mistake for each path that does not exist."""
    return [
        (True, f'no such {what}: {path}{meant_by(path)}') for path in paths if not path.exists()
    ]
