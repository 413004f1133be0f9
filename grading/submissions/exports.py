"""Splits a learning platform's export by student, and copies each student's files.

`platforms` describes how each platform names files. `gradescope_metadata` works out
which student each folder in a Gradescope export belongs to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from pathlib import Path

from ..limits import LONGEST_EXPORT_LIST, LONGEST_METADATA
from ..printable import printable
from ..sandbox.untrusted_files import SubmissionError, raise_if_shortage
from .copying import Copy
from .entries import UNPACKED, Entry, entries_of, stem_of
from .gradescope_metadata import Student, owners
from .names import distinct_names
from .platforms import PLATFORMS, NameReading, Parts, Platform, original_names
from .programs import ARCHIVES, DOCUMENTS, ONE_FILE, SOURCES


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
                full |= {parts[:end] for end in range(1, len(parts))}
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
