"""Defines the known faults of programs for a game; only the diagnosis needs them.

A known fault has an id, a sentence and advice for students, and variants of the game. A variant
replaces the decisions a program with the fault makes differently.

In a game's `faults.py`, an entry says what a program with the fault decides differently. A decision
of the model is a method with `@decision`, or a value made by `setting`. A `variant` replaces a
decision with a constant, or with a function that gets the game, the old decision and its arguments.
If the program only prints a line in a wrong way, the entry is `printed_as`: it says which expected
and printed lines show this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from configparser import ConfigParser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..sessions.verdict import WrongLine
from .fault_kinds import OTHER, TEXT, Kind
from .game import Game
from .model import GameModel, Variant

# Takes the id of a way to print lines wrongly, such as 'separators', an expected line, and the line
# printed for it; returns whether they show this fault.
IsWay = Callable[[str, str, str], bool]
FindVariants = Callable[[Any], Iterable[Variant]]  # takes a model that has followed a program


@dataclass(frozen=True)
class KnownFault:
    """A known fault. `variants` returns the variants of the game that may explain a session.

    If `is_learned`, a variant may easily fit by chance, usually because it is derived from the
    program's output. So the fault needs more proof, and the search may still change its variant.

    A fault with `is_way` has no variants: it is a way to print lines wrongly, and a row of the
    game's own in the table of these ways.
    """

    id: str
    sentence: str  # what the program does
    advice: str  # what the program's author should do
    variants: FindVariants
    kind: Kind = OTHER  # what the program's author has to change
    is_learned: bool = False
    is_crash: bool = False  # whether a crash is evidence for the fault
    claim: str = ''  # what the sentence claims about each session, if anything; see `known_faults`
    is_way: IsWay | None = None

    @property
    def is_printing(self) -> bool:
        """Whether the fault concerns only what the program prints, not how it plays."""
        return self.kind.family is TEXT


@dataclass(frozen=True)
class Change:
    """A known fault without its texts: what the program decides differently, and the fault's kind.

    The fields are those of `KnownFault`.
    """

    variants: FindVariants
    kind: Kind = OTHER
    is_learned: bool = False
    is_crash: bool = False
    is_way: IsWay | None = None


def printed_as(is_way: IsWay, kind: Kind = TEXT) -> Change:
    """Return the change of a fault that is only a way to print lines wrongly."""
    return Change(fixed(), kind, is_way=is_way)


def known_faults(prose: Path, changes: Mapping[str, Change]) -> list[KnownFault]:
    """Return the known faults in the order of `changes`, whose keys are the ids of the faults.

    `prose` is the path of an ini file with a section for each id: a sentence, advice, and
    optionally a claim about each session with the fault. The claim is one of:

    - `never WORD`: no printed line begins with WORD;
    - `always WORD`: from the wrong answer on, each answer begins with WORD;
    - `repeats LINE`: the line after LINE is always the same;
    - `after LINE`: the program prints something wrong after LINE, not in its place;
    - `adds WORDS`: the program prints an extra line beginning with WORDS;
    - `accepts LINE`: the program accepts input it should refuse with LINE;
    - `announces WORDS`: the program does what a line beginning with WORDS announces.
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
            change.is_way,
        )
        for id, change in changes.items()
    ]


@dataclass(frozen=True)
class GameFaults:
    """What the diagnosis knows about programs for a game.

    model  a second implementation of the game, with a method or an attribute for each decision
    known  the known faults, the simplest first
    hint   returns a hint about a wrong line, or `''` if no hint is certain
    kinds  the most likely kind of an unnamed fault, by the first word of the expected line and the
           first word of the line printed in its place
    """

    model: type[GameModel]
    known: Sequence[KnownFault] = ()
    hint: Callable[[WrongLine], str] | None = None
    kinds: Mapping[tuple[str, str], Kind] = field(default_factory=dict)


def faults_of(game: Game) -> GameFaults | None:
    """Return what the diagnosis knows about programs for a game, or None if it knows nothing."""
    faults: GameFaults | None = game.row_of('faults', 'FAULTS')
    return faults


def fixed(*variants: Variant) -> FindVariants:
    """Return a function that returns the same variants for every session."""
    return lambda game: variants
