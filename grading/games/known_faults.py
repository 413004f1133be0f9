"""Defines the known faults of programs for a game; only the diagnosis needs them.

A known fault has an id, a sentence and advice for students, and variants of the game. A variant
replaces the decisions that a program with the fault makes differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from configparser import ConfigParser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..sessions.verdict import WrongLine
from .game import Game
from .kinds import OTHER, TEXT, Kind
from .model import GameModel, Variant

Variants = Callable[[Any], Iterable[Variant]]  # takes a model that follows the program's output


@dataclass(frozen=True)
class KnownFault:
    """A known fault. `variants` returns the variants of the game that may explain a session.

    If `is_learned`, the variants depend on the program's output, so the fault needs more proof.
    """

    id: str
    sentence: str  # what the program does
    advice: str  # what the program's author should do
    variants: Variants
    kind: Kind = OTHER  # what the program's author has to change
    is_learned: bool = False
    is_crash: bool = False  # whether the fault explains crashes
    claim: str = ''  # what the sentence claims about each session, if anything; see `known_faults`

    @property
    def is_printing(self) -> bool:
        """Whether the fault concerns only what the program prints, not how it plays."""
        return self.kind.family is TEXT


@dataclass(frozen=True)
class Change:
    """A known fault without its texts: what the program decides differently, and the fault's kind.

    The fields are those of `KnownFault`.
    """

    variants: Variants
    kind: Kind = OTHER
    is_learned: bool = False
    is_crash: bool = False


def known_faults(prose: Path, changes: Mapping[str, Change]) -> list[KnownFault]:
    """Return the known faults in the order of `changes`, whose keys are the ids of the faults.

    `prose` is the path of an ini file with a section for each id: a sentence, advice, and
    optionally a claim about each session that shows the fault. The claim is one of:

    - `never WORD`: the program never prints the word;
    - `always WORD`: each answer begins with the word;
    - `repeats LINE`: the line after LINE is always the same;
    - `after WORD`: the program prints something wrong after the word, not in its place;
    - `adds WORDS`: the program prints an extra line that begins with the words;
    - `accepts WORD`: the program accepts input that it should refuse with the word;
    - `announces WORDS`: the program does what a line that begins with the words announces.
    """
    parser = ConfigParser(delimiters=('=',), comment_prefixes=('#',), interpolation=None)
    parser.read_string(prose.read_text(encoding='utf-8'), prose.name)
    return [
        KnownFault(
            id,
            parser[id]['sentence'].replace('\n', ' '),
            parser[id]['advice'].replace('\n', ' '),
            change.variants,
            change.kind,
            change.is_learned,
            change.is_crash,
            parser[id].get('claim', ''),
        )
        for id, change in changes.items()
    ]


@dataclass(frozen=True)
class GameFaults:
    """What the diagnosis knows about programs for a game.

    model  a second implementation of the game, with a method or an attribute for each decision
    known  the known faults, the simplest first
    hint   returns a hint about a wrong line, or `''` if no hint is certain
    kinds  the most likely kind of fault behind a wrong line, by the first words of the expected
           line and of the printed line
    """

    model: type[GameModel]
    known: Sequence[KnownFault] = ()
    hint: Callable[[WrongLine], str] | None = None
    kinds: Mapping[tuple[str, str], Kind] = field(default_factory=dict)


def faults_of(game: Game) -> GameFaults | None:
    """Return what the diagnosis knows about programs for a game, or None if it knows nothing."""
    faults: GameFaults | None = game.row_of('faults', 'FAULTS')
    return faults


def fixed(*variants: Variant) -> Variants:
    """Return a function that returns the same variants for every session."""
    return lambda game: variants
