"""The expected output of a turn as a list of items: lines, and what may be printed between them.

Some items are optional: `# any lines`, a free prompt, free text (except a question without a
newline, which must be asked), and an empty line if whitespace is ignored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

from ..limits import LONGEST_PROMPTS, LONGEST_TRIED, SECONDS_A_LINE
from .directives import LINE_RULES
from .line_rules import TooSlow, is_same, normalized, time_limit
from .session import EXACT, ExpectedLine, Rules, Session, Step

LONGEST_NUMBER = 64  # maximum characters that forms such as 2.500 may add to a line


def matches_parts(parts: Sequence[ExpectedLine], printed: str, rules: Rules) -> bool:
    """Return whether a printed line consists of these parts, such as text and a regular expression.

    Return False if the line is longer than `LONGEST_TRIED`. Raises `TooSlow`.

    >>> prompt, answer = ExpectedLine(1, 'Sum: ', False), ExpectedLine(2, '[0-9]+', True, 'regex')
    >>> matches_parts([prompt, answer], 'Sum: 12', EXACT)
    True
    """
    if len(printed) > LONGEST_TRIED:
        return False
    with time_limit(SECONDS_A_LINE):
        begins = {0}  # positions where the next part may begin
        for part in parts[:-1]:
            begins = ends_of(part, begins, printed, rules)
        return any(is_part(parts[-1], printed[begin:], rules) for begin in begins)


def ends_of(part: ExpectedLine, begins: Collection[int], printed: str, rules: Rules) -> set[int]:
    """Return the positions where a part of a line may end if it begins at one of `begins`."""
    has_fixed_size = part.is_text and not rules.ignores_whitespace and rules.tolerance is None
    size = len(printed)
    ends: set[int] = set()
    for begin in begins:
        candidates = [begin + len(part.text)] if has_fixed_size else range(begin, size + 1)
        for end in candidates:
            if end <= size and is_part(part, printed[begin:end], rules):
                ends.add(end)
    return ends


def is_part(part: ExpectedLine, text: str, rules: Rules) -> bool:
    return LINE_RULES[part.rule].allows(part, text, rules)


class Item:
    r"""One piece of expected output: a line up to its newline, a prompt, or optional output.

    Several `|` lines can make up one printed line: the prompt `|Name? \` and the line `|Hi` are one
    item with two `parts`, for `Name? Hi`. Only the last part can end with a newline. `ANY_LINES`,
    `ANY_TEXT` and `PROMPT` have no parts.

        first           the index of the first part among the expected lines of all the steps
        follows_prompt  whether free text may precede the item on the same line
        lead            if the item is free text: the expected text before it on the same line
        may_end_line    whether the item may end with a newline, although it has none
        goes_on         whether any text may follow the item on the same line
        has_newline     whether a newline ends the item, or the text that may follow it
        may_be_missing  whether the item is optional
    """

    def __init__(
        self,
        parts: Sequence[ExpectedLine],
        rules: Rules,
        first: int = 0,
        follows_prompt: bool = False,
        lead: str = '',
        may_end_line: bool = False,
        goes_on: bool = False,
    ) -> None:
        kinds = {part.rule for part in parts}
        self.parts = parts
        self.first = first
        self.lead = lead
        self.follows_prompt = follows_prompt
        self.has_newline = goes_on or (bool(parts) and parts[-1].has_newline)
        self.may_end_line = may_end_line
        self.goes_on = goes_on
        self.is_free_text = bool(kinds & {'words', 'question'})  # if so, there is only one part
        self.is_question = 'question' in kinds
        self.rules = rules
        # If whitespace is ignored, spaces may separate the parts. So each part is compared
        # separately, unless numbers have a tolerance.
        self._is_text = (
            kinds == {'text'}
            and not goes_on
            and (len(parts) == 1 or not rules.ignores_whitespace or rules.tolerance is not None)
        )
        self._text = ''.join(part.text for part in parts)
        self._normalized = normalized(self._text, rules)
        is_empty_line = self._is_text and self.has_newline and not self._normalized
        is_ignored = rules.ignores_whitespace and is_empty_line
        must_be_asked = self.is_question and not self.has_newline
        self.may_be_missing = not parts or (self.is_free_text and not must_be_asked) or is_ignored

    def __str__(self) -> str:
        """Return the expected text, with its newline if it has one."""
        return ''.join(map(str, self.parts))

    def matches(self, printed: str, follows_prompt: bool = False) -> bool:
        """Return whether a printed line, without its newline, matches the item.

        If `follows_prompt` is set, a free prompt or free text may precede the item on the line.
        """
        if not (follows_prompt or self.follows_prompt):
            if self._is_text:
                return is_same(self._normalized, printed, self.rules)
            return matches_parts(self._all_parts, printed, self.rules)
        if len(printed) > LONGEST_PROMPTS + len(self._text):
            return False
        if not self._is_text:
            return matches_parts([ANY_PART, *self._all_parts], printed, self.rules)
        if self.rules.tolerance is None:
            return normalized(printed, self.rules).endswith(self._normalized)
        first = max(0, len(printed) - len(self._text) - LONGEST_NUMBER)
        begins = range(first, len(printed) + 1)  # where the item may begin, after a prompt
        return any(is_same(self._normalized, printed[begin:], self.rules) for begin in begins)

    @property
    def _all_parts(self) -> Sequence[ExpectedLine]:
        return [*self.parts, ANY_PART] if self.goes_on else self.parts

    def may_begin(self, printed: str, follows_prompt: bool, is_waiting: bool) -> bool:
        """Return whether an incomplete line may match the item once it is complete.

        If the program `is_waiting` for input, the line will not continue, so only its newline may
        be missing. Even so, the beginning of an expected text may match: then the rest is missing,
        and nothing printed is wrong.
        """
        if (
            self._is_text
            and self.rules.tolerance is None
            and not (follows_prompt or self.follows_prompt)
        ):
            begun = normalized(printed, self.rules)
            is_complete = self._normalized == begun
            return self._normalized.startswith(begun) and (self.has_newline or not is_complete)
        if is_waiting and printed:
            return self.has_newline and self.matches(printed, follows_prompt)
        return len(printed) <= LONGEST_PROMPTS + len(self._text)


def matching_parts(item: Item, printed: str) -> tuple[int, int]:
    """Return how many parts of an item a wrong line begins with, and their total size in bytes.

    >>> question = ExpectedLine(1, 'Name? ', False)
    >>> matching_parts(Item([question, ExpectedLine(2, 'Hi', True)], EXACT), 'Name? Bye')
    (1, 6)
    """
    number, ends = 0, {0}
    if len(printed) > LONGEST_TRIED:
        return 0, 0
    with suppress(TooSlow), time_limit(SECONDS_A_LINE):
        for part in item.parts:
            if part.has_newline or part.is_free_text:
                break
            found = ends_of(part, ends, printed, item.rules)
            if LINE_RULES[part.rule].allows_anything:
                found.discard(len(printed))  # leave at least one wrong character
            if not found:
                break
            number, ends = number + 1, found
    return number, len(printed[: max(ends)].encode())


ANY_PART = ExpectedLine(0, '', True, 'free')  # matches any part of a line
ANY_LINES = Item((), EXACT)  # matches any number of lines
ANY_TEXT = Item((), EXACT)  # matches any number of lines, and any beginning of the next line
PROMPT = Item((), EXACT)  # matches a free prompt


def items_of(steps: Sequence[Step], session: Session) -> Iterator[Item]:
    r"""Yield the items of the expected output of some steps.

    If prompts are free, the program may print any prompt before it reads a line, unless `# regex`
    says what the prompt must be.

    >>> from grading.sessions.transcript import parse
    >>> session = parse('|Name? \\\nAnn\n|Hi\n', 'a')
    >>> [[part.text for part in item.parts] for item in items_of(session.steps, session)]
    [['Name? ', 'Hi']]
    """
    unfinished = UnfinishedLine(session.rules)
    for step in steps:
        for line in step.expected:
            yield from unfinished.add(line)
        if session.has_free_prompts and session.asks_after(step):
            has_pattern = any(LINE_RULES[part.rule].is_pattern for part in unfinished.parts)
            if has_pattern:
                yield unfinished.item(may_end_line=True)
            if step.is_open:
                yield ANY_TEXT
            elif not has_pattern:
                yield PROMPT
            unfinished.parts = []  # a free prompt replaces an expected one
            continue
        if unfinished.parts and step is steps[-1]:
            is_final = not session.asks_after(step)
            yield unfinished.item(may_end_line=is_final and session.rules.ignores_whitespace)
        if step.is_open:
            yield ANY_TEXT


class UnfinishedLine:
    """Collects the parts of a line until it is complete."""

    def __init__(self, rules: Rules) -> None:
        self.parts: list[ExpectedLine] = []
        self._rules = rules
        self._number = 0  # how many `|` lines have been added
        self._follows_prompt = False

    def item(self, may_end_line: bool = False, goes_on: bool = False) -> Item:
        """Return an item with the parts collected so far."""
        return Item(
            self.parts,
            self._rules,
            self._number - len(self.parts),
            self._follows_prompt,
            may_end_line=may_end_line,
            goes_on=goes_on,
        )

    def add(self, line: ExpectedLine) -> Iterator[Item]:
        """Add a `|` line; yield the items that it completes, and what may be printed before it."""
        if line.is_free_text:
            yield self._free_text(line)
            return
        if line.skips and self.parts:  # any lines may follow a prompt, even on its line
            yield self.item(goes_on=True)
            self._end()
        if line.skips:
            yield ANY_LINES if line.skips == 'lines' else ANY_TEXT
        self.parts.append(line)
        self._number += 1
        if line.has_newline:
            yield self.item()
            self._end()

    def _free_text(self, line: ExpectedLine) -> Item:
        """Return the item for free text; the parts so far become its lead."""
        lead = ''.join(part.text for part in self.parts)
        item = Item([line], self._rules, self._number, lead=lead)
        self._follows_prompt = self._follows_prompt or bool(self.parts) or not line.has_newline
        self.parts = []
        self._number += 1
        return item

    def _end(self) -> None:
        self.parts, self._follows_prompt = [], False


def is_free_prompt(line: str, session: Session) -> bool:
    """Return whether a whole printed line counts as a free prompt. Raises `TooSlow`.

    A free prompt contains a letter, and is not an expected line anywhere in the session.
    """
    texts, others = lines_expected(session)
    return (
        len(line) <= LONGEST_TRIED
        and any(map(str.isalpha, line))
        and normalized(line, session.rules) not in texts
        and not any(other.matches(line) for other in others)
    )


@lru_cache(maxsize=2)  # called for many lines of the same session
def lines_expected(session: Session) -> tuple[frozenset[str], Sequence[Item]]:
    """Return a session's expected lines: normalized text, and items for lines with other rules.

    Prompts, and lines that may be anything, are left out. With a tolerance, all lines are items.
    """
    rules = session.rules
    lines = {
        (line.text, line.rule): line
        for step in session.steps
        for line in step.expected
        if line.has_newline and not LINE_RULES[line.rule].allows_anything
    }.values()
    texts, others = [], []
    for line in lines:
        if line.is_text and rules.tolerance is None:
            texts.append(normalized(line.text, rules))
        else:
            others.append(Item([line], rules))
    return frozenset(texts), others
