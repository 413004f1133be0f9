"""A session move by move: what was typed, what came of it, and the position then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Iterator, Sequence

from markupsafe import Markup

from ...assignments.game import Game
from ...assignments.games import game_of
from ...printable import printable
from ...sessions.transcript import Step, Transcript


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
