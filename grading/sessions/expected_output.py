"""The output of a program, compared while it comes with what is due: is it right so far?

What is due in a turn are items: lines, and between them what may come but need not: any lines, a
prompt of the program's own, its own words, blank lines that do not count. One pass from left to
right keeps the places among the items to which the output so far can lead. Where all items are
exact text there is one such place, and the output is compared with the text.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Literal, NamedTuple, Sequence

from ..printable import decoded
from .comparison import (
    ANY_LINES,
    LONGEST_TRIED,
    PROMPT,
    Item,
    OwnWords,
    TooSlow,
    Trail,
    is_own_prompt,
    items_of,
    skipping,
)
from .steps import Printed, Step, pieces_of, split
from .transcript import Transcript

Verdict = Literal[
    'wrong',                            # nothing that may come can put it right
    'begun',                            # more is due
    'right',                            # nothing more may come
    'enough',                           # more may come
]

MOST_SECONDS = 5.0                      # of processor time to compare lines by rules
MOST_MORE = 1 << 18                     # bytes that may be printed beyond what is due


class Before(NamedTuple):
    """What a turn takes over from those before: what may still come, and how their output ends."""

    items: Sequence[Item] = ()          # what could have come, and has not been printed
    is_open: bool = False               # whether the text of a prompt that is due stands there


FIRST = Before()                        # of the first turn


class Alignment:
    """The output of a turn, or of several, compared with the items that are due."""

    def __init__(self, transcript: Transcript, steps: Sequence[Step],
                 before: Before = FIRST) -> None:
        self.lines: Sequence[Printed] = [line for step in steps for line in step.printed]
        self.printed = bytearray()
        self._transcript = transcript
        self._before = before
        self._text: bytes | None = None     # what is due, where that is exact
        self._is_right = True               # where it is exact: whether it is right so far
        if not before.items and transcript.rules.are_exact and not (
                transcript.has_free_prompts) and all(line.is_text for line in self.lines) and not (
                any(step.is_open for step in steps)):
            self._text = ''.join(map(str, self.lines)).encode()
            return
        self._items = [*before.items, *items_of(steps, transcript)]
        self._own_words = OwnWords(transcript.due_words, self._items)
        self._most = MOST_MORE + sum(step.size for step in steps)
        # By the number of items that are done in one way: where each accepted line ends.
        self._states: dict[int, Trail] = self._closed({0: None})
        self._farthest = max(self._states.items())
        self._start = 0                     # of the line that has not come to its end
        self._looked = 0                    # how far there is no newline
        self._used = 0.0                    # seconds of processor time

    def take(self, piece: bytes) -> None:
        """Add output that was printed."""
        if self._text is not None:
            self._is_right = self._is_right and self._text.startswith(piece, len(self.printed))
            self.printed += piece
            return
        self.printed += piece
        if len(self.printed) > self._most:
            self._states = {}
        try:
            self._take_lines()
        except TooSlow:
            self._states = {}

    def end(self) -> None:
        """Note the end of the output: the last line may lack its newline if blanks are ignored."""
        if self.is_pending and (self._transcript.rules.ignores_blanks
                                or self._items[-1:] == [ANY_LINES]):
            with suppress(TooSlow):
                if self.verdict() not in ('right', 'enough'):
                    self._advance(decoded(bytes(self.printed[self._start:])), len(self.printed))
                    self._start = len(self.printed)

    @property
    def is_pending(self) -> bool:
        """Whether text without a newline still has to be compared."""
        return self._text is None and self._start < len(self.printed)

    @property
    def is_whole(self) -> bool:
        """Whether it is right if nothing more comes."""
        return self.verdict() in ('right', 'enough')

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

    def _advance(self, line: str, end: int) -> None:
        """Compare a whole line in all states."""
        states: dict[int, Trail] = {}
        for at, path in self._states.items():
            states.update(self._moves(at, path, line, end))
            if self._may_stay(at, line):
                states.setdefault(at, path)
        self._states = self._closed(states)
        self._farthest = max([*self._states.items(), self._farthest], key=lambda state: state[0])

    def _moves(self, at: int, path: Trail, line: str, end: int) -> dict[int, Trail]:
        """Return the states to which a line leads from one, if it stands for an item."""
        item = self._items[at] if at < len(self._items) else ANY_LINES
        states: dict[int, Trail] = {}
        if item is PROMPT:
            if is_own_prompt(line, self._transcript):
                states[at + 1] = (end, path)
            behind, behind_path = self._line_behind(at, path)
            if behind >= 0 and self._items[behind].is_met(line, follows_prompt=True):
                states[behind + 1] = (end, behind_path)
        elif item.is_own:
            return self._own_words.states_behind(at, path, line, end)
        elif item.ends and item.is_met(line):
            states[at + 1] = (end, path)
        return states

    def _may_stay(self, at: int, line: str) -> bool:
        """Return whether a line may come in a state, and stand for no item."""
        item = self._items[at] if at < len(self._items) else None
        if item is ANY_LINES or self._is_blank(line):
            return True
        is_own = item is not None and item.is_own and not item.lead
        return (is_own or self._own_words.may_go_on(at)) and self._own_words.are(line)

    def _closed(self, states: dict[int, Trail]) -> dict[int, Trail]:
        """Return states, with those that leave out items which need not come."""
        for at in sorted(states):
            path = states[at]
            while at + 1 not in states and at < len(self._items) and self._items[at].may_lack:
                at, path = at + 1, skipping(path)
                states[at] = path
        return states

    def _line_behind(self, at: int, path: Trail) -> tuple[int, Trail]:
        """Return the place of the line before which a prompt may stand, -1 for none."""
        while at < len(self._items) and not self._items[at].parts:
            at, path = at + 1, skipping(path)
        is_line = at < len(self._items) and self._items[at].ends and not self._items[at].is_own
        return (at if is_line else -1), path

    def _is_blank(self, line: str) -> bool:
        """Return whether a line is a blank one that does not count."""
        return (self._transcript.rules.ignores_blanks and not line.strip()
                and (self._start > 0 or not self._before.is_open))

    def verdict(self, is_waiting: bool = False) -> Verdict:
        """Return what holds for all output so far; `is_waiting` if the program waits for input."""
        if self._text is not None:
            if not self._is_right:
                return 'wrong'
            return 'right' if len(self.printed) == len(self._text) else 'begun'
        rest = decoded(bytes(self.printed[self._start:]))
        try:
            states = [self._verdict_in(at, rest, is_waiting) for at in self._states]
        except TooSlow:
            return 'wrong'
        is_right = any(is_right for is_right, _ in states)
        may_go_on = any(may_go_on for _, may_go_on in states)
        if is_right:
            return 'enough' if may_go_on else 'right'
        return 'begun' if may_go_on else 'wrong'

    def _verdict_in(self, at: int, rest: str, is_waiting: bool) -> tuple[bool, bool]:
        """Return whether the output so far is right in a state, and whether more may come."""
        is_blank = not rest or self._is_blank(rest)
        if at == len(self._items):
            return is_blank, False
        item = self._items[at]
        may_end = all(other.may_lack for other in self._items[at + 1:])
        if item is PROMPT:
            may_end = may_end and len(rest) <= LONGEST_TRIED
            behind, _ = self._line_behind(at, None)
            return may_end, may_end or (
                behind >= 0 and self._items[behind].may_begin(rest, True, is_waiting))
        may_end = may_end and not item.ends
        if item is ANY_LINES or item.is_own:
            asks = may_end and item.is_own and bool(rest) and self._own_words.may_ask(item, rest)
            return asks, len(rest) <= MOST_MORE and (is_blank or not is_waiting)
        return may_end and item.is_met(rest), is_blank or item.may_begin(rest, False, is_waiting)

    def after(self) -> Before:
        """Return what the next turn takes over."""
        has_prompt = self.printed and not self.printed.endswith(b'\n')
        is_open = bool(has_prompt) or (not self.printed and self._before.is_open)
        if self._transcript.has_free_prompts:
            is_open = False
        if self._text is not None or (has_prompt and self.is_pending):
            return Before((), is_open)
        done = min((at for at in self._states if all(
            item.may_lack for item in self._items[at:])), default=len(self._items))
        return Before([item for item in self._items[done:] if not item.parts or (
            item.is_own and not self.printed)], is_open)

    def accepted(self) -> list[bytes]:
        """Return the output that matches each line that is due, up to the first wrong one."""
        if self._text is not None:
            return [*pieces_of(self.lines, bytes(self.printed))]
        done, path = self._farthest
        ends: list[int] = []
        while path:
            ends.append(path[0])
            path = path[1]
        own = len(self._before.items)
        pieces: list[bytes] = []
        start = 0
        for item, end in zip(self._items[own:done], ends[::-1][own:]):
            if item.parts:
                pieces += [b''] * (item.first - len(pieces))
                pieces += split(item.parts, bytes(self.printed[start:end]))
                start = end
        rest = bytes(self.printed[start:])
        due = next((item for item in self._items[max(own, done):] if item.parts), None)
        if due is None:                 # what is left are prompts that are free
            return [*pieces, rest, *[b''] * len(self.lines)][:len(self.lines)]
        pieces += [b''] * (due.first - len(pieces))
        with suppress(TooSlow):
            if not due.ends and due.is_met(decoded(rest)):
                return pieces + split(due.parts, rest)
        return [*pieces, *pieces_of(due.parts, rest)]


class Progress:
    """How far a program has come in a session: its output, compared from left to right.

    `transcript` is the session, or another one that the program follows.
    """

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self._number = 0                    # of the step
        self._before = FIRST             # what it takes over from those before
        self._begin()

    def _begin(self) -> None:
        self._alignment = Alignment(self.transcript, [self.transcript.steps[self._number]],
                                    self._before)

    def take(self, piece: bytes) -> None:
        """Add output that was printed."""
        self._alignment.take(piece)

    def verdict(self, is_waiting: bool = False) -> Verdict:
        """Return what holds of the output of this step; go over to a session that it follows."""
        verdict = self._alignment.verdict(is_waiting)
        others = self.transcript.others
        for other in others(self._number) if others and verdict == 'wrong' else ():
            alignment = Alignment(other, [other.steps[self._number]], self._before)
            alignment.take(bytes(self._alignment.printed))
            if alignment.verdict() != 'wrong':
                self.transcript, self._alignment = other, alignment
                return alignment.verdict()
        return verdict

    def type(self) -> None:
        """Go on with the next step, because the line at the end of this one was typed."""
        self._before = self._alignment.after()
        self._number += 1
        self._begin()

    def end(self) -> None:
        """Note the end of the output."""
        self._alignment.end()

    def accepted(self) -> list[bytes]:
        """Return the output of this step that matches each line due, up to the first wrong one."""
        return self._alignment.accepted()

    @property
    def is_whole(self) -> bool:
        """Whether it is right if nothing more comes."""
        return self._alignment.is_whole
