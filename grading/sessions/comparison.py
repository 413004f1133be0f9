"""The output of a program, compared while it comes with what is due: is it right so far?

What is due in a turn are items: lines, and between them what may come but need not: any lines, a
prompt of the program's own, its own words, blank lines that do not count. One pass from left to
right keeps the places among the items to which the output so far can lead. Where all items are
exact text there is one such place, and the output is compared with the text.

Lines are compared byte for byte, unless a session or a directive before the line says otherwise.
A regular expression such as `(a+)+b` may take longer than the universe will last to find that a
text does not match. A timer's signal ends that: CPython looks for signals while it matches. PyPy
does not, and Windows has no such timer; the manual says so.
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from operator import itemgetter
from threading import current_thread, main_thread
from typing import Literal

from ..printable import decoded
from .transcript import EXACT, Printed, Rules, Step, Transcript

Verdict = Literal[
    'wrong',  # nothing that may come can put it right
    'begun',  # more is due
    'right',  # nothing more may come
    'enough',  # more may come
]

LONGEST_PROMPTS = 1 << 16  # characters that may stand before a line as prompts
LONGEST_NUMBER = 64  # by which a line may be longer than the one that is due
DECIMAL = re.compile(r'(?<![\w.])([+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?!\w)')
SECONDS_A_TEXT = 1.0  # of processor time, that one text may take
LONGEST_TRIED = 1 << 12  # characters of a text that is tried at all
NUMBERS = re.compile('[0-9]+')
SECONDS_A_TURN = 5.0  # of processor time to compare lines by rules
MOST_MORE = 1 << 18  # bytes that may be printed beyond what is due


def is_near(due: float, printed: float, tolerance: float) -> bool:
    """Return whether a number is near enough, absolutely or relatively."""
    return abs(due - printed) <= tolerance * max(1, abs(due)) < float('inf')


class TooSlow(Exception):
    """A search took too long."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` if the block takes more than some seconds of processor time.

    Windows has no such timer, and there only the user's own programs run. Only the main thread gets
    signals, and no other thread of the grader plays sessions.
    """
    if not hasattr(signal, 'setitimer') or current_thread() is not main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def matches_parts(parts: Sequence[Printed], printed: str, rules: Rules) -> bool:
    """Return whether a line consists of parts of which some are free or expressions.

    Raises `TooSlow`.
    """
    if len(printed) > LONGEST_TRIED:
        return False
    with time_limit(SECONDS_A_TEXT):
        begins = {0}  # where a part may begin
        for part in parts[:-1]:
            begins = ends_of(part, begins, printed, rules)
        return any(is_part(parts[-1], printed[begin:], rules) for begin in begins)


def ends_of(part: Printed, begins: Collection[int], printed: str, rules: Rules) -> set[int]:
    """Return where a part of a line may end, of which the places are known where it may begin."""
    size = len(printed)
    is_fixed = part.rule == 'text' and not rules.ignores_blanks and rules.tolerance is None
    return {
        end
        for begin in begins
        for end in ([begin + len(part.text)] if is_fixed else range(begin, size + 1))
        if end <= size and is_part(part, printed[begin:end], rules)
    }


def is_part(part: Printed, text: str, rules: Rules) -> bool:
    """Return whether a text stands for a part of a line."""
    if part.expression:
        return bool(part.expression.fullmatch(text))
    if part.rule == 'free' or part.is_own:
        return part.ends or bool(text)  # a prompt of no words is none
    return is_same(folded(part.text, rules), text, rules)


def is_same(due: str, printed: str, rules: Rules) -> bool:
    """Return whether a text is another one, which is folded, and numbers are near enough."""
    own = folded(printed, rules)
    if rules.tolerance is None:
        return due == own
    parts, others = DECIMAL.split(due), DECIMAL.split(own)
    return (
        len(parts) == len(others)
        and parts[::2] == others[::2]
        and all(
            part == other or is_near(float(part), float(other), rules.tolerance)
            for part, other in zip(parts[1::2], others[1::2], strict=True)
        )
    )


def folded(text: str, rules: Rules) -> str:
    """Return a text without the differences that a session ignores."""
    text = ' '.join(text.split()) if rules.ignores_blanks else text
    return text.lower() if rules.ignores_case else text


class Item:
    """What is due in one place: a line up to its newline, a prompt, or what may come there.

    `parts` are the `|` lines in it, `first` the index of the first one among all that are due; only
    the last part may end with a newline. `ANY_LINES`, `ANY_TEXT` and `PROMPT` have no parts. A
    question of the program's own stands behind a `lead` that is due; the line after it
    `follows_prompt`. A prompt that `is_asked` where prompts are free may be a line. The line of
    another one `goes_on` with any text.
    """

    def __init__(
        self,
        parts: Sequence[Printed],
        rules: Rules,
        first: int = 0,
        follows_prompt: bool = False,
        lead: str = '',
        is_asked: bool = False,
        goes_on: bool = False,
    ) -> None:
        kinds = {part.rule for part in parts}
        self.parts = parts
        self.first = first
        self.lead = lead
        self.follows_prompt = follows_prompt
        self.ends = goes_on or (bool(parts) and parts[-1].ends)
        self.is_asked = is_asked
        self.goes_on = goes_on
        self.is_own = bool(kinds & {'words', 'question'})  # the only part
        self.is_question = 'question' in kinds
        self.rules = rules
        # Of several parts, prompts among them, blanks may stand between any two.
        self._is_text = (
            kinds == {'text'}
            and not goes_on
            and (len(parts) == 1 or not rules.ignores_blanks or rules.tolerance is not None)
        )
        self._text = ''.join(part.text for part in parts)
        self._folded = folded(self._text, rules)
        # Nothing, a blank line that does not count, or own words but for a question that is asked
        # behind prompts.
        self.may_lack = (
            not parts
            or (self.is_own and (not self.is_question or self.ends))
            or (self._is_text and rules.ignores_blanks and self.ends and not self._folded)
        )

    def is_met(self, printed: str, follows_prompt: bool = False) -> bool:
        """Return whether a line, without its newline, is right for the item.

        It `follows_prompt` where a prompt of the program's own may stand before it.
        """
        if not (follows_prompt or self.follows_prompt):
            return (
                is_same(self._folded, printed, self.rules)
                if self._is_text
                else matches_parts(self._all_parts, printed, self.rules)
            )
        if len(printed) > LONGEST_PROMPTS + len(self._text):
            return False
        if not self._is_text:
            return matches_parts([ANY_PART, *self._all_parts], printed, self.rules)
        if self.rules.tolerance is None:
            return folded(printed, self.rules).endswith(self._folded)
        begin = max(0, len(printed) - len(self._text) - LONGEST_NUMBER)
        return any(
            is_same(self._folded, printed[at:], self.rules) for at in range(begin, len(printed) + 1)
        )

    @property
    def _all_parts(self) -> Sequence[Printed]:
        return [*self.parts, ANY_PART] if self.goes_on else self.parts

    def may_begin(self, printed: str, follows_prompt: bool, is_waiting: bool) -> bool:
        """Return whether a line that is not finished may still match the line that is due.

        `is_waiting` says that the program waits for input, so that the line will not go on.
        """
        if (
            self._is_text
            and self.rules.tolerance is None
            and not (follows_prompt or self.follows_prompt)
        ):
            begun = folded(printed, self.rules)
            return self._folded.startswith(begun) and (self.ends or self._folded != begun)
        if is_waiting and printed:
            return self.ends and self.is_met(printed, follows_prompt)
        return len(printed) <= LONGEST_PROMPTS + len(self._text)


ANY_PART = Printed(0, '', True, 'free')  # of a line
ANY_LINES = Item((), EXACT)  # any lines may come
ANY_TEXT = Item((), EXACT)  # any lines, and then a text on the next line
PROMPT = Item((), EXACT)  # a prompt of the program's own may come


def items_of(steps: Sequence[Step], transcript: Transcript) -> Iterator[Item]:
    """Yield the items that are due in some steps, for a program that gets its input at once.

    Before a read, a prompt of the session stands for any prompt where prompts are free, unless a
    regular expression says what it is.
    """
    rules = transcript.rules
    parts: list[Printed] = []  # of the line that has not come to its end
    number, follows_prompt = 0, False
    for step in steps:
        for line in step.printed:
            number += 1
            if line.is_own:  # behind the prompts before it
                yield Item([line], rules, number - 1, lead=''.join(part.text for part in parts))
                follows_prompt = bool(follows_prompt or parts or not line.ends)
                parts = []
                continue
            if line.skips and parts:  # at once: the first of any lines follows a prompt
                yield Item(parts, rules, number - 1 - len(parts), follows_prompt, goes_on=True)
                parts, follows_prompt = [], False
            if line.skips:
                yield ANY_LINES if line.skips == 'lines' else ANY_TEXT
            parts.append(line)
            if line.ends:
                yield Item(parts, rules, number - len(parts), follows_prompt)
                parts, follows_prompt = [], False
        asks_freely = transcript.has_free_prompts and transcript.asks_after(step)
        if parts and step is steps[-1] and not asks_freely:
            yield Item(parts, rules, number - len(parts), follows_prompt)
        is_asked = asks_freely and any(part.expression for part in parts)
        if is_asked:
            yield Item(parts, rules, number - len(parts), follows_prompt, is_asked=True)
        if step.is_open:
            yield ANY_TEXT
        elif asks_freely and not is_asked:
            yield PROMPT
        if asks_freely:
            parts = []


def is_own_prompt(line: str, transcript: Transcript) -> bool:
    """Return whether a line may be a prompt where prompts are free. Raises `TooSlow`.

    It holds a letter, and is no line that is due anywhere in the session.
    """
    texts, others = lines_due(transcript)
    return (
        len(line) <= LONGEST_TRIED
        and any(map(str.isalpha, line))
        and folded(line, transcript.rules) not in texts
        and not any(other.is_met(line) for other in others)
    )


@lru_cache(maxsize=2)  # it is asked about many lines of one session
def lines_due(transcript: Transcript) -> tuple[frozenset[str], Sequence[Item]]:
    """Return the lines that are due in a session: those compared as text, folded; and others."""
    rules = transcript.rules
    lines = {
        (line.text, line.rule): line
        for step in transcript.steps
        for line in step.printed
        if line.ends and line.rule in ('text', 'regex')
    }.values()
    is_text = [line.rule == 'text' and rules.tolerance is None for line in lines]
    return (
        frozenset(
            folded(line.text, rules) for line, text in zip(lines, is_text, strict=True) if text
        ),
        [Item([line], rules) for line, text in zip(lines, is_text, strict=True) if not text],
    )


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
    """The output of a turn, or of several, compared with the items that are due.

    What could have come in the turn `before`, and has not been printed, may come now.
    """

    def __init__(
        self, transcript: Transcript, steps: Sequence[Step], before: Alignment | None = None
    ) -> None:
        self._late, self._begins_open = before.after() if before else ([], False)
        self.lines: Sequence[Printed] = [line for step in steps for line in step.printed]
        self.printed = bytearray()
        self._transcript = transcript
        self._text: bytes | None = None  # what is due, where that is exact
        self._items: Sequence[Item] = ()
        # By the number of items that are done in one way: where the last line that was due ends.
        self._states: dict[int, int] = {}
        self._start = 0  # of the line that has not come to its end
        self._used = 0.0  # seconds of processor time
        due = ''.join(map(str, self.lines)).encode()
        self._most = len(due) + MOST_MORE
        if not self._late and transcript.is_exact(steps):
            self._text = due
            return
        self._items = [*self._late, *items_of(steps, transcript)]
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
        """Note the end of the output: the last line may lack its newline if blanks are ignored."""
        may_lack = self._transcript.rules.ignores_blanks
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
        """Yield the states to which a line leads from one, if it stands for an item."""
        item = self._items[at] if at < len(self._items) else ANY_LINES
        if item in (PROMPT, ANY_TEXT):
            if item is PROMPT and is_own_prompt(line, self._transcript):
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
        """Yield the states after a line that ends in own words, or in the item due after them.

        Each question behind prompts has at least one character, which may be the newline.
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
        words = self._transcript.due_words
        return bool(words) and words_of(line) not in words

    def _follows_own_words(self, at: int) -> bool:
        """Return whether own words may go on before an item."""
        return at > 0 and self._items[at - 1].is_own

    def _may_stay(self, at: int, line: str) -> bool:
        """Return whether a line may come in a state, and stand for no item."""
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
        """Return the place of the line before which a prompt may stand, 0 for none."""
        return next(
            (
                place if item.ends and not item.is_own else 0
                for place, item in enumerate(self._items)
                if place > at and item.parts
            ),
            0,
        )

    def _is_blank(self, line: str) -> bool:
        """Return whether a line is a blank one that does not count."""
        return (
            self._transcript.rules.ignores_blanks
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
        """Return whether a text may ask an item's question, and is no other one that is due."""
        return (
            item.is_own
            and bool(text)
            and (self._is_own(text) or plain_words(text) == plain_words(item.parts[0].text))
        )

    def after(self) -> tuple[Sequence[Item], bool]:
        """Return what may still come in the next turn, and whether a prompt that is due is open."""
        has_prompt = bool(self.printed) and not self.printed.endswith(b'\n')
        is_due = has_prompt and self._items[-1:] != [ANY_TEXT]
        is_open = not self._transcript.has_free_prompts and (
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
        """Return how many of the lines that are due came before the first wrong one, and their end.

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
        number, size = self._parts_met(item, rest)
        return item.first + number, start + size

    def _parts_met(self, item: Item, printed: str) -> tuple[int, int]:
        """Return how many parts of an item begin a line that is wrong, and their size in bytes."""
        number, ends = 0, {0}
        with suppress(TooSlow), time_limit(SECONDS_A_TEXT):
            for part in item.parts if len(printed) <= LONGEST_TRIED else ():
                found = (
                    set() if part.ends or part.is_own else ends_of(part, ends, printed, item.rules)
                )
                if part.rule == 'free':
                    found.discard(len(printed))  # nothing else is wrong
                if not found:
                    break
                number, ends = number + 1, found
        return number, len(printed[: max(ends)].encode())


class Progress:
    """How far a program has come in a session: its output, compared from left to right.

    `transcript` is the session, or another one that the program follows; `turn` compares the output
    of the turn.
    """

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.turn = Alignment(transcript, transcript.steps[:1])
        self._number = 0  # of the step
        self._before: Alignment | None = None  # of the turn before

    def verdict(self, is_waiting: bool = False) -> Verdict:
        """Return what holds of the output of this turn.

        If it is wrong, but not in another session that would be right, too, follow that session.
        """
        verdict, others = self.turn.verdict(is_waiting), self.transcript.others
        for other in others(self._number) if others and verdict == 'wrong' else ():
            turn = Alignment(other, [other.steps[self._number]], self._before)
            turn.take(bytes(self.turn.printed))
            if turn.verdict() != 'wrong':
                self.transcript, self.turn = other, turn
                return turn.verdict()
        return verdict

    def type(self) -> None:
        """Go on with the next turn, because the line at the end of this one was typed."""
        self._before = self.turn
        self._number += 1
        self.turn = Alignment(self.transcript, [self.transcript.steps[self._number]], self._before)
