"""Which words of a command line go together: one table of what is wrong, and what is said then."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Sequence, Tuple

from ..assignments.folder import MOST_SESSIONS
from ..assignments.games import NAMES, assignment_named, chosen, games_of
from ..installation import IS_INSTALLED, PYTHON, ROOT
from ..printable import did_you_mean, printable
from ..sandbox.program import HAS_SANDBOX, words_in
from ..settings import OPTIONS, SEED_VARIABLE, Assignment, Settings, opposite
from ..submissions.exports import kind_of_export

PROGRAMS = ('.py', '.pyc', '.js', '.mjs', '.rb', '.pl', '.php', '.lua', '.sh', '.jar')
# Commands that run the file that is their first argument.
INTERPRETERS = re.compile(r'(?:(?:python|pypy)[\d.]*|py|node|ruby|perl|php|lua|sh|bash)(?:\.exe)?')
OPTIONS_WITH_VALUES = ('-W', '-X', '-I', '-r', '-o')     # of interpreters, before the file
PAGES_LIBRARY = 'jinja2'                # of the pages


class UsageError(Exception):
    """Why the words of a command line do not go together."""


def settings_from(asked: argparse.Namespace) -> Settings:
    """Return the settings that a command line and its assignment give. Raises `UsageError`."""
    check(asked, OF_GAME)
    asked.assignment = assignment_named(asked.game)
    seed = os.environ.get(SEED_VARIABLE) if asked.fresh and asked.seed is None else None
    if seed and not re.fullmatch('[0-9]{1,9}', seed):
        raise UsageError(f'{SEED_VARIABLE} is not a number from 0 to 999999999: {printable(seed)}')
    asked.seed = int(seed) if seed else asked.seed
    check(asked, RULES)
    warn_of_files(asked)
    typed = {name: getattr(asked, name) for name in OPTIONS if getattr(asked, name) is not None}
    options: dict[str, Any] = {**asked.assignment.options, **typed}
    assignment = chosen(asked.assignment, **{name: options.get(name, False) for name in (
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


def check(asked: argparse.Namespace, rules: Sequence[Rule]) -> None:
    """Raise `UsageError` with the message of the first rule that finds something wrong."""
    for what_is_wrong, message in rules:
        wrong = what_is_wrong(asked)
        if wrong:
            raise UsageError(message.format(printable(str(wrong))))


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


def missing_tool(asked: argparse.Namespace) -> str:
    """Return the command that the user's own command line names, if there is none."""
    tool = words_in(asked.command)[0] if asked.is_alone and asked.command else ''
    return '' if not tool or shutil.which(tool) else tool


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


def program_as_game(asked: argparse.Namespace) -> str:
    """Return what to type for a program that stands in the place of GAME, '' for anything else."""
    if not asked.game.endswith(PROGRAMS) or not os.path.isfile(asked.game):
        return ''
    is_python = asked.game.endswith(('.py', '.pyc'))
    command = shlex.join([PYTHON, asked.game]) if is_python else 'CMD'
    return f'{asked.game} is a program: {asked.name} GAME --command "{command}"'


def no_sessions(asked: argparse.Namespace) -> list[Path]:
    """Return the files to record that are not named as sessions are: perhaps the program."""
    return [file for file in asked.files if not file.name.endswith('.txt')]


def export(asked: argparse.Namespace) -> str:
    """Return the one zip and the kind of export that it looks like, if none is named."""
    if asked.export or len(asked.submissions) != 1:
        return ''
    kind = kind_of_export(asked.submissions[0])
    return f'{asked.submissions[0]} looks like an export of many: add --export {kind}' * bool(kind)


def unwritable(path: Path | None) -> Path | None:
    """Return the path of a file that cannot be written, if it is one."""
    return path if path and (path.is_dir() or not os.access(path.parent, os.W_OK)) else None


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


# What is wrong with a command line, and the message, which names what was found. The first counts;
# those below can rely on what is said above.
Rule = Tuple[Callable[[argparse.Namespace], object], str]
OF_COMMAND: Sequence[Rule] = (
    (lambda asked: flaw(asked.command), '--command: {}'),
    (module_as_command, 'Python starts a module: --command "{}"'),
    (missing_tool, '--command: no such command: {}'),
    (missing_file, '--command: no such file: {}'),
)
OF_GAME: Sequence[Rule] = ((program_as_game, '{}'),)
OF_RECORD: Sequence[Rule] = (
    (lambda asked: unquoted(asked.command, *no_sessions(asked)), 'quotes missing? --command {}'),
    (lambda asked: missing(*asked.files), 'no such file: {}'),
    (lambda asked: next((f'{file} is a folder: name its sessions, {file / "*.txt"}'
                         for file in asked.files if file.is_dir()), ''), '{}'),
    (lambda asked: next(iter(no_sessions(asked)), ''),
     '{} is not a session, whose name ends in .txt: record would overwrite it'),
    (lambda asked: len(asked.files) > MOST_SESSIONS, f'more than {MOST_SESSIONS:,} sessions'),
    *OF_COMMAND,
)
RULES: Sequence[Rule] = (
    (lambda asked: flaw(asked.build), '--build: {}'),
    (lambda asked: unquoted(asked.command, *asked.submissions), 'quotes missing? --command {}'),
    (lambda asked: missing(*asked.submissions), 'no such file or folder: {}'),
    (lambda asked: asked.is_alone and asked.command is None,
     'add a SUBMISSION, or --command for your own program'),
    (lambda asked: asked.is_alone and (asked.build or asked.confine != 'auto'),
     '--build and --confine need a SUBMISSION: --command alone runs your own program'),
    *((lambda asked, option=option: getattr(asked, option) and (
        asked.export or len(asked.submissions) > 1),
       f'--{option} needs a single SUBMISSION; for several use --out')
      for option in ('results', 'junit')),
    *((lambda asked, option=option: unwritable(getattr(asked, option)),
       f'--{option}: {{}} cannot be written') for option in ('results', 'junit')),
    (lambda asked: asked.again and not asked.out, '--again needs --out'),
    (lambda asked: asked.export and not asked.out, '--export needs --out, for the results'),
    (export, '{}, and --out for the results'),
    (lambda asked: asked.cluster and (asked.results or asked.junit or asked.is_alone),
     '--cluster needs a SUBMISSION, and --out for results'),
    (lambda asked: not HAS_SANDBOX and asked.name == 'pack', 'pack needs Linux or macOS'),
    (lambda asked: not HAS_SANDBOX and (asked.submissions or asked.build),
     'a SUBMISSION runs in a sandbox, which needs Linux or macOS; for your own program type '
     '--command alone'),
    (no_pages, f'--out needs {PAGES_LIBRARY}: {{}}'),
    *OF_COMMAND,
    (lambda asked: not asked.fresh and (asked.seed is not None or asked.fresh_points),
     '--seed and --fresh-points need --fresh'),
    (lambda asked: asked.assignment.path and asked.prompts,
     f'--prompts works only with {", ".join(NAMES)}'),
    (lambda asked: asked.fresh and (asked.assignment.path or not all(
        game.maker for game in games_of(asked.assignment.name))) and asked.assignment.name,
     '--fresh: {} has no generator of fresh games'),
    (lambda asked: asked.name == 'pack' and asked.confine == 'bwrap',
     "--confine bwrap: Gradescope's containers do not allow it"),
)
