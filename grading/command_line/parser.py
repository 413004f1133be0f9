"""The command line of the grader: its commands and options, and their help.

`grading --help` lists it.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from ..assignments.folder import OPTION_TYPES, VISIBILITIES, seconds
from ..assignments.games import NAMES, NAMES_EXPLAINED
from ..installation import PYTHON, command_name, name_and_version
from ..limits import Limits
from ..settings import SEED_VARIABLE, Settings
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


def command_line() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    in_lines = argparse.RawDescriptionHelpFormatter
    name = command_name()
    parser = argparse.ArgumentParser(
        prog=name, description=DESCRIPTION.format(name=name, game=NAMES[0], python=PYTHON),
        formatter_class=in_lines, allow_abbrev=False)
    parser.add_argument('--version', action='version', version=name_and_version())
    parser.set_defaults(submissions=[], files=[], export=None, again=False, cluster=None, out=None,
                        results=None, junit=None)       # which only `grade` has
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
    for one in (grade, recorder, packer):
        one.set_defaults(parser=one)
    return parser


def options_for_all() -> argparse.ArgumentParser:
    """Return a parser of GAME and the options of all submissions, for `grade` and `pack`."""
    options = argparse.ArgumentParser(add_help=False)
    options.add_argument('game', metavar='GAME', help=f'{", ".join(NAMES)}, a folder or a file')
    add = options.add_argument_group('how each submission is graded').add_argument
    add('--command', metavar='CMD',
        help='run this, in the copy of a SUBMISSION; without a SUBMISSION, here')
    add('--build', metavar='CMD', help='run this first, for 60 s at most')

    def add_switch(option: str, text: str) -> None:
        add(f'--{option}', action='store_true', default=None, help=text)
        if option in OPTION_TYPES:      # an assignment.ini can switch it on
            add(f'--{opposite(option)}', dest=option.replace('-', '_'), action='store_false',
                default=None, help=argparse.SUPPRESS)

    add_switch('prompts', 'play the sessions with prompts')
    add_switch('beyond', 'play also, for no points, sessions beyond the assignment')
    add_switch('at-once', 'send all input at once, as from a file, and not line by line')
    add('--timeout', metavar='SECONDS', type=seconds,
        help=f'how long a program may print nothing when it should ({Settings.timeout:g})')
    add('--confine', choices=['auto', 'bwrap', 'user', 'none'], default='auto',
        help='the sandbox for programs (%(default)s)')
    add('--fresh', metavar='N', type=count, default=0,
        help='play also up to N games that nobody has seen')
    add('--seed', metavar='N', type=count,
        help='the seed of the fresh games; without it each submission has its own; '
             f'{SEED_VARIABLE} in the environment does the same')
    add('--fresh-points', metavar='P', type=count, default=0,
        help='points for all these games together (%(default)s)')
    add_switch('no-where', 'do not look for the lines of a Python program to fix '
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


def opposite(option: str) -> str:
    """Return the option that switches off what an option of the command line switches on."""
    return option[len('no-'):] if option.startswith('no-') else f'no-{option}'
