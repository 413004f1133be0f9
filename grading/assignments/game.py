"""What is particular to a game; a session of none is graded all the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Protocol, Sequence

from ..diagnosis.known import Known
from ..diagnosis.model import GameModel
from ..sessions.difference import Situation
from ..sessions.transcript import Transcript
from .positions import Position

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True, eq=False)       # a game is only like itself
class Game:
    """A game: all that the grader knows of it beside the sessions that were recorded.

    `command` is the command line of our own console that plays it. `model` plays it too, on its
    own and so that each decision can be made otherwise; `faults` are the wrong ones that are
    known, the simplest first. `hint` says in words how two lines differ in meaning, `''` where it
    does not know. `positions` finds the positions that a text shows. `fresh` names the module
    that makes fresh games, a `Maker`: it is imported when they are wanted, since that takes long.
    """

    name: str
    command: tuple[str, ...]
    model: type[GameModel]
    faults: Sequence[Known]
    hint: Callable[[Situation], str]
    positions: Callable[[str], Sequence[Position]]
    fresh: str


class Maker(Protocol):
    """A module that makes fresh games, each the lines of a scenario.

    Hypothesis shrinks a failing one by itself, unless there are `PARTS`: each makes smaller games
    from what `scenario_of` returns for one that fails in a step.
    """

    PARTS: Sequence[Callable[[Any], SearchStrategy[list[str]]]]

    def games(self, name: str, prompts: bool) -> SearchStrategy[list[str]]:
        """Make games, with prompts or not."""

    def size(self, transcript: Transcript, step: int) -> tuple[object, ...]:
        """Return what orders games by size that fail in a step."""

    def scenario_of(self, transcript: Transcript, step: int) -> Any:
        """Return the game of a transcript that fails in a step."""
