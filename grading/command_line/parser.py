"""The command line of the grader: what can be typed, and which words do not go together.

`grading --help` lists it.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from ..assignments.games import NAMES, NAMES_EXPLAINED
from ..installation import IS_INSTALLED, PYTHON, ROOT, command_name, name_and_version
from ..printable import printable
from ..sandbox.program import HAS_SANDBOX, words_in
from ..settings import VISIBILITIES, Limits, Settings, seconds
from ..submissions.exports import KINDS

DESCRIPTION = """\
Plays recorded sessions through a program, and says what is wrong with it. For example:

  {name} grade {game} --command "{python} my_{game}.py"
  {name} grade {game} path/to/submission
  {name} grade {game} class/* --out results
"""
STATUSES = """\
Exit status: 0 everything is right; 1 something is wrong; 2 the command line is wrong; 3 the grader
could not grade something, for a reason that is not the submission's; 130 Ctrl-C.
"""
PROGRAMS = ('.py', '.pyc', '.js', '.mjs', '.rb', '.pl', '.php', '.lua', '.sh', '.jar')
PAGES_LIBRARY = 'jinja2'                # of the pages


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Return the parsed command line; a SUBMISSION may also follow options."""
    arguments, more = parser.parse_known_args()
    end = more.index('--') if '--' in more else len(more)
    paths = [*more[:end], *more[end + 1:]]
    if more and ('submissions' not in arguments or any(
            word.startswith('-') for word in more[:end])):
        parser.error(f'unrecognized arguments: {printable(" ".join(more))}')
    if more:                            # argparse takes only paths that stand together
        arguments.submissions = [*arguments.submissions, *map(Path, paths)]
    return arguments


def command_line() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    in_lines = argparse.RawDescriptionHelpFormatter
    name = command_name()
    parser = argparse.ArgumentParser(
        prog=name, description=DESCRIPTION.format(name=name, game=NAMES[0], python=PYTHON),
        formatter_class=in_lines, allow_abbrev=False)
    parser.add_argument('--version', action='version', version=name_and_version())
    commands = parser.add_subparsers(metavar='COMMAND', dest='name', required=True)
    grade = commands.add_parser(
        'grade', allow_abbrev=False, parents=[options_for_all()], help='grade programs',
        description=NAMES_EXPLAINED, epilog=STATUSES, formatter_class=in_lines)
    grade.add_argument('submissions', metavar='SUBMISSION', nargs='*', type=Path, default=[],
                       help='a program that was handed in: a folder, a .zip or a file')
    grade.add_argument('--export', choices=KINDS,
                       help='each SUBMISSION is an export of this platform, with many programs')
    grade.add_argument('--again', action='store_true',
                       help='grade also submissions that have not changed since the last time')
    grade.add_argument('--cluster', metavar='ADDRESS',
                       help='grade on the machines of the Dask scheduler at this address')
    grade.add_argument('--out', metavar='FOLDER', type=Path,
                       help='write all results, and pages, into this folder')
    grade.add_argument('--results', metavar='FILE', type=Path,
                       help="write the results of one SUBMISSION in Gradescope's format")
    grade.add_argument('--junit', metavar='FILE', type=Path,
                       help='write the results of one SUBMISSION as JUnit XML')
    recorder = commands.add_parser(
        'record', allow_abbrev=False, help='record what a program prints',
        description='Types the lines of each FILE into a program, and writes what the program '
                    'prints between them. Then read the result: is it what the assignment says?')
    recorder.add_argument('--command', metavar='CMD',
                          help="record your own program, not the game's")
    recorder.add_argument('files', metavar='FILE', nargs='+', type=Path,
                          help='the lines that are typed in one session')
    packer = commands.add_parser(
        'pack', allow_abbrev=False, parents=[options_for_all()],
        help='make an autograder to upload to Gradescope', description=NAMES_EXPLAINED,
        formatter_class=in_lines)
    packer.add_argument('zip', metavar='ZIP', type=Path, help='the file to write: autograder.zip')
    packer.add_argument('--install', metavar='PACKAGES', type=packages, default=[],
                        help='the Ubuntu packages that --command or --build needs')
    return parser


def options_for_all() -> argparse.ArgumentParser:
    """Return a parser of GAME and the options of all submissions, for `grade` and `pack`."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument('game', metavar='GAME', help=f'{", ".join(NAMES)}, a folder or a file')
    add = options.add_argument_group('how each submission is graded').add_argument
    add('--command', metavar='CMD',
        help='run this, in the copy of a SUBMISSION; without a SUBMISSION, here')
    add('--build', metavar='CMD', help='run this first, for 60 s at most')
    add('--prompts', action='store_true', help='play the sessions with prompts')
    add('--beyond', action='store_true',
        help='play also, for no points, sessions beyond the assignment')
    add('--terminal', action='store_true', help='play each session in a terminal, too')
    add('--at-once', action='store_true',
        help='send all input at once, as from a file, and not line by line')
    add('--timeout', metavar='SECONDS', type=seconds,
        help=f'how long a program may print nothing when it should ({Settings.timeout:g})')
    add('--confine', choices=['auto', 'bwrap', 'user', 'none'], default='auto',
        help='the sandbox for programs (%(default)s)')
    add('--fresh', metavar='N', type=count, default=0,
        help='play also up to N games that nobody has seen')
    add('--seed', metavar='N', type=count,
        help='the seed of the fresh games; without it each submission has its own')
    add('--fresh-points', metavar='P', type=count, default=0,
        help='points for all these games together (%(default)s)')
    add('--no-where', action='store_true',
        help='do not look for the lines of a Python program to fix '
             f'({Limits.tracing:g} s at most)')
    add('--visibility', choices=VISIBILITIES,
        help=f'who sees the tests on Gradescope ({Settings.visibility})')
    return options


def packages(text: str) -> list[str]:
    """Return the names of packages in a text. Raises `ValueError`."""
    names = text.split()
    if not names or not all(re.fullmatch('[a-z0-9][a-z0-9+.-]*', name) for name in names):
        raise ValueError
    return names


def count(text: str) -> int:
    """Return the number in a text, from 0. Raises `ValueError`."""
    if not re.fullmatch('[0-9]{1,9}', text):
        raise ValueError
    return int(text)


class UsageError(Exception):
    """Why the words of a command line do not go together."""


def words_in_option(option: str, command: str | None) -> list[str]:
    """Return the words of an option's command line, none without the option."""
    try:
        words = words_in(command or '')
    except ValueError as error:
        raise UsageError(f'--{option}: {error}') from None
    if command is not None and not words:
        raise UsageError(f'--{option}: the command line is empty')
    return words


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
    if arguments.out:
        try:
            import_module(PAGES_LIBRARY)
        except ImportError:
            raise UsageError(f'--out needs {PAGES_LIBRARY}: {how_to_get(PAGES_LIBRARY)}') from None


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
        tool = words_in_option('command', arguments.command)[0]
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
        check_file(words_in_option('command', arguments.command))
