"""Exports of learning platforms, and a folder for each submission in one.

Canvas makes a flat zip of `name_12345_67890_file.py`: the numbers are those of the user and of the
file, `_LATE` follows the name of a student who was late, and a file that is handed in again becomes
`file-1.py`. Moodle makes a folder `Name_123_assignsubmission_file_` for each student, or flat files
whose names begin so. Gradescope has a folder or a zip for each student, and so have clones of
repositories, as GitHub Classroom made them until August 2026. Gradescope's
`submission_metadata.yml` says whose each folder is, but not what was late. One program writes this
YAML, always in the same shape, so this module reads it without a library:

    submission_123456789:
      :submitters:
      - :name: Ann Example
        :sid: '100'
        :email: ann@example.org
      :created_at: ...
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from ..printable import printable
from ..sandbox.untrusted_files import Entry, SubmissionError, entries_of, raise_if_ours
from .copying import Copy
from .file_types import ARCHIVES, DOCUMENTS, ONE_FILE, SOURCES
from .names import folder_name

LONGEST_METADATA = 1 << 24  # bytes of the export's metadata
LONGEST_LIST = 32 << 20  # bytes of the list in a zip of many submissions
LONGEST_FILE_NAME = 1000  # characters; no system makes longer names
# What follows a student's name in Canvas. Where names are hidden the number is another word; a text
# that was typed into a form, or a link, has no file number. Matches may overlap, and each counts.
BEHIND_IN_CANVAS = re.compile(
    r'(?=_(?P<id>\d+|(?<=anon_)[a-z0-9]{5})_'
    r'(?:(?P<number>\d+)_(?P<file>.+)|(?P<entry>(?:text|link)\.html)$))',
    re.IGNORECASE | re.DOTALL,
)
LATE_MARK = re.compile(r'^late_|[_-]late$', re.IGNORECASE)
FOLDER_IN_MOODLE = re.compile(r'(.+)_(\d+)_assignsubmission_[a-z]+_?', re.DOTALL)
BEHIND_IN_MOODLE = re.compile(r'(?=_(\d+)_assignsubmission_[a-z]+_(.+))', re.DOTALL)
METADATA = 'submission_metadata.yml'
# The metadata also has the output of programs, always further to the right than these lines.
ENTRY = re.compile(r'^(?!#|---)(\S.*):[ \t]*\n((?:(?: .*)?\n)*)', re.MULTILINE)
SUBMITTERS = re.compile(r'^ {2}:submitters:[ \t]*\n((?: {2}(?:- | {2}).*\n)*)', re.MULTILINE)
PERSON = re.compile(r'^ {2}- ', re.MULTILINE)
FACT = re.compile(r'^(?: {4})?:(name|sid|email): (.+)$', re.MULTILINE)
RESUBMITTED = re.compile(r'([^\W\d]\w*)(?:-\d{1,3})+(\.\w+)')

Parts = tuple[str, ...]  # of a path: its folders, and its file or ''


@dataclass
class Share:
    """One student's files in an export: their paths, and their names in a copy."""

    who: str
    id: str = ''  # '' if the export does not say it
    email: str = ''
    late: bool | None = None  # None if the export does not say it
    files: dict[Parts, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    folder: Path = Path()  # of their copies


class Files:
    """The files of an export: their `paths`, and the names of folders that are `repositories`.

    An empty folder has a path that ends with ''. A folder that cannot be read counts as a file.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries: dict[Parts, Entry] = {}
        self.repositories: set[str] = set()
        full: set[Parts] = set()  # folders that have something in them
        for entry in entries:
            parts = tuple(part for part in entry.path.split('/') if part not in ('', '.'))
            if '.git' in parts[1:]:
                self.repositories.add(parts[parts.index('.git') - 1])
            if entry.kind != 'ignored' and parts:
                full |= {parts[:end] for end in range(1, len(parts))}
                is_folder = entry.kind == 'folder' and not entry.problem
                self.entries[(*parts, '') if is_folder else parts] = entry
        self.paths = [parts for parts in self.entries if parts[-1] or parts[:-1] not in full]


def read_export(path: Path, kind: str, target: Path) -> tuple[list[Share], list[str]]:
    """Copy the submissions of an export into folders in `target`.

    Return each student's share, and the names of files that belong to no student. `path` is a
    folder or a zip, `kind` a platform's name. Raises `SubmissionError`.
    """
    try:
        with entries_of(path, longest_list=LONGEST_LIST) as entries:
            files = Files(entries)
            shares = sorted(shares_in(files, kind), key=attrgetter('who'))
            taken: set[str] = set()
            for share in shares:
                copy_share(share, files, target / folder_name(share.who, taken))
            ignored = sorted(
                '/'.join(parts)
                for parts in {*files.paths}.difference(*(share.files for share in shares))
                if parts[-1] not in ('', METADATA) and not parts[-1].startswith('.')
            )
    except SubmissionError as error:
        raise SubmissionError(f'{printable(str(path))}: {error}') from None
    if not shares:
        raise SubmissionError(
            f'{printable(str(path))}: nothing in it is named as in an export of {kind.capitalize()}'
        )
    return shares, ignored


def copy_share(share: Share, files: Files, folder: Path) -> None:
    """Copy one student's files into a new folder; unpack zips if there are no other programs.

    Add notes on files that were not copied to the share.
    """
    folder.mkdir(0o755, parents=True)
    copy = Copy(folder)
    for parts, name in sorted(share.files.items()):
        if not copy.is_full:
            copy.add(files.entries[parts], name)
    top = sorted(folder.iterdir())
    is_unpacked = all(path.suffix.lower() in ('.zip', *DOCUMENTS) for path in top)
    for archive in [path for path in top if path.suffix.lower() == '.zip']:
        try:
            if not is_unpacked:
                raise SubmissionError('not unpacked, because other files were handed in beside it')
            copy.add_all(archive)
        except SubmissionError as error:
            copy.note(f'{archive.name}: {error}')
        else:
            archive.unlink()
    share.folder, share.id, share.email = folder, printable(share.id), printable(share.email)
    share.notes += copy.notes


def kind_of_export(path: Path) -> str:
    """Return the kind of export that a zip is, if the names of its files say so, else ''."""
    try:
        with entries_of(path, longest_list=LONGEST_LIST) as entries:
            files = Files(entries)
            students = {
                kind: {reading.who for parts in files.paths for reading in islice(read(parts), 1)}
                for kind, read in BY_NAME.items()
            }
            return (
                'gradescope'
                if place_of_metadata(files)
                else next((kind for kind, found in students.items() if len(found) > 1), '')
            )
    except (SubmissionError, OSError):  # Whoever copies it says what is wrong.
        return ''


def holds_one(path: Path, kind: str, is_alone: bool) -> bool:
    """Return whether a folder is one student's, where an export has a folder for each student.

    It is a repository, or one of several folders with programs at their top.
    """
    return (
        kind not in BY_NAME
        and path.is_dir()
        and (
            (path / '.git').exists()
            or (not is_alone and any(one.suffix in ('.py', *SOURCES) for one in path.iterdir()))
        )
    )


class NameReading(NamedTuple):
    """One way to read the name of a file: its student, and the student's name for it."""

    who: str  # with a number, which tells apart two of the same name
    id: str
    file: str
    late: bool | None = None
    digits: int = 0  # of the number that Canvas gives the file, 0 if it has none


def shares_in(files: Files, kind: str) -> list[Share]:
    """Return the files of each student in an export of a kind, with the students' names for them.

    In Canvas students may be called `ann_1_2`, and files `1_2_x.py`: notes say which names can be
    read in two ways. A reading with a file number that is far too short does not count.
    """
    place = place_of_metadata(files) if kind == 'gradescope' else ()
    known = owners(text_of(files.entries[place])) if place else {}
    depth = len(place) - 1 if place else depth_of_students(files)
    read = BY_NAME.get(kind, partial(readings_in_folders, depth=depth))
    names = {parts: list(read(parts)) for parts in files.paths}
    fewest = (
        min(
            (ways[0].digits for ways in names.values() if len(ways) == 1 and ways[0].digits),
            default=1,
        )
        - 1
    )
    shares = shares_of(
        {
            parts: [way for way in ways if way.digits >= fewest or not way.digits] or ways
            for parts, ways in names.items()
        }
    )
    for key in known:  # some have handed in nothing
        shares.setdefault(key, Share(key))
    for share in shares.values():
        share.who, share.id, share.email = known.get(share.who, (share.who, share.id, ''))
        if kind == 'canvas':
            originals = original_names(list(share.files.values()))
            share.files = {parts: originals[name] for parts, name in share.files.items()}
    return list(shares.values())


def original_names(names: list[str]) -> dict[str, str]:
    """Return for each name in a submission the name without the `-1` of a resubmission.

    A name stays as it is if two files would get the same one.

    >>> original_names(['nim_logic-1.py', 'a-1.txt', 'a-2.txt'])
    {'nim_logic-1.py': 'nim_logic.py', 'a-1.txt': 'a-1.txt', 'a-2.txt': 'a-2.txt'}
    """
    originals = {
        name: RESUBMITTED.sub(r'\1\2', name) if RESUBMITTED.fullmatch(name) else name
        for name in names
    }
    often = Counter(originals.values())
    return {
        name: original if often[original] == 1 else name for name, original in originals.items()
    }


def readings_in_canvas(parts: Parts) -> Iterator[NameReading]:
    """Yield the ways to read the name of a file, with the shortest student's name first."""
    name = parts[-1]
    for match in BEHIND_IN_CANVAS.finditer(name) if len(name) <= LONGEST_FILE_NAME else ():
        if match.start():
            student, late = LATE_MARK.subn('', name[: match.start()])
            yield NameReading(
                f'{student}_{match["id"]}',
                match['id'],
                match['file'] or match['entry'],
                late > 0,
                len(match['number'] or ''),
            )


def readings_in_moodle(parts: Parts) -> Iterator[NameReading]:
    """Yield the ways to read a path, with the shortest student's name first."""
    *folders, name = parts
    for place, folder in enumerate(folders):
        match = FOLDER_IN_MOODLE.fullmatch(folder) if len(folder) <= LONGEST_FILE_NAME else None
        if match:
            yield NameReading(f'{match[1]}_{match[2]}', match[2], '/'.join(parts[place + 1 :]))
            return
    for match in BEHIND_IN_MOODLE.finditer(name) if len(name) <= LONGEST_FILE_NAME else ():
        if match.start():
            yield NameReading(f'{name[: match.start()]}_{match[1]}', match[1], match[2])


def readings_in_folders(parts: Parts, depth: int) -> Iterator[NameReading]:
    """Yield the way to read a path where each student has a folder or a file at this depth."""
    *folders, name = parts[depth:] or ['']
    if folders:
        yield NameReading(folders[0], '', '/'.join([*folders[1:], name]))
    elif name.lower().endswith(ONE_FILE):
        yield NameReading(name.rpartition('.')[0], '', name)


BY_NAME = {'canvas': readings_in_canvas, 'moodle': readings_in_moodle}


def shares_of(names: Mapping[Parts, Sequence[NameReading]]) -> dict[str, Share]:
    """Return the files of each student by name, given the ways to read the files' names.

    Students choose their own names and those of files, so a name may have several readings. The
    first one counts, unless it would add a file to those that certainly belong to a student: such a
    file is left out. Notes say both.
    """
    certain = {readings[0].who for readings in names.values() if len(readings) == 1}
    shares: dict[str, Share] = {}
    for parts, readings in names.items():
        ids = {reading.who: reading.id for reading in readings}
        taken = (
            readings[0] if readings and (len(ids) == 1 or not certain.intersection(ids)) else None
        )
        for who in [taken.who] if taken else filter(certain.__contains__, ids):
            share = shares.setdefault(who, Share(who, ids[who]))
            if len(ids) > 1:
                share.notes.append(
                    printable(
                        f'{"" if taken else "left out: "}{parts[-1]}: '
                        f'its name can be read as that of {", or of ".join(ids)}'
                    )
                )
        if taken:
            share.late = share.late or taken.late
            share.files.update({parts: taken.file} if parts[-1] else {})
    return shares


def place_of_metadata(files: Files) -> Parts:
    """Return the path of the export's own metadata, `()` if it has none."""
    paths = [parts for parts in files.paths if not parts[-1].startswith('.')]
    place = min((parts for parts in paths if parts[-1] == METADATA), key=len, default=())
    return place if all(parts[: len(place) - 1] == place[:-1] for parts in paths) else ()


def text_of(entry: Entry) -> str:
    """Return the text of a file, '' if it cannot be read."""
    try:
        if not entry.problem:
            with entry.open() as content:
                return content.stream.read(LONGEST_METADATA).decode(errors='replace')
    except Exception as error:  # zipfile raises anything where a zip is damaged
        raise_if_ours(error)
    return ''


def owners(text: str) -> dict[str, tuple[str, ...]]:
    """Return the name and number, the number, and the address of the students of each submission.

    The keys are the folders of submissions; facts about several students are joined by '+'.

    >>> owners('submission_1:\\n  :submitters:\\n  - :name: Ann\\n    :sid: 100\\n')
    {'submission_1': ('Ann_100', '100', '')}
    """
    known = {}
    for key, below in ENTRY.findall('\n'.join([*text.splitlines(), ''])):
        people = []
        for person in PERSON.split(''.join(SUBMITTERS.findall(below)))[1:]:
            facts = {name: plain(value) for name, value in FACT.findall(person)}
            number, address = facts.get('sid', ''), facts.get('email', '')
            who = '_'.join(filter(None, [facts.get('name'), number or address])) or 'somebody'
            people.append((who, number, address))
        if people:
            known[plain(key)] = tuple(
                '+'.join(filter(None, words)) for words in zip(*people, strict=False)
            )
    return known


def plain(value: str) -> str:
    """Return a value of YAML without its quotes, if it has any.

    >>> plain("'O''Neil'"), plain('"Zo\\\\u00eb"'), plain('Ann')
    ("O'Neil", 'Zoë', 'Ann')
    """
    value = value.strip()
    if value[:1] == "'" == value[-1:]:
        return value[1:-1].replace("''", "'")
    if value[:1] == '"' == value[-1:]:
        with suppress(ValueError):
            return str(json.loads(value))
        return value[1:-1]
    return value


def depth_of_students(files: Files) -> int:
    """Return how many folders, which have nothing but folders and zips, are around everything."""
    below = [parts for parts in files.paths if not parts[-1].startswith('.')]
    depth = 0
    while True:
        heads = {parts[0] for parts in below}
        below = [parts[1:] for parts in below]
        if (
            len(heads) != 1
            or heads & files.repositories
            or not all(
                len(parts) > 1 or (parts and parts[0].lower().endswith(('.zip', *ARCHIVES)))
                for parts in below
            )
        ):
            return depth
        depth += 1
