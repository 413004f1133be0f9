"""Reads tar files that may be hostile; `untrusted_files` reads zips, by the same rules.

`tarfile` unpacks nothing here: it only lists the files, and opens them one by one.
"""

from __future__ import annotations

import gzip
import os
import stat
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, BinaryIO, cast

from .untrusted_files import NOT_REGULAR, Content, Entry, packed_entry

MAX_LISTED = 50_000  # maximum number of files in a tar; a list of this many takes 100 MB of memory
LARGEST_HEADER = 1 << 14  # bytes; `tarfile` takes quadratic time for some headers
MAX_SECONDS = 10.0  # of a processor, to list and read a tar; a small one may unpack to any size
STEP = 1 << 22  # bytes to skip at once


@contextmanager
def entries_of_tar(path: Path) -> Iterator[list[Entry]]:
    """Yield the entries of a tar, perhaps compressed with gzip.

    The errors are those of `tarfile` and `gzip`.
    """
    with open(path, 'rb') as packed:
        is_compressed = packed.read(2) == b'\x1f\x8b'
        packed.seek(0)
        with gzip.GzipFile(fileobj=packed) if is_compressed else packed as unpacked:
            stream = TarStream(unpacked)
            entries = list[Entry]()
            with tarfile.TarFile(fileobj=cast(IO[bytes], stream)) as archive:
                for found in archive:
                    if len(entries) == MAX_LISTED:
                        raise tarfile.ReadError('it lists too many files')
                    entries.append(entry_of(archive, found))
                stream.largest_piece = STEP
                yield entries


def entry_of(archive: tarfile.TarFile, found: tarfile.TarInfo) -> Entry:
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


class TarStream:
    """A stream that refuses to read a large piece at once, and ends after `MAX_SECONDS`."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile) -> None:
        self._stream = stream
        self._start = time.process_time()
        self.largest_piece = LARGEST_HEADER

    def read(self, size: int = -1) -> bytes:
        """Read `size` bytes. Raises `tarfile.ReadError` if the size is too large."""
        self._check()
        if not 0 <= size <= self.largest_piece:
            raise tarfile.ReadError('it has a header that is too long')
        return self._stream.read(size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a position, step by step: to skip bytes, they may have to be unpacked."""
        assert whence == os.SEEK_SET
        while (here := self._stream.tell()) < offset:
            self._check()
            if self._stream.seek(min(offset, here + STEP)) <= here:
                break  # this is the end
        return self._stream.seek(offset)

    def tell(self) -> int:
        return self._stream.tell()

    def _check(self) -> None:
        if time.process_time() - self._start > MAX_SECONDS:
            raise tarfile.ReadError('it takes too long to unpack')
