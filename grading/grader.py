"""The grading of one submission, from what was handed in to its results."""

from __future__ import annotations

from .assignments.games import game_of
from .diagnosis.diagnose import Diagnosis, diagnose
from .fresh import play_fresh
from .player import Player, Shortage
from .printable import printable
from .reports.details import details
from .reports.messages import describe, why_hanging
from .reports.progress import Report, unreported
from .reports.results import FRESH, Results, not_run
from .sandbox.system import sandbox_for
from .sessions.at_once import comes_late
from .sessions.class_lock import ClassLock
from .sessions.difference import HANGING, Difference, Observation
from .sessions.transcript import Transcript
from .settings import Settings
from .signals import Ended
from .submissions.find import SubmissionError
from .submissions.handed_in import HandedIn, program_of

HANGING_SECONDS = 15.0                  # after which a program that has only hung is given up
TRACING_SECONDS = 5.0                   # in which a program is traced, once its points are known
FEWEST_HUNG = 2                         # sessions, in which it must have hung
NOT_IN_TURNS = 'not run in turns: what is due comes only after more input'
UNFLUSHED = f'{NOT_IN_TURNS}. With all its input at once, what it prints is right.'
FLAKY = 'The program answers differently each time that it plays this game.'


def grade(handed_in: HandedIn, settings: Settings, results: Results,
          report: Report = unreported) -> None:
    """Grade what was handed in; the results are saved after each transcript.

    What ends the grading is noted, and raised: `Ended`, `Shortage`, and whatever makes the grader
    itself fail, as `SandboxError` and `OSError` do.
    """
    results.facts['notes'] += handed_in.notes
    try:
        results.save()
        if handed_in.complaint:
            results.fail_the_rest(handed_in.complaint)
        else:
            run(handed_in, settings, results, report)
        results.complete()
    except (Ended, Shortage) as end:
        results.end(printable(str(end)))
        raise
    except Exception as error:
        results.end(printable(f'a failure of the grader ({type(error).__name__}: {error})'))
        raise
    finally:
        results.save()


def run(handed_in: HandedIn, settings: Settings, results: Results, report: Report) -> None:
    """Confine, build and run a program. Raises `SandboxError` and `Shortage`."""
    lock = ClassLock(settings.lock_folder)
    sandbox = sandbox_for(settings.confine, handed_in.scratch, settings.hidden)
    results.facts['confinement'] = sandbox.kind
    try:
        program = program_of(handed_in.folder, settings, sandbox, lock)
    except SubmissionError as error:
        results.fail_the_rest(str(error))
    else:
        player = Player(settings, sandbox, program, lock, handed_in.opened)
        Grading(settings, player, results).run(report)


class Grading:
    """The replay of all transcripts, and of fresh games, through one program."""

    def __init__(self, settings: Settings, player: Player, results: Results) -> None:
        self._settings = settings
        self._player = player
        self._results = results
        self._failed: list[Observation] = []
        self._passed: list[Transcript] = []
        self._hung = 0                  # sessions

    def run(self, report: Report) -> None:
        """Replay everything; say what is wrong, and what is behind it."""
        if not self._play_all(report):
            self._say_why()
        diagnosis = diagnose(game_of, self._failed, self._passed)
        self._results.explain(diagnosis, self._failed)
        if not self._settings.no_where and not self._player.is_late:
            self._results.save()
            self._look_where(diagnosis)

    def _look_where(self, diagnosis: Diagnosis) -> None:
        """Say where in the program to look for what is wrong.

        In a class that takes no more than a fifth of all the time.
        """
        is_of_a_class = self._settings.lock_folder is not None
        tracing = self._player.tracing(min(TRACING_SECONDS, self._player.seconds / 4)
                                       if is_of_a_class else TRACING_SECONDS)
        if tracing and self._failed:
            self._results.locate(diagnosis, tracing.where(diagnosis, self._failed, self._passed))

    def _play_all(self, report: Report) -> bool:
        """Play all transcripts and fresh games, if there is time; return whether there was."""
        for number, transcript in enumerate(self._results.transcripts, 1):
            if self._is_over:
                return False
            in_turns = not self._player.is_unflushed
            difference = self._player.play(transcript)
            if difference and self._player.is_late:     # it may be the limit that has cut it short
                return False
            if difference or in_turns:
                self._take_down(transcript, transcript.name, difference)
            else:
                self._results.failed(transcript.name, UNFLUSHED, **not_run())
            report(number, len(self._results.tests))
        if not self._settings.fresh:
            return True
        if self._player.is_unflushed:
            self._results.failed(FRESH, NOT_IN_TURNS, **not_run())
            return True
        return not self._is_over and self._play_fresh(self._settings.fresh, self._settings.seed)

    def _say_why(self) -> None:
        """Say why not all has been played."""
        if self._is_known_to_hang:
            self._results.fail_the_rest(f'not run: {why_hanging(self._failed[-1].difference)}')
        else:
            self._results.end(self._player.limit)
            if not self._failed:        # it may have been a slow machine
                self._results.fingerprint = ''

    @property
    def _is_over(self) -> bool:
        return self._player.is_late or self._is_known_to_hang

    @property
    def _is_known_to_hang(self) -> bool:
        return (self._hung >= FEWEST_HUNG and not self._passed and self._hung == len(self._failed)
                and self._player.seconds > HANGING_SECONDS)

    def _take_down(self, transcript: Transcript, name: str, difference: Difference | None) -> None:
        """Note what became of a test."""
        if difference:
            self._results.failed(name, describe(difference), **details(difference))
        else:
            self._results.passed(name)
        self._results.save()
        if not difference:
            self._passed.append(transcript)
        else:
            self._failed.append(self._player.observed(difference))
            self._hung += ((difference.kind in HANGING and not comes_late(difference))
                           or difference.prints_on)

    def _play_fresh(self, count: int, seed: int | None) -> bool:
        """Play games that nobody has seen; of those that fail, note the smallest.

        Return whether there was time for all.
        """
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
        elif fresh.is_cut:
            self._results.failed(FRESH, f'not run to the end: {self._player.limit} came after '
                                 f'{fresh.played} of {count} games, all of them right', **not_run())
        else:
            self._results.passed(FRESH)
        return not fresh.is_cut
