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
from threading import current_thread, main_thread
from typing import Collection, Iterator, Sequence, Tuple, Union

from .directives import Rules
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


class Due:
    """One line that is due, up to its newline, or a prompt; `parts` are the `|` lines in it.

    Only the last part may end with a newline. If the line `follows_prompt`, a prompt of the
    program's own may stand before it. A question of the program's own stands behind a `lead` that
    is due.
    """

    def __init__(self, parts: Sequence[Printed], rules: Rules, prompts: int = 0,
                 follows_prompt: bool = False, skips: bool = False, lead: str = '') -> None:
        self.parts = parts
        self.lead = lead
        self.prompts = prompts          # how many free prompts stand before it in the session
        self.ends = parts[-1].ends
        self.skips = skips or any(part.skips for part in parts)     # any lines may come before it
        self.follows_prompt = follows_prompt
        self.is_own = parts[0].is_own   # and the only part
        self.is_question = parts[0].rule == 'question'
        self._rules = rules
        # Of several parts, prompts among them, blanks may stand between any two.
        self._is_text = all(part.rule == 'text' for part in parts) and (
            len(parts) == 1 or not rules.ignores_blanks or rules.tolerance is not None)
        self._text = ''.join(part.text for part in parts)
        self._folded = folded(self._text, rules)
        self.is_blank = rules.ignores_blanks and self._is_text and self.ends and not self._folded

    def is_met(self, printed: str, follows_prompt: bool) -> bool:
        """Return whether a line, without its newline, matches the line that is due."""
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


def dues(steps: Sequence[Step], transcript: Transcript) -> Iterator[Due]:
    """Yield the lines that are due in some steps, without free prompts."""
    parts: list[Printed] = []
    prompts, follows_prompt, skips = 0, False, False
    for step in steps:
        for line in step.printed:
            if line.is_own:             # and where all is read at once, the prompts before it
                lead = ''.join(part.text for part in parts if part.is_text)
                yield Due([line], transcript.rules, prompts + len(parts), lead=lead)
                follows_prompt = follows_prompt or bool(parts) or not line.ends
                parts, prompts = [], 0
                continue
            parts.append(line)
            if line.ends:
                yield Due(parts, transcript.rules, prompts, follows_prompt, skips)
                parts, prompts, follows_prompt, skips = [], 0, False, False
        skips = skips or step.is_open
        if transcript.has_free_prompts and transcript.asks_after(step):
            parts, prompts, follows_prompt = [], prompts + len(parts), True
    if parts:
        yield Due(parts, transcript.rules, prompts, follows_prompt, skips)


def words_of(line: str) -> str:
    """Return what is the same in lines that differ only in their numbers.

    >>> words_of('pile 0 = 12'), words_of('Pile 1: 3')
    ('pile 0 0', 'pile 0 0')
    """
    return ' '.join(re.findall(r'\w+', NUMBERS.sub('0', line.lower())))


class OwnWords:
    """A program's own words, which stand where an assignment leaves the words to the program.

    `due` are the lines that are due, `due_words` the words that every program must print as they
    are. With `is_first`, own words of the step before may go on.
    """

    def __init__(self, due_words: Collection[str], due: Sequence[Due], is_first: bool) -> None:
        self._due_words = due_words
        self._due = due
        self._is_first = is_first

    def are(self, line: str) -> bool:
        """Return whether a line is in the program's own words."""
        return bool(self._due_words) and words_of(line) not in self._due_words

    def may_go_on(self, met: int) -> bool:
        """Return whether own words may follow when `met` lines that are due have been printed."""
        return self._due[met - 1].is_own if met else self._is_first

    def states_behind(self, met: int, trail: Trail, line: str, end: int) -> dict[int, Trail]:
        """Return the states after a line that ends in own words, or in the line due after them.

        Each question has at least one character, which may be the newline.
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
            at += due.is_question
            met, trail = met + 1, skipping(trail)
        if (asks and met < len(self._due) and self._due[met].ends and at <= len(line)
                and self._due[met].is_met(line[at:], True)):
            states[met + 1] = (end, trail)
        return states


def skipping(trail: Trail) -> Trail:
    """Return a trail with one more line, for which nothing is printed."""
    return trail[0] if trail else 0, trail
