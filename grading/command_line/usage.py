"""Checks of the command line: which words do not go together, and the settings that they mean."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from ..assignments.games import NAMES, find, games_of, named, preset
from ..installation import IS_INSTALLED, PYTHON, ROOT
from ..printable import printable
from ..sandbox.program import HAS_SANDBOX, words_in
from ..settings import OPTIONS, Settings

PROGRAMS = ('.py', '.pyc', '.js', '.mjs', '.rb', '.pl', '.php', '.lua', '.sh', '.jar')
LIBRARIES = {'out': 'jinja2'}           # for options


class UsageError(Exception):
    """Why the words of a command line do not go together."""


def words_of(option: str, command: str | None) -> list[str]:
    """Return the words of an option's command line, none without the option."""
    try:
        words = words_in(command or '')
    except ValueError as error:
        raise UsageError(f'--{option}: {error}') from None
    if command is not None and not words:
        raise UsageError(f'--{option}: the command line is empty')
    return words


def settings_from(arguments: argparse.Namespace) -> Settings:
    """Return the settings that the command line and the assignment give."""
    for option in ('command', 'build'):
        words_of(option, getattr(arguments, option))
    if not arguments.fresh and (arguments.seed is not None or arguments.fresh_points):
        raise UsageError('--seed and --fresh-points need --fresh')
    name, own = named(arguments.game)
    presets = preset(own)
    given = {option: getattr(arguments, option) for option in OPTIONS}
    options = {option: presets.get(option) if value is None or value is False else value
               for option, value in given.items()}
    if options['terminal'] and options['at_once']:
        raise UsageError('--terminal cannot be used with --at-once')
    if own.texts and arguments.prompts:
        raise UsageError(f'--prompts works only with {", ".join(NAMES)}')
    if arguments.fresh and (own.texts or not all(game.maker for game in games_of(name))):
        raise UsageError(f'--fresh: {printable(name)} has no generator of fresh games')
    for file in own.data if 'submissions' in arguments and not arguments.submissions else ():
        if not os.path.exists(file.name):
            print(f'grading: {printable(file.name)} of the assignment is missing in this folder, '
                  'where the command runs', file=sys.stderr)
    if not own.texts and os.path.exists(name):
        print(f'grading: {name} is the game; for the folder or file here, type ./{name}',
              file=sys.stderr)
    chosen: dict[str, Any] = {
        option: value for option, value in options.items() if value is not None}
    settings = Settings(name, own.texts, own.data, **chosen, preset=tuple(presets),
                        again=getattr(arguments, 'again', False))
    if not find(settings).transcripts:
        raise UsageError(f'no session of {printable(name)} has prompts' if arguments.prompts
                         else f'all sessions of {printable(name)} are beyond the assignment: '
                         'add --beyond')
    return settings


def check_file(command: list[str]) -> None:
    """Raise `UsageError` if a command line runs a file that does not exist.

    The file is the first word behind an interpreter and its options, if it ends as a program does.
    """
    file = next((word for word in command[1:] if not word.startswith('-')), '')
    if {'-c', '-m', '-e'} & {*command} or not file.endswith(PROGRAMS) or os.path.exists(file):
        return
    path = Path(file)
    there = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, there, 1)
    meant = f'; did you mean {printable(str(path.with_name(near[0])))}?' if near else ''
    raise UsageError(f'--command: no such file: {printable(file)}{meant}')


def check_present(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if this system or this Python lacks something that is asked for."""
    if not HAS_SANDBOX and arguments.terminal:
        raise UsageError('--terminal needs Linux or macOS')
    if not HAS_SANDBOX and (arguments.submissions or arguments.build):
        raise UsageError('a SUBMISSION runs in a sandbox, which needs Linux or macOS; for your own '
                         'program type --command alone')
    for option, library in LIBRARIES.items():
        if getattr(arguments, option):
            try:
                import_module(library)
            except ImportError:
                raise UsageError(f'--{option} needs {library}: {how_to_get(library)}') from None


def how_to_get(library: str) -> str:
    """Return in words the command that installs a library."""
    if HAS_SANDBOX and not IS_INSTALLED:
        return f'run "make venv" in {printable(str(ROOT))}, then .venv/bin/grading there'
    python = shlex.quote(sys.executable) if IS_INSTALLED else PYTHON
    return f'run "{python} -m pip install {library}"'


def check(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if words of the command line do not go together."""
    for path in arguments.submissions:
        if not path.exists():
            raise UsageError(f'no such file or folder: {printable(str(path))}')
    if not arguments.submissions:
        if arguments.command is None:
            raise UsageError('add a SUBMISSION, or --command for your own program')
        tool = words_of('command', arguments.command)[0]
        if not shutil.which(tool):
            raise UsageError(f'--command: no such command: {printable(tool)}')
        if arguments.build or arguments.confine != 'auto':
            raise UsageError('--build and --confine need a SUBMISSION: --command alone runs your '
                             'own program')
    for option in ('results', 'junit'):
        path = getattr(arguments, option)
        if path and (arguments.export or len(arguments.submissions) > 1):
            raise UsageError(f'--{option} needs a single SUBMISSION; for several use --out')
        if path and (path.is_dir() or not os.access(path.parent, os.W_OK)):
            raise UsageError(f'--{option}: {printable(str(path))} cannot be written')
    if arguments.again and not arguments.out:
        raise UsageError('--again needs --out')
    if arguments.export and not arguments.out:
        raise UsageError('--export needs --out, for the results')
    if arguments.cluster and (arguments.results or arguments.junit or not arguments.submissions):
        raise UsageError('--cluster needs a SUBMISSION, and --out for results')
    check_present(arguments)
    if not arguments.submissions:
        check_file(words_of('command', arguments.command))
