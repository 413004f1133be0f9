"""Plays a program's sessions, and plays those again that the machine may have disturbed.

A busy machine must not cost anybody points. A wrong line is certainly the program's fault, in every
stint. So is silence if the program is seen to be waiting for input, or has used a processor for as
long as it may be silent. Any other failure is in doubt if the program hung or was killed, or if
other programs can take the memory or the processes it needs.

Sessions in doubt are played again alone (see `stints`), once each, after all the others. Only the
second run counts, unless the submission's time for runs alone was used up during it: this may be
why it failed. Once that time is used up, or once runs alone have confirmed two failures, the other
failures stand.

`Shortage` is raised if the machine lacks something a run needs, such as disk space. When a whole
class is graded, affected submissions are graded once more, after all the others.
"""

from __future__ import annotations

import math
import os
import shlex
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..limits import FIRST_SILENCE, MAX_UNEXPECTED, Limits
from ..printable import printable
from ..results import Interruption, Reason
from ..sandbox.calls import reported
from ..sandbox.choose import discarding
from ..sandbox.program import (
    HAS_SANDBOX,
    KILLED,
    Program,
    StartError,
    command_as_typed,
    folder_of,
    given_starter,
    note_on_first_line,
    python_version,
)
from ..sandbox.untrusted_files import SubmissionError, is_shortage
from ..sessions.late_output import prints_in_time
from ..sessions.play import Experience, file_names_in, look_for_files, play
from ..sessions.run import Run, running
from ..sessions.session import ExpectedFile, Session, at_once
from ..sessions.verdict import (
    HANGING,
    Dialogue,
    LeftFile,
    PlayedSession,
    wrong_files,
)
from ..settings import Assignment, Options
from ..submissions.building import build
from ..submissions.copying import copy_without
from ..submissions.which_program import copy_of_own
from .stints import Stint

if TYPE_CHECKING:
    from ..sandbox.kinds import Sandbox

# After this many sessions with late output, a program counts as never flushing, unless a session
# has shown that it prints in time.
MIN_LATE = 2
LEFT_OUT = 'left out: {}: the program must write this file itself'
NOT_STARTED = (126, 127)  # exit statuses if the system cannot start a program
REFUSAL_SECONDS = 15  # the time limit for finding out what the sandbox refuses
MAX_CONFIRMED = 2  # after this many failures confirmed by runs alone, play nothing again


class Shortage(Exception):
    """The machine lacks something a run needs; the program is not to blame."""

    def __init__(self, reason: Reason, detail: str = '') -> None:
        super().__init__(reason, detail)
        self.interruption = Interruption(reason, detail)


def build_in_stints(
    program: Program, sandbox: Sandbox, stint: Stint, limits: Limits
) -> tuple[Path, list[str]]:
    """Build a program; if that fails, build it once more, alone.

    For the result and the errors, see `build`.
    """
    try:
        begin = time.monotonic()
        try:
            return build(program, sandbox, limits.quick if stint.kind == 'quick' else limits.build)
        except SubmissionError:
            if stint.kind != 'quick' or time.monotonic() - begin < limits.quick:
                raise
        stint.ask('slow')
        return build(program, sandbox, limits.build)
    except (SubmissionError, OSError) as error:
        first = error
    stint.ask('alone')
    try:
        return build(program, sandbox, min(limits.build, limits.alone))
    except SubmissionError:
        if stint.seconds_alone < limits.alone:
            raise
        # The time for runs alone is used up; this may be why the build failed.
        raise first from None


class SessionPlayer:
    """Plays a program's sessions, in the sandbox and in bounded time.

    The player adds to `notes`. Its clock starts at `opened`, by the monotonic clock. It stops while
    the submission waits for a `stint`, and while failures are explained.
    """

    def __init__(
        self,
        assignment: Assignment,
        options: Options,
        sandbox: Sandbox,
        program: Program,
        stint: Stint,
        opened: float,
        notes: list[str],
    ) -> None:
        self._assignment = assignment
        self._options = options
        self._sandbox = sandbox
        self.program = program
        # The program without the submitted files that sessions expect it to write, unless there are
        # none, or it needs them; and for each of these files, by path, a note that it is left out.
        self._without_leftovers: Program | None = None
        self._leftovers: dict[str, str] = {}
        self._notes = notes
        self._stint = stint
        self._began = opened  # when the clock started; `exclude_time` moves this forward
        self._experience = Experience(options.timeout)
        self._was_right: bool | None = None  # whether anything right has come; None if unknown
        self._late = 0  # sessions that failed because output arrived only after more input
        self._prints_in_time = False  # whether a session has shown that the program flushes
        self._has_room = False  # whether the last run began alone and with enough free memory
        self._confirmed = 0  # failures confirmed by runs alone
        self._find_leftovers()
        # The sessions in doubt by name, each with its first run, or why it could not run.
        self.doubts: dict[str, tuple[Session, PlayedSession | Shortage]] = {}

    @property
    def seconds_taken(self) -> float:
        """How many seconds the grading has taken, by the player's clock."""
        return time.monotonic() - self._began - self._stint.waited

    @property
    def seconds_left(self) -> float:
        """How many seconds may still be spent on playing, by the player's clock."""
        return self._options.limits.playing - self.seconds_taken

    @property
    def is_in_class(self) -> bool:
        """Whether other submissions are graded at the same time."""
        return self._stint.is_in_class

    def exclude_time(self, seconds: float) -> None:
        """Do not count this many seconds: failures were explained in them."""
        self._began += seconds

    def _find_leftovers(self) -> None:
        """Find the submitted files that sessions expect the program to write."""
        program, folder = self.program, self._sandbox.scratch / 'without'
        paths = {
            self._path_of(file): file.path
            for session in self._assignment.sessions
            for file in session.end.files
        }
        if program.folder:
            found = copy_without(program.folder, paths.keys() - program.given, folder)
            self._leftovers = {path: LEFT_OUT.format(printable(paths[path])) for path in found}
        if self._leftovers:
            self._without_leftovers = replace(program, folder=folder)

    def _program_for(self, session: Session) -> Program:
        """Return the program to run in a session: without the files it must write, if possible."""
        without = self._without_leftovers
        return without if without and self._notes_on_leftovers(session) else self.program

    def _notes_on_leftovers(self, session: Session) -> list[str]:
        """Return a note for each submitted file that a session expects the program to write."""
        paths = map(self._path_of, session.end.files)
        return [self._leftovers[path] for path in paths if path in self._leftovers]

    def _path_of(self, file: ExpectedFile) -> str:
        """Return the path of an expected file in the copied submission."""
        return os.path.normpath(os.path.join(self.program.below, file.path))

    def play(self, session: Session, types_on: bool = True) -> PlayedSession | None:
        """Play a session up to the first wrong turn; if `types_on`, go on after that.

        If its failure is in doubt, return None; `settle` plays the session again. Files that the
        session expects to be written are left out, unless the program passes only with them. Raises
        `Shortage`.
        """
        played = self._play(session, types_on)
        without, notes = self._without_leftovers, self._notes_on_leftovers(session)
        if not played or not without or not notes:
            return played
        if played.failure_found:
            self._without_leftovers = None
            again = self._play(session, types_on)
            if again and not again.failure_found:
                left_out = self._leftovers.values()
                self._notes[:] = [note for note in self._notes if note not in left_out]
                return again
            self.doubts.pop(session.name, None)
            self._without_leftovers = without
        if not session.is_hidden:
            self._notes += [note for note in notes if note not in self._notes]
        return played

    def _play(self, session: Session, types_on: bool) -> PlayedSession | None:
        """Play a session with the current program, or return None if its failure is in doubt.

        Raises `Shortage`.
        """
        if self._stint.kind == 'alone':
            self._stint.ask('slow')  # what has not been played yet can be played beside others
        try:
            played = self._play_quickly(session, types_on) if self._stint.kind == 'quick' else None
            if not played:
                self._stint.ask('slow')
                played = self._play_run(session, types_on)
        except Shortage as shortage:
            if not self._may_be_alone:
                raise
            self.doubts[session.name] = session, shortage
            return None
        # If a file is left out, that is the likelier cause, and `play` tries the session with it.
        is_whole = self._program_for(session) is self.program
        if is_whole and self._is_in_doubt(played) and self._may_be_alone:
            self.doubts[session.name] = session, played
            return None
        return played

    def settle(self) -> Iterator[tuple[str, PlayedSession]]:
        """Play the sessions in doubt again, alone; yield the name of each, and what counts.

        Raises `Shortage`.
        """
        while self.doubts:
            name, (session, first) = next(iter(self.doubts.items()))
            del self.doubts[name]
            yield name, self._play_again(session, first)

    def play_and_settle(self, session: Session, types_on: bool = True) -> PlayedSession:
        """Do the same as `play`; if the failure is in doubt, play again at once."""
        return self.play(session, types_on) or dict(self.settle())[session.name]

    def _play_quickly(self, session: Session, types_on: bool) -> PlayedSession | None:
        """Play a session in a quick stint; return None if the stint is too short for it."""
        if self._seconds_left_in_stint <= 0:
            return None
        played = self._play_run(session, types_on)
        self._was_right = self._was_right or not played.is_mute
        is_silent = self._is_undecided(played) and played.failure.kind in HANGING
        return None if is_silent or played.dialogue.end == 'time' else played

    def _play_again(self, session: Session, first: PlayedSession | Shortage) -> PlayedSession:
        """Play a session in doubt alone, if it may be played again; return what counts."""
        if not self._may_be_alone:
            if isinstance(first, Shortage):
                raise first
            return first
        self._stint.ask('alone')
        again = self._play_run(session, first=first)
        if isinstance(first, Shortage) or not again.failure_found:
            return again
        if again.failure.kind == first.failure.kind:
            self._confirmed += 1
        # If the time for runs alone is used up, this may have caused the second failure.
        return again if self._seconds_left_alone > 0 else first

    @staticmethod
    def _is_undecided(played: PlayedSession) -> bool:
        return bool(played.failure_found) and not played.is_settled

    def _is_in_doubt(self, played: PlayedSession) -> bool:
        """Return whether a session may have failed only because other programs were running."""
        return self._is_undecided(played) and (
            played.failure.kind in HANGING or played.status == KILLED or self._sandbox.shares_limits
        )

    @property
    def _may_be_alone(self) -> bool:
        return (
            self._seconds_left_alone > 0
            and self._confirmed < MAX_CONFIRMED
            and self.seconds_left > 0
        )

    @property
    def _seconds_left_alone(self) -> float:
        return self._options.limits.alone - self._stint.seconds_alone

    @property
    def _seconds_left_in_stint(self) -> float:
        """How many more seconds the submission may take in a quick stint; any number in others."""
        if self._stint.kind != 'quick':
            return math.inf
        most = self._options.limits.quick
        if self._was_right is False:
            most = min(most, FIRST_SILENCE)
        return most - self.seconds_taken

    @property
    def never_flushes(self) -> bool:
        """Whether the program counts as never flushing, so that all input is sent at once."""
        return self._late >= MIN_LATE and not self._prints_in_time

    def _play_run(
        self,
        session: Session,
        types_on: bool = True,
        first: PlayedSession | Shortage | None = None,
    ) -> PlayedSession:
        """Play a session once; `first` is its first run if it is in doubt. Raises `Shortage`."""
        never_flushes = self.never_flushes
        if isinstance(first, PlayedSession):
            never_flushes = first.only_at_once
        is_at_once = self._options.at_once or never_flushes
        if is_at_once and session.others:
            # What to type depends on what the program prints, so nothing can be played.
            return PlayedSession(session, Dialogue(), only_at_once=never_flushes)
        files: dict[str, LeftFile] = {}
        in_folder = partial(
            look_for_files,
            session,
            files,
            self.program.below,
            [file.name for file in self._assignment.data],
            MAX_UNEXPECTED,
        )
        as_played = at_once(session) if is_at_once else session
        self._experience.is_quick = self._stint.kind == 'quick'
        with self._running(
            self._program_for(session),
            session,
            min(
                self._options.limits.session,
                self._seconds_left_in_stint,
                self._seconds_left_alone if first else math.inf,
            ),
            in_folder if session.end.files else None,
        ) as run:
            played = play(
                as_played,
                run,
                self._experience,
                types_on=types_on,
                must_flush=self._assignment.requires_flush,
            )
            if self._is_undecided(played):
                self._check_shortage(run, played.dialogue)
        if played.status in NOT_STARTED and not played.dialogue.output:
            note = note_on_first_line(self.program)
            self._notes += [note] if note and note not in self._notes else []
        self._experience.note(played)
        if self._assignment.requires_flush:
            failure = played.failure_found
            self._prints_in_time |= prints_in_time(
                played.session, failure.turn if failure else None
            )
            if failure and failure.comes_late:
                self._late += 1
        played.only_at_once = never_flushes
        played.dialogue.files = files
        played.dialogue.given = self.program.given
        played.dialogue.starter = given_starter(self.program)
        if played.failure_found:
            played.dialogue.names, played.dialogue.python = self._facts_for_hints
        if self._assignment.has_arguments and session.arguments:
            words = command_as_typed(self.program.words, self._sandbox.python)
            played.dialogue.command = shlex.join([*words, *session.arguments])
        if not played.failure_found:
            played.failure_found = next(wrong_files(as_played, played.dialogue), None)
        return played

    @cached_property
    def _facts_for_hints(self) -> tuple[frozenset[str], int]:
        """The paths of the program's files, and which Python runs it: see `Dialogue`."""
        names = file_names_in(-1, str(folder_of(self.program) / self.program.below))
        return frozenset(names), python_version(self.program, self._sandbox.python)

    def run_apart(
        self,
        session: Session,
        seconds: float,
        changed: Callable[[Program], Program],
        use: Callable[[Run], Any],
    ) -> Any:
        """Run a traced or changed program; return `use(run)`, or None if the program cannot run.

        `changed` takes the original program, and returns the program to run. This program gets the
        arguments of the session, if the assignment's programs have any, and runs for up to
        `seconds`.
        """
        program, sandbox = self._program_apart, self._sandbox_apart
        if program is self.program:
            program = self._program_for(session)
        if program and sandbox:
            with (
                suppress(Shortage),
                self._running(changed(program), session, seconds, sandbox=sandbox) as run,
            ):
                return use(run)
        return None

    def refused_calls(self, played: PlayedSession) -> list[str]:
        """Play a failed session again; return what the sandbox refuses before the failure.

        These are system calls with their errors, such as 'ptrace (EPERM)'. The result is empty if
        the session then fails in another way.
        """
        sandbox, found = self._sandbox, None
        if self.program.folder and self.seconds_left > 0:
            found = sandbox.reporting(self.program)
        if not found:
            return []
        program, sandbox = found
        # No points depend on this run: short silences will do, and looks need no proof.
        self._experience.is_quick = self._experience.looks_are_reliable = True
        with (
            suppress(Shortage),
            self._running(program, played.session, REFUSAL_SECONDS, sandbox=sandbox) as run,
        ):
            again = play(played.session, run, self._experience, types_on=False)
            if again.failure_found and again.failure.kind == played.failure.kind:
                return reported(again.dialogue.errors_begin)
        return []

    def clear(self) -> None:
        """End the processes of an interrupted `run_apart`, and remove the files they left."""
        if self._sandbox_apart:
            self._sandbox_apart.clear()

    @property
    def can_trace(self) -> bool:
        """Whether the program may be run again under tracing."""
        return self._sandbox_apart is not None

    @property
    def can_change(self) -> bool:
        """Whether changed copies may run; they need a sandbox that discards what they write."""
        return self._sandbox_apart is not None and self._sandbox_apart.discards

    @cached_property
    def _sandbox_apart(self) -> Sandbox | None:
        """The sandbox of `run_apart`, or None if there is none.

        It discards whatever a run writes. If no such sandbox works here, a submission that has
        already run as another user may also be traced as this user: it can do no more harm, because
        everything it leaves behind is removed.
        """
        sandbox = discarding(self._sandbox, self._options.limits)
        if sandbox is None and self.program.folder and self._sandbox.kind == 'user':
            return self._sandbox
        return sandbox

    @cached_property
    def _program_apart(self) -> Program | None:
        """The program for `run_apart`: the submission, or a copy of the user's own program.

        None if the user's own program cannot be copied. It must not run in the user's folder.
        """
        if self.program.folder:
            return self.program
        try:
            return copy_of_own(self.program, self._sandbox.scratch / 'submission')
        except (SubmissionError, OSError):
            return None

    @contextmanager
    def _running(
        self,
        program: Program,
        session: Session,
        seconds: float,
        in_folder: Callable[[int], AbstractContextManager[None]] | None = None,
        sandbox: Sandbox | None = None,
    ) -> Iterator[Run]:
        """Run a program for up to `seconds`, but only while the submission has time left.

        Raises `Shortage`.
        """
        sandbox = sandbox or self._sandbox
        if self._assignment.has_arguments:
            program = replace(program, words=[*program.words, *session.arguments])
        self._check_space()
        self._has_room = self._stint.kind == 'alone' and sandbox.has_room()
        try:
            with running(program, sandbox, min(seconds, self.seconds_left), in_folder) as run:
                if not program.folder:
                    # The user's own program may be outside the current folder, where it runs.
                    run.folder = str(folder_of(self.program))
                yield run
        except StartError as error:
            raise Shortage('no start', str(error)) from None
        except OSError as error:
            if is_shortage(error):
                raise Shortage('no programs', str(error.strerror)) from None
            raise

    def _check_shortage(self, run: Run, dialogue: Dialogue) -> None:
        """Raise `Shortage` if the machine seems to be the reason why a run failed.

        If the system killed the program although enough memory was free at the start, record that
        the program used too much.
        """
        if run.was_killed_by_system:
            if not self._has_room:
                raise Shortage('too little memory')
            from ..sandbox.usage import ALL_MEMORY  # only on Linux and macOS

            dialogue.end, dialogue.excess = 'excess', ALL_MEMORY
        if self._stint.kind != 'alone':  # another program may have filled the disk
            self._check_space()

    def _check_space(self) -> None:
        """Raise `Shortage` if the disk has too little free space, or too few free inodes."""
        limits, scratch = self._options.limits, self._sandbox.scratch
        if shutil.disk_usage(scratch).free < limits.free_disk:
            raise Shortage('full disk')
        if HAS_SANDBOX:
            disk = os.statvfs(scratch)  # f_files is 0 on file systems that do not count inodes
            if disk.f_files and disk.f_favail < limits.free_files:
                raise Shortage('no more files')
