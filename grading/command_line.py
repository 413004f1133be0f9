"""The command line: its commands and options, and what is said of words that do not go together.

`grading --help` lists the options.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from .assignments.games import (
    MOST_SESSIONS,
    NAMES,
    NAMES_EXPLAINED,
    assignment_named,
    choose_sessions,
    games_of,
)
from .installation import IS_INSTALLED, PYTHON, ROOT, command_name, name_and_version
from .printable import did_you_mean, printable
from .sandbox.program import ENDINGS, HAS_SANDBOX, INTERPRETER, words_in
from .seeds import SEED_VARIABLE, read_seed
from .settings import OPTIONS, YES_OR_NO, Settings, Value, one_of
from .submissions.platforms import PLATFORMS

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
COMMAND_NAMES = ('grade', 'record', 'pack')
OPTIONS_WITH_VALUES = ('-W', '-X', '-I', '-r', '-o')  # of interpreters, before the file
PAGES_LIBRARY, CLUSTER_LIBRARY = 'jinja2', 'distributed'


class UsageError(Exception):
    """Why the words of a command line do not go together."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line each, in the grader's words."""

    def error(self, message: str) -> NoReturn:
        """End the grader with a message."""
        self.exit(2, f'grading: {re.sub("^argument ", "", message)}\n')


def value_of(option: str, value: Value) -> Callable[[str], Any]:
    """Return a function that reads the value of an option, and raises `UsageError`."""

    def read(text: str) -> Any:
        try:
            return value.read(text)
        except (ValueError, LookupError):
            raise UsageError(f'{option} must be {value.words}, not {printable(text)}') from None

    return read


def command_line() -> Parser:
    """Return the parser of the command line."""
    in_lines = argparse.RawDescriptionHelpFormatter
    name = command_name()
    parser = Parser(
        prog=name,
        description=DESCRIPTION.format(name=name, game=NAMES[0], python=PYTHON),
        formatter_class=in_lines,
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
    )  # which only `grade` has
    commands = parser.add_subparsers(metavar='COMMAND', dest='name', required=True)
    grade = commands.add_parser(
        'grade',
        allow_abbrev=False,
        parents=[options_for_all()],
        help='grade programs',
        description=NAMES_EXPLAINED,
        epilog=STATUSES,
        formatter_class=in_lines,
    )
    grade.add_argument(
        'submissions',
        metavar='SUBMISSION',
        nargs='*',
        type=Path,
        default=[],
        help='a program that was handed in: a folder, a .zip or a file',
    )
    grade.add_argument(
        '--export',
        metavar='PLATFORM',
        type=value_of('--export', one_of(*PLATFORMS)),
        help=f'each SUBMISSION is an export with many programs, of {", ".join(PLATFORMS)}',
    )
    grade.add_argument(
        '--again',
        action='store_true',
        help='grade also submissions that have not changed since the last time',
    )
    grade.add_argument(
        '--cluster',
        metavar='ADDRESS',
        help='grade on the machines of the Dask scheduler at this address',
    )
    grade.add_argument(
        '--out', metavar='FOLDER', type=Path, help='write all results, and pages, into this folder'
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
    recorder = commands.add_parser(
        'record',
        allow_abbrev=False,
        help='record what a program prints',
        description='Types the lines of each FILE into a program, and writes what the program '
        'prints between them. Then read the result: is it what the assignment says?',
    )
    recorder.add_argument(
        '--command', metavar='CMD', help="record your own program, not the game's"
    )
    recorder.add_argument(
        'files',
        metavar='FILE',
        nargs='+',
        type=Path,
        help='the lines that are typed in one session',
    )
    packer = commands.add_parser(
        'pack',
        allow_abbrev=False,
        parents=[options_for_all()],
        help='make an autograder to upload to Gradescope',
        description=NAMES_EXPLAINED,
        formatter_class=in_lines,
    )
    packer.add_argument('zip', metavar='ZIP', type=Path, help='the file to write: autograder.zip')
    packer.add_argument(
        '--install',
        metavar='PACKAGES',
        default=[],
        type=value_of('--install', Value(packages, 'names of packages')),
        help='the Ubuntu packages that --command or --build needs',
    )
    for one in (grade, recorder, packer):
        one.set_defaults(parser=one)
    return parser


def options_for_all() -> Parser:
    """Return a parser of GAME and the options of all submissions, for `grade` and `pack`."""
    options = Parser(add_help=False)
    options.add_argument('game', metavar='GAME', help=f'{", ".join(NAMES)}, a folder or a file')
    group = options.add_argument_group('how each submission is graded')
    for name, one in OPTIONS.items():
        about = {**one.metadata}
        option, value, ini = f'--{name.replace("_", "-")}', about.pop('value'), about.pop('ini')
        if value is YES_OR_NO:
            # What assignment.ini switches on or off, the command line switches off or on.
            about['action'] = argparse.BooleanOptionalAction if ini else 'store_true'
        elif value:
            about['type'] = value_of(option, value)
        group.add_argument(option, default=None, **about)
    return options


def packages(text: str) -> list[str]:
    """Return the names of packages in a text. Raises `ValueError`."""
    names = text.split()
    if not names or not all(re.fullmatch('[a-z0-9][a-z0-9+.-]*', name) for name in names):
        raise ValueError
    return names


def parse() -> argparse.Namespace:
    """Return the parsed command line; a SUBMISSION may also follow options.

    End the grader if it is wrong, or asks for help.
    """
    parser = command_line()
    if len(sys.argv) == 1:
        parser.print_help(sys.stderr)
        parser.exit(2)
    first = sys.argv[1]
    if not first.startswith('-') and first not in COMMAND_NAMES:
        parser.error(
            f'no such command: {printable(first)}{did_you_mean(first, COMMAND_NAMES)} '
            f'(there are {", ".join(COMMAND_NAMES)})'
        )
    try:
        arguments, more = parser.parse_known_args()
    except UsageError as error:
        parser.error(str(error))
    end = more.index('--') if '--' in more else len(more)
    unknown = [word for word in more[:end] if word.startswith('-')]
    if unknown or (more and arguments.name != 'grade'):
        quoted = unquoted(
            getattr(arguments, 'command', None),
            *as_typed([*map(str, [*arguments.submissions, *no_sessions(arguments)]), *more]),
        )
        meant = did_you_mean(
            unknown[0].partition('=')[0] if unknown else '',
            re.findall('--[a-z-]+', arguments.parser.format_help()),
        )
        parser.error(
            f'unrecognized arguments: {printable(" ".join(unknown or more))}'
            + (printable(f'; quotes missing? --command {quoted}') if quoted else meant)
        )
    # argparse takes only paths that stand together.
    arguments.submissions = [*arguments.submissions, *map(Path, more[:end] + more[end + 1 :])]
    arguments.is_alone = arguments.name != 'pack' and not arguments.submissions
    return arguments


def as_typed(words: Collection[str]) -> list[str]:
    """Return words in the order of the command line; argparse has its own for what is left over."""
    return [word for word in sys.argv if word in words or str(Path(word)) in words]


def settings_from(asked: argparse.Namespace) -> Settings:
    """Return the settings that a command line and its assignment give. Raises `UsageError`."""
    command = shlex.join([PYTHON, asked.game]) if asked.game.endswith(('.py', '.pyc')) else 'CMD'
    refuse(
        (
            asked.game.endswith(ENDINGS) and os.path.isfile(asked.game),
            f'{asked.game} is a program: {asked.name} GAME --command "{command}"',
        )
    )
    asked.assignment = assignment_named(asked.game)
    seed = os.environ.get(SEED_VARIABLE) if asked.fresh and asked.seed is None else None
    if seed:
        try:
            asked.seed = read_seed(seed)
        except ValueError as error:
            raise UsageError(printable(f'{SEED_VARIABLE} is {error}')) from None
    check_submissions(asked)
    check_class(asked)
    check_results(asked)
    check_system(asked)
    check_command(asked)
    check_options(asked)
    options: dict[str, Any] = {
        **asked.assignment.options,
        **{name: getattr(asked, name) for name in OPTIONS if getattr(asked, name) is not None},
    }
    assignment = choose_sessions(
        asked.assignment,
        **{name: options.get(name, False) for name in ('prompts', 'beyond', 'at_once')},
    )
    refuse(
        (
            not assignment.transcripts,
            f'no session of {assignment.name} has prompts'
            if asked.prompts
            else f'all sessions of {assignment.name} are beyond the assignment: add --beyond',
        )
    )
    return Settings(assignment, **options, again=asked.again)


# The checks of a command line. The first mistake is told; the checks below it can rely on what has
# been checked above.


def refuse(*checks: tuple[object, str]) -> None:
    """Raise `UsageError` with the message of the first check that has found a mistake."""
    for mistake, message in checks:
        if mistake:
            raise UsageError(printable(message))


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
        from .submissions.exports import holds_one  # which is seldom needed

        refuse(
            (
                holds_one(first, asked.export, len(asked.submissions) == 1),
                f'{first} is one submission; --export {asked.export} needs the folder with all: '
                f'{asked.name} {asked.game} {first.parent} --export {asked.export}',
            )
        )
    elif len(asked.submissions) == 1 and not (asked.results or asked.junit):
        from .submissions.entry_point import holds_many  # which --help does not need

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
        from .submissions.exports import kind_of_export  # which is seldom needed

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


def meant_by(path: Path) -> str:
    """Return words that name the path that may have been meant, '' if none is near."""
    there = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    return did_you_mean(path.name, there, str(path.parent / '_')[:-1])


def unquoted(command: str | None, *others: object) -> str:
    """Return a command line with its quotation marks, if somebody has forgotten them.

    An interpreter alone would run nothing of a submission; the words behind it belong to it.
    """
    name = os.path.basename(command or '')
    is_bare = others and (name == 'java' or INTERPRETER.fullmatch(name))
    return f'"{shlex.join([command or "", *map(str, others)])}"' if is_bare else ''


def module_as_command(words: list[str], is_handed_in: bool) -> str:
    """Return the command line that starts a Python module, if the module alone is to be run."""
    if not words or not words[0].endswith('.py'):
        return ''
    # A script may have the executable bit and name its interpreter.
    found = shutil.which(words[0])
    is_command = (
        os.path.dirname(words[0])
        if is_handed_in
        else ((found and Path(found).read_bytes()[:2] == b'#!') or not os.path.exists(words[0]))
    )
    return '' if is_command else shlex.join([PYTHON, *words])


def missing_file(words: list[str]) -> str:
    """Return the file that the user's own command line runs, if there is none, and what was meant.

    The file is the first word behind an interpreter and its options; behind another command only
    if it ends as a program does.
    """
    place = next(
        (
            place
            for place, word in enumerate(words)
            if place and word[:1] != '-' and words[place - 1] not in OPTIONS_WITH_VALUES
        ),
        0,
    )
    file = words[place]
    is_run = file.endswith(ENDINGS) or INTERPRETER.fullmatch(os.path.basename(words[0]))
    if not place or {'-c', '-m', '-e'} & {*words} or not is_run or os.path.exists(file):
        return ''
    for end in range(len(words), place + 1, -1):  # a path with blanks, without quotes?
        path = ' '.join(words[place:end])
        if os.path.exists(path):
            meant = shlex.join([*words[:place], path, *words[end:]])
            return f'{file}; quotes missing? --command "{meant}"'
    return f'{file}{meant_by(Path(file))}'


def no_sessions(asked: argparse.Namespace) -> list[Path]:
    """Return the files to record that are not named as sessions are: perhaps the program."""
    return [file for file in asked.files if not file.name.endswith('.txt')]
