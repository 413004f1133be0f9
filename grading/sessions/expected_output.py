"""The output of a program, compared while it comes with the output that is due.

An alignment says of the output so far whether it is right, and whether more may come. Where lines
are not compared byte for byte, a line is compared when its newline has come, and text without a
newline when the program waits for input.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Literal, Sequence

from ..printable import decoded
from .comparison import LONGEST_TRIED, OwnWords, TooSlow, Trail, dues, skipping
from .steps import Printed, Step, pieces_of, split
from .transcript import Transcript

Verdict = Literal[
    'wrong',                            # nothing that may come can put it right
    'begun',                            # more is due
    'right',                            # nothing more may come
    'enough',                           # more may come
]
Before = Literal[
    'line',                             # what was printed before ends with a newline
    'prompt',                           # what was printed before does not end with a newline
    'silence',                          # a prompt may have been printed, but not flushed
    'words',                            # so may the program's own words
]

MOST_SECONDS = 5.0                      # of processor time to compare lines by rules
MOST_MORE = 1 << 18                     # bytes that may be printed beyond what is due


class Alignment:
    """The output of a step or of several, compared with what is due."""

    def __init__(self, lines: Sequence[Printed]) -> None:
        self.lines = lines
        self.printed = bytearray()

    def take(self, piece: bytes) -> None:
        """Add output that was printed."""
        raise NotImplementedError

    def verdict(self, is_waiting: bool = False) -> Verdict:
        """Return what holds for all output so far; `is_waiting` if the program waits for input."""
        raise NotImplementedError

    def accepted(self) -> list[bytes]:
        """Return the output that matches each line that is due, up to the first wrong one."""
        raise NotImplementedError

    def end(self) -> None:
        """Note the end of the output: the last line may lack its newline if blanks are ignored."""

    @property
    def is_pending(self) -> bool:
        """Whether text without a newline still has to be compared."""
        return False

    @property
    def is_whole(self) -> bool:
        """Whether it is right if nothing more comes."""
        return self.verdict() in ('right', 'enough')


class Exact(Alignment):
    """An alignment byte for byte."""

    def __init__(self, lines: Sequence[Printed]) -> None:
        super().__init__(lines)
        self._due = ''.join(map(str, lines)).encode()
        self._is_right = True

    def take(self, piece: bytes) -> None:
        self._is_right = self._is_right and self._due.startswith(piece, len(self.printed))
        self.printed += piece

    def verdict(self, is_waiting: bool = False) -> Verdict:
        if not self._is_right:
            return 'wrong'
        return 'right' if len(self.printed) == len(self._due) else 'begun'

    def accepted(self) -> list[bytes]:
        return [*pieces_of(self.lines, bytes(self.printed))]


class ByRule(Alignment):
    """An alignment line by line, by the rules of a session and of its lines.

    If any lines may come before a line, several printed lines may match it: each of the `states`
    counts the lines that are matched in one way.
    """

    def __init__(self, steps: Sequence[Step], transcript: Transcript,
                 before: Before = 'line') -> None:
        super().__init__([line for step in steps for line in step.printed])
        self._rules = transcript.rules
        self._due = [*dues(steps, transcript)]
        self._has_prompt = transcript.has_free_prompts and transcript.asks_after(steps[-1])
        self._is_open = steps[-1].is_open
        self._own_words = OwnWords(transcript.due_words, self._due, before == 'words')
        self._before = before
        self._most = MOST_MORE + sum(step.size for step in steps)
        self._states: dict[int, Trail] = self._closed({0: None})
        self._farthest = max(self._states.items())
        self._start = 0                     # of the line that has not come to its end
        self._looked = 0                    # how far there is no newline
        self._used = 0.0                    # seconds of processor time

    def take(self, piece: bytes) -> None:
        self.printed += piece
        if len(self.printed) > self._most:
            self._states = {}
        try:
            self._take_lines()
        except TooSlow:
            self._states = {}

    def end(self) -> None:
        if self.is_pending and (self._rules.ignores_blanks or self._is_open):
            with suppress(TooSlow):
                if self.verdict() not in ('right', 'enough'):
                    self._advance(decoded(bytes(self.printed[self._start:])), len(self.printed))
                    self._start = len(self.printed)

    def _take_lines(self) -> None:
        """Compare the lines whose newlines have come. Raises `TooSlow`."""
        begin = time.process_time() - self._used
        while self._states:
            end = self.printed.find(b'\n', self._looked) + 1
            if not end:
                break
            self._advance(decoded(bytes(self.printed[self._start:end - 1])), end)
            self._start = self._looked = end
            self._used = time.process_time() - begin
            if self._used > MOST_SECONDS:
                raise TooSlow
        self._looked = len(self.printed)

    @property
    def is_pending(self) -> bool:
        return self._start < len(self.printed)

    def _advance(self, line: str, end: int) -> None:
        """Compare a whole line in all states."""
        states: dict[int, Trail] = {}
        is_blank = self._is_blank(line)
        for met, path in self._states.items():
            due = self._due[met] if met < len(self._due) else None
            if due is None:
                is_kept = self._is_open
            elif due.is_own:
                is_kept = not due.lead and self._own_words.are(line)
                states.update(self._own_words.states_behind(met, path, line, end))
            else:
                is_kept = due.skips
                if due.ends and due.is_met(line, self._follows_silence):
                    states[met + 1] = (end, path)
            if is_kept or is_blank or (
                    self._own_words.may_go_on(met) and self._own_words.are(line)):
                states.setdefault(met, path)
        self._states = self._closed(states)
        self._farthest = max([*self._states.items(), self._farthest], key=lambda state: state[0])

    def _closed(self, states: dict[int, Trail]) -> dict[int, Trail]:
        """Return states, with those that leave out lines which need not come."""
        for met in sorted(states):
            path = states[met]
            while met + 1 not in states and self._need_not_come(met):
                met, path = met + 1, skipping(path)
                states[met] = path
        return states

    def _need_not_come(self, met: int) -> bool:
        """Return whether a line is blank, or in own words without a question."""
        line = self._due[met] if met < len(self._due) else None
        return line is not None and (line.is_blank or (line.is_own and not line.is_question))

    @property
    def _follows_silence(self) -> bool:
        """Whether a prompt that was not flushed may stand at the beginning of the line."""
        return self._before == 'silence' and not self._start

    def _is_blank(self, line: str) -> bool:
        """Return whether a line is a blank one that does not count."""
        return (self._rules.ignores_blanks and not line.strip()
                and (self._start > 0 or self._before != 'prompt'))

    def verdict(self, is_waiting: bool = False) -> Verdict:
        rest = decoded(bytes(self.printed[self._start:]))
        try:
            states = [self._verdict_in(met, rest, is_waiting) for met in self._states]
        except TooSlow:
            return 'wrong'
        is_right = any(is_right for is_right, _ in states)
        may_go_on = any(may_go_on for _, may_go_on in states)
        if is_right:
            return 'enough' if may_go_on else 'right'
        return 'begun' if may_go_on else 'wrong'

    def _verdict_in(self, met: int, rest: str, is_waiting: bool) -> tuple[bool, bool]:
        """Return whether the output so far is right in a state, and whether more may come."""
        is_blank = not rest or self._is_blank(rest)
        if met == len(self._due):
            if self._has_prompt:
                return len(rest) <= LONGEST_TRIED, len(rest) <= LONGEST_TRIED
            return is_blank, self._is_open and (is_blank or not is_waiting)
        due = self._due[met]
        if due.is_own:
            return (bool(rest) and not due.ends and met == len(self._due) - 1,
                    len(rest) <= MOST_MORE and (is_blank or not is_waiting))
        is_right = (met == len(self._due) - 1 and not due.ends
                    and due.is_met(rest, self._follows_silence))
        may_go_on = (is_blank or due.may_begin(rest, self._follows_silence, is_waiting)
                     or (due.skips and not is_waiting and len(rest) <= MOST_MORE))
        return is_right, may_go_on

    def accepted(self) -> list[bytes]:
        met, path = self._farthest
        ends: list[int] = []
        while path:
            ends.append(path[0])
            path = path[1]
        ends.append(0)
        pieces: list[bytes] = []
        for due, start, end in zip(self._due, ends[::-1], ends[-2::-1]):
            pieces += [b''] * due.prompts + split(due.parts, bytes(self.printed[start:end]))
        rest = bytes(self.printed[ends[0]:])
        if met < len(self._due):
            due = self._due[met]
            pieces += [b''] * due.prompts
            with suppress(TooSlow):
                if not due.ends and due.is_met(decoded(rest), self._follows_silence):
                    return pieces + split(due.parts, rest)
            return [*pieces, *pieces_of(due.parts, rest)]
        left = len(self.lines) - len(pieces)        # prompts that are free
        return [*pieces, rest, *[b''] * left][:len(self.lines)]


def alignment_of(transcript: Transcript, *steps: Step, before: Before = 'line') -> Alignment:
    """Return the alignment for some steps of a session, or for a file."""
    lines = [line for step in steps for line in step.printed]
    is_exact = transcript.rules.are_exact and not transcript.has_free_prompts and not any(
        step.is_open for step in steps) and all(line.is_text for line in lines)
    return Exact(lines) if is_exact and before != 'words' else ByRule(steps, transcript, before)
