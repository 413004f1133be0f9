"""How a program prints what is due: what it does otherwise, each a rule that can be undone.

A program's output is cut into lines, and each is written as the protocol has it. What is left is
the game, which is compared with the models of the game's faults. A place where a program departs
from such a model suggests the rules that may explain it:

    > > > > B: 8 W: 7          B: 8  W: 7
    .,B,W                      . B W
    Debug: 3
    > OK                       VALID
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any, Collection, Dict, FrozenSet, Iterable, Iterator, NamedTuple, Sequence

from ..sessions.comparison import words_of
from .program_output import Heard
from .protocol import (
    ROW,
    TOKEN,
    Form,
    Protocol,
    cells_of,
    filled,
    is_spaced,
    pattern_of,
    prompts_in,
    shape_of,
    target_of,
    template_of,
)

RULES = (PROMPTS, MISSING_LINES, TWICE, NO_NEWLINE, TRAILING_BLANKS, WORDS, SEPARATORS,
         EXTRA_LINES) = (
    'prompts', 'missing-lines', 'twice', 'no-newline', 'trailing-blanks', 'words', 'separators',
    'extra-lines')
LONGEST = 300                           # characters of a line in which a prompt is looked for
LONGEST_END = 3                         # characters behind a line that is a prompt
PROMPT_DUE = 'prompt due'               # marks a prompt of the assignment: it is not a rule

Rules = FrozenSet[str]
Learned = Dict[str, Dict[Any, Any]]
NO_RULES: Rules = frozenset()


class Translation(NamedTuple):
    """What is due where a program prints something else, with examples of both."""

    target: str                         # with slots for the values that are the same
    due: str
    printed: str


class Piece(NamedTuple):
    """A line of output: as printed, without a prompt, and as the protocol has it."""

    start: int                          # where it begins in the output
    raw: str
    text: str
    ends: bool                          # whether its newline was printed, or is known to lack
    rules: Rules                        # by which it is as the protocol has it


class Style:
    """How a program prints: the rules by which its output becomes lines of the protocol.

    `learned` are the rules, by id, and of each what it is about:

        prompts             prompts of its own, '' if it prints none where one is due
        missing-lines       kinds of lines, and an example
        twice               kinds of lines
        no-newline          kinds of lines, and what follows in place of the newline
        trailing-blanks     ''
        words               templates of lines, or cells, and their translation
        separators          templates of lines, or forms of rows, and their translation
        extra-lines         shapes of lines, and an example
    """

    def __init__(self, lines: Protocol, learned: Learned | None = None) -> None:
        self.lines = lines              # with the prompts of the assignment, if it has any
        self.learned: Learned = learned or {}
        self.has_own_prompts = PROMPTS in self.learned
        self.protocol = lines.bare if self.has_own_prompts else lines
        self._split_lines: dict[str, list[tuple[int, str, str, Rules]]] = {}
        prompts = {*self.of(PROMPTS), *lines.prompts} - {''}
        self._prompts = [re.compile(pattern_of(prompt))
                         for prompt in sorted(prompts, key=len, reverse=True)]
        self._unended = [re.compile(f'({pattern_of(kind)}){re.escape(end)}')
                         for kind, end in self.of(NO_NEWLINE).items()]

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
        return [*((rule, [*self.of(rule)]) for rule in self.rules if rule != MISSING_LINES),
                *((MISSING_LINES, [*kinds]) for _, kinds in omitted)]

    def omits(self, line: str) -> bool:
        """Return whether the rules say that the program omits a line that is due."""
        return (self.protocol.kind_of(line) in self.of(MISSING_LINES)
                or (not line and '' in self.of(EXTRA_LINES)))

    def pieces(self, output: str) -> list[Piece]:
        """Return the lines of an output as the protocol has them.

        The piece before an omitted line names the rule.
        """
        kept: list[Piece] = []
        start = 0
        lines = output.split('\n')
        for number, line in enumerate(lines, 1):
            for at, raw, text, rules in self._split(line):
                ends = (number < len(lines) and PROMPT_DUE not in rules) or NO_NEWLINE in rules
                if not ends and (not raw or self.protocol.kind_of(text) in self.of(NO_NEWLINE)):
                    if not raw:
                        continue
                    ends, rules = True, rules | {NO_NEWLINE}
                dropped = ends and self._dropped(kept, text)
                if not dropped:
                    kept.append(Piece(start + at, raw, text, ends, rules))
                elif kept:
                    kept[-1] = kept[-1]._replace(rules=kept[-1].rules | {dropped})
            start += len(line) + 1
        return kept

    def _dropped(self, kept: list[Piece], text: str) -> str:
        """Return the rule by which a line is left out, '' if it is not."""
        if shape_of(text) in self.of(EXTRA_LINES) and not (text and self.protocol.has(text)):
            return EXTRA_LINES
        is_again = (kept and text == kept[-1].text and TWICE not in kept[-1].rules
                    and self.protocol.kind_of(text) in self.of(TWICE))
        return TWICE if is_again else ''

    def _split(self, line: str) -> list[tuple[int, str, str, Rules]]:
        """Return the lines of the protocol in a line: where each begins, as it is printed, as
        the protocol has it, and by which rules. There is at least one, which may be empty."""
        if line not in self._split_lines:
            found: list[tuple[int, str, str, Rules]] = []
            at = 0
            rules: Rules = NO_RULES
            text, by = self.written(line)
            while not self.protocol.has(text):
                ended = next(filter(None, (one.match(line, at) for one in self._unended)), None)
                prompt = '' if ended else self.due_prompt(line[at:])
                size = 0 if ended or prompt else self._prompt_in(line[at:])
                if ended:
                    text, by = self.written(ended[1])
                    found.append((at, ended[1], text, by | rules | {NO_NEWLINE}))
                    at, rules = ended.end(), NO_RULES
                elif prompt:
                    found.append((at, prompt, prompt, frozenset([PROMPT_DUE])))
                    at, rules = at + len(prompt), NO_RULES
                elif size:
                    at, rules = at + size, rules | {PROMPTS}
                else:
                    break
                text, by = self.written(line[at:])
            if at < len(line) or not found:
                found.append((at, line[at:], text, by | rules))
            self._split_lines[line] = found
        return self._split_lines[line]

    def _prompt_in(self, line: str) -> int:
        """Return the length of the prompt at the start of a line, 0 for none."""
        if not self.has_own_prompts:
            return 0
        for prompt in self._prompts:
            found = prompt.match(line)
            if found:
                return found.end()
        if len(line) > LONGEST:
            return 0
        starts = [token.start() for token in TOKEN.finditer(line)][1:]
        return next((start for start in starts
                     if self.protocol.has(self.written(line[start:])[0])), 0)

    def written(self, line: str) -> tuple[str, Rules]:
        """Return a line as the protocol has it, and the rules that were used."""
        rules: Rules = NO_RULES
        if TRAILING_BLANKS in self.learned and not self.protocol.has(line) and line.endswith(' '):
            line, rules = line.rstrip(' '), frozenset([TRAILING_BLANKS])
        if self.protocol.has(line):
            return line, rules
        for rule in (WORDS, SEPARATORS):
            translation = self.of(rule).get(template_of(line))
            if translation:
                return filled(translation.target, line), rules | {rule}
        return self._row(line, rules)

    def _row(self, line: str, rules: Rules) -> tuple[str, Rules]:
        """Return a line as the protocol has rows, if it is one, and all rules that were used."""
        words, forms = self.of(WORDS), self.protocol.forms
        if words and all(cell in words or cell in self.protocol.cells for cell in cells_of(line)):
            line = ''.join(words[cell].due if cell in words else cell for cell in line)
            rules |= {WORDS}
        for rule in (WORDS, SEPARATORS) if ROW in forms else ():
            for form in self.of(rule):
                cells = form.cells_in(line) if isinstance(form, Form) else ''
                if cells and self.protocol.cells.issuperset(cells):
                    return forms[ROW].row_of(cells), rules | {rule}
        found = self.protocol.form_of(line)
        if found and found in self.of(SEPARATORS):
            values = self.protocol.cells_of(found[0], line)
            return forms[found[0]].row_of(values), rules | {SEPARATORS}
        return line, rules

    def due_prompt(self, line: str) -> str:
        """Return the prompt at the beginning of a line that is due, '' for none."""
        if self.has_own_prompts:
            return ''
        return next((found[0] for found in (prompt.match(line) for prompt in self._prompts)
                     if found), '')


class Reading:
    """A session with a program's output, rewritten as the protocol has it."""

    def __init__(self, heard: Heard, style: Style) -> None:
        self.heard = heard
        self.style = style
        self.turns = [style.pieces(text) for text in heard.turns]
        self.pieces = [piece for pieces in self.turns for piece in pieces]
        self.text = text_of(self.pieces)
        ends = [] if heard.is_joined else [*accumulate(map(len, map(text_of, self.turns)))][:-1]
        # Where each turn but the last ends in the text, and where what is due in it ends at most.
        self.ends = dict(enumerate(ends))
        self.limits = {turn: self.ends.get(self._heard_in(turn)) for turn in self.ends}

    def _heard_in(self, turn: int) -> int:
        """Return the turn in which the output of a turn was heard.

        Where nothing is due, the next line is typed at once, unless the program was seen to wait.
        """
        steps, played = self.heard.transcript.steps, self.heard.played
        while (played and turn < min(len(self.turns), len(steps)) - 1 and not self.turns[turn]
               and not steps[turn].printed and not played.dialogue.turns[turn].was_waiting):
            turn += 1
        return turn

    def place_of(self, index: int) -> tuple[int, Piece | None]:
        """Return the turn and the piece that an index of the text is in, None behind the end."""
        for turn, pieces in enumerate(self.turns):
            for piece in pieces:
                index -= len(text_of([piece]))
                if index < 0:
                    return turn, piece
        return len(self.turns) - 1, None

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the lines that are due."""
        return frozenset(words_of(line.text) for step in self.heard.transcript.steps
                         for line in step.printed)


def text_of(pieces: Iterable[Piece]) -> str:
    """Return lines of the protocol as one text."""
    return ''.join(piece.text + '\n' * piece.ends for piece in pieces)


def suggestions(reading: Reading, at: int, texts: Sequence[str], due: str,
                written: Collection[str | None]) -> Iterator[Style]:
    """Yield styles with one more rule that may explain why a program departs from a model.

    The model has printed `texts` in the turns so far, which are the reading's text up to an index,
    `at`, and prints `due` next. `written` are the kinds of lines that the program prints as they
    are due.
    """
    style, heard, step = reading.style, reading.heard, len(texts) - 1
    turn, piece = reading.place_of(at)
    is_cut = piece is None and not heard.has_ended and (
        heard.is_joined or step == len(heard.turns) - 1)
    if turn > step and not heard.is_joined:
        piece = None                    # nothing more was printed in that turn
    line = due.partition('\n')[0]
    kind = style.protocol.kind_of(line) if due else None
    if not is_cut and kind not in {None, *written, *style.protocol.forms}:
        yield (style.having(MISSING_LINES, kind, line) if due.endswith('\n')
               else style.having(PROMPTS, ''))
    if piece and not piece.ends:
        yield from with_tail(reading, piece.raw)
    elif piece:
        is_again = texts[-1].split('\n')[-2:] == [piece.text, '']
        yield from with_line(style, kind, line, piece.text, is_again, written)


def with_tail(reading: Reading, tail: str) -> Iterator[Style]:
    """Yield the style in which a text at the end of a turn is a line and what ends it, or a prompt.

    Then the ends of all turns are prompts, but for the last one.
    """
    style = reading.style
    for size in range(len(tail), max(0, len(tail) - LONGEST_END - 1), -1):
        kind = style.protocol.bare.kind_of(style.written(tail[:size])[0])
        if kind and not tail[size:].strip(' :>?'):
            yield style.having(NO_NEWLINE, kind, tail[size:])
            return
    tails = [pieces[-1].raw for pieces in reading.turns[:len(reading.heard.transcript.steps) - 1]
             if pieces and not pieces[-1].ends]
    own = [tail for tail in tails if len(tail) <= LONGEST and not style.lines.has(tail)]
    for prompt in [prompt for tail in own for prompt in prompts_in(tail)]:
        style = style.having(PROMPTS, prompt)
    yield style


def with_line(style: Style, kind: str | None, due: str, own: str, is_again: bool,
              written: Collection[str | None]) -> Iterator[Style]:
    """Yield styles in which a line is too many, or stands for one of a kind that is due."""
    if style.protocol.has(own):
        if is_again:
            yield style.having(TWICE, style.protocol.kind_of(own), style.protocol.kind_of(own))
    elif len(own) <= LONGEST:
        yield style.having(EXTRA_LINES, shape_of(own), own)
        if own.rstrip(' ') != own:
            yield style.having(TRAILING_BLANKS, '')
        if kind in style.protocol.forms:
            yield from with_row(style, kind, due, own)
        elif kind is not None and own.strip():
            yield from with_words(style, kind, due, own, written)


def with_row(style: Style, kind: str, due: str, own: str) -> Iterator[Style]:
    """Yield the style in which the cells of a row, or what stands between them, are others."""
    protocol = style.protocol
    found = protocol.form_of(own)
    for form in with_blank_cells(own, protocol.cells_of(ROW, due)) if kind == ROW else ():
        if form[:3] == protocol.forms[ROW][:3]:
            yield style.having(WORDS, form, Translation('', form.blank, ' '))
        else:
            yield style.having(SEPARATORS, form, Translation('', due, own))
    if found and found[0] == kind:
        few = sorted(protocol.cells)[:3] if kind == ROW else ['3', '5', '7']
        yield style.having(SEPARATORS, found, Translation(
            '', protocol.forms[kind].row_of(few), found[1].row_of(few)))
    elif kind == ROW and len(cells_of(own)) == len(protocol.cells_of(ROW, due)):
        for one, other in zip(cells_of(own), protocol.cells_of(ROW, due)):
            if one not in protocol.cells:
                style = style.having(WORDS, one, Translation(other, other, one))
        yield style


def with_words(style: Style, kind: str, due: str, own: str,
               written: Collection[str | None]) -> Iterator[Style]:
    """Yield styles in which a line lacks its newline, or has other words or other blanks."""
    if own.startswith(due):
        yield style.having(NO_NEWLINE, kind)
    target = target_of(due, own)
    if target is not None:
        translation = Translation(target, filled(target, own), own)
        if not is_spaced(translation.due, own):
            yield style.having(WORDS, template_of(own), translation)
        elif template_of(translation.due) not in written:
            yield style.having(SEPARATORS, template_of(own), translation)


def with_blank_cells(own: str, due: Sequence[str]) -> Iterator[Form]:
    """Yield forms in which a line has the cells that are due, and blanks for some of one kind."""
    for size in range(LONGEST_END):
        inner = own[size:len(own) - size]
        gap = (len(inner) - len(due)) // max(1, len(due) - 1)
        for cell in {*due} if gap >= 0 and ' ' in inner[::gap + 1] else ():
            form = Form(own[:size], inner[1:1 + gap], own[len(own) - size:], cell)
            if form.cells_in(own) == ''.join(due):
                yield form
