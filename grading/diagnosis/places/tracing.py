"""Traces some runs of a program: chooses the sessions, and limits runs and time.

Once the grade is final, a few short sessions are played again under the tracer. Then small changes
to the program are tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...games.traced_program import Statement
from ...sandbox.program import Program, folder_of, script_of
from ...sessions.play import Experience, play, retype
from ...sessions.run import Run
from ...sessions.session import Session
from ...sessions.verdict import PlayedSession
from ..finding import Fault
from .sources import Sources
from .trace import FailedRun, Trace
from .trials import CHANGES, Effect, Trials, is_playable

TRACER = (Path(__file__).parent / 'injected' / 'tracer.py').read_text(encoding='utf-8')
LINES, QUICK = 'lines', 'quick'  # the tracer's modes
MAX_REPORTED = 1 << 21  # maximum size of the tracer's report on standard error, in bytes

MAX_ROUNDS = 6  # maximum number of rounds; each traces a failed session per fault, and some passed
PASSED_PER_ROUND = 3  # number of passed sessions to trace per round
# Maximum duration of a traced run, in seconds of real time. If a run takes longer, it probably
# hangs, or the machine is very busy.
MAX_SECONDS = 6
SHARE = 0.5  # maximum share of the remaining time for a single run
# Maximum number of attempts to make a traced run go like the original run. A program may behave
# randomly.
TRIES = 8
# Runs the program on a session. The arguments are the session, the words to insert before the
# program's file on the command line, the time limit in seconds, and a function to call with the
# run. The result is that of this function, or None if the program was not started.
RunProgram = Callable[[Session, Sequence[str], float, Callable[[Run], Any]], Any]


def traced(program: Program, words: Sequence[str], root: str) -> Program:
    """Return a Python program with `words` and `root` before its file on the command line.

    `root` is the folder with all files of the program, or '' for the folder of its main file.
    """
    script = script_of(program.words)
    return replace(program, words=[*program.words[:script], *words, root, *program.words[script:]])


def play_traced(played: PlayedSession, run: Run, seconds: float, given: Collection[str]) -> Trace:
    """Play a session again with a traced program; allow it to be silent for up to `seconds`.

    For a passed session, `Trace.is_same` says whether it passes again, with any exit status. For a
    failed session, it says whether the output is the same up to and including the first wrong byte.
    """
    run.kept = MAX_REPORTED
    if not played.failure_found:
        experience = Experience(seconds)
        experience.looks_early = False
        again = play(played.session, run, experience, types_on=False)
        output, status = again.dialogue.output, again.dialogue.status
        is_same = not again.failure_found or again.failure_found.kind == 'status'
    else:
        output, status = retype(played.dialogue, run, seconds)
        before = sum(
            len(turn.printed) for turn in played.dialogue.turns[: played.failure_found.turn]
        )
        end = before + played.failure_found.start + 1
        is_same = output[:end] == played.dialogue.output[:end]
    return Trace.read(run.read_errors(), output, status, is_same, given)


def by_length(sessions: Iterable[PlayedSession]) -> list[PlayedSession]:
    """Return sessions sorted by the number of lines in their transcripts, the shortest first."""
    return sorted(sessions, key=lambda played: len(played.session.lines))


class TracedRuns:
    """The traced runs of one program: at most `runs`, and as a safeguard at most `seconds` in all.

    For the first fault, up to `changes` changes to the program are tried; for each further fault,
    half as many as for the previous fault.
    """

    def __init__(
        self, run_program: RunProgram, program: Program, seconds: float, runs: int, changes: int
    ) -> None:
        self._run_program = run_program
        self._given = program.given
        self.sources = Sources(folder_of(program))
        self._until = time.monotonic() + seconds
        self._runs = runs  # how many more runs are allowed
        self._changes = changes  # how many changes to try for the next fault
        # By the name of the session; None if its run could not be traced.
        self.traces: dict[str, Trace | None] = {}
        self._mode = LINES
        # Whether time ran out for all runs, or the first run took too long.
        self.is_out_of_time = False

    def trace_all(
        self,
        faults: Sequence[Fault],
        wrong: Mapping[str, PlayedSession],
        right: Mapping[str, PlayedSession],
    ) -> None:
        """Trace sessions with each fault, and passed sessions, while more runs are allowed.

        `wrong` and `right` are the failed and the passed sessions by name. If no session passed,
        trace failed sessions in place of passed ones. Give up in the second round if no run could
        be traced so far.
        """
        others = by_length((right or wrong).values())
        for number in range(MAX_ROUNDS):
            for fault in faults:
                names = dict.fromkeys([fault.clearest.session.name, *fault.names])
                shown = [wrong[name] for name in names if name in wrong]
                for session in shown[number : number + 1]:
                    self._trace(session)
            if number and not any(self.traces.values()):
                break
            for session in others[number * PASSED_PER_ROUND : (number + 1) * PASSED_PER_ROUND]:
                self._trace(session)

    def _trace(self, session: PlayedSession) -> None:
        """Trace a session, unless that has already been tried.

        If the first run does not end in time, trace only input and output from then on.
        """
        name, tries = session.session.name, 0
        while name not in self.traces and self._runs > 0 and self._until > time.monotonic():
            self._runs -= 1
            seconds = min(MAX_SECONDS, (self._until - time.monotonic()) * SHARE)
            trace = self._run_program(
                session.session,
                ['-c', TRACER, self._mode],
                seconds,
                partial(play_traced, session, seconds=seconds, given=self._given),
            )
            if trace and trace.is_same:
                trace.is_whole &= self._mode == LINES
                self.traces[name] = trace
            elif trace and trace.status is not None and tries < TRIES - 1:
                tries += 1  # the program has ended: try again, because it may behave randomly
            elif tries or self._mode == QUICK or any(self.traces.values()):
                self.traces[name] = None
            else:
                self._mode = QUICK
        self.is_out_of_time |= time.monotonic() >= self._until or self._mode == QUICK

    def effects_of_changes(
        self, fault: Fault, right: Mapping[str, PlayedSession], order: Sequence[Statement]
    ) -> Mapping[Statement, Effect]:
        """Return how well the best change to each statement repairs the sessions with a fault.

        A change counts less if it breaks a passed session (one of `right`). `order` lists the
        statements to change, the most suspicious first. Return {} if there is nothing to try, if
        changed programs can play none of the failed sessions, or if trying the changes fails.
        """
        arguments = fault.clearest.session.arguments
        wrong = {played.session.name: played for played in [fault.clearest, *fault.sessions]}
        # If several passed sessions have the same output, one of them is enough.
        distinct = {played.session.output: played for played in right.values()}

        def playable(sessions: Iterable[PlayedSession]) -> list[PlayedSession]:
            return by_length(
                played for played in sessions if is_playable(played.session, arguments)
            )

        failed, passed = playable(wrong.values()), playable(distinct.values())
        most, self._changes = self._changes, self._changes // 2

        def play_changed(run: Run) -> Mapping[Statement, Effect]:
            trials = Trials(
                run, self.sources, sorted({statement.file for statement in order}), self._until
            )
            return trials.effects(failed, passed, order, most)

        if not (failed and order and most):
            return {}
        session, seconds = fault.clearest.session, self._until - time.monotonic()
        with suppress(EOFError):
            return self._run_program(session, ['-c', CHANGES], seconds, play_changed) or {}
        return {}

    def failed(self, fault: Fault, alone: Mapping[str, PlayedSession]) -> list[FailedRun]:
        """Return the traced runs with a fault, starting with those whose `played` is known.

        It is known for the session in the report, and for the sessions in `alone`: these show no
        other fault.
        """
        failed: dict[str, FailedRun] = {}
        for played in [fault.clearest, *fault.sessions]:
            name = played.session.name
            trace = self.traces.get(name)
            if trace and name not in failed:
                graded = played if played is fault.clearest else alone.get(name)
                failed[name] = FailedRun(name, played.wrong_line.step, graded, trace)
        return sorted(failed.values(), key=lambda run: not run.played)
