"""Reads an assignment from a folder, or from the file of one session.

Each `NAME.txt` in the folder or its subfolders is a session. `NAME.in`, together with `NAME.ans` or
`NAME.out`, is a session with all input typed at once. The files in `files/` are not sessions: they
are copied into every run. `assignment.ini` is at the top of the folder.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..games import game_of
from ..installation import command_name
from ..limits import LARGEST_ASSIGNMENT, LARGEST_DATA, MAX_LINES_OF_ALL, MAX_SESSIONS
from ..printable import printable
from ..sandbox.untrusted_files import is_ignored
from ..sessions.session import Session
from ..sessions.transcript import TranscriptError, decode, parse, parse_pair
from ..settings import Assignment, DataFile
from .configuration import CONFIGURATION, configure

FILES = 'files'  # the folder of the files copied into every run
SOLUTION = 'solution'  # the folder of the teacher's own program, which has no sessions
NO_LINKS = 'symbolic links are not allowed'
INPUT, ANSWERS = '.in', ('.ans', '.out')  # the suffixes of a session made of a pair of files


def read_assignment(path: Path) -> Assignment:
    """Return the assignment in a folder, or in a single session's file, with all its sessions.

    Raises `TranscriptError` if there are no sessions or too many, if a session lacks its recorded
    output, or if a file is unreadable or not valid.
    """
    assignment = assignment_of(
        path, sorted(files_in(path)) if path.is_dir() else files_of_single_session(path)
    )
    folder = path if path.is_dir() else path.parent
    check_name(path, assignment.name, {})
    if not assignment.sessions:
        raise TranscriptError(
            f'{folder}: this folder has no sessions; it needs *.txt files, or *.in files with '
            '*.ans files'
        )
    if len(assignment.sessions) > MAX_SESSIONS:
        raise TranscriptError(f'{folder}: more than {MAX_SESSIONS:,} sessions')
    for session in assignment.sessions:
        check_recorded(session, folder / session.name)
    return assignment


def assignment_of(path: Path, paths: Iterable[Path]) -> Assignment:
    """Return the assignment made of the files in `paths`.

    `path` is the assignment's folder, or the file of its only session. It may be a link; the other
    files must not be links. Raises `TranscriptError`.
    """
    folder = path if path.is_dir() else path.parent
    names: dict[str, str] = {}
    files: list[DataFile] = []
    size = lines = 0
    for file in paths:
        check_name(file, file.relative_to(folder).as_posix(), names)
        files.append(file_of(file, folder, file == path, LARGEST_ASSIGNMENT - size))
        size += len(files[-1].content)
        if not is_data(files[-1].name):
            lines += files[-1].content.count(b'\n')
        if lines > MAX_LINES_OF_ALL:
            raise TranscriptError(
                f'{file}: the assignment has more than {MAX_LINES_OF_ALL:,} lines'
            )
    return assignment_from(path, files)


def assignment_from(path: Path, files: Sequence[DataFile]) -> Assignment:
    """Return the assignment made of `files`. Raises `TranscriptError`.

    `path` is the assignment's folder, or the file of its only session.
    """
    if path.is_dir():
        name, folder = path.resolve().name, path
    else:
        name, folder = path.resolve().stem, path.parent
    texts = {
        file.name: decode(str(folder / file.name), file.content)
        for file in files
        if not is_data(file.name)
    }
    data = [file._replace(name=file.name[len(FILES) + 1 :]) for file in files if is_data(file.name)]
    if sum(len(file.content) for file in data) > LARGEST_DATA:
        raise TranscriptError(
            f'{folder / FILES}: more than {LARGEST_DATA >> 20} MB: every run has to copy these '
            'files'
        )
    assignment = configure(
        Assignment(name, title=name, path=path, files=files, data=data),
        texts.get(CONFIGURATION, ''),
    )
    sessions = [*sessions_in(texts, assignment.directives)]
    has_game = any(map(game_of, sessions))  # the sessions of built-in games require it
    return replace(
        assignment,
        sessions=sessions,
        requires_flush=assignment.requires_flush or has_game,
    )


def files_of_single_session(session: Path) -> Iterator[Path]:
    """Yield the files of an assignment with a single session.

    The session's file comes first, then any separate file with the expected output. If the folder
    has an assignment.ini, the assignment.ini and the data files follow.
    """
    yield session
    if session.suffix == INPUT:
        yield from filter(Path.exists, map(session.with_suffix, ANSWERS))
    if (session.parent / CONFIGURATION).exists():
        yield from settings_and_data_in(session.parent)


def settings_and_data_in(folder: Path) -> Iterator[Path]:
    """Yield the assignment.ini and the data files in an assignment's folder."""
    if (folder / CONFIGURATION).exists():
        yield folder / CONFIGURATION
    if (folder / FILES).is_dir():
        yield from sorted(files_in(folder, FILES))


def files_in(folder: Path, below: str = '') -> Iterator[Path]:
    """Yield the files of the assignment in a folder, or only those in its subfolder `below`."""

    def complain(error: OSError) -> None:
        raise TranscriptError(f'{error.filename}: {error.strerror}')

    def is_kept(name: str) -> bool:
        return not name.startswith('.') and not is_ignored(name)

    for above, folders, names in os.walk(folder / below, onerror=complain):
        # Skip hidden files, and files created by tools. `os.walk` enters the remaining folders.
        folders[:] = filter(is_kept, folders)
        if not below and Path(above) == folder and SOLUTION in folders:
            folders.remove(SOLUTION)
        names[:] = filter(is_kept, names)
        for name in folders:
            if os.path.islink(os.path.join(above, name)):
                raise TranscriptError(f'{os.path.join(above, name)}: {NO_LINKS}')
        for name in names:
            file = Path(above, name)
            inside = file.relative_to(folder).as_posix()
            is_text = name.endswith(('.txt', INPUT, '.ans')) or (
                file.suffix in ANSWERS and file.with_suffix(INPUT).name in names
            )  # an .out file without an .in file is a compiled program
            if is_data(inside) or inside == CONFIGURATION or is_text:
                yield file


def is_data(name: str) -> bool:
    """Return whether the assignment's file with this name is copied into every run."""
    return name.startswith(f'{FILES}/')


def check_name(file: Path, name: str, others: dict[str, str]) -> None:
    """Raise `TranscriptError` if a name differs from another only in case, or is not printable.

    `others` maps lowercase forms to the names checked so far; this name is added.
    """
    if printable(name) != name:
        raise TranscriptError(f'{file}: the file name has unprintable characters: rename the file')
    other = others.setdefault(name.lower(), name)
    if other != name:
        raise TranscriptError(f'{file}: the name differs from {other} only in case')


def file_of(path: Path, folder: Path, may_be_link: bool, most: int) -> DataFile:
    """Return a file in a folder; the file may be a link only if `may_be_link`.

    Raises `TranscriptError` if the file is not a regular file, or has more than `most` bytes.
    """
    try:
        status = path.stat() if may_be_link else path.lstat()
        for is_wrong, why in [
            (stat.S_ISLNK(status.st_mode), NO_LINKS),
            (not stat.S_ISREG(status.st_mode), 'not a regular file'),
            (
                status.st_size > most,
                f'the assignment has more than {LARGEST_ASSIGNMENT >> 20} MB',
            ),
        ]:
            if is_wrong:
                raise TranscriptError(f'{path}: {why}')
        return DataFile(
            path.relative_to(folder).as_posix(), path.read_bytes(), bool(status.st_mode & 0o100)
        )
    except OSError as error:
        raise TranscriptError(f'{path}: {error.strerror}') from None


def check_recorded(session: Session, path: Path) -> None:
    """Raise `TranscriptError` if the session in a file has no recorded output."""
    if not session.is_recorded:
        from ..games.consoles import console_for  # rarely needed

        command = '' if console_for(path) else '--command "CMD" '
        raise TranscriptError(
            f'{path}: no output has been recorded yet; run: {command_name()} record {command}'
            f'{shlex.quote(str(path))}'
        )


def sessions_in(texts: dict[str, str], directives: Sequence[str]) -> Iterator[Session]:
    """Yield the sessions in an assignment's files; `texts` maps file names to contents.

    `directives` apply to all sessions. Raises `TranscriptError`.
    """
    for name, text in texts.items():
        stem, suffix = os.path.splitext(name)
        answers = [stem + ending for ending in ANSWERS if stem + ending in texts]
        base = stem.rpartition('/')[2]
        if suffix == '.txt':
            yield parse(text, name, directives)
        elif suffix == INPUT and len(answers) == 1:
            yield parse_pair(text, texts[answers[0]], name, answers[0], directives)
        elif suffix == INPUT:
            first, second = (base + ending for ending in ANSWERS)
            raise TranscriptError(
                f'{name}: both {first} and {second} exist'
                if answers
                else f'{name}: neither {first} nor {second} exists'
            )
        elif suffix == ANSWERS[0] and stem + INPUT not in texts:
            raise TranscriptError(f'{name}: the file {base}{INPUT} is missing')
