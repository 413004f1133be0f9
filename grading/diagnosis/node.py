"""A set of faults that the search has tried, and how much it explains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, List, Tuple

from .follow import Match
from .playing import Faults

Simplicity = Tuple[float, List[int]]    # what a set costs, and where its faults stand in order
Better = Tuple[Tuple[bool, int], Faults]        # a set, and how much it explains of one session


@dataclass
class Node:
    """A set of faults, and how far it explains each session."""

    faults: Faults
    matches: list[Match]
    simplicity: Simplicity
    rank: tuple[float, Simplicity]      # the less the better
    lesser: list[Better] = field(default_factory=list)     # sets that explain a little more
    stages: list[Iterator[list[Faults]]] = field(default_factory=list)     # that are not yet over

    @property
    def cost(self) -> float:
        """The number of faults; what is learned from the output costs more."""
        return self.simplicity[0]

    @property
    def is_whole(self) -> bool:
        """Whether it explains everything."""
        return all(match.is_whole for match in self.matches)


def first_of(child: Better) -> tuple[bool, int]:
    """Return how much a set explains of the session that proposed it."""
    return child[0]


def best_of(better: list[Better]) -> list[Faults]:
    """Return the sets that explain most of it."""
    return [faults for reach, faults in better if reach == better[0][0]]
