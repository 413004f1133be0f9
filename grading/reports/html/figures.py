"""The pictures of a difference: the position before, the one that was due, the one printed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup

from ...assignments.games import GAMES
from ...assignments.positions import Comparison, Position, compare_positions, describe
from ...diagnosis.finding import Example
from .lines import apart


@dataclass(frozen=True)
class Panel:
    """One picture of a figure, under its heading, with what was printed beside the cells."""

    heading: str
    picture: Markup
    caption: str


@dataclass(frozen=True)
class Figure:
    """Pictures side by side, and a sentence about them."""

    panels: list[Panel]
    note: str


def figure_of(example: Example) -> Figure | None:
    """Return the pictures of an example, if it is of positions."""
    game = GAMES.get(example.game)
    if not game:
        return None
    expected, printed = example.expected_text, example.printed_text
    comparison = compare_positions(game.positions, example.before, example.typed or '', expected,
                                   printed)
    positions = (comparison.before, comparison.expected, comparison.printed)
    if not any(positions) or not all(position.is_small for position in positions if position):
        return None
    return Figure([panel(heading, which, comparison)
                   for heading, which in headings_of(comparison).items()],
                  note_on(comparison, apart(expected, printed)))


def headings_of(comparison: Comparison) -> dict[str, str]:
    """Return the positions that are drawn, by their headings: each once."""
    headings = {'Before': 'before', 'Expected': 'expected', 'Printed': 'printed'}
    expected, printed = comparison.expected, comparison.printed
    if not expected:
        headings = {'Before': 'before', 'Printed, though not due': 'printed'}
    elif printed and not comparison.differing and (
            expected.caption.split() == printed.caption.split()):
        headings = {'Before': 'before', 'Expected and printed': 'expected'}
    return {heading: which for heading, which in headings.items() if getattr(comparison, which)}


def note_on(comparison: Comparison, difference: str) -> str:
    """Return in words what differs: cells by their names, else the first line that does."""
    expected, printed = comparison.expected, comparison.printed
    if expected and printed:
        return describe(expected, comparison.differing) or f'The pictures are alike. {difference}'
    return expected.missing if expected else difference


def panel(heading: str, which: str, comparison: Comparison) -> Panel:
    """Return the picture of one position of a comparison, with what was printed beside it."""
    position: Position = getattr(comparison, which)
    if which == 'before':               # which differs from neither
        comparison = replace(comparison, expected=None, printed=None)
    return Panel(heading, Markup(position.draw(heading, comparison)), position.caption)
