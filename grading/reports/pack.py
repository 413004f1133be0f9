"""The autograder for Gradescope: a zip of the grader, an assignment's sessions and two scripts.

Gradescope's machines have little more than Python, so a note names what else a command needs.
"""

from __future__ import annotations

import io
import itertools
import shlex
import zipfile
from collections.abc import Sequence
from pathlib import Path

from ..installation import ROOT, grader_files
from ..sessions.session import Session
from ..settings import DataFile

SCRIPTS = Path(__file__).parent / 'autograder'
WORDS_HERE = '@WORDS@'  # the placeholder in run_autograder for the options and the game
EXECUTABLE_MODE, PLAIN_MODE = 0o100755, 0o100644
# The Debian or Ubuntu package that provides each command.
PACKAGES = {
    **dict.fromkeys(('java', 'javac', 'jar'), 'default-jdk-headless'),
    **dict.fromkeys(('gcc', 'g++', 'cc', 'c++', 'make'), 'build-essential'),
    **dict.fromkeys(('ghc', 'runghc'), 'ghc'),
    'node': 'nodejs',
    'clang': 'clang',
    'go': 'golang-go',
    'rustc': 'rustc',
    'cargo': 'cargo',
    'ruby': 'ruby',
    'php': 'php-cli',
    'lua': 'lua5.4',
}
# Commands found on every Gradescope machine.
INSTALLED = (
    'bash',
    'cat',
    'cd',
    'chmod',
    'cp',
    'echo',
    'env',
    'exec',
    'export',
    'find',
    'ln',
    'ls',
    'mkdir',
    'mv',
    'perl',
    'python3',
    'rm',
    'sed',
    'sh',
    'test',
    'true',
)
COMMAND_SEPARATORS = {*'();|&'}


def pack(
    words: Sequence[str],
    sessions: Sequence[Session],
    packages: Sequence[str] = (),
    files: Sequence[DataFile] = (),
    seed: int | None = None,
) -> bytes:
    """Return the zip of an autograder that grades as the command `grade` does.

    `words` are the options and the game, as on the command line. `sessions` are the built-in
    sessions the zip needs, `packages` are the Ubuntu packages to install, and `files` are the files
    of a custom assignment. Fresh games are made from `seed`, or from a new seed for each submission
    if it is None. Equal arguments give equal bytes.
    """
    values = {
        WORDS_HERE: shlex.join(words),
        '@SEED@': '' if seed is None else str(seed),
        '@PACKAGES@': shlex.join(['python3-venv', *packages]),
    }
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, 'w') as archive:
        for name in ('setup.sh', 'run_autograder'):
            script = (SCRIPTS / name).read_text(encoding='utf-8')
            for placeholder, text in values.items():
                script = script.replace(placeholder, text)
            add_file(archive, name, script.encode(), EXECUTABLE_MODE)
        names = sorted(session.name for session in sessions)
        for name, path in {**grader_files(), **{name: ROOT / name for name in names}}.items():
            add_file(archive, name, path.read_bytes(), PLAIN_MODE)
        for file in files:
            add_file(
                archive,
                f'{words[-1]}/{file.name}',
                file.content,
                EXECUTABLE_MODE if file.is_executable else PLAIN_MODE,
            )
    return zipped.getvalue()


def add_file(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    """Add a file to a zip, with a fixed date, so the zip's bytes depend only on its files."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the earliest date a zip can have
    entry.create_system = 3  # Unix, so unpacking restores file modes
    entry.external_attr = mode << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def note_on_missing_packages(*commands: str) -> str:
    """Return a sentence that names the commands missing on Gradescope's machines, or `''` if none.

    >>> print(note_on_missing_packages('java Game', 'cd src && javac *.java'))
    Gradescope's machines lack java, javac: pack again with --install "default-jdk-headless"
    >>> note_on_missing_packages('python3 game.py', './build.sh')
    ''
    """
    words = shlex.shlex('\n; '.join(commands), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    first_words = [
        word
        for before, word in itertools.pairwise([';', *words])
        if is_separator(before) and not is_separator(word)
    ]
    tools = dict.fromkeys(
        word
        for word in first_words
        if word not in INSTALLED
        and '/' not in word  # it is not a path
        and '=' not in word  # it does not set a variable
    )
    if not tools:
        return ''
    packages = dict.fromkeys(PACKAGES.get(tool, f'PACKAGE-OF-{tool}') for tool in tools)
    return (
        f"Gradescope's machines lack {', '.join(tools)}: "
        f'pack again with --install "{" ".join(packages)}"'
    )


def is_separator(word: str) -> bool:
    """Return whether a word of a command line separates two commands, as `&&` does."""
    return set(word) <= COMMAND_SEPARATORS
