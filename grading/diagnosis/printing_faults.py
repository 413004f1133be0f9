"""Faults that programs for any game can have: other words, prompts, blanks at the end of lines."""

from __future__ import annotations

import re
from typing import ClassVar, Iterable

from ..printable import printable
from .known import Departure, Known, varied
from .line_faults import EXTRA_LINES, MISSING_LINES, TWICE
from .model import GameModel
from .prompt_faults import LONGEST, prompt_at, with_prompts
from .protocol import TOKEN, Protocol, kind_of, label_and_value

ASKING = re.compile(r'.*[:?>]\s*\S')


class TrailingBlanks(GameModel):
    """Ends lines with blanks: so many for each kind of line."""

    blanks: ClassVar[dict[str, int]] = {}

    def say(self, line: str) -> None:
        super().say(line + ' ' * self.blanks.get(kind_of(line), 0))


def with_trailing_blanks(place: Departure) -> Iterable[type[GameModel]]:
    due, printed = place.due.rstrip('\n'), place.printed
    if due.rstrip(' ') == printed.rstrip(' ') and len(printed) > len(due.rstrip(' ')):
        number = len(printed) - len(due.rstrip(' '))
        known = place.known('blanks', {})
        yield varied(TrailingBlanks, blanks={**known, kind_of(place.match.session.line): number})


class Words(GameModel):
    """Prints other words: by the kind of line, the old word (or words) and the new."""

    words: ClassVar[dict[tuple[str, str], str]] = {}
    lines_known: ClassVar[dict[str, str]]

    def say(self, line: str) -> None:
        body = line.rstrip(' ')
        if body not in self.lines_known:
            self.lines_known[body] = self.reworded(body)
        super().say(self.lines_known[body] + line[len(body):])

    def reworded(self, line: str) -> str:
        kind = kind_of(line)
        if (kind, line) in self.words:
            return self.words[kind, line]
        start, value = label_and_value(line)
        start = self.words.get((kind, start), '') or ''.join(
            self.words.get((kind, token), token) for token in TOKEN.findall(start))
        return start + ''.join(
            self.words.get((kind, token), token) for token in TOKEN.findall(value))

    @classmethod
    def detail(cls) -> str:
        pairs = [differing(old, new) for (_, old), new in cls.words.items()]
        return ': ' + ', '.join(dict.fromkeys(f'"{printable(new)}" for "{old}"'
                                              for old, new in pairs))


def differing(old: str, new: str) -> tuple[str, str]:
    """Return the words of two lines that differ.

    >>> differing('It is hissing as it concedes.', 'It hisses as it concedes.')
    ('is hissing', 'hisses')
    """
    olds, news = old.split(' '), new.split(' ')
    while min(len(olds), len(news)) > 1 and olds[0] == news[0]:
        del olds[0], news[0]
    while min(len(olds), len(news)) > 1 and olds[-1] == news[-1]:
        del olds[-1], news[-1]
    return ' '.join(olds), ' '.join(news)


def with_words(place: Departure) -> Iterable[type[GameModel]]:
    session, printed = place.match.session, place.printed.rstrip(' ')
    line = session.line.rstrip(' ')
    prompt = prompt_at(place)
    if prompt is None and (printed.endswith(line) or (
            ASKING.match(printed) and not ASKING.match(line))):
        return                                          # it may be behind one
    if prompt or not line or not session.due.endswith('\n') or len(printed) > LONGEST:
        return
    known = place.known('words', {})
    old, due, new = (TOKEN.findall(text) for text in (line, session.due.rstrip('\n '), printed))
    kind = kind_of(line)
    if len(old) == len(due) == len(new):
        changed = {(kind, o): n for o, d, n in zip(old, due, new)
                   if d != n and is_word(o) and is_other_word(n, place.protocol)}
        yield varied(Words, lines_known={}, words={**known, **changed})
        return
    start, value = label_and_value(line)
    value = known.get((kind, value), value)
    if start and printed.endswith(value) and printed != value:
        yield varied(Words, lines_known={}, words={**known, (kind, start): printed[:-len(value)]})
    elif (not re.search(r'\d', line + printed) and kind != 'row'
          and is_other_word(printed, place.protocol)
          and not place.protocol.has(printed)):         # which says something else
        yield varied(Words, lines_known={}, words={**known, (kind, line): printed})


def is_word(token: str) -> bool:
    return token.isalpha() or token == '.'


def is_other_word(token: str, protocol: Protocol) -> bool:
    """Return whether a program may print a word for one of the protocol: it says nothing else."""
    return bool(token.strip()) and not token.isdigit() and not protocol.says(token)


class Separators(GameModel):
    """Puts something else before, between and after the parts of a line: by kind and number."""

    gaps: ClassVar[dict[tuple[str, int], list[str]]] = {}
    shown: ClassVar[tuple[str, str]]            # a line as it is due, and as it is printed

    def say(self, line: str) -> None:
        body = line.rstrip(' ')
        parts = body.split()
        gaps = self.gaps.get((kind_of(body), len(parts)))
        super().say(spaced(parts, gaps) + line[len(body):] if gaps else line)

    @classmethod
    def detail(cls) -> str:
        return ': "{}" for "{}"'.format(*map(printable, cls.shown))


def spaced(parts: list[str], gaps: list[str]) -> str:
    """Return the parts of a line with what stands before, between and after them.

    >>> spaced(['B', 'W'], ['[', ', ', ']'])
    '[B, W]'
    """
    return ''.join(gap + part for gap, part in zip(gaps, [*parts, '']))


def with_separators(place: Departure) -> Iterable[type[GameModel]]:
    line, printed = place.due.rstrip('\n '), place.printed.rstrip(' ')
    parts = line.split()
    if len(parts) < 2 or len(printed) > LONGEST or not place.due.endswith('\n'):
        return
    gaps = re.fullmatch(r'([^\w.]*)' + r'([^\w.]*)'.join(map(re.escape, parts)) + r'([^\w.]*)',
                        printed)
    if gaps and spaced(parts, list(gaps.groups())) != line:
        known = place.known('gaps', {})
        shown = place.known('shown', (printed, line))
        yield varied(Separators, shown=shown, gaps={
            **known, (kind_of(line), len(parts)): list(gaps.groups())})


PRINTING = [
    Known('prompts', 'prints other prompts',
          'Print exactly the prompts that are shown under expected, none where none are.',
          with_prompts, is_learned=True),
    MISSING_LINES,
    TWICE,
    Known('trailing-blanks', 'ends lines with blanks',
          "End each line with its last character: join with ' ' rather than print one after each.",
          with_trailing_blanks, is_learned=True),
    Known('words', 'prints other words', 'Print exactly the words of the assignment.', with_words,
          is_learned=True, is_of_lines=True),
    Known('separators', 'separates the parts of a line otherwise',
          'Put exactly the blanks between the parts of a line that are shown under expected.',
          with_separators, is_learned=True),
    EXTRA_LINES,
]
