"""The command `record`: plays sessions, and writes the program's output into the session files."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..assignments.configuration import CONFIGURATION
from ..assignments.folder import SOLUTION, assignment_of, settings_and_data_in
from ..games.consoles import console_for, record
from ..installation import all_transcripts, command_name
from ..limits import Limits
from ..printable import printable
from ..results import RIGHT, WRONG_USAGE
from ..sandbox.choose import as_in_terminal, confine
from ..sandbox.program import HAS_SANDBOX, Program, SandboxError, words_in
from ..sandbox.untrusted_files import SubmissionError
from ..sessions.record import record_by
from ..sessions.transcript import TranscriptError
from ..settings import Assignment, Language
from ..submissions.building import build, put_files
from ..submissions.copying import open_submission
from ..submissions.which_program import copy_of_own, language_of, own_files, program_of_module
from .mistakes import check_record, refuse

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox


def run(arguments: argparse.Namespace) -> int:
    """Record a program's output in session files; return the exit status."""
    check_record(arguments)
    assignments = {
        folder: assignment_of(folder, settings_and_data_in(folder))
        for folder in dict.fromkeys(path.parent for path in arguments.files)
    }
    with_solution = {
        folder: assignment
        for folder, assignment in assignments.items()
        if arguments.command or assignment.files
    }
    for path in arguments.files:
        refuse(
            path.parent not in with_solution and not console_for(path),
            f'{path}: not a session of a built-in game; to record your own program, use '
            f'--command "CMD", or set a command in {CONFIGURATION}',
        )
    with ExitStack() as stack:
        try:
            solutions = {
                folder: stack.enter_context(open_solution(assignment, arguments.command))
                for folder, assignment in with_solution.items()
            }
        except TranscriptError as error:  # the message may quote several lines from a compiler
            print('grading:', printable(str(error), keep='\n'), file=sys.stderr)
            return WRONG_USAGE
        return record_all(arguments.files, solutions)


def solution_folder(assignment: Assignment, command: str | None) -> Path:
    """Return the folder of the teacher's solution.

    A command runs in the current folder. Otherwise, this is `solution/` in the assignment's folder
    or in the current folder, or else the current folder itself.
    """
    here, path = Path.cwd(), assignment.path
    folders = [path / SOLUTION, here / SOLUTION] if path and HAS_SANDBOX and not command else []
    return next((folder.resolve() for folder in folders if folder.is_dir()), here)


def solution_files(folder: Path, copy: Path, assignment: Assignment) -> list[Path]:
    """Return the files among which to look for a solution, in the `copy` of its folder.

    If the assignment is in this folder, the other subfolders may be submissions.
    """
    files, path = own_files(copy, with_tests=True), assignment.path
    if path and folder in (path.resolve(), *path.resolve().parents):
        return [file for file in files if file.parent == copy]
    return files


@contextmanager
def open_solution(assignment: Assignment, command: str | None) -> Iterator[Callable[[Path], str]]:
    """Provide a function that records a session of an assignment with a teacher's solution.

    For the folder of the solution, see `solution_folder`. It is started with `command` or, if it is
    None, with the command in assignment.ini. Without either, it must be the folder's only
    executable Python module.

    If there is no `command`, or if the assignment has files/, the solution is treated like a
    submission: it is built if necessary, and it runs in a copy of the folder, with the assignment's
    files. Otherwise, and always on Windows, it runs in the current folder. Raises
    `TranscriptError`.
    """
    is_copied = HAS_SANDBOX and bool(assignment.data or not command)
    source = solution_folder(assignment, command)
    with open_submission(source if is_copied else None) as submission:
        sandbox = confine('none', submission.scratch)
        try:
            program = solution_program(assignment, command, source, submission.folder, sandbox)
        except SubmissionError as error:
            raise TranscriptError(
                f'{source}: {error}\n"record" looks for the program in {SOLUTION}/, or else in the '
                'current folder'
            ) from None
        if not assignment.requires_flush:
            program = replace(program, env={**program.env, **as_in_terminal('none')})
        yield partial(
            record_by,
            program,
            sandbox,
            assignment.directives,
            [file.name for file in assignment.data],
            cache(partial(confined, program, submission.scratch)),
        )


def confined(program: Program, scratch: Path) -> tuple[Program, Sandbox] | None:
    """Return a copy of the solution, and the sandbox in which it would run as a submission.

    Return None if there is no sandbox here, or if the solution cannot be copied.
    """
    if not HAS_SANDBOX:
        return None
    try:
        sandbox = confine('auto', scratch)
        if not program.folder:
            program = copy_of_own(program, scratch / 'confined')
    except (SandboxError, SubmissionError, OSError):
        return None
    return program, sandbox


def solution_program(
    assignment: Assignment,
    command: str | None,
    folder: Path,
    copy: Path | None,
    sandbox: Sandbox,
) -> Program:
    """Return the teacher's solution as a program, after building it if necessary.

    The program runs in `copy`, a copy of its `folder`, or in the folder made from it by the build.
    If `copy` is None, it runs in the current folder itself. Raises `SubmissionError`.
    """
    source, data = copy or folder, assignment.data if copy else ()
    language = Language('', command or '', '')
    if not command:
        language = language_of(solution_files(folder, source, assignment), assignment.languages)
    if language.build and not copy:
        raise SubmissionError('programs cannot be built on this system; add --command "CMD"')
    if language.build:
        put_files(data, source)
        source, _ = build(Program(['sh', '-c', language.build], source), sandbox, Limits.build)
    module = None
    if not language.command:
        module, choice = program_of_module(
            source, sandbox.python, solution_files(folder, source, assignment)
        )
        print(*(f'grading: {note}\n' for note in choice), sep='', end='', file=sys.stderr)
    put_files(data, source)
    if module:
        return module
    # The program runs in a copy of this folder, so paths that lead out of it must be absolute.
    words = [
        f'{folder}/{word}' if word.startswith(('../', '..\\')) else word
        for word in words_in(language.command)
    ]
    return Program(words, source if copy else None)


def record_all(paths: Sequence[Path], solutions: Mapping[Path, Callable[[Path], str]]) -> int:
    """Record sessions; for each, print what was recorded, or why nothing was.

    `solutions` maps folders to functions that record a session in the folder. Sessions in other
    folders are recorded with the built-in consoles. Return the exit status.
    """
    status = RIGHT
    for path in paths:
        try:
            report = (
                solutions[path.parent](path) if path.parent in solutions else record_built_in(path)
            )
            print(printable(f'{path}: {report}'), flush=True)
        except TranscriptError as error:
            status = WRONG_USAGE
            print(f'grading: {printable(str(error))}', file=sys.stderr)
    return status


def record_built_in(path: Path) -> str:
    """Record a session with the built-in console; return a summary of what was recorded.

    If the session is not built in, the summary ends with the command that grades a program with
    this session. Raises `TranscriptError`.
    """
    report = record(path)
    if path.resolve() in all_transcripts():
        return report
    return (
        f'{report}; to grade a program with this session, run: {command_name()} grade '
        f'{shlex.quote(str(path))} --command "CMD"'
    )
