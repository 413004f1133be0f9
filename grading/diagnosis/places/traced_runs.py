"""The runs in which a program is traced after its points are known: few, and short."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Callable, Iterable, Mapping, Optional, Sequence

from ...printable import printable
from ...sandbox.program import Program, folder_of, script_of
from ...sessions.play import Experience, play, retyped
from ...sessions.run import Run
from ...sessions.transcript import Transcript
from ...sessions.verdict import Dialogue, Played
from ..diagnose import Diagnosis
from ..finding import Fault, Place
from .sources import MOST_BYTES, Sources
from .trace import Failed, Line, Raised, Trace
from .where import MISTAKES, RAN, as_reading, caught_in, made_of, reason_of, where

TRACER = Path(__file__).with_name('tracer.py').read_text(encoding='utf-8')
LINES, QUICK = 'lines', 'quick'         # the tracer's modes
MOST_SAID = 1 << 21                     # bytes of what is said on standard error

MOST_CAUSES = 10
MOST_ROUNDS = 6
EACH = 3                                # sessions in a round beside those that show a cause
SHARE = 0.5                             # of the time left that one run may take
TRIES = 3                               # of a session: a program may act at random

Play = Callable[[Played, Sequence[str], float], Optional[Trace]]


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


def play_traced(played: Played, run: Run, seconds: float) -> Trace:
    """Play a session again through a traced program, which may be silent for some seconds.

    Of a session that was right nothing is kept: it must be right again. In others the program must
    print the same up to its first wrong byte; what follows that may be other each time.
    """
    run.kept = MOST_SAID
    if not played.wrong:
        experience = Experience(seconds)
        experience.is_looked_at = False
        again = play(played.session, run, experience, types_on=False)
        output, status = again.dialogue.output, again.dialogue.status
        is_same = not again.wrong or again.wrong.kind == 'status'
    else:
        output, status = retyped(played.dialogue, run, seconds)
        before = [turn.printed for turn in played.dialogue.turns[:played.wrong.turn]]
        end = len(b''.join(before)) + played.wrong.start + 1
        is_same = output[:end] == played.dialogue.output[:end]
    return Trace.read(run.errors, output, status, is_same)


class Tracing:
    """The traced runs of one program with files in a folder, for some seconds in all.

    `play` plays a session again through a program that some words start, for some seconds.
    """

    def __init__(self, play: Play, folder: Path, seconds: float) -> None:
        self._play = play
        self._sources = Sources(folder)
        self._until = time.monotonic() + seconds
        self._traces: dict[str, Trace | None] = {}
        self._mode = LINES
        self.is_late = False            # whether the time was over before the end

    def explain(self, diagnosis: Diagnosis, failed: Iterable[Played],
                passed: Iterable[Transcript]) -> tuple[Diagnosis, list[list[Place]]]:
        """Return a diagnosis without what traces contradict, and the places for each fault."""
        number_of = Counter(name for fault in diagnosis.faults for name in fault.names)
        wrong = {one.session.name: one for one in failed}
        right = {one.name: Played(one, Dialogue()) for one in passed}
        self._trace_all(diagnosis.faults[:MOST_CAUSES], wrong, right)
        passing = [trace for trace in map(self._traces.get, right) if trace]
        alone = {name: one for name, one in wrong.items() if number_of[name] == 1}
        explained = replace(diagnosis, faults=[])
        places: list[list[Place]] = []
        looked_at: list[Line] = []
        reasons: dict[Raised, Fault] = {}
        for fault in diagnosis.faults:
            failing = self._failed(fault, alone)
            caught = caught_in(failing, self._sources)
            reason = reason_of(fault, caught, failing, passing, self._sources)
            if reason in reasons:       # one cause is told once
                told = reasons[reason]
                told.sessions += [one for one in fault.sessions
                                  if one.session.name not in told.names]
                continue
            if reason:
                fault = reasons[reason] = made_of(fault, reason, failing[0], self._sources)
            explained.faults.append(as_reading(fault, self._traces))
            mistake = next((raised for raised in caught if raised.type in MISTAKES), None)
            places.append(where(fault.kind, failing, passing, self._sources, reason or mistake,
                                looked_at))
            looked_at += [Line(place.file, number) for place in places[-1] if place.why == RAN
                          for number in range(place.first, place.last + 1)]
        return explained, places

    def _trace_all(self, faults: Sequence[Fault], wrong: Mapping[str, Played],
                   right: Mapping[str, Played]) -> None:
        """Trace sessions that show each fault, and others, while there is time."""
        others = sorted((right or wrong).values(), key=lambda one: len(one.session.lines))
        for number in range(MOST_ROUNDS):
            for fault in faults:
                names = dict.fromkeys([fault.place.session.name, *fault.names])
                shown = [wrong[name] for name in names if name in wrong]
                for session in shown[number:number + 1]:
                    self._trace(session)
            if number and not any(self._traces.values()):
                break
            for session in others[number * EACH:(number + 1) * EACH]:
                self._trace(session)

    def _trace(self, session: Played) -> None:
        """Trace a session, if that has not been done; if it takes too long, without its lines."""
        name, tries = session.session.name, 0
        while name not in self._traces and self._until > time.monotonic():
            seconds = (self._until - time.monotonic()) * SHARE
            trace = self._play(session, ['-c', TRACER, self._mode], seconds)
            if trace and trace.is_same:
                trace.is_whole &= self._mode == LINES
                self._traces[name] = trace
            elif trace and trace.status is not None and tries < TRIES - 1:
                tries += 1
            elif tries or self._mode == QUICK or any(self._traces.values()):
                self._traces[name] = None
            else:
                self._mode = QUICK
        self.is_late |= name not in self._traces or self._mode == QUICK

    def _failed(self, fault: Fault, alone: Mapping[str, Played]) -> list[Failed]:
        """Return the traced sessions that show a fault, the best one to show first.

        In those that are `alone` nothing else is wrong.
        """
        failed: dict[str, Failed] = {}
        for one in [fault.place, *fault.sessions]:
            name = one.session.name
            trace = self._traces.get(name)
            if trace and name not in failed:
                place = one if one is fault.place else alone.get(name)
                failed[name] = Failed(name, one.place.step, place, trace)
        return sorted(failed.values(), key=lambda one: not one.place)
