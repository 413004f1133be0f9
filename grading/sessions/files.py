"""The files that a session says a program leaves, compared when it has ended."""

from __future__ import annotations

import os
import stat
from posixpath import join, normpath

from ..sandbox.untrusted import FILE, open_below, reason_of
from .alignment import alignment_of
from .difference import MOST_BYTES, Difference
from .steps import File
from .transcript import Transcript


class LeftFiles:
    """What a program has left in its folder, of what a session names.

    It is read between the end of the program and that of its folder, by whoever owns that.
    """

    def __init__(self, transcript: Transcript, below: str) -> None:
        self._transcript = transcript
        self._below = below             # where in its folder the program runs
        self._found: list[Difference] = []
        self._was_read = False

    def read(self, folder: int) -> None:
        """Read all of them below an open folder, whatever a program has put in their places."""
        self._was_read = True
        self._found = [difference for file in self._transcript.files
                       for difference in [difference_in(self._transcript, file, folder,
                                                        self._below)]
                       if difference]

    def difference(self) -> Difference | None:
        """Return what is wrong with the first that is not what is due, if there is one.

        A program that has run as it stands has left them in the current folder.
        """
        if not self._was_read:
            self.read(-1)
        return self._found[0] if self._found else None


def difference_in(transcript: Transcript, file: File, folder: int,
                  below: str) -> Difference | None:
    """Return what is wrong with a file below an open folder; -1 is the current one."""
    alignment = alignment_of(transcript, file.content)
    complaint, content = '', b''
    try:
        content = content_of(normpath(join(below, file.path)), folder,
                             MOST_BYTES + file.content.size)
    except OSError as error:
        complaint = reason_of(error)
    else:
        alignment.take(content)
        alignment.end()
        if alignment.is_whole:
            return None
    return Difference(transcript, len(transcript.steps) - 1, 'file', content, file=file,
                      complaint=complaint)


def content_of(path: str, folder: int, most: int) -> bytes:
    """Return the beginning of a plain file. Raises `OSError`."""
    descriptor = os.open(path, os.O_RDONLY) if folder < 0 else open_below(folder, path, FILE)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError('not a plain file')
        with open(descriptor, 'rb', closefd=False) as file:
            return file.read(most + 1)
    finally:
        os.close(descriptor)
