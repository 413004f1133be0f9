"""Pictures of Nim piles."""

from __future__ import annotations

from typing import Collection

from ..positions import Cell, describe
from ..svg import Point, circle, dots, hatch, picture, sketch, text_of, write
from .positions import MOST_TOKENS, PilePosition

SIDE = 36                               # of the place of a token
LABEL = 66                              # where piles are numbered
TOKENS_IN_LINE = 10
SMALL, SCALE = 2, 4                     # the side of a token in a sketch, and its scale


def draw_piles(piles: PilePosition, title: str, differing: Collection[Cell] = (),
               before: PilePosition | None = None) -> str:
    """Return the picture of piles; tokens that were there `before` are outlined."""
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
    """Return a small picture of piles: a line of tokens for each, or more if it is long."""
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
