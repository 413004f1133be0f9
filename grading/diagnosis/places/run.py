"""A run of a program in which it is traced, with all its input at once."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Sequence

from ...sandbox.program import Program
from ...sessions.at_once import all_output
from ...sessions.run import Run
from ...sessions.transcript import Transcript
from .trace import Trace

TRACER = Path(__file__).with_name('tracer.py').read_text(encoding='utf-8')
MOST_SAID = 1 << 21                     # bytes of what is said on standard error
LINES, QUICK = 'lines', 'quick'         # the tracer's modes
PYTHON = re.compile(r'(python|pypy)[0-9.]*(\.exe)?|py(\.exe)?')
OPTION = re.compile('-[bBdEIOPqRsSuvx]+|-[XW].+')


class Traced(NamedTuple):
    """What a program did: `status` is its exit status, None if it was stopped."""

    trace: Trace
    output: bytes
    status: int | None


def script_of(words: Sequence[str]) -> int | None:
    """Return which word of a command line names a Python program, `-m` or its file.

    None, if it is no such command line.

    >>> script_of(['python3', '-u', 'game.py']), script_of(['java', 'Game'])
    (2, None)
    """
    if not words or not PYTHON.fullmatch(re.split(r'[/\\]', words[0])[-1]):
        return None
    number = 1
    while number < len(words) and (words[number] in ('-X', '-W') or OPTION.fullmatch(
            words[number])):
        number += 1 + (words[number] in ('-X', '-W'))
    rest = words[number:]
    is_module = rest[:1] == ['-m'] and len(rest) > 1
    return number if is_module or (rest and not rest[0].startswith('-')) else None


def folder_of(program: Program) -> Path:
    """Return the folder of a Python program, that its files are in."""
    script = script_of(program.words)
    if program.folder or script is None or program.words[script] == '-m':
        return program.folder or Path.cwd()
    return Path(program.words[script]).resolve().parent


def traced(program: Program, mode: str = LINES) -> Program:
    """Return a Python program as it is started to be traced."""
    script = script_of(program.words)
    root = os.path.relpath('.', program.below) if program.folder else ''
    return replace(program, words=[*program.words[:script], '-c', TRACER, mode, root,
                                   *program.words[script:]])


def play_traced(transcript: Transcript, run: Run, seconds: float) -> Traced:
    """Play a session at once through a program that is traced, and may be silent for so long."""
    run.kept = MOST_SAID
    output, _, status = all_output(transcript, run, seconds)
    return Traced(Trace.read(run.errors), output, status)
