"""Plays a session: types its lines into a running program, and records the dialogue.

As long as the output is correct, each line is typed as soon as the output expected before it is
complete, whether or not the program is waiting for input. If more output may follow, the line is
typed once the program is waiting. So is every line after the first failure.
"""

from __future__ import annotations

import math
import os
import stat
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from posixpath import join, normpath

from ..limits import (
    ALL_SECONDS,
    FIRST_SILENCE,
    GRACE_SECONDS,
    LATE_SECONDS,
    MAX_KEPT,
    MAX_SECONDS,
    MAX_TURNS,
    MAX_UNEXPECTED,
    MIN_SECONDS,
    MOST_PATIENCE,
    QUICK_SILENCE,
)
from ..printable import printable
from ..sandbox.program import without_java_notice
from ..sandbox.untrusted_files import FILE, NOT_REGULAR, is_ignored, opened, reason_of
from .comparison import SessionProgress
from .late_output import sort_late_output
from .run import Run
from .session import Session
from .verdict import (
    Dialogue,
    LeftFile,
    PlayedSession,
    Turn,
    ends_right,
    failure_in,
)
from .waiting import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    SHORT_FIRST_PAUSE,
    SILENCE,
    ProcessorTime,
    Waiting,
    read_or_look,
    waits_for_input,
    waits_for_thread,
    waits_with_time_limit,
)

MAX_NAMES = 1000  # maximum number of entries to examine in a folder and its subfolders
MAX_LISTED = 3  # maximum number of new files to name in a complaint about a missing file
NOT_WRITTEN = 'the file existed before the run, and the program did not write to it'

# In `retype`: if a program did not exit the first time, it counts as hanging after this many
# seconds of silence.
HANG_SECONDS = 0.5
LONG_FIRST_PAUSE = 0.02  # seconds before the first look, if an earlier look would rarely help


class Experience:
    """What the grader has learned about a program from the sessions played so far.

    It also counts what is left of the limits on all sessions of a submission together.
    """

    # Whether the program really was waiting whenever it seemed to be, or None if unknown.
    looks_are_reliable: bool | None = None

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout  # seconds of silence allowed when output is expected
        # Whether the stint is quick: then a session that falls silent is played again.
        self.is_quick = False
        self._has_looped = False  # whether the program was busy for `timeout` and printed nothing
        # Whether to look at the program soon after it falls silent. If the program's last session
        # passed, an early look would rarely help.
        self.looks_early = True
        self.seconds_left = ALL_SECONDS  # how long the grader may still read after failures
        self.bytes_left = MAX_KEPT  # how much output from failed sessions may still be kept

    @property
    def has_full_patience(self) -> bool:
        """Whether a program may be silent for as long as the options say."""
        return not (self.is_quick or self._has_looped)

    @property
    def patience(self) -> float:
        """Seconds of silence allowed when output is expected."""
        return self.timeout if self.has_full_patience else min(QUICK_SILENCE, self.timeout)

    @property
    def first_patience(self) -> float:
        """The same before the program has printed anything: it may be slow to start."""
        if self.is_quick and not self._has_looped:
            return min(FIRST_SILENCE, self.timeout)
        return self.patience

    def note(self, played: PlayedSession) -> None:
        """Learn from a session; if it failed, truncate its output to what may still be kept."""
        self.looks_early = played.failure_found is not None
        self._has_looped |= any(turn.was_busy for turn in played.dialogue.turns)
        if played.failure_found is not None:
            left = min(self.bytes_left, most_output(played.session))
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
    must_flush: bool = True,
) -> PlayedSession:
    """Play a session line by line.

    types_on    whether to go on typing after the first failure; in a quick stint, do not go on
                after a failure that a slow machine may explain
    must_flush  whether output counts as missing if it arrives only after more input
    """
    live = LiveSession(session, run, experience)
    wrong = first_wrong_turn(live, experience.patience)
    # A slow machine cannot explain wrong output, or the silence of a program that was seen to be
    # waiting, or had its time.
    was_busy = wrong is not None and live.dialogue.turns[wrong].was_busy
    is_settled = wrong is not None and (
        live.progress.verdict() == 'wrong' or live.dialogue.turns[wrong].was_waiting or was_busy
    )
    if wrong is not None and types_on and not was_busy and (is_settled or not experience.is_quick):
        may_be_late = not must_flush and live.progress.verdict() != 'wrong'
        type_on(live, run, experience, is_settled=is_settled, may_be_late=may_be_late)
    followed, dialogue = live.progress.session, live.end()
    with run.watched_while_busy():
        found = None if wrong is None else failure_in(followed, dialogue, wrong)
        if is_settled and not found:  # the program only seemed to be waiting, and then ended
            experience.looks_are_reliable = False
        if found and found.kind == 'silent' and not must_flush and dialogue.end in ('exit', 'asks'):
            late = sort_late_output(followed, dialogue, found.turn)
            if late:
                dialogue, wrong = late
                found = None if wrong is None else failure_in(followed, dialogue, wrong)
    return PlayedSession(followed, dialogue, found, is_settled, experience.patience)


def first_wrong_turn(live: LiveSession, patience: float) -> int | None:
    """Play a session up to its first failure; return the index of the wrong turn, or None."""
    while live.read_turn():
        if live.is_last_turn:
            return None
        live.type(patience)
        live.progress.begin_turn()
    live.note_refusals()
    return len(live.dialogue.turns) - 1


def type_on(
    live: LiveSession, run: Run, experience: Experience, *, is_settled: bool, may_be_late: bool
) -> None:
    """Type the rest of a session after its first failure, within limits of time and output.

    is_settled   whether a slow machine cannot be the reason for the failure
    may_be_late  whether to wait up to `LATE_SECONDS` for late output; this wait does not count
                 towards `ALL_SECONDS`
    """
    begin = time.monotonic()
    seconds = max(MIN_SECONDS, min(MAX_SECONDS, experience.seconds_left))
    if not is_settled:  # the program fell silent, or has ended
        # If the program is not reading its input, it would not read the next line either.
        live.is_over |= waits_for_input(run, ignore_busy=True) is False
        live.note_silence(experience.patience)
    live.type_rest(
        until=begin + (LATE_SECONDS if may_be_late else seconds),
        grace=GRACE_SECONDS,
        size=most_output(live.progress.session),
        turns=len(live.dialogue.turns) + MAX_TURNS,
    )
    if not may_be_late:
        experience.seconds_left -= time.monotonic() - begin


def retype(dialogue: Dialogue, run: Run, seconds: float) -> tuple[bytes, int | None]:
    """Type the lines of a dialogue again, each after the same number of bytes of output.

    If output came late the first time, do not wait for output between the lines. After the last
    line, read up to `MAX_UNEXPECTED` bytes more. Stop when the program is silent for `seconds`;
    after the last line, if the program did not exit the first time, stop after `HANG_SECONDS`.
    Return the output and the exit status (None if the program did not exit).
    """
    output = bytearray()
    size = 0  # how many bytes to read before the next line is typed
    rest = Turn(b'x' * MAX_UNEXPECTED)  # stands for what the program prints after the last line
    for turn in [*dialogue.turns, rest]:
        if turn.ends_input and not (turn.typed or turn.was_waiting):
            run.end_input()  # as in the first run, the input ends before the turn's output
        if turn is rest or not dialogue.came_late:
            size += len(turn.printed)
        may_hang = turn is rest and dialogue.end != 'exit'
        while len(output) < size:
            piece = run.read(HANG_SECONDS if may_hang else seconds)
            if piece is None:
                return bytes(output), None
            if not piece:
                return bytes(output), run.status(seconds)
            output += piece
        run.send(turn.typed, seconds)
        if turn.ends_input:
            run.end_input()
    return bytes(output), None


class LiveSession:
    """A session in progress."""

    def __init__(self, session: Session, run: Run, experience: Experience) -> None:
        self.progress = SessionProgress(session)
        self.dialogue = Dialogue([Turn()], folder=run.folder)
        self._run = run
        self._experience = experience
        self.is_over = False  # whether the program has ended, or must be ended
        self._has_input = True  # whether the program's input is still open
        self._silent_since = 0.0  # when the silence began, if it was the failure, or 0

    @property
    def _turn(self) -> Turn:
        return self.dialogue.turns[-1]

    @property
    def is_last_turn(self) -> bool:
        """Whether all lines of the session have been typed."""
        return len(self.dialogue.turns) >= len(self.progress.session.steps)

    def read_turn(self) -> bool:
        """Read the output of the turn; return whether it is correct.

        Reading stops as soon as this is certain, or when no more output arrives. The last turn is
        correct only if the program then exits or, after `# still asks`, waits for more input.
        """
        must_ask = self.is_last_turn and self.progress.session.end.still_asks
        while True:
            with self._run.watched_while_busy():
                verdict = self.progress.verdict()
            if verdict == 'wrong':
                return False
            if verdict == 'right' and not self.is_last_turn:
                return True
            if verdict == 'begun' or (self.is_last_turn and not must_ask):
                piece = self._expected_output()
            else:  # the output is complete, unless more arrives
                piece, waiting = read_or_look(
                    self._run,
                    self._experience.patience,
                    trusts_looks=self._trusts_looks,
                    silence=SILENCE,
                )
                if piece is None and (waiting or not must_ask or not self._has_input):
                    self._turn.was_waiting = bool(waiting)
                    self.dialogue.end = 'asks'
                    return True
                if piece == b'' and not self.is_last_turn:
                    return True  # the next turn will show whether the program ended too early
            if not piece:
                return self._note_end(piece)
            self._turn.printed += piece
            with self._run.watched_while_busy():
                self.progress.alignment.take(piece)

    def _expected_output(self) -> bytes | None:
        """Return the next output where some is expected, or None if the program stays silent.

        If a program is certainly waiting for input, it will print nothing more. When a program
        first seems to be waiting, the grader checks whether it really stays silent. If it does, the
        grader trusts its looks at this program from then on.
        """
        experience = self._experience
        if self.is_last_turn and self.progress.session.reads_all_first:
            self._end_input()
        looks_early = experience.looks_early and self._trusts_looks
        pause = FIRST_PAUSE if looks_early else LONG_FIRST_PAUSE
        output = self._run.read(pause)
        if output is not None:
            return output
        has_printed = any(turn.printed for turn in self.dialogue.turns)
        patience = experience.patience if has_printed else experience.first_patience
        begin, used = time.monotonic(), ProcessorTime(self._run)
        output, waiting = read_or_look(
            self._run,
            patience,
            trusts_looks=looks_early,
            silence=math.inf,  # silence alone does not show that the program is waiting
            first_pause=pause,
        )
        is_proved = waiting == Waiting.CERTAIN or bool(waiting and experience.looks_are_reliable)
        if waiting and not is_proved:
            output = self._run.read(patience)
            if output is not None:
                experience.looks_are_reliable = False
        elif output is None and not waiting and not experience.is_quick:
            output = self._read_while_busy(used, patience, begin + patience * MOST_PATIENCE)
        if output is not None:
            return output
        if not is_proved and self._may_prove_looks:
            is_proved = bool(waits_for_input(self._run))
            if is_proved:
                experience.looks_are_reliable = True
        self._turn.was_waiting = is_proved
        return None

    def _read_while_busy(self, used: ProcessorTime, patience: float, until: float) -> bytes | None:
        """Read on while a busy program has not had its time; return output, or None.

        It has had its time if one of its threads has used a processor for `patience` seconds since
        it fell silent, however busy the machine is. Give up if that can no longer happen by
        `until`.
        """
        while not self._run.is_overdue:
            seconds = used.of_busiest
            self._turn.was_busy = seconds >= patience
            if self._turn.was_busy or seconds < patience - (until - time.monotonic()):
                return None
            output = self._run.read(LONGEST_PAUSE)
            if output is not None:
                return output
        return None

    @property
    def _may_prove_looks(self) -> bool:
        """Whether a silence shows that the program really was waiting when it seemed to be."""
        return (
            self._trusts_looks and self._experience.has_full_patience and not self._run.is_overdue
        )

    @property
    def _trusts_looks(self) -> bool:
        return self._experience.looks_are_reliable is not False

    def note_refusals(self) -> None:
        """Record what the run has been refused so far."""
        self.dialogue.refused = self._run.refused

    def note_silence(self, seconds: float) -> None:
        """Record that the program has been silent for `seconds`; also look for the reason."""
        self._silent_since = time.monotonic() - seconds
        self._turn.in_time = len(self._turn.printed)
        self._turn.polls = waits_with_time_limit(self._run)
        self._turn.waits_for_thread = waits_for_thread(self._run)

    def type_rest(
        self, until: float, grace: float, size: int, turns: int, silence: float = SILENCE
    ) -> None:
        """Type the rest of the session, each line when the program is waiting, and end the input.

        The output is not compared.

            until    when to stop, by the monotonic clock
            grace    how many seconds the program may be silent after its input ends
            size     maximum number of bytes of output to read
            turns    maximum number of turns to play
            silence  seconds of silence before the program counts as waiting, if the system does not
                     show whether it is
        """
        while not self.is_over and self._read_until_waiting(until, grace, size, silence):
            if len(self.dialogue.turns) >= turns:
                self.dialogue.end = 'cut'
                return
            if self.is_last_turn and self.progress.session.end.still_asks:
                self.dialogue.end = 'asks'
                return
            self.type(until - time.monotonic())

    def _read_until_waiting(self, until: float, grace: float, size: int, silence: float) -> bool:
        """Read until the program is waiting for input or has ended; return whether it is waiting.

        Also stop at the limits: see `type_rest`.
        """
        last_output = 0.0  # when output last arrived
        while True:
            left = until - time.monotonic()
            if self._has_input:
                has_open_line = self._turn.printed[-1:] not in (b'', b'\n')
                piece, waiting = read_or_look(
                    self._run,
                    left,
                    trusts_looks=self._trusts_looks,
                    silence=silence,
                    first_pause=SHORT_FIRST_PAUSE if has_open_line else FIRST_PAUSE,
                )
            else:
                piece, waiting = self._run.read(min(grace, left)), Waiting.UNSEEN
            if piece:
                last_output = time.monotonic()
                if self._silent_since:
                    self._turn.silence, self._silent_since = last_output - self._silent_since, 0
                self._turn.printed += piece
            if waiting:
                self._turn.was_waiting = True
                self._silent_since = 0
                return True
            if piece == b'':
                self._note_end(piece)
                return False
            is_flood = sum(len(turn.printed) for turn in self.dialogue.turns) > size
            if is_flood or piece is None or last_output > until:
                self.is_over, is_overdue = True, self._run.is_overdue
                still_prints = time.monotonic() < last_output + SILENCE and not is_overdue
                if is_flood or still_prints:
                    self.dialogue.end = 'output'
                elif is_overdue:
                    self.dialogue.end = 'time'
                else:
                    self.dialogue.end = 'cut' if self._has_input else 'silence'
                return False

    def _note_end(self, piece: bytes | None) -> bool:
        """Record silence (None) or the end of output (b''); return whether the session passed."""
        if piece is None:
            self.is_over = self._run.is_overdue
            self.dialogue.end = 'time' if self.is_over else 'silence'
            return False
        self.is_over = True
        self.dialogue.status = self._run.status(self._experience.patience)
        self.dialogue.end = 'exit' if self.dialogue.status is not None else 'silence'
        self.progress.alignment.end()
        return (
            self.is_last_turn
            and self.progress.alignment.is_whole
            and not self._run.excess
            and ends_right(self.progress.session, self.dialogue)
        )

    def _end_input(self) -> None:
        self._run.end_input()
        self._has_input = False
        self._turn.ends_input = True

    def type(self, seconds: float) -> None:
        """Type the line of this turn, and begin the next turn.

        The last turn has no line; the input ends instead. Give up if the program reads none of the
        line for `seconds`. Output in the meantime counts as printed after the line.
        """
        steps = self.progress.session.steps
        step = None if self.is_last_turn else steps[len(self.dialogue.turns) - 1]
        self._turn.typed = step.typed if step else b''
        self._run.send(self._turn.typed, seconds)
        if not step or step.ends_input:
            self._end_input()
        self.dialogue.turns.append(Turn())

    def end(self) -> Dialogue:
        """Return the dialogue, with standard error and the exceeded limit, if any."""
        dialogue, run = self.dialogue, self._run
        dialogue.errors = without_java_notice(run.read_errors())
        dialogue.errors_begin = without_java_notice(run.first_errors)
        dialogue.excess = run.excess
        if dialogue.end == 'silence' and not self._has_input and waits_for_input(run) is None:
            # The system does not show whether the program was waiting; only its silence did. If it
            # had been waiting, it would have exited when its input ended.
            for turn in dialogue.turns[-2:]:
                turn.was_waiting = False
        if run.excess:
            dialogue.end = 'excess'
        return dialogue


@contextmanager
def look_for_files(
    session: Session,
    found: dict[str, LeftFile],
    subfolder: str,
    provided: Collection[str],
    most: int,
    folder: int,
) -> Iterator[None]:
    """Before the block, note the state of a session's expected files; after it, read them.

    found      a dict to fill: each expected file by path, with a complaint if it cannot be read or
               was not written
    subfolder  the path of the program's folder, relative to `folder`
    provided   the paths of the assignment's own files: the program need not change them, but any
               other unchanged file does not count as written by the program
    most       how many bytes to read from each file beyond the size of its expected content
    folder     the descriptor of an open folder, or -1 for the current folder
    """
    names = file_names_in(folder, subfolder) if session.end.files else set()
    before: dict[str, list[int]] = {}  # the version of each expected file that exists already
    for file in session.end.files:
        with (
            suppress(OSError),
            opened(normpath(join(subfolder, file.path)), FILE, folder) as descriptor,
        ):
            if file.path not in provided:
                state = os.fstat(descriptor)
                before[file.path] = version_of(state)
                # Wait until a change would show in the file's modification time. If that is a whole
                # second, the file system's timestamps may be up to 2 s apart.
                step = 0.02 if state.st_mtime_ns % 10**9 else 2
                time.sleep(max(0, min(step, state.st_mtime + step - time.time())))
    yield
    for file in session.end.files:
        left = found[file.path] = LeftFile()
        try:
            with opened(normpath(join(subfolder, file.path)), FILE, folder) as descriptor:
                state = os.fstat(descriptor)
                if not stat.S_ISREG(state.st_mode):
                    raise OSError(NOT_REGULAR)
                if before.get(file.path) == version_of(state):
                    raise OSError(NOT_WRITTEN)
                with open(descriptor, 'rb', closefd=False) as content:
                    # Allow for a \r in each line, and read one byte more to detect a longer file.
                    left.content = content.read(
                        most + len(file.content.output.encode()) + len(file.content.expected) + 1
                    ).replace(b'\r\n', b'\n')
        except OSError as error:
            left.complaint = reason_of(error)
            new = sorted(file_names_in(folder, subfolder) - names)
            if isinstance(error, FileNotFoundError) and new:
                left.complaint += '; new files: ' + ', '.join(map(printable, new[:MAX_LISTED]))


def file_names_in(folder: int, subfolder: str) -> set[str]:
    """Return the paths of the files in a subfolder of an open folder (-1: the current folder).

    The paths are relative to the subfolder. At most `MAX_NAMES` entries are examined.
    """
    names, folders, examined = set[str](), [''], 0
    for below in folders:  # grows in the loop
        with (
            suppress(OSError),
            opened(normpath(join(subfolder, below)), folder=folder) as descriptor,
            os.scandir(descriptor) as entries,
        ):
            for entry in islice(entries, MAX_NAMES - examined):
                examined += 1
                if entry.is_file(follow_symlinks=False):
                    names.add(join(below, entry.name))
                elif entry.is_dir(follow_symlinks=False) and not is_ignored(entry.name):
                    folders.append(join(below, entry.name))
    return names


def version_of(state: os.stat_result) -> list[int]:
    """Return values that change when a file is written or replaced."""
    return [state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns]


def most_output(session: Session) -> int:
    """Return the maximum number of bytes of output to read in a failed session."""
    return MAX_UNEXPECTED + len(session.output.encode())
