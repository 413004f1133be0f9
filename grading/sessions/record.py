"""The recording of a session: a program plays it, and the grader writes down what it prints."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Sequence

from ..printable import decoded, printable
from ..sandbox.program import HAS_SANDBOX, Program, StartError, status_in_words
from ..sandbox.untrusted_files import reason_of
from .difference import LeftFiles
from .expected_output import FIRST, alignment_of
from .recorded_text import END, Recording, recorded_with
from .run import Looks, Run
from .running import running
from .steps import Step
from .transcript import Transcript, TranscriptError

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox

ERROR = re.compile(r'\S.*(Error|Exception|error:)')      # in most languages
WAITING_SILENCE = 1.0                   # seconds after which a silent program counts as waiting
LINE_SECONDS = 30.0                     # for one line
SESSION_SECONDS = 30.0
MOST_PRINTED = 1 << 20                  # bytes before one line, or in a file


class Solution(NamedTuple):
    """A program that records sessions, and what holds for all of them."""

    program: Program
    sandbox: Sandbox
    directives: Sequence[str] = ()      # of the assignment
    brought: Sequence[str] = ()         # files that it finds where it runs, and may leave as is


def record_by(solution: Solution, path: Path) -> str:
    """Record a session in a file by a solution that gets the arguments of its `$` line.

    Return a note for the author, '' for none. Raises `TranscriptError`, and then leaves the file as
    it is.
    """
    transcript = Transcript.read(path, solution.directives)
    recorded, errors = recorded_by(transcript, solution)
    path.write_bytes(recorded_with(transcript, recorded).encode())
    if recorded.status and not transcript.accepts_status(recorded.status):
        return (f'{transcript.name}: recorded with {status_in_words(recorded.status)}'
                + (errors and f': {errors}'))
    if recorded.needs_end and any(recorded.outputs) and not recorded.outputs[-1]:
        return (f'{transcript.name}: the program waits for more input after the last line: "{END}" '
                'was written, in case no line is missing')
    if may_miss_flush(transcript, recorded):
        return (f'{transcript.name}: the program printed nothing before it had read the last line: '
                'if it answers line by line, it has to flush')
    return ''


def may_miss_flush(transcript: Transcript, recorded: Recording) -> bool:
    """Return whether a program prints only after several inputs, but before their end."""
    *before, last = recorded.outputs
    return (len(transcript.inputs) > 1 and bool(last) and not any(before)
            and not recorded.needs_end and not any(step.ends_input for step in transcript.steps))


def recorded_by(transcript: Transcript, solution: Solution) -> tuple[Recording, str]:
    """Return what a solution does in a session, and the last error on its standard error.

    It runs twice. Raises `TranscriptError` if the session that the first run makes does not accept
    the second one, or if the solution fails, does not end, or leaves input unread.
    """
    program = solution.program
    program = replace(program, words=[*program.words, *transcript.arguments])
    runs: list[Recording] = []
    for _ in range(2):
        left = LeftFiles(transcript, program.below, solution.brought)
        files: dict[str, str] = {}

        def keep(folder: int, left: LeftFiles = left, files: dict[str, str] = files) -> None:
            files.update(files_of(transcript, left, folder))

        try:
            with running(program, solution.sandbox, SESSION_SECONDS, keep, left.look) as run:
                recording = Recorder(transcript, run).recorded()
                errors = error_in(run.errors)
        except StartError as failure:
            raise TranscriptError(f'{transcript.name}: {failure}') from None
        if not HAS_SANDBOX:             # there nobody keeps a folder
            keep(-1)
        runs.append(recording._replace(files=files))
    first, second = runs
    if first != second:
        check_same(transcript, first, second)
    return first, errors


def check_same(transcript: Transcript, first: Recording, second: Recording) -> None:
    """Raise `TranscriptError` if the session that one run makes does not accept another run."""
    session = Transcript(transcript.name, recorded_with(transcript, first), transcript.directives)
    before, wrong = FIRST, session.steps[-1]
    for step, output in zip(session.steps, second.outputs):
        alignment = alignment_of(session, step, before=before)
        alignment.take(output.encode())
        if step is session.steps[-1]:
            alignment.end()
        if not alignment.is_whole:
            wrong = step
            break
        before = alignment.after()
    else:
        contents = [alignment_of(session, file.content) for file in session.files]
        for alignment, file in zip(contents, session.files):
            alignment.take(second.files[file.path].encode())
            alignment.end()
        if (len(second.outputs) == len(session.steps) and session.accepts_status(second.status)
                and all(alignment.is_whole for alignment in contents)):
            return
    place = transcript.steps[min(session.steps.index(wrong), len(transcript.steps) - 1)]
    raise error(transcript, place, 'the program answers differently the second time, as programs '
                                   'do that use random numbers')


def error_in(errors: bytes) -> str:
    """Return the line of standard error that names an error, or else the last one.

    >>> error_in(b'Exception in thread "main" java.lang.Error: no\\n\\tat Main.main(Main.java)\\n')
    'Exception in thread "main" java.lang.Error: no'
    """
    lines = [line for line in decoded(errors).split('\n') if line.strip()]
    named = [line for line in lines if ERROR.match(line)]
    return printable((named or lines or [''])[-1].strip())


def files_of(transcript: Transcript, left: LeftFiles, folder: int) -> dict[str, str]:
    """Return the texts of the files that a program has left below an open folder.

    Raises `TranscriptError`.
    """
    contents = {}
    for file in transcript.files:
        try:
            content = left.content_of(file, folder, MOST_PRINTED)
            contents[file.path] = content.decode()
        except (OSError, UnicodeDecodeError) as failure:
            reason = reason_of(failure) if isinstance(failure, OSError) else 'not UTF-8'
            raise TranscriptError(f'{transcript.name}:{file.number}: {file.path}: '
                                  f'{reason}') from None
        if len(content) > MOST_PRINTED:
            raise TranscriptError(f'{transcript.name}:{file.number}: {file.path}: more than '
                                  f'{MOST_PRINTED >> 20} MB')
    return contents


class Recorder:
    """Gives a program its next line whenever it waits for one."""

    def __init__(self, transcript: Transcript, run: Run) -> None:
        self._transcript = transcript
        self._run = run
        self._looks = Looks(run, WAITING_SILENCE)

    def recorded(self) -> Recording:
        """Return what the program does in the session, without its files."""
        outputs: list[str] = []
        needs_end = False
        *steps, last = self._transcript.steps
        for step in steps:
            printed, has_ended = self._printed(step)
            outputs.append(printed)
            if has_ended and step.input is not None:
                raise error(self._transcript, step, self._why_unread(step))
            self._type(step)
        printed, has_ended = self._printed(last)
        outputs.append(printed)
        if self._transcript.still_asks:
            if has_ended:
                raise error(self._transcript, last,
                            'the program ends instead of asking for more input')
            return Recording(outputs)
        if not has_ended:
            needs_end = True
            outputs.append(self._after_the_end())
        return Recording(outputs, self._status(last), needs_end)

    def _why_unread(self, step: Step) -> str:
        """Return what happened to a program that ended before it read a line."""
        status, reason = self._run.status(LINE_SECONDS), error_in(self._run.errors)
        if not status and not reason:
            return f'the program does not read this line: {step.input!r}'
        return (f'the program ended with {status_in_words(status or 0)} before it read line '
                f'{step.number}' + (reason and f': {reason}'))

    def _type(self, step: Step) -> None:
        self._run.send(step.typed, LINE_SECONDS)
        if step.ends_input:
            self._run.end_input()

    def _after_the_end(self) -> str:
        """End the input of a program that waits for more; return what it prints then.

        Refuse a program that fails without more input.
        """
        *steps, last = self._transcript.steps
        self._run.end_input()
        printed, has_ended = self._printed(last)
        if not has_ended or self._status(last):
            message = ('an input line is missing after this one: the program waits for more'
                       if steps else 'an input line is missing: the program waits for one')
            raise error(self._transcript, steps[-1] if steps else last, message)
        return printed

    def _status(self, last: Step) -> int:
        status = self._run.status(LINE_SECONDS)
        if status is None:
            raise error(self._transcript, last, f'the program does not end within '
                                                f'{LINE_SECONDS:g} s')
        return status

    def _printed(self, step: Step) -> tuple[str, bool]:
        """Return what is printed until the program waits for input or ends, and whether it ends."""
        printed = b''
        begin = time.monotonic()
        while len(printed) < MOST_PRINTED:
            piece, waits = self._looks.read(LINE_SECONDS)
            if waits or piece == b'':
                return self._text(step, printed), not waits
            printed += piece or b''
            if self._run.is_overdue:
                raise error(self._transcript, step, 'the session is not over after '
                                                    f'{SESSION_SECONDS:g} s')
            if time.monotonic() > begin + LINE_SECONDS:
                raise error(self._transcript, step, f'the program neither waits for input nor ends '
                                                    f'within {LINE_SECONDS:g} s')
        raise error(self._transcript, step, 'the program prints without end')

    def _text(self, step: Step, printed: bytes) -> str:
        try:
            return printed.decode()
        except UnicodeDecodeError:
            raise error(self._transcript, step,
                        'the program prints bytes that are not UTF-8') from None


def error(transcript: Transcript, step: Step, message: str) -> TranscriptError:
    """Return an error that names the input line at the end of a step."""
    number = step.number or len(transcript.lines)
    place = f'{transcript.name}:{number}' if number else transcript.name
    return TranscriptError(f'{place}: {printable(message)}')
