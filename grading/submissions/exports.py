"""Exports of learning platforms: which files belong to which student, and a copy for each student.

`platforms` says how each platform names files. Where it leaves a folder or a zip to each student,
`gradescope_metadata` may say whose it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from operator import attrgetter
from pathlib import Path

from ..printable import printable
from ..sandbox.untrusted_files import Entry, SubmissionError, entries_of, raise_if_ours
from .copying import Copy
from .file_types import ARCHIVES, DOCUMENTS, ONE_FILE, SOURCES
from .gradescope_metadata import owners
from .names import folder_name
from .platforms import PLATFORMS, NameReading, Parts, Platform, original_names

LONGEST_METADATA = 1 << 24  # bytes of the export's metadata
LONGEST_LIST = 32 << 20  # bytes of the list in a zip of many submissions


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
    folder or a zip, `kind` the name of a platform. Raises `SubmissionError`.
    """
    platform = PLATFORMS[kind]
    try:
        with entries_of(path, longest_list=LONGEST_LIST) as entries:
            files = Files(entries)
            shares = sorted(shares_in(files, platform), key=attrgetter('who'))
            taken: set[str] = set()
            for share in shares:
                copy_share(share, files, target / folder_name(share.who, taken))
            ignored = sorted(
                '/'.join(parts)
                for parts in {*files.paths}.difference(*(share.files for share in shares))
                if parts[-1] not in ('', platform.metadata) and not parts[-1].startswith('.')
            )
    except SubmissionError as error:
        raise SubmissionError(f'{printable(str(path))}: {error}') from None
    if not shares:
        raise SubmissionError(
            f'{printable(str(path))}: nothing in it is named as in an export of {platform.title}'
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
            for kind, platform in PLATFORMS.items():
                if place_of_metadata(files, platform):
                    return kind
            for kind, platform in PLATFORMS.items():
                if len(students_in(files, platform)) > 1:
                    return kind
    except (SubmissionError, OSError):  # Whoever copies it says what is wrong.
        pass
    return ''


def students_in(files: Files, platform: Platform) -> set[str]:
    """Return the students whom the names of files name, if a platform names files after them."""
    read = platform.readings
    return {one.who for parts in files.paths for one in islice(read(parts), 1)} if read else set()


def holds_one(path: Path, kind: str, is_alone: bool) -> bool:
    """Return whether a folder is one student's, where an export has a folder for each student.

    It is a repository, or one of several folders with programs at their top.
    """
    return (
        not PLATFORMS[kind].readings
        and path.is_dir()
        and (
            (path / '.git').exists()
            or (not is_alone and any(one.suffix in ('.py', *SOURCES) for one in path.iterdir()))
        )
    )


def shares_in(files: Files, platform: Platform) -> list[Share]:
    """Return the files of each student in an export, with the students' names for them.

    In Canvas students may be called `ann_1_2`, and files `1_2_x.py`: notes say which names can be
    read in two ways. A reading with a file number that is far too short does not count.
    """
    place = place_of_metadata(files, platform)
    known = owners(text_of(files.entries[place])) if place else {}
    depth = len(place) - 1 if place else depth_of_students(files)
    read = platform.readings or partial(readings_in_folders, depth=depth)
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
        if platform.renames_resubmissions:
            originals = original_names(list(share.files.values()))
            share.files = {parts: originals[name] for parts, name in share.files.items()}
    return list(shares.values())


def readings_in_folders(parts: Parts, depth: int) -> Iterator[NameReading]:
    """Yield the way to read a path where each student has a folder or a file at this depth."""
    *folders, name = parts[depth:] or ['']
    if folders:
        yield NameReading(folders[0], '', '/'.join([*folders[1:], name]))
    elif name.lower().endswith(ONE_FILE):
        yield NameReading(name.rpartition('.')[0], '', name)


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


def place_of_metadata(files: Files, platform: Platform) -> Parts:
    """Return the path of the export's own metadata, `()` if it has none."""
    if not platform.metadata:
        return ()
    paths = [parts for parts in files.paths if not parts[-1].startswith('.')]
    place = min((parts for parts in paths if parts[-1] == platform.metadata), key=len, default=())
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
