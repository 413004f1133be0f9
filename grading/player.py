"""One program, and sessions that are played through it, in the sandbox and in bounded time.

A busy machine must cost nobody points. So a session in which the program falls silent or is killed
is played again, while no other program runs, and only then counts. This goes on while the
submission has time left to be alone, and until two sessions have failed alone in the same way.
"""

from __future__ import annotations

import shutil
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Callable, ContextManager, Iterator, Sequence

from .sandbox.program import KILLED, Program, StartError, folder_of
from .sessions.play import Experience, look_for_files, play
from .sessions.run import ClassLock, Run, running
from .sessions.transcript import Transcript, at_once
from .sessions.verdict import HANGING, MOST_UNEXPECTED, Dialogue, LeftFile, Played, wrong_files
from .settings import Settings

if TYPE_CHECKING:
    from .diagnosis.places.trace import Trace
    from .sandbox.kinds import Sandbox

FEWEST_LATE = 2                         # sessions with late output of a program that never flushes
MOST_CONFIRMED = 2                      # sessions that fail again, alone


class Shortage(Exception):
    """Why the machine cannot run a program, even alone; the program is not to blame."""


class Player:
    """Plays sessions through a program, in the sandbox and in bounded time.

    Its time counts from `opened`, without the time that it waits for its `lock`.
    """

    def __init__(self, settings: Settings, sandbox: Sandbox, program: Program,
                 lock: ClassLock, opened: float) -> None:
        self._settings = settings
        self._sandbox = sandbox
        self.program = program
        self._lock = lock
        self._opened = opened
        self._experience = Experience(settings.timeout)
        self._late = 0                  # sessions in which output came only after more input
        self._has_room = False          # the machine had all the memory that a run may hold
        self._confirmed = 0             # sessions that failed again, alone

    @property
    def seconds(self) -> float:
        """How many seconds the grading has taken."""
        return time.monotonic() - self._opened - self._lock.waited

    @property
    def limit(self) -> str:
        """The limit that ends the grading when it is late, in words."""
        return f'the time limit of {self._settings.limits.submission:g} s'

    @property
    def seconds_left(self) -> float:
        """How many seconds the grading may still take, if it never waits."""
        return self._settings.limits.playing - self.seconds

    def play(self, transcript: Transcript, types_on: bool = True) -> Played:
        """Play a session; what the program did in it is kept up to the first wrong turn, or beyond.

        If `types_on`, the dialogue goes on behind that. A failure that the machine may have caused
        is played once more, alone, while the submission may be alone. Raises `Shortage`.
        """
        played = None
        try:
            played = self._play_once(transcript, types_on)
            # Another program may have used up the processes or threads of the same user.
            is_in_doubt = played.wrong and not played.is_settled and (
                played.wrong.kind in HANGING or played.status in KILLED
                or (played.status and self._sandbox.shares_processes))
            if not is_in_doubt or not self._may_be_alone:
                return played
        except Shortage:
            if not self._may_be_alone:
                raise
        again = self._play_once(transcript, types_on, is_alone=True)
        if again.wrong and played and played.wrong:
            self._confirmed += again.wrong.kind == played.wrong.kind
            if not self._lock.seconds_left:
                return played           # the end of that time may be all that went wrong
        return again

    @property
    def _may_be_alone(self) -> bool:
        return (self._lock.seconds_left > 0 and self._confirmed < MOST_CONFIRMED
                and self.seconds_left > 0)

    @property
    def is_unflushed(self) -> bool:
        """Whether output came late so often that no session is played line by line any more."""
        return self._late >= FEWEST_LATE

    def _play_once(self, transcript: Transcript, types_on: bool,
                   is_alone: bool = False) -> Played:
        """Play a session, perhaps while no other program runs. Raises `Shortage`."""
        is_at_once = self._settings.at_once or self.is_unflushed
        if is_at_once and transcript.others:    # what to type depends on what the program prints
            return Played(transcript, Dialogue())
        files: dict[str, LeftFile] = {}
        look = partial(look_for_files, transcript, files, self.program.below,
                       [file.name for file in self._settings.assignment.data], MOST_UNEXPECTED)
        session = at_once(transcript) if is_at_once else transcript
        with self._running(self.program, transcript, self._settings.limits.replay, is_alone,
                           look if transcript.files else None) as run:
            played = play(session, run, self._experience, types_on=types_on,
                          may_repeat=self._may_be_alone and not is_alone)
            if played.wrong and not played.is_settled:
                self._check_shortage(run, played.dialogue, is_alone)
        self._experience.note(played)
        if played.wrong:
            self._late += played.wrong.comes_late
        played.dialogue.files = files
        played.wrong = played.wrong or next(wrong_files(session, played.dialogue), None)
        return played

    def play_traced(self, played: Played, words: Sequence[str], seconds: float) -> Trace | None:
        """Play a session again, for some seconds, with the tracer that some words start."""
        from .diagnosis.places.traced_runs import play_traced, traced  # which take long to import

        with suppress(Shortage), \
                self._running(traced(self.program, words), played.session, seconds) as run:
            return play_traced(played, run, seconds)
        return None

    @contextmanager
    def _running(self, program: Program, transcript: Transcript, seconds: float,
                 is_alone: bool = False,
                 look: Callable[[int], ContextManager[None]] | None = None) -> Iterator[Run]:
        """Start a program for a transcript, for at most the time that the submission has left."""
        if self._settings.assignment.has_arguments:
            program = replace(program, words=[*program.words, *transcript.arguments])
        if is_alone:
            seconds = min(seconds, self._lock.seconds_left)
        with self._lock.alone() if is_alone else self._lock.shared():
            seconds = min(seconds, self.seconds_left)
            self._check_space()
            self._has_room = is_alone and self._sandbox.has_room()
            try:
                with running(program, self._sandbox, seconds, look) as run:
                    if not program.folder:      # the user's own program, which may lie elsewhere
                        run.folder = str(folder_of(self.program))
                    yield run
            except StartError as error:
                raise Shortage(f'the program cannot be started: {error}') from None

    def _check_shortage(self, run: Run, dialogue: Dialogue, is_alone: bool) -> None:
        """Raise `Shortage` if the machine seems to be why a run has failed."""
        if run.was_killed_by_system:
            if not self._has_room:
                raise Shortage('the system killed the program: the machine has too little memory')
            dialogue.end, dialogue.excess = 'excess', 'more memory than the machine has'
        if not is_alone:                # another program may have filled the disk
            self._check_space()

    def _check_space(self) -> None:
        """Raise `Shortage` if the disk is full."""
        if shutil.disk_usage(self._sandbox.scratch).free < self._settings.limits.free_disk:
            raise Shortage('the disk of this machine is full')
