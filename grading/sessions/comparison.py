"""Compares a program's output with the expected output while the program is still running.

The expected output is a list of items: lines, prompts, and what may be printed between them (see
`items`). Output can match them in several ways, so the comparison simulates a nondeterministic
automaton. A state is the number of items the output so far may have completed; each printed line
leads to new states. For example, there are two items if any lines may precede `Hello`. Before
any output, the states are 0 and 1, because there may be no such lines; after the line `Hello`, they
are 0, 1 and 2. If all items are exact text, a prefix test is enough.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Literal

from ..limits import LONGEST_TRIED, MAX_MORE, SECONDS_A_TURN
from ..printable import decoded
from .items import (
    ANY_LINES,
    ANY_TEXT,
    PROMPT,
    Item,
    is_free_prompt,
    items_of,
    matching_parts,
)
from .line_rules import TooSlow
from .session import ExpectedLine, Session, Step

Verdict = Literal[
    'wrong',  # no further output can make it correct
    'begun',  # not complete, but it may still become correct
    'right',  # complete, and nothing more may follow
    'enough',  # complete, but more may follow
]

NUMBERS = re.compile('[0-9]+')


def words_of(line: str) -> str:
    """Return the lowercase words of a line, with each number replaced by 0.

    If lines differ only in numbers, case, punctuation and spacing, they have the same words.

    >>> words_of('pile 0 = 12'), words_of('Pile 1: 3')
    ('pile 0 0', 'pile 0 0')
    """
    return ' '.join(plain_words(NUMBERS.sub('0', line)))


def plain_words(line: str) -> list[str]:
    """Return the lowercase words of a line, including its numbers."""
    return re.findall(r'\w+', line.lower())


class Alignment:
    r"""The output of some steps, compared with the expected output.

    `before` is the alignment of the previous turn, or None in the first turn. Optional output may
    still be printed now if it was not printed then.

    >>> from grading.sessions.transcript import parse
    >>> session = parse('Ann\n# any lines\n|Hello\n', 'a')
    >>> alignment = Alignment(session, session.steps)
    >>> for piece in (b'Wel', b'come\n', b'Hello\n', b'Bye\n'):
    ...     alignment.take(piece)
    ...     print(alignment.verdict())
    begun
    begun
    enough
    begun

    `Bye` is allowed by `# any lines`, but then another `Hello` must follow.
    """

    def __init__(
        self, session: Session, steps: Sequence[Step], before: Alignment | None = None
    ) -> None:
        self._left_over, self._continues_line = before.after() if before else ([], False)
        self.lines: Sequence[ExpectedLine] = [line for step in steps for line in step.expected]
        self.printed = bytearray()
        self._session = session
        self._text: bytes | None = None  # the expected output, if it is compared byte for byte
        self._items: Sequence[Item] = ()  # otherwise, what is expected, in order
        # Maps each state to the output position where the most recently matched expected line ends.
        self._states: dict[int, int] = {}
        self._farthest = 0, 0  # the highest state so far, and its position
        self._start = 0  # output position where the last, incomplete line begins
        self._used = 0.0  # seconds of processor time used so far
        expected = ''.join(map(str, self.lines)).encode()
        self._most = len(expected) + MAX_MORE  # how many bytes the output may have
        if not self._left_over and session.is_exact(steps):
            self._text = expected
            return
        self._items = [*self._left_over, *items_of(steps, session)]
        self._states = self._closed({0: 0})
        self._farthest = max(self._states.items())

    def take(self, piece: bytes) -> None:
        """Add a piece of output."""
        looked = len(self.printed)  # `printed` has no newline from `_start` to here
        self.printed += piece
        if len(self.printed) > self._most:
            self._states = {}
        begin = time.process_time() - self._used
        # An exact comparison has no states.
        while self._states and (end := self.printed.find(b'\n', looked) + 1):
            self._advance(end)
            looked, self._used = end, time.process_time() - begin
            if self._used > SECONDS_A_TURN:
                self._states = {}

    def end(self) -> None:
        """Handle the end of the output.

        If whitespace is ignored, the last newline may be missing.
        """
        newline_may_be_missing = self._session.rules.ignores_whitespace
        if self._rest and newline_may_be_missing and not self.is_whole:
            states, start = self._states, self._start
            self._advance(len(self.printed))
            if not self._states:
                self._states, self._start = states, start

    @property
    def _rest(self) -> str:
        """The incomplete last line, or '' for an exact comparison."""
        return decoded(bytes(self.printed[self._start :])) if self._text is None else ''

    @property
    def is_whole(self) -> bool:
        """Whether the output so far is correct and complete."""
        return self.verdict() in ('right', 'enough')

    def _advance(self, end: int) -> None:
        """Advance all states over the line ending at the position `end`."""
        line = decoded(bytes(self.printed[self._start : end])).rstrip('\n')
        states: dict[int, int] = {}
        try:
            for at, before in self._states.items():
                for state in self._moves(at, line):
                    has_expected_line = bool(self._items[state - 1].parts)
                    states[state] = end if has_expected_line else before
                if self._may_stay(at, line):
                    states.setdefault(at, before)
        except TooSlow:
            states = {}
        self._states = self._closed(states)
        self._farthest = max([*self._states.items(), self._farthest], key=itemgetter(0))
        self._start = end

    def _moves(self, at: int, line: str) -> Iterator[int]:
        """Yield the higher states a printed line leads to from the state `at`."""
        if at == len(self._items):
            return
        item = self._items[at]
        if item in (PROMPT, ANY_TEXT):
            if item is PROMPT and is_free_prompt(line, self._session):
                yield at + 1
            following = self._line_after_prompt(at)
            if following and self._items[following].matches(line, follows_prompt=True):
                yield following + 1
        elif item.is_free_text:
            yield from self._moves_over_free_text(at, line)
        elif (item.has_newline or item.may_end_line) and item.matches(line):
            yield at + 1
            following = self._line_after_prompt(at) if item.goes_on else 0
            if following:  # it may be on the same line
                both = [*item.parts, *self._items[following].parts]
                if Item(both, item.rules, 0, item.follows_prompt).matches(line):
                    yield following + 1

    def _moves_over_free_text(self, at: int, line: str) -> Iterator[int]:
        """Yield the states after a line with the free text at `at`.

        Several items of free text may share the line. If one of them is a question, the next
        expected line may follow them on the same line. If a question must be a prompt, it has at
        least one character, perhaps its newline.
        """
        start = 0  # the line is matched up to this position
        has_question = False
        may_skip = self._follows_free_text(at)  # whether other free text may precede the lead
        while at < len(self._items) and self._items[at].is_free_text:
            item = self._items[at]
            found = line.find(item.lead, start)
            if found < 0 or (found > 0 and not may_skip):
                return
            start = found + len(item.lead)
            may_skip = True
            has_question = has_question or item.is_question
            if start <= len(line) and self._is_free_text(line[start:]):
                yield at + 1
            if not item.may_be_missing:
                start += 1
            at += 1
        if not has_question or at == len(self._items) or start > len(line):
            return
        item = self._items[at]
        if item.has_newline and item.matches(line[start:], follows_prompt=True):
            yield at + 1

    def _is_free_text(self, line: str) -> bool:
        """Return whether a line may be free text: its words are those of no expected line.

        Return False if the session has no list of expected words.
        """
        words = self._session.expected_words
        return bool(words) and words_of(line) not in words

    def _follows_free_text(self, at: int) -> bool:
        """Return whether the item before `at` is free text: it may go on."""
        return at > 0 and self._items[at - 1].is_free_text

    def _may_stay(self, at: int, line: str) -> bool:
        """Return whether a printed line may leave the state `at` unchanged."""
        if self._is_ignored(line):
            return True
        may_be_free = self._follows_free_text(at)
        if at < len(self._items):
            item = self._items[at]
            if item in (ANY_LINES, ANY_TEXT):
                return True
            may_be_free = may_be_free or (item.is_free_text and not item.lead)
        return may_be_free and self._is_free_text(line)

    def _closed(self, states: dict[int, int]) -> dict[int, int]:
        """Return these states, and all those reachable from them by skipping optional items."""
        for at in sorted(states):
            start = states[at]
            while at + 1 not in states and at < len(self._items) and self._items[at].may_be_missing:
                at += 1
                states[at] = start
        return states

    def _line_after_prompt(self, at: int) -> int:
        """Return the index of the item that may share a line with the prompt at `at`, or 0.

        It is the next expected line, unless that line is free text or has no newline.
        """
        for index in range(at + 1, len(self._items)):
            item = self._items[index]
            if item.parts:
                return index if item.has_newline and not item.is_free_text else 0
        return 0

    def _is_ignored(self, line: str) -> bool:
        """Return whether a line is ignored because it contains only whitespace.

        It is not ignored if it continues the last line of the previous turn.
        """
        continues_line = self._continues_line and self._start == 0
        return self._session.rules.ignores_whitespace and not line.strip() and not continues_line

    def verdict(self, is_waiting: bool = False) -> Verdict:
        """Return the verdict on the output so far.

        If the program `is_waiting` for input, its last line will not continue.
        """
        if self._text is not None:
            if not self._text.startswith(self.printed):
                return 'wrong'
            return 'right' if len(self.printed) == len(self._text) else 'begun'
        rest = self._rest
        try:
            verdicts = [self._verdict_in(at, rest, is_waiting) for at in self._states]
        except TooSlow:
            return 'wrong'
        may_go_on = any(may_go_on for _, may_go_on in verdicts)
        if any(is_complete for is_complete, _ in verdicts):
            return 'enough' if may_go_on else 'right'
        return 'begun' if may_go_on else 'wrong'

    def _verdict_in(self, at: int, rest: str, is_waiting: bool) -> tuple[bool, bool]:
        """Return whether the output is complete in a state, and whether more may follow.

        `rest` is the incomplete last line.
        """
        is_empty = not rest or self._is_ignored(rest)
        if at == len(self._items):
            return is_empty, False
        item = self._items[at]
        may_end = not item.has_newline and all(
            other.may_be_missing for other in self._items[at + 1 :]
        )
        if item is PROMPT:
            may_end = may_end and len(rest) <= LONGEST_TRIED
            following = self._line_after_prompt(at)
            may_follow = following > 0 and self._items[following].may_begin(rest, True, is_waiting)
            return may_end, may_end or may_follow
        if item is ANY_TEXT:
            return may_end, may_end or is_empty or not is_waiting
        if item is ANY_LINES:
            return False, is_empty or not is_waiting
        if item.is_free_text:
            is_complete = may_end and self._matches_free_text(item, rest)
            return is_complete, is_empty or not is_waiting
        return may_end and item.matches(rest), is_empty or item.may_begin(rest, False, is_waiting)

    def _matches_free_text(self, item: Item, text: str) -> bool:
        """Return whether text without a newline may be printed for an item of free text.

        Its words are those of no expected line, or those of the item itself.
        """
        if not text:
            return False
        return self._is_free_text(text) or plain_words(text) == plain_words(item.parts[0].text)

    def after(self) -> tuple[Sequence[Item], bool]:
        """Return the optional items still possible in the next turn.

        Also return whether the next turn continues a line, because this one ends with an expected
        prompt.
        """
        has_prompt = bool(self.printed) and not self.printed.endswith(b'\n')
        is_expected = has_prompt and self._items[-1:] != [ANY_TEXT]
        continues_line = not self._session.has_free_prompts and (
            is_expected or (not self.printed and self._continues_line)
        )
        if self._rest:  # optional output would have preceded this prompt
            return (), continues_line
        final = [at for at in self._states if all(item.may_be_missing for item in self._items[at:])]
        done = min(final, default=len(self._items))
        left_over = []
        for item in self._items[done:]:
            is_unprinted_text = item.is_free_text and not self.printed
            if not item.parts or is_unprinted_text:
                left_over.append(item)
        return left_over, continues_line

    def accepted(self) -> tuple[int, int]:
        r"""Return how many expected lines matched, and the byte position where the last one ends.

        If the output is wrong, the wrong output begins there, or after optional output.

        >>> from grading.sessions.transcript import parse
        >>> session = parse('|One\n|Two\n', 'a')
        >>> alignment = Alignment(session, session.steps)
        >>> alignment.take(b'One\nThree\n')
        >>> alignment.accepted()
        (1, 4)
        """
        if self._text is not None:
            return self._accepted_exactly()
        state, start = self._farthest
        remaining = self._items[max(state, len(self._left_over)) :]
        item = next((item for item in remaining if item.parts), None)
        if not item:  # only optional output may follow
            return len(self.lines), start
        if self._states and self._is_prompt(item):
            return item.first + len(item.parts), len(self.printed)
        rest = decoded(bytes(self.printed[start:])).partition('\n')[0]
        number, size = matching_parts(item, rest)
        return item.first + number, start + size

    def _accepted_exactly(self) -> tuple[int, int]:
        number, start = 0, 0
        for line in self.lines:
            text = str(line).encode()
            if not self.printed.startswith(text, start):
                break
            number, start = number + 1, start + len(text)
        return number, start

    def _is_prompt(self, item: Item) -> bool:
        """Return whether the incomplete last line is an item without a newline."""
        with suppress(TooSlow):
            if not item.has_newline:
                if item.is_free_text:
                    return self._matches_free_text(item, self._rest)
                return item.matches(self._rest)
        return False


class SessionProgress:
    """How far a program has got in a session; `alignment` is that of the current turn.

    `session` changes if the program makes a different but correct choice: see `Session.others`.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.alignment = Alignment(session, session.steps[:1])
        self._step = 0  # the index of the current step
        self._before: Alignment | None = None  # the alignment of the previous turn

    def verdict(self, is_waiting: bool = False) -> Verdict:
        """Return the verdict on the output of this turn.

        If the output is wrong in this session, but not in an alternative, switch to that one.
        """
        verdict = self.alignment.verdict(is_waiting)
        if verdict != 'wrong' or not self.session.others:
            return verdict
        for other in self.session.others(self.session, self._step):
            alignment = Alignment(other, [other.steps[self._step]], self._before)
            alignment.take(bytes(self.alignment.printed))
            if alignment.verdict() != 'wrong':
                self.session, self.alignment = other, alignment
                return alignment.verdict()
        return verdict

    def begin_turn(self) -> None:
        """Begin the next turn, after the input line of the current turn has been typed."""
        self._before = self.alignment
        self._step += 1
        self.alignment = Alignment(self.session, [self.session.steps[self._step]], self._before)
