"""One line compared with one that is due, by its rule; and lines in the program's own words.

Lines are compared byte for byte, unless a session or a directive before the line says otherwise.
A regular expression such as `(a+)+b` may take longer than the universe will last to find that a
text does not match. A timer's signal ends that: CPython looks for signals while it matches. PyPy
does not, and Windows has no such timer; the manual says so.
"""

from __future__ import annotations

import re
import signal
from contextlib import contextmanager
from functools import lru_cache
from threading import current_thread, main_thread
from typing import Collection, Iterator, Sequence, Tuple, Union

from .directives import EXACT, Rules
from .steps import Printed, Step
from .transcript import Transcript

LONGEST_PROMPTS = 1 << 16               # characters that may stand before a line as prompts
LONGEST_NUMBER = 64                     # by which a line may be longer than the one that is due
DECIMAL = re.compile(r'(?<![\w.])([+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?!\w)')
SECONDS_A_TEXT = 1.0                    # of processor time, that one text may take
LONGEST_TRIED = 1 << 12                 # characters of a text that is tried at all
NUMBERS = re.compile('[0-9]+')
Trail = Union[Tuple[int, 'Trail'], None]  # where each accepted line ends, the last one first


def same_numbers(due: str, printed: str, tolerance: float) -> bool:
    """Return whether two texts are the same except for numbers, and these are near."""
    parts, others = DECIMAL.split(due), DECIMAL.split(printed)
    return len(parts) == len(others) and parts[::2] == others[::2] and all(
        part == other or is_near(float(part), float(other), tolerance)
        for part, other in zip(parts[1::2], others[1::2]))


def is_near(due: float, printed: float, tolerance: float) -> bool:
    """Return whether a number is near enough, absolutely or relatively."""
    return abs(due - printed) <= tolerance * max(1, abs(due)) < float('inf')


class TooSlow(Exception):
    """A search took too long."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
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
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)


def matches_parts(parts: Sequence[Printed], printed: str, rules: Rules) -> bool:
    """Return whether a line consists of parts of which some are free or expressions.

    Raises `TooSlow`.
    """
    size = len(printed)
    if size > LONGEST_TRIED:
        return False
    with limited(SECONDS_A_TEXT):
        begins = {0}                    # where a part may begin
        for part in parts[:-1]:
            is_fixed = part.rule == 'text' and not rules.ignores_blanks
            begins = {end for begin in begins for end in (
                [begin + len(part.text)] if is_fixed else range(begin, size + 1))
                if end <= size and is_part(part, printed[begin:end], rules)}
        return any(is_part(parts[-1], printed[begin:], rules) for begin in begins)


def is_part(part: Printed, text: str, rules: Rules) -> bool:
    """Return whether a text stands for a part of a line."""
    if part.expression:
        return bool(part.expression.fullmatch(text))
    if part.rule == 'free' or part.is_own:
        return part.ends or bool(text)  # a prompt of no words is none
    return folded(text, rules) == folded(part.text, rules)


def folded(text: str, rules: Rules) -> str:
    """Return a text without the differences that a session ignores."""
    text = ' '.join(text.split()) if rules.ignores_blanks else text
    return text.lower() if rules.ignores_case else text


class Item:
    """What is due in one place: a line up to its newline, a prompt, or what may come there.

    `parts` are the `|` lines in it, `first` the index of the first one among all that are due; only
    the last part may end with a newline. `ANY_LINES` and `PROMPT` have no parts. A question of the
    program's own stands behind a `lead` that is due; the line after it `follows_prompt`.
    """

    def __init__(self, parts: Sequence[Printed], rules: Rules, first: int = 0,
                 follows_prompt: bool = False, lead: str = '') -> None:
        self.parts = parts
        self.first = first
        self.lead = lead
        self.follows_prompt = follows_prompt
        self.ends = bool(parts) and parts[-1].ends
        self.is_own = bool(parts) and parts[0].is_own       # and the only part
        self.is_question = bool(parts) and parts[0].rule == 'question'
        self.tolerance = rules.tolerance
        self._rules = rules
        # Of several parts, prompts among them, blanks may stand between any two.
        self._is_text = all(part.rule == 'text' for part in parts) and (
            len(parts) == 1 or not rules.ignores_blanks or rules.tolerance is not None)
        self._text = ''.join(part.text for part in parts)
        self._folded = folded(self._text, rules)
        # Nothing, a blank line that does not count, or own words but for a question that is asked
        # behind prompts.
        self.may_lack = not parts or (self.is_own and (not self.is_question or self.ends)) or (
            rules.ignores_blanks and self._is_text and self.ends and not self._folded)

    def is_met(self, printed: str, follows_prompt: bool = False) -> bool:
        """Return whether a line, without its newline, is right for the item.

        It `follows_prompt` where a prompt of the program's own may stand before it.
        """
        if follows_prompt or self.follows_prompt:
            return self._is_met_behind_prompt(printed)
        if not self._is_text:
            if [(part.rule, part.ends) for part in self.parts] == [('free', True)]:
                return len(printed) <= LONGEST_TRIED        # any line is right
            return matches_parts(self.parts, printed, self._rules)
        return self._is_same(printed)

    def _is_same(self, printed: str) -> bool:
        if self._rules.tolerance is None:
            return self._folded == folded(printed, self._rules)
        return same_numbers(self._folded, folded(printed, self._rules), self._rules.tolerance)

    def _is_met_behind_prompt(self, printed: str) -> bool:
        if len(printed) > LONGEST_PROMPTS + len(self._text):
            return False
        if not self._is_text:
            return matches_parts([Printed(0, '', True, 'free'), *self.parts], printed, self._rules)
        if self._rules.tolerance is None:
            return folded(printed, self._rules).endswith(self._folded)
        begin = max(0, len(printed) - len(self._text) - LONGEST_NUMBER)
        return any(self._is_same(printed[at:]) for at in range(begin, len(printed) + 1))

    def may_begin(self, printed: str, follows_prompt: bool, is_waiting: bool) -> bool:
        """Return whether a line that is not finished may still match the line that is due.

        `is_waiting` says that the program waits for input, so that the line will not go on.
        """
        if (self._is_text and self._rules.tolerance is None
                and not (follows_prompt or self.follows_prompt)):
            begun = folded(printed, self._rules)
            return self._folded.startswith(begun) and (self.ends or self._folded != begun)
        if is_waiting and printed:
            return self.ends and self.is_met(printed, follows_prompt)
        return len(printed) <= LONGEST_PROMPTS + len(self._text)


ANY_LINES = Item((), EXACT)             # any lines may come
PROMPT = Item((), EXACT)                # a prompt of the program's own may come


def items_of(steps: Sequence[Step], transcript: Transcript) -> Iterator[Item]:
    """Yield the items that are due in some steps, for a program that gets its input at once.

    Before a read, a prompt of the session stands for any prompt where prompts are free.
    """
    rules = transcript.rules
    parts: list[Printed] = []           # of the line that has not come to its end
    number, follows_prompt = 0, False
    for step in steps:
        for line in step.printed:
            number += 1
            if line.is_own:             # behind the prompts before it
                lead = ''.join(part.text for part in parts if part.is_text)
                yield Item([line], rules, number - 1, lead=lead)
                follows_prompt = bool(follows_prompt or parts or not line.ends)
                parts = []
                continue
            parts.append(line)
            if line.ends:
                yield from line_items(parts, rules, number, follows_prompt)
                parts, follows_prompt = [], False
        if transcript.has_free_prompts and transcript.asks_after(step):
            if step.is_open or any(part.skips for part in parts):
                yield ANY_LINES
            yield PROMPT
            parts = []
        elif step.is_open and (not parts or step is not steps[-1]):
            yield ANY_LINES
    if parts:
        yield from line_items(parts, rules, number, follows_prompt)
        if steps[-1].is_open:
            yield ANY_LINES


def line_items(parts: Sequence[Printed], rules: Rules, number: int,
               follows_prompt: bool) -> Iterator[Item]:
    """Yield the item of a line whose last part is the `number`th, behind what may come before."""
    if any(part.skips for part in parts):
        yield ANY_LINES
    yield Item(parts, rules, number - len(parts), follows_prompt)


def is_own_prompt(line: str, transcript: Transcript) -> bool:
    """Return whether a line may be a prompt where prompts are free. Raises `TooSlow`.

    It holds a letter, and is no line that is due anywhere in the session.
    """
    texts, others = lines_due(transcript)
    return (len(line) <= LONGEST_TRIED and any(map(str.isalpha, line))
            and folded(line, transcript.rules) not in texts
            and not any(other.is_met(line) for other in others))


@lru_cache(maxsize=2)                   # it is asked about many lines of one session
def lines_due(transcript: Transcript) -> tuple[frozenset[str], Sequence[Item]]:
    """Return the lines that are due in a session: those compared as text, folded; and others."""
    rules = transcript.rules
    lines = {(line.text, line.rule): line for step in transcript.steps for line in step.printed
             if line.ends and line.rule in ('text', 'regex')}.values()
    is_text = [line.rule == 'text' and rules.tolerance is None for line in lines]
    return (frozenset(folded(line.text, rules) for line, text in zip(lines, is_text) if text),
            [Item([line], rules) for line, text in zip(lines, is_text) if not text])


def words_of(line: str) -> str:
    """Return what is the same in lines that differ only in their numbers.

    >>> words_of('pile 0 = 12'), words_of('Pile 1: 3')
    ('pile 0 0', 'pile 0 0')
    """
    return ' '.join(plain_words(NUMBERS.sub('0', line)))


def plain_words(line: str) -> list[str]:
    """Return the words and numbers of a line, in small letters."""
    return re.findall(r'\w+', line.lower())


class OwnWords:
    """A program's own words, which stand where an assignment leaves the words to the program.

    `due` are the items that are due, `due_words` the words that every program must print as they
    are.
    """

    def __init__(self, due_words: Collection[str], due: Sequence[Item]) -> None:
        self._due_words = due_words
        self._due = due

    def are(self, line: str) -> bool:
        """Return whether a line is in the program's own words."""
        return bool(self._due_words) and words_of(line) not in self._due_words

    def may_ask(self, item: Item, text: str) -> bool:
        """Return whether a text may ask an item's question: it must not be another one that is due.
        """
        return self.are(text) or plain_words(text) == plain_words(item.parts[0].text)

    def may_go_on(self, met: int) -> bool:
        """Return whether own words may follow when `met` items have been printed."""
        return met > 0 and self._due[met - 1].is_own

    def states_behind(self, met: int, trail: Trail, line: str, end: int) -> dict[int, Trail]:
        """Return the states after a line that ends in own words, or in the item due after them.

        Each question behind prompts has at least one character, which may be the newline.
        """
        states: dict[int, Trail] = {}
        at, asks, may_follow = 0, False, self.may_go_on(met)
        while met < len(self._due) and self._due[met].is_own:
            due = self._due[met]
            found = line.find(due.lead, at)
            if found < 0 or (found and not may_follow):
                return states
            at, asks, may_follow = found + len(due.lead), asks or due.is_question, True
            if at <= len(line) and self.are(line[at:]):
                states[met + 1] = (end, trail)
            at += not due.may_lack
            met, trail = met + 1, skipping(trail)
        if (asks and met < len(self._due) and self._due[met].ends and at <= len(line)
                and self._due[met].is_met(line[at:], True)):
            states[met + 1] = (end, trail)
        return states


def skipping(trail: Trail) -> Trail:
    """Return a trail with one more line, for which nothing is printed."""
    return trail[0] if trail else 0, trail
