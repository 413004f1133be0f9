"""Names for submissions, after their folder, their file, or the command that runs them."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import dropwhile
from pathlib import Path, PureWindowsPath

from ..printable import printable
from ..sandbox.program import ENDINGS, INTERPRETER, words_in
from .file_types import ONE_FILE

LONGEST_FOLDER_NAME = 120  # bytes; a file system may allow no more than 255
FORBIDDEN = re.compile(r'[/\\:*?"<>|]+')  # on some system
EDGES = '. '  # a dot in front hides a file; Windows drops dots and spaces at the end
# Names that Windows reserves, with any ending, and the grader's files in the folder of results.
RESERVED = re.compile(
    r'(con|prn|aux|nul|com\d|lpt\d)(\..*)?|grades\.csv|index\.html'
    r'|session-\d+\.html',
    re.IGNORECASE,
)
WITH_VALUE = ('-cp', '-classpath', '-X', '-W', '-c', '-e')  # options of interpreters and of Java
# Commands that start another command, and the arguments that may come before it.
STARTERS = ('env', 'nice', 'setarch', 'stdbuf', 'time', 'timeout', 'unbuffer', 'winpty')
STARTER_ARGUMENT = re.compile(r'-|\w+=|[\d.]+[smhd]?$')


def submission_names(sources: Sequence[Path]) -> list[str]:
    """Return a name for each submission: of its folder, or of its file without the ending.

    The ending is kept if two submissions would get the same name. Links are not followed.
    """
    paths = [Path(os.path.abspath(source)) for source in sources]
    short_names = [
        path.stem if path.suffix.lower() in ONE_FILE and path.is_file() else path.name
        for path in paths
    ]
    uses = Counter(map(str.casefold, short_names))
    taken: set[str] = set()
    return [
        folder_name(short if uses[short.casefold()] == 1 else path.name, taken)
        for path, short in zip(paths, short_names, strict=True)
    ]


def folder_name(wanted: str, taken: set[str]) -> str:
    """Return a valid name for a folder, close to `wanted` and not in `taken`; add it to `taken`.

    Names that differ only in case count as the same.

    >>> taken = set()
    >>> [folder_name(name, taken) for name in ('Ann', 'ann', '../x', 'con', '')]
    ['Ann', 'ann-2', '-x', 'con_', 'unnamed']
    """
    plain = FORBIDDEN.sub('-', printable(unicodedata.normalize('NFC', wanted)).strip(EDGES))
    short = plain.encode()[:LONGEST_FOLDER_NAME].decode(errors='ignore')
    plain = short.strip(EDGES) or 'unnamed'
    plain += '_' if RESERVED.fullmatch(plain) else ''
    name, number = plain, 1
    while name.casefold() in taken:
        number += 1
        name = f'{plain}-{number}'
    taken.add(name.casefold())
    return name


def name_of_command(command: str) -> str:
    """Return the name of the program that a command line runs, without its folders.

    >>> name_of_command('python3 -u ../hw/sums1.py'), name_of_command('java -cp build Sums')
    ('sums1', 'Sums')
    >>> name_of_command('./sums --fast'), name_of_command('python3 -m my.sums')
    ('sums', 'my.sums')
    >>> name_of_command('stdbuf -o0 ./sums'), name_of_command('timeout 5 nice -n 5 python3 sums.py')
    ('sums', 'sums')
    """
    first, *words = words_in(command)
    while first in STARTERS and (others := [*dropwhile(STARTER_ARGUMENT.match, words)]):
        first, *words = others
    starter = PureWindowsPath(first).name
    if starter != 'java' and not INTERPRETER.fullmatch(starter):
        words = [first]
    while words and words[0].startswith('-'):
        del words[: 1 + (words[0] in WITH_VALUE)]
    file = PureWindowsPath(words[0] if words else first)
    return file.stem if file.suffix in (*ENDINGS, '.exe') else file.name
