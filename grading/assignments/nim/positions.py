"""Nim piles in texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator, Mapping

from ..game import Cell

PILE = re.compile(r'\bpile (\d{1,3}) = (\d{1,9})$', re.ASCII)
STATE_LINE = re.compile(r'[ \t]*\d{1,9}(?:[ \t]+\d{1,9})*[ \t]*', re.ASCII)
# The only pile of Taking Stones, and that of take the last coin to win.
SINGLE = re.compile(r'\bThere are (\d{1,9}) stones|\bCOINS: *(\d{1,9})', re.ASCII)
MOST_PILES = 26                         # of a position that is drawn
MOST_TOKENS = 60                        # of a pile that is drawn


@dataclass(frozen=True)
class PilePosition:
    """Nim piles: the printed number of each (`''` for a single pile), and its size.

    The cells of the position are these numbers.
    """

    sizes: tuple[tuple[str, int], ...]

    missing = 'No piles were printed.'
    template = 'nim/piles.svg'
    caption = ''

    @property
    def cells(self) -> Mapping[Cell, int]:
        """The number of tokens in each pile."""
        return dict(self.sizes)

    @property
    def is_small(self) -> bool:
        """Whether the piles are small enough for a picture."""
        return (len(self.sizes) <= MOST_PILES
                and all(size <= MOST_TOKENS for _, size in self.sizes))

    def name_of(self, cell: Cell) -> str:
        """Return the name of a pile."""
        return f'pile {cell}' if cell else ''


def find_piles(text: str) -> list[PilePosition]:
    """Return all positions of one kind in a text, in their order."""
    lines = text.split('\n')
    for find in (find_numbered_piles, find_single_piles, find_states):
        positions = list(find(lines))
        if positions:
            return positions
    return []


def find_numbered_piles(lines: list[str]) -> Iterator[PilePosition]:
    """Yield the piles of lines such as `pile 0 = 3`."""
    sizes: list[tuple[str, int]] = []
    for line in [*lines, '']:
        match = PILE.search(line)
        if match:
            sizes.append((match[1], int(match[2])))
        elif sizes:
            yield PilePosition(tuple(sizes))
            sizes = []


def find_single_piles(lines: list[str]) -> Iterator[PilePosition]:
    """Yield the sizes of a single pile in a text."""
    for line in lines:
        match = SINGLE.search(line)
        if match:
            yield PilePosition((('', int(match[1] or match[2])),))


def find_states(lines: list[str]) -> Iterator[PilePosition]:
    """Yield the states of a recorded game: lines with the sizes of all piles."""
    for line in lines:
        if STATE_LINE.fullmatch(line):
            yield PilePosition(tuple((str(number), int(size))
                                     for number, size in enumerate(line.split(), 1)))
