"""One program, and sessions that are played through it: each confined, and in bounded time."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import ContextManager

from .assignments.find import arguments_for
from .sandbox.kinds import Confinement
from .sandbox.program import Program
from .sessions.difference import Difference, Observed
from .sessions.replay import observe, observed_already, replay
from .sessions.run import PIPES, TERMINAL, Run, running
from .sessions.transcript import Transcript
from .settings import Settings

REPLAY_SECONDS = 60.0                   # that one replay may take, however it trickles
OBSERVED_SECONDS = 2.0                  # that a program may be silent with all its input
OBSERVING_SECONDS = 10.0                # that it may print then; if it does not end, it is known


class Player:
    """Plays sessions through a program, up to a `deadline` by the monotonic clock."""

    def __init__(self, settings: Settings, confinement: Confinement, program: Program,
                 deadline: float) -> None:
        self.deadline = deadline
        self._settings = settings
        self._confinement = confinement
        self._program = program
        self._prints_on = False         # whether with all its input it has not come to an end

    @property
    def is_late(self) -> bool:
        """Whether all time has been used up."""
        return time.monotonic() > self.deadline

    def play(self, transcript: Transcript) -> Difference | None:
        """Return how the program first departs from a transcript, if it does."""
        for way in (PIPES, TERMINAL)[:1 + self._settings.terminal]:
            with self._running(transcript, way, REPLAY_SECONDS) as run:
                difference = replay(transcript, run, self._settings.timeout)
            if difference:
                return difference
        return None

    def observed(self, difference: Difference) -> Observed:
        """Return all that a program prints, from another run if it went on after the difference."""
        if difference.kind != 'differs' or self._prints_on:
            return observed_already(difference)
        with self._running(difference.transcript, PIPES, OBSERVING_SECONDS) as run:
            observed = observe(difference, run, min(self._settings.timeout, OBSERVED_SECONDS))
            self._prints_on = run.is_overdue
        return observed

    def _running(self, transcript: Transcript, way: str, seconds: float) -> ContextManager[Run]:
        """Start the program for a transcript, with so much of the time as it may still have."""
        words = arguments_for(self._settings.game, transcript)
        program = replace(self._program, words=[*self._program.words, *words])
        time_left = self.deadline - time.monotonic()
        return running(program, self._confinement, way, min(seconds, time_left))
