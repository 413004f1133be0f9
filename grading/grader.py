"""The grading of one submission: from the files that were handed in to the results."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Callable, Mapping, Sequence

from .assignments.games import game_of
from .diagnosis.example import example_of
from .diagnosis.finding import Example, Finding
from .player import Player, Shortage
from .printable import clean, printable
from .reports.results import BEYOND, FRESH, Results, SessionResult, write_json, write_results
from .reports.text import describe, end_note
from .sandbox.confine import confine
from .sandbox.untrusted_files import SubmissionError
from .sessions.class_lock import ClassLock
from .sessions.transcript import Transcript
from .sessions.verdict import HANGING, Played
from .settings import Settings
from .signals import Ended
from .submissions.identity import digest_of_program
from .submissions.submission import Submission, make_program

NOT_RUN = 'not run yet'
SAVE_SECONDS = 1.0                      # at least, between two times while sessions are played
FEWEST_HUNG = 2                         # sessions in which a program that always hangs has hung
HUNG = 'not run: the program hung in every session before'
PRINTS_ON = 'not run: the program hung, or printed without end, in every session before'
USES_MUCH = 'not run: the program hung, or used too much, in every session before'
NOT_IN_TURNS = 'not run line by line: the program prints its answers only after more input'
UNFLUSHED = f'{NOT_IN_TURNS}. With all its input at once, it prints the expected output.'
FLAKY = 'The program answers differently each time that it plays this game.'

Report = Callable[[int, int], None]     # is told how many of how many are done


def unreported(done: int, total: int) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Task:
    """One submission to grade: its `name`, where it is, and where its results go."""

    name: str
    source: Path | None
    settings: Settings
    folder: Path | None = None          # of its results and pages
    gradescope: Path | None = None      # a results.json for Gradescope
    late: bool | None = None            # None if the export does not say it
    notes: tuple[str, ...] = ()         # on its files in an export
    id: str = ''                        # of the student, '' if the export does not say it
    email: str = ''


def grade(task: Task, handed_in: Submission, fingerprint: str = '',
          report: Report = unreported) -> Results:
    """Grade a submission, and return its results, which are saved after each session.

    `handed_in` is its copy, `fingerprint` says of what the results are if they are kept. If
    something ends the grading, note it in the results. Raises `Ended`, `Shortage`, or what a
    failure of the grader raises, such as `SandboxError` and `OSError`.
    """
    book = Scorebook(task, fingerprint)
    book.results.notes += handed_in.notes
    grading = None
    try:
        book.save()
        try:
            grading = Grading(task.settings, player_of(handed_in, task.settings, book), book)
            grading.play(report)
        except SubmissionError as error:
            book.fail_the_rest(str(error))
        book.save(is_complete=True)     # the points stand, even if the explanation fails
        if grading:
            grading.explain()
        book.results.fingerprint = book.fingerprint     # until something changes they stand
    except (Ended, Exception) as error:
        book.end(printable(str(error) if isinstance(error, (Ended, Shortage)) else
                           f'a failure of the grader ({type(error).__name__}: {error})'))
        raise
    finally:
        book.save()
    return book.results


def player_of(handed_in: Submission, settings: Settings, book: Scorebook) -> Player:
    """Build a program in the sandbox, and return what plays it; note in the book what is known.

    Raises `SubmissionError` if there is no program, `SandboxError` and `Shortage`.
    """
    if handed_in.complaint:
        raise SubmissionError(handed_in.complaint)
    lock = ClassLock(settings.lock_folder, settings.limits.alone, settings.limits.playing)
    sandbox = confine(settings.confine, handed_in.scratch, settings.hidden, settings.limits)
    book.results.confinement = sandbox.kind
    if handed_in.folder:
        book.results.digest = digest_of_program(handed_in.folder)
    program, notes = make_program(handed_in.folder, settings, sandbox, lock)
    book.results.notes += notes
    return Player(settings, sandbox, program, lock, handed_in.opened)


class Scorebook:
    """The results of one submission while it is graded; all its tests are there from the start.

    `save` writes them where the task says.
    """

    def __init__(self, task: Task, fingerprint: str = '') -> None:
        settings = task.settings
        self.fingerprint = fingerprint  # of the submission, if its results are kept
        self.results = Results(
            task.name, assignment=settings.assignment.label, game=settings.assignment.title,
            prompts=settings.prompts, at_once=settings.at_once, reach=[*settings.reach],
            visibility=settings.visibility, id=task.id, email=task.email, late=task.late,
            notes=[*task.notes])
        self.tests = {one.name: SessionResult(
            one.name, points_of(one), output=NOT_RUN, tags=[BEYOND] * one.is_beyond,
            visibility=settings.visibility, title=one.title, hidden=one.is_hidden)
            for one in settings.assignment.transcripts}
        if settings.fresh:
            self.results.seed = settings.seed
            self.tests[FRESH] = SessionResult(
                FRESH, settings.fresh_points, output=NOT_RUN, visibility=settings.visibility)
        self.results.tests = [*self.tests.values()]
        self._task = task
        self._start = time.monotonic()
        self._saved = -SAVE_SECONDS     # when they were saved last

    def save(self, is_needed: bool = True, is_complete: bool = False) -> None:
        """Replace the files as a whole, so that nobody reads half of one. Raises `OSError`.

        Do nothing if it is not needed and has been done in the last second: it takes the time of
        the submission. The results are complete, and time counts no more, if all points are known.
        """
        if not is_needed and time.monotonic() < self._saved + SAVE_SECONDS:
            return
        if not self.results.complete:
            self.results.execution_time = round(time.monotonic() - self._start, 3)
            self.results.complete = is_complete
        self.results.score = round(sum(test.score for test in self.results.tests), 6)
        self.results.output = end_note(self.results)
        if self._task.folder:
            write_results(self._task.folder / 'results.json', self.results)
        if self._task.gradescope:
            from .reports.gradescope import for_gradescope  # which is seldom needed

            write_json(self._task.gradescope, for_gradescope(self.results))
        self._saved = time.monotonic()

    def passed(self, name: str) -> None:
        """Give a test all its points."""
        test = self.test_of(name)
        test.status, test.score, test.output = 'passed', test.max_score, ''

    def failed(self, name: str, example: Example, faults: Sequence[str] = ()) -> None:
        """Note how a program fails a session, and which faults explain it."""
        test = self.test_of(name)
        why = f'\n  explained by {", ".join(faults)}' if faults else ''
        fresh = [self.results.smallest, self.results.flaky] if test.name == FRESH else []
        test.example = example
        test.output = '\n\n'.join(filter(None, [describe(example) + why, *fresh]))

    def explain(self, findings: Sequence[Finding], examples: Mapping[str, Example]) -> None:
        """Note the findings, and an example for each session that failed.

        `examples` has the sessions by the names of their transcripts.
        """
        for finding in findings:
            finding.sessions[:] = [self.test_of(name).name for name in finding.sessions]
        self.results.findings = [*findings]
        for name, example in examples.items():
            shown = self.test_of(name).name
            self.failed(name, example, [finding.id for finding in findings
                                        if finding.id and shown in finding.sessions])

    def not_explained(self, reason: str) -> None:
        """Note why there is no explanation, or no complete one."""
        self.results.notes.append(clean(f'not explained: {reason}'))

    def end(self, reason: str) -> None:
        """Note what ended the grading, or the explanation, before it was complete."""
        if self.results.complete:
            self.not_explained(reason)
            return
        self.results.ended = reason
        self.fail_the_rest(f'not run: the grading was ended by {reason}')

    def fail_the_rest(self, message: str) -> None:
        """Note in all tests that have not run why they did not."""
        for test in self.results.tests:
            if test.is_not_run and test.output == NOT_RUN:
                test.output = message

    def test_of(self, name: str) -> SessionResult:
        """Return the test of a session; a session without a test is a fresh game."""
        return self.tests.get(name) or next(
            (test for test in self.results.tests if test.name == name), None) or self.tests[FRESH]


class Grading:
    """All sessions and fresh games, played through one program."""

    def __init__(self, settings: Settings, player: Player, book: Scorebook) -> None:
        self._settings = settings
        self._player = player
        self._book = book
        self._failed: list[Played] = []
        self._passed: list[Transcript] = []
        self._hung = 0                  # sessions in which it hung, or was killed for its use

    def play(self, report: Report) -> None:
        """Play all sessions and fresh games; if time or limits end this, note why."""
        if self._play_sessions(report) and self._play_fresh():
            return
        if self._is_known_to_hang:
            ends = {one.dialogue.end for one in self._failed}
            self._book.fail_the_rest(
                USES_MUCH if 'excess' in ends else PRINTS_ON if 'output' in ends else HUNG)
        else:
            self._book.end(self._player.limit)
            if not self._failed:        # the machine may have been slow
                self._book.fingerprint = ''

    def explain(self) -> None:
        """Write into the results what is wrong with the program."""
        if not self._failed:
            return
        from . import explanation  # which takes long to import

        limits = self._settings.limits
        found, reason = explanation.explained(partial(
            explanation.pieces_of, self._settings, self._player,
            lambda transcript: self._book.test_of(transcript.name).max_score, self._failed,
            self._passed), limits.explanation, limits.explanation_memory)
        if reason:
            self._book.not_explained(reason)
        if found:
            findings, examples, self._book.results.cut_short = found
            self._book.explain(findings, examples)

    def _play_sessions(self, report: Report) -> bool:
        """Play all transcripts, if there is time; return whether there was."""
        for number, transcript in enumerate(self._settings.assignment.transcripts, 1):
            if self._is_over:
                return False
            in_turns = not self._player.is_unflushed
            played = self._player.play(transcript)
            if played.wrong and self._player.seconds_left <= 0:
                return False            # the limit may have cut the session short
            if played.wrong or in_turns:
                self._note(transcript.name, played)
            else:
                self._book.test_of(transcript.name).output = UNFLUSHED
            report(number, len(self._book.tests))
        return True

    @property
    def _is_over(self) -> bool:
        return self._player.seconds_left <= 0 or self._is_known_to_hang

    @property
    def _is_known_to_hang(self) -> bool:
        return (self._hung >= FEWEST_HUNG and not self._passed and self._hung == len(self._failed)
                and self._player.seconds > self._settings.limits.hanging)

    def _note(self, name: str, played: Played) -> None:
        """Note the result of a test."""
        wrong, session = played.wrong, played.session
        if wrong:
            self._book.failed(name, example_of(played, game_of(session)))
        else:
            self._book.passed(name)
        self._book.save(is_needed=False)
        if not wrong:
            self._passed.append(session.line_by_line)
        else:
            self._failed.append(played)
            self._player.late += wrong.comes_late
            self._hung += (wrong.kind in HANGING and not wrong.comes_late) or (
                played.dialogue.end in ('output', 'time', 'excess'))

    def _play_fresh(self) -> bool:
        """Play games that nobody has seen; of those that fail, note the smallest.

        Return whether there was time for all.
        """
        count = self._settings.fresh
        if count and self._player.is_unflushed:
            self._book.tests[FRESH].output = NOT_IN_TURNS
        if not count or self._player.is_unflushed:
            return True
        if self._is_over:
            return False
        from .fresh import play_fresh  # which is seldom needed

        fresh = play_fresh(
            self._settings.assignment.name, count, partial(self._player.play, types_on=False),
            seed=self._settings.seed, prompts=self._settings.prompts,
            at_once=self._settings.at_once, stop_at=time.monotonic() + self._player.seconds_left)
        if fresh.smallest:
            results = self._book.results
            results.smallest, results.flaky = fresh.text, FLAKY if fresh.is_flaky else ''
            again = self._player.play(fresh.smallest.place.session)
            self._note(FRESH, again if again.wrong else fresh.smallest)
        elif fresh.is_cut:
            self._book.tests[FRESH].output = (
                f'not run to the end: {self._player.limit} came after {fresh.played} of {count} '
                'games, all of them right')
        else:
            self._book.passed(FRESH)
        return not fresh.is_cut


def points_of(transcript: Transcript) -> float:
    """Return the points of a session: 0 beyond the assignment."""
    return 0 if transcript.is_beyond else transcript.points
