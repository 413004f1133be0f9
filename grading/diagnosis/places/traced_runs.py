"""The runs in which a program is traced after its points are known: few, and short."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Callable, Iterable, Mapping, NamedTuple, Optional, Sequence

from ...printable import printable
from ...sandbox.program import Program
from ...sessions.dialogue import Dialogue
from ...sessions.play import Experience, play, retyped
from ...sessions.run import Run
from ...sessions.transcript import Transcript
from ...sessions.verdict import Played
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

Play = Callable[[Played, Sequence[str], float], Optional[Traced]]


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


def play_traced(played: Played, run: Run, seconds: float) -> Traced:
    """Play a session again through a traced program, which may be silent for some seconds.

    Of a session that was right nothing is kept: it must be right again. In others the program must
    print the same up to its first wrong byte; what follows that may be other each time.
    """
    run.kept = MOST_SAID
    session, wrong = played.session, played.wrong
    if not wrong:
        experience = Experience(seconds)
        experience.is_looked_at = False
        again = play(session, run, experience, types_on=False)
        return Traced(Trace.read(run.errors), again.dialogue.output, again.dialogue.status,
                      not again.wrong or again.wrong.kind == 'status')
    dialogue = retyped(played.dialogue, run, seconds)
    before = [turn.printed for turn in played.dialogue.turns[:wrong.turn]]
    end = len(b''.join(before)) + wrong.start + 1
    return Traced(Trace.read(run.errors), dialogue.output, dialogue.status,
                  dialogue.output[:end] == played.dialogue.output[:end])


class Cause(NamedTuple):
    """One thing that goes wrong: the best place to see it, and its step in each session.

    `alone` are the names of the sessions in which nothing else is wrong.
    """

    place: Played
    steps: dict[str, int]               # the session of the place first
    alone: frozenset[str]


def causes_of(diagnosis: Diagnosis) -> list[Cause]:
    """Return the causes in a diagnosis: each fault, then each group."""
    shown = [*diagnosis.faults, *diagnosis.groups]
    number_of = Counter(name for one in shown for name in one.names)
    causes = []
    for one in shown:
        steps = {one.place.session.name: one.place.place.step}
        for session in one.sessions:
            steps.setdefault(session.session.name, session.place.step)
        causes.append(Cause(one.place, steps, frozenset(
            name for name in steps if number_of[name] == 1)))
    return causes


class Tracing:
    """The traced runs of one program with files in a folder, for some seconds in all.

    `play` plays a session again through a program that some words start, for some seconds.
    """

    def __init__(self, play: Play, folder: Path, seconds: float) -> None:
        self._play = play
        self._sources = Sources(folder)
        self._until = time.monotonic() + seconds
        self._traced: dict[str, Traced | None] = {}
        self._mode = LINES
        self.is_late = False            # whether the time was over before the end

    def explain(self, diagnosis: Diagnosis, failed: Iterable[Played],
                passed: Iterable[Transcript]) -> tuple[Diagnosis, list[list[Place]]]:
        """Return a diagnosis without what traces contradict, and the places to look at.

        The places are those for each fault, and then for each group.
        """
        causes = causes_of(diagnosis)
        wrong = {one.session.name: one for one in failed}
        right = {one.name: Played(one, Dialogue()) for one in passed}
        self._trace_all(causes[:MOST_CAUSES], wrong, right)
        passing = [traced.trace for traced in map(self._traced.get, right) if traced]
        explained = replace(diagnosis, faults=[], groups=[])
        places: list[list[Place]] = []
        reasons: dict[Raised, Fault] = {}
        for number, (fault, cause) in enumerate(
                zip([*diagnosis.faults, *diagnosis.groups], causes)):
            failing = self._failed(cause, wrong)
            caught = caught_in(failing, self._sources)
            reason = reason_of(fault, caught, failing, passing, self._sources)
            if reason in reasons:       # one cause is told once
                told = reasons[reason]
                told.sessions += [one for one in fault.sessions
                                  if one.session.name not in told.names]
                continue
            if reason:
                fault = reasons[reason] = made_of(fault, reason, failing[0], self._sources)
            fault = as_reading(fault, self._traced)
            kind = explained.faults if number < len(diagnosis.faults) else explained.groups
            kind.append(fault)
            mistake = next((raised for raised in caught if raised.type in MISTAKES), None)
            places.append(where(failing, passing, self._sources, reason or mistake,
                                [place for found in places for place in found],
                                fault.is_printing))
        return explained, places

    def _trace_all(self, causes: Sequence[Cause], wrong: Mapping[str, Played],
                   right: Mapping[str, Played]) -> None:
        """Trace sessions that show each cause, and others, while there is time."""
        others = sorted((right or wrong).values(), key=lambda one: len(one.session.lines))
        for number in range(MOST_ROUNDS):
            for cause in causes:
                shown = [wrong[name] for name in cause.steps if name in wrong]
                for session in shown[number:number + 1]:
                    self._trace(session)
            if not any(self._traced.values()):
                break
            for session in others[number * EACH:(number + 1) * EACH]:
                self._trace(session)

    def _trace(self, session: Played) -> None:
        """Trace a session, if that has not been done; if it takes too long, without its lines."""
        name, tries = session.session.name, 0
        while name not in self._traced and self._until > time.monotonic():
            seconds = (self._until - time.monotonic()) * SHARE
            traced = self._play(session, ['-c', TRACER, self._mode], seconds)
            if traced and traced.is_same:
                traced.trace.is_whole &= self._mode == LINES
                self._traced[name] = traced
            elif traced and traced.status is not None and tries < TRIES - 1:
                tries += 1
            elif tries or self._mode == QUICK or any(self._traced.values()):
                self._traced[name] = None
            else:
                self._mode = QUICK
        self.is_late |= name not in self._traced or self._mode == QUICK

    def _failed(self, cause: Cause, wrong: Mapping[str, Played]) -> list[Failed]:
        """Return the traced sessions that show a cause, the best one to show first."""
        places = {**{name: wrong[name] for name in cause.alone if name in wrong},
                  cause.place.session.name: cause.place}
        failed = [Failed(name, step, places.get(name), traced)
                  for name, step in cause.steps.items()
                  for traced in [self._traced.get(name)] if traced]
        return sorted(failed, key=lambda one: not one.place)
