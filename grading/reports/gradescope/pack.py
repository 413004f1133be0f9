"""An autograder for Gradescope: the grader, the sessions of one game, and two scripts.

A machine of Gradescope has little more than Python; this module knows which packages to add.
"""

from __future__ import annotations

import io
import shlex
import zipfile
from pathlib import Path
from typing import Iterator, Sequence

from ...installation import ROOT, grader_files
from ...sessions.transcript import Transcript
from ...settings import DataFile

SCRIPTS = Path(__file__).parent
WORDS = '@WORDS@'                       # where run_autograder has its game and options
INSTALLED = '@PACKAGES@'                # where setup.sh has what it installs
NEEDED = 'python3-venv'
EXECUTABLE, PLAIN = 0o100755, 0o100644
LONG_AGO = (1980, 1, 1, 0, 0, 0)        # the first time that a zip can tell
UNIX = 3                                # where modes mean something
# Packages of Debian and Ubuntu, by the commands that they bring.
PACKAGES = {
    **dict.fromkeys(('java', 'javac', 'jar'), 'default-jdk-headless'),
    **dict.fromkeys(('gcc', 'g++', 'cc', 'c++', 'make'), 'build-essential'),
    **dict.fromkeys(('ghc', 'runghc'), 'ghc'),
    'node': 'nodejs', 'clang': 'clang', 'go': 'golang-go', 'rustc': 'rustc', 'cargo': 'cargo',
    'ruby': 'ruby', 'php': 'php-cli', 'lua': 'lua5.4',
}
# Of those that are there, the ones that a build may use.
THERE = ('bash', 'cat', 'cd', 'chmod', 'cp', 'echo', 'env', 'exec', 'export', 'find', 'ln', 'ls',
         'mkdir', 'mv', 'perl', 'python3', 'rm', 'sed', 'sh', 'test', 'true')


def pack(words: Sequence[str], transcripts: Sequence[Transcript], packages: Sequence[str] = (),
         own: Sequence[DataFile] = ()) -> bytes:
    """Return a zip that grades as `grade` does; the same arguments give the same bytes.

    `words` are the options and the game, `transcripts` the sessions of the project that they need,
    `packages` what Ubuntu has to install, `own` the files of an assignment of one's own.
    """
    known = {WORDS: shlex.join(words), INSTALLED: shlex.join([NEEDED, *packages])}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, 'w') as archive:
        for name in ('setup.sh', 'run_autograder'):
            script = (SCRIPTS / name).read_text(encoding='utf-8')
            for place, text in known.items():
                script = script.replace(place, text)
            add(archive, name, script.encode(), EXECUTABLE)
        names = sorted(transcript.name for transcript in transcripts)
        for name, path in {**grader_files(), **{name: ROOT / name for name in names}}.items():
            add(archive, name, path.read_bytes(), PLAIN)
        for file in own:
            add(archive, f'{words[-1]}/{file.name}', file.content,
                EXECUTABLE if file.is_executable else PLAIN)
    return zipped.getvalue()


def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    """Add a file to a zip."""
    entry = zipfile.ZipInfo(name, LONG_AGO)
    entry.create_system = UNIX
    entry.external_attr = mode << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def what_is_missing(*commands: str) -> str:
    """Return which commands a machine of Gradescope lacks, in words, '' for none.

    >>> what_is_missing('java Game', 'cd src && javac *.java')
    'a machine of Gradescope has no java, javac: pack again with --install "default-jdk-headless"'
    >>> what_is_missing('python3 game.py', './build.sh')
    ''
    """
    tools = dict.fromkeys(tool for text in commands for tool in tools_in(text)
                          if tool not in THERE and '/' not in tool and '=' not in tool)
    if not tools:
        return ''
    packages = dict.fromkeys(PACKAGES.get(tool, f'PACKAGE-OF-{tool}') for tool in tools)
    return (f'a machine of Gradescope has no {", ".join(tools)}: '
            f'pack again with --install "{" ".join(packages)}"')


def tools_in(text: str) -> Iterator[str]:
    """Yield the first word of each command in a line of shell."""
    words = shlex.shlex(text, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    is_first = True
    for word in words:
        is_separator = set(word) <= set('();|&')
        if is_first and not is_separator:
            yield word
        is_first = is_separator
