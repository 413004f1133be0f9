"""Known faults of programs for a game; only the diagnosis needs them.

A known fault has an id, a sentence and advice for students, and variants of the game. A variant
lists the decisions that a program with the fault makes differently.
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

Variants = Callable[[Any], Iterable[Variant]]  # takes a session of the game


@dataclass(frozen=True)
class KnownFault:
    """A known fault. `variants` returns the variants of the game that may explain a session."""

    id: str
    sentence: str  # what the program does
    advice: str  # what the program's author should do
    variants: Variants
    kind: Kind = OTHER  # what the program's author must change
    is_learned: bool = False  # whether it is fitted to the program's output: it needs more proof
    is_crash: bool = False  # whether the fault explains crashes
    claim: str = ''  # what the sentence claims about each session, such as 'never FULL'

    @property
    def is_printing(self) -> bool:
        """Whether only the output is wrong, while the program may play correctly."""
        return self.kind.family is TEXT


@dataclass(frozen=True)
class Change:
    """A known fault without its prose: what the program decides differently, and the kind."""

    variants: Variants
    kind: Kind = OTHER
    is_learned: bool = False
    is_crash: bool = False


def known_faults(prose: Path, changes: Mapping[str, Change]) -> list[KnownFault]:
    """Return the known faults with these changes, in this order.

    `prose` is the path of an ini file with a section for each id: a sentence, advice, and perhaps a
    claim about each session that shows the fault. `never WORD` claims that the program never prints
    the word, `always WORD` that each answer begins with the word, `repeats LINE` that the line
    after LINE is always the same, `adds WORDS` that it prints a line too many that begins with the
    words, and `accepts WORD` that the program accepts input that it must refuse with the word.
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

    model  a second implementation of the game, with a method for each decision
    known  the known faults, which replace single decisions; the simplest fault comes first
    hint   returns in words how two lines differ in meaning, or `''` if unknown
    kinds  the most likely kind of fault for a wrong line, by the first words of the expected line
           and of the printed line
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
    return lambda session: variants
