"""Splits a learning platform's export by student, and copies each student's files.

Each platform is a row of `PLATFORMS`; its key is a choice of --export. The row says how the
platform names students' files. Gradescope lists the students in `submission_metadata.yml`. The file
does not say which submissions were late. Gradescope always writes its YAML in the same form, so no
YAML library is needed:

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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from ..limits import DEEPEST, LONGEST_EXPORT_LIST, LONGEST_METADATA
from ..printable import printable
from ..sandbox.untrusted_files import SubmissionError, raise_if_shortage
from .copying import ARCHIVES, ONE_FILE, SOURCES, Copy, distinct_names
from .entries import UNPACKED, Entry, entries_of, stem_of
from .which_program import DOCUMENTS

LONGEST_FILE_NAME = 1000  # characters; no system allows longer names
# Matches what follows a student's name in Canvas: the id, the file's number and the file's name. If
# names are hidden, every student is called `anon`, and five letters or digits replace the id. Text
# or a link typed by the student has no file number. A lookahead finds overlapping matches, too.
AFTER_NAME_IN_CANVAS = re.compile(
    r'(?=_(?P<id>\d+|(?<=anon_)[a-z0-9]{5})_'
    r'(?:(?P<number>\d+)_(?P<file>.+)|(?P<entry>(?:text|link)\.html)$))',
    re.IGNORECASE | re.DOTALL,
)
LATE_MARK = re.compile(r'^late_|[_-]late$', re.IGNORECASE)
RESUBMITTED = re.compile(r'([^\W\d]\w*)(?:-\d{1,3})+(\.\w+)')  # such as `game-1.py` in Canvas
FOLDER_IN_MOODLE = re.compile(r'(.+)_(\d+)_assignsubmission_[a-z]+_?', re.DOTALL)
AFTER_NAME_IN_MOODLE = re.compile(r'(?=_(\d+)_assignsubmission_[a-z]+_(.+))', re.DOTALL)
Parts = tuple[str, ...]  # the parts of a path; the last part is '' for an empty folder
# Gradescope's list also contains the output of programs. It is always indented more than the lines
# that these patterns match.
ENTRY = re.compile(r'^(?!#|---)(\S.*):[ \t]*\n((?:(?: .*)?\n)*)', re.MULTILINE)
SUBMITTERS = re.compile(r'^ {2}:submitters:[ \t]*\n((?: {2}(?:- | {2}).*\n)*)', re.MULTILINE)
PERSON = re.compile(r'^ {2}- ', re.MULTILINE)
FACT = re.compile(r'^(?: {4})?:(name|sid|email): (.+)$', re.MULTILINE)


class NameReading(NamedTuple):
    """One way to read a file's name: the file's owner, and the name the owner gave it."""

    who: str  # the student's name, with the id because two students may have the same name
    id: str
    file: str
    late: bool | None = None
    digits: int = 0  # how many digits Canvas's file number has, or 0 if there is no number


class Platform(NamedTuple):
    """How a learning platform exports the submissions of a class."""

    title: str
    # Yields the ways to read a file's name. None if each student has one folder, zip or file.
    readings: Callable[[Parts], Iterator[NameReading]] | None = None
    metadata: str = ''  # the file that lists the students, or '' if there is none
    renames_resubmissions: bool = False  # whether a resubmitted `game.py` is called `game-1.py`


def readings_in_canvas(parts: Parts) -> Iterator[NameReading]:
    """Yield the ways to read a file's name, starting with the shortest student name."""
    name = parts[-1]
    if len(name) > LONGEST_FILE_NAME:
        return
    for match in AFTER_NAME_IN_CANVAS.finditer(name):
        if match.start():
            student, late = LATE_MARK.subn('', name[: match.start()])
            yield NameReading(
                f'{student}_{match["id"]}',
                match['id'],
                match['file'] or match['entry'],
                late > 0,
                len(match['number'] or ''),
            )


def original_names(names: list[str]) -> dict[str, str]:
    """Map a submission's file names to those names without a resubmission's number, such as `-1`.

    If several files would get the same name, all of them keep their current names.

    >>> original_names(['nim_logic-1.py', 'a-1.txt', 'a-2.txt'])
    {'nim_logic-1.py': 'nim_logic.py', 'a-1.txt': 'a-1.txt', 'a-2.txt': 'a-2.txt'}
    """
    originals = {
        name: RESUBMITTED.sub(r'\1\2', name) if RESUBMITTED.fullmatch(name) else name
        for name in names
    }
    uses = Counter(originals.values())
    return {name: original if uses[original] == 1 else name for name, original in originals.items()}


def readings_in_moodle(parts: Parts) -> Iterator[NameReading]:
    """Yield the ways to read a path, starting with the shortest student name."""
    *folders, name = parts
    for index, folder in enumerate(folders):
        match = FOLDER_IN_MOODLE.fullmatch(folder) if len(folder) <= LONGEST_FILE_NAME else None
        if match:
            yield NameReading(f'{match[1]}_{match[2]}', match[2], '/'.join(parts[index + 1 :]))
            return
    if len(name) > LONGEST_FILE_NAME:
        return
    for match in AFTER_NAME_IN_MOODLE.finditer(name):
        if match.start():
            yield NameReading(f'{name[: match.start()]}_{match[1]}', match[1], match[2])


PLATFORMS = {  # the keys are the choices of --export
    # A flat zip of files such as `name_12345_67890_file.py`: the first number is the user's, and
    # the second is the file's. `_LATE` follows the name if the submission is late.
    'canvas': Platform('Canvas', readings_in_canvas, renames_resubmissions=True),
    # A folder `Name_123_assignsubmission_file_` for each student, or files with this prefix.
    'moodle': Platform('Moodle', readings_in_moodle),
    'gradescope': Platform('Gradescope', metadata='submission_metadata.yml'),
    # Cloned repositories, as GitHub Classroom made them until August 2026.
    'github': Platform('GitHub'),
}


class Student(NamedTuple):
    """The student of a submission; if there are several, their values are joined by '+'."""

    who: str  # the name with the id, or else with the email address
    id: str  # '' if unknown
    email: str  # '' if unknown


def owners(text: str) -> dict[str, Student]:
    """Map the name of each submission's folder to the submission's student.

    >>> owners('submission_1:\\n  :submitters:\\n  - :name: Ann\\n    :sid: 100\\n')
    {'submission_1': Student(who='Ann_100', id='100', email='')}
    """
    known = {}
    # Only '\n' ends a line: programs may print other characters Python treats as line ends.
    for key, below in ENTRY.findall(text.replace('\r\n', '\n') + '\n'):
        people = []
        for person in PERSON.split(''.join(SUBMITTERS.findall(below)))[1:]:
            facts = {name: yaml_value(value) for name, value in FACT.findall(person)}
            number, address = facts.get('sid', ''), facts.get('email', '')
            who = '_'.join(filter(None, [facts.get('name'), number or address])) or 'somebody'
            people.append((who, number, address))
        if people:
            names, numbers, addresses = (
                '+'.join(filter(None, column)) for column in zip(*people, strict=True)
            )
            known[yaml_value(key)] = Student(names, numbers, addresses)
    return known


def yaml_value(value: str) -> str:
    """Return a YAML value without its quotes and escapes.

    >>> yaml_value("'O''Neil'"), yaml_value('"Zo\\\\u00eb"'), yaml_value('Ann')
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


@dataclass
class Share:
    """One student's part of an export; `files` maps paths in the export to paths in the copy."""

    who: str  # the student's name, with the id if there is one
    id: str = ''  # the student's id, or '' if unknown
    email: str = ''  # the student's email address, or '' if unknown
    late: bool | None = None  # whether anything was submitted late, or None if unknown
    files: dict[Parts, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # notes on files left out and other problems
    name: str = ''  # the name of the submission, and of its folder
    folder: Path = Path()  # the folder the files were copied to


class ExportFiles:
    """The files and empty folders in an export, and the folders of its git `repositories`.

    The last part of an empty folder's path is ''. An unreadable folder counts as a file. The export
    itself is not among the `repositories`.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries: dict[Parts, Entry] = {}
        self.repositories: set[Parts] = set()
        full: set[Parts] = set()  # nonempty folders
        for entry in entries:
            parts = tuple(part for part in entry.path.split('/') if part not in ('', '.'))
            if '.git' in parts[1:]:
                self.repositories.add(parts[: parts.index('.git')])
            if entry.kind != 'ignored' and parts:
                # A path in an archive may have thousands of parts; deeper files are not copied.
                full |= {parts[:end] for end in range(1, min(len(parts), DEEPEST + 2))}
                is_folder = entry.kind == 'folder' and not entry.problem
                self.entries[(*parts, '') if is_folder else parts] = entry
        self.paths = [parts for parts in self.entries if parts[-1] or parts[:-1] not in full]


def read_export(path: Path, kind: str, target: Path) -> tuple[list[Share], list[str]]:
    """Copy the submissions in an export, each into its own folder in `target`.

    Return the students' shares, and the paths of the files belonging to no student, except hidden
    files and the platform's metadata. The export's `path` is a folder or a zip; `kind` is a key of
    `PLATFORMS`. Raises `SubmissionError` if the export cannot be read, or does not seem to come
    from this platform.
    """
    platform = PLATFORMS[kind]
    try:
        with entries_of(path, longest_list=LONGEST_EXPORT_LIST) as entries:
            files = ExportFiles(entries)
            shares = sorted(shares_in(files, platform), key=attrgetter('who'))
            for share in shares:
                copy_share(share, files, target / share.name)
            ignored = sorted(
                '/'.join(parts)
                for parts in {*files.paths}.difference(*(share.files for share in shares))
                if parts[-1] not in ('', platform.metadata) and not parts[-1].startswith('.')
            )
    except SubmissionError as error:
        raise SubmissionError(f'{printable(str(path))}: {error}') from None
    if not shares:
        raise SubmissionError(
            f'{printable(str(path))}: does not look like an export from {platform.title}: '
            'no file name has the expected form'
        )
    return shares, ignored


def copy_share(share: Share, files: ExportFiles, folder: Path) -> None:
    """Copy one student's files into a new folder.

    Set the share's `folder`, and add notes on files left out. Unpack archives if the student
    submitted only archives and documents.
    """
    folder.mkdir(0o755, parents=True)
    copy = Copy(folder)
    in_order = sorted(
        share.files.items(), key=lambda file: (bool(files.entries[file[0]].aside), file)
    )
    for parts, name in in_order:
        entry = files.entries[parts]
        if copy.has_room(entry.aside):
            copy.add(entry, name)
    top = sorted(folder.iterdir())
    archives = [path for path in top if path.name.lower().endswith(UNPACKED) and path.is_file()]
    is_unpacked = all(path in archives or path.suffix.lower() in DOCUMENTS for path in top)
    for archive in archives:
        try:
            if not is_unpacked:
                raise SubmissionError('not unpacked, because other files were submitted with it')
            copy.add_all(archive)
        except SubmissionError as error:
            copy.note(f'{archive.name}: {error}')
        else:
            archive.unlink()
    share.folder, share.id, share.email = folder, printable(share.id), printable(share.email)
    share.notes += copy.notes


def kind_of_export(path: Path) -> str:
    """Guess the platform of an export from its file names; return a key of `PLATFORMS`, or ''."""
    try:
        with entries_of(path, longest_list=LONGEST_EXPORT_LIST) as entries:
            files = ExportFiles(entries)
            for kind, platform in PLATFORMS.items():
                if path_of_metadata(files, platform):
                    return kind
            for kind, platform in PLATFORMS.items():
                if len(students_in(files, platform)) > 1:
                    return kind
    except (SubmissionError, OSError):  # copying `path` will report the error
        pass
    return ''


def students_in(files: ExportFiles, platform: Platform) -> set[str]:
    """Return the students named in an export's file names.

    The set is empty if the platform does not put students' names into file names.
    """
    if not platform.readings:
        return set()
    first_readings = (next(platform.readings(parts), None) for parts in files.paths)
    return {reading.who for reading in first_readings if reading}


def belongs_to_one_student(path: Path, kind: str, is_alone: bool) -> bool:
    """Return whether a folder is the submission of one student, not an export of a class.

    A git repository is a submission. So is a folder with programs directly in it, unless it is the
    only folder on the command line (`is_alone`). Return False if the platform puts students' names
    into the paths of files.
    """
    if PLATFORMS[kind].readings or not path.is_dir():
        return False
    if (path / '.git').exists():
        return True
    return not is_alone and any(file.suffix in ('.py', *SOURCES) for file in path.iterdir())


def shares_in(files: ExportFiles, platform: Platform) -> list[Share]:
    """Return the students' shares of an export, with the names the students gave their files."""
    metadata = path_of_metadata(files, platform)
    known = owners(text_of(files.entries[metadata])) if metadata else {}
    depth = len(metadata) - 1 if metadata else depth_of_students(files)
    read = platform.readings or partial(readings_in_folders, depth=depth)
    shares = shares_by_owner(likely_readings({parts: list(read(parts)) for parts in files.paths}))
    single_files = {parts[-1] for parts in files.paths if len(parts) == depth + 1}
    add_students(shares, known, () if platform.readings else single_files)
    if platform.renames_resubmissions:
        for share in shares.values():
            originals = original_names(list(share.files.values()))
            share.files = {parts: originals[name] for parts, name in share.files.items()}
    name_shares(shares)
    return list(shares.values())


def likely_readings(
    possible: Mapping[Parts, Sequence[NameReading]],
) -> dict[Parts, Sequence[NameReading]]:
    """Return the possible readings of each file's name, without the unlikely ones.

    In Canvas, a student may be called `ann_1_2`, or a file `1_2_x.py`. The name of an exported file
    then has two readings. A reading is unlikely if its file number is at least two digits shorter
    than the shortest file number among the names with only one reading. If all readings of a name
    are unlikely, keep them all.
    """
    certain = [readings[0] for readings in possible.values() if len(readings) == 1]
    fewest = min((reading.digits for reading in certain if reading.digits), default=1) - 1
    likely = {}
    for parts, readings in possible.items():
        kept = [reading for reading in readings if reading.digits >= fewest or not reading.digits]
        likely[parts] = kept or readings
    return likely


def add_students(
    shares: dict[str, Share], known: Mapping[str, Student], single_files: Collection[str]
) -> None:
    """Add to the shares what the metadata says about each student.

    A student who submitted nothing gets an empty share. `single_files` are the keys of shares
    exported as single files; the metadata lists these without the suffix. But a file `ann.py` and a
    folder `ann` may belong to different students, so they remain two shares.
    """
    names = {key: stem_of(key) if key in single_files else key for key in shares}
    for name in known:
        if name not in names.values():
            shares[name], names[name] = Share(name), name
    for key, share in shares.items():
        name = names[key]
        share.who, share.id, share.email = known.get(name, Student(name, share.id, ''))


def name_shares(shares: Mapping[str, Share]) -> None:
    """Name each share after its student; add the share's key if two students have the same name."""
    named = distinct_names(
        [
            (share.who, key if key.startswith(share.who) else f'{share.who}-{key}')
            for key, share in shares.items()
        ]
    )
    for share, name in zip(shares.values(), named, strict=True):
        share.name = name.name
        if name.note:
            share.notes.append(name.note)


def readings_in_folders(parts: Parts, depth: int) -> Iterator[NameReading]:
    """Yield the only reading of a path if the path belongs to a student.

    Each student has a folder or a file in the folder `depth` levels below the export's top.
    """
    *folders, name = parts[depth:] or ['']
    if folders:
        yield NameReading(folders[0], '', '/'.join([*folders[1:], name]))
    elif name.lower().endswith(ONE_FILE):
        yield NameReading(name, '', name)


def shares_by_owner(likely: Mapping[Parts, Sequence[NameReading]]) -> dict[str, Share]:
    """Return the share of each owner (`NameReading.who`), given the likely readings of each path.

    If a file has several possible owners, the first owner gets the file, with a note. But if any of
    them is certain to own another file, leave this file out, and add a note to the share of each
    such owner.
    """
    certain = {readings[0].who for readings in likely.values() if len(readings) == 1}
    shares: dict[str, Share] = {}
    for parts, readings in likely.items():
        ids = {reading.who: reading.id for reading in readings}
        is_clear = len(ids) == 1 or not certain.intersection(ids)
        chosen = readings[0] if readings and is_clear else None
        concerned = [chosen.who] if chosen else [who for who in ids if who in certain]
        for who in concerned:
            share = shares.setdefault(who, Share(who, ids[who]))
            if len(ids) > 1:
                share.notes.append(
                    printable(
                        f'{"" if chosen else "left out: "}{parts[-1]}: '
                        f'judging by its name, it could belong to {" or ".join(ids)}'
                    )
                )
        if chosen:
            share.late = share.late or chosen.late
            if parts[-1]:  # not an empty folder
                share.files[parts] = chosen.file
    return shares


def path_of_metadata(files: ExportFiles, platform: Platform) -> Parts:
    """Return the path of the platform's metadata in an export, or `()` if there is none.

    The metadata counts only if all other files, except hidden ones, are in its folder or below it.
    """
    if not platform.metadata:
        return ()
    paths = [parts for parts in files.paths if not parts[-1].startswith('.')]
    found = min((parts for parts in paths if parts[-1] == platform.metadata), key=len, default=())
    return found if all(parts[: len(found) - 1] == found[:-1] for parts in paths) else ()


def text_of(entry: Entry) -> str:
    """Return up to `LONGEST_METADATA` bytes of a file as text, or '' if it cannot be read."""
    try:
        if not entry.problem:
            with entry.open() as content:
                return content.stream.read(LONGEST_METADATA).decode(errors='replace')
    except Exception as error:  # zipfile may raise any exception for a damaged zip
        raise_if_shortage(error)
    return ''


def depth_of_students(files: ExportFiles) -> int:
    """Return how many nested folders enclose all students' folders and zips.

    For `class/ann/a.py` and `class/bo/b.py`, return 1.
    """

    def is_of_student(parts: Parts) -> bool:
        """Return whether a path is a file in a folder, or an archive."""
        is_archive = len(parts) == 1 and parts[0].lower().endswith((*UNPACKED, *ARCHIVES))
        return len(parts) > 1 or is_archive

    around: Parts = ()  # a folder that contains all the files
    below = [parts for parts in files.paths if not parts[-1].startswith('.')]  # paths in `around`
    while True:
        heads = {parts[0] for parts in below}
        below = [parts[1:] for parts in below]
        if len(heads) != 1 or not all(map(is_of_student, below)):
            return len(around)
        around += (*heads,)
        if around in files.repositories:  # the submission of the only student
            return len(around) - 1
