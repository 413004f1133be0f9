"""The runs in which a program is traced after its points are known: few, and short."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Iterable, NamedTuple, Optional, Sequence

from ...printable import printable
from ...sandbox.program import Program
from ...sessions.difference import Difference, Observation, departure
from ...sessions.expected_output import alignment_of
from ...sessions.play import Experience, at_once, play
from ...sessions.run import Run
from ...sessions.transcript import Transcript
from ...sessions.verdict import HANGING
from ..diagnose import Diagnosis, Fault
from ..finding import Place
from .contradictions import MISTAKES, as_reading, caught_in, made_of, reason_of
from .sources import MOST_BYTES, Sources
from .trace import Failed, Raised, Trace, Traced
from .where import where

TRACER = Path(__file__).with_name('tracer.py').read_text(encoding='utf-8')
LINES, QUICK = 'lines', 'quick'         # the tracer's modes
MOST_SAID = 1 << 21                     # bytes of what is said on standard error
PYTHON = re.compile(r'(python|pypy)[0-9.]*(\.exe)?|py(\.exe)?')
OPTION = re.compile('-[bBdEIOPqRsSuvx]+|-[XW].+')

MOST_CAUSES = 10
MOST_ROUNDS = 6
EACH = 3                                # sessions in a round beside those that show a cause
SHARE = 0.5                             # of the time left that one run may take
TRIES = 3                               # of a session: a program may act at random
QUIET = 0.5                             # seconds of silence that suffice once a program has hung

Play = Callable[[Transcript, Sequence[str], float, float], Optional[Traced]]


def script_of(words: Sequence[str]) -> int | None:
    """Return the index of the word in a command line that names a Python program: a file, or `-m`.

    Return None if there is none.

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
    """Return the folder that has a Python program's files."""
    script = script_of(program.words)
    if program.folder or script is None or program.words[script] == '-m':
        return program.folder or Path.cwd()
    return Path(program.words[script]).resolve().parent


def why_silent(program: Program) -> tuple[str, str]:
    """Return why a Python program that ends well has printed nothing, and advice; '' if not seen.

    The text of its file says so: there is no code in it, or its `main` is named nowhere else.
    """
    script = script_of(program.words)
    if script is None or program.words[script] == '-m':
        return '', ''
    folder, name = folder_of(program), Path(program.words[script]).name
    path = folder / program.below / name
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return '', ''
    lines = Sources(folder).text(os.path.join(program.below, name), 1, MOST_BYTES).split('\n')
    code = '\n'.join(line for line in lines if not re.match(r'\s*(#|$)', line))
    if not code:
        return (f'prints nothing: there is no code in {printable(name)}',
                'Save your program in your editor.')
    if re.search(r'^(async )?def main\(', code, re.MULTILINE) and len(
            re.findall(r'\bmain\b', code)) == 1:
        return ('prints nothing: it defines main(), but never calls it',
                'Call main() at the end of the file, in a line that is not indented.')
    return '', ''


def traced(program: Program, words: Sequence[str]) -> Program:
    """Return a program that runs a Python program with the tracer."""
    script = script_of(program.words)
    root = os.path.relpath('.', program.below) if program.folder else ''
    return replace(program, words=[*program.words[:script], *words, root,
                                   *program.words[script:]])


def play_traced(transcript: Transcript, run: Run, seconds: float) -> Traced:
    """Play a session at once through a traced program, which may be silent for some seconds."""
    run.kept = MOST_SAID
    dialogue = play(at_once(transcript), run, Experience(seconds)).dialogue
    return Traced(Trace.read(run.errors), dialogue.output, dialogue.status)


@dataclass
class Session:
    """A session, all that the program prints in it with all input at once, and its difference."""

    transcript: Transcript
    output: bytes
    difference: Difference | None = None


class Cause(NamedTuple):
    """One thing that goes wrong: the best place to see it, and its step in each session.

    `alone` are the names of the sessions in which nothing else is wrong.
    """

    place: Difference
    steps: dict[str, int]               # the session of the place first
    alone: frozenset[str]


def causes_of(diagnosis: Diagnosis) -> list[Cause]:
    """Return the causes in a diagnosis: each fault, then each group."""
    shown = [*diagnosis.faults, *diagnosis.groups]
    names = Counter(session.transcript.name for one in shown for session in one.sessions)
    causes = []
    for one in shown:
        steps = {one.place.transcript.name: one.place.step}
        for session in one.sessions:
            steps.setdefault(session.transcript.name, session.step)
        causes.append(Cause(one.place, steps, frozenset(
            name for name in steps if names[name] == 1)))
    return causes


class Tracing:
    """The traced runs of one program with files in a folder, for some seconds in all.

    `play` plays a session through a program that some words start. It gets a limit of seconds for
    the run, and one for silence.
    """

    def __init__(self, play: Play, folder: Path, seconds: float) -> None:
        self._play = play
        self._sources = Sources(folder)
        self._until = time.monotonic() + seconds
        self._traced: dict[str, Traced | None] = {}
        self._mode = LINES
        self.is_late = False            # whether the time was over before the end

    def explain(self, diagnosis: Diagnosis, failed: Iterable[Observation],
                passed: Iterable[Transcript]) -> tuple[Diagnosis, list[list[Place]]]:
        """Return a diagnosis without what traces contradict, and the places to look at.

        The places are those for each fault, and then for each group.
        """
        causes = causes_of(diagnosis)
        sessions = [Session(one.transcript, one.output, one.difference) for one in failed]
        sessions += [Session(transcript, transcript.output.encode()) for transcript in passed]
        sessions.sort(key=lambda session: len(session.transcript.lines))
        self._trace_all(causes[:MOST_CAUSES], sessions)
        passing = [traced.trace for session in sessions if not session.difference
                   for traced in [self._traced.get(session.transcript.name)] if traced]
        explained = replace(diagnosis, faults=[], groups=[])
        places: list[list[Place]] = []
        reasons: dict[Raised, Fault] = {}
        for number, (fault, cause) in enumerate(
                zip([*diagnosis.faults, *diagnosis.groups], causes)):
            failing = self._failed(cause, sessions)
            caught = caught_in(failing, self._sources)
            reason = reason_of(fault, caught, failing, passing, self._sources)
            if reason in reasons:       # one cause is told once
                add_sessions(reasons[reason], fault)
                continue
            if reason:
                fault = reasons[reason] = made_of(fault, reason, failing[0], self._sources)
            fault = as_reading(fault, self._traced)
            kind = explained.faults if number < len(diagnosis.faults) else explained.groups
            kind.append(fault)
            mistake = next((raised for raised in caught if raised.type in MISTAKES), None)
            places.append(where(failing, passing, self._sources, reason or mistake,
                                [place for found in places for place in found]))
        return explained, places

    def _trace_all(self, causes: Sequence[Cause], sessions: Sequence[Session]) -> None:
        """Trace sessions that show each cause, and others, while there is time."""
        by_name = {session.transcript.name: session for session in sessions}
        others = [name for name, session in by_name.items() if not session.difference] or [*by_name]
        for number in range(MOST_ROUNDS):
            for cause in causes:
                for name in [name for name in cause.steps if name in by_name][number:number + 1]:
                    self._trace(by_name[name])
            if not any(self._traced.values()):
                break
            for name in others[number * EACH:(number + 1) * EACH]:
                self._trace(by_name[name])

    def _trace(self, session: Session) -> None:
        """Trace a session, if that has not been done; if it takes too long, without its lines."""
        name = session.transcript.name
        hangs = session.difference is not None and session.difference.kind in HANGING
        tries = 0
        while name not in self._traced and self._until > time.monotonic():
            seconds = (self._until - time.monotonic()) * SHARE
            traced = self._play(session.transcript, ['-c', TRACER, self._mode], seconds,
                                min(QUIET, seconds) if hangs else seconds)
            if traced and is_same(session, traced.output):
                traced.trace.is_whole &= self._mode == LINES
                self._traced[name] = traced
            elif traced and traced.status is not None and tries < TRIES - 1:
                tries += 1
            elif tries or self._mode == QUICK or any(self._traced.values()):
                self._traced[name] = None
            else:
                self._mode = QUICK
        self.is_late |= name not in self._traced or self._mode == QUICK

    def _failed(self, cause: Cause, sessions: Iterable[Session]) -> list[Failed]:
        """Return the traced sessions that show a cause, the best one to show first."""
        traced = {name: one for name, one in self._traced.items() if one}
        differences = {session.transcript.name: session.difference for session in sessions
                       if session.transcript.name in cause.alone}
        differences[cause.place.transcript.name] = cause.place
        failed = [Failed(name, step, differences.get(name), traced[name])
                  for name, step in cause.steps.items() if name in traced]
        return sorted(failed, key=lambda one: not one.difference)


def add_sessions(fault: Fault, other: Fault) -> None:
    """Add to a fault the sessions that show another one."""
    names = {one.name for one in fault.transcripts}
    fault.sessions += [one for one in other.sessions if one.transcript.name not in names]


def is_same(session: Session, output: bytes) -> bool:
    """Return whether a program prints again what it printed before.

    What follows the first wrong byte may be other each time.
    """
    if not session.difference:
        return not departure(session.transcript, output, has_ended=True, status=0)
    end = right_bytes(session.transcript, session.output) + 1
    return output[:end] == session.output[:end]


def right_bytes(transcript: Transcript, output: bytes) -> int:
    """Return how many bytes of the whole output are right."""
    alignment = alignment_of(transcript, *transcript.steps)
    alignment.take(output)
    accepted = alignment.accepted()
    right = sum(map(len, accepted))
    due = [str(line).encode() for line in alignment.lines[len(accepted):]]
    return right + len(os.path.commonprefix([b''.join(due), output[right:]]))
