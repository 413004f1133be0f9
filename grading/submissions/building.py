"""Returns a submission's program, and builds it first if its language needs a build."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..in_words import status_in_words
from ..limits import BUILD_BOUNDS
from ..printable import decoded, printable
from ..sandbox.program import Program, search_path, without_java_notice, words_in
from ..sandbox.untrusted_files import SubmissionError
from ..sessions.start import running
from ..settings import Assignment, Options
from .assignment_files import put_files
from .copying import Copy
from .programs import check_packed, language_of, own_files, program_of_command, program_of_module

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox

COLORS = re.compile(rb'\x1b\[[0-9;]*[mK]')  # what some compilers print even into a file
LONGEST_COMPLAINT = 4000  # maximum bytes to quote of a build's output, and of its errors
# Runs a build; returns a folder with the result, and notes on the files left out of the folder.
Build = Callable[[Program], tuple[Path, list[str]]]


def make_program(
    folder: Path | None,
    assignment: Assignment,
    options: Options,
    sandbox: Sandbox,
    run_build: Build,
) -> tuple[Program, list[str]]:
    """Return a copied submission's program, built if necessary, and notes on the files left out.

    If `folder` is None, the program is the user's own command, run in the current folder.
    The assignment's own files replace submitted or built files with the same name. Raises
    `SubmissionError`.
    """
    notes: list[str] = []
    data, languages = assignment.data, options.languages_of(assignment)
    if folder is None:
        return Program(
            words_in(languages[0].command), given=frozenset(file.name for file in data)
        ), notes
    language = language_of(own_files(folder), languages)
    commands = f'{language.build} {language.command}'
    if commands.strip() and not any(file.name in commands for file in data):
        check_packed(folder, commands)
    if language.build:
        program = program_of_command(['sh', '-c', language.build], folder, commands)
        notes += put_files(data, folder / program.below)
        folder, lost = run_build(program)
        notes += lost
    if language.command:
        program = program_of_command(words_in(language.command), folder, commands)
    else:
        program, choice = program_of_module(folder, sandbox.python)
        notes += choice
    when = 'after the build: ' if language.build else ''
    notes += [f'{when}{note}' for note in put_files(data, folder / program.below)]
    return replace(
        program,
        given=frozenset(os.path.normpath(os.path.join(program.below, file.name)) for file in data),
    ), notes


def build(program: Program, sandbox: Sandbox, seconds: float) -> tuple[Path, list[str]]:
    """Run a build command in the sandbox; return a copy of the resulting folder, and notes on it.

    Raises `SubmissionError` with the compiler's messages if the build fails, or if it takes longer
    than `seconds`.
    """
    folder = Path(tempfile.mkdtemp(prefix='built-', dir=sandbox.scratch))
    folder.chmod(0o755)
    copy = Copy(folder, BUILD_BOUNDS, tools=search_path(sandbox.python).split(os.pathsep))
    until = time.monotonic() + seconds

    @contextmanager
    def copy_built(built: int) -> Iterator[None]:
        yield
        copy.add_all(built)

    with running(program, sandbox, seconds, copy_built) as run:
        run.end_input()
        printed = b''
        while time.monotonic() < until and (piece := run.read(seconds)):
            printed = (printed + piece)[-LONGEST_COMPLAINT:]
        status = run.status(max(0, until - time.monotonic()))
        printed += run.read_errors()[-LONGEST_COMPLAINT:]
        if run.excess:
            printed += f'\nkilled: the build used {run.excess}'.encode()
    if status != 0:
        printed = COLORS.sub(b'', without_java_notice(printed))
        # The prefix distinguishes the compiler's lines from the report's.
        lines = printable(decoded(printed), keep='\n').strip().split('\n')
        messages = '\n'.join(f'  build    |{line}' for line in lines)
        failure = (
            f'was still running after {seconds:g} s'
            if status is None
            else f'failed with {status_in_words(status)}'
        )
        raise SubmissionError(f'the build {failure}:\n{messages}')
    return folder, [f'after the build: {note}' for note in copy.notes]
