"""How a program prints what is due: what it does otherwise, each a rule.

A rule says how the program prints a line that is due, or what it prints before it. By the rules the
lines that a model of the game prints are found in the program's output. A place where the program
departs from such a model suggests the rules that may explain it:

    > > > > B: 8 W: 7          B: 8  W: 7
    .,B,W                      . B W
    Debug: 3
    > OK                       VALID
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from ..sessions.items import Item
from ..sessions.session import EXACT, ExpectedLine
from .protocol import (
    ROW,
    TOKEN,
    VALUE,
    Form,
    Heard,
    Protocol,
    Wording,
    filled,
    is_spaced,
    pattern_of,
    prompts_in,
    shape_of,
    signs_in,
    wording_of,
)

RULES = (
    PROMPTS,
    MISSING_LINES,
    TWICE,
    NO_NEWLINE,
    TRAILING_BLANKS,
    WORDS,
    SEPARATORS,
    EXTRA_LINES,
) = (
    'prompts',
    'missing-lines',
    'twice',
    'no-newline',
    'trailing-blanks',
    'words',
    'separators',
    'extra-lines',
)
LONGEST = 300  # characters of a line in which a prompt is looked for
LONGEST_END = 3  # characters behind a line that is a prompt
BETWEEN = re.compile(r'[^\w\n]{1,3}')  # what stands between two lines in place of a newline

Learned = dict[str, dict[Any, Any]]


class Style:
    """How a program prints: the rules by which it prints the lines of the protocol.

    `learned` are the rules, by id, and of each what it is about, with an example; one of words or
    separators is a `Wording` without slots:

        prompts             prompts of its own, '' if it prints none where one is due
        missing-lines       kinds of lines
        twice               kinds of lines
        no-newline          kinds of lines, and what follows in place of the newline
        trailing-blanks     ''
        words               wordings, cells that are due, forms of rows
        separators          wordings, forms of rows
        extra-lines         shapes of lines
    """

    def __init__(self, lines: Protocol, learned: Learned | None = None) -> None:
        self.lines = lines  # with the prompts of the assignment, if it has any
        self.learned: Learned = learned or {}
        self.has_own_prompts = PROMPTS in self.learned
        self.protocol = lines.bare if self.has_own_prompts else lines
        prompts = {*self.of(PROMPTS), *lines.prompts} - {''}
        self._prompts = [
            re.compile(pattern_of(prompt)) for prompt in sorted(prompts, key=len, reverse=True)
        ]
        self._printed: dict[str, list[str]] = {}

    def of(self, rule: str) -> dict[Any, Any]:
        """Return what a rule is about, empty if the program does not break it."""
        return self.learned.get(rule, {})

    @property
    def rules(self) -> list[str]:
        """The ids of the rules that the output breaks."""
        return [rule for rule in RULES if rule in self.learned]

    def having(self, rule: str, key: object, value: object = '') -> Style:
        """Return the style with a rule about one thing more."""
        return Style(self.lines, {**self.learned, rule: {**self.of(rule), key: value}})

    def without(self, rule: str, *keys: object) -> Style:
        """Return the style without a rule, or without what it says about some things."""
        left = {key: value for key, value in self.of(rule).items() if keys and key not in keys}
        others = {other: one for other, one in self.learned.items() if other != rule}
        return Style(self.lines, {**others, rule: left} if left else others)

    @property
    def parts(self) -> list[tuple[str, list[str]]]:
        """The rules, and what each is about; lines that are left out, by their first word."""
        omitted = groupby(sorted(self.of(MISSING_LINES)), lambda kind: kind.partition(' ')[0])
        return [
            *((rule, [*self.of(rule)]) for rule in self.rules if rule != MISSING_LINES),
            *((MISSING_LINES, [*kinds]) for _, kinds in omitted),
        ]

    def omits(self, line: str) -> bool:
        """Return whether the rules say that the program omits a line that is due."""
        return bool(self.learned) and (
            self.protocol.kind_of(line) in self.of(MISSING_LINES)
            or (not line and '' in self.of(EXTRA_LINES))
        )

    def printed(self, line: str) -> list[str]:
        """Return how the program may print a line that is due, up to its end."""
        if line not in self._printed:
            changes = [*self.of(WORDS), *self.of(SEPARATORS)]
            made = [
                line,
                *filter(
                    None,
                    (change.written(line) for change in changes if isinstance(change, Wording)),
                ),
            ]
            form = self.protocol.forms.get(self.protocol.kind_of(line) or '')
            if form:
                cells = [
                    self.of(WORDS)[cell].printed if cell in self.of(WORDS) else cell
                    for cell in self.protocol.cells_of(form.kind, line)
                ]
                made += [
                    other.row_of(cells)
                    for other in [form, *changes]
                    if isinstance(other, Form) and other.kind == form.kind
                ]
            self._printed[line] = [*dict.fromkeys(made)]
        return self._printed[line]

    def find(self, due: str, heard: Heard, at: int, most: int) -> tuple[int, int]:
        """Return where a text that is due begins and ends in an output, behind what is passed over.

        Where it does not come next, the end is -1.
        """
        if heard.is_exact and not self.learned:
            return at, at + len(due) if heard.text.startswith(due, at, most) else -1
        while True:
            end = self._end_of(due, heard, at, most) if due else -1
            size = self._size_of_own(due, heard, at, most) if end < 0 else 0
            if not size:
                return at, end
            at += size

    def prompt_in(self, line: str) -> str:
        """Return the prompt at the beginning of a line, '' for none."""
        return next(
            (found[0] for found in (prompt.match(line) for prompt in self._prompts) if found), ''
        )

    def _end_of(self, due: str, heard: Heard, at: int, most: int) -> int:
        """Return where a text that is due ends if it begins at a place, -1 if it does not."""
        text, rules = heard.text, heard.transcript.rules
        if not due.endswith('\n'):
            return at + len(due) if text.startswith(due, at, most) else -1
        kind, dues = self.protocol.kind_of(due[:-1]), self.printed(due[:-1])
        if rules != EXACT:  # a line that is right by them is as it is due
            line = heard.line_at(at, most)
            dues = (
                [line]
                if any(Item([ExpectedLine(0, own, True)], rules).is_met(line) for own in dues)
                else []
            )
        ends = (
            r'\n|\Z|' + re.escape(self.of(NO_NEWLINE)[kind])
            if kind in self.of(NO_NEWLINE)
            else r'\n'
        )
        behind = re.compile(f'{" *" * (TRAILING_BLANKS in self.learned)}(?:{ends})')
        for own in dues:
            found = behind.match(text, at + len(own), most)
            if found and text.startswith(own, at, most):
                end, again = found.end(), text[at : found.end()]
                is_twice = kind in self.of(TWICE) and text.startswith(again, end, most)
                return end + len(again) * is_twice
        return -1

    def _size_of_own(self, due: str, heard: Heard, at: int, most: int) -> int:
        """Return the size of the prompt, or the line, that only the program has, 0 for none.

        A prompt that is not known stands before what is due.
        """
        line, is_free = heard.line_at(at, most), heard.transcript.has_free_prompts
        ends, size = heard.text.startswith('\n', at + len(line), most), 0
        if is_free and not ends:
            return len(line)
        if line and self.protocol.has(line):
            return 0
        if self.has_own_prompts or is_free:
            starts = [token.start() for token in TOKEN.finditer(line[:LONGEST])][1:] if due else ()
            size = len(self.prompt_in(line)) or next(
                (start for start in starts if self._end_of(due, heard, at + start, most) >= 0), 0
            )
        if (
            ends
            and not size
            and (heard.passes_line(line) or shape_of(line) in self.of(EXTRA_LINES))
        ):
            size = len(line) + 1
        return size


def suggestions(
    style: Style, heard: Heard, at: int, step: int, due: str, written: Collection[str | None]
) -> Iterator[Style]:
    """Yield styles with one more rule that may explain why a program departs from a model.

    It departs at an index of its output, `at`, where the model prints `due` in a step. `written`
    are the kinds of lines that the program prints as they are due.
    """
    last = heard.ends.get(step, len(heard.text))
    at, _ = style.find('', heard, at, last)
    own, newline, _ = heard.text[at:last].partition('\n')
    line = due.partition('\n')[0]
    if style.protocol.are_typed(line, own):  # they are values, and printed well
        return
    is_cut = (
        not own + newline
        and not heard.has_ended
        and (heard.is_joined or step == len(heard.turns) - 1)
    )
    kind = style.protocol.kind_of(line) if due else None
    if not is_cut and kind not in {None, *written, *style.protocol.forms}:
        yield from with_less(style, due, written)
    if own and not newline:
        yield from with_tail(style, heard, own)
    elif newline:
        if heard.is_joined:
            yield from with_lead(style, line, own)
        is_again = heard.text[:at].endswith(f'\n{own}\n')
        if TRAILING_BLANKS in style.learned:
            own = own.rstrip(' ')
        yield from with_line(style, kind, line, own, is_again)


def with_less(style: Style, due: str, written: Collection[str | None]) -> Iterator[Style]:
    """Yield the style that leaves out a kind of line, or all prompts if the program prints none."""
    line, ends, _ = due.partition('\n')
    if ends:
        yield style.having(MISSING_LINES, style.protocol.kind_of(line), line)
    elif not any(style.protocol.kind_of(prompt) in written for prompt in style.lines.prompts):
        yield style.having(PROMPTS, '')


def with_tail(style: Style, heard: Heard, tail: str) -> Iterator[Style]:
    """Yield the style in which a text at the end of a turn is a line and what ends it, or a prompt.

    Then the ends of all turns are prompts, but for the last one.
    """
    for size in range(len(tail), max(0, len(tail) - LONGEST_END - 1), -1):
        kind = style.protocol.bare.kind_of(tail[:size])
        if kind and not tail[size:].strip(' :>?'):
            yield style.having(NO_NEWLINE, kind, tail[size:])
            return
    tails = [turn.rpartition('\n')[2] for turn in heard.turns[: len(heard.transcript.steps) - 1]]
    yield prompting(
        style, [tail for tail in tails if 0 < len(tail) <= LONGEST and not style.lines.has(tail)]
    )


def with_lead(style: Style, due: str, own: str) -> Iterator[Style]:
    """Yield the style in which prompts stand before a line that is due, where nobody waited."""
    if due and own.endswith(due):
        yield prompting(style, [own[: -len(due)]])


def prompting(style: Style, texts: Iterable[str]) -> Style:
    """Return the style with the prompts in some texts."""
    for prompt in [prompt for text in texts for prompt in prompts_in(text)]:
        style = style.having(PROMPTS, prompt)
    return style


def with_line(
    style: Style, kind: str | None, due: str, own: str, is_again: bool
) -> Iterator[Style]:
    """Yield styles in which a line is too many, or stands for one of a kind that is due."""
    dues = [
        filled(one.due, VALUE.findall(own))
        for one in (*style.of(WORDS), *style.of(SEPARATORS))
        if isinstance(one, Wording)
    ]
    for text in [own, *dues]:
        again = style.protocol.kind_of(text)
        if is_again and again and own in style.printed(text):
            yield style.having(TWICE, again, again)
    if len(own) <= LONGEST and not style.protocol.has(own):
        # Most signs of a row that is wrong are cells; above a board may stand a row of numbers.
        if kind != ROW or 2 * sum(sign in style.protocol.cells for sign in signs_in(own)) <= len(
            signs_in(own)
        ):
            yield style.having(EXTRA_LINES, shape_of(own), own)
        if own.rstrip(' ') != own:
            yield style.having(TRAILING_BLANKS, '')
        if kind in style.protocol.forms:
            yield from with_row(style, kind, due, own)
        elif kind is not None and own.strip():
            yield from with_words(style, kind, due, own)


def with_row(style: Style, kind: str, due: str, own: str) -> Iterator[Style]:
    """Yield the style in which the cells of a row, or what stands between them, are others."""
    protocol = style.protocol
    form, found, cells = protocol.forms[kind], protocol.form_of(own), protocol.cells_of(kind, due)
    for other in with_blank_cells(own, cells) if kind == ROW else ():
        if other._replace(blank='') == form:
            yield style.having(WORDS, other, Wording(other.blank, ' '))
        else:
            yield style.having(SEPARATORS, other, Wording(due, own))
    if found and found.kind == kind:
        few = sorted(protocol.cells)[:3] if kind == ROW else ['3', '5', '7']
        yield style.having(SEPARATORS, found, Wording(form.row_of(few), found.row_of(few)))
    elif kind == ROW and len(signs_in(own)) == len(cells):
        for cell, sign in zip(cells, signs_in(own), strict=False):
            if sign not in protocol.cells:
                style = style.having(WORDS, cell, Wording(cell, sign))
        yield style


def with_words(style: Style, kind: str, due: str, own: str) -> Iterator[Style]:
    """Yield styles in which a line lacks its newline, or has other words or other blanks."""
    if own.startswith(due):
        behind = BETWEEN.match(own, len(due))
        yield style.having(NO_NEWLINE, kind, behind[0] if behind else '')
    wording = wording_of(due, own)
    # What is printed for one line stands for no other one.
    if wording and not any(
        wording.printed == other.printed and wording != other
        for other in style.of(WORDS)
        if isinstance(other, Wording)
    ):
        due = filled(wording.due, VALUE.findall(own))  # with the program's own values
        yield style.having(SEPARATORS if is_spaced(due, own) else WORDS, wording, Wording(due, own))


def with_blank_cells(own: str, due: Sequence[str]) -> Iterator[Form]:
    """Yield forms in which a line has the cells that are due, and blanks for some of one kind."""
    for size in range(LONGEST_END):
        inner = own[size : len(own) - size]
        gap = (len(inner) - len(due)) // max(1, len(due) - 1)
        for cell in {*due} if gap >= 0 and ' ' in inner[:: gap + 1] else ():
            form = Form(ROW, own[:size], inner[1 : 1 + gap], own[len(own) - size :], cell)
            if form.row_of(due) == own:
                yield form
