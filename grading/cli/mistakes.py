"""Finds mistakes in a command line before anything runs, and guesses what the user meant.

Only the first mistake is reported, so each check can rely on the earlier ones: see `settings_from`.
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

from ..games import NAMES, games_of
from ..installation import IS_INSTALLED, PYTHON, ROOT, command_name
from ..limits import MAX_SESSIONS
from ..printable import did_you_mean, printable
from ..reports.wording import CLASS_PAGE, GRADES
from ..sandbox.program import ENDINGS, HAS_SANDBOX, INTERPRETER, words_in

PAGES_LIBRARY, CLUSTER_LIBRARY = 'jinja2', 'distributed'
OPTIONS_WITH_VALUES = ('-W', '-X', '-I', '-r', '-o')  # interpreter options with a value
MAX_READ = 1 << 24  # maximum bytes of a file to search for a mark
# The grader writes these marks into its pages, tables, results, JUnit files and autograders.
PAGE, TABLE = b'content="console-grader"', b'submission,'
RESULTS, JUNIT, AUTOGRADER = b'"output"', b'<testsuite', b'run_autograder'


def about_unrecognized(
    arguments: argparse.Namespace, unknown: Sequence[str], more: Sequence[str], options: list[str]
) -> str:
    """Return what is wrong with words that a command does not take.

    `unknown` are the options among these words, `more` are all of them, and `options` are those
    that the command has.
    """
    paths = [*arguments.submissions, *possible_programs(arguments)]
    typed = {*map(str, paths), *more}
    others = [word for word in sys.argv if word in typed or str(Path(word)) in typed]
    quoted = with_quotes(getattr(arguments, 'command', None), *others)
    meant = did_you_mean(unknown[0].partition('=')[0] if unknown else '', options)
    return printable(
        f'unrecognized arguments: {" ".join(unknown or more)}'
        + (f'; are quotes missing? Type --command {quoted}' if quoted else meant)
    )


def check_record(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if something is wrong with a command line of `record`."""
    others = possible_programs(arguments)
    meant = with_quotes(arguments.command, *others)
    refuse(
        os.environ.get('CI'),
        'sessions cannot be recorded in CI (the environment variable CI is set)',
    )
    refuse(meant, f'are quotes missing? Type --command {meant}')
    for file in arguments.files:
        refuse(not file.exists(), f'no such file: {file}{meant_by(file)}')
    for file in arguments.files:
        refuse(
            file.is_dir(), f'{file} is a folder; list the sessions in it instead: {file / "*.txt"}'
        )
        refuse(file.is_symlink(), f'{file} is a symbolic link: give the path of the file itself')
        refuse(
            file in others,
            f'{file}: session file names must end in .txt, because "record" overwrites these files',
        )
    refuse(len(arguments.files) > MAX_SESSIONS, f'record at most {MAX_SESSIONS:,} sessions at once')
    check_command(arguments)


def check_submissions(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if something is wrong with the submissions, or with options for them."""
    words_of_option('--build', arguments.build)
    meant = with_quotes(arguments.command, *arguments.submissions)
    refuse(meant, f'are quotes missing? Type --command {meant}')
    is_class = len(arguments.submissions) > 1
    for number, path in enumerate(arguments.submissions):
        if path.exists() or (is_class and path.is_symlink()):  # a link may be broken
            continue
        if number == 0 and not arguments.command:
            command = with_quotes(str(path), *arguments.submissions[1:])
            refuse(
                command,
                f'no such file or folder: {path}; to grade your own program, type --command '
                f'{command}',
            )
        raise UsageError(printable(f'no such file or folder: {path}{meant_by(path)}'))
    if not arguments.is_alone:
        return
    refuse(
        arguments.command is None,
        'add a SUBMISSION, or add --command "CMD" to grade your own program',
    )
    refuse(
        arguments.build or arguments.confine not in (None, 'auto'),
        '--build and --confine need a SUBMISSION: without one, --command runs your own program as '
        'it is',
    )


def check_class(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if a class is given as one submission, or one submission as an export.

    With --results or --junit, which need a single submission, a folder counts as one submission.
    """
    if not arguments.submissions:
        return
    first = arguments.submissions[0]
    is_single = len(arguments.submissions) == 1
    if arguments.export:
        from ..submissions.exports import belongs_to_one_student  # rarely needed

        refuse(
            belongs_to_one_student(first, arguments.export, is_single),
            f'{first} is one submission; --export {arguments.export} needs the folder of all '
            f'submissions; run: {again(arguments, shlex.quote(str(first.parent)))}',
        )
    elif is_single and not (arguments.results or arguments.junit):
        from ..submissions.which_program import looks_like_class  # not needed for --help

        words = f'{arguments.command or ""} {arguments.build or ""}'
        refuse(
            looks_like_class(
                first, words, bool(arguments.command or arguments.assignment.languages)
            ),
            f'{first} looks like a folder of submissions; run: '
            f'{again(arguments, shlex.quote(str(first)) + "/*")} (if it is a single submission, '
            'add --results FILE)',
        )


def again(arguments: argparse.Namespace, submissions: str) -> str:
    """Return the command line that grades other `submissions` with the same options about them."""
    options = [
        f'--{name} {shlex.quote(str(value))}'
        for name in ('command', 'build', 'export', 'out')
        if (value := getattr(arguments, name))
    ]
    return ' '.join([f'{command_name()} grade', shlex.quote(arguments.game), submissions, *options])


def check_results(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if something is wrong with the options for the results."""
    is_single = not arguments.export and len(arguments.submissions) < 2
    for option in ('results', 'junit'):
        path = getattr(arguments, option)
        if path:
            refuse(not is_single, f'--{option} needs a single SUBMISSION; for several, use --out')
            refuse(
                path.is_dir() or not os.access(path.parent, os.W_OK),
                f'--{option}: {path} cannot be written',
            )
            check_foreign(f'--{option}', path, RESULTS if option == 'results' else JUNIT)
    refuse(arguments.again and not arguments.out, '--again needs --out')
    refuse(arguments.export and not arguments.out, '--export needs --out, for the results')
    if arguments.out:
        check_out(arguments)
    if is_single and any(path.suffix.lower() == '.zip' for path in arguments.submissions):
        from ..submissions.exports import kind_of_export  # rarely needed

        kind = kind_of_export(*arguments.submissions)
        refuse(
            kind,
            f'{arguments.submissions[0]} looks like an export of many submissions: add '
            f'--export {kind}, and --out for the results',
        )


def check_out(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if the --out folder is not suitable.

    The folder must not overlap a submission: a results.json in the submission could count as the
    grader's own. It must not contain a file the grader would overwrite, but did not write.
    """
    out = arguments.out.resolve()
    for path in arguments.submissions:
        source = Path(os.path.realpath(path))  # resolve() fails on a link to itself
        is_above = out in source.parents or (arguments.export and out == source)
        refuse(
            is_above,
            f'--out: {arguments.out} contains the submissions; choose another folder for the '
            'results',
        )
        refuse(
            source in (out, *out.parents),
            f'--out: {arguments.out} is part of the submission {path}; choose a folder outside it',
        )
    for name, mark in ((CLASS_PAGE, PAGE), (GRADES, TABLE)):
        check_foreign('--out', arguments.out / name, mark, 'another folder, or remove this file')


def check_foreign(
    option: str, path: Path, mark: bytes, choice: str = 'another file, or remove this one'
) -> None:
    """Raise `UsageError` if the grader would overwrite a file it did not write.

    The grader has written the file if it is empty, or contains the `mark`.
    """
    if path.is_file():
        with path.open('rb') as stream:
            content = stream.read(MAX_READ)
        refuse(
            content and mark not in content,
            f'{option}: {path} was not written by the grader; choose {choice}',
        )


def check_system(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if this system lacks something the options need."""
    refuse(
        arguments.cluster and (arguments.results or arguments.junit or arguments.is_alone),
        '--cluster needs a SUBMISSION, and --out instead of --results or --junit',
    )
    if not HAS_SANDBOX:
        refuse(arguments.name == 'pack', 'pack needs Linux or macOS')
        refuse(
            arguments.submissions or arguments.build,
            'a SUBMISSION runs in a sandbox, which needs Linux or macOS; to grade your own '
            'program, use --command without a SUBMISSION',
        )
    if arguments.out:
        refuse(not find_spec(PAGES_LIBRARY), f'--out needs {PAGES_LIBRARY}: {how_to_install()}')
    if arguments.cluster:
        refuse(
            not find_spec(CLUSTER_LIBRARY),
            f'--cluster needs {CLUSTER_LIBRARY}: install the grader with the extra "cluster"',
        )


def how_to_install() -> str:
    """Return how to install the library for pages, depending on how the grader was installed."""
    if HAS_SANDBOX and not IS_INSTALLED:
        return f'run "make venv" in {ROOT}, and then start .venv/bin/grading there'
    python = shlex.quote(sys.executable) if IS_INSTALLED else PYTHON
    return f'run "{python} -m pip install {PAGES_LIBRARY}"'


def check_command(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if something is wrong with --command."""
    words = words_of_option('--command', arguments.command)
    meant = with_interpreter(words, bool(arguments.submissions))
    refuse(meant, f'use Python to start a Python module: --command "{meant}"')
    if arguments.is_alone and words:
        refuse(not shutil.which(words[0]), f'--command: no such command: {words[0]}')
        file = missing_file(words)
        refuse(file, f'--command: no such file: {file}')


def check_options(arguments: argparse.Namespace) -> None:
    """Raise `UsageError` if options contradict each other, or the assignment.

    Print a warning on standard error if the user's own command lacks one of the assignment's files,
    or if a file or folder has the name of the game.
    """
    assignment = arguments.assignment
    refuse(
        not arguments.fresh and (arguments.seed is not None or arguments.fresh_points),
        '--seed and --fresh-points need --fresh',
    )
    if assignment.path and arguments.prompts:
        names = [name for name in NAMES if any(game.has_prompts for game in games_of(name))]
        raise UsageError(f'--prompts works only with {", ".join(names)}')
    refuse(
        arguments.fresh
        and (assignment.path or not all(game.maker for game in games_of(assignment.name))),
        f'--fresh: {assignment.name} has no fresh games',
    )
    if arguments.name == 'pack':
        refuse(
            arguments.confine == 'bwrap',
            "--confine bwrap: Gradescope's containers do not allow bubblewrap",
        )
        check_foreign('ZIP', arguments.zip, AUTOGRADER)
    for file in assignment.data:
        if arguments.is_alone and not os.path.exists(file.name):
            print(
                f"grading: the assignment's {printable(file.name)} is missing from this folder, "
                'where the command runs',
                file=sys.stderr,
            )
    if not assignment.path and os.path.exists(assignment.name):
        print(
            f'grading: {assignment.name} means the built-in game; for the folder or file, type '
            f'./{assignment.name}',
            file=sys.stderr,
        )


def words_of_option(option: str, command: str | None) -> list[str]:
    """Return the words of the command in an option, or `[]` if there is none.

    Raises `UsageError` if the command is empty or lacks a quotation mark.
    """
    if command is None:
        return []
    try:
        words = words_in(command)
    except ValueError as error:
        raise UsageError(f'{option}: {error}') from None
    refuse(not words, f'{option}: the command is empty')
    return words


def meant_by(path: Path) -> str:
    """Return a question that suggests a similar path, or `''` if no similar path exists."""
    names = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    folder = str(path.parent / '_').removesuffix('_')
    return did_you_mean(path.name, names, folder)


def with_quotes(command: str | None, *others: object) -> str:
    """Return a command and the words after it in quotation marks, if the user forgot the marks.

    That is probable if the command is only an interpreter, and other words follow it. Otherwise,
    return `''`.

    >>> with_quotes('python3', 'game.py'), with_quotes('./game', 'ann')
    ('"python3 game.py"', '')
    """
    name = os.path.basename(command or '')
    if not others or not (name == 'java' or INTERPRETER.fullmatch(name)):
        return ''
    return f'"{shlex.join([command or "", *map(str, others)])}"'


def with_interpreter(words: list[str], is_submission: bool) -> str:
    """Return the command line that starts a Python module, if `words` lack the interpreter.

    Return `''` if the words do not begin with a module, or if the module may itself be a command.
    In a submission, a module may be a command if its path has a folder, such as `./game.py`.
    Elsewhere, it may be one if it is an executable script with a `#!` line, or if it does not
    exist.
    """
    if not words or not words[0].endswith('.py'):
        return ''
    if is_submission:
        is_command = bool(os.path.dirname(words[0]))
    else:
        found = shutil.which(words[0])
        is_script = found and Path(found).read_bytes()[:2] == b'#!'
        is_command = is_script or not os.path.exists(words[0])
    return '' if is_command else shlex.join([PYTHON, *words])


def missing_file(words: list[str]) -> str:
    """Return the name of a missing file that a command would run, and a suggestion, if any.

    Return `''` if the file exists, or if the command runs no file. The file is the first word after
    the command and its options. If the command is not an interpreter, this word counts only if it
    has the ending of a program, such as .py.
    """
    candidates = [
        index
        for index, word in enumerate(words)
        if index and word[:1] != '-' and words[index - 1] not in OPTIONS_WITH_VALUES
    ]
    if not candidates or {'-c', '-m', '-e'} & {*words}:
        return ''
    start = candidates[0]
    file = words[start]
    is_run = file.endswith(ENDINGS) or INTERPRETER.fullmatch(os.path.basename(words[0]))
    if not is_run or os.path.exists(file):
        return ''
    for end in range(len(words), start + 1, -1):  # a path with spaces, without quotes?
        path = ' '.join(words[start:end])
        if os.path.exists(path):
            meant = shlex.join([*words[:start], path, *words[end:]])
            return f'{file}; are quotes missing? Type --command "{meant}"'
    return f'{file}{meant_by(Path(file))}'


def possible_programs(arguments: argparse.Namespace) -> list[Path]:
    """Return the files to record that are not named *.txt: they may be programs, not sessions."""
    return [file for file in arguments.files if not file.name.endswith('.txt')]


class UsageError(Exception):
    """The command line is wrong; the message says why."""


def refuse(mistake: object, message: str) -> None:
    """Raise `UsageError` with a message if `mistake` is true."""
    if mistake:
        raise UsageError(printable(message))
