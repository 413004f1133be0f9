"""The style of a program: rules for how its output differs from the expected lines.

A rule says how the program prints an expected line, or what it prints before the line. These rules
make it possible to find a model's lines in the program's output:

    printed by the program     printed by the model     rules

    > > > > B: 8 W: 7          B: 8  W: 7               prompts, separators
    .,B,W                      . B W                    separators
    Debug: 3                                            extra-lines
    > OK                       VALID                    prompts, words
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..games.known_faults import KnownFault
from ..sessions.items import Item
from ..sessions.session import EXACT, ExpectedLine
from .observed import ObservedSession
from .printing import (
    EXTRA_LINES,
    LONGEST,
    MISSING_LINES,
    NO_NEWLINE,
    PROMPTS,
    RULES,
    SEPARATORS,
    SPACES,
    TRAILING_SPACES,
    TWICE,
    WORDS,
    Mismatch,
    Reading,
    prompting,
    readings,
)
from .protocol import (
    PROMPT_ENDS,
    ROW,
    TOKEN,
    VALUE,
    Form,
    Protocol,
    Wording,
    filled,
    pattern_of,
    shape_of,
    signs_in,
    without_labeled_word,
)

LONGEST_END = 3  # maximum number of characters, such as ': ', after a line without its newline

Learned = dict[str, dict[Any, Wording]]  # see `Style`


class Style:
    """The rules by which a program prints the lines of the protocol.

    `learned` maps the id of each rule to its keys, and each key to an example: the expected and the
    printed text, as a `Wording` without slots. The keys say what the rule applies to:

        prompts             the program's own prompts; '' if the program omits an expected prompt
        missing-lines       kinds of lines
        twice               kinds of lines
        no-newline          kinds of lines; the printed example has what replaces the newline
        trailing-spaces     ''
        words               wordings, expected cells, forms of rows
        separators          wordings, forms of rows
        extra-lines         shapes of lines
    """

    def __init__(
        self, lines: Protocol, ways: Sequence[KnownFault] = (), learned: Learned | None = None
    ) -> None:
        self.lines = lines  # the protocol, including the prompts of the assignment
        self._ways = ways  # the game's own ways to print lines wrongly
        self.learned: Learned = learned or {}
        # The rule, keys and examples of each name: of a rule's id, or of a way of the game's own.
        self._named: dict[str, tuple[str, dict[Any, Wording]]] = {}
        for rule, keys in self.learned.items():
            for key, example in keys.items():
                own = (way.id for way in ways if way.is_way and way.is_way(rule, *example))
                self._named.setdefault(next(own, rule), (rule, {}))[1][key] = example
        self.has_own_prompts = PROMPTS in self.learned
        self.protocol = lines.bare if self.has_own_prompts else lines
        # The longest prompts come first, because a prompt may begin with a shorter one.
        prompts = {*self.of(PROMPTS), *lines.prompts} - {''}
        self._prompts = [
            re.compile(pattern_of(prompt)) for prompt in sorted(prompts, key=len, reverse=True)
        ]
        # The text printed in place of the newline, by kind of line.
        self.separators = {
            kind: example.printed[len(example.expected) :]
            for kind, example in self.of(NO_NEWLINE).items()
        }
        self._printed: dict[str, list[str]] = {}

    def of(self, rule: str) -> dict[Any, Wording]:
        """Return the keys and examples of a rule, or `{}` if the style does not have the rule."""
        return self.learned.get(rule, {})

    def named(self, name: str) -> dict[Any, Wording]:
        """Return the keys and examples with a name: see `names`."""
        return self._named.get(name, (name, {}))[1]

    def rule_of(self, name: str) -> str:
        """Return the id of the rule that a name stands for."""
        return self._named[name][0]

    @property
    def names(self) -> list[str]:
        """The ids of the rules in this style, and of the game's own ways among them."""
        names = [*RULES, *(way.id for way in self._ways)]
        return [name for name in names if name in self._named]

    def wordings(self, rule: str) -> list[Wording]:
        """Return the wordings among the keys of a rule."""
        return [key for key in self.of(rule) if isinstance(key, Wording)]

    def with_rule(self, rule: str, learned: Mapping[Any, Wording]) -> Style:
        """Return the style with a rule added, or with more keys for it."""
        if not learned:
            return self
        more = {**self.learned, rule: {**self.of(rule), **learned}}
        return Style(self.lines, self._ways, more)

    def without(self, name: str, *keys: object) -> Style:
        """Return the style without what has a name, or without some of its `keys`."""
        rule, named = self._named.get(name, (name, {}))
        left = {key: value for key, value in self.of(rule).items() if key not in (keys or named)}
        others = {other: learned for other, learned in self.learned.items() if other != rule}
        return Style(self.lines, self._ways, {**others, rule: left} if left else others)

    @property
    def parts(self) -> list[tuple[str, list[str]]]:
        """The separately removable parts of the style, each with its name and its keys.

        Each name is one part, except that missing lines form a part for each first word.
        """
        omitted = groupby(sorted(self.named(MISSING_LINES)), lambda kind: kind.partition(' ')[0])
        return [
            *((name, [*self.named(name)]) for name in self.names if name != MISSING_LINES),
            *((MISSING_LINES, [*kinds]) for _, kinds in omitted),
        ]

    def omits(self, line: str) -> bool:
        """Return whether the program omits an expected line, according to its rules.

        If the program prints extra empty lines, expected empty lines count as omitted: no empty
        line is compared.
        """
        return bool(self.learned) and (
            self.protocol.kind_of(line) in self.of(MISSING_LINES)
            or (not line and '' in self.of(EXTRA_LINES))
        )

    def printed(self, line: str) -> list[str]:
        """Return the ways the program may print an expected line, without its newline."""
        if line not in self._printed:
            changes = [*self.of(WORDS), *self.of(SEPARATORS)]
            wordings = [*self.wordings(WORDS), *self.wordings(SEPARATORS)]
            ways = [line, *filter(None, (wording.written(line) for wording in wordings))]
            form = self.protocol.forms.get(self.protocol.kind_of(line) or '')
            if form:
                cells = [
                    self.of(WORDS)[cell].printed if cell in self.of(WORDS) else cell
                    for cell in self.protocol.cells_of(form.kind, line)
                ]
                ways += [
                    other.row_of(cells)
                    for other in [form, *changes]
                    if isinstance(other, Form) and other.kind == form.kind
                ]
            self._printed[line] = [*dict.fromkeys(ways)]
        return self._printed[line]

    def lines_printed_as(self, own: str) -> Iterator[str]:
        """Yield the lines of the protocol that the program may have printed as `own`."""
        values = VALUE.findall(own)
        wordings = [*self.wordings(WORDS), *self.wordings(SEPARATORS)]
        for line in [own, *(filled(wording.expected, values) for wording in wordings)]:
            if self.protocol.has(line) and own in self.printed(line):
                yield line

    def find(self, expected: str, observed: ObservedSession, at: int, most: int) -> tuple[int, int]:
        """Return where the expected text begins and ends in the output between `at` and `most`.

        The program's own lines and prompts before the text are skipped. If something else comes
        next, the end is -1, and the beginning is where the skipped output ends. If the text is
        empty, only the beginning is meaningful.
        """
        if observed.is_exact and not self.learned:
            is_there = observed.text.startswith(expected, at, most)
            return at, at + len(expected) if is_there else -1
        while True:
            end = self._end_of(expected, observed, at, most) if expected else -1
            size = self._size_of_own(expected, observed, at, most) if end < 0 else 0
            if not size:
                return at, end
            at += size

    def prompt_in(self, line: str) -> str:
        """Return the known prompt at the beginning of a line, or '' if there is none."""
        for prompt in self._prompts:
            found = prompt.match(line)
            if found:
                return found[0]
        return ''

    def _end_of(self, expected: str, observed: ObservedSession, at: int, most: int) -> int:
        """Return where the expected text ends if it begins at the index `at`, or else -1.

        If the program prints such lines twice, the text ends after the second line.
        """
        text = observed.text
        if not expected.endswith('\n'):
            return at + len(expected) if text.startswith(expected, at, most) else -1
        kind = self.protocol.kind_of(expected[:-1])
        for line in self._printed_at(expected[:-1], observed, at, most):
            if not text.startswith(line, at, most):
                continue
            found = self._line_end(kind).match(text, at + len(line), most)
            if not found:
                continue
            end = found.end()
            if kind in self.of(TWICE) and text.startswith(text[at:end], end, most):
                return end + (end - at)
            return end
        return -1

    def _printed_at(
        self, expected: str, observed: ObservedSession, at: int, most: int
    ) -> list[str]:
        """Return the ways an expected line may be printed at `at`, without its newline.

        If the session ignores some differences, return just the line printed at `at`, or [] if it
        also differs in other ways.
        """
        lines, rules = self.printed(expected), observed.transcript.rules
        if rules == EXACT:
            return lines
        line = observed.line_at(at, most)
        is_right = any(Item([ExpectedLine(0, other, True)], rules).matches(line) for other in lines)
        return [line] if is_right else []

    def _line_end(self, kind: str | None) -> re.Pattern[str]:
        """Return a pattern for what the program prints at the end of a line of the given kind."""
        end = r'\n'
        if kind in self.separators:
            end = r'\n|\Z|' + re.escape(self.separators[kind])
        spaces = f'[{SPACES}]*' if TRAILING_SPACES in self.learned else ''
        return re.compile(f'{spaces}(?:{end})')

    def _size_of_own(self, expected: str, observed: ObservedSession, at: int, most: int) -> int:
        """Return the size of the program's own prompt or line at `at`, or 0 if there is none.

        An unknown prompt counts if the program may have its own prompts and the expected text
        follows.
        """
        line, is_free = observed.line_at(at, most), observed.transcript.has_free_prompts
        has_end = observed.text.startswith('\n', at + len(line), most)
        if is_free and not has_end:  # a prompt, with any wording
            return len(line)
        if line and self.protocol.has(line):
            return 0
        if self.has_own_prompts or is_free:
            size = len(self.prompt_in(line))
            if not size and expected:
                size = self._start_in(line, expected, observed, at, most)
            if size:
                return size
        is_own_line = observed.ignores_line(line) or shape_of(line) in self.of(EXTRA_LINES)
        return len(line) + 1 if has_end and is_own_line else 0

    def _start_in(
        self, line: str, expected: str, observed: ObservedSession, at: int, most: int
    ) -> int:
        """Return the index in a line where the expected text begins, or 0 if it is not there.

        The text may begin only where a word, a number, spaces or a sign begins.
        """
        for token in [*TOKEN.finditer(line[:LONGEST])][1:]:
            if self._end_of(expected, observed, at + token.start(), most) >= 0:
                return token.start()
        return 0


def suggestions(
    style: Style,
    observed: ObservedSession,
    at: int,
    step: int,
    text: str,
    written: Collection[str | None],
) -> Iterator[Style]:
    """Yield styles with one more rule, as possible explanations of a departure from a model.

    The program departs at the index `at` of its output. There, in the step with the index `step`,
    the model prints `text`. `written` contains the kinds of all lines printed by the program and
    the model, in any session.
    """
    turn_end = observed.turn_ends.get(step, len(observed.text))
    at, _ = style.find('', observed, at, turn_end)
    printed, newline, _ = observed.text[at:turn_end].partition('\n')
    line = text.partition('\n')[0]
    if style.protocol.differ_in_typed_words(line, printed):  # then it is not a matter of style
        return
    expected = text[: len(line) + 1]
    if expected and may_be_missing(style, observed, step, expected, printed + newline, written):
        for reading in readings(Mismatch(expected, ''), style):
            yield style.with_rule(reading.fault, reading.learned)
    if printed and not newline:
        reading = reading_of_open_line(printed, style) or prompting(tails_of(observed, style))
        yield style.with_rule(reading.fault, reading.learned)
    elif newline:
        previous = observed.text[:at].removesuffix('\n').rpartition('\n')[2]
        if style.of(TRAILING_SPACES):
            printed, previous = printed.rstrip(SPACES), previous.rstrip(SPACES)
        for reading in readings_of_line(style, observed, expected, printed, previous):
            yield style.with_rule(reading.fault, reading.learned)


def may_be_missing(
    style: Style,
    observed: ObservedSession,
    step: int,
    expected: str,
    printed: str,
    written: Collection[str | None],
) -> bool:
    """Return whether a program may never print an expected line, or may print no prompts.

    If the program printed nothing more because it ended early, crashed or was stopped, no line
    counts as left out. Otherwise, the search would explain the end by nonexistent faults. Checking
    the claims would reveal this, but comes only after the search.
    """
    turns, steps = observed.turns, observed.transcript.steps
    is_last_turn = observed.is_joined or step >= len(turns) - 1
    printed_to_end = observed.is_joined or (len(turns) >= len(steps) and bool(turns[-1]))
    if not printed and is_last_turn and not (observed.has_ended and printed_to_end):
        return False
    kind = style.protocol.kind_of(expected.removesuffix('\n'))
    if kind is None or kind in style.protocol.forms:
        return False
    if without_labeled_word(kind) in map(without_labeled_word, filter(None, written)):
        return False  # the program prints such lines elsewhere
    if expected.endswith('\n'):
        return True
    kinds_of_prompts = map(style.protocol.kind_of, style.lines.prompts)
    return not any(other in written for other in kinds_of_prompts)


def tails_of(observed: ObservedSession, style: Style) -> list[str]:
    """Return the incomplete lines at the ends of turns, before the turn of the session's last step.

    These may be the program's own prompts. Lines and prompts of the assignment do not count.
    """
    turns = observed.turns[: len(observed.transcript.steps) - 1]
    tails = [turn.rpartition('\n')[2] for turn in turns]
    return [tail for tail in tails if 0 < len(tail) <= LONGEST and not style.lines.has(tail)]


def readings_of_line(
    style: Style, observed: ObservedSession, expected: str, printed: str, previous: str
) -> Iterator[Reading]:
    """Yield the readings of a printed line: as an extra line, then in place of the expected line.

    `previous` is the line printed before it.
    """
    signs = signs_in(printed)
    is_mostly_cells = 2 * sum(sign in style.protocol.cells for sign in signs) > len(signs)
    is_row_expected = style.protocol.kind_of(expected.removesuffix('\n')) == ROW
    for reading in readings(Mismatch('', f'{printed}\n', previous), style):
        # Where a row is expected, a line of mostly cells is a wrong row, not an extra line. A row
        # of numbers may be an extra line: a heading above the board.
        if not (reading.fault == EXTRA_LINES and is_row_expected and is_mostly_cells):
            yield reading
    if not expected:
        return
    for reading in readings(Mismatch(expected, f'{printed}\n'), style):
        # A line does not begin with a prompt, because a prompt is at the end of its turn. But if it
        # is unknown where the turns end, it may.
        if reading.fault != PROMPTS or observed.is_joined:
            yield reading


def reading_of_open_line(text: str, style: Style) -> Reading | None:
    """Return the reading of `text` as an expected line without its newline, or None.

    In place of its newline, the line may end like a prompt, for example with a colon.
    """
    for size in range(min(LONGEST_END, len(text)) + 1):
        line, end = text[: len(text) - size], text[len(text) - size :]
        kind = style.protocol.bare.kind_of(line)
        if kind and not end.strip(f' {PROMPT_ENDS}'):
            return Reading(NO_NEWLINE, {kind: Wording(line, text)})
    return None
