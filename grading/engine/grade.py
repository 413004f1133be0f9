"""Grades one submission: plays its sessions, and gives points for each session passed.

The hidden sessions are played last. When all points are final, `grade` calls `explain`, if the
caller passes it: first about the visible sessions, and then about the hidden ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from ..assignments.folder import files_of_single_session
from ..games import game_of
from ..results import BEYOND, FRESH, Interruption, NotRun, Results, SessionResult
from ..sandbox.choose import ANY_MACHINE, Machine, as_in_terminal, confine, machine_probed
from ..sandbox.program import words_in
from ..sandbox.untrusted_files import SubmissionError
from ..sessions.session import Session, digest_of_sessions
from ..sessions.verdict import HANGING, PlayedSession
from ..settings import Assignment, Options
from ..signals import Termination
from ..submissions.building import make_program
from ..submissions.copying import Submission, linked_submissions
from ..submissions.digests import digest_of_program
from .example import example_of
from .retries import SessionPlayer, Shortage, build_in_stints
from .stints import Stint

MIN_HUNG = 2  # a program that hung in fewer sessions does not count as always hanging

OnProgress = Callable[[Results], None]


def ignore(results: Results) -> None:
    """Do nothing: the default for `on_progress`."""


@contextmanager
def sandbox_probed(
    assignment: Assignment,
    options: Options,
    submissions: Sequence[Path],
    hidden: Sequence[Path] = (),
) -> Iterator[tuple[Options, Machine]]:
    """Yield the options with a sandbox that works here, and the facts about this machine.

    The sandbox hides the folders of the submissions, the assignment and the `hidden` paths. Raises
    `SandboxError`.
    """
    links = linked_submissions(submissions)
    path = assignment.path
    own: Iterable[Path] = ()
    if path:
        own = [path] if path.is_dir() else files_of_single_session(path)
    tools = [
        word
        for language in options.languages_of(assignment)
        for word in (*words_in(language.command), 'sh', '-c', language.build)
    ]
    with machine_probed(
        options.confine,
        options.command,
        # `resolve` would fail for a link to itself.
        [links.get(path) or path.resolve() for path in submissions],
        [path.resolve() for path in [*own, *hidden]],
        tools,
    ) as machine:
        yield replace(options, confine=machine.confine), machine


@dataclass
class PlayedSessions:
    """A part of the played sessions, as facts for an explanation: the visible ones, or all."""

    player: SessionPlayer  # plays the program, and can run it again for an explanation
    tests: Mapping[str, SessionResult]  # the tests by session name
    failed: Sequence[PlayedSession]
    passed: Sequence[Session]
    # Sessions without a failure when all input was sent at once, because the program never flushes.
    right_at_once: Sequence[Session]
    # Whether this is about the hidden sessions, too: then only these are to be explained.
    are_hidden: bool

    @property
    def has_failures(self) -> bool:
        """Whether the program failed any session that is to be explained."""
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
    stint: Stint | None = None,
) -> Results:
    """Grade a submission, and return its results.

    `on_progress` gets the results at the start, whenever a test ends, and when all points are
    final. Without `explain`, the results contain no findings. `stint` is the submission's first
    stint. Raises `Termination`, `Shortage`, or any error of the grader itself, such as
    `SandboxError`.
    """
    stint = stint or Stint()
    with Grading(assignment, submission, options, on_progress, machine, stint) as grading:
        grading.play()
        if explain:
            explanation = None
            for played in grading.parts():
                explanation = explain(played, grading.results, options, explanation)
    return grading.results


class Grading:
    """The grading of a submission; if it is interrupted, `results` records why."""

    def __init__(
        self,
        assignment: Assignment,
        submission: Submission,
        options: Options,
        on_progress: OnProgress,
        machine: Machine,
        stint: Stint,
    ) -> None:
        self._assignment = assignment
        self._submission = submission
        self._options = options
        self._machine = machine
        self._stint = stint
        self._on_progress = on_progress
        self._start = time.monotonic()
        self._player: SessionPlayer | None = None  # None while there is no program
        self._outcomes: dict[str, PlayedSession] = {}  # the sessions that count, by test
        self._tests = {
            session.name: SessionResult(
                session.name,
                points_of(session),
                tags=[BEYOND] if session.is_beyond else [],
                visibility=options.visibility,
                title=session.title,
                hidden=session.is_hidden,
            )
            for session in assignment.sessions
        }
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
            sessions=digest_of_sessions(assignment.sessions),
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

    def play(self) -> None:
        """Play the sessions and the fresh games; after that, all points are final."""
        try:
            self._player = self._start_player()
        except SubmissionError as error:
            self._mark_rest_not_run('no program', str(error))
        else:
            self._play(self._player)
        self._update()
        self.results.complete = True
        self._on_progress(self.results)

    def parts(self) -> Iterator[PlayedSessions]:
        """Yield what is to be explained, in slow stints: visible sessions, then hidden ones.

        The time the caller spends on a part does not count towards the time limit.
        """
        for are_hidden in (False, True) if self._player else ():
            outcomes = [
                self._outcomes[name]
                for name in sorted(self._outcomes, key=lambda name: self._tests[name].hidden)
                if self._tests[name].hidden <= are_hidden
            ]
            right = [outcome for outcome in outcomes if not outcome.failure_found]
            assert self._player
            played = PlayedSessions(
                self._player,
                self._tests,
                [outcome for outcome in outcomes if outcome.failure_found],
                [outcome.session.line_by_line for outcome in right if not outcome.only_at_once],
                [
                    outcome.session
                    for outcome in right
                    if outcome.only_at_once and outcome.dialogue.turns
                ],
                are_hidden,
            )
            if played.has_failures:
                self._stint.ask('slow')
                begin = time.monotonic()
                yield played
                self._player.exclude_time(time.monotonic() - begin)

    def _update(self) -> None:
        """Update the time and the total score in the results."""
        if not self.results.complete:
            self.results.execution_time = round(
                time.monotonic() - self._start - self._stint.waited, 3
            )
        self.results.score = round(sum(test.score for test in self.results.tests), 6)

    def _record(self, name: str, outcome: PlayedSession) -> None:
        """Record the final outcome of a session, and report progress."""
        test = self._tests[name]
        self._outcomes[name] = outcome
        if outcome.failure_found:
            test.state, test.example = 'failed', example_of(outcome, game_of(outcome.session))
        elif outcome.only_at_once:
            mark_not_run(test, 'late, but right at once' if outcome.dialogue.turns else 'late')
        else:
            give_points(test)
        self._update()
        self._on_progress(self.results)

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

    def _start_player(self) -> SessionPlayer:
        """Build the program in the sandbox, and return a player for it.

        Raises `SubmissionError` if there is no program to run, or `SandboxError`.
        """
        assignment, submission, options = self._assignment, self._submission, self._options
        if submission.complaint:
            raise SubmissionError(submission.complaint)
        sandbox = confine(options.confine, submission.scratch, self._machine.hidden, options.limits)
        self.results.confinement = sandbox.kind
        if submission.folder:
            self.results.digest = digest_of_program(submission.folder)
        program, notes = make_program(
            submission.folder,
            assignment,
            options,
            sandbox,
            lambda program: build_in_stints(program, sandbox, self._stint, options.limits),
        )
        self.results.notes += notes
        if not assignment.requires_flush:
            program = replace(program, env={**program.env, **as_in_terminal(sandbox.kind)})
        return SessionPlayer(
            assignment,
            options,
            sandbox,
            program,
            self._stint,
            submission.opened,
            self.results.notes,
        )

    def _play(self, player: SessionPlayer) -> None:
        """Play the sessions and the fresh games.

        If time runs out or the program always hangs, record why the rest is not played. Only the
        built-in games have fresh games, and those have no hidden sessions.
        """
        self._play_sessions(player)
        while player.doubts:
            for name, outcome in player.settle():
                self._record(name, outcome)
            self._play_sessions(player)  # the program may not always hang after all
        if not self._is_over(player) and self._options.fresh:
            self._play_fresh(player)
        if self._is_known_to_hang(player):
            self._mark_rest_not_run(how_it_hung(self._outcomes.values()))
        elif any(test.state == 'waiting' for test in self.results.tests):
            self._record_interruption(self._time_limit)

    def _play_sessions(self, player: SessionPlayer) -> None:
        """Play the sessions not played yet, the hidden ones last, until `_is_over`."""
        for session in sorted(self._assignment.sessions, key=lambda session: session.is_hidden):
            if self._tests[session.name].state != 'waiting' or session.name in player.doubts:
                continue
            if self._is_over(player):
                return
            outcome = player.play(session)
            if player.seconds_left <= 0 and not (outcome and not outcome.failure_found):
                player.doubts.pop(session.name, None)
                return  # it may have failed because of the time limit
            if outcome:
                self._record(session.name, outcome)

    def _is_over(self, player: SessionPlayer) -> bool:
        """Return whether the rest is not played: time has run out, or the program always hangs."""
        return player.seconds_left <= 0 or self._is_known_to_hang(player)

    def _is_known_to_hang(self, player: SessionPlayer) -> bool:
        """Return whether the program has hung, or exceeded a limit, in every session so far.

        There must be `MIN_HUNG` sessions. They must have taken more than `Limits.hanging` seconds,
        unless the program has never printed even the first expected line.
        """
        outcomes = [*self._outcomes.values(), *(first for _, first in player.doubts.values())]
        played = [outcome for outcome in outcomes if isinstance(outcome, PlayedSession)]
        if len(outcomes) < MIN_HUNG or len(played) < len(outcomes) or not all(map(hangs, played)):
            return False
        return player.seconds_taken > self._options.limits.hanging or all(
            outcome.is_mute for outcome in played
        )

    @property
    def _time_limit(self) -> Interruption:
        return Interruption('time limit', f'{self._options.limits.submission:g}')

    def _play_fresh(self, player: SessionPlayer) -> None:
        """Play the fresh games; record the smallest failing game found."""
        options, results = self._options, self.results
        test = self._tests[FRESH]
        if player.never_flushes:
            mark_not_run(test, 'late')
            return
        from .fresh import play_fresh  # rarely needed

        result = play_fresh(
            self._assignment.name,
            options.fresh,
            partial(player.play_and_settle, types_on=False),
            seed=options.seed,
            prompts=options.prompts,
            is_at_once=options.at_once,
            stop_at=options.limits.playing,
            now=lambda: player.seconds_taken,
        )
        if result.smallest:
            results.smallest = result.smallest.session.text
            results.flaky = result.is_flaky
            # Play it again, this time beyond the first wrong turn: an explanation needs that.
            again = player.play_and_settle(result.smallest.wrong_line.session)
            self._record(FRESH, again if again.failure_found else result.smallest)
        elif result.is_cut:
            mark_not_run(test, 'cut', f'{result.games_played} of {options.fresh}')
            self._record_interruption(self._time_limit)
        else:
            give_points(test)
        self._update()
        self._on_progress(results)


def hangs(played: PlayedSession) -> bool:
    """Return whether a program hung in a session, or exceeded a limit.

    A program that waits for input instead of printing does not hang, nor does one whose output
    comes late.
    """
    failure = played.failure_found
    if not failure:
        return False
    waits = failure.kind == 'silent' and played.was_seen_waiting
    return (
        failure.kind in HANGING and not (failure.comes_late or waits)
    ) or played.dialogue.end in ('output', 'time', 'excess')


def how_it_hung(outcomes: Iterable[PlayedSession]) -> NotRun:
    """Return the reason why no more sessions are played with a program that always hangs."""
    ends = {outcome.dialogue.end for outcome in outcomes}
    if 'excess' in ends:
        return 'hung or used too much'
    if 'output' in ends:
        return 'hung or printed without end'
    return 'hung'


def points_of(session: Session) -> float:
    """Return the points of a session: 0 if it is beyond the assignment."""
    return 0 if session.is_beyond else session.points


def give_points(test: SessionResult) -> None:
    """Record that a test has passed, and give it all its points."""
    test.state, test.score = 'passed', test.max_score


def mark_not_run(test: SessionResult, reason: NotRun, detail: str = '') -> None:
    """Record why a test was not run, or was cut short."""
    test.state, test.reason, test.detail = 'not run', reason, detail
