"""The reading of an export: a folder for each submission, with notes on what is not in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ...printable import printable
from ...sandbox.untrusted import CopyError
from ..copy import Copy
from ..executable import DOCUMENTS
from ..names import folder_name
from .canvas_moodle import shares_of_canvas, shares_of_moodle
from .files import Files, Share, files_of
from .gradescope_github import METADATA, shares_of_github, shares_of_gradescope

SHARES = {'canvas': shares_of_canvas, 'moodle': shares_of_moodle,
          'gradescope': shares_of_gradescope, 'github': shares_of_github}
KINDS = tuple(SHARES)


class ExportError(Exception):
    """Why an export cannot be read; for the teacher."""


@dataclass(frozen=True)
class Exported:
    """A submission of an export, in a folder; `notes` name the files that were not copied."""

    name: str
    folder: Path
    id: str                             # '' where the export does not tell, as for the address
    email: str
    late: bool | None
    notes: list[str]


class Export(NamedTuple):
    """The submissions in an export, in order of name, and the files that are nobody's."""

    submissions: list[Exported]
    ignored: list[str]


def read_export(path: Path, kind: str, target: Path) -> Export:
    """Copy the submissions in an export to folders in `target`.

    `path` is a folder or a zip, `kind` is one of `KINDS`. Raises `ExportError`.
    """
    try:
        with files_of(path) as files:
            shares = sorted(SHARES[kind](files), key=lambda share: share.who)
            taken: set[str] = set()
            submissions = [copy_share(share, files, target / folder_name(share.who, taken))
                           for share in shares]
            known = {parts for share in shares for parts in share.files}
            ignored = sorted('/'.join(parts) for parts in {*files.paths} - known
                             if parts[-1] not in ('', METADATA)
                             and not parts[-1].startswith('.'))
    except CopyError as error:
        raise ExportError(f'{printable(str(path))}: {error}') from None
    if not submissions:
        raise ExportError(f'{printable(str(path))}: nothing in it is named as in an export '
                          f'of {kind.capitalize()}')
    return Export(submissions, ignored)


def copy_share(share: Share, files: Files, folder: Path) -> Exported:
    """Copy one student's files into a new folder; unpack zips, where there is nothing else."""
    folder.mkdir(0o755, parents=True)
    copy = Copy(folder)
    for parts, name in sorted(share.files.items()):
        if not copy.is_full:
            files.copy(parts, name, copy)
    top = sorted(folder.iterdir())
    zips = [path for path in top if path.suffix.lower() == '.zip']
    is_unpacked = all(path.suffix.lower() in ('.zip', *DOCUMENTS) for path in top)
    for archive in zips:
        try:
            if not is_unpacked:
                raise CopyError('not unpacked, since there is more beside it')
            copy.add_zip(archive)
        except CopyError as error:
            copy.note(f'{archive.name}: {error}')
        else:
            archive.unlink()
    return Exported(folder.name, folder, printable(share.id), printable(share.email), share.late,
                    [*share.notes, *copy.notes])
