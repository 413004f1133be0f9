"""Lists and opens the entries of folders, zips and tars that may be hostile.

An *entry* is whatever a folder or zip contains, such as a file, a folder or a link. Links are
listed, but never followed. Only regular files can be read: no FIFOs, sockets or devices.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import tarfile  # rarely needed

from ..limits import DEEPEST, LONGEST_LIST, LONGEST_PATH
from ..sandbox.untrusted_files import (
    FILE,
    NOT_REGULAR,
    SubmissionError,
    is_ignored,
    opened,
    raise_if_shortage,
    reason_of,
)

# Folders that hold no program are copied last, and not searched for it: tests, libraries and
# compiled files. `ENVIRONMENT` is in each of Python's virtual environments.
TESTS, ENVIRONMENT = 'tests', 'pyvenv.cfg'
SET_ASIDE = (TESTS, 'node_modules', 'target')
TARS = ('.tar', '.tar.gz', '.tgz')
UNPACKED = ('.zip', *TARS)  # the suffixes of archives
# Compression methods unpacked by Python in chunks of a limited size. With other methods, a few
# kilobytes can unpack to any size in a single step, regardless of the size claimed by the zip.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1  # the bit of an encrypted file's flags in a zip
UNENCRYPTED = 'encrypted: submit it without a password'

EntryKind = Literal['file', 'folder', 'link', 'ignored']


def why_not_copied(path: str) -> str:
    """Return why a file with this path cannot be copied for a run, or '' if it can.

    The path of a folder ends with a slash.
    """
    if path.count('/') > DEEPEST:
        return f'more than {DEEPEST} folders deep'
    if len(os.fsencode(path)) > LONGEST_PATH:
        return f'its path has more than {LONGEST_PATH} bytes'
    return ''


def stem_of(name: str) -> str:
    """Return the name of a file without its suffix.

    >>> stem_of('ann.tar.gz'), stem_of('ann.smith.py')
    ('ann', 'ann.smith')
    """
    endings = [ending for ending in UNPACKED if name.lower().endswith(ending)]
    return name[: -max(map(len, endings))] if endings else os.path.splitext(name)[0]


def is_set_aside(name: str, is_environment: bool) -> bool:
    """Return whether a folder holds no program; `is_environment` says if it has `ENVIRONMENT`."""
    return is_environment or name in SET_ASIDE


class Content(NamedTuple):
    """An open regular file."""

    stream: IO[bytes]
    size: int  # in bytes; a zip may claim any size
    is_executable: bool


class Entry(NamedTuple):
    """An entry of a folder or zip.

    `open` works only for regular files; it may raise any exception.
    """

    path: str  # relative to the folder or zip; never leads out of it, unless there is a `problem`
    open: Callable[[], AbstractContextManager[Content]]
    kind: EntryKind = 'file'
    problem: str = ''  # why the entry cannot be copied, or '' if it can
    target: str = ''  # the path in a link
    aside: str = ''  # the name of the folder around it that is set aside, or ''


@contextmanager
def entries_of(
    source: Path | int,
    most: int | None = None,
    longest_list: int = LONGEST_LIST,
    with_all: bool = False,
) -> Iterator[Iterator[Entry]]:
    """Yield the entries of a folder (by path or descriptor), a zip, a tar, or a file.

    A file other than a zip or a tar is a single entry. At most `most` entries of each folder are
    read. A zip with a list of files longer than `longest_list` bytes is refused. The kind of an
    entry of a folder is 'ignored' if `is_ignored` says so, unless `with_all` is set. Raises
    `SubmissionError`, or `OSError` if the machine is short of something.
    """
    kind = ''
    if isinstance(source, Path) and not source.is_dir():
        name = source.name.lower()
        kind = 'zip' if name.endswith('.zip') else 'tar' if name.endswith(TARS) else ''
        if kind and not source.is_file():
            raise SubmissionError(NOT_REGULAR)
    with ExitStack() as stack:
        try:
            if isinstance(source, int):
                entries = entries_of_folder(source, most, with_all)
            elif kind == 'zip':
                archive = zipfile.ZipFile(stack.enter_context(ZipStream(source, longest_list)))
                packed = [found for found in archive.infolist() if not found.filename.endswith('/')]
                if packed and all(found.flag_bits & ENCRYPTED for found in packed):
                    raise SubmissionError(f'the zip is {UNENCRYPTED}')
                entries = aside_last(entries_of_zip(archive))
            elif kind == 'tar':
                from .tars import open_tar  # rarely needed

                tar, listed = stack.enter_context(open_tar(source))
                entries = aside_last(entry_in_tar(tar, found) for found in listed)
            elif source.is_dir():
                folder = stack.enter_context(opened(source))
                entries = entries_of_folder(folder, most, with_all)
            else:
                folder = stack.enter_context(opened(source.parent))
                entries = iter([Entry(source.name, partial(open_regular, folder, source.name))])
        except SubmissionError:
            raise
        except Exception as error:  # zipfile may raise any exception for a damaged zip
            raise_if_shortage(error)
            why = f'not a readable {kind} file: ' if kind else ''
            raise SubmissionError(why + reason_of(error)) from None
        yield entries


def entries_of_folder(root: int, most: int | None, with_all: bool) -> Iterator[Entry]:
    """Yield the entries of an open folder and its subfolders, each folder before its contents.

    Folders that are set aside come last. If the folder itself cannot be copied, yield only an entry
    for it, with the path '.'.
    """
    folders, last, aside = [''], list[str](), ''
    while folders or last:  # no recursion: a folder may be very deep
        if not folders:
            folders.append(last.pop())
            aside = os.path.basename(folders[0])
        above = folders.pop()
        found: list[Entry] = []
        problem = why_not_copied(f'{above}/')
        if not problem:
            try:
                found = entries_in(root, above, most, with_all)
            except OSError as error:
                raise_if_shortage(error)
                problem = reason_of(error)
        is_environment = any(os.path.basename(entry.path) == ENVIRONMENT for entry in found)
        if above and not aside and is_set_aside(os.path.basename(above), is_environment):
            last.append(above)
            continue
        if above or problem:
            yield Entry(
                above or '.', partial(open_regular, root, above), 'folder', problem, aside=aside
            )
        folders += [entry.path for entry in found if entry.kind == 'folder']
        yield from (entry._replace(aside=aside) for entry in found if entry.kind != 'folder')


def entries_in(root: int, above: str, most: int | None, with_all: bool) -> list[Entry]:
    """Return the entries of the folder `above` in the open folder `root`, sorted by path.

    Raises `OSError`.
    """
    found = []
    with opened(above, folder=root) as folder, os.scandir(folder) as listed:
        for entry in islice(listed, most):
            path = os.path.join(above, entry.name)
            kind: EntryKind = 'file'
            if is_ignored(entry.name) and not with_all:
                kind = 'ignored'
            elif entry.is_symlink():
                kind = 'link'
            elif entry.is_dir(follow_symlinks=False):
                kind = 'folder'
            text = os.readlink(entry.name, dir_fd=folder) if kind == 'link' else ''
            found.append(Entry(path, partial(open_regular, root, path), kind, target=text))
    return sorted(found)


@contextmanager
def open_regular(root: int, path: str) -> Iterator[Content]:
    """Open a file by its path in an open folder.

    Raises `OSError`, or `SubmissionError` if it is not a regular file.
    """
    with opened(path, FILE, root) as descriptor, open(descriptor, 'rb', closefd=False) as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise SubmissionError(NOT_REGULAR)
        yield Content(stream, status.st_size, bool(status.st_mode & stat.S_IXUSR))


def entries_of_zip(archive: zipfile.ZipFile) -> Iterator[Entry]:
    """Yield the entries of a zip. There need not be entries for its folders."""
    for found in archive.infolist():
        name = found.filename.replace('\\', '/')
        problem = ''
        if stat.S_ISLNK(found.external_attr >> 16):
            problem = 'a link'
        elif found.flag_bits & ENCRYPTED:
            problem = UNENCRYPTED
        elif found.compress_type not in METHODS:
            problem = 'compressed with a method that the grader does not support'
        entry = packed_entry(
            name, name.endswith('/'), problem, partial(open_packed, archive, found)
        )
        yield entry._replace(path=found.orig_filename) if entry.problem else entry


def entry_in_tar(archive: tarfile.TarFile, found: tarfile.TarInfo) -> Entry:
    """Return the entry for a file, folder or link in a tar."""
    problem = ''
    if found.issym() or found.islnk():
        problem = 'a link'
    elif not found.isdir() and (not found.isfile() or found.issparse()):
        problem = NOT_REGULAR
    return packed_entry(found.name, found.isdir(), problem, partial(open_in_tar, archive, found))


@contextmanager
def open_in_tar(archive: tarfile.TarFile, found: tarfile.TarInfo) -> Iterator[Content]:
    """Open a file in a tar. `tarfile` may raise any exception for a damaged tar."""
    stream = archive.extractfile(found)
    assert stream
    with stream:
        yield Content(stream, found.size, bool(found.mode & stat.S_IXUSR))


def packed_entry(
    name: str, is_folder: bool, problem: str, open: Callable[[], AbstractContextManager[Content]]
) -> Entry:
    """Return the entry for a file or folder in an archive; see `Entry` for the arguments."""
    path = os.path.normpath(name)
    parts = path.split('/')
    if path == '.':  # zipfile cuts off a name at a NUL, so the name may be empty
        problem = 'its name is empty'
    elif path.startswith('/') or '..' in parts or ':' in parts[0]:
        problem = 'its path leads out of the folder'
    kind: EntryKind = 'folder' if is_folder else 'file'
    if any(map(is_ignored, parts)) or (is_folder and path == '.'):
        kind = 'ignored'
    return Entry(name if problem else path, open, kind, problem)


def aside_last(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield all entries of an archive; those in folders that are set aside come last."""
    entries = [*entries]
    environments = {
        os.path.dirname(entry.path)
        for entry in entries
        if os.path.basename(entry.path) == ENVIRONMENT
    }
    first, last = list[Entry](), list[Entry]()
    for entry in entries:
        if why_not_copied(entry.path):  # it may be thousands of folders deep
            first.append(entry)
            continue
        *names, _ = entry.path.split('/')
        around = accumulate(names, os.path.join)
        aside = next(
            (
                name
                for name, path in zip(names, around, strict=True)
                if is_set_aside(name, path in environments)
            ),
            '',
        )
        (last if aside else first).append(entry._replace(aside=aside))
    yield from chain(first, last)


@contextmanager
def open_packed(archive: zipfile.ZipFile, found: zipfile.ZipInfo) -> Iterator[Content]:
    """Open a file in a zip. zipfile may raise any exception for a damaged zip."""
    with archive.open(found) as stream:
        # Unpacking takes time even if the file turns out to be damaged, so count at least its
        # packed size: the zip may claim a smaller size.
        yield Content(
            stream,
            max(found.file_size, found.compress_size),
            bool(found.external_attr >> 16 & stat.S_IXUSR),
        )


class ZipStream(io.FileIO):
    """A zip file that refuses to read a large piece at once, such as a list of a million files."""

    def __init__(self, path: Path, largest_piece: int) -> None:
        super().__init__(path)
        self._largest_piece = largest_piece

    def read(self, size: int | None = -1) -> bytes:
        """Read `size` bytes, or the rest if `size` is -1, as `zipfile` does near the end.

        Raises `zipfile.BadZipFile` if `size` is too large.
        """
        if size and size > self._largest_piece:
            raise zipfile.BadZipFile('it lists too many files')
        return super().read(size) or b''
