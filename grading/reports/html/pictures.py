"""Pictures of positions: those of a difference side by side, those of a session in its course."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Iterable, Iterator, Sequence

from markupsafe import Markup

from ...assignments.game import Game
from ...assignments.games import GAMES, game_of
from ...assignments.positions import Comparison, Position, compare_positions, describe
from ...diagnosis.finding import Example
from ...printable import printable
from ...sessions.transcript import Step, Transcript
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


@dataclass(frozen=True)
class Scene:
    """The lines that were typed until something was printed, that, and the position in it."""

    typed: list[str]
    printed: str
    picture: Markup | None


@dataclass(frozen=True)
class Playthrough:
    """A session before the step that went wrong, and after it as it should go on."""

    before: list[Scene]
    after: list[Scene]


def playthrough_of(transcript: Transcript, wrong: int | None) -> Playthrough:
    """Return a session move by move; `wrong` is the index of the step that is, if one is."""
    game, steps = game_of(transcript), transcript.steps
    if wrong is None:
        return Playthrough([*scenes(steps, game)], [])
    before = [*scenes(steps[:wrong], game)]
    if before and not before[-1].printed:
        before[-1].typed.pop()          # which is shown with what is wrong
    return Playthrough([scene for scene in before if scene.typed or scene.printed],
                  [*scenes(steps[wrong + 1:], game, inputs_of(steps[wrong:wrong + 1]))])


def scenes(steps: Iterable[Step], game: Game | None, typed: Sequence[str] = ()) -> Iterator[Scene]:
    """Yield the scenes of some steps; `typed` is what was typed before the first."""
    lines = [*typed]
    for step in steps:
        if step.printed:
            yield Scene(lines, printable(step.output, keep='\n'),
                        picture_of(step.output, lines[-1] if lines else '', game))
            lines = []
        lines = [*lines, *inputs_of([step])]
    if lines:
        yield Scene(lines, '', None)


def inputs_of(steps: Iterable[Step]) -> list[str]:
    """Return what is typed after some steps."""
    return [printable(step.input) for step in steps if step.input is not None]


def picture_of(printed: str, typed: str, game: Game | None) -> Markup | None:
    """Return a small picture of the last position that was printed, None where there is none."""
    positions = game.positions(printed) if game else []
    if not positions or not positions[-1].is_small:
        return None
    return Markup(positions[-1].sketch(typed))
