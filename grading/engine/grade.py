"""Grades one submission: plays its sessions, and gives points for each session passed.

`grade` plays the sessions in one or two parts. If the caller passes `explain`, `grade` calls it
after each part in which a session failed.

The hidden sessions, if any, are the second part: they are played only after the failures in the
others have been explained. A program might smuggle the input of a hidden session into a later run,
so students see nothing of the first hidden session, and nothing of any run after it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from ..games.registry import game_of
from ..results import BEYOND, FRESH, Interruption, NotRun, Results, SessionResult
from ..sandbox.buffering import as_in_terminal
from ..sandbox.confine import confine
from ..sandbox.untrusted_files import SubmissionError
from ..sessions.session import Session, digest_of_sessions
from ..sessions.verdict import HANGING, PlayedSession
from ..settings import Assignment, Options
from ..signals import Termination
from ..submissions.building import make_program
from ..submissions.copying import Submission
from ..submissions.digests import digest_of_program
from .class_lock import ClassLock
from .example import example_of
from .player import Player, Shortage, build_with_retry

MIN_HUNG = 2  # a program that hung in fewer sessions does not count as always hanging

OnProgress = Callable[[Results], None]


def ignore(results: Results) -> None:
    """Do nothing: the default for `on_progress`."""


@dataclass(frozen=True)
class Machine:
    """What is known about this machine before the first submission is graded."""

    hidden: tuple[Path, ...] = ()  # files and folders that no program may see
    reach: tuple[str, ...] = ()  # what a program can reach but should not
    places: int | None = None  # how many programs may run at once, or None for any number
    lock_folder: Path | None = None  # the folder with the lock files of the class


ANY_MACHINE = Machine()


@dataclass
class PlayedSessions:
    """The sessions played with a program so far, as facts for an explanation."""

    player: Player  # plays the program, and can run it again for an explanation
    tests: Mapping[str, SessionResult]  # the tests by session name
    failed: list[PlayedSession] = field(default_factory=list)
    passed: list[Session] = field(default_factory=list)
    # Sessions without a failure when all input was sent at once, because the program never flushes.
    right_at_once: list[Session] = field(default_factory=list)
    are_hidden: bool = False  # whether the current part consists of the hidden sessions

    @property
    def has_failures(self) -> bool:
        """Whether the program failed any session of the current part."""
        return any(failed.session.is_hidden == self.are_hidden for failed in self.failed)

    def test_of(self, name: str) -> SessionResult:
        """Return the test for a session, given its name; all fresh games share one test."""
        return self.tests.get(name) or self.tests[FRESH]


# A function that adds to the results what went wrong in the sessions of the current part. Its last
# argument is its result from the previous call, or None in the first call.
Explain = Callable[[PlayedSessions, Results, Options, Any], Any]


def grade(
    assignment: Assignment,
    submission: Submission,
    options: Options,
    on_progress: OnProgress = ignore,
    machine: Machine = ANY_MACHINE,
    explain: Explain | None = None,
) -> Results:
    """Grade a submission, and return its results.

    `on_progress` gets the results at the start, whenever a test ends, and after each part, before
    the part is explained. Without `explain`, the results contain no findings. Raises `Termination`,
    `Shortage`, or any error of the grader itself, such as `SandboxError`.
    """
    with Grading(assignment, submission, options, on_progress, machine) as grading:
        explanation = None
        for played in grading.parts():
            if explain and played.has_failures:
                explanation = explain(played, grading.results, options, explanation)
    return grading.results


class Grading:
    """The grading of a submission; if it is interrupted, `results` records why."""

    def __init__(
        self,
        assignment: Assignment,
        submission: Submission,
        options: Options,
        on_progress: OnProgress = ignore,
        machine: Machine = ANY_MACHINE,
    ) -> None:
        self._assignment = assignment
        self._submission = submission
        self._options = options
        self._machine = machine
        self._on_progress = on_progress
        self._start = time.monotonic()
        transcripts = assignment.transcripts
        self._tests = {
            session.name: SessionResult(
                session.name,
                points_of(session),
                tags=[BEYOND] if session.is_beyond else [],
                visibility=options.visibility,
                title=session.title,
                hidden=session.is_hidden,
            )
            for session in transcripts
        }
        self._has_hidden = any(session.is_hidden for session in transcripts)
        if options.fresh:
            self._tests[FRESH] = SessionResult(
                FRESH, options.fresh_points, visibility=options.visibility
            )
        # The results list every test from the start, even though none has been played yet.
        self.results = Results(
            submission.name,
            assignment=assignment.label,
            game=assignment.title,
            prompts=options.prompts,
            at_once=options.at_once,
            reach=[*machine.reach],
            visibility=options.visibility,
            late=submission.late,
            id=submission.id,
            email=submission.email,
            seed=options.seed if options.fresh else None,
            sessions=digest_of_sessions(transcripts),
            tests=[*self._tests.values()],
        )
        self.results.notes += submission.notes  # `Results(...)` would shorten them

    def __enter__(self) -> Grading:
        self._on_progress(self.results)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Record what interrupted the grading or the explanation."""
        if isinstance(error, Termination):
            self._record_interruption(Interruption('signal', str(error)))
        elif isinstance(error, Shortage):
            self._record_interruption(error.interruption)
        elif isinstance(error, Exception):
            self._record_interruption(Interruption('failure', f'{type(error).__name__}: {error}'))
        self._update()

    def parts(self) -> Iterator[PlayedSessions]:
        """Play the visible sessions, then the hidden ones; yield after each part.

        When the last part is yielded, all points are known and final. The time the caller spends on
        a part does not count towards the time limit.
        """
        try:
            played = PlayedSessions(self._start_player(), self._tests)
        except SubmissionError as error:
            self._mark_rest_not_run('no program', str(error))
            self._update()
            self.results.complete = True
            return
        parts = [False, True] if self._has_hidden else [False]
        for are_hidden in parts:
            played.are_hidden = are_hidden
            self._play(played)
            self._update()
            self.results.complete = are_hidden is parts[-1]
            self._on_progress(self.results)
            begin = time.monotonic()
            yield played
            played.player.exclude_time(time.monotonic() - begin)

    def _update(self) -> None:
        """Update the time and the total score in the results."""
        if not self.results.complete:
            self.results.execution_time = round(time.monotonic() - self._start, 3)
        self.results.score = round(sum(test.score for test in self.results.tests), 6)

    def _record_interruption(self, interruption: Interruption) -> None:
        if self.results.complete:
            self.results.not_explained.append(interruption)
            return
        self.results.ended = interruption
        self._mark_rest_not_run('ended')

    def _mark_rest_not_run(self, reason: NotRun, detail: str = '') -> None:
        """Record in each waiting test why it will not run."""
        for test in self.results.tests:
            if test.state == 'waiting':
                mark_not_run(test, reason, detail)

    def _start_player(self) -> Player:
        """Build the program in the sandbox, and return a player for it.

        Raises `SubmissionError` if there is no program to run, or `SandboxError`.
        """
        assignment, submission, options = self._assignment, self._submission, self._options
        machine, limits = self._machine, options.limits
        if submission.complaint:
            raise SubmissionError(submission.complaint)
        lock = ClassLock(machine.lock_folder, limits.alone, limits.playing, machine.places)
        sandbox = confine(options.confine, submission.scratch, machine.hidden, limits)
        self.results.confinement = sandbox.kind
        if submission.folder:
            self.results.digest = digest_of_program(submission.folder)
        program, notes = make_program(
            submission.folder,
            assignment,
            options,
            sandbox,
            lambda program: build_with_retry(program, sandbox, lock, limits.build),
        )
        self.results.notes += notes
        if not assignment.requires_flush:
            program = replace(program, env={**program.env, **as_in_terminal(sandbox.kind)})
        return Player(
            assignment, options, sandbox, program, lock, submission.opened, self.results.notes
        )

    def _play(self, played: PlayedSessions) -> None:
        """Play the current part: the hidden sessions, or the others and then the fresh games.

        If time runs out or the program always hangs, record why the rest is not played. Only the
        built-in games have fresh games, and those have no hidden sessions.
        """
        if self._play_sessions(played) and self._play_fresh(played):
            return
        if self._is_known_to_hang(played):
            self._mark_rest_not_run(how_it_hung(played))
        else:
            self._record_interruption(self._time_limit)

    def _play_sessions(self, played: PlayedSessions) -> bool:
        """Play the sessions of the current part; return whether all of them were played."""
        player = played.player
        for session in self._assignment.transcripts:
            if session.is_hidden != played.are_hidden:
                continue
            if player.seconds_left <= 0 or self._is_known_to_hang(played):
                return False
            never_flushed = player.never_flushes  # as known before this session
            result = player.play(session)
            if result.failure_found and player.seconds_left <= 0:
                return False  # it may have failed because of the time limit
            if result.failure_found or not never_flushed:
                record_result(played, session.name, result)
            else:
                played.right_at_once.append(result.session)
                mark_not_run(played.test_of(session.name), 'late, but right at once')
            self._update()
            self._on_progress(self.results)
        return True

    def _is_known_to_hang(self, played: PlayedSessions) -> bool:
        """Return whether the program has hung, or exceeded a limit, in every session so far.

        Output that was only late does not count as hanging. Return False until the program has
        failed `MIN_HUNG` sessions and taken more than `Limits.hanging` seconds.
        """
        return (
            len(played.failed) >= MIN_HUNG
            and not played.passed
            and played.player.seconds_taken > self._options.limits.hanging
            and all(
                (failed.failure.kind in HANGING and not failed.failure.comes_late)
                or failed.dialogue.end in ('output', 'time', 'excess')
                for failed in played.failed
            )
        )

    @property
    def _time_limit(self) -> Interruption:
        return Interruption('time limit', f'{self._options.limits.submission:g}')

    def _play_fresh(self, played: PlayedSessions) -> bool:
        """Play the fresh games; record the smallest failing game found.

        Return False, without playing any, if there is no time or the program always hangs.
        """
        options, results, player = self._options, self.results, played.player
        if not options.fresh:
            return True
        test = self._tests[FRESH]
        if player.never_flushes:
            mark_not_run(test, 'late')
            return True
        if player.seconds_left <= 0 or self._is_known_to_hang(played):
            return False
        from .fresh import play_fresh  # rarely needed

        result = play_fresh(
            self._assignment.name,
            options.fresh,
            partial(player.play, types_on=False),
            seed=options.seed,
            prompts=options.prompts,
            is_at_once=options.at_once,
            stop_at=time.monotonic() + player.seconds_left,
        )
        if result.smallest:
            results.smallest = result.smallest.session.text
            results.flaky = result.is_flaky
            # Play it again, this time beyond the first wrong turn: an explanation needs that.
            again = player.play(result.smallest.place.session)
            record_result(played, FRESH, again if again.failure_found else result.smallest)
        elif result.is_cut:
            mark_not_run(test, 'cut', f'{result.games_played} of {options.fresh}')
            self._record_interruption(self._time_limit)
        else:
            give_points(test)
        self._update()
        self._on_progress(results)
        return True


def how_it_hung(played: PlayedSessions) -> NotRun:
    """Return the reason why no more sessions are played with a program that always hangs."""
    ends = {failed.dialogue.end for failed in played.failed}
    if 'excess' in ends:
        return 'hung or used too much'
    if 'output' in ends:
        return 'hung or printed without end'
    return 'hung'


def points_of(session: Session) -> float:
    """Return the points of a session: 0 if it is beyond the assignment."""
    return 0 if session.is_beyond else session.points


def record_result(played: PlayedSessions, name: str, result: PlayedSession) -> None:
    """Record the result of a session in its test and among the played sessions."""
    test = played.test_of(name)
    if result.failure_found:
        played.failed.append(result)
        test.state, test.example = 'failed', example_of(result, game_of(result.session))
    else:
        played.passed.append(result.session.line_by_line)
        give_points(test)


def give_points(test: SessionResult) -> None:
    """Record that a test has passed, and give it all its points."""
    test.state, test.score = 'passed', test.max_score


def mark_not_run(test: SessionResult, reason: NotRun, detail: str = '') -> None:
    """Record why a test was not run, or was cut short."""
    test.state, test.reason, test.detail = 'not run', reason, detail
