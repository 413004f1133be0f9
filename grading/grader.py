"""The grading of one submission, from what was handed in to its results."""

from __future__ import annotations

import shlex
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator

from .assignments.find import game_of
from .diagnosis.diagnose import diagnose
from .player import Player
from .printable import printable
from .reports.details import details
from .reports.messages import describe, why_hanging
from .reports.progress import Report, unreported
from .reports.results import FRESH, Results
from .sandbox.cleanup import scratch_folder
from .sandbox.kinds import Confinement, confine
from .sandbox.program import Program
from .sessions.difference import HANGING, Difference, Observed
from .sessions.transcript import Transcript
from .settings import Settings
from .signals import Ended
from .submissions.build import build
from .submissions.find import SubmissionError, copy_submission, find_program, program_of_command

SUBMISSION_SECONDS = 240.0              # that all replays of a submission may take
HANGING_SECONDS = 20.0                  # after which a program that has only hung so far is known
FLAKY = 'The program answers differently each time that it plays this game.'


@dataclass
class HandedIn:
    """What was handed in: a copy in `folder`, or a command as it stands, without one."""

    scratch: Path                       # a folder of the grader's, which the copy is in
    folder: Path | None = None
    notes: list[str] = field(default_factory=list)      # on what the copy lacks
    complaint: str = ''                 # why it cannot be graded


@contextmanager
def opened(source: Path | None) -> Iterator[HandedIn]:
    """Copy a submission, if there is one, to a folder that is removed at the end."""
    with scratch_folder() as scratch:
        handed_in = HandedIn(scratch)
        if source:
            handed_in.folder = scratch / 'submission'
            try:
                handed_in.notes = copy_submission(source, handed_in.folder)
            except SubmissionError as error:
                handed_in.complaint = str(error)
        yield handed_in


def grade(handed_in: HandedIn, settings: Settings, results: Results,
          report: Report = unreported) -> None:
    """Grade what was handed in; the results are saved after each transcript.

    What ends the grading is noted, and raised: `Ended`, and whatever makes the grader itself
    fail, as `ConfinementError` and `OSError` do.
    """
    results.facts['notes'] += handed_in.notes
    try:
        results.save()
        if handed_in.complaint:
            results.fail_the_rest(handed_in.complaint)
        else:
            run(handed_in, settings, results, report)
        results.complete()
    except Ended as end:
        results.end(str(end))
        raise
    except Exception as error:
        results.end(printable(f'a failure of the grader ({type(error).__name__}: {error})'))
        raise
    finally:
        results.save()


def run(handed_in: HandedIn, settings: Settings, results: Results, report: Report) -> None:
    """Confine, build and run a program. Raises `ConfinementError`."""
    confinement = confine(settings.confine, handed_in.scratch, settings.hidden)
    results.facts['confinement'] = confinement.kind
    try:
        program = program_of(handed_in.folder, settings, confinement)
    except SubmissionError as error:
        results.fail_the_rest(str(error))
    else:
        player = Player(settings, confinement, program, time.monotonic() + SUBMISSION_SECONDS)
        Grading(settings, player, results).run(report)


def program_of(folder: Path | None, settings: Settings, confinement: Confinement) -> Program:
    """Return the program of a submission, built. Raises `SubmissionError`."""
    command = shlex.split(settings.command or '')
    if folder is None:
        return Program(command)
    if settings.build:
        folder = build(program_of_command(['sh', '-c', settings.build], folder), confinement)
    if command:
        return program_of_command(command, folder)
    return find_program(folder, confinement.python)


class Grading:
    """The replay of all transcripts, and of fresh games, through one program."""

    def __init__(self, settings: Settings, player: Player, results: Results) -> None:
        self._settings = settings
        self._player = player
        self._results = results
        self._begin = time.monotonic()
        self._failed: list[Observed] = []
        self._passed: list[Transcript] = []
        self._has_only_hung = True
        self._why_hanging = ''

    def run(self, report: Report) -> None:
        """Replay everything; say what is wrong, and what is behind it."""
        self._play_all(report)
        if not self._results.have_all_run:
            if self._player.is_late:
                self._results.end(f'the time limit of {SUBMISSION_SECONDS:g} s')
            elif self._is_known_to_hang:
                self._results.fail_the_rest(f'not run: {self._why_hanging}')
        self._results.explain(diagnose(game_of, self._failed, self._passed), self._failed)

    def _play_all(self, report: Report) -> None:
        """Play all transcripts and fresh games, or as many as there is time for."""
        for number, transcript in enumerate(self._results.transcripts, 1):
            if self._is_over:
                return
            difference = self._player.play(transcript)
            if difference and self._player.is_late:     # it may be the limit that has cut it short
                return
            self._take_down(transcript, transcript.name, difference)
            report(number, len(self._results.tests))
        if self._settings.fresh and not self._is_over:
            self._play_fresh(self._settings.fresh, self._settings.seed)

    @property
    def _is_over(self) -> bool:
        return self._player.is_late or self._is_known_to_hang

    @property
    def _is_known_to_hang(self) -> bool:
        return self._has_only_hung and time.monotonic() > self._begin + HANGING_SECONDS

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
            self._failed.append(self._player.observed(difference))
        elif not difference:
            self._passed.append(transcript)

    def _play_fresh(self, count: int, seed: int | None) -> None:
        """Play games that nobody has seen; of those that fail, note the smallest."""
        from .fresh import play_fresh  # Hypothesis takes long to import
        fresh = play_fresh(self._settings.game, count, self._player.play, seed=seed,
                           prompts=self._settings.prompts, stop_at=self._player.deadline)
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
