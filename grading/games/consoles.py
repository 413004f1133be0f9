"""Finds the built-in console for a session, plays the session, and records the output."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path

from ..installation import import_logic, own_module
from ..sessions.record import ADD_STILL_ASKS, NOT_ASKING, recorded_with, what_is_recorded
from ..sessions.session import Session
from ..sessions.transcript import TranscriptError, read_session
from ..sessions.verdict import Dialogue
from . import GAMES

INPUT_ENDED = 'the input ended after'  # what a console says of an unfinished game


def console_for(path: Path) -> Sequence[str]:
    """Return the command line of the built-in console for a session's file, or () if there is none.

    If the session has a `$` line, it decides. Otherwise, the name of the file's folder or the first
    input lines decide. Raises `TranscriptError` if the file is not a valid session.
    """
    session = read_session(path)
    if session.command:
        is_ours = session.command[0] in {game.command[0] for game in GAMES.values()}
        return session.command if is_ours else ()
    folder = path.resolve().parent.name
    text = '\n'.join(session.inputs)
    for game in GAMES.values():
        if game.name == folder or (game.begins and re.match(game.begins, text)):
            return game.command
    return ()


def play(command: Sequence[str], inputs: list[str]) -> tuple[list[str], int, str]:
    """Run a built-in console on input lines, in this process.

    Return the console's output, exit status and standard error. The output is a list: the text
    printed before each line was read, and the text printed after the last line. If the console
    prints nothing until it has read all input, only the last text is not empty.

    `command` is the console's name and arguments, as on a `$` line. The console takes over the
    standard streams of this process, so other threads must not print at the same time.
    """
    output, errors = io.StringIO(), io.StringIO()
    typed = io.StringIO(''.join(line + '\n' for line in inputs))
    # Where each text of the output begins: how many characters had been printed once the line
    # before the text was read.
    starts = [0]

    def readline(size: int | None = -1) -> str:
        line = io.StringIO.readline(typed, -1 if size is None else size)
        if line.endswith('\n'):
            starts.append(output.tell())
        return line

    typed.readline = readline  # type: ignore[method-assign]
    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = [*command], typed
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            import_logic(command[0].partition('_console')[0])
            status = own_module(command[0].removesuffix('.py')).main()
    finally:
        sys.argv, sys.stdin = before
    if status == 130:  # the console handled a Ctrl-C meant for the grader
        raise KeyboardInterrupt
    printed = output.getvalue()
    ends = [*starts[1:], len(printed)]
    outputs = [printed[start:end] for start, end in zip(starts, ends, strict=True)]
    return outputs, status, errors.getvalue()


def outputs_of(session: Session) -> list[str]:
    """Return what the built-in console prints before each input line, and after the last line.

    Raises `TranscriptError` if the console fails, leaves input unread, or asks for more input. But
    if the session says "# still asks", the console must ask for more.
    """
    inputs = session.inputs
    outputs, status, errors = play(session.command, inputs)
    is_unfinished = bool(inputs) and INPUT_ENDED in errors
    if session.end.still_asks and not (status or errors):
        raise TranscriptError(f'{session.name}:{len(session.lines)}: {NOT_ASKING}')
    if (status or errors) and not (session.end.still_asks and is_unfinished):
        raise TranscriptError(complaint(session, status, errors))
    if not any(outputs[:-1]):  # the console may have read all its input at once
        outputs = [''] * len(inputs) + outputs[-1:]
    if len(outputs) <= len(inputs):
        unread = session.steps[len(outputs) - 1]
        raise TranscriptError(
            f'{session.name}:{unread.number}: the program does not read this line: {unread.input!r}'
        )
    for number, step in enumerate(session.steps):
        if step.ends_input:  # the console prints only after the end of input
            outputs.insert(number, '')
    return outputs


def complaint(session: Session, status: int, errors: str) -> str:
    """Return a console's error message, with the line number in the transcript."""
    message = errors.strip().partition(': ')[2]  # without the console's name
    place = re.match(rf'({INPUT_ENDED} )?line (\d+): (.*)|the input is empty', message)
    if place and not session.inputs:
        return f'{session.name}: the file has no input lines yet'
    if not place or not place[2]:
        return f'{session.name}: exit status {status}: {errors.strip()}'
    has_ended, number, reason = place.groups()
    if has_ended:
        reason = f'an input line is missing after this one: {reason}{ADD_STILL_ASKS}'
    return f'{session.name}:{session.steps[int(number) - 1].number}: {reason}'


def recorded(session: Session) -> Session:
    """Return the session with the built-in console's output as expected output."""
    return recorded_with(session, Dialogue.printing(outputs_of(session)))


def record(path: Path) -> str:
    """Record a session of a built-in game in its file; return a sentence about the changes.

    Raises `TranscriptError`, and leaves the file unchanged, if the session cannot be recorded.
    """
    session = replace(read_session(path), command=console_for(path))
    if not session.command:
        raise TranscriptError(f'{path}: a $ line must name the game')
    found = recorded(session)
    path.write_bytes(found.text.encode())
    return what_is_recorded(session, found)
