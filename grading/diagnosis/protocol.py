"""The lines of a protocol, whatever its game: what kinds of lines there are, and which words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Iterable, NamedTuple

TOKEN = re.compile(r'[^\W\d_]+|\d+|[ ]+|.')
LABELLED = re.compile(r'([^\W\d_]+: )(\w+)')


class Protocol(NamedTuple):
    """What is due anywhere: the shapes of its lines, and its words and signs."""

    shapes: frozenset[str]
    words: frozenset[str]

    @classmethod
    def of(cls, lines: Iterable[str]) -> Protocol:
        """Return the protocol that has these lines."""
        lines = [*lines]
        return cls(frozenset(map(shape_of, lines)),
                   frozenset(word for line in lines for word in TOKEN.findall(line)))

    def has(self, line: str) -> bool:
        """Return whether a line is like one that is due."""
        return shape_of(line) in self.shapes

    def has_behind_prompt(self, line: str) -> bool:
        """Return whether a line is like one that is due, behind a prompt or in other capitals."""
        shape = shape_of(line).lower()
        return any(shape.endswith(due.lower()) and (due or not shape) for due in self.shapes)

    def says(self, text: str) -> bool:
        """Return whether a text has no words and signs but those that are due somewhere."""
        return self.words.issuperset(TOKEN.findall(text))


def is_row(line: str) -> bool:
    """Return whether a line is a row of signs, as of a board.

    >>> is_row('. B W .'), is_row('VALID'), is_row('3 1')
    (True, False, False)
    """
    return all(len(part) == 1 and not part.isdigit() for part in line.split())


def kind_of(line: str) -> str:
    """Return what kind of line it is: its first word, or that it is a row of signs.

    >>> kind_of('TURN: B'), kind_of('. B W .')
    ('TURN', 'row')
    """
    if is_row(line):
        return 'row'
    first = TOKEN.match(line)
    return '#' if not first or first[0].isdigit() else first[0]


@lru_cache(maxsize=1 << 14)
def shape_of(line: str) -> str:
    """Return what lines share that say the same of different numbers, signs and cells.

    >>> shape_of('B: 12  W: 4'), shape_of('TURN: W'), shape_of('. B W'), shape_of('at [(1, 2)]')
    ('?: #  ?: #', 'TURN: ?', 'row', 'at [(#)]')
    """
    if line.strip() and is_row(line):
        return 'row'
    numbers = re.sub(r'\d+([^\w\n]+\d+)*', '#', line)
    return re.sub(r'(?<![^\W_])[A-Z](?![^\W_])|(?<!\w)\.(?!\w)', '?', numbers)


def label_and_value(line: str) -> tuple[str, str]:
    """Return what stands before the value of a line, if anything does, and the value.

    >>> label_and_value('TURN: B'), label_and_value('B: 2  W: 2')
    (('TURN: ', 'B'), ('', 'B: 2  W: 2'))
    """
    labelled = LABELLED.fullmatch(line)
    return (labelled[1], labelled[2]) if labelled else ('', line)
