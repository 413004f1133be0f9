"""What was handed in: copied, built where it has to be, and made a program."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Iterator

from ..class_lock import ClassLock
from ..sandbox.kinds import scratch_folder
from ..sandbox.program import Program, words_in
from ..settings import Settings
from .build import build
from .find import SubmissionError, copy_submission, find_program, program_of_command

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox


@dataclass
class HandedIn:
    """What was handed in: a copy in `folder`, or a command as it stands, without one."""

    scratch: Path                       # a folder of the grader's, which the copy is in
    opened: float                       # when that began, by the monotonic clock
    folder: Path | None = None
    notes: list[str] = field(default_factory=list)      # on what the copy lacks
    complaint: str = ''                 # why it cannot be graded


@contextmanager
def opened(source: Path | None) -> Iterator[HandedIn]:
    """Copy a submission, if there is one, to a folder that is removed at the end."""
    begin = time.monotonic()
    with scratch_folder() as scratch:
        handed_in = HandedIn(scratch, begin)
        if source:
            handed_in.folder = scratch / 'submission'
            try:
                handed_in.notes = copy_submission(source, handed_in.folder)
            except SubmissionError as error:
                handed_in.complaint = str(error)
        yield handed_in


def program_of(folder: Path | None, settings: Settings, sandbox: Sandbox,
               lock: ClassLock) -> Program:
    """Return the program of a submission, built. Raises `SubmissionError`."""
    command = words_in(settings.command or '')
    if folder is None:
        return Program(command)
    if settings.build:
        folder = built(program_of_command(['sh', '-c', settings.build], folder), sandbox, lock)
    if command:
        return program_of_command(command, folder)
    return find_program(folder, sandbox.python)


def built(program: Program, sandbox: Sandbox, lock: ClassLock) -> Path:
    """Return the folder that a build makes; one that fails is tried once more, alone.

    Raises `SubmissionError`.
    """
    try:
        with lock.shared():
            return build(program, sandbox)
    except (SubmissionError, OSError):
        with lock.alone():
            return build(program, sandbox)
