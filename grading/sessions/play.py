"""A session, played: the program gets each line when it waits for it, and leaves a dialogue.

While all is right, the next line is typed as soon as all expected output has come, and nobody looks
whether the program waits. A wrong line does not end the session: from then on the program gets the
next line whenever it is seen to wait.

Where no output is expected, the time of the next line must not show that. Otherwise a program could
skip the check of a move, and print the error message only if no line comes within a second. So the
line is typed when nothing else can wake the program, or after a longer silence than before any
answer in the session.
"""

from __future__ import annotations

import math
import os
import random
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import islice
from posixpath import join, normpath

from ..printable import printable
from ..sandbox.untrusted_files import FILE, NOT_PLAIN, opened, reason_of
from .comparison import Alignment, Progress
from .late_output import sort_late_output
from .run import Run
from .session import Session
from .verdict import (
    MOST_UNEXPECTED,
    Dialogue,
    LeftFile,
    Played,
    Turn,
    ends_right,
    judged,
)
from .waiting import FIRST_LOOK, SILENCE, Waiting, read_or_look, waits_for_input

MOST_KEPT = 16 << 20  # bytes of all wrong sessions of a submission
MOST_NAMES, MOST_LISTED = 1000, 3  # of a folder: that are read, that are reported
# After the first wrong byte of a session:
MOST_TURNS = 2000
MOST_SECONDS = 2.0
ALL_SECONDS = 20.0  # of all sessions of a submission
LEAST_SECONDS = 0.1  # even when those of the submission are used up
LATE_SECONDS = 10.0  # for output that may come late, in one session
GRACE_SECONDS = 1.0  # that a program gets to end when its input has
QUIET = 0.5  # seconds of silence where a program had hung before
UNSEEN_SECONDS = 0.02  # of silence, in which a program that was right before is not looked at
# By how many times the silence before a line is longer than that before each answer: at least, and
# at first, so that this lasts if answers become slower.
LEAST_LONGER, LONGER = 1.25, 2
# A program must not learn in one run of a session what comes in the next. After so many sessions
# that were repeated for such a line, the silence is as long as any may be.
MOST_REPEATED = 2
MOST_QUIET = 5.0  # seconds of such silences in a session, which has at least one


class Experience:
    """What is known of a program from the sessions that it has played, and what it has used."""

    # Whether a program that seemed to wait for input always did; None: that is not known.
    looks_are_true: bool | None = None

    def __init__(self, patience: float) -> None:
        self.patience = patience  # seconds of silence when output is expected
        self.is_looked_at = True  # until a session is right, and again after a wrong one
        self.repeated = 0  # sessions, because a line came too soon
        self.slowest = 0.0  # the longest silence before an answer in the last session, in seconds
        self.seconds_left = ALL_SECONDS  # to read what comes after the first wrong bytes
        self.bytes_left = MOST_KEPT

    @property
    def quiet(self) -> float:
        """The seconds of silence before a line, where no answer is due to the one before."""
        if self.repeated >= MOST_REPEATED:
            return self.patience
        return min(self.patience, max(SILENCE, LONGER * self.slowest))

    def note(self, played: Played) -> None:
        """Learn from a session."""
        self.repeated += played.shows_what_is_due
        self.is_looked_at = played.wrong is not None
        if played.wrong is not None:
            left = min(self.bytes_left, most_heard(played.session))
            for turn in played.dialogue.turns:
                turn.printed = turn.printed[:left]
                left -= len(turn.printed)
                self.bytes_left -= len(turn.printed)


def play(
    session: Session,
    run: Run,
    experience: Experience,
    *,
    types_on: bool = True,
    may_repeat: bool = False,
    must_flush: bool = True,
) -> Played:
    """Play a session line by line.

    If `types_on`, go on after the first wrong byte. A run that `may_repeat` ends where the
    program falls silent and is not seen to wait: perhaps the machine was busy. If the program need
    not flush, what comes after such a silence counts as if it had come in time.
    """
    live, wrong = LiveSession(session, run, experience), None
    while live.hear_turn():
        if live.is_last:
            break
        live.type(experience.patience)
        live.progress.type()
    else:
        wrong = len(live.dialogue.turns) - 1
    # Whether something wrong has come, or the program was seen to wait: time has no part in that.
    is_settled = wrong is not None and (
        live.progress.verdict() == 'wrong' or live.dialogue.turns[wrong].was_waiting
    )
    if wrong is not None and types_on and (is_settled or not may_repeat):
        may_be_late = not must_flush and live.progress.verdict() != 'wrong'
        seconds = max(LEAST_SECONDS, min(MOST_SECONDS, experience.seconds_left))
        if may_be_late:
            seconds = LATE_SECONDS
        begin = time.monotonic()
        if not is_settled:  # it fell silent
            live.is_over |= waits_for_input(run.group, though_busy=True) is False
            live.note_silence(experience.patience)
        live.type_on(
            begin + seconds,
            GRACE_SECONDS,
            most_heard(session),
            len(live.dialogue.turns) + MOST_TURNS,
        )
        if not may_be_late:
            experience.seconds_left -= time.monotonic() - begin
    experience.slowest = live.slowest
    followed, dialogue = live.progress.session, live.end()
    with run.looked_at():
        found = None if wrong is None else judged(followed, dialogue, wrong)
        if found and found.kind == 'silent' and not must_flush and dialogue.end in ('exit', 'asks'):
            late = sort_late_output(followed, dialogue, found.turn)
            if late:
                dialogue, wrong = late
                found = None if wrong is None else judged(followed, dialogue, wrong)
    return Played(
        followed,
        dialogue,
        found,
        is_settled,
        experience.patience,
        found is None and live.shows_what_is_due,
    )


def retyped(dialogue: Dialogue, run: Run, seconds: float) -> tuple[bytes, int | None]:
    """Type what was typed in a dialogue, each line when as much has come as had come before it.

    The program may be silent for some seconds, and for less where it did not end, either. Return
    its output, and its exit status, None if it did not end.
    """
    output, due, last = bytearray(), 0, Turn(b'x' * MOST_UNEXPECTED)
    for turn in [*dialogue.turns, last]:
        if turn.ends_input and not (turn.typed or turn.was_waiting):  # nothing may come before
            run.end_input()
        due += 0 if dialogue.came_late and turn is not last else len(turn.printed)
        while len(output) < due:
            piece = run.read(QUIET if turn is last and dialogue.end != 'exit' else seconds)
            if not piece:
                return bytes(output), None if piece is None else run.status(seconds)
            output += piece
        run.send(turn.typed, seconds)
        if turn.ends_input:
            run.end_input()
    return bytes(output), None


class LiveSession:
    """A session while it is played."""

    def __init__(self, session: Session, run: Run, experience: Experience) -> None:
        self.progress = Progress(session)
        self.dialogue = Dialogue([Turn()], folder=run.folder)
        self._run = run
        self._experience = experience
        self.is_over = False  # the program has ended, or has to be ended
        self._quiet = experience.quiet
        # The longest silence before an answer, and the shortest where none was due, in seconds.
        self.slowest, self._shortest_quiet = 0.0, math.inf
        self._has_input = True  # its input has not ended
        self._silent_since = 0.0  # when a silence that was too long began, 0 for none

    @property
    def _turn(self) -> Turn:
        return self.dialogue.turns[-1]

    @property
    def is_last(self) -> bool:
        """Whether all lines of the session have been typed."""
        return len(self.dialogue.turns) >= len(self.progress.session.steps)

    @property
    def shows_what_is_due(self) -> bool:
        """Whether a line came sooner than answers, so that a program could wait for it instead."""
        patience = self._experience.patience
        return self._shortest_quiet < min(patience, LEAST_LONGER * self.slowest)

    def hear_turn(self) -> bool:
        """Read until the output of the turn is right, or wrong; return whether it is right.

        The last turn is right when the program has ended as it should, or asks as expected.
        """
        asks = self.is_last and self.progress.session.end.still_asks
        while True:
            with self._run.looked_at():
                verdict = self.progress.verdict()
            if verdict == 'wrong' or (verdict == 'right' and not (self.is_last or self._is_quiet)):
                return verdict == 'right'
            if verdict == 'begun' or (self.is_last and not asks):
                piece = self._due_output()
            else:  # it is right, and may be over
                piece, waits = self._optional_output()
                if piece is None and (waits or not asks or not self._has_input):
                    self._turn.was_waiting = waits
                    self.dialogue.end = 'asks'
                    return True
                if piece == b'' and not self.is_last:
                    return True  # the next turn shows whether it should have read on
            if not piece:
                return self._note_end(piece)
            self._turn.printed += piece
            with self._run.looked_at():
                self.progress.turn.take(piece)

    @property
    def _is_quiet(self) -> bool:
        """Whether the time of the line at the end of this turn must show nothing."""
        return len(self.dialogue.turns) - 1 in self._quiet_turns

    @cached_property
    def _quiet_turns(self) -> Collection[int]:
        """The turns behind typed lines in which nothing is due, and perhaps a prompt comes.

        These are as many as there is time for. Nobody can foresee which.
        """
        session = self.progress.session
        turns = [
            number
            for number, step in enumerate(session.steps[:-1])
            if number and not session.is_exact([step]) and Alignment(session, [step]).is_whole
        ]
        most = max(1, int(MOST_QUIET / self._quiet))
        return random.SystemRandom().sample(turns, min(most, len(turns)))

    def _optional_output(self) -> tuple[bytes | None, bool]:
        """Return output that may come, None for none, and whether the program waits."""
        experience = self._experience
        trusts, silence = self._trusts_looks, SILENCE
        if self._is_quiet:  # what seems to wait may print an answer after all
            trusts, silence = False, self._quiet
        output, waiting, silence = read_or_look(
            self._run, experience.patience, trusts=trusts, silence=silence
        )
        if self._is_quiet and output is None and waiting != Waiting.CERTAIN:
            quiet = silence if waiting else experience.patience
            self._shortest_quiet = min(self._shortest_quiet, quiet)
        return output, bool(waiting)

    def _due_output(self) -> bytes | None:
        """Return the next output where some is expected, None for silence.

        From a program that is seen to wait for input none will come; once, time must prove that,
        unless nothing else can wake the program.
        """
        experience = self._experience
        if self.is_last and self.progress.session.run.reads_all_first:
            self._end_input()
        is_looked_at = experience.is_looked_at and self._trusts_looks
        output, waiting, silence = read_or_look(
            self._run,
            experience.patience,
            trusts=is_looked_at,
            silence=math.inf,
            first_look=FIRST_LOOK if is_looked_at else UNSEEN_SECONDS,
        )
        is_proved = waiting == Waiting.CERTAIN or bool(waiting and experience.looks_are_true)
        if waiting and not is_proved:
            begin = time.monotonic()
            output = self._run.read(experience.patience)
            silence += time.monotonic() - begin
            if output is not None:
                experience.looks_are_true = False
        if output is not None:
            self._note_answer(silence)
            return output
        if not is_proved and self._trusts_looks and not self._run.is_overdue:
            is_proved = bool(waits_for_input(self._run.group))
            experience.looks_are_true = is_proved or experience.looks_are_true
        self._turn.was_waiting = is_proved
        return None

    def _note_answer(self, silence: float) -> None:
        """Note for how many seconds the program was silent before its answer to a line."""
        if len(self.dialogue.turns) > 1:
            self.slowest = max(self.slowest, silence)

    @property
    def _trusts_looks(self) -> bool:
        return self._experience.looks_are_true is not False

    def note_silence(self, seconds: float) -> None:
        """Note that the program was silent for some seconds where output is expected."""
        self._silent_since = time.monotonic() - seconds
        self._turn.in_time = len(self._turn.printed)

    def type_on(
        self, until: float, grace: float, size: int, turns: int, silence: float = SILENCE
    ) -> None:
        """Type the rest of the session, each line when the program waits, and end its input.

        Nothing is compared. This goes on until a time, for so many bytes and turns. When its input
        has ended, the program gets some seconds of `grace` to end; where nothing shows that it
        waits, `silence` does.
        """
        while not self.is_over and self._hear_question(until, grace, size, silence):
            if len(self.dialogue.turns) >= turns:
                self.dialogue.end = 'cut'
                return
            if self.is_last and self.progress.session.end.still_asks:
                self.dialogue.end = 'asks'
                return
            self.type(until - time.monotonic())

    def _hear_question(self, until: float, grace: float, size: int, silence: float) -> bool:
        """Read until the program waits for input, or is over; return whether it waits."""
        heard = 0.0  # when output came
        while True:
            left = until - time.monotonic()
            if self._has_input:
                piece, waits, _ = read_or_look(
                    self._run, left, trusts=self._trusts_looks, silence=silence
                )
            else:
                piece, waits = self._run.read(min(grace, left)), Waiting.UNSEEN
            if piece:
                heard = time.monotonic()
                if self._silent_since:
                    self._turn.late, self._silent_since = heard - self._silent_since, 0
                self._turn.printed += piece
            if waits:
                self._turn.was_waiting = True
                self._silent_since = 0
                return True
            if piece == b'':
                self._note_end(piece)
                return False
            is_flood = sum(len(turn.printed) for turn in self.dialogue.turns) > size
            if is_flood or piece is None or heard > until:
                self.is_over, is_overdue = True, self._run.is_overdue
                prints_on = time.monotonic() < heard + SILENCE and not is_overdue
                self.dialogue.end = (
                    'output'
                    if is_flood or prints_on
                    else 'time'
                    if is_overdue
                    else 'cut'
                    if self._has_input
                    else 'silence'
                )
                return False

    def _note_end(self, piece: bytes | None) -> bool:
        """Note that nothing comes (None), or the end of output; return whether all is right."""
        if piece is None:
            self.is_over = self._run.is_overdue
            self.dialogue.end = 'time' if self.is_over else 'silence'
            return False
        self.is_over = True
        self.dialogue.status = self._run.status(self._experience.patience)
        self.dialogue.end = 'exit' if self.dialogue.status is not None else 'silence'
        self.progress.turn.end()
        return (
            self.is_last
            and self.progress.turn.is_whole
            and not self._run.excess
            and ends_right(self.progress.session, self.dialogue)
        )

    def _end_input(self) -> None:
        self._run.end_input()
        self._has_input = False
        self._turn.ends_input = True

    def type(self, seconds: float) -> None:
        """Type the line of this turn, and begin the next; after the last line end the input.

        Stop after some seconds if the program does not read the line. What is printed meanwhile
        counts as printed after it.
        """
        steps = self.progress.session.steps
        step = None if self.is_last else steps[len(self.dialogue.turns) - 1]
        self._turn.typed = step.typed if step else b''
        self._run.send(self._turn.typed, seconds)
        if not step or step.ends_input:
            self._end_input()
        self.dialogue.turns.append(Turn())

    def end(self) -> Dialogue:
        """Return the dialogue with what is known of the run at its end."""
        dialogue, run = self.dialogue, self._run
        dialogue.errors, dialogue.errors_begin = run.read_errors(), run.first_errors
        dialogue.excess = run.excess
        if dialogue.end == 'silence' and not self._has_input and waits_for_input(run.group) is None:
            # Where nothing shows that it had waited for input, it would have ended with it.
            for turn in dialogue.turns[-2:]:
                turn.was_waiting = False
        if run.excess:
            dialogue.end = 'excess'
        return dialogue


@contextmanager
def look_for_files(
    session: Session,
    found: dict[str, LeftFile],
    below: str,
    brought: Collection[str],
    most: int,
    folder: int,
) -> Iterator[None]:
    """See what is below an open folder (-1: the current one); at the end read a session's files.

    Meanwhile the program runs, `below` that folder. Put into `found`, by their paths, the files
    that the session names, as the program has left them: each may be missing, or not be a plain
    file. A file that was there before, and has not changed, is not the program's; but it may leave
    one of those that are `brought` into every run as it is. Of a file `most` bytes are read beyond
    what is expected.
    """
    names, before = file_names_in(folder, below) if session.end.files else set(), {}
    for file in session.end.files:
        with (
            suppress(OSError),
            opened(normpath(join(below, file.path)), FILE, folder) as descriptor,
        ):
            if file.path not in brought:
                state = os.fstat(descriptor)
                before[file.path] = version_of(state)
                # A change must show in the time, which some systems tell in steps of 2 s.
                step = 0.02 if state.st_mtime_ns % 10**9 else 2
                time.sleep(max(0, min(step, state.st_mtime + step - time.time())))
    yield
    for file in session.end.files:
        left = found[file.path] = LeftFile()
        try:
            with opened(normpath(join(below, file.path)), FILE, folder) as descriptor:
                state = os.fstat(descriptor)
                if not stat.S_ISREG(state.st_mode):
                    raise OSError(NOT_PLAIN)
                if before.get(file.path) == version_of(state):
                    raise OSError('the program did not write it; it was there before')
                with open(descriptor, 'rb', closefd=False) as content:
                    # Each line may end with \r\n.
                    left.content = content.read(
                        most + len(file.content.output.encode()) + len(file.content.printed) + 1
                    ).replace(b'\r\n', b'\n')
        except OSError as error:
            left.complaint = reason_of(error)
            new = sorted(file_names_in(folder, below) - names)
            if isinstance(error, FileNotFoundError) and new:
                left.complaint += '; the program left ' + ', '.join(
                    map(printable, new[:MOST_LISTED])
                )


def file_names_in(folder: int, below: str) -> set[str]:
    """Return the names of files in a path below an open folder (-1: the current one)."""
    with (
        suppress(OSError),
        opened(normpath(below), folder=folder) as descriptor,
        os.scandir(descriptor) as entries,
    ):
        return {
            entry.name
            for entry in islice(entries, MOST_NAMES)
            if entry.is_file(follow_symlinks=False)
        }
    return set()


def version_of(state: os.stat_result) -> list[int]:
    """Return what changes when a file is written, or another one takes its place."""
    return [state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns]


def most_heard(session: Session) -> int:
    """Return how many bytes of output are read in a session that fails."""
    return MOST_UNEXPECTED + len(session.output.encode())
