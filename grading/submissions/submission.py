"""One submission: copied, built if a command says how, and made a program."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Iterable, Iterator

from ..printable import decoded, printable
from ..sandbox.confine import scratch_folder
from ..sandbox.program import Program, search_path, words_in
from ..sandbox.untrusted_files import CopyError, remove
from ..sessions.running import ClassLock, running
from ..settings import DataFile, Settings
from .copy import BUILT, HANDED_IN, Bounds, Copy
from .executable import (
    SubmissionError,
    language_of,
    program_of_command,
    program_of_module,
)

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox

LONGEST_COMPLAINT = 4000                # bytes of a compiler's messages that are shown


@dataclass
class Submission:
    """A copy of what was handed in; the user's own command has none."""

    scratch: Path                       # the grader's folder that has the copy
    opened: float                       # when copying began, by the monotonic clock
    folder: Path | None = None          # the copy
    notes: list[str] = field(default_factory=list)      # on files that the copy lacks
    complaint: str = ''                 # why it cannot be graded, '' if it can


@contextmanager
def open_submission(source: Path | None) -> Iterator[Submission]:
    """Provide a copy of a submission, if there is one; remove the copy at the end."""
    begin = time.monotonic()
    with scratch_folder() as scratch:
        submission = Submission(scratch, begin)
        if source:
            submission.folder = scratch / 'submission'
            try:
                submission.notes = copy_submission(source, submission.folder)
            except SubmissionError as error:
                submission.complaint = str(error)
        yield submission


def copy_submission(source: Path, target: Path, bounds: Bounds = HANDED_IN) -> list[str]:
    """Copy a folder, the contents of a zip, or a file into a new folder; return notes on it.

    Raises `SubmissionError`.
    """
    target.mkdir(0o755)
    copy = Copy(target, bounds)
    try:
        if source.is_dir():
            copy.add_folder(source)
        elif source.suffix.lower() == '.zip':
            copy.add_zip(source)
        else:
            copy.add_file(source, source.name)
    except CopyError as error:
        raise SubmissionError(str(error)) from None
    return copy.notes


def make_program(folder: Path | None, settings: Settings, sandbox: Sandbox,
                 lock: ClassLock) -> tuple[Program, list[str]]:
    """Return the built program of a copied submission, and notes on files that the build lost.

    The assignment's own files replace files that were handed in or built under their names. Raises
    `SubmissionError`.
    """
    notes: list[str] = []
    if folder is None:
        return Program(words_in(settings.languages[0].command)), notes
    language = language_of(folder, settings.languages)
    if language.build:
        program = program_of_command(['sh', '-c', language.build], folder)
        put(settings.assignment.data, folder / program.below)
        folder, notes = build_twice(program, sandbox, lock, settings.limits.build)
    program = (program_of_command(words_in(language.command), folder) if language.command
               else program_of_module(folder, sandbox.python))
    put(settings.assignment.data, folder / program.below)
    return program, notes


def build_twice(program: Program, sandbox: Sandbox, lock: ClassLock,
                seconds: float) -> tuple[Path, list[str]]:
    """Build while other programs run; if that fails, once more alone; see `build`."""
    try:
        with lock.shared():
            return build(program, sandbox, seconds)
    except (SubmissionError, OSError) as error:
        first = error
    try:
        with lock.alone():
            return build(program, sandbox, min(seconds, lock.seconds_left))
    except SubmissionError as error:    # perhaps only because its time alone is over
        raise (error if lock.seconds_left else first) from None


def build(program: Program, sandbox: Sandbox, seconds: float) -> tuple[Path, list[str]]:
    """Run a build command in the sandbox; return a copy of its folder, and notes.

    Raises `SubmissionError` with the messages of the compiler.
    """
    folder = Path(tempfile.mkdtemp(prefix='built-', dir=sandbox.scratch))
    folder.chmod(0o755)
    copy = Copy(folder, BUILT, tools=search_path(sandbox.python).split(os.pathsep))
    until = time.monotonic() + seconds
    with running(program, sandbox, seconds, copy.add_folder) as run:
        run.end_input()
        printed, piece = b'', run.read(seconds)
        while piece and time.monotonic() < until:
            printed = (printed + piece)[-LONGEST_COMPLAINT:]
            piece = run.read(seconds)
        status = run.status(max(0, until - time.monotonic()))
        printed += run.errors[-LONGEST_COMPLAINT:]
        if run.excess:
            printed += f'\nkilled: the build used {run.excess}'.encode()
    if status != 0:
        # With this mark nobody takes a compiler's line for one of the report.
        lines = printable(decoded(printed), keep='\n').strip().split('\n')
        messages = '\n'.join(f'  build    |{line}' for line in lines)
        ending = (f'still running after {seconds:g} s' if status is None
                  else f'exit status {status}')
        raise SubmissionError(f'the build failed, {ending}:\n{messages}')
    return folder, [f'after the build, {note}' for note in copy.notes]


def put(files: Iterable[DataFile], folder: Path) -> None:
    """Write files into one of the grader's folders; replace what has their names, links too."""
    for file in files:
        *parents, _ = PurePosixPath(file.name).parts
        place = folder
        for parent in parents:
            place /= parent
            if place.is_symlink() or not place.is_dir():
                remove(place)
                place.mkdir(0o755)
        path = folder / file.name
        remove(path)
        path.write_bytes(file.content)
        path.chmod(0o755 if file.is_executable else 0o644)
