"""A program to run: its command line, its folder, its environment and its PATH.

This module also works on Windows, where there is no sandbox.
"""

from __future__ import annotations

import locale
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ..installation import PYTHON, ROOT
from ..printable import printable

IS_WINDOWS = os.linesep == '\r\n'  # tests can fake os.linesep, but not os.name
HAS_SANDBOX = hasattr(os, 'fork')
ENDING_SECONDS = 5  # how long killed processes may take to end
# Once a program's first process has ended, its other processes may go on for this many seconds.
OTHERS_SECONDS = 0.1
KILLED = -9  # the exit status after SIGKILL
SHELL_SIGNALS = range(129, 160)  # exit statuses of a shell whose command was ended by a signal

LONGEST_FIRST_LINE = 1000  # bytes of a `#!` line; systems allow fewer
USER_NAME = 'student'  # the user that submissions run as

# What the probe reports if system calls are not filtered.
UNCOUNTED = 'memory that counts towards no limit'

PYTHON_NAME = r'(python|pypy)[0-9.]*(\.exe)?|py(\.exe)?'
OPTION = '-[bBdEIOPqRsSuvx]+|-[XW].+'  # a Python option without a value, or with the value attached
# Commands for running a file, such as node.
INTERPRETER = re.compile(rf'{PYTHON_NAME}|(node|ruby|perl|php|lua|(ba)?sh|runghc)(\.exe)?')
# The suffixes of files these commands can run.
ENDINGS = ('.py', '.pyc', '.js', '.mjs', '.rb', '.pl', '.php', '.lua', '.sh', '.hs', '.jar')

# On a big machine, a JVM would use more memory and threads than the limits allow.
JAVA = '-Xms16m -Xmx256m -XX:+UseSerialGC -XX:ActiveProcessorCount=2 -XX:TieredStopAtLevel=1'
JAVA_NOTICE = re.compile(rb'^Picked up JAVA_TOOL_OPTIONS:.*\n?', re.MULTILINE)
# Variables that may change what programs print.
PRINTING = re.compile(
    'TERM|LANG|LANGUAGE|LC_.*|TZ|COLUMNS|.*COLOR.*|PAGER|(JAVA_TOOL|NODE)_OPTIONS|PYTHON.*',
    re.IGNORECASE,
)


class StartError(Exception):
    """The machine could not start a program, through no fault of the program."""


class SandboxError(Exception):
    """Submissions cannot be run in a sandbox; the message says why."""


@dataclass
class Program:
    """A command line, and the folder it runs in.

    Each run gets a fresh copy of `folder`, and starts in the copy's subfolder `below`. A program
    without a folder runs in the current folder, without a copy. In a sandbox, the program can also
    read the folders in `needs`. The variables in `env` are set only for the program, not for the
    shell and the sandbox around it.
    """

    words: list[str]
    folder: Path | None = None
    below: str = '.'
    needs: tuple[Path, ...] = ()
    given: frozenset[str] = frozenset()  # files in `folder` provided by the assignment, by path
    env: Mapping[str, str] = field(default_factory=dict)


def words_in(command: str) -> list[str]:
    """Return the words of a command line, by this system's quoting rules. Raises `ValueError`."""
    return words_on_windows(command) if IS_WINDOWS else shlex.split(command)


def words_on_windows(command: str) -> list[str]:
    r"""Return the words of a command line, by the rules of Windows. Raises `ValueError`.

    A backslash is special only before a quotation mark (Microsoft, "Parsing C command-line
    arguments").

    >>> words_on_windows(r'py "C:\My files\game.py" ""')
    ['py', 'C:\\My files\\game.py', '']
    """
    mark = '\0'  # stands for an escaped quotation mark: one after an odd number of backslashes
    marked = re.sub(
        r'(\\*)"',
        lambda found: '\\' * (len(found[1]) // 2) + (mark if len(found[1]) % 2 else '"'),
        command,
    )
    words = shlex.shlex(marked, posix=True)
    vars(words).update(
        whitespace=' \t', quotes='"', escape='', commenters='', whitespace_split=True
    )
    return [word.replace(mark, '"') for word in words]


def script_of(words: Sequence[str]) -> int | None:
    """Return the index of the script in a Python command line, or of the `-m` before a module.

    Return None if the command line does not run Python, or names neither a script nor a module.

    >>> script_of(['python3', '-u', 'game.py']), script_of(['java', 'Game'])
    (2, None)
    """
    if not words or not re.fullmatch(PYTHON_NAME, re.split(r'[/\\]', words[0])[-1]):
        return None
    number = 1
    while number < len(words):
        if words[number] in ('-X', '-W'):
            number += 2
        elif re.fullmatch(OPTION, words[number]):
            number += 1
        else:
            break
    rest = words[number:]
    is_module = rest[:1] == ['-m'] and len(rest) > 1
    return number if is_module or (rest and not rest[0].startswith('-')) else None


def command_as_typed(words: Sequence[str], python: str) -> list[str]:
    """Return a command line as a user would type it; `python` is the grader's Python.

    >>> command_as_typed(['/usr/bin/python3', './tasks.py'], '/usr/bin/python3')
    ['python3', 'tasks.py']
    """
    first, *others = words
    return [PYTHON, *(word.removeprefix('./') for word in others)] if first == python else [*words]


def python_version(program: Program, python: str) -> int:
    """Return N if Python 3.N runs a program, or 0 if unknown: the name of its file says so.

    `python` is the grader's Python.
    """
    if script_of(program.words) is None:
        return 0
    path = search_path(python) if program.folder else None
    file = os.path.realpath(shutil.which(program.words[0], path=path) or '')
    found = re.search(r'(?:python|pypy)3\.([0-9]+)$', file)
    return int(found[1]) if found else 0


def given_starter(program: Program) -> str:
    """Return the path of the file in `program.given` that the command line runs, or ''.

    >>> given_starter(Program(['python3', '-I', 'judge.py', 'a'], given=frozenset(['judge.py'])))
    'judge.py'
    """
    first, *words = program.words
    if INTERPRETER.fullmatch(os.path.basename(first)):
        files = [word for word in words if not word.startswith('-')]
        first = files[0] if files else first
    path = os.path.normpath(os.path.join(program.below, first))
    return path if path in program.given else ''


def note_on_first_line(program: Program) -> str:
    r"""Return what to do if the system cannot start a script because of its `#!` line, or ''.

    The line ends with \r\n, as in a file written on Windows: \r then belongs to the name of the
    interpreter.
    """
    name = program.words[0]
    path = Path(program.folder or '', program.below, name)
    try:
        with path.open('rb') as script:
            line = script.readline(LONGEST_FIRST_LINE)
    except OSError:
        return ''
    if not (line.startswith(b'#!') and line.endswith(b'\r\n')):
        return ''
    return (
        f'the first line of {printable(name)} ends with \\r\\n, so the system does not find the '
        'program named there: save the file with \\n as the end of each line'
    )


def folder_of(program: Program) -> Path:
    """Return the folder of a program's files.

    If a program has no `folder`, this is the folder of its Python script, or the current folder if
    it runs no Python script or a module (`-m`).
    """
    script = script_of(program.words)
    if program.folder or script is None or program.words[script] == '-m':
        return program.folder or Path.cwd()
    file = Path(os.path.abspath(program.words[script]))
    return (file.resolve() if file.is_symlink() else file).parent


def status_or_signal(status: int) -> int:
    """Return an exit status, or minus the number of the signal that it means.

    A shell or bubblewrap adds 128 to the signal that has ended its command. So whatever is around a
    program, these statuses mean a signal.

    >>> status_or_signal(139), status_or_signal(-11), status_or_signal(255)
    (-11, -11, 255)
    """
    return 128 - status if status in SHELL_SIGNALS else status


def status_in_shell(status: int) -> int:
    """Return an exit status as a shell gives it: at least 128 if it is a signal.

    >>> status_in_shell(-11), status_in_shell(1)
    (139, 1)
    """
    return 128 - status if status < 0 else status


def own_environment() -> dict[str, str]:
    """Return the environment of the user's own program: the grader's, printing as a submission."""
    kept = {name: value for name, value in os.environ.items() if not PRINTING.fullmatch(name)}
    return kept | printing_environment()


def without_java_notice(errors: bytes) -> bytes:
    """Return standard error without what Java says about the grader's own settings.

    >>> without_java_notice(b'Picked up JAVA_TOOL_OPTIONS: -Xms16m\\nA.java:1: error\\n')
    b'A.java:1: error\\n'
    """
    return JAVA_NOTICE.sub(b'', errors)


def clean_environment(home: str, path: str) -> dict[str, str]:
    """Return the environment of a submission, with the given home folder and PATH."""
    return {
        **printing_environment(),
        'HOME': home,
        'USER': USER_NAME,
        'LOGNAME': USER_NAME,
        'TMPDIR': home,
        'PATH': path,
    }


def printing_environment() -> dict[str, str]:
    """Return the variables among `PRINTING` that are set, with the same values in each run."""
    return {'LANG': locale_name(), 'TERM': 'dumb', 'JAVA_TOOL_OPTIONS': JAVA}


@cache
def locale_name() -> str:
    """Return `C.UTF-8`, or `C` if the system lacks it."""
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, 'C.UTF-8')
    except locale.Error:
        return 'C'
    finally:
        locale.setlocale(locale.LC_CTYPE, before)
    return 'C.UTF-8'


def search_path(python: str) -> str:
    """Return the PATH of a submission.

    It contains the folder of the interpreter, the system's folders, and the folders of the grader's
    PATH outside the grader's own folder.
    """
    own = folders_outside(os.environ.get('PATH', ''))
    folders = [os.path.dirname(python), '/usr/local/bin', '/usr/bin', '/bin', *own]
    return os.pathsep.join(dict.fromkeys(folders))


@cache  # called for each run
def folders_outside(path: str) -> list[str]:
    """Return the absolute folders of a PATH that are outside the grader's own folder."""
    return [
        folder
        for folder in path.split(os.pathsep)
        if os.path.isabs(folder) and not is_inside(Path(folder), [ROOT])
    ]


def is_inside(path: Path, folders: Sequence[str | Path]) -> bool:
    """Return whether a path is in one of `folders`, or is one of them."""
    return any(Path(folder) in (path, *path.parents) for folder in folders)


def own_interpreter() -> str:
    """Return the grader's own interpreter, outside any virtual environment."""
    return os.path.realpath(sys.executable)


def interpreters() -> list[str]:
    """Return the interpreters to try, the best first.

    Another user may be unable to run the grader's own interpreter, but can run the system's.
    """
    system = shutil.which('python3', path=os.defpath) or sys.executable
    return [*dict.fromkeys([own_interpreter(), os.path.realpath(system)])]
