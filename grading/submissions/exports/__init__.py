"""Exports of learning platforms, as they come, made ordinary submissions: a folder for each.

- Canvas: a flat zip of `name_12345_67890_file.py`, the numbers those of the user and the file;
  `_LATE` follows the name of who was late. A file that is handed in again becomes `file-1.py`.
- Moodle: a folder `Name_123_assignsubmission_file_` for each, or flat files that begin so.
- Gradescope: a folder for each, and `submission_metadata.yml`, which says whose they are; when
  they were created, too, but not when they were due.
- GitHub Classroom, or anybody: a folder or a zip for each.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from ...printable import printable
from ..copy import Copy, CopyError
from ..names import folder_name
from .archives import Archive, Files, FolderOfFiles, Parts
from .metadata import METADATA, owners

KINDS = ('canvas', 'moodle', 'gradescope', 'github')

# The number is another word where names are hidden; texts and links are handed in without a file.
CANVAS = re.compile(r'(?P<who>.+?)_(?P<id>\d+|(?<=anon_)[a-z0-9]{5})_'
                    r'(?:\d+_(?P<file>.+)|(?P<entry>(?:text|link)\.html))',
                    re.IGNORECASE | re.DOTALL)
LATE = re.compile(r'^late_|[_-]late$', re.IGNORECASE)
MOODLE = re.compile(r'(?P<who>.+_\d+)_assignsubmission_[a-z]+_?(?P<file>.*)', re.DOTALL)
RESUBMITTED = re.compile(r'([^\W\d]\w*)(?:-\d{1,3})+(\.\w+)')
DOCUMENTS = ('.pdf', '.txt', '.md', '.rtf', '.doc', '.docx', '.odt', '.html', '.png', '.jpg')


class ExportError(Exception):
    """Why an export cannot be read; for the teacher."""


@dataclass
class Share:
    """What of an export is one person's: the paths of its files, and where they are to go."""

    who: str
    late: bool | None = None            # None where the export does not tell
    files: dict[Parts, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HandedIn:
    """A submission as a folder; `left_out` says what of it was not copied."""

    name: str
    folder: Path
    late: bool | None
    left_out: list[str]


def read_export(path: Path, kind: str, target: Path) -> list[HandedIn]:
    """Copy the submissions in an export to folders in `target`, in order of name.

    `path` is a folder or a zip, `kind` is one of `KINDS`. Raises `ExportError`.
    """
    with closing(open_export(path)) as files:
        shares = SHARES[kind](files)
        if not shares:
            raise ExportError(f'{printable(str(path))}: nothing in it is named as in an export '
                              f'of {kind.capitalize()}')
        taken: set[str] = set()
        return [hand_in(share, files, target / folder_name(share.who, taken))
                for share in sorted(shares, key=lambda share: share.who)]


def kind_of(path: Path) -> str:
    """Return which kind of export a folder or zip plainly is, `''` if it is none.

    Ask only of what a teacher names: a submission may call its files as it likes. Raises
    `ExportError` where the zip cannot be read.
    """
    if not path.is_dir() and path.suffix.lower() != '.zip':
        return ''
    with closing(open_export(path)) as files:
        paths = [parts for parts in files.paths if not parts[-1].startswith('.')]
        if any(map(is_metadata, paths)):
            return 'gradescope'
        if any(MOODLE.fullmatch(part) for parts in paths for part in parts[:2]):
            return 'moodle'
        if paths and all(CANVAS.fullmatch(parts[-1]) for parts in paths):
            return 'canvas'
        depth = depth_of_shares(files)
        heads = {parts[depth] for parts in paths}
        is_plain = heads and all(
            head.lower().endswith('.zip') or head in files.repositories for head in heads)
        return 'github' if is_plain else ''


def open_export(path: Path) -> Files:
    """Return the files of an export. Raises `ExportError`."""
    try:
        return FolderOfFiles(path) if path.is_dir() else Archive(path)
    except CopyError as error:
        raise ExportError(f'{printable(str(path))}: {error}') from None


def hand_in(share: Share, files: Files, folder: Path) -> HandedIn:
    """Copy one person's files into a new folder; unpack zips, where there is nothing else."""
    folder.mkdir(0o755, parents=True)
    copy = Copy(folder)
    for parts, name in sorted(share.files.items()):
        if not copy.is_full:
            files.copy(parts, name, copy)
    top = list(folder.iterdir())
    if all(path.suffix.lower() in ('.zip', *DOCUMENTS) for path in top):
        for archive in sorted(path for path in top if path.suffix.lower() == '.zip'):
            try:
                copy.add_zip(archive)
            except CopyError as error:
                copy.left_out.append(f'{printable(archive.name)}: {error}')
            else:
                archive.unlink()
    return HandedIn(folder.name, folder, share.late, copy.left_out)


def canvas_shares(files: Files) -> list[Share]:
    """Return what is whose in an export of Canvas; files have the names that their authors gave."""
    shares: dict[str, Share] = {}
    for parts in files.paths:
        match = CANVAS.fullmatch(parts[-1])
        if match:
            name, late = LATE.subn('', match['who'])
            who = f'{name}_{match["id"]}'
            share = shares.setdefault(who, Share(who, late=False))
            share.late = share.late or late > 0
            share.files[parts] = match['file'] or match['entry']
    for share in shares.values():
        originals = original_names(list(share.files.values()))
        share.files = {parts: originals[name] for parts, name in share.files.items()}
    return list(shares.values())


def original_names(names: list[str]) -> dict[str, str]:
    """Return for each name in a submission the one without a resubmission's `-1`.

    A name stays as it is where two would become one.

    >>> original_names(['nim_logic-1.py', 'a-1.txt', 'a-2.txt'])
    {'nim_logic-1.py': 'nim_logic.py', 'a-1.txt': 'a-1.txt', 'a-2.txt': 'a-2.txt'}
    """
    originals = {name: RESUBMITTED.sub(r'\1\2', name) if RESUBMITTED.fullmatch(name) else name
                 for name in names}
    often = Counter(originals.values())
    return {name: original if often[original] == 1 else name
            for name, original in originals.items()}


def moodle_shares(files: Files) -> list[Share]:
    """Return what is whose in an export of Moodle, be it in folders or flat."""
    shares: dict[str, Share] = {}
    for parts in files.paths:
        for place, match in enumerate(map(MOODLE.fullmatch, parts)):
            if match:
                share = shares.setdefault(match['who'], Share(match['who']))
                share.files[parts] = '/'.join(parts[place + 1:]) or match['file']
                break
    return list(shares.values())


def gradescope_shares(files: Files) -> list[Share]:
    """Return what is whose in an export of Gradescope: named by its metadata, if it has any."""
    for parts in files.paths:
        if is_metadata(parts):
            known = owners(files.text(parts))
            shares = shares_by_folder(files, len(parts) - 1)
            for share in shares:
                share.who = known.get(share.who, share.who)
            return shares
    return github_shares(files)


def is_metadata(parts: Parts) -> bool:
    """Return whether a path is that of Gradescope's metadata."""
    return parts[-1] == METADATA and len(parts) <= 2


def github_shares(files: Files) -> list[Share]:
    """Return what is whose where each has a folder or a zip, maybe with folders around all."""
    return shares_by_folder(files, depth_of_shares(files))


def shares_by_folder(files: Files, depth: int) -> list[Share]:
    """Return what is whose where each has a folder, a zip or a module, so many folders deep."""
    shares: dict[str, Share] = {}
    for parts in files.paths:
        if len(parts) == depth + 1 and parts[-1].lower().endswith(('.zip', '.py')):
            who = parts[-1].rpartition('.')[0]
            shares.setdefault(who, Share(who)).files[parts] = parts[-1]
        elif len(parts) > depth + 1:
            who = parts[depth]
            shares.setdefault(who, Share(who)).files[parts] = '/'.join(parts[depth + 1:])
    return list(shares.values())


def depth_of_shares(files: Files) -> int:
    """Return how many folders are around all submissions."""
    paths = [parts for parts in files.paths if not parts[-1].startswith('.')]
    depth = 0
    while is_around_all(paths, depth, files.repositories):
        depth += 1
    return depth


def is_around_all(paths: list[Parts], depth: int, repositories: set[str]) -> bool:
    """Return whether there is one folder at a depth, and in it nothing but folders and zips."""
    heads = {parts[depth] for parts in paths}
    below = [parts[depth + 1:] for parts in paths]
    return len(heads) == 1 and not heads & repositories and all(
        len(parts) > 1 or (parts and parts[0].lower().endswith('.zip')) for parts in below)


SHARES = {'canvas': canvas_shares, 'moodle': moodle_shares, 'gradescope': gradescope_shares,
          'github': github_shares}
