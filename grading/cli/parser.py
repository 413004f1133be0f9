"""The command line: the commands and their options, and how a command is started."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ..assignments.choice import NAMES_EXPLAINED
from ..games import NAMES
from ..installation import PYTHON, command_name, logic_modules, name_and_version
from ..printable import did_you_mean, printable
from ..settings import OPTIONS, YES_OR_NO, Value, one_of
from ..submissions.exports import PLATFORMS
from .mistakes import UsageError, about_unrecognized

DESCRIPTION = """\
Types recorded sessions into a program, and reports what is wrong with it. For example:

  {name} grade {game} --command "{python} my_{game}.py"
  {name} grade {game} path/to/submission
  {name} grade {game} class/* --out results
"""
STATUSES = """\
Exit status: 0 if everything is correct, 1 if something is wrong, 2 if the command line or the
assignment is wrong, 3 if something could not be graded and the submission is not to blame, and 130
after Ctrl-C.
"""
MODULES = """\
Your own programs can use the rules of the games. Copy the module that you need:
{files}
"""
COMMAND_NAMES = ('grade', 'record', 'pack')


class CommandLineParser(argparse.ArgumentParser):
    """A parser that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        """End the grader with a message."""
        self.exit(2, f'grading: {re.sub("^argument ", "", message)}\n')


if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[CommandLineParser]


def value_of(option: str, value: Value) -> Callable[[str], Any]:
    """Return a function that parses the option's value from a string, or raises `UsageError`."""

    def read(text: str) -> Any:
        try:
            return value.read(text)
        except (ValueError, LookupError):
            raise UsageError(f'{option} must be {value.words}, not {printable(text)}') from None

    return read


def make_parser() -> CommandLineParser:
    name = command_name()
    parser = CommandLineParser(
        prog=name,
        description=DESCRIPTION.format(name=name, game=NAMES[0], python=PYTHON),
        epilog=MODULES.format(files='\n'.join(f'  {path}' for path in logic_modules())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument('--version', action='version', version=name_and_version())
    parser.set_defaults(
        submissions=[],
        files=[],
        export=None,
        again=False,
        cluster=None,
        out=None,
        results=None,
        junit=None,
    )  # so that every command has these attributes
    commands = parser.add_subparsers(metavar='COMMAND', dest='name', required=True)
    for add in (add_grade, add_record, add_pack):
        command = add(commands)
        command.set_defaults(parser=command)
    return parser


def add_grade(commands: Commands) -> argparse.ArgumentParser:
    """Add the command `grade`, and return its parser."""
    grade = commands.add_parser(
        'grade',
        allow_abbrev=False,
        parents=[options_for_all()],
        help='grade programs',
        description=NAMES_EXPLAINED,
        epilog=STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    grade.add_argument(
        'submissions',
        metavar='SUBMISSION',
        nargs='*',
        type=Path,
        default=[],
        help='a submitted program: a folder, a .zip or a file',
    )
    grade.add_argument(
        '--export',
        metavar='PLATFORM',
        type=value_of('--export', one_of(*PLATFORMS)),
        help=f'each SUBMISSION is an export from this platform: {", ".join(PLATFORMS)}',
    )
    grade.add_argument(
        '--again',
        action='store_true',
        help='also grade submissions that have not changed since the last run',
    )
    grade.add_argument(
        '--cluster',
        metavar='ADDRESS',
        help='grade on the workers of the Dask scheduler at this address',
    )
    grade.add_argument(
        '--out', metavar='FOLDER', type=Path, help='write the results and the pages to this folder'
    )
    grade.add_argument(
        '--results',
        metavar='FILE',
        type=Path,
        help="write the results of one SUBMISSION in Gradescope's format",
    )
    grade.add_argument(
        '--junit',
        metavar='FILE',
        type=Path,
        help='write the results of one SUBMISSION as JUnit XML',
    )
    return grade


def add_record(commands: Commands) -> argparse.ArgumentParser:
    """Add the command `record`, and return its parser."""
    record = commands.add_parser(
        'record',
        allow_abbrev=False,
        help='record what a program prints',
        description='Types the lines of each FILE into a program, and adds the output of the '
        'program to the FILE. Afterwards, check that the output in each FILE is what '
        'the assignment asks for.',
    )
    record.add_argument(
        '--command',
        metavar='CMD',
        help='the command that starts the program to record, instead of the built-in game',
    )
    record.add_argument(
        'files',
        metavar='FILE',
        nargs='+',
        type=Path,
        help='a session file with the lines to type',
    )
    return record


def add_pack(commands: Commands) -> argparse.ArgumentParser:
    """Add the command `pack`, and return its parser."""
    pack = commands.add_parser(
        'pack',
        allow_abbrev=False,
        parents=[options_for_all()],
        help='make an autograder to upload to Gradescope',
        description=NAMES_EXPLAINED,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    pack.add_argument(
        'zip', metavar='ZIP', type=Path, help='the file to write, such as autograder.zip'
    )
    pack.add_argument(
        '--install',
        metavar='PACKAGES',
        default=[],
        type=value_of('--install', Value(packages, 'names of Ubuntu packages')),
        help='the Ubuntu packages that --command or --build needs',
    )
    return pack


def options_for_all() -> CommandLineParser:
    """Return a parser for what `grade` and `pack` share: GAME, and the options for grading."""
    options = CommandLineParser(add_help=False)
    options.add_argument('game', metavar='GAME', help=f'{", ".join(NAMES)}, a folder or a file')
    group = options.add_argument_group('how each submission is graded')
    for name, field in OPTIONS.items():
        about = {**field.metadata}
        option, value, ini = f'--{name.replace("_", "-")}', about.pop('value'), about.pop('ini')
        if value is YES_OR_NO:
            # What assignment.ini can switch on, the command line must be able to switch off.
            about['action'] = argparse.BooleanOptionalAction if ini else 'store_true'
        elif value:
            about['type'] = value_of(option, value)
        group.add_argument(option, default=None, **about)
    return options


def packages(text: str) -> list[str]:
    """Return the package names in a string. Raises `ValueError` if a name is not valid."""
    names = text.split()
    if not names or not all(re.fullmatch('[a-z0-9][a-z0-9+.-]*', name) for name in names):
        raise ValueError
    return names


def parse() -> argparse.Namespace:
    """Return the parsed command line. Unlike argparse, accept a SUBMISSION after options.

    End the grader if the command line is empty or wrong, or asks for help or the version.
    """
    parser = make_parser()
    if len(sys.argv) == 1:
        parser.print_help(sys.stderr)
        parser.exit(2)
    first = sys.argv[1]
    if not first.startswith('-') and first not in COMMAND_NAMES:
        parser.error(
            f'no such command: {printable(first)}{did_you_mean(first, COMMAND_NAMES)} '
            f'(the commands are {", ".join(COMMAND_NAMES)})'
        )
    try:
        arguments, more = parser.parse_known_args()
    except UsageError as error:
        parser.error(str(error))
    end = more.index('--') if '--' in more else len(more)
    unknown = [word for word in more[:end] if word.startswith('-')]
    if unknown or (more and arguments.name != 'grade'):
        options = re.findall('--[a-z-]+', arguments.parser.format_help())
        parser.error(about_unrecognized(arguments, unknown, more, options))
    # argparse leaves the paths after options in `more`.
    arguments.submissions = [*arguments.submissions, *map(Path, more[:end] + more[end + 1 :])]
    arguments.is_alone = arguments.name != 'pack' and not arguments.submissions
    return arguments


def run(arguments: argparse.Namespace) -> int:
    """Run the command named on the command line; return the exit status."""
    # These imports are slow, and --help does not need them.
    from ..engine.retries import Shortage
    from ..reports.wording import in_words
    from ..results import UNGRADED, WRONG_USAGE
    from ..sandbox.program import SandboxError
    from ..sandbox.untrusted_files import SubmissionError
    from ..sessions.transcript import TranscriptError

    try:
        # Import no other command.
        module = import_module(f'.{arguments.name}_command', __package__)
        status: int = module.run(arguments)
        return status
    except UsageError as error:
        make_parser().error(str(error))  # exits
    except BrokenPipeError:  # nobody reads standard output anymore
        sys.stdout = None
        return UNGRADED
    except Shortage as error:
        print(f'grading: {in_words(error.interruption)}', file=sys.stderr)
        return UNGRADED
    except (TranscriptError, SandboxError, SubmissionError, OSError) as error:
        print(f'grading: {printable(str(error))}', file=sys.stderr)
        return WRONG_USAGE if isinstance(error, TranscriptError) else UNGRADED
