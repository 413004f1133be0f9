"""Names submissions after their folder, their file, or their command."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, dropwhile
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from ..installation import digest_of
from ..printable import printable
from ..sandbox.program import ENDINGS, INTERPRETER, words_in
from .entries import stem_of
from .programs import ONE_FILE

DIGITS = 8  # how many hexadecimal digits of a digest to add to a name
LONGEST_FOLDER_NAME = 120  # maximum bytes without the ending; file systems allow 255
FORBIDDEN = re.compile(r'[/\\:*?"<>|]+')  # not allowed in file names on some systems
ALSO_CALLED = 'there is another submission called {}'
EDGES = '. '  # a leading dot hides a file; Windows drops trailing dots and spaces
# Names reserved by Windows, even with a suffix, and the grader's own files in the --out folder.
RESERVED = re.compile(
    r'(con|prn|aux|nul|com\d|lpt\d)(\..*)?|grades\.csv|index\.html'
    r'|session-\d+\.html',
    re.IGNORECASE,
)
WITH_VALUE = ('-cp', '-classpath', '-X', '-W', '-c', '-e')  # interpreter options with a value
# Commands that run another command. `STARTER_ARGUMENT` matches arguments before that command.
STARTERS = ('env', 'nice', 'setarch', 'stdbuf', 'time', 'timeout', 'unbuffer', 'winpty')
STARTER_ARGUMENT = re.compile(r'-|\w+=|[\d.]+[smhd]?$')


class SubmissionName(NamedTuple):
    """The name of a submission; `note` says why it is not the first choice, or is ''."""

    name: str
    note: str = ''


def submission_names(sources: Sequence[Path]) -> list[SubmissionName]:
    """Return a name for each submission: its folder's name, or its file's name without the suffix.

    If submissions would have the same name, they get longer names. A link is named after itself
    rather than its target.
    """
    paths = [Path(os.path.abspath(source)) for source in sources]
    return distinct_names(
        [
            (
                stem_of(path.name)
                if path.name.lower().endswith(ONE_FILE) and path.is_file()
                else path.name,
                path.name,
                f'{path.parent.name}-{path.name}',
            )
            for path in paths
        ]
    )


def distinct_names(wanted: Sequence[Sequence[str]]) -> list[SubmissionName]:
    """Return a distinct name for each submission, if possible the first of its wanted names.

    If several submissions would get the same name, none of them gets it, and each tries its next
    wanted name. So a student cannot take another submission's name, and with it the other's place
    in the results. If a submission has no wanted names left, a digest is added to the last name. If
    submissions still have the same name, a number is added. Case is ignored.

    >>> [named.name for named in distinct_names([['ann'], ['bo', 'bo.py'], ['bo', 'bo.zip']])]
    ['ann', 'bo.py', 'bo.zip']
    >>> distinct_names([['Ann'], ['ann']])[1]
    SubmissionName(name='ann-49915e0d', note='there is another submission called ann')
    """
    choices = [*map(choices_for, wanted)]
    names = [*map(next, choices)]
    shared: set[str] = set()  # names several submissions would get
    while True:
        uses = Counter(map(str.casefold, names))
        shared |= {name for name, number in uses.items() if number > 1}
        longer = {
            index: next(choices[index], '')
            for index, name in enumerate(names)
            if name.casefold() in shared
        }
        if not any(longer.values()):
            break
        names = [longer.get(index) or name for index, name in enumerate(names)]
    taken = {*map(str.casefold, names)}
    named = []
    for name, (first, *_) in zip(names, wanted, strict=True):
        if name.casefold() in shared:  # several submissions want exactly the same names
            numbered = (f'{name}-{number}' for number in count(1))
            name = next(other for other in numbered if other.casefold() not in taken)
            taken.add(name.casefold())
        plain = valid_name(first)
        named.append(SubmissionName(name, ALSO_CALLED.format(plain) if name != plain else ''))
    return named


def choices_for(wanted: Sequence[str]) -> Iterator[str]:
    """Yield valid forms of a submission's wanted names, and finally a name with a digest."""
    yield from map(valid_name, wanted)
    digest = digest_of(wanted[-1].encode(errors='surrogateescape'))
    yield valid_name(wanted[-1], f'-{digest[:DIGITS]}')


def valid_name(wanted: str, ending: str = '') -> str:
    """Return a valid folder name close to `wanted`, followed by `ending`.

    >>> [*map(valid_name, ('Ann', '../x', 'con', ''))]
    ['Ann', '-x', 'con_', 'unnamed']
    """
    plain = FORBIDDEN.sub('-', printable(unicodedata.normalize('NFC', wanted)).strip(EDGES))
    short = plain.encode()[:LONGEST_FOLDER_NAME].decode(errors='ignore')
    plain = short.strip(EDGES) or 'unnamed'
    return (plain + '_' if RESERVED.fullmatch(plain) else plain) + ending


def name_of_command(command: str) -> str:
    """Return the name of the program a command line runs, without folders or suffix.

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
    name = PureWindowsPath(first).name
    is_interpreter = name == 'java' or INTERPRETER.fullmatch(name)
    if not is_interpreter:
        words = [first]
    while words and words[0].startswith('-'):
        del words[: 2 if words[0] in WITH_VALUE else 1]
    file = PureWindowsPath(words[0] if words else first)
    return file.stem if file.suffix in (*ENDINGS, '.exe') else file.name
