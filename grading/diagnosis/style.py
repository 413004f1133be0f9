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
from itertools import groupby
from typing import Any, Dict, FrozenSet, NamedTuple

from .protocol import (
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
RULES = (PROMPTS, MISSING_LINES, TWICE, NO_NEWLINE, TRAILING_BLANKS, WORDS, SEPARATORS, EXTRA_LINES)
LONGEST = 300                           # characters of a line in which a prompt is looked for
PROMPT_DUE = 'prompt due'               # marks a prompt of the assignment: it is not a rule
ASKING = re.compile(r'[:?>.!\]$#=)-]\s*$')         # how most prompts end

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
        prompts = {*self.of(PROMPTS), *self.protocol.prompts} - {''}
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
        is_asking = ASKING.search(line) and self.protocol.has('')
        return next((start for start in starts_of(line)
                     if self.protocol.has(self.written(line[start:])[0])),
                    len(line) if is_asking else 0)

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
        words = self.of(WORDS)
        if words and all(cell in words or cell in self.protocol.cells for cell in cells_of(line)):
            line = ''.join(words[cell].due if cell in words else cell for cell in line)
            rules |= {WORDS}
        found = self.protocol.form_of(line)
        if found and found in self.of(SEPARATORS):
            kind, _ = found
            lead, gap, trail = self.protocol.forms[kind]
            return (lead + gap.join(self.protocol.cells_of(kind, line)) + trail,
                    rules | {SEPARATORS})
        return line, rules

    def due_prompt(self, line: str) -> str:
        """Return the prompt at the beginning of a line that is due, '' for none."""
        if self.has_own_prompts:
            return ''
        return next((found[0] for found in (prompt.match(line) for prompt in self._prompts)
                     if found), '')
