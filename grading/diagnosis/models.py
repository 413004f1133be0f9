"""What the faults that are known share: a model each, with its variants of a game.

A model is an id, a sentence and an advice for the author of a program, and the variants: each a
subclass of a session that decides one thing otherwise. Variants of several models make one
session together, as bases of one class, so each does its part and leaves the rest to `super()`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable, Type

from ..sessions.difference import Difference
from .follow import Match
from .session import Session


@dataclass
class Place:
    """Where a program departs from a session that should explain it."""

    match: Match
    difference: Difference              # how it departs from the transcript, line by line
    retry: Callable[[type[Session]], Match]         # the same with one variant more


Variants = Callable[[Place], Iterable[Type[Session]]]


@dataclass(frozen=True)
class Model:
    """A fault that is known; `variants` are those that may explain where a program departs."""

    id: str
    sentence: str                       # what a program that has it does
    advice: str                         # what its author is to do
    variants: Variants
    is_learned: bool = False            # whether variants are made from what the program printed


def fixed(*variants: type[Session]) -> Variants:
    """Return variants that are the same whatever was printed."""
    return lambda place: variants


def varied(base: type[Session], **settings: object) -> type[Session]:
    """Return a variant with settings of its own."""
    return type(base.__name__, (base,), settings)
