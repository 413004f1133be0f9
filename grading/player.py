"""One program, and sessions that are played through it: each confined, and in bounded time.

What the machine did is nobody's fault. The first two sessions that fall silent, or are killed, are
played again, alone; only that counts.
"""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Callable, Iterator, Optional

from .assignments.find import find
from .class_lock import ClassLock
from .places.run import Traced, folder_of, play_traced, script_of, traced
from .places.tracing import Tracing
from .sandbox.program import KILLED, Program, StartError
from .sessions.at_once import observe, replay_at_once
from .sessions.difference import HANGING, Difference, Observation
from .sessions.files import LeftFiles
from .sessions.replay import observed_already, replay
from .sessions.run import PIPES, TERMINAL, Run
from .sessions.running import running
from .sessions.transcript import Transcript
from .settings import Settings

if TYPE_CHECKING:
    from .sandbox.kinds import Sandbox

SUBMISSION_SECONDS = 240.0              # that a submission may take, from when it is opened
REPLAY_SECONDS = 60.0                   # that one replay may take, however it trickles
OBSERVED_SECONDS = 2.0                  # that a program may be silent with all its input
OBSERVING_SECONDS = 10.0                # that it may print then; one that prints on gets no more
FEWEST_LATE = 2                         # sessions in which something must have come late
MOST_REPEATS = 2                        # of sessions that fell silent, or were killed
LITTLE_SPACE = 16 << 20                 # bytes: what a program may write into one file


Play = Callable[[Transcript, Run, float], Optional[Difference]]


class Shortage(Exception):
    """Why a program cannot be run, even alone, through no fault of its own."""


class Player:
    """Plays sessions through a program; all its time counts from when it was `opened`.

    Waiting for its `lock` does not count.
    """

    def __init__(self, settings: Settings, sandbox: Sandbox, program: Program,
                 lock: ClassLock, opened: float) -> None:
        self._settings = settings
        self._sandbox = sandbox
        self._program = program
        self._lock = lock
        self._opened = opened
        self._repeats = 0
        self._late = 0                  # sessions in which what is due came after more input
        self._is_alone = False          # whether others have disturbed it, and do so no more
        self._prints_on = False         # whether with all its input it has not come to an end

    @property
    def seconds(self) -> float:
        """How long it has been graded."""
        return time.monotonic() - self._opened - self._lock.waited

    @property
    def limit(self) -> str:
        """What ends the grading when it is late, in words."""
        return f'the time limit of {SUBMISSION_SECONDS:g} s'

    @property
    def deadline(self) -> float:
        """When its time ends, by the monotonic clock, unless it has to wait."""
        return time.monotonic() + SUBMISSION_SECONDS - self.seconds

    @property
    def is_late(self) -> bool:
        """Whether all its time has been used up."""
        return self.seconds > SUBMISSION_SECONDS

    def play(self, transcript: Transcript) -> Difference | None:
        """Return how the program first departs from a transcript, if it does.

        What may be the machine's doing is played once more, alone; if the result is another one,
        all that follows is played alone, too. Raises `Shortage`.
        """
        if self._is_alone:
            return self._play_once(transcript)
        try:
            difference = self._play_once(transcript)
        except Shortage:
            self._is_alone = True
            return self._play_once(transcript)
        if not may_be_the_machines(difference) or self._repeats == MOST_REPEATS or self.is_late:
            return difference
        self._repeats += 1
        self._is_alone = True
        again = self._play_once(transcript)
        self._is_alone = not (again and difference and again.kind == difference.kind)
        return again

    @property
    def is_unflushed(self) -> bool:
        """Whether output has come late so often that no more is played in turns."""
        return self._late >= FEWEST_LATE

    def _play_once(self, transcript: Transcript) -> Difference | None:
        if self._settings.at_once or self.is_unflushed:
            return self._played(transcript, PIPES, replay_at_once)
        for way in (PIPES, TERMINAL)[:1 + self._settings.terminal]:
            difference = self._played(transcript, way, replay)
            if difference:
                return difference
        return None

    def _played(self, transcript: Transcript, way: str, play: Play) -> Difference | None:
        """Play a transcript one way, and compare the files that the program has left."""
        left = LeftFiles(transcript, self._program.below)
        with self._running(transcript, way, REPLAY_SECONDS,
                           keep=left.read if transcript.files else None) as run:
            difference = play(transcript, run, self._settings.timeout)
            if difference:
                self._check_shortage(run)
        return difference or left.difference()

    def observed(self, difference: Difference) -> Observation:
        """Return all that a program prints, from another run if it went on after the difference."""
        if difference.kind == 'differs' and difference.whole is None and not self._prints_on:
            with suppress(Shortage), \
                    self._running(difference.transcript, PIPES, OBSERVING_SECONDS) as run:
                observed = observe(difference, run, min(self._settings.timeout, OBSERVED_SECONDS))
                self._prints_on = run.is_overdue
                return observed
        self._late += difference.comes_late
        return observed_already(difference)

    def tracing(self, seconds: float) -> Tracing | None:
        """Return what traces the program for so many seconds in all, None if it cannot be."""
        if script_of(self._program.words) is None:
            return None
        return Tracing(self._play_traced, folder_of(self._program), seconds)

    def _play_traced(self, transcript: Transcript, mode: str, seconds: float,
                     silence: float) -> Traced | None:
        with suppress(Shortage), \
                self._running(transcript, PIPES, seconds, traced(self._program, mode)) as run:
            return play_traced(transcript, run, silence)
        return None

    @contextmanager
    def _running(self, transcript: Transcript, way: str, seconds: float,
                 program: Program | None = None,
                 keep: Callable[[int], None] | None = None) -> Iterator[Run]:
        """Start the program for a transcript, with so much of the time as it may still have."""
        program = program or self._program
        words = find(self._settings).arguments_for(transcript)
        program = replace(program, words=[*program.words, *words])
        with self._lock.alone() if self._is_alone else self._lock.shared():
            time_left = SUBMISSION_SECONDS - self.seconds
            self._check_space()
            with ExitStack() as stack:
                try:
                    run = stack.enter_context(running(
                        program, self._sandbox, way, min(seconds, time_left), keep))
                except StartError as error:
                    raise Shortage(f'its program cannot be started: {error}') from None
                if not program.folder:      # it stands elsewhere, maybe
                    run.folder = str(folder_of(self._program))
                yield run

    def _check_shortage(self, run: Run) -> None:
        """Raise `Shortage` if that is why a run has failed, as far as this can be known."""
        if run.was_killed_by_system and run.was_memory_short:
            raise Shortage('the system has killed its program: there is too little memory')
        if not self._is_alone:              # another may have filled it
            self._check_space()

    def _check_space(self) -> None:
        """Raise `Shortage` if the disk is full."""
        if shutil.disk_usage(self._sandbox.scratch).free < LITTLE_SPACE:
            raise Shortage('the disk is full')


def may_be_the_machines(difference: Difference | None) -> bool:
    """Return whether the machine, or another program on it, may have caused a difference."""
    return difference is not None and (
        difference.kind in HANGING or difference.status in KILLED)
