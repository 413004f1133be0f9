"""A game: what the grader has to know of it. Sessions of no game are graded, too."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Callable, Collection, Sequence, Tuple

from ..diagnosis.fault_models import GameModel, Known
from ..sessions.difference import Situation
from ..sessions.transcript import Transcript
from .positions import Position


@dataclass(frozen=True)
class Parts:
    """Parts of a session that can be left out, numbered from 0.

    `without` returns the input lines of the session without some of the parts, None if there is no
    such session.
    """

    count: int
    without: Callable[[Collection[int]], list[str] | None]


PartsOf = Callable[[Transcript, int], Parts]    # of a session that a program fails in this step
Size = Callable[[Transcript, int], Tuple[object, ...]]


def lines_of(transcript: Transcript, step: int) -> Parts:
    """Return the input lines of a session as its parts."""
    lines = transcript.inputs
    return Parts(len(lines), lambda left_out: [
        line for number, line in enumerate(lines) if number not in left_out])


def typed_size(transcript: Transcript, step: int) -> tuple[object, ...]:
    """Return a key that orders sessions by size: input lines, then characters."""
    lines = transcript.inputs
    return step, len(lines), sum(map(len, lines)), lines


@dataclass(frozen=True)
class Maker:
    """Makes fresh games: sessions that nobody has seen.

    `make` returns all input lines of a session; the generator of random numbers that it gets
    decides everything. To make a failed session smaller, the grader leaves out its `parts`, one
    kind after the other; `size` says which of two sessions is smaller. Our own console, which says
    what is due, gets the `arguments`.
    """

    make: Callable[[Random], list[str]]
    parts: Sequence[PartsOf] = (lines_of,)
    size: Size = typed_size
    arguments: Sequence[str] = ()


@dataclass(frozen=True, eq=False)       # a game is only like itself
class Game:
    """A game: what the grader knows of it besides recorded sessions.

    `command` is the command line of our own console. `model` plays the game once more, with a
    method for each decision that `faults`, the known faults with the simplest first, can replace.
    `hint` returns in words how two lines differ in meaning, `''` if unknown. `positions` finds the
    positions in a text. `left_open` returns a session for others' programs, with the choices that
    the assignment leaves to them.
    """

    name: str
    command: tuple[str, ...]
    model: type[GameModel]
    faults: Sequence[Known] = ()
    hint: Callable[[Situation], str] = lambda situation: ''
    positions: Callable[[str], Sequence[Position]] = lambda text: ()
    maker: Maker | None = None          # None where nobody has written one
    has_prompts: bool = False           # whether it is also played with prompts
    left_open: Callable[[Transcript], Transcript] = lambda transcript: transcript
    is_default: bool = False            # whether its console plays it if no game is named

    @property
    def program(self) -> str:
        """The name of the program that plays the game; a console may play several games."""
        return self.command[0].partition('_console')[0]

    def is_played_by(self, command: Sequence[str]) -> bool:
        """Return whether a command line of our own console plays this game."""
        return (tuple(command[:len(self.command)]) == self.command
                or (self.is_default and tuple(command) == self.command[:1]))
