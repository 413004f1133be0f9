"""A dialogue: all that a program did in a session, as plain data that can be pickled.

A wrong line does not end a dialogue: the grader types on while the program waits for input. The
files that a session names are read so that no program can make the grader wait.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from posixpath import join, normpath
from typing import Collection, Iterable, Iterator, Literal

from ..printable import printable
from ..sandbox.untrusted_files import FILE, ONLY_FOLDERS, open_below, reason_of
from .transcript import File, Transcript

MOST_UNEXPECTED = 1 << 16               # bytes that are heard beyond what is due
MOST_NAMES, MOST_NAMED = 1000, 3       # of a folder: that are read, that are told
STATE = ('st_dev', 'st_ino', 'st_size', 'st_mtime_ns', 'st_ctime_ns')   # changes with a file

End = Literal[
    'exit',                             # the program ended, with a status or by a signal
    'asks',                             # it still asked for input where that is due
    # The grader ended it, because
    'silence',                          # nothing came for the time that a silence may last,
    'time',                             # the time of the run was over,
    'excess',                           # the run used too much of something,
    'output',                           # the program printed without end, or
    'cut',                              # enough had been heard behind the first wrong byte.
]


@dataclass
class Turn:
    """What a program printed before it read, and the line that it then got."""

    printed: bytes = b''
    typed: bytes = b''                  # with its newline; b'' at the end, or where input ends
    ends_input: bool = False            # whether the input ended after what was typed
    was_waiting: bool = False           # whether a look saw that the program waited for input


@dataclass
class LeftFile:
    """A file that a session names, as the program left it."""

    content: bytes = b''
    complaint: str = ''                 # why it cannot be read: 'no such file'


@dataclass
class Dialogue:
    """All that a program did in a session, turn by turn, and how it ended."""

    turns: list[Turn] = field(default_factory=list)
    end: End = 'exit'
    status: int | None = None           # the exit status, negative for a signal; None: ended by us
    errors_begin: bytes = b''           # the first 16 KB of standard error
    errors: bytes = b''                 # the last 16 KB
    excess: str = ''                    # what the run used too much of
    files: dict[str, LeftFile] = field(default_factory=dict)    # by their paths
    folder: str = ''                    # where the program ran, as it sees it

    @classmethod
    def printing(cls, texts: Iterable[str]) -> Dialogue:
        """Return the dialogue of a program that prints these texts in its turns, and ends well."""
        return cls([Turn(text.encode()) for text in texts], status=0)

    @property
    def output(self) -> bytes:
        """All that the program printed."""
        return b''.join(turn.printed for turn in self.turns)

    @property
    def is_cut(self) -> bool:
        """Whether it was ended behind its first wrong byte, before the session was over."""
        return self.end in ('cut', 'output')

    def cut(self, most: int) -> None:
        """Keep only so many bytes of what was printed, from the beginning."""
        for turn in self.turns:
            turn.printed = turn.printed[:most]
            most -= len(turn.printed)


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
                return content.read(self._most + len(file.content.output.encode()) + 1)

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
