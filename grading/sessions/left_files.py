"""The files that a session names, as a program leaves them; no program can make the grader wait."""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager, suppress
from itertools import islice
from posixpath import join, normpath
from typing import Collection, Iterator

from ..printable import printable
from ..sandbox.untrusted_files import FILE, ONLY_FOLDERS, open_below, reason_of
from .dialogue import MOST_UNEXPECTED, LeftFile
from .steps import File
from .transcript import Transcript

MOST_NAMES, MOST_NAMED = 1000, 3       # of a folder: that are read, that are told
STATE = ('st_dev', 'st_ino', 'st_size', 'st_mtime_ns', 'st_ctime_ns')   # changes with a file


class LeftFiles:
    """The files that a session names, as a program has left them in its folder.

    A file that was there before, and has not changed, is not the program's; but it may leave one of
    those that are `brought` into every run as it is. `look` sees what is there before the program
    runs; `read` reads the files when it has ended and its folder is still there.
    """

    def __init__(self, transcript: Transcript, below: str = '.', brought: Collection[str] = (),
                 most: int = MOST_UNEXPECTED) -> None:
        self._files = transcript.files
        self._below = below             # where in its folder the program runs
        self._brought = brought
        self._most = most               # bytes of a file that are read beyond what is due
        self._found: dict[str, LeftFile] = {}
        self.look(-1)                   # where the user's own program runs

    def look(self, folder: int) -> None:
        """Note which files are there already, below an open folder (-1: the current one)."""
        self._names = self._names_in(folder)
        self._before: dict[str, os.stat_result] = {}
        for file in self._files:
            with suppress(OSError), self._opened(file, folder) as descriptor:
                if file.path not in self._brought:
                    self._before[file.path] = os.fstat(descriptor)
        # A change must show in the time of a file, which some systems tell in steps of 2 s.
        for state in self._before.values():
            step = 0.02 if state.st_mtime_ns % 10**9 else 2
            time.sleep(max(0, min(step, state.st_mtime + step - time.time())))

    def read(self, folder: int) -> None:
        """Read the files below an open folder; each may be missing, or not be a plain file."""
        for file in self._files:
            left = self._found[file.path] = LeftFile()
            try:
                left.content = self._content_of(file, folder)
            except OSError as error:
                left.complaint = reason_of(error)
                new = sorted(self._names_in(folder) - self._names)
                if isinstance(error, FileNotFoundError) and new:
                    listed = ', '.join(map(printable, new[:MOST_NAMED]))
                    left.complaint += f'; the program left {listed}'

    def files(self) -> dict[str, LeftFile]:
        """Return the files by their paths; the user's own program leaves them in this folder."""
        if not self._found:
            self.read(-1)
        return self._found

    def _content_of(self, file: File, folder: int) -> bytes:
        """Return the beginning of a file that the program has written. Raises `OSError`."""
        with self._opened(file, folder) as descriptor:
            state = os.fstat(descriptor)
            if not stat.S_ISREG(state.st_mode):
                raise OSError('not a plain file')
            before = self._before.get(file.path)
            if before and all(getattr(before, name) == getattr(state, name) for name in STATE):
                raise OSError('the program did not write it; it was there before')
            with open(descriptor, 'rb', closefd=False) as content:
                return content.read(self._most + file.content.size + 1)

    def _names_in(self, folder: int) -> set[str]:
        """Return the names of files where the program runs, below an open folder (-1: here)."""
        if not self._files:
            return set()
        with suppress(OSError):
            runs_in = (os.open(self._below, ONLY_FOLDERS) if folder < 0
                       else open_below(folder, normpath(self._below)))
            try:
                with os.scandir(runs_in) as entries:
                    return {entry.name for entry in islice(entries, MOST_NAMES)
                            if entry.is_file(follow_symlinks=False)}
            finally:
                os.close(runs_in)
        return set()

    @contextmanager
    def _opened(self, file: File, folder: int) -> Iterator[int]:
        """Open a file below an open folder (-1: the current one), no FIFO. Raises `OSError`."""
        path = normpath(join(self._below, file.path))
        descriptor = os.open(path, FILE) if folder < 0 else open_below(folder, path, FILE)
        try:
            yield descriptor
        finally:
            os.close(descriptor)
