"""A teacher's own solution: the program that records the sessions of an assignment's folder.

If assignment.ini names its command, or there are files/ for it, each run gets a copy of the current
folder, with these files, and built as assignment.ini says: so do submissions. Otherwise, and on
Windows, the command runs in the current folder itself.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Sequence

from .assignments.folder import CONFIGURATION, assignment_of, beside
from .limits import Limits
from .sandbox.confine import confine
from .sandbox.program import HAS_SANDBOX, Program, words_in
from .sandbox.untrusted_files import SubmissionError
from .sessions.class_lock import ClassLock
from .sessions.record import Solution
from .sessions.transcript import TranscriptError
from .settings import Language
from .submissions.submission import build_twice, language_of, open_submission, put


def has_command(folder: Path) -> bool:
    """Return whether an assignment.ini in a folder names a command. Raises `TranscriptError`."""
    path = folder / CONFIGURATION
    assignment = assignment_of(folder, [path] if path.exists() else [])
    return any(language.command for language in assignment.languages)


def language_here(source: Path, languages: Sequence[Language], is_copied: bool) -> Language:
    """Return how to build and run the solution in a folder. Raises `SubmissionError`."""
    language = language_of(source, languages)
    if not language.command:
        raise SubmissionError('no command fits the files here')
    if language.build and not is_copied:
        raise SubmissionError('nothing is built on this system; add --command "CMD"')
    return language


@contextmanager
def open_solution(folder: Path, command: str | None) -> Iterator[Solution]:
    """Provide the solution for the sessions in a folder: a command, or that of assignment.ini.

    Raises `TranscriptError`.
    """
    assignment = assignment_of(folder, beside(folder))
    languages = [Language('', command, '')] if command else assignment.languages
    is_copied = HAS_SANDBOX and bool(assignment.data or not command)
    with open_submission(Path.cwd() if is_copied else None) as submission:
        source = submission.folder or Path.cwd()
        put(assignment.data if is_copied else (), source)
        try:
            language = language_here(source, languages, is_copied)
            sandbox = confine('none', submission.scratch)
            if language.build:
                program = Program(['sh', '-c', language.build], source)
                source, _ = build_twice(program, sandbox, ClassLock(), Limits().build)
                put(assignment.data, source)
        except SubmissionError as error:
            raise TranscriptError(f'{Path.cwd()}: {error}\nrecord makes the program from the files '
                                  'in this folder, where you started it') from None
        # A copy has no neighbours.
        words = [os.path.abspath(word) if is_copied and word.startswith('../') else word
                 for word in words_in(language.command)]
        yield Solution(Program(words, source if is_copied else None), sandbox,
                       assignment.directives, [file.name for file in assignment.data])
