"""An assignment of one's own: a folder of sessions, or one session, in text files."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Iterator, Sequence

from ..project import command_name
from ..sessions.transcript import Transcript, TranscriptError, decode
from ..submissions.copy import is_ignored

LARGEST_ASSIGNMENT = 64 << 20          # bytes of all its sessions


def read_sessions(path: Path) -> tuple[tuple[str, str], ...]:
    """Return the name and the text of each session in a folder and below, or of the one in a file.

    Names are relative to the folder. Raises `TranscriptError` where a file cannot be read, or is
    none, or there is no session: then nobody is graded.
    """
    sessions: dict[str, tuple[str, str]] = {}
    size = 0
    for file in [path] if path.is_file() else sorted(files_in(path)):
        name = file.name if file == path else file.relative_to(path).as_posix()
        size += size_of(file, follows=file == path)
        if size > LARGEST_ASSIGNMENT:
            raise TranscriptError(f'{file}: the sessions hold more than '
                                  f'{LARGEST_ASSIGNMENT >> 20} MB')
        try:
            content = file.read_bytes()
        except OSError as error:
            raise TranscriptError(f'{file}: {error.strerror}') from None
        other, _ = sessions.setdefault(name.lower(), (name, decode(str(file), content)))
        if other != name:
            raise TranscriptError(f'{file}: its name differs from {other} in capital letters only')
    if not sessions:
        raise TranscriptError(f'{path}: no session is in it, that is no *.txt')
    for name, text in sessions.values():
        file = path if path.is_file() else path / name
        check_recorded(Transcript(name, text), file, 'record --command "CMD"')
    return tuple(sessions.values())


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the sessions in a folder and below."""
    def complain(error: OSError) -> None:
        raise TranscriptError(f'{error.filename}: {error.strerror}')

    for place, folders, files in os.walk(folder, onerror=complain):
        folders[:] = [name for name in folders if not is_left_out(name)]
        for name in folders:
            if os.path.islink(os.path.join(place, name)):
                raise TranscriptError(f'{os.path.join(place, name)}: a link')
        yield from (Path(place, name) for name in files
                    if name.endswith('.txt') and not is_left_out(name))


def is_left_out(name: str) -> bool:
    """Return whether a file or folder is hidden, or of no interest to anybody."""
    return name.startswith('.') or is_ignored(name)


def size_of(file: Path, follows: bool) -> int:
    """Return the size of a plain file. Raises `TranscriptError` if it is something else."""
    try:
        status = file.stat() if follows else file.lstat()
    except OSError as error:
        raise TranscriptError(f'{file}: {error.strerror}') from None
    if stat.S_ISLNK(status.st_mode):
        raise TranscriptError(f'{file}: a link')
    if not stat.S_ISREG(status.st_mode):
        raise TranscriptError(f'{file}: not a plain file')
    return status.st_size


def check_recorded(transcript: Transcript, path: str | Path, record: str) -> None:
    """Raise `TranscriptError` if no outputs are in a transcript yet: nobody is graded by it."""
    if not transcript.output:
        raise TranscriptError(f'{path}: no output is recorded yet: '
                              f'{command_name()} {record} {path}')


def write_sessions(folder: Path, sessions: Sequence[tuple[str, str]]) -> None:
    """Write what `read_sessions` has returned into a new folder."""
    for name, text in sessions:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
