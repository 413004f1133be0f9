"""Opens tar files that may be hostile, with limits on their headers, their length and their time.

`tarfile` unpacks nothing here: it only lists the files, and opens them one by one.
"""

from __future__ import annotations

import gzip
import os
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from ..limits import MAX_IN_TAR, TAR_SECONDS

LARGEST_HEADER = 1 << 14  # bytes; `tarfile` takes quadratic time for some headers
STEP = 1 << 22  # bytes to skip at once


@contextmanager
def open_tar(path: Path) -> Iterator[tuple[tarfile.TarFile, list[tarfile.TarInfo]]]:
    """Open a tar, perhaps compressed with gzip; yield it, and a list of what it contains.

    The errors are those of `tarfile` and `gzip`.
    """
    with open(path, 'rb') as packed:
        is_compressed = packed.read(2) == b'\x1f\x8b'
        packed.seek(0)
        with gzip.GzipFile(fileobj=packed) if is_compressed else packed as unpacked:
            stream = TarStream(unpacked)
            listed = list[tarfile.TarInfo]()
            with tarfile.TarFile(fileobj=cast(IO[bytes], stream)) as archive:
                for found in archive:
                    if len(listed) == MAX_IN_TAR:
                        raise tarfile.ReadError('it lists too many files')
                    if found.size < 0:  # Python accepted this until 2025
                        raise tarfile.ReadError('it lists a negative size')
                    listed.append(found)
                stream.largest_piece = STEP
                yield archive, listed


class TarStream:
    """A stream that refuses to read a large piece at once, and ends after `TAR_SECONDS`."""

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
        if time.process_time() - self._start > TAR_SECONDS:
            raise tarfile.ReadError('it takes too long to unpack')
