"""Nim piles: found in texts, and drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Collection, Iterator, Mapping

from ..positions import (
    Cell,
    Comparison,
    Point,
    circle,
    describe,
    dots,
    hatch,
    picture,
    sketch,
    text_of,
    write,
)

PILE = re.compile(r'\bpile (\d{1,3}) = (\d{1,9})$', re.ASCII)
STATE_LINE = re.compile(r'[ \t]*\d{1,9}(?:[ \t]+\d{1,9})*[ \t]*', re.ASCII)
# The only pile of Taking Stones, and that of take the last coin to win.
SINGLE = re.compile(r'\bThere are (\d{1,9}) stones|\bCOINS: *(\d{1,9})', re.ASCII)
MOST_PILES = 26                         # of a position that is drawn
MOST_TOKENS = 60                        # of a pile that is drawn
SIDE = 36                               # of the square of a token
LABEL = 66                              # the width of the piles' numbers
TOKENS_IN_LINE = 10
SMALL, SCALE = 2, 4                     # the side of a token in a sketch, and its scale


@dataclass(frozen=True)
class PilePosition:
    """Nim piles: the printed number of each (`''` for a single pile), and its size.

    The cells of the position are these numbers.
    """

    sizes: tuple[tuple[str, int], ...]

    missing = 'No piles were printed.'
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

    def draw(self, title: str, comparison: Comparison) -> str:
        """Return a picture of the piles; tokens that are gone are outlined."""
        before = comparison.before
        earlier = before if isinstance(before, PilePosition) and before is not self else None
        return draw_piles(self, title, comparison.differing, earlier)

    def sketch(self, typed: str) -> str:
        """Return a small picture of the piles."""
        return sketch_piles(self)


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


def draw_piles(piles: PilePosition, title: str, differing: Collection[Cell],
               before: PilePosition | None) -> str:
    """Return a picture of piles; tokens that are gone since `before` are outlined."""
    earlier = dict(before.sizes) if before else {}
    earlier = {name: size for name, size in earlier.items() if size <= MOST_TOKENS}
    height = 4.0
    rows = []
    for name, size in piles.sizes:
        rows.append((name, size, height + SIDE / 2))
        lines = -(-max(size, earlier.get(name, 0), 1) // TOKENS_IN_LINE)
        height += lines * SIDE * 0.8 + SIDE * 0.3
    about = ', '.join(f'{f"pile {name}: " if name else ""}{size}' for name, size in piles.sizes)
    end = LABEL + TOKENS_IN_LINE * SIDE * 0.8
    svg = picture(end + 2 * SIDE, height, title,
                  f'{about}. {describe(piles, differing)}'.strip())
    for name, size, y in rows:
        write(svg, LABEL - 10, y, f'pile {name}' if name else 'pile', 'number end')
        write(svg, end + SIDE / 2, y, size, 'size')
        if name in differing:
            hatch(svg, end + 1.4 * SIDE, y, SIDE * 0.7)
        places = [(LABEL + (token % TOKENS_IN_LINE + 0.5) * SIDE * 0.8,
                   y + token // TOKENS_IN_LINE * SIDE * 0.8)
                  for token in range(max(size, earlier.get(name, 0)))]
        dots(svg, places[:size], 'token rim', 'token')
        for place in places[size:]:
            circle(svg, *place, SIDE * 0.3, 'taken')
    return text_of(svg)


def sketch_piles(piles: PilePosition) -> str:
    """Return a small picture of piles, each as one line of tokens or more."""
    places: list[Point] = []
    height = 0.0
    for _, size in piles.sizes:
        lines = -(-max(size, 1) // TOKENS_IN_LINE)
        places += [((token % TOKENS_IN_LINE + 0.5) * SMALL,
                    height + (token // TOKENS_IN_LINE + 0.5) * SMALL) for token in range(size)]
        height += (lines + 0.5) * SMALL
    svg = sketch(TOKENS_IN_LINE * SMALL, height, SCALE)
    dots(svg, places, 'token')
    return text_of(svg)
