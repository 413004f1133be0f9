"""Finds Nim piles in text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..game import Cell

PILE = re.compile(r'\bpile (\d{1,3}) = (\d{1,9})$', re.ASCII)
STATE_LINE = re.compile(r'[ \t]*\d{1,9}(?:[ \t]+\d{1,9})*[ \t]*', re.ASCII)
# The single pile in Taking Stones, and in "Take the last coin to win".
SINGLE = re.compile(r'\bThere are (\d{1,9}) stones|\bCOINS: *(\d{1,9})', re.ASCII)
MAX_PILES = 26  # a position with more piles is not drawn
MAX_TOKENS = 60  # a position with a larger pile is not drawn


@dataclass(frozen=True)
class PilePosition:
    """Nim piles: each pile's printed number (`''` for a single pile) and its size.

    Each pile is a cell of the position, identified by its printed number.
    """

    sizes: tuple[tuple[str, int], ...]

    missing = 'No piles were printed.'
    template = 'nim/piles.svg'
    caption = ''

    @property
    def cells(self) -> Mapping[Cell, int]:
        """The number of tokens in each pile, by the pile's printed number."""
        return dict(self.sizes)

    @property
    def is_small(self) -> bool:
        """Whether the piles are small enough for a picture."""
        return len(self.sizes) <= MAX_PILES and all(size <= MAX_TOKENS for _, size in self.sizes)

    def name_of(self, cell: Cell) -> str:
        return f'pile {cell}' if cell else ''


def find_piles(text: str) -> Sequence[PilePosition]:
    """Return the positions in the text, in order.

    Numbered piles, such as `pile 0 = 3`, form a position if they are on consecutive lines. If there
    are none, look for single piles. If there are none either, look for lines of sizes.
    """
    lines = text.split('\n')
    numbered = [
        PilePosition(tuple((pile[1], int(pile[2])) for pile in piles if pile))
        for is_pile, piles in groupby(map(PILE.search, lines), bool)
        if is_pile
    ]
    single = [
        PilePosition((('', int(pile[1] or pile[2])),)) for pile in map(SINGLE.search, lines) if pile
    ]
    states = [
        PilePosition(tuple((str(number), int(size)) for number, size in enumerate(line.split(), 1)))
        for line in lines
        if STATE_LINE.fullmatch(line)
    ]
    return numbered or single or states


FINDERS = dict.fromkeys(('recorded', 'stones', 'tlcw', 'piles'), find_piles)
