"""The output of a program, compared while it comes with what is expected: is it right so far?

One pass from left to right keeps the places among the expected items to which the output so far can
lead. Where all items are exact text there is one such place, and the output is compared with the
text.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Literal

from ..printable import decoded
from .items import (
    ANY_LINES,
    ANY_TEXT,
    LONGEST_TRIED,
    PROMPT,
    Item,
    is_own_prompt,
    items_of,
    parts_met,
)
from .line_rules import TooSlow
from .session import ExpectedLine, Session, Step

Verdict = Literal[
    'wrong',  # nothing that may come can put it right
    'begun',  # more is expected
    'right',  # nothing more may come
    'enough',  # more may come
]

NUMBERS = re.compile('[0-9]+')
SECONDS_A_TURN = 5.0  # of processor time to compare lines by rules
MOST_MORE = 1 << 18  # bytes that may be printed beyond what is expected


def words_of(line: str) -> str:
    """Return what is the same in lines that differ only in their numbers.

    >>> words_of('pile 0 = 12'), words_of('Pile 1: 3')
    ('pile 0 0', 'pile 0 0')
    """
    return ' '.join(plain_words(NUMBERS.sub('0', line)))


def plain_words(line: str) -> list[str]:
    """Return the words and numbers of a line, in small letters."""
    return re.findall(r'\w+', line.lower())


class Alignment:
    """The output of a turn, or of several, compared with the expected items.

    What could have come in the turn `before`, and has not been printed, may come now.
    """

    def __init__(
        self, session: Session, steps: Sequence[Step], before: Alignment | None = None
    ) -> None:
        self._late, self._begins_open = before.after() if before else ([], False)
        self.lines: Sequence[ExpectedLine] = [line for step in steps for line in step.printed]
        self.printed = bytearray()
        self._session = session
        self._text: bytes | None = None  # the expected text, where all of it is exact
        self._items: Sequence[Item] = ()
        # By the number of items that are done in one way: where the last expected line ends.
        self._states: dict[int, int] = {}
        self._start = 0  # of the line that has not come to its end
        self._used = 0.0  # seconds of processor time
        due = ''.join(map(str, self.lines)).encode()
        self._most = len(due) + MOST_MORE
        if not self._late and session.is_exact(steps):
            self._text = due
            return
        self._items = [*self._late, *items_of(steps, session)]
        self._states = self._closed({0: 0})
        self._farthest = max(self._states.items())

    def take(self, piece: bytes) -> None:
        """Add output that was printed."""
        looked = len(self.printed)  # there is no newline in the line so far
        self.printed += piece
        if len(self.printed) > self._most:
            self._states = {}
        begin = time.process_time() - self._used
        # Where all is exact there are no states.
        while self._states and (end := self.printed.find(b'\n', looked) + 1):
            self._advance(end)
            looked, self._used = end, time.process_time() - begin
            if self._used > SECONDS_A_TURN:
                self._states = {}

    def end(self) -> None:
        """Note the end of the output: its newline may be missing if whitespace is ignored."""
        may_lack = self._session.rules.ignores_whitespace
        if self._rest and may_lack and not self.is_whole:
            states, start = self._states, self._start
            self._advance(len(self.printed))
            if not self._states:
                self._states, self._start = states, start

    @property
    def _rest(self) -> str:
        """The text without a newline that still has to be compared by rules."""
        return decoded(bytes(self.printed[self._start :])) if self._text is None else ''

    @property
    def is_whole(self) -> bool:
        """Whether it is right if nothing more comes."""
        return self.verdict() in ('right', 'enough')

    def _advance(self, end: int) -> None:
        """Compare the line that ends at a place, in all states."""
        line = decoded(bytes(self.printed[self._start : end])).rstrip('\n')
        states: dict[int, int] = {}
        try:
            for at, before in self._states.items():
                for state in self._moves(at, line):  # a prompt is no line that is due
                    states[state] = end if self._items[state - 1].parts else before
                if self._may_stay(at, line):
                    states.setdefault(at, before)
        except TooSlow:
            states = {}
        self._states = self._closed(states)
        self._farthest = max([*self._states.items(), self._farthest], key=itemgetter(0))
        self._start = end

    def _moves(self, at: int, line: str) -> Iterator[int]:
        """Yield the states to which a line leads from a state, if it is right for an item."""
        item = self._items[at] if at < len(self._items) else ANY_LINES
        if item in (PROMPT, ANY_TEXT):
            if item is PROMPT and is_own_prompt(line, self._session):
                yield at + 1
            behind = self._line_behind(at)
            if behind and self._items[behind].is_met(line, follows_prompt=True):
                yield behind + 1
        elif item.is_own:
            yield from self._moves_of_own_words(at, line)
        elif (item.ends or item.is_asked) and item.is_met(line):
            yield at + 1
            behind = self._line_behind(at) if item.goes_on else 0
            if behind and Item(
                [*item.parts, *self._items[behind].parts], item.rules, 0, item.follows_prompt
            ).is_met(line):
                yield behind + 1

    def _moves_of_own_words(self, at: int, line: str) -> Iterator[int]:
        """Yield the states after a line that ends in own words, or in the item expected after them.

        Each question after prompts has at least one character, which may be the newline.
        """
        start, asks, may_follow = 0, False, self._follows_own_words(at)
        while at < len(self._items) and self._items[at].is_own:
            due = self._items[at]
            found = line.find(due.lead, start)
            if found < 0 or (found and not may_follow):
                return
            start, asks, may_follow = found + len(due.lead), asks or due.is_question, True
            if start <= len(line) and self._is_own(line[start:]):
                yield at + 1
            start += not due.may_lack
            at += 1
        if (
            asks
            and at < len(self._items)
            and self._items[at].ends
            and start <= len(line)
            and self._items[at].is_met(line[start:], follows_prompt=True)
        ):
            yield at + 1

    def _is_own(self, line: str) -> bool:
        """Return whether a line is in the program's own words."""
        words = self._session.due_words
        return bool(words) and words_of(line) not in words

    def _follows_own_words(self, at: int) -> bool:
        """Return whether own words may go on before an item."""
        return at > 0 and self._items[at - 1].is_own

    def _may_stay(self, at: int, line: str) -> bool:
        """Return whether a line may come in a state without being right for an item."""
        item = self._items[at] if at < len(self._items) else PROMPT
        if item in (ANY_LINES, ANY_TEXT) or self._is_blank(line):
            return True
        is_free = (item.is_own and not item.lead) or self._follows_own_words(at)
        return is_free and self._is_own(line)

    def _closed(self, states: dict[int, int]) -> dict[int, int]:
        """Return states, with those that leave out items which need not come."""
        for at in sorted(states):
            start = states[at]
            while at + 1 not in states and at < len(self._items) and self._items[at].may_lack:
                at += 1
                states[at] = start
        return states

    def _line_behind(self, at: int) -> int:
        """Return the place of the line before which a prompt may be printed, 0 for none."""
        return next(
            (
                place if item.ends and not item.is_own else 0
                for place, item in enumerate(self._items)
                if place > at and item.parts
            ),
            0,
        )

    def _is_blank(self, line: str) -> bool:
        """Return whether a line is empty but for whitespace, and does not count."""
        return (
            self._session.rules.ignores_whitespace
            and not line.strip()
            and (self._start > 0 or not self._begins_open)
        )

    def verdict(self, is_waiting: bool = False) -> Verdict:
        """Return what holds for all output so far; `is_waiting` if the program waits for input."""
        if self._text is not None:
            if not self._text.startswith(self.printed):
                return 'wrong'
            return 'right' if len(self.printed) == len(self._text) else 'begun'
        rest = self._rest
        try:
            states = [self._verdict_in(at, rest, is_waiting) for at in self._states]
        except TooSlow:
            return 'wrong'
        may_go_on = any(may_go_on for _, may_go_on in states)
        if any(is_right for is_right, _ in states):
            return 'enough' if may_go_on else 'right'
        return 'begun' if may_go_on else 'wrong'

    def _verdict_in(self, at: int, rest: str, is_waiting: bool) -> tuple[bool, bool]:
        """Return whether the output so far is right in a state, and whether more may come."""
        is_blank = not rest or self._is_blank(rest)
        if at == len(self._items):
            return is_blank, False
        item = self._items[at]
        may_end = not item.ends and all(other.may_lack for other in self._items[at + 1 :])
        if item is PROMPT:
            may_end = may_end and len(rest) <= LONGEST_TRIED
            behind = self._line_behind(at)
            return may_end, may_end or (
                behind > 0 and self._items[behind].may_begin(rest, True, is_waiting)
            )
        if item is ANY_TEXT:
            return may_end, may_end or is_blank or not is_waiting
        if item is ANY_LINES or item.is_own:
            return may_end and self._may_ask(item, rest), is_blank or not is_waiting
        return may_end and item.is_met(rest), is_blank or item.may_begin(rest, False, is_waiting)

    def _may_ask(self, item: Item, text: str) -> bool:
        """Return whether a text may ask an item's question, and is no other expected text."""
        return (
            item.is_own
            and bool(text)
            and (self._is_own(text) or plain_words(text) == plain_words(item.parts[0].text))
        )

    def after(self) -> tuple[Sequence[Item], bool]:
        """Return what may still come in the next turn, and whether an expected prompt is open."""
        has_prompt = bool(self.printed) and not self.printed.endswith(b'\n')
        is_due = has_prompt and self._items[-1:] != [ANY_TEXT]
        is_open = not self._session.has_free_prompts and (
            is_due or (not self.printed and self._begins_open)
        )
        if has_prompt and self._rest:
            return (), is_open
        done = min(
            (at for at in self._states if all(item.may_lack for item in self._items[at:])),
            default=len(self._items),
        )
        return [
            item
            for item in self._items[done:]
            if not item.parts or (item.is_own and not self.printed)
        ], is_open

    def accepted(self) -> tuple[int, int]:
        """Return how many expected lines came before the first wrong one, and where they end.

        Their end is where the wrong output begins.
        """
        number, start = 0, 0
        if self._text is not None:
            for line in self.lines:
                text = str(line).encode()
                if not self.printed.startswith(text, start):
                    break
                number, start = number + 1, start + len(text)
            return number, start
        done, start = self._farthest
        item = next(
            (item for item in self._items[max(done, len(self._late)) :] if item.parts), None
        )
        if not item:  # what is left are prompts that are free
            return len(self.lines), start
        with suppress(TooSlow):
            if (
                self._states
                and not item.ends
                and (self._may_ask(item, self._rest) if item.is_own else item.is_met(self._rest))
            ):
                return item.first + len(item.parts), len(self.printed)
        rest = decoded(bytes(self.printed[start:])).partition('\n')[0]
        number, size = parts_met(item, rest)
        return item.first + number, start + size


class Progress:
    """How far a program has come in a session: its output, compared from left to right.

    `session` is the session, or another one that the program follows; `turn` compares the output
    of the turn.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.turn = Alignment(session, session.steps[:1])
        self._number = 0  # of the step
        self._before: Alignment | None = None  # of the turn before

    def verdict(self, is_waiting: bool = False) -> Verdict:
        """Return what holds of the output of this turn.

        If it is wrong, but not in another session that would be right, too, follow that session.
        """
        verdict, others = self.turn.verdict(is_waiting), self.session.others
        for other in others(self.session, self._number) if others and verdict == 'wrong' else ():
            turn = Alignment(other, [other.steps[self._number]], self._before)
            turn.take(bytes(self.turn.printed))
            if turn.verdict() != 'wrong':
                self.session, self.turn = other, turn
                return turn.verdict()
        return verdict

    def type(self) -> None:
        """Go on with the next turn, because the line at the end of this one was typed."""
        self._before = self.turn
        self._number += 1
        self.turn = Alignment(self.session, [self.session.steps[self._number]], self._before)
