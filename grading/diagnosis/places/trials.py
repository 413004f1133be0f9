"""Find the statements of a program that make its output correct if they are changed a little.

Programs with small changes run in the sandbox, many in one process. The expected output stays here,
where their output is compared with it. A change that makes all output correct, in failed and in
passed sessions, is seldom far from the line to fix, even if it is not the proper fix.

On finding faults by changing statements: Seokhyeon Moon, Yunho Kim, Moonzoo Kim and Shin Yoo, "Ask
the Mutants: Mutating Faulty Programs for Fault Localization", ICST 2014. Code that is missing in
one place is often elsewhere in the program: Westley Weimer, ThanhVu Nguyen, Claire Le Goues and
Stephanie Forrest, "Automatically Finding Patches Using Genetic Programming", ICSE 2009.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...games.traced_program import Statement
from ...sessions.run import Run
from ...sessions.session import Session, at_once
from ...sessions.verdict import Dialogue, Played, Turn, failure_in
from .sources import Sources
from .trace import Line

CHANGES = (Path(__file__).parent / 'injected' / 'changes.py').read_text(encoding='utf-8')
CHANGE = re.compile(rb'(\d{1,9}) (\d{1,9}) ([0-2])')  # what the process may answer
OUTPUT = re.compile(rb'(-?\d{1,9}) (\d{1,9}) (\d{1,9})')
MOST_LISTED = 1 << 16  # changes of a program
PORTION = 250  # changes in one request
LATER = 15  # ranks by which the changes of the next round come later
MOST_BETTER = 60  # changes that help, that are tried in other sessions
MOST_SESSIONS = 5  # that fail, and that pass
MOST_TYPED = 1 << 12  # bytes of input of a session
LEAST_PRINTED, MOST_PRINTED = 1 << 12, 1 << 16  # bytes of its output that are read, and
LONGER = 2  # times as many as are expected
MOST_SILENT = 8  # seconds by the clock: each run that hangs is ended sooner
LEAST_SECONDS = 0.02  # of a processor for a run, and
SLOWER = 4  # how many times as long as for the program as it is
# Microseconds of a processor: a program that takes more is run with correspondingly fewer changes.
SLOW, FEWER = (15_000, 120_000, 960_000), 8
RIGHT = -1  # how far a session gets that is correct to its end
BROKEN = 0.5  # of the gain from a repaired session, lost for a broken one


class Trial:
    """A session with all its input at once, and how far the unchanged program gets in it."""

    def __init__(self, played: Played) -> None:
        self.session, self.right = at_once(played.session.line_by_line), RIGHT
        self.seconds = 1.0  # of a processor, for a run
        output = self.session.output.encode()
        if played.wrong:
            self.right = self.reach(played.dialogue.output, played.dialogue.status or 0)
            output = played.dialogue.output[: max(0, self.right)]
        # What is correct already must be printed again, if only one text is correct.
        self.begin = output if self.session.is_exact(self.session.steps) else b''

    def reach(self, output: bytes, status: int) -> int:
        """Return how many bytes of an output are correct, or RIGHT."""
        wrong = failure_in(self.session, Dialogue([Turn(), Turn(output)], status=status))
        return wrong.start if wrong else RIGHT

    def request(self, chosen: Sequence[int]) -> bytes:
        """Return a request to play the session with some changes."""
        typed = self.session.steps[0].typed
        most = min(MOST_PRINTED, LONGER * len(self.session.output) + LEAST_PRINTED)
        return repr((typed, self.begin, self.seconds, most, [*chosen])).encode() + b'\n'


def is_played(session: Session, arguments: Sequence[str]) -> bool:
    """Return whether changed programs, started with some arguments, can play a session.

    They never play a hidden session, because a change that succeeds reveals what is expected.
    """
    return not (
        session.is_hidden
        or session.others
        or session.has_free_prompts
        or session.end.files
        or sum(map(len, session.inputs)) > MOST_TYPED
    ) and [*session.arguments] == [*arguments]


class Trials:
    """The process that runs a program with changes to some of its files, until a time.

    The program may have tampered with it: `EOFError` is raised for an answer that is not possible.
    """

    def __init__(self, run: Run, sources: Sources, files: Sequence[str], until: float) -> None:
        self._run, self._until, self._answered = run, until, b''
        self._used = 0  # microseconds of a processor, of the last run
        self._send(repr([*files]).encode() + b'\n')
        self._changes: list[tuple[Statement | None, int]] = []  # of what, in which round
        while line := self._line():
            found = CHANGE.fullmatch(line)
            if not found or int(found[1]) >= len(files) or len(self._changes) >= MOST_LISTED:
                raise EOFError
            self._changes.append(
                (sources.statement(Line(files[int(found[1])], int(found[2]))), int(found[3]))
            )

    def values(
        self,
        failed: Sequence[Played],
        passed: Sequence[Played],
        order: Sequence[Statement],
        most: int,
    ) -> dict[Statement, float]:
        """Return for each statement how well its best change makes sessions pass, up to 1.

        This is the share of the failed sessions that then pass, less for those that the change
        breaks. The first failed session is played with up to `most` changes, in the `order` of
        their statements; the others only with the changes that help there.
        """
        apart = max(1, len(passed) // MOST_SESSIONS)  # the shortest ones are much alike
        first, *others = map(
            Trial, [*failed[:MOST_SESSIONS], *passed[apart // 2 :: apart][:MOST_SESSIONS]]
        )
        gains = dict.fromkeys(self._helping(first, order, most), 1.0)
        number_of_failed = 1
        for other in others:
            if gains and self._is_ready(other):
                number_of_failed += other.right != RIGHT
                for number, right in self._play(other, [*gains]):
                    if (right == RIGHT) != (other.right == RIGHT):
                        gains[number] += 1 if right == RIGHT else -BROKEN
        values: dict[Statement, float] = {}
        for number, gain in gains.items():
            statement = self._changes[number][0]
            if statement:
                values[statement] = max(values.get(statement, 0), gain / number_of_failed)
        return values

    def _helping(self, trial: Trial, order: Sequence[Statement], most: int) -> list[int]:
        """Return which of the `most` best-ranked changes make a session pass."""
        rank = {one: number for number, one in enumerate(order)}
        chosen = [
            number
            for _, number in sorted(
                (rank[one] + LATER * round_, number)
                for number, (one, round_) in enumerate(self._changes)
                if one in rank
            )
        ][:most]
        helping: list[int] = []
        if self._is_ready(trial):
            for slow in SLOW:
                if self._used > slow:
                    chosen = chosen[: len(chosen) // FEWER]
            for start in range(0, len(chosen), PORTION):
                portion = self._play(trial, chosen[start : start + PORTION])
                helping += [number for number, right in portion if right == RIGHT]
        return helping[:MOST_BETTER]

    def _is_ready(self, trial: Trial) -> bool:
        """Return whether the unchanged program does again what it did; note how long that takes."""
        is_same = [*self._play(trial, [-1])] == [(-1, trial.right)]
        trial.seconds = min(trial.seconds, max(LEAST_SECONDS, SLOWER * self._used / 1_000_000))
        return is_same

    def _play(self, trial: Trial, chosen: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield each of some changes, and how far the session gets with it."""
        self._send(trial.request(chosen))
        known: dict[tuple[int, bytes], int] = {}
        for number in chosen:
            found = OUTPUT.fullmatch(self._line())
            if not found:
                raise EOFError
            status, size, self._used = map(int, found.groups())
            if size > MOST_PRINTED:
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
            if len(self._answered) > MOST_PRINTED:
                raise EOFError
            self._read()
        line, _, self._answered = self._answered.partition(b'\n')
        return line

    def _read(self) -> None:
        piece = self._run.read(max(0, min(MOST_SILENT, self._until - time.monotonic())))
        if not piece:
            raise EOFError
        self._answered += piece
