"""The recording of a session: a program plays it, and the grader writes down what it prints."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Callable, Collection, ContextManager, Sequence

from ..printable import decoded, printable
from ..sandbox.confine import confine
from ..sandbox.program import Program
from ..sandbox.untrusted_files import reason_of
from .difference import LeftFiles
from .recorded_text import Recording, recorded_with
from .run import PIPES, Looks, Run
from .running import running
from .steps import Step
from .transcript import Transcript, TranscriptError

WAITING_SILENCE = 1.0                   # seconds after which a silent program counts as waiting
LINE_SECONDS = 30.0                     # for one line
SESSION_SECONDS = 30.0
MOST_PRINTED = 1 << 20                  # bytes before one line, or in a file


def record_by(words: Sequence[str], path: Path, directives: Sequence[str] = ()) -> str:
    """Record a session in a file with the user's own program, and the arguments of its `$` line.

    `directives` are those of the assignment. Return a note for the author, '' for none. Raises
    `TranscriptError`, and then leaves the file as it is.
    """
    transcript = Transcript.read(path, directives)
    program = Program([*words, *transcript.arguments])
    sandbox = confine('none', Path())
    brought = path.parent / 'files'
    recorded, errors = recorded_by(
        transcript, lambda: running(program, sandbox, PIPES, SESSION_SECONDS),
        [file.path for file in transcript.files if (brought / file.path).exists()])
    path.write_bytes(recorded_with(transcript, recorded).encode())
    if recorded.status and not transcript.accepts_status(recorded.status):
        return (f'{transcript.name}: recorded with exit status {recorded.status}'
                + (errors and f': {errors}'))
    if may_miss_flush(transcript, recorded):
        return (f'{transcript.name}: the program printed nothing before it had read the last line: '
                'if it answers line by line, it has to flush')
    return ''


def may_miss_flush(transcript: Transcript, recorded: Recording) -> bool:
    """Return whether a program prints only after several inputs, but before their end."""
    *before, last = recorded.outputs
    return (len(transcript.inputs) > 1 and bool(last) and not any(before)
            and not recorded.needs_end and not any(step.ends_input for step in transcript.steps))


def recorded_by(transcript: Transcript,
                start: Callable[[], ContextManager[Run]],
                brought: Collection[str]) -> tuple[Recording, str]:
    """Return what a program does in a session, and the last line of its standard error.

    It need not write the files that are `brought` into its folder. It runs twice, and must do the
    same. Raises `TranscriptError` if it does not, or if it fails, does not end, or leaves input
    unread.
    """
    runs: list[Recording] = []
    for _ in range(2):
        left = LeftFiles(transcript, brought=brought)
        with start() as run:
            runs.append(Recorder(transcript, run).recorded())
            errors = decoded(run.errors).rstrip().rpartition('\n')[2]
        runs[-1] = runs[-1]._replace(files=files_of(transcript, left))
    first, second = runs
    if first != second:
        different = next((step for step, one, other in zip(
            transcript.steps, first.outputs, second.outputs) if one != other),
            transcript.steps[-1])
        raise error(transcript, different, 'the program answers differently the second time, as '
                                           'programs do that use random numbers')
    return first, printable(errors)


def files_of(transcript: Transcript, left: LeftFiles) -> dict[str, str]:
    """Return the texts of the files that a program has left. Raises `TranscriptError`."""
    contents = {}
    for file in transcript.files:
        try:
            content = left.content_of(file, -1, MOST_PRINTED)
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
        self._looks = Looks(run.group, WAITING_SILENCE)

    def recorded(self) -> Recording:
        """Return what the program does in the session, without its files."""
        outputs: list[str] = []
        needs_end = False
        *steps, last = self._transcript.steps
        for step in steps:
            printed, has_ended = self._printed(step)
            outputs.append(printed)
            if has_ended and step.input is not None:
                raise error(self._transcript, step,
                            f'the program does not read this line: {step.input!r}')
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
            outputs.append(self._after_the_end(any(outputs)))
        return Recording(outputs, self._status(last), needs_end)

    def _type(self, step: Step) -> None:
        self._run.send(step.typed, LINE_SECONDS)
        if step.ends_input:
            self._run.end_input()

    def _after_the_end(self, has_printed: bool) -> str:
        """End the input of a program that waits for more; return what it prints then.

        Refuse a program that misses a line, and does not just read to the end.
        """
        *steps, last = self._transcript.steps
        self._run.end_input()
        printed, has_ended = self._printed(last)
        if not has_ended or (has_printed and not printed) or self._status(last):
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
        self._looks.begin()
        while len(printed) < MOST_PRINTED:
            piece = self._run.read(self._looks.pause)
            if piece is None and self._looks.waits():
                piece = self._run.read(0)
                if piece is None:
                    return self._text(step, printed), False
            if piece == b'':
                return self._text(step, printed), True
            if piece:
                printed += piece
                self._looks.begin()
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
