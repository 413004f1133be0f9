"""How a program prints what is due: what it does otherwise, each a rule that can be undone.

A program's output is cut into lines, and each is written as the protocol has it. What is left is
the game, which is compared with the models of the game's faults:

    > > > > B: 8 W: 7          B: 8  W: 7
    .,B,W                      . B W
    Debug: 3
    > OK                       VALID
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Callable, FrozenSet, NamedTuple

from .protocol import (
    Form,
    Protocol,
    cells_of,
    filled,
    pattern_of,
    shape_of,
    starts_of,
    template_of,
)

PROMPTS, MISSING_LINES, TWICE, NO_NEWLINE, TRAILING_BLANKS, WORDS, SEPARATORS, EXTRA_LINES = (
    'prompts', 'missing-lines', 'twice', 'no-newline', 'trailing-blanks', 'words', 'separators',
    'extra-lines')
LONGEST = 300                           # characters of a line in which a prompt is looked for
PROMPT_DUE = 'prompt due'               # marks a prompt of the assignment: it is not a rule
ASKING = re.compile(r'[:?>.!\]$#=)-]\s*$')         # how most prompts end

Rules = FrozenSet[str]
NO_RULES: Rules = frozenset()


class Translation(NamedTuple):
    """The line that is due where a program prints lines of one template, with examples."""

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


@dataclass
class Style:
    """The rules that were learned about how a program prints."""

    lines: Protocol                     # with the prompts of the assignment, if it has any
    prompts: tuple[str, ...] | None = None      # examples, None if prompts are as due
    unended: dict[str, str] = field(default_factory=dict)   # by kind: what follows, no newline
    words: dict[str, Translation] = field(default_factory=dict)         # by template
    separators: dict[str, Translation] = field(default_factory=dict)
    forms: dict[str, Form] = field(default_factory=dict)    # by kind
    cells: dict[str, str] = field(default_factory=dict)     # what is due for a cell
    has_blanks: bool = False            # whether lines end with blanks
    extra: dict[str, str] = field(default_factory=dict)     # by shape: an example
    doubled: dict[str, str] = field(default_factory=dict)   # by kind
    omitted: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._split_lines: dict[str, list[tuple[int, str, str, Rules]]] = {}
        prompts = sorted({*(self.prompts or ()), *self.protocol.prompts}, key=len, reverse=True)
        self._prompts = [re.compile(pattern_of(prompt)) for prompt in prompts if prompt]
        self._unended = [re.compile(f'({pattern_of(kind)}){re.escape(end)}')
                         for kind, end in self.unended.items()]

    @property
    def protocol(self) -> Protocol:
        """The lines that are due, without prompts if the program has its own."""
        return self.lines if self.prompts is None else self.lines.bare

    @property
    def rules(self) -> list[str]:
        """The ids of the rules that the output breaks."""
        found = {PROMPTS: self.prompts is not None, MISSING_LINES: self.omitted,
                 TWICE: self.doubled, NO_NEWLINE: self.unended, TRAILING_BLANKS: self.has_blanks,
                 WORDS: self.words or self.cells, SEPARATORS: self.separators or self.forms,
                 EXTRA_LINES: self.extra}
        return [rule for rule, learned in found.items() if learned]

    def without(self, rule: str) -> Style:
        """Return the style without a rule."""
        none: dict[str, dict[str, Any]] = {
            PROMPTS: {'prompts': None}, MISSING_LINES: {'omitted': {}},
            TWICE: {'doubled': {}}, NO_NEWLINE: {'unended': {}},
            TRAILING_BLANKS: {'has_blanks': False}, WORDS: {'words': {}, 'cells': {}},
            SEPARATORS: {'separators': {}, 'forms': {}}, EXTRA_LINES: {'extra': {}}}
        return replace(self, **none[rule])

    def less(self) -> list[Callable[[Style], Style]]:
        """Return functions that take a rule from a style, or the lines of one word that it omits.
        """
        words = {kind.partition(' ')[0] for kind in self.omitted}
        return [*(partial(Style.without, rule=rule) for rule in self.rules
                  if rule != MISSING_LINES),
                *(partial(Style.with_lines_of, word=word) for word in sorted(words))]

    def with_lines_of(self, word: str) -> Style:
        """Return the style that does not omit lines that begin with a word."""
        return replace(self, omitted={kind: line for kind, line in self.omitted.items()
                                      if kind.partition(' ')[0] != word})

    def omits(self, line: str) -> bool:
        """Return whether the rules say that the program omits a line that is due."""
        return ((bool(self.omitted) and self.protocol.kind_of(line) in self.omitted)
                or (not line and '' in self.extra))

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
                if not ends and (not raw or self.protocol.kind_of(text) in self.unended):
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
        if self.extra and shape_of(text) in self.extra and (not text or not self.protocol.has(
                text)):
            return EXTRA_LINES
        is_again = (self.doubled and kept and text == kept[-1].text
                    and TWICE not in kept[-1].rules
                    and self.protocol.kind_of(text) in self.doubled)
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
        if self.prompts is None:
            return 0
        for prompt in self._prompts:
            found = prompt.match(line)
            if found:
                return found.end()
        if len(line) > LONGEST:
            return 0
        is_asking = ASKING.search(line) and self.protocol.has('')
        return next((start for start in starts_of(line)
                     if self.protocol.has(self.written(line[start:])[0])),
                    len(line) if is_asking else 0)

    def written(self, line: str) -> tuple[str, Rules]:
        """Return a line as the protocol has it, and the rules that were used."""
        rules: Rules = NO_RULES
        if self.protocol.has(line):
            return line, rules
        if self.has_blanks and line.endswith(' '):
            line, rules = line.rstrip(' '), frozenset([TRAILING_BLANKS])
            if self.protocol.has(line):
                return line, rules
        for rule, learned in ((WORDS, self.words), (SEPARATORS, self.separators)):
            if learned:
                translation = learned.get(template_of(line))
                if translation:
                    return filled(translation.target, line), rules | {rule}
        if self.cells:
            cells = cells_of(line)
            if all(cell in self.cells or cell in self.protocol.cells for cell in cells):
                line = ''.join(self.cells.get(cell, cell) for cell in line)
                rules |= {WORDS}
        found = self.protocol.form_of(line) if self.forms else None
        if found and self.forms.get(found[0]) == found[1]:
            kind, _ = found
            lead, gap, trail = self.protocol.forms[kind]
            return (lead + gap.join(self.protocol.cells_of(kind, line)) + trail,
                    rules | {SEPARATORS})
        return line, rules


    def due_prompt(self, line: str) -> str:
        """Return the prompt at the beginning of a line that is due, '' for none."""
        if self.prompts is None:
            for prompt in self._prompts:
                found = prompt.match(line)
                if found:
                    return found[0]
        return ''
