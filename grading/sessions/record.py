"""Records a session: runs a program on its input, and writes the output into the session's file.

The program runs twice, to check that its output is the same each time.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..limits import MAX_IN_FILE, MAX_RECORDED, RECORD_SECONDS
from ..printable import decoded, printable, quoted, status_in_words
from ..sandbox.calls import REPORT, reported
from ..sandbox.program import Program, StartError
from ..sandbox.scratch import in_fresh_folder
from .play import Experience, LiveSession, look_for_files, play
from .rewrite import ADD_STILL_ASKS, END, NOT_ASKING, recorded_with, what_is_recorded
from .run import running
from .session import Session, Step
from .transcript import TranscriptError, read_session
from .verdict import Dialogue, LeftFile, PlayedSession, Turn, wrong_files

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox
    from .run import Run


# Matches a line with the name of an error, in most programming languages.
ERROR = re.compile(r'\S.*(Error|Exception|error:)')
# Seconds of silence before a program counts as waiting, if the system does not show what it is
# doing.
WAITING_SILENCE = 1.0


def record_by(
    program: Program,
    sandbox: Sandbox,
    directives: Sequence[str],
    provided: Sequence[str],
    confined: Callable[[], tuple[Program, Sandbox] | None],
    path: Path,
) -> str:
    """Record a session in its file, and return a one-line summary.

    The program gets the arguments of the session's `$` line. `directives` are those of the
    assignment, and `provided` are the paths of the assignment's files in the program's folder.
    `confined` returns a copy of the program, and the sandbox in which it would run as a submission,
    or None if there is none.
    Raises `TranscriptError` if the session cannot be recorded; the file is then unchanged.
    """
    session = read_session(path, directives)
    dialogue = Recorder(session, program, sandbox, provided).record()
    recorded = recorded_with(session, dialogue)
    path.write_bytes(recorded.text.encode())
    notes = [what_is_recorded(session, recorded), note_on(session, dialogue)]
    found = confined()
    if found:
        notes.append(Recorder(recorded, *found, provided).note_on_sandbox())
    return '; '.join(filter(None, notes))


def note_on(session: Session, dialogue: Dialogue) -> str:
    """Return a warning if something in a recording may surprise its author, or else ''."""
    *before, last = [turn.printed for turn in dialogue.turns]
    asked_for_more = len(dialogue.turns) > len(session.steps)  # after the last line
    input_was_ended = any(turn.ends_input for turn in dialogue.turns)
    if dialogue.status and not session.end.accepts(dialogue.status):
        reason = error_line(dialogue.errors)
        how = f'the program ended with {status_in_words(dialogue.status)}'
        return f'{how}: {reason}' if reason else how
    if asked_for_more and any(before) and not last:
        return (
            f'the program was waiting for more input after the last line, so "{END}" was added; '
            'check that no line is missing'
        )
    if len(session.inputs) > 1 and last and not any(before) and not input_was_ended:
        return (
            'the program printed nothing before it read the last line; if it should answer line '
            'by line, it must flush its output'
        )
    return ''


@dataclass(frozen=True)
class Recorder:
    """Runs a program in a session, and records what the program does."""

    session: Session
    program: Program
    sandbox: Sandbox
    provided: Sequence[str]  # paths of the assignment's files in the program's folder

    def record(self) -> Dialogue:
        """Return what the program does in the session.

        Raises `TranscriptError` if the program does not end, does not read exactly the session's
        input, prints something other than text, or answers differently the second time.
        """
        dialogue = self.dialogue()
        check_dialogue(self.session, dialogue)
        check_files(self.session, dialogue.files)
        # The program may have ended before it read the end of its input. Add the missing turns.
        dialogue.turns += [Turn() for _ in self.session.steps[len(dialogue.turns) :]]
        self.replay(dialogue)
        return dialogue

    def dialogue(self) -> Dialogue:
        """Run the program, and type each line when the program is waiting."""
        with self.started() as (run, files):
            live = LiveSession(self.session, run, Experience(RECORD_SECONDS))
            live.type_rest(
                until=time.monotonic() + RECORD_SECONDS,
                grace=RECORD_SECONDS,
                size=MAX_RECORDED,
                turns=len(self.session.steps) + 1,
                silence=WAITING_SILENCE,
            )
            dialogue = live.end()
        dialogue.files = files
        return dialogue

    def replay(self, dialogue: Dialogue) -> None:
        """Play the recorded session as in grading; raise `TranscriptError` if it does not pass."""
        experience = Experience(RECORD_SECONDS)
        experience.looks_are_reliable = True
        recorded = recorded_with(self.session, dialogue)
        with self.started() as (run, files):
            again = play(recorded, run, experience)
        again.dialogue.files = files
        wrong = again.failure_found or next(wrong_files(again.session, again.dialogue), None)
        if wrong:
            again.failure_found = wrong
            what = differences_in_words(again)
            raise error(
                self.session,
                wrong.turn,
                f'the program answered differently the second time{what}, perhaps because it uses '
                'random numbers',
            )

    def note_on_sandbox(self) -> str:
        """Play the recorded session in the sandbox; return a warning if it does not pass there."""
        reporting = self.sandbox.reporting(self.program)
        recorder = replace(self, program=reporting[0], sandbox=reporting[1]) if reporting else self
        with recorder.started() as (run, files):
            again = play(self.session, run, Experience(RECORD_SECONDS), types_on=False)
        again.dialogue.files = files
        if not again.failure_found and not next(wrong_files(self.session, again.dialogue), None):
            return ''
        errors = again.dialogue.errors_begin
        refused = [*reported(errors), *again.dialogue.refused]
        how = again.dialogue.excess and f'it used {again.dialogue.excess}'
        reason = how or error_line(REPORT.sub(b'', errors)) or 'it prints something else'
        why = f', which refuses {", ".join(refused)}' if refused else ''
        return f'WARNING: the program fails in the sandbox of submissions{why}: {reason}'

    @contextmanager
    def started(self) -> Iterator[tuple[Run, dict[str, LeftFile]]]:
        """Start the program; yield its run, and a dictionary for the files it leaves.

        At the end of the block, end all processes of the program, and fill the dictionary: the keys
        are the paths of the expected files.
        """
        session, program = self.session, self.program
        program = replace(program, words=[*program.words, *session.arguments])
        files: dict[str, LeftFile] = {}
        in_folder = partial(
            look_for_files, session, files, program.below, self.provided, MAX_IN_FILE
        )
        try:
            with (
                nullcontext() if program.folder else in_fresh_folder(self.sandbox.scratch),
                running(program, self.sandbox, RECORD_SECONDS, in_folder) as run,
            ):
                yield run, files
        except StartError as failure:
            raise TranscriptError(f'{session.name}: {failure}') from None


def differences_in_words(again: PlayedSession) -> str:
    """Return how the second run of a program differed from the first, or ''."""
    file, place = again.failure.file, again.wrong_line
    name = f'{file.path}: ' if file else ''
    if place.expected == place.printed:
        return ''
    first, second = (
        quoted(line.rstrip('\n')) if line else 'nothing' for line in (place.expected, place.printed)
    )
    return f' ({name}first {first}, then {second})'


def check_dialogue(session: Session, dialogue: Dialogue) -> None:
    """Raise `TranscriptError` if a dialogue cannot be recorded."""
    turns, steps, status = dialogue.turns, session.steps, dialogue.status
    last = len(turns) - 1
    if last == len(steps) and (dialogue.end != 'exit' or status):
        raise error(
            session,
            last - 2,  # the step with the last input line
            'an input line is missing after this one: the program is waiting for more'
            + ADD_STILL_ASKS
            if len(steps) > 1
            else 'an input line is missing: the program is waiting for one',
        )
    if dialogue.end == 'output':
        raise error(session, last, 'the program never stops printing')
    if dialogue.end in ('silence', 'time', 'cut'):
        raise error(session, last, f'the session was not over after {RECORD_SECONDS:g} s')
    if last < len(steps) - 1 and steps[last].input is not None:
        raise error(session, last, why_unread(steps[last], dialogue))
    if session.end.still_asks and dialogue.end == 'exit':
        raise error(session, last, NOT_ASKING)
    for number, turn in enumerate(turns):
        if not is_text(turn.printed):
            raise error(session, number, 'the program prints bytes that are not UTF-8')


def check_files(session: Session, files: Mapping[str, LeftFile]) -> None:
    """Raise `TranscriptError` if a file left by a program cannot be recorded."""
    for file in session.end.files:
        left = files[file.path]
        complaint = left.complaint
        if len(left.content) > MAX_IN_FILE:
            complaint = f'more than {MAX_IN_FILE >> 20} MB'
        elif not is_text(left.content):
            complaint = 'not UTF-8'
        if complaint:
            raise TranscriptError(f'{session.name}:{file.number}: {file.path}: {complaint}')


def is_text(content: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    return decoded(content).encode() == content


def why_unread(step: Step, dialogue: Dialogue) -> str:
    """Return why a program did not read a line, for an error message."""
    status, reason = dialogue.status or 0, error_line(dialogue.errors)
    if not status and not reason:
        return f'the program does not read this line: {step.input!r}'
    how = f'the program ended with {status_in_words(status)} before it read line {step.number}'
    return f'{how}: {reason}' if reason else how


def error_line(errors: bytes) -> str:
    """Return the last line of standard error that names an error, or else the last line.

    >>> error_line(b'Exception in thread "main" java.lang.Error\\n\\tat Main.main(Main.java)\\n')
    'Exception in thread "main" java.lang.Error'
    """
    lines = [line for line in decoded(errors).split('\n') if line.strip()]
    naming_errors = [line for line in lines if ERROR.match(line)]
    *_, last = naming_errors or lines or ['']
    return printable(last.strip())


def error(session: Session, number: int, message: str) -> TranscriptError:
    """Return an error about the input line at the end of the step with index `number`."""
    step = session.steps[max(0, min(number, len(session.steps) - 1))]
    line = step.number or len(session.lines)
    place = f'{session.name}:{line}' if line else session.name
    return TranscriptError(f'{place}: {printable(message)}')
