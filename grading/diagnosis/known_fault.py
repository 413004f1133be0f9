"""What the faults that are known share: each has variants of the model of a game.

A known fault is an id, a sentence and an advice for the author of a program, and the variants: each
a subclass of the model of a game that decides one thing otherwise. Variants of several faults make
one model together, as bases of one class, so each does its part and leaves the rest to `super()`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Type

from ..sessions.difference import Difference
from .follow import Match
from .model import GameModel
from .protocol import Protocol


@dataclass
class Departure:
    """Where a program departs from a session that should explain it."""

    match: Match
    difference: Difference              # how it departs from the transcript, line by line
    protocol: Protocol                  # what is due anywhere

    @property
    def due(self) -> str:
        """The line that is due, '' where none is."""
        return self.match.session.due

    @property
    def printed(self) -> str:
        """The line that the program printed there."""
        return self.match.upcoming

    def known(self, setting: str, default: Any) -> Any:
        """Return what the session has learned already of the program."""
        return getattr(self.match.session, setting, default)


Variants = Callable[[Departure], Iterable[Type[GameModel]]]


@dataclass(frozen=True)
class Known:
    """A fault that is known; `variants` are those that may explain where a program departs."""

    id: str
    sentence: str                       # what a program that has it does
    advice: str                         # what its author is to do
    variants: Variants
    is_learned: bool = False            # whether variants are made from what the program printed
    pieces: str = ''                    # the setting that has each piece that was learned
    is_crash: bool = False              # whether it is named for a crash
    is_printing: bool = False           # whether it is of what is printed, not of the game


def fixed(*variants: type[GameModel]) -> Variants:
    """Return variants that are the same whatever was printed."""
    return lambda place: variants


def varied(base: type[GameModel], **settings: object) -> type[GameModel]:
    """Return a variant with settings of its own."""
    return type(base.__name__, (base,), settings)


def mixed(*bases: type[GameModel]) -> type[GameModel]:
    """Return a variant that is several."""
    return type(bases[0].__name__, bases, {})
