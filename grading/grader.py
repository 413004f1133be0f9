"""The grading of one submission, from what was handed in to its results."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import Callable, ContextManager, Optional

from .assignments.find import arguments_for, game_of
from .batch.resume import fingerprint
from .diagnosis.diagnose import diagnose
from .printable import printable
from .reports.messages import describe, why_hanging
from .reports.results import FRESH, Results, details
from .sandbox.cleanup import scratch_folder
from .sandbox.kinds import Confinement, confine
from .sandbox.program import Program
from .sessions.difference import HANGING, Difference, Observed
from .sessions.replay import observe, observed_already, replay
from .sessions.run import PIPES, TERMINAL, Run, running
from .sessions.transcript import Transcript
from .settings import Settings
from .signals import Ended
from .submissions.build import build, compile_modules
from .submissions.find import SubmissionError, copy_submission, find_program, program_of_command

REPLAY_SECONDS = 60.0                   # that one replay may take, however it trickles
SUBMISSION_SECONDS = 240.0              # that all replays of a submission may take
HANGING_SECONDS = 20.0                  # after which a program that has only hung so far is known
OBSERVED_SECONDS = 2.0                  # that a program may be silent with all its input
OBSERVING_SECONDS = 10.0                # that it may print then; if it does not end, it is known
FLAKY = 'The program answers differently each time that it plays this game.'

Tell = Callable[[int, int], None]
Play = Callable[[Optional[Path], Path, Settings, Results], None]


def untold(done: int, total: int) -> None:
    """Tell nobody."""


def play_here(folder: Path | None, scratch: Path, settings: Settings, results: Results,
              tell: Tell = untold) -> None:
    """Grade the copy of a submission, or the command of the settings as it stands, on this machine.

    `scratch` is a folder of the grader's; `tell` how many tests of how many are done. Raises
    `ConfinementError`.
    """
    confinement = confine(settings.confine, scratch, settings.hidden)
    results.facts['confinement'] = confinement.kind
    try:
        program = program_of(folder, settings, confinement)
    except SubmissionError as error:
        results.fail_the_rest(str(error))
    else:
        Grading(settings, confinement, program, results).run(tell)


def grade(source: Path | None, settings: Settings, results: Results,
          play: Play = play_here) -> None:
    """Grade a submission, or the command of the settings as it stands; `play` does it with a copy.

    The results are saved after each transcript; those of an earlier time are kept, if nothing has
    changed since. What ends the grading is noted, and raised: `Ended`, and whatever makes the
    grader itself fail, as `ConfinementError` and `OSError` do.
    """
    try:
        with scratch_folder() as scratch:
            folder, complaint = hand_in(source, scratch / 'submission', results)
            if folder:
                facts = (settings.facts, results.facts, complaint)
                if results.take_over(fingerprint(folder, facts)):
                    return
            results.save()
            if complaint:
                results.fail_the_rest(complaint)
            else:
                play(folder, scratch, settings, results)
        results.complete()
    except Ended as end:
        results.end(str(end))
        raise
    except Exception as error:
        results.end(printable(f'a failure of the grader ({type(error).__name__}: {error})'))
        raise
    finally:
        results.save()


def hand_in(source: Path | None, folder: Path, results: Results) -> tuple[Path | None, str]:
    """Copy a submission, if there is one, to a new folder; return that, and why it cannot be."""
    if source is None:
        return None, ''
    try:
        results.facts['notes'] += copy_submission(source, folder)
    except SubmissionError as error:
        return folder, str(error)
    return folder, ''


def program_of(folder: Path | None, settings: Settings, confinement: Confinement) -> Program:
    """Return the program of a submission, built. Raises `SubmissionError`."""
    command = shlex.split(settings.command or '')
    if folder is None:
        return Program(command)
    if settings.build:
        folder = build(program_of_command(['sh', '-c', settings.build], folder), confinement)
    if command:
        return program_of_command(command, folder)
    return compile_modules(find_program(folder, confinement.python), confinement)


class Grading:
    """The replay of all transcripts, and of fresh games, through one program."""

    def __init__(self, settings: Settings, confinement: Confinement, program: Program,
                 results: Results) -> None:
        self._settings = settings
        self._confinement = confinement
        self._program = program
        self._results = results
        self._begin = time.monotonic()
        self._deadline = self._begin + SUBMISSION_SECONDS
        self._failed: list[Observed] = []
        self._passed: list[Transcript] = []
        self._has_only_hung = True
        self._why_hanging = ''
        self._prints_on = False         # whether with all its input it has not come to an end

    def run(self, tell: Tell) -> None:
        """Replay everything; say what is wrong, and what is behind it."""
        for number, transcript in enumerate(self._results.transcripts, 1):
            if not self._goes_on():
                break
            difference = self.play(transcript)
            if difference and self._is_late():      # it may be the limit that has cut it short
                self._goes_on()
                break
            self._take_down(transcript, transcript.name, difference)
            tell(number, len(self._results.tests))
        if self._settings.fresh and self._goes_on():
            self._play_fresh(self._settings.fresh, self._settings.seed)
        self._results.explain(diagnose(game_of, self._failed, self._passed), self._failed)

    def play(self, transcript: Transcript) -> Difference | None:
        """Return how the program first departs from a transcript, if it does."""
        for way in (PIPES, TERMINAL)[:1 + self._settings.terminal]:
            with self._running(transcript, way, REPLAY_SECONDS) as run:
                difference = replay(transcript, run, self._settings.timeout)
            if difference:
                return difference
        return None

    def _goes_on(self) -> bool:
        """Return whether more is to be run; otherwise say why not."""
        if self._is_late():
            self._results.end(f'the time limit of {SUBMISSION_SECONDS:g} s')
            return False
        if self._has_only_hung and time.monotonic() > self._begin + HANGING_SECONDS:
            self._results.fail_the_rest(f'not run: {self._why_hanging}')
            return False
        return True

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def _take_down(self, transcript: Transcript, name: str, difference: Difference | None) -> None:
        """Note what became of a test."""
        self._has_only_hung &= difference is not None and difference.kind in HANGING
        if difference:
            self._why_hanging = why_hanging(difference)
            self._results.failed(name, describe(difference), **details(difference))
        else:
            self._results.passed(name)
        self._results.save()
        if difference and not transcript.is_beyond:
            self._failed.append(self._observed(difference))
        elif not difference:
            self._passed.append(transcript)

    def _observed(self, difference: Difference) -> Observed:
        """Return all that a program prints, from another run if it went on after the difference."""
        if difference.kind != 'differs' or self._prints_on:
            return observed_already(difference)
        with self._running(difference.transcript, PIPES, OBSERVING_SECONDS) as run:
            observed = observe(difference, run, min(self._settings.timeout, OBSERVED_SECONDS))
            self._prints_on = run.is_overdue
        return observed

    def _play_fresh(self, count: int, seed: int | None) -> None:
        """Play games that nobody has seen; of those that fail, note the smallest."""
        from .fresh import play_fresh  # Hypothesis takes long to import
        fresh = play_fresh(self._settings.game, count, self.play, seed=seed,
                           prompts=self._settings.prompts, stop_at=self._deadline)
        transcript = fresh.smallest
        if transcript:
            self._results.facts['smallest'] = fresh.text
            self._take_down(transcript, FRESH, fresh.difference)
            self._results.tests[FRESH]['output'] += f'\n\n{fresh.text}'
            if fresh.is_flaky:
                self._results.facts['flaky'] = FLAKY
                self._results.tests[FRESH]['output'] += f'\n{FLAKY}'
        elif fresh.played == count:
            self._results.passed(FRESH)

    def _running(self, transcript: Transcript, way: str, seconds: float) -> ContextManager[Run]:
        """Start the program for a transcript, with so much of the time as it may still have."""
        words = arguments_for(self._settings.game, transcript)
        program = replace(self._program, words=[*self._program.words, *words])
        time_left = self._deadline - time.monotonic()
        return running(program, self._confinement, way, min(seconds, time_left))
