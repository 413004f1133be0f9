"""The recording of a session: a program plays it, and the grader writes its dialogue down."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Sequence

from ..printable import decoded, printable
from ..sandbox.program import Program, StartError, status_in_words
from .dialogue import Dialogue, Turn
from .left_files import LeftFiles
from .play import HearingLimits, heard
from .recorded_text import END, recorded_with
from .running import running
from .steps import Step
from .transcript import Transcript, TranscriptError
from .verdict import judged

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox

ERROR = re.compile(r'\S.*(Error|Exception|error:)')      # in most languages
WAITING_SILENCE = 1.0                   # seconds after which a silent program counts as waiting
LINE_SECONDS = 30.0                     # for one line
SESSION_SECONDS = 30.0
MOST_PRINTED = 1 << 24                  # bytes in a session
MOST_IN_FILE = 1 << 20


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
    dialogue = recorded_by(transcript, solution)
    path.write_bytes(recorded_with(transcript, dialogue).encode())
    *before, last = [turn.printed for turn in dialogue.turns]
    if dialogue.status and not transcript.accepts_status(dialogue.status):
        errors = error_in(dialogue.errors)
        return (f'{transcript.name}: recorded with {status_in_words(dialogue.status)}'
                + (errors and f': {errors}'))
    if len(dialogue.turns) > len(transcript.steps) and any(before) and not last:
        return (f'{transcript.name}: the program waits for more input after the last line: "{END}" '
                'was written, in case no line is missing')
    has_ended = any(turn.ends_input for turn in dialogue.turns)
    if len(transcript.inputs) > 1 and last and not any(before) and not has_ended:
        return (f'{transcript.name}: the program printed nothing before it had read the last line: '
                'if it answers line by line, it has to flush')
    return ''


def recorded_by(transcript: Transcript, solution: Solution) -> Dialogue:
    """Return what a solution does in a session.

    It runs twice. Raises `TranscriptError` if the session that the first run makes does not accept
    the second one, or if the solution fails, does not end, or leaves input unread.
    """
    program = solution.program
    program = replace(program, words=[*program.words, *transcript.arguments])
    bounds = HearingLimits(SESSION_SECONDS, LINE_SECONDS, LINE_SECONDS, MOST_PRINTED,
                    len(transcript.steps) + 1, WAITING_SILENCE)
    runs: list[Dialogue] = []
    for _ in range(2):
        left = LeftFiles(transcript, program.below, solution.brought, MOST_IN_FILE)
        try:
            with running(program, solution.sandbox, SESSION_SECONDS, left.read,
                         left.look) as run:
                dialogue = heard(transcript, run, bounds)
        except StartError as failure:
            raise TranscriptError(f'{transcript.name}: {failure}') from None
        dialogue.files = left.files()
        check(transcript, dialogue)
        while len(dialogue.turns) < len(transcript.steps):
            dialogue.turns.append(Turn())       # it ended before it had read the end of its input
        runs.append(dialogue)
    first, second = runs
    session = Transcript(transcript.name, recorded_with(transcript, first), transcript.directives)
    wrong = judged(session, second)
    if wrong:
        raise error(transcript, wrong.turn, 'the program answers differently the second time, as '
                                            'programs do that use random numbers')
    return first


def check(transcript: Transcript, dialogue: Dialogue) -> None:
    """Raise `TranscriptError` if a dialogue is not one that can be recorded."""
    turns, steps, status = dialogue.turns, transcript.steps, dialogue.status
    last = len(turns) - 1
    hangs = f'the program neither waits for input nor ends within {LINE_SECONDS:g} s'
    why_cut = {'output': 'the program prints without end', 'silence': hangs, 'cut': hangs,
               'time': f'the session is not over after {SESSION_SECONDS:g} s'}
    if last == len(steps) and (dialogue.end != 'exit' or status):
        raise error(transcript, last - 2, 'an input line is missing after this one: the program '
                    'waits for more' if len(steps) > 1 else
                    'an input line is missing: the program waits for one')
    if dialogue.end in why_cut:
        raise error(transcript, last, why_cut[dialogue.end])
    if last < len(steps) - 1 and steps[last].input is not None:
        raise error(transcript, last, why_unread(steps[last], dialogue))
    if transcript.still_asks and dialogue.end == 'exit':
        raise error(transcript, last, 'the program ends instead of asking for more input')
    for number, turn in enumerate(turns):
        if not is_text(turn.printed):
            raise error(transcript, number, 'the program prints bytes that are not UTF-8')
    for file in transcript.files:
        left = dialogue.files[file.path]
        complaint = left.complaint
        if len(left.content) > MOST_IN_FILE:
            complaint = f'more than {MOST_IN_FILE >> 20} MB'
        elif not is_text(left.content):
            complaint = 'not UTF-8'
        if complaint:
            raise TranscriptError(f'{transcript.name}:{file.number}: {file.path}: {complaint}')


def is_text(content: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def why_unread(step: Step, dialogue: Dialogue) -> str:
    """Return what happened to a program that ended before it read a line."""
    status, reason = dialogue.status or 0, error_in(dialogue.errors)
    if not status and not reason:
        return f'the program does not read this line: {step.input!r}'
    return (f'the program ended with {status_in_words(status)} before it read line {step.number}'
            + (reason and f': {reason}'))


def error_in(errors: bytes) -> str:
    """Return the line of standard error that names an error, or else the last one.

    >>> error_in(b'Exception in thread "main" java.lang.Error: no\\n\\tat Main.main(Main.java)\\n')
    'Exception in thread "main" java.lang.Error: no'
    """
    lines = [line for line in decoded(errors).split('\n') if line.strip()]
    named = [line for line in lines if ERROR.match(line)]
    return printable((named or lines or [''])[-1].strip())


def error(transcript: Transcript, number: int, message: str) -> TranscriptError:
    """Return an error that names the input line at the end of a step."""
    step = transcript.steps[max(0, min(number, len(transcript.steps) - 1))]
    line = step.number or len(transcript.lines)
    place = f'{transcript.name}:{line}' if line else transcript.name
    return TranscriptError(f'{place}: {printable(message)}')
