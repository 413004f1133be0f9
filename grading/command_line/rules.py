"""What can be wrong with a command line, and what is said then; else its settings."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Iterator, Mapping

from ..assignments.folder import MOST_SESSIONS
from ..assignments.games import NAMES, assignment_named, choose_sessions, games_of
from ..installation import IS_INSTALLED, PYTHON, ROOT
from ..printable import did_you_mean, printable
from ..sandbox.program import HAS_SANDBOX, words_in
from ..settings import OPTIONS, SEED_VARIABLE, Assignment, Settings
from ..submissions.exports import kind_of_export
from .parser import opposite

PROGRAMS = ('.py', '.pyc', '.js', '.mjs', '.rb', '.pl', '.php', '.lua', '.sh', '.jar')
# Commands that run the file that is their first argument.
INTERPRETERS = re.compile(r'(?:(?:python|pypy)[\d.]*|py|node|ruby|perl|php|lua|sh|bash)(?:\.exe)?')
OPTIONS_WITH_VALUES = ('-W', '-X', '-I', '-r', '-o')     # of interpreters, before the file
PAGES_LIBRARY = 'jinja2'                # of the pages
COMMAND_NAMES = ('grade', 'record', 'pack')


class UsageError(Exception):
    """Why the words of a command line do not go together."""


def parse(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Return the parsed command line; a SUBMISSION may also follow options."""
    first = sys.argv[1] if len(sys.argv) > 1 else '-'
    if first[0] != '-' and first not in COMMAND_NAMES:
        parser.error(f'no such command: {printable(first)}{did_you_mean(first, COMMAND_NAMES)} '
                     f'(there are {", ".join(COMMAND_NAMES)})')
    arguments, more = parser.parse_known_args()
    end = more.index('--') if '--' in more else len(more)
    paths = [*more[:end], *more[end + 1:]]
    if more and (arguments.name != 'grade' or any(
            word.startswith('-') for word in more[:end])):
        quoted = unquoted(getattr(arguments, 'command', None), *arguments.submissions, *more,
                          *no_sessions(arguments))
        meant = did_you_mean(next((word.partition('=')[0] for word in more[:end] if word[0] == '-'),
                                  ''), re.findall('--[a-z-]+', arguments.parser.format_help()))
        parser.error(f'unrecognized arguments: {printable(" ".join(more))}' + (
            printable(f'; quotes missing? --command {quoted}') if quoted else meant))
    if more:                            # argparse takes only paths that stand together
        arguments.submissions = [*arguments.submissions, *map(Path, paths)]
    arguments.is_alone = arguments.name != 'pack' and not arguments.submissions
    return arguments


def settings_from(asked: argparse.Namespace) -> Settings:
    """Return the settings that a command line and its assignment give. Raises `UsageError`."""
    check(mistakes_in_game(asked))
    asked.assignment = assignment_named(asked.game)
    seed = os.environ.get(SEED_VARIABLE) if asked.fresh and asked.seed is None else None
    if seed and not re.fullmatch('[0-9]{1,9}', seed):
        raise UsageError(f'{SEED_VARIABLE} is not a number from 0 to 999999999: {printable(seed)}')
    asked.seed = int(seed) if seed else asked.seed
    check(mistakes(asked))
    warn_of_files(asked)
    typed = {name: getattr(asked, name) for name in OPTIONS if getattr(asked, name) is not None}
    options: dict[str, Any] = {**asked.assignment.options, **typed}
    assignment = choose_sessions(asked.assignment, **{name: options.get(name, False) for name in (
        'prompts', 'beyond', 'at_once')})
    if not assignment.transcripts:
        name = printable(assignment.name)
        raise UsageError(f'no session of {name} has prompts' if asked.prompts else
                         f'all sessions of {name} are beyond the assignment: add --beyond')
    return Settings(assignment, **options, again=asked.again,
                    words=tuple(words_of(typed, assignment)))


def words_of(options: Mapping[str, object], assignment: Assignment) -> Iterator[str]:
    """Yield options as words of a command line, but for the seed, which others may read there."""
    for name, value in options.items():
        if name != 'seed' and (value != getattr(Settings, name) or name in assignment.options):
            option = name.replace('_', '-')
            yield f'--{opposite(option) if value is False else option}' + (
                '' if isinstance(value, bool) else f'={value}')


def warn_of_files(asked: argparse.Namespace) -> None:
    """Print on standard error what may not be meant: missing files, a folder named as a game."""
    for file in asked.assignment.data if asked.is_alone else ():
        if not os.path.exists(file.name):
            print(f'grading: {printable(file.name)} of the assignment is missing in this folder, '
                  'where the command runs', file=sys.stderr)
    name = asked.assignment.name
    if not asked.assignment.path and os.path.exists(name):
        print(f'grading: {name} is the game; for the folder or file here, type ./{name}',
              file=sys.stderr)


def flaw(command: str | None) -> str:
    """Return what is wrong with the text of a command line, '' for nothing."""
    try:
        return '' if command is None or words_in(command) else 'the command line is empty'
    except ValueError as error:
        return str(error)


def unquoted(command: str | None, *others: object) -> str:
    """Return a command line with its quotation marks, if somebody has forgotten them.

    An interpreter alone would run nothing of a submission; the words behind it belong to it.
    """
    name = os.path.basename(command or '')
    is_bare = others and (name == 'java' or INTERPRETERS.fullmatch(name))
    return f'"{shlex.join([command or "", *map(str, others)])}"' if is_bare else ''


def module_as_command(asked: argparse.Namespace) -> str:
    """Return the command line that starts a Python module, if the module alone is to be run."""
    words = words_in(asked.command or '')
    if not words or not words[0].endswith('.py'):
        return ''
    if asked.submissions:
        return '' if os.path.dirname(words[0]) else shlex.join([PYTHON, *words])
    found = shutil.which(words[0])
    if found and Path(found).read_bytes()[:2] == b'#!':
        return ''
    return shlex.join([PYTHON, *words]) if os.path.exists(words[0]) else ''


def missing_file(asked: argparse.Namespace) -> str:
    """Return the file that the user's own command line runs, if there is none, and what was meant.

    The file is the first word behind an interpreter and its options; behind another command only
    if it ends as a program does.
    """
    words = words_in(asked.command) if asked.is_alone and asked.command else ['']
    place = next((place for place, word in enumerate(words) if place and word[:1] != '-'
                  and words[place - 1] not in OPTIONS_WITH_VALUES), 0)
    file = words[place]
    is_run = file.endswith(PROGRAMS) or INTERPRETERS.fullmatch(os.path.basename(words[0]))
    if not place or {'-c', '-m', '-e'} & {*words} or not is_run or os.path.exists(file):
        return ''
    for end in range(len(words), place + 1, -1):        # a path with blanks, without quotes?
        path = ' '.join(words[place:end])
        if os.path.exists(path):
            meant = shlex.join([*words[:place], path, *words[end:]])
            return f'{file}; quotes missing? --command "{meant}"'
    return missing(Path(file))


def missing(*paths: Path) -> str:
    """Return the first path that does not exist, and what was meant; '' if all exist."""
    path = next((path for path in paths if not path.exists()), None)
    if not path:
        return ''
    there = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    return f'{path}{did_you_mean(path.name, there, str(path.parent / "_")[:-1])}'


def no_sessions(asked: argparse.Namespace) -> list[Path]:
    """Return the files to record that are not named as sessions are: perhaps the program."""
    return [file for file in asked.files if not file.name.endswith('.txt')]


def no_pages(asked: argparse.Namespace) -> str:
    """Return how to install what pages need, '' if it is there or not needed."""
    try:
        import_module(PAGES_LIBRARY if asked.out else 'sys')
    except ImportError:
        if HAS_SANDBOX and not IS_INSTALLED:
            return f'run "make venv" in {ROOT}, then .venv/bin/grading there'
        python = shlex.quote(sys.executable) if IS_INSTALLED else PYTHON
        return f'run "{python} -m pip install {PAGES_LIBRARY}"'
    return ''


# Each function below yields messages about what is wrong; the first counts. What stands below can
# rely on what is said above.


def mistakes_in_record(asked: argparse.Namespace) -> Iterator[str]:
    """Yield what is wrong with a command line of `record`."""
    others = no_sessions(asked)
    if meant := unquoted(asked.command, *others):
        yield f'quotes missing? --command {meant}'
    if path := missing(*asked.files):
        yield f'no such file: {path}'
    for file in asked.files:
        if file.is_dir():
            yield f'{file} is a folder: name its sessions, {file / "*.txt"}'
    for file in others:
        yield f'{file} is not a session, whose name ends in .txt: record would overwrite it'
    if len(asked.files) > MOST_SESSIONS:
        yield f'more than {MOST_SESSIONS:,} sessions'
    yield from mistakes_in_command(asked)


def mistakes_in_game(asked: argparse.Namespace) -> Iterator[str]:
    """Yield what is wrong with GAME, if it is a program."""
    if asked.game.endswith(PROGRAMS) and os.path.isfile(asked.game):
        command = shlex.join([PYTHON, asked.game]) if asked.game.endswith(('.py', '.pyc')) else (
            'CMD')
        yield f'{asked.game} is a program: {asked.name} GAME --command "{command}"'


def mistakes(asked: argparse.Namespace) -> Iterator[str]:
    """Yield what is wrong with a command line of `grade` or `pack` whose assignment is known."""
    yield from mistakes_in_submissions(asked)
    yield from mistakes_in_results(asked)
    yield from mistakes_on_this_system(asked)
    yield from mistakes_in_command(asked)
    yield from mistakes_in_options(asked)


def mistakes_in_submissions(asked: argparse.Namespace) -> Iterator[str]:
    """Yield what is wrong with the submissions, and with --build."""
    if wrong := flaw(asked.build):
        yield f'--build: {wrong}'
    if meant := unquoted(asked.command, *asked.submissions):
        yield f'quotes missing? --command {meant}'
    if path := missing(*asked.submissions):
        yield f'no such file or folder: {path}'
    if asked.is_alone and asked.command is None:
        yield 'add a SUBMISSION, or --command for your own program'
    if asked.is_alone and (asked.build or asked.confine != 'auto'):
        yield '--build and --confine need a SUBMISSION: --command alone runs your own program'


def mistakes_in_results(asked: argparse.Namespace) -> Iterator[str]:
    """Yield what is wrong with the options that say where results go."""
    is_one = not asked.export and len(asked.submissions) < 2
    for option in ('results', 'junit'):
        path = getattr(asked, option)
        if path and not is_one:
            yield f'--{option} needs a single SUBMISSION; for several use --out'
        if path and (path.is_dir() or not os.access(path.parent, os.W_OK)):
            yield f'--{option}: {path} cannot be written'
    if asked.again and not asked.out:
        yield '--again needs --out'
    if asked.export and not asked.out:
        yield '--export needs --out, for the results'
    folders = [path.resolve() for path in asked.submissions if path.is_dir()]
    if asked.out and asked.out.resolve() in (
            folders if asked.export else [folder.parent for folder in folders]):
        # A results.json that a student hands in would count.
        yield f'--out: {asked.out} holds the submissions; name another folder for the results'
    kind = kind_of_export(asked.submissions[0]) if is_one and asked.submissions else ''
    if kind:
        yield (f'{asked.submissions[0]} looks like an export of many: add --export {kind}, and '
               '--out for the results')


def mistakes_on_this_system(asked: argparse.Namespace) -> Iterator[str]:
    """Yield what this system, or a cluster, cannot do."""
    if asked.cluster and (asked.results or asked.junit or asked.is_alone):
        yield '--cluster needs a SUBMISSION, and --out for results'
    if not HAS_SANDBOX and asked.name == 'pack':
        yield 'pack needs Linux or macOS'
    if not HAS_SANDBOX and (asked.submissions or asked.build):
        yield ('a SUBMISSION runs in a sandbox, which needs Linux or macOS; for your own program '
               'type --command alone')
    if cure := no_pages(asked):
        yield f'--out needs {PAGES_LIBRARY}: {cure}'


def mistakes_in_command(asked: argparse.Namespace) -> Iterator[str]:
    """Yield what is wrong with --command."""
    if wrong := flaw(asked.command):
        yield f'--command: {wrong}'
    if started := module_as_command(asked):
        yield f'Python starts a module: --command "{started}"'
    if asked.is_alone and asked.command and not shutil.which(words_in(asked.command)[0]):
        yield f'--command: no such command: {words_in(asked.command)[0]}'
    if file := missing_file(asked):
        yield f'--command: no such file: {file}'


def mistakes_in_options(asked: argparse.Namespace) -> Iterator[str]:
    """Yield which options do not go with each other, or with the assignment."""
    assignment = asked.assignment
    if not asked.fresh and (asked.seed is not None or asked.fresh_points):
        yield '--seed and --fresh-points need --fresh'
    if assignment.path and asked.prompts:
        yield f'--prompts works only with {", ".join(NAMES)}'
    if asked.fresh and (assignment.path or not all(
            game.maker for game in games_of(assignment.name))):
        yield f'--fresh: {assignment.name} has no generator of fresh games'
    if asked.name == 'pack' and asked.confine == 'bwrap':
        yield "--confine bwrap: Gradescope's containers do not allow it"


def check(messages: Iterator[str]) -> None:
    """Raise `UsageError` with the first message, if there is one."""
    for message in messages:
        raise UsageError(printable(message))
