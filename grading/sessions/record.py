"""What a program prints before each input line of a session, found out by playing it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Callable, ContextManager, Sequence

from ..printable import decoded, printable
from ..sandbox.kinds import confine
from ..sandbox.program import Program
from .awaits_input import waits_for_input
from .recorded_text import recorded_with
from .run import PIPES, Run
from .running import running
from .transcript import Step, Transcript, TranscriptError

LOOKS = 0.02                            # seconds of silence between two looks at the program
SILENCE = 1.0                           # seconds after which it waits, where nobody can look
LINE_SECONDS = 30.0                     # that it may take for one line
SESSION_SECONDS = 600.0                 # that it may take for a session
MOST_BYTES = 1 << 20                    # that it may print before one line


def record_by(words: Sequence[str], path: Path) -> bool:
    """Record a session with a program as it stands here, given the words of its `$` line.

    Return whether anything was printed before the last input line. Raises `TranscriptError`, and
    leaves the file alone.
    """
    transcript = Transcript.read(path)
    program = Program([*words, *transcript.arguments])
    sandbox = confine('none', Path())
    outputs = outputs_by(transcript, lambda: running(program, sandbox, PIPES, SESSION_SECONDS))
    path.write_bytes(recorded_with(transcript, outputs).encode())
    return any(outputs[:-1])


def outputs_by(transcript: Transcript, start: Callable[[], ContextManager[Run]]) -> list[str]:
    """Return what a program prints before each input line of a transcript, and after the last.

    It is started twice, and must print the same. Raises `TranscriptError` where it does not, or
    the session fails, does not end, or leaves input unread.
    """
    outputs: list[list[str]] = []
    for _ in range(2):
        with start() as run:
            outputs.append(Recorder(transcript, run).outputs())
    for step, first, second in zip(transcript.steps, *outputs):
        if first != second:
            raise TranscriptError(f'{place(transcript, step)}: the program answers differently '
                                  'the second time, as one does that leaves something to chance')
    return outputs[0]


def place(transcript: Transcript, step: Step) -> str:
    """Return a transcript's name, and the line of the input that ends a step."""
    return f'{transcript.name}:{step.number or len(transcript.lines)}'


class Recorder:
    """A program that is given a line whenever it waits for one."""

    def __init__(self, transcript: Transcript, run: Run) -> None:
        self._transcript = transcript
        self._run = run

    def outputs(self) -> list[str]:
        """Return what it prints before each input line, and after the last."""
        outputs: list[str] = []
        for step in self._transcript.steps:
            is_last = step.input is None
            if is_last and not any(outputs):        # it may read all before it prints
                self._run.end_input()
            printed, has_ended = self._printed(step)
            outputs.append(self._text(step, printed))
            if has_ended and not is_last:
                raise self._error(step, f'not read any more: {step.input!r}')
            if is_last and not has_ended:
                before = self._transcript.steps[max(0, len(outputs) - 2)]
                raise self._error(before, 'an input line is missing after this one: the program '
                                          'waits for more')
            if step.input is not None:
                self._run.send(step.input.encode() + b'\n', LINE_SECONDS)
        status = self._run.status(LINE_SECONDS)
        if status:
            said = decoded(self._run.errors).rstrip().rpartition('\n')[2]
            raise self._error(step, f'the program ends with exit status {status}: {said}')
        return outputs

    def _printed(self, step: Step) -> tuple[bytes, bool]:
        """Return what is printed until the program waits for input or ends, and whether it ends."""
        printed = b''
        begin = heard = time.monotonic()
        while len(printed) < MOST_BYTES:
            piece = self._run.read(LOOKS)
            now = time.monotonic()
            if piece == b'':
                return printed, True
            if piece:
                printed += piece
                heard = now
                continue
            is_waiting = waits_for_input(self._run.group)
            if is_waiting is None:
                is_waiting = now > heard + SILENCE
            rest = self._run.read(0) if is_waiting else None
            if is_waiting and rest is None:
                return printed, False
            printed += rest or b''
            if now > begin + LINE_SECONDS:
                raise self._error(step, f'the program neither waits for input nor ends '
                                        f'within {LINE_SECONDS:g} s')
        raise self._error(step, 'the program prints without end')

    def _text(self, step: Step, printed: bytes) -> str:
        try:
            return printed.decode()
        except UnicodeDecodeError:
            raise self._error(step, 'the program prints what is no UTF-8') from None

    def _error(self, step: Step, message: str) -> TranscriptError:
        return TranscriptError(f'{place(self._transcript, step)}: {printable(message)}')
