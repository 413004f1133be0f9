"""The grading of one submission: from the files that were handed in to the results and pages.

What has been graded, and has not changed since, is not graded again.

A busy machine must cost nobody points. So a session in which the program falls silent or is killed
is played again, while no other program runs, and only then counts. So is one that fails in another
way where others may have used up a limit, unless something wrong was printed. This goes on while
the submission has time left to be alone, and until two sessions have failed alone in the same way.
Where the machine lacks something that the grader itself needs, such as room on the disk, a class
grades the submission again when all others are done.
A program that finds a way to remember its first run knows where that was silent. So after a session
that is right only alone, the submission plays all others alone from the start, in one run each.

What went wrong is explained in a process of its own. It reads what was written by a student who
may want the grader to fail, so it has limits of time and memory. It sends what it finds, piece by
piece; if it is killed, its last piece counts.

Hidden sessions are played last, when the others have been explained. A program may remember what
was typed in one, by anything that the machine keeps from run to run. So nothing that students see
is made of a later run. At the end the hidden sessions are explained; the earlier findings stay as
they are.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
)

from .diagnosis.example import example_of, explained_example
from .games.registry import game_of
from .installation import grader_version
from .printable import clean, printable
from .reports.gradescope import for_gradescope
from .reports.out_folder import write_pages
from .reports.results_json import read_results, write_json, write_results
from .reports.summary import summary
from .results import (
    BEYOND,
    FRESH,
    INTERRUPTED,
    Example,
    Finding,
    Results,
    SessionResult,
    without_grade,
)
from .sandbox.confine import as_in_terminal, confine, discarding
from .sandbox.program import (
    ENDING_SECONDS,
    HAS_SANDBOX,
    KILLED,
    Program,
    StartError,
    folder_of,
    given_starter,
    script_of,
)
from .sandbox.untrusted_files import SubmissionError, is_shortage
from .seeds import seed_of
from .sessions.class_lock import ClassLock
from .sessions.play import Experience, look_for_files, play
from .sessions.run import Run
from .sessions.start import running
from .sessions.transcript import Transcript, at_once
from .sessions.verdict import HANGING, MOST_UNEXPECTED, Dialogue, LeftFile, Played, wrong_files
from .settings import OPTIONS, Settings
from .signals import ENDING_SIGNALS, Ended
from .submissions.building import make_program
from .submissions.copying import Submission, open_submission
from .submissions.digests import digest_of_program, fingerprint
from .submissions.local_program import copy_of_own

if TYPE_CHECKING:
    from .diagnosis.diagnose import Diagnosis
    from .sandbox.kinds import Sandbox

FEWEST_LATE = 2  # sessions with late output of a program that never flushes
MOST_CONFIRMED = 2  # sessions that fail again, alone
SAVE_SECONDS = 1.0  # at least, between two times while sessions are played
FEWEST_HUNG = 2  # sessions in which a program that always hangs has hung
NOT_IN_TURNS = 'not run line by line: the program prints its answers only after more input'
FLAKY = 'The program answers differently each time that it plays this game.'
MOST_SENT = 64 << 20  # bytes of one piece of an explanation
ABOUT_PYTHON = re.compile(r' ?In Python.*?\.(?= |$)')  # a sentence of an advice

# Yields what it has found so far; each piece replaces the one before.
Explain = Callable[[], Iterator[Any]]
Said = tuple[Any, str | None]  # a piece, or at the end why it ended
Report = Callable[[int, int], None]  # is told how many of how many are done


def unreported(done: int, total: int) -> None:
    """Report no progress."""


class Explanation(NamedTuple):
    """What is wrong with a program, as far as it has been found."""

    findings: Sequence[Finding] = ()
    keys: Sequence[object] = ()  # for each finding, what is alike where it shows
    examples: Mapping[str, Example] = {}  # how each session fails, by its name
    cut_short: Sequence[str] = ()  # what a clock has cut short

    def joined(self, other: Explanation) -> Explanation:
        """Return the explanation with that of other sessions.

        Its findings stay as they are, but for their sessions: where another finding has the same
        key, both are one.
        """
        pairs = [*zip(other.keys, other.findings, strict=True)]
        shared = dict(pairs)
        new = [(key, one) for key, one in pairs if key not in self.keys]
        return Explanation(
            [
                *(
                    one.with_sessions_of(shared[key]) if key in shared else one
                    for key, one in zip(self.keys, self.findings, strict=True)
                ),
                *(one for _, one in new),
            ],
            [*self.keys, *(key for key, _ in new)],
            {**self.examples, **other.examples},
            [*dict.fromkeys([*self.cut_short, *other.cut_short])],
        )


@dataclass(frozen=True)
class Task:
    """One submission to grade: its `name`, where it is, and where its results go."""

    name: str
    source: Path | None
    settings: Settings
    folder: Path | None = None  # of its results and pages
    gradescope: Path | None = None  # a results.json for Gradescope
    late: bool | None = None  # None if the export does not say it
    notes: tuple[str, ...] = ()  # on its files in an export
    id: str = ''  # of the student, '' if the export does not say it
    email: str = ''


# Grades a submission with a given fingerprint; saves its results and returns them.
Grade = Callable[[Task, Submission, str], Results]
Summaries = Generator[Results, None, None]
# Grades all tasks, and yields a summary of each when it is done; `close` ends what it started.
GradeAll = Callable[[Sequence[Task]], Summaries]


def grade(
    task: Task, handed_in: Submission, digest: str = '', report: Report = unreported
) -> Results:
    """Grade a submission, and return its results, which are saved after each session.

    `handed_in` is its copy; `digest` is the fingerprint of the results, '' if they are not kept. If
    something ends the grading, note it in the results. Raises `Ended`, `Shortage`, or what a
    failure of the grader raises, such as `SandboxError` and `OSError`.
    """
    grading = Grading(task, digest)
    grading.results.notes += handed_in.notes
    try:
        grading.save()
        try:
            player = player_of(handed_in, task.settings, grading.results)
            for are_hidden in grading.parts:
                grading.play(player, are_hidden, report)
                # When all points are known they stand, even if the explanation fails.
                grading.save(is_complete=are_hidden is grading.parts[-1])
                grading.explain(player, are_hidden)
        except SubmissionError as error:
            grading.fail_the_rest(str(error))
            grading.save(is_complete=True)
        grading.results.fingerprint = grading.fingerprint  # until something changes they stand
    except (Ended, Exception) as error:
        grading.end(
            printable(
                str(error)
                if isinstance(error, (Ended, Shortage))
                else f'a failure of the grader ({type(error).__name__}: {error})'
            )
        )
        raise
    finally:
        grading.save()
    return grading.results


def grade_task(task: Task, grade_it: Grade = grade) -> Results:
    """Return the results of one submission, graded if something has changed; write its pages."""
    settings, digest, graded = task.settings, '', None
    if task.folder:
        task.folder.mkdir(parents=True, exist_ok=True)
    with open_submission(task.source) as handed_in:
        if task.folder and handed_in.folder:  # else the results are not kept
            digest = fingerprint(
                handed_in.folder,
                (
                    grader_version(),
                    settings.assignment.name,
                    settings.assignment.files,
                    [getattr(settings, option) for option in OPTIONS],
                    settings.reach,
                    task.name,
                    task.id,
                    task.email,
                    task.late,
                    task.notes,
                    handed_in.notes,
                    handed_in.complaint,
                ),
            )
            if not settings.again:
                graded = read_results(task.folder / 'results.json')
        if graded and graded.fingerprint == digest:
            if task.gradescope:
                write_json(task.gradescope, for_gradescope(graded))
        else:
            if settings.fresh and settings.seed is None:
                settings = replace(
                    settings, seed=seed_of(digest, task.folder and task.folder.parent)
                )
            graded = grade_it(replace(task, settings=settings), handed_in, digest)
    if task.folder:
        write_pages(task.folder, graded, settings.assignment.transcripts)
    return graded


def grade_one_of_many(task: Task, grade_it: Grade = grade) -> Results:
    """Grade one submission; return a summary. No error goes on, so that the next can be graded."""
    try:
        return summary(grade_task(task, grade_it))
    except Ended:
        return without_grade(task.name, INTERRUPTED)
    except Exception as error:
        kind = '' if isinstance(error, Shortage) else f'{type(error).__name__}: '
        graded = without_grade(task.name, printable(f'{kind}{error}'))
        graded.is_short = isinstance(error, Shortage) or is_shortage(error)
        return graded


def player_of(handed_in: Submission, settings: Settings, results: Results) -> Player:
    """Build a program in the sandbox, and return what plays it; note in the results what is known.

    Raises `SubmissionError` if there is no program, `SandboxError` and `Shortage`.
    """
    if handed_in.complaint:
        raise SubmissionError(handed_in.complaint)
    lock = ClassLock(
        settings.lock_folder, settings.limits.alone, settings.limits.playing, settings.places
    )
    sandbox = confine(settings.confine, handed_in.scratch, settings.hidden, settings.limits)
    results.confinement = sandbox.kind
    if handed_in.folder:
        results.digest = digest_of_program(handed_in.folder)
    program, notes = make_program(handed_in.folder, settings, sandbox, lock)
    results.notes += notes
    if not settings.assignment.requires_flush:
        program = replace(program, env=as_in_terminal(sandbox.kind))
    return Player(settings, sandbox, program, lock, handed_in.opened)


class Grading:
    """A submission while it is graded: its results, and the sessions that it fails and passes.

    All tests are there from the start. `save` writes the results where the task says.
    """

    def __init__(self, task: Task, fingerprint: str = '') -> None:
        settings = task.settings
        self.fingerprint = fingerprint  # of the submission, if its results are kept
        self.results = Results(
            task.name,
            assignment=settings.assignment.label,
            game=settings.assignment.title,
            prompts=settings.prompts,
            at_once=settings.at_once,
            reach=[*settings.reach],
            visibility=settings.visibility,
            id=task.id,
            email=task.email,
            late=task.late,
            notes=[*task.notes],
        )
        self.tests = {
            one.name: SessionResult(
                one.name,
                points_of(one),
                tags=[BEYOND] * one.is_beyond,
                visibility=settings.visibility,
                title=one.title,
                hidden=one.is_hidden,
            )
            for one in settings.assignment.transcripts
        }
        if settings.fresh:
            self.results.seed = settings.seed
            self.tests[FRESH] = SessionResult(
                FRESH, settings.fresh_points, visibility=settings.visibility
            )
        self.results.tests = [*self.tests.values()]
        # The parts that are played and explained one after the other: are their sessions hidden?
        self.parts = [False, True] if any(test.hidden for test in self.results.tests) else [False]
        self._explanation = Explanation()
        self.failed: list[Played] = []
        self._passed: list[Transcript] = []
        self._right_at_once: list[Transcript] = []  # of a program that prints too late
        self._settings = settings
        self._task = task
        self._start = time.monotonic()
        self._saved = -SAVE_SECONDS  # when they were saved last

    def save(self, is_needed: bool = True, is_complete: bool = False) -> None:
        """Replace the files as a whole, so that nobody reads half of one. Raises `OSError`.

        Do nothing if it is not needed and has been done in the last second: it takes the time of
        the submission. `is_complete` says that all points are known: then time counts no more.
        """
        if not is_needed and time.monotonic() < self._saved + SAVE_SECONDS:
            return
        if not self.results.complete:
            self.results.execution_time = round(time.monotonic() - self._start, 3)
            self.results.complete = is_complete
        self.results.score = round(sum(test.score for test in self.results.tests), 6)
        if self._task.folder:
            write_results(self._task.folder / 'results.json', self.results)
        if self._task.gradescope:
            write_json(self._task.gradescope, for_gradescope(self.results))
        self._saved = time.monotonic()

    def end(self, reason: str) -> None:
        """Note what ended the grading, or the explanation, before it was complete."""
        if self.results.complete:
            self.results.notes.append(clean(f'not explained: {reason}'))
            return
        self.results.ended = reason
        self.fail_the_rest(f'not run: the grading was ended by {reason}')

    def fail_the_rest(self, message: str) -> None:
        """Note in all tests that have not run why they did not."""
        for test in self.results.tests:
            if test.state == 'waiting':
                self._leave_out(test, message)

    def play(self, player: Player, are_hidden: bool, report: Report) -> None:
        """Play the hidden sessions, or all others; if time or limits end this, note why.

        Fresh games come at the end. An assignment that has them has no hidden sessions.
        """
        if self._play_sessions(player, are_hidden, report) and self._play_fresh(player):
            return
        if self._is_known_to_hang(player):
            ends = {one.dialogue.end for one in self.failed}
            more = (
                ', or used too much,'
                if 'excess' in ends
                else ', or printed without end,'
                if 'output' in ends
                else ''
            )
            self.fail_the_rest(f'not run: the program hung{more} in every session before')
        else:
            self.end(player.limit)
            if not self.failed:  # the machine may have been slow
                self.fingerprint = ''

    def _play_sessions(self, player: Player, are_hidden: bool, report: Report) -> bool:
        """Play the sessions that are hidden, or not, if there is time; return whether there was."""
        for transcript in self._settings.assignment.transcripts:
            if transcript.is_hidden != are_hidden:
                continue
            if player.seconds_left <= 0 or self._is_known_to_hang(player):
                return False
            in_turns = not player.is_unflushed
            played = player.play(transcript)
            if played.wrong and player.seconds_left <= 0:
                return False  # the limit may have cut the session short
            if played.wrong or in_turns:
                self._note(transcript.name, played)
            else:
                self._right_at_once.append(played.session.line_by_line)
                self._leave_out(
                    self._test_of(transcript.name),
                    f'{NOT_IN_TURNS}. With all its input at once, it prints the expected output.',
                )
            report(sum(test.state != 'waiting' for test in self.tests.values()), len(self.tests))
        return True

    def _is_known_to_hang(self, player: Player) -> bool:
        """Return whether a program has hung in each session, or was killed for its use."""
        return (
            len(self.failed) >= FEWEST_HUNG
            and not self._passed
            and player.seconds > self._settings.limits.hanging
            and all(
                (one.failure.kind in HANGING and not one.failure.comes_late)
                or one.dialogue.end in ('output', 'time', 'excess')
                for one in self.failed
            )
        )

    def _play_fresh(self, player: Player) -> bool:
        """Play games that nobody has seen; of those that fail, note the smallest.

        Return whether there was time for all.
        """
        settings, results = self._settings, self.results
        if not settings.fresh:
            return True
        test = self.tests[FRESH]
        if player.is_unflushed:
            self._leave_out(test, NOT_IN_TURNS)
            return True
        if player.seconds_left <= 0 or self._is_known_to_hang(player):
            return False
        from .fresh import play_fresh  # which is seldom needed

        fresh = play_fresh(
            settings.assignment.name,
            settings.fresh,
            partial(player.play, types_on=False),
            seed=settings.seed,
            prompts=settings.prompts,
            at_once=settings.at_once,
            stop_at=time.monotonic() + player.seconds_left,
        )
        if fresh.smallest:
            results.smallest = fresh.smallest.session.text
            results.flaky = FLAKY if fresh.is_flaky else ''
            again = player.play(fresh.smallest.place.session)
            self._note(FRESH, again if again.wrong else fresh.smallest)
        elif fresh.is_cut:
            self._leave_out(
                test,
                f'not run to the end: {player.limit} came after {fresh.played} '
                f'of {settings.fresh} games, all of them right',
            )
        else:
            self._pass(test)
        return not fresh.is_cut

    def _note(self, name: str, played: Played) -> None:
        """Note the result of a test."""
        if played.wrong:
            self.failed.append(played)
            self._fail(self._test_of(name), example_of(played, game_of(played.session)))
        else:
            self._passed.append(played.session.line_by_line)
            self._pass(self._test_of(name))
        self.save(is_needed=False)

    def _pass(self, test: SessionResult) -> None:
        """Give a test all its points."""
        test.state, test.score, test.output = 'passed', test.max_score, ''

    def _leave_out(self, test: SessionResult, why: str) -> None:
        """Note why a test is not run, or not run to its end."""
        test.state, test.output = 'not run', why

    def _fail(self, test: SessionResult, example: Example) -> None:
        """Note how a program fails a test."""
        test.state, test.example, test.output = 'failed', example, ''

    def _test_of(self, name: str) -> SessionResult:
        """Return the test of a session; a session without a test is a fresh game."""
        return (
            self.tests.get(name)
            or next((test for test in self.results.tests if test.name == name), None)
            or self.tests[FRESH]
        )

    def explain(self, player: Player, are_hidden: bool) -> None:
        """Write into the results what is wrong with the program in hidden or in other sessions."""
        if not any(one.session.is_hidden == are_hidden for one in self.failed):
            return
        limits, begin = self._settings.limits, time.monotonic()
        found, reason = explained(
            partial(self._pieces, player, are_hidden),
            limits.explanation / len(self.parts),
            limits.explanation_memory,
            player.clear,
        )
        player.leave_out(time.monotonic() - begin)
        if reason:
            self.results.notes.append(clean(f'not explained: {reason}'))
        if not found:
            return
        self._explanation = self._explanation.joined(found)
        self.results.findings = [*self._explanation.findings]
        self.results.cut_short = [*self._explanation.cut_short]
        for finding in self.results.findings:
            finding.sessions[:] = [self._test_of(name).name for name in finding.sessions]
        for name, example in found.examples.items():  # by the names of transcripts
            self._fail(self._test_of(name), example)

    def _pieces(self, player: Player, are_hidden: bool) -> Iterator[Explanation]:
        """Yield what is found in hidden sessions, or in others, piece by piece.

        First comes how each session fails, then why, then where.
        """
        from .diagnosis.diagnose import diagnose  # which take long to import
        from .diagnosis.places.where import Tracing, why_silent

        def worth(transcript: Transcript) -> float:
            return self._test_of(transcript.name).max_score

        def explanation(diagnosis: Diagnosis, *late: str) -> Explanation:
            return Explanation(
                diagnosis.findings(worth, game_of),
                [fault.key for fault in diagnosis.faults],
                examples,
                late,
            )

        settings, failed = self._settings, self.failed
        examples = {
            one.session.name: explained_example(one, game_of(one.session))
            for one in failed
            if one.session.is_hidden == are_hidden
        }
        yield Explanation(examples=examples)
        # What other sessions show helps to explain hidden ones, but not the other way round.
        diagnosis = diagnose(
            game_of,
            failed,
            [*self._passed, *self._right_at_once],
            settings.limits.search,
            partial(why_silent, player.program),
        )
        if are_hidden:
            diagnosis = diagnosis.of_hidden()
        is_python = script_of(player.program.words) is not None
        for fault in () if is_python else diagnosis.faults:
            fault.advice = ABOUT_PYTHON.sub('', fault.advice).strip()
        late = ['search'] * diagnosis.is_late
        yield explanation(diagnosis, *late)
        if not settings.where or are_hidden or player.seconds_left <= 0 or not is_python:
            return
        # In a class no more than a fifth of all time.
        most = player.seconds / 4 if settings.lock_folder is not None else math.inf
        tracing = Tracing(
            player.play_again,
            player.program,
            min(settings.limits.tracing, most),
            settings.limits.changes if player.discards else 0,
        )
        # A program that is followed may go another way another time.
        diagnosis = tracing.explain(
            diagnosis, failed, [one for one in self._passed if not one.others]
        )
        yield explanation(diagnosis, *late, *['tracing'] * tracing.is_late)


def points_of(transcript: Transcript) -> float:
    """Return the points of a session: 0 beyond the assignment."""
    return 0 if transcript.is_beyond else transcript.points


def explained(
    explain: Explain, seconds: float, memory: int, clear: Callable[[], None] = lambda: None
) -> tuple[Any, str]:
    """Return the last piece of an explanation, and why it ended before its end, '' if it did not.

    The explanation is made in a fork of this process. It may take `seconds` by the clock, and
    `memory` in bytes. If it does not come to its end, `clear` removes what its runs have left.
    """
    said: list[Said] = [(None, None)]
    if not HAS_SANDBOX:  # only the user's own program is graded
        send_pieces(explain, said.append, seconds, memory)
        return said[-2][0], said[-1][1] or ''
    import multiprocessing  # which a right program does not need
    import pickle

    from .sandbox.kernel import patiently  # on Linux and macOS alone
    from .sandbox.processes import Descendants

    until = time.monotonic() + seconds
    context = multiprocessing.get_context('fork')
    receiver, sender = context.Pipe(duplex=False)
    with receiver, closing(Descendants()):
        with sender:
            process = context.Process(
                target=send_pieces, args=(explain, sender.send, seconds, memory)
            )
            try:
                patiently(process.start)
            except OSError as error:
                return None, f'the system has no process for it: {error.strerror}'
        try:
            while receiver.poll(max(0, until - time.monotonic())):
                said.append(pickle.loads(receiver.recv_bytes(MOST_SENT)))
                if said[-1][1] is not None:
                    return said[-2][0], said[-1][1]
            return said[-1][0], f'the explanation took more than {seconds:g} s'
        except (EOFError, OSError):
            return said[-1][0], 'the process that explains was killed'
        finally:
            if said[-1][1] is None:
                # Until it ends it keeps its place in the class, so that nobody meets what it left.
                assert process.pid  # it has been started
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGSTOP)
                clear()
            process.kill()
            process.join(ENDING_SECONDS)


def send_pieces(
    explain: Explain, send: Callable[[Said], None], seconds: float, memory: int
) -> None:
    """Explain, and send each piece; at the end send why it ended, '' if all is explained.

    Where others' programs are graded, this process is a fork, and has limits.
    """
    end = ''
    if HAS_SANDBOX:
        import resource  # which Windows does not have

        for number in ENDING_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        # Programs have limits of their own. The grader ends this process in time, unless something
        # has killed the grader.
        for kind, limit in (
            (resource.RLIMIT_DATA, memory),
            (resource.RLIMIT_CPU, math.ceil(seconds) + 1),
        ):
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))
    try:
        for found in explain():
            send((found, None))
    except MemoryError:
        end = f'the explanation used more than {memory >> 20} MB of memory'
    except Exception as error:
        end = type(error).__name__
    send((None, end))


class Shortage(Exception):
    """Why the machine cannot run a program, even alone; the program is not to blame."""


class Player:
    """Plays sessions through a program, in the sandbox and in bounded time.

    Its time counts from `opened`, without the time that it waits for its `lock`, or that explaining
    takes.
    """

    def __init__(
        self, settings: Settings, sandbox: Sandbox, program: Program, lock: ClassLock, opened: float
    ) -> None:
        self._settings = settings
        self._sandbox = sandbox
        self.program = program
        self.limit = f'the time limit of {settings.limits.submission:g} s'  # in words
        self._lock = lock
        self._began = opened  # later, by the seconds that do not count
        self._experience = Experience(settings.timeout)
        self._late = 0  # sessions in which output came only after more input
        self._has_room = False  # the machine had all the memory that a run may hold
        self._confirmed = 0  # sessions that failed again, alone
        self._plays_alone = False  # from the start, after a session that was right only alone

    @property
    def seconds(self) -> float:
        """How many seconds the grading has taken."""
        return time.monotonic() - self._began - self._lock.waited

    @property
    def seconds_left(self) -> float:
        """How many seconds the grading may still take, if it never waits."""
        return self._settings.limits.playing - self.seconds

    def leave_out(self, seconds: float) -> None:
        """Do not count some seconds, in which no session was played."""
        self._began += seconds

    def play(self, transcript: Transcript, types_on: bool = True) -> Played:
        """Play a session up to the first wrong turn; if `types_on`, go on behind that.

        A session in which the machine may be why the program fails is played once more, alone,
        while the submission may be alone. When that has helped once, sessions are played alone at
        once. Raises `Shortage`.
        """
        played: Played | None = None
        if self._plays_alone and self._may_be_alone:
            played = self._play_once(transcript, types_on, is_alone=True)
            self._confirmed += played.wrong is not None and not played.is_settled
            if not played.wrong or self._lock.seconds_left:
                return played  # else the end of that time may be all that went wrong
        try:
            played = self._play_once(transcript, types_on)
            is_in_doubt = (
                played.wrong
                and not played.is_settled
                and (
                    played.wrong.kind in HANGING
                    or played.status in KILLED
                    or self._sandbox.shares_limits
                )
            )
            if not is_in_doubt or not self._may_be_alone:
                return played
        except Shortage:
            if not self._may_be_alone:
                raise
        again = self._play_once(transcript, types_on, is_alone=True)
        self._plays_alone |= not again.wrong
        if again.wrong and played and played.wrong:
            self._confirmed += again.wrong.kind == played.wrong.kind
            if not self._lock.seconds_left:
                return played  # the end of that time may be all that went wrong
        return again

    @property
    def _may_be_alone(self) -> bool:
        return (
            self._lock.seconds_left > 0
            and self._confirmed < MOST_CONFIRMED
            and self.seconds_left > 0
        )

    @property
    def is_unflushed(self) -> bool:
        """Whether output came late so often that no session is played line by line any more."""
        return self._late >= FEWEST_LATE

    def _play_once(self, transcript: Transcript, types_on: bool, is_alone: bool = False) -> Played:
        """Play a session, perhaps while no other program runs. Raises `Shortage`."""
        is_at_once = self._settings.at_once or self.is_unflushed
        if is_at_once and transcript.others:  # what to type depends on what the program prints
            return Played(transcript, Dialogue())
        files: dict[str, LeftFile] = {}
        in_folder = partial(
            look_for_files,
            transcript,
            files,
            self.program.below,
            [file.name for file in self._settings.assignment.data],
            MOST_UNEXPECTED,
        )
        session = at_once(transcript) if is_at_once else transcript
        with self._running(
            self.program,
            transcript,
            self._settings.limits.replay,
            is_alone,
            in_folder if transcript.files else None,
        ) as run:
            played = play(
                session,
                run,
                self._experience,
                types_on=types_on,
                may_repeat=self._may_be_alone and not is_alone,
            )
            if played.wrong and not played.is_settled:
                self._check_shortage(run, played.dialogue, is_alone)
        self._experience.note(played)
        if played.wrong:
            self._late += played.wrong.comes_late
        played.dialogue.files = files
        played.dialogue.given = self.program.given
        played.dialogue.starter = given_starter(self.program)
        played.wrong = played.wrong or next(wrong_files(session, played.dialogue), None)
        return played

    def play_again(
        self,
        transcript: Transcript,
        words: Sequence[str],
        seconds: float,
        use: Callable[[Run], Any],
    ) -> Any:
        """Return what is made of a run for a session, for some seconds; None if it cannot start.

        The words start a program in Python, which gets the command line of the player's program. It
        runs where nothing lasts, if this machine has such a sandbox.
        """
        from .diagnosis.places.where import traced  # which takes long to import

        program = self._program_apart
        if program:
            root = os.path.relpath('.', program.below) if self.program.folder else ''
            with (
                suppress(Shortage),
                self._running(
                    traced(program, words, root), transcript, seconds, sandbox=self._sandbox_apart
                ) as run,
            ):
                return use(run)
        return None

    def clear(self) -> None:
        """End what a run has started that was cut off, and remove what it has left."""
        self._sandbox.clear()

    @property
    def discards(self) -> bool:
        """Whether a program that `play_again` runs can change nothing that lasts."""
        return self._sandbox_apart.discards

    @cached_property
    def _sandbox_apart(self) -> Sandbox:
        return discarding(self._sandbox, self._settings.limits)

    @cached_property
    def _program_apart(self) -> Program | None:
        """The program that `play_again` runs: but on Windows, never in the user's own folder."""
        if self.program.folder or not HAS_SANDBOX:
            return self.program
        try:
            return copy_of_own(self.program, self._sandbox.scratch / 'submission')
        except (SubmissionError, OSError):
            return None

    @contextmanager
    def _running(
        self,
        program: Program,
        transcript: Transcript,
        seconds: float,
        is_alone: bool = False,
        in_folder: Callable[[int], AbstractContextManager[None]] | None = None,
        sandbox: Sandbox | None = None,
    ) -> Iterator[Run]:
        """Start a program for a transcript, for at most the time that the submission has left."""
        sandbox = sandbox or self._sandbox
        if self._settings.assignment.has_arguments:
            program = replace(program, words=[*program.words, *transcript.arguments])
        most = self._lock.seconds_left if is_alone else math.inf
        with self._lock.alone() if is_alone else self._lock.shared():
            seconds = min(seconds, most, self.seconds_left)
            self._check_space()
            self._has_room = is_alone and sandbox.has_room()
            try:
                with running(program, sandbox, seconds, in_folder) as run:
                    if not program.folder:  # the user's own program, which may lie elsewhere
                        run.folder = str(folder_of(self.program))
                    yield run
            except StartError as error:
                raise Shortage(f'the program cannot be started: {error}') from None
            except OSError as error:
                if is_shortage(error):
                    raise Shortage(f'the machine cannot run programs: {error.strerror}') from None
                raise

    def _check_shortage(self, run: Run, dialogue: Dialogue, is_alone: bool) -> None:
        """Raise `Shortage` if the machine seems to be why a run has failed."""
        if run.was_killed_by_system:
            if not self._has_room:
                raise Shortage('the system killed the program: the machine has too little memory')
            dialogue.end, dialogue.excess = 'excess', 'more memory than the machine has'
        if not is_alone:  # another program may have filled the disk
            self._check_space()

    def _check_space(self) -> None:
        """Raise `Shortage` if the disk is full, or has no room for the names of more files."""
        limits, scratch = self._settings.limits, self._sandbox.scratch
        if shutil.disk_usage(scratch).free < limits.free_disk:
            raise Shortage('the disk of this machine is full')
        if HAS_SANDBOX:
            disk = os.statvfs(scratch)  # which some file systems do not count
            if disk.f_files and disk.f_favail < limits.free_files:
                raise Shortage('the disk of this machine is full: it can have no more files')
