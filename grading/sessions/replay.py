"""The replay of a transcript: a program gets each input line after it has printed what is due."""

from __future__ import annotations

import time
from typing import Iterator

from .difference import MOST_UNEXPECTED, Difference, Kind
from .expected_output import FIRST, Alignment, alignment_of
from .run import Looks, Run
from .steps import Step
from .transcript import Transcript

QUIET = 0.05                            # seconds of silence that end unexpected output
PATIENCE = 0.5                          # seconds after which it is cut if it goes on
GRACE_SECONDS = 1.0                     # seconds that a program gets to end when its input has
MOST_TYPED = 1 << 12                    # bytes that are typed at once
EXIT_SECONDS = 0.2                      # seconds that the end of a process may take
SMALLEST_BUFFER = 1 << 12               # bytes after which output comes though nobody flushes it


def replay(transcript: Transcript, run: Run, seconds: float,
           is_last: bool = True) -> Difference | None:
    """Play a transcript line by line; return where the program first departs from it, or None.

    The program may be silent for `seconds` when output is due. Only in its last run of the session,
    one that `is_last`, does it get the lines behind a silence: it could answer them in the next.
    """
    difference = Replay(transcript, run, seconds, is_last).first_difference()
    if difference:
        difference.way, difference.errors, difference.folder = run.way, run.errors, run.folder
        difference.excess = run.excess
    return difference


class Replay:
    """A transcript that a program plays, step by step."""

    def __init__(self, transcript: Transcript, run: Run, seconds: float,
                 is_last_run: bool) -> None:
        self._transcript = transcript
        self._run = run
        self._seconds = seconds
        self._is_last_run = is_last_run
        self._looks = Looks(run.group)
        self._number = 0                    # of the step
        self._before = FIRST            # what it takes over from those before
        # The output of the steps before, where it may differ from the transcript's.
        self._earlier = None if transcript.is_exact else bytearray()

    def first_difference(self) -> Difference | None:
        """Return where the program first departs from the transcript, None if it passes.

        All output is compared. After the last line only the end may come, with the right exit
        status.
        """
        early = b''                         # what is printed while a long input is typed
        while True:
            step = self._transcript.steps[self._number]
            if self._is_last and self._transcript.reads_all_first:
                self._run.end_input()
            self._alignment = alignment_of(self._transcript, step, before=self._before)
            self._alignment.take(early)
            difference = self._output()
            if difference or self._is_last:
                break
            early = self._type(self._transcript.steps[self._number])
            self._before = self._alignment.after()
            if self._earlier is not None:
                self._earlier += self._alignment.printed
            self._number += 1
        if difference or self._transcript.still_asks:
            return difference
        return self._end(self._alignment)

    @property
    def _is_last(self) -> bool:
        return self._number == len(self._transcript.steps) - 1

    def _type(self, step: Step) -> bytes:
        """Type the input of a step, or end the input; return what is printed meanwhile."""
        early = type_all(self._run, step.typed, self._seconds)
        if step.ends_input:
            self._run.end_input()
        return early

    def _output(self) -> Difference | None:
        """Read until the output of a step is right; return the difference if it is not.

        Where more output would be right as well, the step is over when the program waits for input.
        """
        while True:
            alignment, is_last = self._alignment, self._is_last
            asks = is_last and self._transcript.still_asks
            verdict = alignment.verdict()
            is_right = verdict in ('right', 'enough')
            if is_right and not asks and (verdict == 'right' or is_last):
                return None
            piece, waits = None, False
            if is_right or (verdict == 'begun' and alignment.is_pending):
                piece, waits = self._read_or_see_waiting(self._seconds)
                verdict = alignment.verdict(is_waiting=waits)
            if verdict == 'wrong':
                if self._goes_on_otherwise():
                    continue
                return self._differs(alignment)
            if is_right and (waits or (not piece and not asks)):
                return None
            if piece is None and not is_right:
                piece = self._run.read(self._seconds)
            if piece:
                alignment.take(piece)
                continue
            if piece is not None and is_last and not asks:
                alignment.end()
                if alignment.is_whole:
                    return None
            return self._interrupted(alignment, piece is None, asks and is_right)

    def _goes_on_otherwise(self) -> bool:
        """Go over to another session that the program follows; return whether there is one."""
        for other in self._transcript.others(self._number) if self._transcript.others else ():
            alignment = alignment_of(other, other.steps[self._number], before=self._before)
            alignment.take(bytes(self._alignment.printed))
            if alignment.verdict() != 'wrong':
                self._transcript, self._alignment = other, alignment
                return True
        return False

    def _read_or_see_waiting(self, seconds: float) -> tuple[bytes | None, bool]:
        """Return the next output, None for none, and whether the program waits for input."""
        self._looks.begin()
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._run.is_overdue:
            piece = self._run.read(self._looks.pause)
            if piece is not None:
                return piece, False
            if self._looks.waits():
                piece = self._run.read(0)       # it may have been printed before the look
                return piece, piece is None
        return None, False

    def _differs(self, alignment: Alignment) -> Difference:
        more, goes_on = collect(self._run, QUIET)
        return self._difference('differs', alignment.printed + more, prints_on=goes_on)

    def _interrupted(self, alignment: Alignment, is_silent: bool, asks: bool) -> Difference:
        """Return the difference of a program that ends or falls silent while something is due."""
        printed, run = alignment.printed, self._run
        if not is_silent:
            return self._difference('ended', printed, status=run.status(self._seconds))
        if run.is_overdue:
            return self._difference('trickles', printed, seconds=run.seconds)
        if asks:
            return self._difference('goes on', printed, seconds=self._seconds)
        if not self._is_last_run:
            return self._difference('silent', printed, seconds=self._seconds)
        rest = (step.typed for step in self._transcript.steps[self._number:])
        late, lines = self._output_after(rest)
        run.send(b''.join(rest), GRACE_SECONDS)
        run.end_input()
        late += collect(run, GRACE_SECONDS)[0]
        return self._difference('silent', printed, late=late, read_early=lines,
                                status=run.status(EXIT_SECONDS), seconds=self._seconds)

    def _output_after(self, lines: Iterator[bytes]) -> tuple[bytes, int]:
        """Type lines until the program prints; return its output, and how many lines that took.

        0 lines are told if the output may have come because a buffer was full, or at the end.
        """
        until = time.monotonic() + GRACE_SECONDS
        for number, line in enumerate(lines, 1):
            self._run.send(line, GRACE_SECONDS)
            output = b''
            piece, waits = self._read_or_see_waiting(until - time.monotonic())
            while piece and len(output) < MOST_UNEXPECTED:
                output += piece
                piece, waits = self._read_or_see_waiting(until - time.monotonic())
            if output or not waits:
                return output, number if waits and len(output) < SMALLEST_BUFFER else 0
        return b'', 0

    def _end(self, alignment: Alignment) -> Difference | None:
        """Return what is wrong after the last step: more output, no end, a bad exit status."""
        piece = self._run.read(self._seconds)
        while piece:
            alignment.take(piece)
            if alignment.verdict() == 'wrong':
                return self._differs(alignment)
            piece = self._run.read(self._seconds)
        if piece is not None:
            alignment.end()
        if not alignment.is_whole:
            return self._interrupted(alignment, piece is None, asks=False)
        if self._earlier is not None:
            self._earlier += alignment.printed
        status = self._run.status(self._seconds) if piece is not None else None
        if status is None:
            self._run.end_input()
            late, _ = collect(self._run, GRACE_SECONDS)
            return self._difference('runs on', b'', late=late, seconds=self._seconds,
                                    status=self._run.status(GRACE_SECONDS))
        if self._run.excess or not self._transcript.accepts_status(status):
            return self._difference('status', b'', status=status)
        return None

    def _difference(self, kind: Kind, printed: bytes | bytearray, late: bytes = b'',
                    status: int | None = None, prints_on: bool = False,
                    seconds: float = 0, read_early: int = 0) -> Difference:
        return Difference(
            self._transcript, self._number, kind, bytes(printed), late, status, seconds=seconds,
            read_early=read_early, prints_on=prints_on, before=self._before,
            earlier=None if self._earlier is None else bytes(self._earlier))


def type_all(run: Run, text: bytes, seconds: float) -> bytes:
    """Type a text; stop after some seconds if the program does not read it.

    Return what is printed meanwhile: b'' for a short text, which is typed at once.
    """
    printed = bytearray()
    for start in range(0, len(text), MOST_TYPED):
        begin = time.monotonic()
        run.send(text[start:start + MOST_TYPED], seconds)
        if time.monotonic() >= begin + seconds:
            break
        # A program that could print no more would not read on, either.
        while len(text) > MOST_TYPED:
            piece = run.read(0)
            if not piece:
                break
            printed += piece
    return bytes(printed)


def collect(run: Run, seconds: float) -> tuple[bytes, bool]:
    """Return what is printed until nothing comes for some seconds, and whether it was cut.

    Output that is too long, or goes on for too long, is cut.
    """
    printed = b''
    until = time.monotonic() + max(seconds, PATIENCE)
    while len(printed) < MOST_UNEXPECTED and time.monotonic() < until:
        piece = run.read(seconds)
        if not piece:
            return printed, False
        printed += piece
    return printed, True
