"""What is expected in a turn, as items: lines, and between them what may come but need not.

What need not come is any lines, a prompt of the program's own, its own words, and empty lines that
do not count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

from .directives import LINE_RULES
from .line_rules import TooSlow, folded, is_same, time_limit
from .session import EXACT, ExpectedLine, Rules, Session, Step

LONGEST_PROMPTS = 1 << 16  # characters that may be before a line as prompts
LONGEST_NUMBER = 64  # by which a line may be longer than the expected one
SECONDS_A_TEXT = 1.0  # of processor time, that one text may take
LONGEST_TRIED = 1 << 12  # characters of a text that is tried at all


def matches_parts(parts: Sequence[ExpectedLine], printed: str, rules: Rules) -> bool:
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


def ends_of(part: ExpectedLine, begins: Collection[int], printed: str, rules: Rules) -> set[int]:
    """Return the positions where a part of a line may end, given those where it may begin."""
    size = len(printed)
    is_fixed = part.is_text and not rules.ignores_whitespace and rules.tolerance is None
    return {
        end
        for begin in begins
        for end in ([begin + len(part.text)] if is_fixed else range(begin, size + 1))
        if end <= size and is_part(part, printed[begin:end], rules)
    }


def is_part(part: ExpectedLine, text: str, rules: Rules) -> bool:
    """Return whether a text is right for a part of a line."""
    return LINE_RULES[part.rule].allows(part, text, rules)


class Item:
    """What is expected in one place: a line up to its newline, a prompt, or what may come there.

    `parts` are the `|` lines in it, `first` the index of the first one among all expected lines;
    only the last part may end with a newline. `ANY_LINES`, `ANY_TEXT` and `PROMPT` have no parts. A
    question of the program's own follows a `lead` that is expected; the line after it
    `follows_prompt`. A free prompt that `is_asked` may also be a whole line. After an item that
    `goes_on`, any text may follow on the same line.
    """

    def __init__(
        self,
        parts: Sequence[ExpectedLine],
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
        # Of several parts, prompts among them, there may be spaces between any two.
        self._is_text = (
            kinds == {'text'}
            and not goes_on
            and (len(parts) == 1 or not rules.ignores_whitespace or rules.tolerance is not None)
        )
        self._text = ''.join(part.text for part in parts)
        self._folded = folded(self._text, rules)
        # Nothing, an empty line that does not count, or free text but for a question that is asked
        # after prompts.
        self.may_lack = (
            not parts
            or (self.is_own and (not self.is_question or self.ends))
            or (self._is_text and rules.ignores_whitespace and self.ends and not self._folded)
        )

    def is_met(self, printed: str, follows_prompt: bool = False) -> bool:
        """Return whether a line, without its newline, is right for the item.

        It `follows_prompt` where a prompt of the program's own may be printed before it.
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
    def _all_parts(self) -> Sequence[ExpectedLine]:
        return [*self.parts, ANY_PART] if self.goes_on else self.parts

    def may_begin(self, printed: str, follows_prompt: bool, is_waiting: bool) -> bool:
        """Return whether a line that is not finished may still match the expected line.

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


def parts_met(item: Item, printed: str) -> tuple[int, int]:
    """Return how many parts of an item begin a line that is wrong, and their size in bytes."""
    number, ends = 0, {0}
    with suppress(TooSlow), time_limit(SECONDS_A_TEXT):
        for part in item.parts if len(printed) <= LONGEST_TRIED else ():
            found = set() if part.ends or part.is_own else ends_of(part, ends, printed, item.rules)
            if LINE_RULES[part.rule].allows_anything:
                found.discard(len(printed))  # nothing else is wrong
            if not found:
                break
            number, ends = number + 1, found
    return number, len(printed[: max(ends)].encode())


ANY_PART = ExpectedLine(0, '', True, 'free')  # of a line
ANY_LINES = Item((), EXACT)  # any lines may come
ANY_TEXT = Item((), EXACT)  # any lines, and then a text on the next line
PROMPT = Item((), EXACT)  # a prompt of the program's own may come


def items_of(steps: Sequence[Step], session: Session) -> Iterator[Item]:
    """Yield the items expected in some steps, for a program that gets its input at once.

    Before a read, any prompt is right for one of the session where prompts are free, unless a
    directive says what it is.
    """
    lines = UnfinishedLine(session.rules)
    for step in steps:
        for line in step.printed:
            yield from lines.add(line)
        if session.has_free_prompts and session.run.asks_after(step):
            is_compared = any(is_more_than_text(part) for part in lines.parts)
            if is_compared:
                yield lines.item(is_asked=True)
            if step.is_open:
                yield ANY_TEXT
            elif not is_compared:
                yield PROMPT
            lines.parts = []
            continue
        if lines.parts and step is steps[-1]:
            yield lines.item()
        if step.is_open:
            yield ANY_TEXT


class UnfinishedLine:
    """The parts of a line that has not come to its end, while lines are made into items."""

    def __init__(self, rules: Rules) -> None:
        self.parts: list[ExpectedLine] = []
        self._rules = rules
        self._number = 0  # of the lines so far
        self._follows_prompt = False

    def item(self, is_asked: bool = False, goes_on: bool = False) -> Item:
        """Return the item that the parts are."""
        return Item(
            self.parts,
            self._rules,
            self._number - len(self.parts),
            self._follows_prompt,
            is_asked=is_asked,
            goes_on=goes_on,
        )

    def add(self, line: ExpectedLine) -> Iterator[Item]:
        """Add a line, and yield the items that come to their end with it."""
        if line.is_own:
            yield self._own_words(line)
            return
        if line.skips and self.parts:  # at once: the first of any lines follows a prompt
            yield self.item(goes_on=True)
            self._end()
        if line.skips:
            yield ANY_LINES if line.skips == 'lines' else ANY_TEXT
        self.parts.append(line)
        self._number += 1
        if line.ends:
            yield self.item()
            self._end()

    def _own_words(self, line: ExpectedLine) -> Item:
        """Return the item for own words, which follow the prompts before them."""
        lead = ''.join(part.text for part in self.parts)
        item = Item([line], self._rules, self._number, lead=lead)
        self._follows_prompt = self._follows_prompt or bool(self.parts) or not line.ends
        self.parts = []
        self._number += 1
        return item

    def _end(self) -> None:
        self.parts, self._follows_prompt = [], False


def is_more_than_text(line: ExpectedLine) -> bool:
    """Return whether a directive says how a line is compared, and not that anything is right."""
    return not (line.is_text or LINE_RULES[line.rule].allows_anything)


def is_own_prompt(line: str, session: Session) -> bool:
    """Return whether a line may be a prompt where prompts are free. Raises `TooSlow`.

    It holds a letter, and is no line that is expected anywhere in the session.
    """
    texts, others = lines_expected(session)
    return (
        len(line) <= LONGEST_TRIED
        and any(map(str.isalpha, line))
        and folded(line, session.rules) not in texts
        and not any(other.is_met(line) for other in others)
    )


@lru_cache(maxsize=2)  # it is asked about many lines of one session
def lines_expected(session: Session) -> tuple[frozenset[str], Sequence[Item]]:
    """Return the expected lines of a session: those compared as text, folded; and others."""
    rules = session.rules
    lines = {
        (line.text, line.rule): line
        for step in session.steps
        for line in step.printed
        if line.ends and not LINE_RULES[line.rule].allows_anything
    }.values()
    is_text = [line.is_text and rules.tolerance is None for line in lines]
    return (
        frozenset(
            folded(line.text, rules) for line, text in zip(lines, is_text, strict=True) if text
        ),
        [Item([line], rules) for line, text in zip(lines, is_text, strict=True) if not text],
    )
