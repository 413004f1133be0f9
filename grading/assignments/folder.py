"""An assignment in a folder, or in the file of one session: how it is read, checked and written.

In the folder, and below it, each `NAME.txt` is a session. `NAME.in` with `NAME.ans` or `NAME.out`
is a session that types all its input at once. `assignment.ini` at the top says more about the
assignment; `files/` is copied into every run.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath
from typing import Iterable, Iterator, NamedTuple, Sequence

from ..installation import command_name
from ..printable import printable
from ..sandbox.untrusted_files import is_ignored
from ..sessions.steps import decode
from ..sessions.transcript import Transcript, TranscriptError
from ..settings import DataFile
from .configuration import CONFIGURATION, configuration_in

LARGEST_ASSIGNMENT = 64 << 20           # bytes of all its files
MOST_LINES_OF_ALL = 1_000_000           # of all its files: in memory they take 400 MB
MOST_SESSIONS = 1000                    # which take even a fast program a minute
LARGEST_DATA = 16 << 20                 # bytes of all files that every run copies
FILES = 'files'                         # the folder of these files
INPUT, ANSWERS = '.in', ('.ans', '.out')


class Contents(NamedTuple):
    """The files of an assignment: texts by their names, and files for every run."""

    texts: tuple[tuple[str, str], ...]
    data: tuple[DataFile, ...]


def read_assignment(path: Path) -> Contents:
    """Return the files in an assignment's folder, or of one session, given its file.

    Names are relative to the folder. Raises `TranscriptError` if a file cannot be read or is not a
    session, or if there is no session.
    """
    folder = path if path.is_dir() else path.parent
    files = sorted(files_in(path)) if path.is_dir() else files_of_one(path)
    contents = contents_of(folder, files, path)
    check_sessions(folder, dict(contents.texts))
    return contents


def contents_of(folder: Path, files: Iterable[Path], given: Path | None = None) -> Contents:
    """Return the contents of some files in an assignment's folder; only `given` may be a link.

    Raises `TranscriptError`.
    """
    texts: dict[str, str] = {}
    data: list[DataFile] = []
    names: dict[str, str] = {}
    size = lines = 0
    for file in files:
        name = file.relative_to(folder).as_posix()
        check_name(file, name, names)
        status = plain_status(file, follows=file == given)
        size += status.st_size
        if size > LARGEST_ASSIGNMENT:
            raise TranscriptError(f'{file}: the assignment holds more than '
                                  f'{LARGEST_ASSIGNMENT >> 20} MB')
        try:
            content = file.read_bytes()
        except OSError as error:
            raise TranscriptError(f'{file}: {error.strerror}') from None
        if is_data(name):
            data.append(DataFile(name[len(FILES) + 1:], content, bool(status.st_mode & 0o100)))
        else:
            texts[name] = decode(str(file), content)
            lines += texts[name].count('\n')
            if lines > MOST_LINES_OF_ALL:
                raise TranscriptError(f'{file}: the assignment holds more than '
                                      f'{MOST_LINES_OF_ALL:,} lines')
    if sum(len(file.content) for file in data) > LARGEST_DATA:
        raise TranscriptError(f'{folder / FILES}: more than {LARGEST_DATA >> 20} MB, which every '
                              'run would have to copy')
    return Contents(tuple(texts.items()), tuple(data))


def files_of_one(session: Path) -> Iterator[Path]:
    """Yield the files of an assignment without its other sessions.

    Without an assignment.ini beside the session, only the session itself belongs to the assignment.
    """
    yield session
    if session.suffix == INPUT:
        yield from filter(Path.exists, map(session.with_suffix, ANSWERS))
    if (session.parent / CONFIGURATION).exists():
        yield from beside(session.parent)


def beside(folder: Path) -> Iterator[Path]:
    """Yield the files that an assignment's folder has beside its sessions."""
    if (folder / CONFIGURATION).exists():
        yield folder / CONFIGURATION
    if (folder / FILES).is_dir():
        yield from sorted(files_in(folder, FILES))


def files_in(folder: Path, below: str = '') -> Iterator[Path]:
    """Yield the files of an assignment in its folder, or in a folder below it."""
    def complain(error: OSError) -> None:
        raise TranscriptError(f'{error.filename}: {error.strerror}')

    for place, folders, names in os.walk(folder / below, onerror=complain):
        folders[:] = [name for name in folders if not is_left_out(name)]
        for name in folders:
            if os.path.islink(os.path.join(place, name)):
                raise TranscriptError(f'{os.path.join(place, name)}: a link')
        for name in names:
            file = Path(place, name)
            inside = file.relative_to(folder).as_posix()
            is_text = name.endswith(('.txt', INPUT, '.ans')) or (
                file.suffix in ANSWERS and file.with_suffix(INPUT).name in names)   # not a program
            if not is_left_out(name) and (is_data(inside) or inside == CONFIGURATION or is_text):
                yield file


def is_data(name: str) -> bool:
    """Return whether a file of an assignment is copied into every run."""
    return name.startswith(f'{FILES}/')


def is_left_out(name: str) -> bool:
    """Return whether a file or folder is hidden, or made by a tool."""
    return name.startswith('.') or is_ignored(name)


def check_name(file: Path, name: str, others: dict[str, str]) -> None:
    """Raise `TranscriptError` if a name is like another one, or cannot be shown.

    `others` has the names that were checked before, by their small letters; the name is added.
    """
    if printable(name) != name:
        raise TranscriptError(f'{file}: its name has characters that cannot be shown: '
                              'rename the file')
    other = others.setdefault(name.lower(), name)
    if other != name:
        raise TranscriptError(f'{file}: its name differs from {other} in capital letters only')


def plain_status(file: Path, follows: bool) -> os.stat_result:
    """Return the status of a plain file. Raises `TranscriptError` if it is something else."""
    try:
        status = file.stat() if follows else file.lstat()
    except OSError as error:
        raise TranscriptError(f'{file}: {error.strerror}') from None
    if stat.S_ISLNK(status.st_mode):
        raise TranscriptError(f'{file}: a link')
    if not stat.S_ISREG(status.st_mode):
        raise TranscriptError(f'{file}: not a plain file')
    return status


def check_sessions(folder: Path, texts: dict[str, str]) -> None:
    """Raise `TranscriptError` if an assignment has no session, or one that is not recorded."""
    transcripts = transcripts_in(texts, configuration_in(texts).directives)
    if not transcripts:
        raise TranscriptError(f'{folder}: the folder has no session, neither *.txt nor *.in with '
                              '*.ans')
    if len(transcripts) > MOST_SESSIONS:
        raise TranscriptError(f'{folder}: more than {MOST_SESSIONS:,} sessions')
    for transcript in transcripts:
        check_recorded(transcript, folder / transcript.name, 'record --command "CMD"')


def check_recorded(transcript: Transcript, path: str | Path, record: str) -> None:
    """Raise `TranscriptError` if a session has no recorded output."""
    if not transcript.is_recorded:
        raise TranscriptError(f'{path}: no output is recorded yet: '
                              f'{command_name()} {record} {path}')


def transcripts_in(texts: dict[str, str], directives: Sequence[str]) -> list[Transcript]:
    """Return the sessions of an assignment; `directives` are about all of them.

    Raises `TranscriptError`.
    """
    transcripts = [Transcript(name, text, directives) for name, text in texts.items()
                   if name.endswith('.txt')]
    for name, text in texts.items():
        stem, suffix = os.path.splitext(name)
        if suffix == INPUT:
            answers = answers_to(stem, texts)
            transcripts.append(Transcript.of_pair(name, text, answers, texts[answers], directives))
        elif suffix == ANSWERS[0] and stem + INPUT not in texts:
            raise TranscriptError(f'{name}: the file {PurePosixPath(stem).name}{INPUT} is missing')
    return transcripts


def answers_to(stem: str, texts: dict[str, str]) -> str:
    """Return the file with the output for an input file. Raises `TranscriptError`."""
    answers = [stem + suffix for suffix in ANSWERS if stem + suffix in texts]
    if len(answers) != 1:
        names = [PurePosixPath(stem + suffix).name for suffix in ANSWERS]
        raise TranscriptError(f'{stem}{INPUT}: there is {"both" if answers else "neither"} '
                              f'{names[0]} {"and" if answers else "nor"} {names[1]}')
    return answers[0]


def write_assignment(folder: Path, contents: Contents) -> None:
    """Write the files that `read_assignment` returned into a new folder."""
    for file in all_files(contents):
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content)
        path.chmod(0o755 if file.is_executable else 0o644)


def all_files(contents: Contents) -> list[DataFile]:
    """Return all files of an assignment, as in its folder."""
    return [*(DataFile(name, text.encode(), False) for name, text in contents.texts),
            *(file._replace(name=f'{FILES}/{file.name}') for file in contents.data)]
