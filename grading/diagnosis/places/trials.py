"""Finds the statements of a program where a small change makes the output correct.

The changed programs run in the sandbox, many in one process. This module compares their output with
the expected output; only the part already printed by the unchanged program enters the sandbox. If a
change makes the output of all sessions correct, failed and passed alike, it is seldom far from the
line to fix, even if it is not the proper fix.

The idea is from: Seokhyeon Moon, Yunho Kim, Moonzoo Kim and Shin Yoo, "Ask the Mutants: Mutating
Faulty Programs for Fault Localization", ICST 2014. Code missing in one place often exists elsewhere
in the program: Westley Weimer, ThanhVu Nguyen, Claire Le Goues and Stephanie Forrest,
"Automatically Finding Patches Using Genetic Programming", ICSE 2009.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...games.traced_program import Statement
from ...sessions.run import Run
from ...sessions.session import Session, at_once
from ...sessions.verdict import Dialogue, PlayedSession, Turn, failure_in
from .sources import Sources
from .trace import Line

CHANGES = (Path(__file__).parent / 'injected' / 'changes.py').read_text(encoding='utf-8')
# The valid answers of the process; changes.py defines their format.
CHANGE = re.compile(rb'(\d{1,9}) (\d{1,9}) ([0-2]) ([01])')
OUTPUT = re.compile(rb'(-?\d{1,9}) (\d{1,9}) (\d{1,9})')
MAX_LISTED = 1 << 16  # maximum number of possible changes in the process's list
PORTION = 250  # maximum number of changes in one request
RANKS_PER_ROUND = 15  # ranks lost by a change for each round (see changes.py) before its own
MAX_HELPING = 60  # maximum number of helpful changes to try in the other sessions
MAX_SESSIONS = 5  # try changes in up to 5 failed sessions, and in up to 5 passed sessions
MAX_TYPED = 1 << 12  # maximum length of the input of a session, in characters
MAX_SILENT = 8  # seconds of real time to wait for an answer; a hanging run is ended sooner
# A run may print `TIMES_EXPECTED` times as much as expected plus `EXTRA_PRINTED` bytes, but no more
# than `MAX_PRINTED` bytes.
EXTRA_PRINTED = 1 << 12
TIMES_EXPECTED = 2
MAX_PRINTED = 1 << 16
TIMES_UNCHANGED = 4  # a run may take this many times the processor time of the unchanged program
MIN_SECONDS = 0.02  # lowest limit on a run's processor time
MAX_SECONDS = 1.0  # highest limit on it
# Times in microseconds. The number of changes to try is divided by `FEWER` for each of these times
# that a run of the unchanged program exceeds.
SLOW = 15_000, 120_000, 960_000
FEWER = 8
RIGHT = -1  # in place of a number of correct bytes if the whole session is correct
BROKEN = 0.5  # points lost by a change per broken session; it gains 1 per repaired session


class Effect(NamedTuple):
    """What the best change to a statement does."""

    value: float  # 1 if all tried sessions pass with the change; otherwise less
    is_deep: bool = False  # whether the change only replaces a shallow copy with a deep copy


class SourceChange(NamedTuple):
    """A possible change to a program; see changes.py."""

    statement: Statement | None  # None if the program's files do not contain the reported line
    round: int
    is_deep: bool


class Trial:
    """A session with all its input at once, and how far the unchanged program gets in it.

    `right` is the number of correct bytes at the start of the unchanged program's output, or
    `RIGHT` if the program passes.
    """

    def __init__(self, played: PlayedSession) -> None:
        self.session, self.right = at_once(played.session.line_by_line), RIGHT
        self.seconds = MAX_SECONDS  # how much processor time a run may take
        output = self.session.output.encode()
        if played.failure_found:
            self.right = self.reach(played.dialogue.output, played.dialogue.status or 0)
            output = played.dialogue.output[: max(0, self.right)]
        # The required beginning of the output, as printed by the unchanged program. A run is ended
        # as soon as its output differs from it. If several outputs may be correct, no beginning is
        # required.
        self.begin = output if self.session.is_exact(self.session.steps) else b''

    def reach(self, output: bytes, status: int) -> int:
        """Return how many bytes at the start of an output are correct, or RIGHT if all are."""
        wrong = failure_in(self.session, Dialogue([Turn(), Turn(output)], status=status))
        return wrong.start if wrong else RIGHT

    def request(self, chosen: Sequence[int]) -> bytes:
        """Return a request (see changes.py) to play the session with each chosen change."""
        typed = self.session.steps[0].typed
        most = min(MAX_PRINTED, TIMES_EXPECTED * len(self.session.output) + EXTRA_PRINTED)
        return repr((typed, self.begin, self.seconds, most, [*chosen])).encode() + b'\n'


def is_playable(session: Session, arguments: Sequence[str]) -> bool:
    """Return whether a session can be played by changed programs started with these arguments.

    A hidden session is never played, because a successful change would reveal its expected output.
    """
    if session.is_hidden or session.others or session.has_free_prompts or session.end.files:
        return False
    is_short = sum(map(len, session.inputs)) <= MAX_TYPED
    return is_short and [*session.arguments] == [*arguments]


class Trials:
    """The process that runs a program with changes to some of its files.

    The program may tamper with this process, so any unexpected answer raises `EOFError`. So does
    the lack of an answer before `until`, a value of `time.monotonic()`.
    """

    def __init__(self, run: Run, sources: Sources, files: Sequence[str], until: float) -> None:
        self._run, self._until, self._answered = run, until, b''
        self._used = 0  # the processor time of the last run, in microseconds
        self._send(repr([*files]).encode() + b'\n')
        self._changes: list[SourceChange] = []
        while line := self._line():
            found = CHANGE.fullmatch(line)
            if not found or int(found[1]) >= len(files) or len(self._changes) >= MAX_LISTED:
                raise EOFError
            changed = sources.statement(Line(files[int(found[1])], int(found[2])))
            self._changes.append(SourceChange(changed, int(found[3]), found[4] == b'1'))

    def effects(
        self,
        failed: Sequence[PlayedSession],
        passed: Sequence[PlayedSession],
        order: Sequence[Statement],
        most: int,
    ) -> dict[Statement, Effect]:
        """Return the effect of the best helpful change to each statement, if there is any.

        `failed` and `passed` are sorted by length. Up to `most` changes are tried in the first
        failed session, roughly in the `order` of their statements. Only those that repair it are
        tried in other sessions. The value of an effect is the share of failed sessions the change
        repairs, less a penalty for each passed session it breaks.
        """
        # Sample passed sessions at this interval, because sessions of similar length are alike.
        distance = max(1, len(passed) // MAX_SESSIONS)
        sample = passed[distance // 2 :: distance]
        first, *others = map(Trial, [*failed[:MAX_SESSIONS], *sample[:MAX_SESSIONS]])
        gains = dict.fromkeys(self._helping(first, order, most), 1.0)
        number_of_failed = 1
        for other in others:
            if not gains or not self._is_ready(other):
                continue
            passed_unchanged = other.right == RIGHT
            if not passed_unchanged:
                number_of_failed += 1
            for number, right in self._play(other, [*gains]):
                passes = right == RIGHT
                if passes and not passed_unchanged:
                    gains[number] += 1
                elif passed_unchanged and not passes:
                    gains[number] -= BROKEN
        effects: dict[Statement, Effect] = {}
        for number, gain in gains.items():
            change = self._changes[number]
            if change.statement:
                effect = Effect(gain / number_of_failed, change.is_deep)
                best = effects.get(change.statement, Effect(0))
                effects[change.statement] = max(best, effect)
        return effects

    def _helping(self, trial: Trial, order: Sequence[Statement], most: int) -> list[int]:
        """Return up to `MAX_HELPING` changes that repair a failed session.

        Try the `most` best-ranked changes, or fewer if runs are slow.
        """
        position = {statement: number for number, statement in enumerate(order)}
        ranks = {
            number: position[change.statement] + RANKS_PER_ROUND * change.round
            for number, change in enumerate(self._changes)
            if change.statement in position
        }
        chosen = sorted(ranks, key=ranks.__getitem__)[:most]
        helping: list[int] = []
        if self._is_ready(trial):
            for slow in SLOW:
                if self._used > slow:
                    chosen = chosen[: len(chosen) // FEWER]
            for start in range(0, len(chosen), PORTION):
                portion = self._play(trial, chosen[start : start + PORTION])
                helping += [number for number, right in portion if right == RIGHT]
        return helping[:MAX_HELPING]

    def _is_ready(self, trial: Trial) -> bool:
        """Run the unchanged program to set the time limit; return whether it behaves as before."""
        is_same = [*self._play(trial, [-1])] == [(-1, trial.right)]
        seconds = max(MIN_SECONDS, TIMES_UNCHANGED * self._used / 1_000_000)
        trial.seconds = min(trial.seconds, seconds)
        return is_same

    def _play(self, trial: Trial, chosen: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield each chosen change, with the number of correct bytes of the output, or `RIGHT`."""
        self._send(trial.request(chosen))
        known: dict[tuple[int, bytes], int] = {}  # this number, by exit status and output
        for number in chosen:
            found = OUTPUT.fullmatch(self._line())
            if not found:
                raise EOFError
            status, size, self._used = map(int, found.groups())
            if size > MAX_PRINTED:
                raise EOFError
            while len(self._answered) < size:
                self._read()
            rest, self._answered = self._answered[:size], self._answered[size:]
            if (status, rest) not in known:
                known[status, rest] = trial.reach(trial.begin + rest, status) if status >= 0 else 0
            yield number, known[status, rest]

    def _send(self, text: bytes) -> None:
        self._run.send(text, max(0, self._until - time.monotonic()))

    def _line(self) -> bytes:
        while b'\n' not in self._answered:
            if len(self._answered) > MAX_PRINTED:
                raise EOFError
            self._read()
        line, _, self._answered = self._answered.partition(b'\n')
        return line

    def _read(self) -> None:
        piece = self._run.read(max(0, min(MAX_SILENT, self._until - time.monotonic())))
        if not piece:
            raise EOFError
        self._answered += piece
