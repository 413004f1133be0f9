"""What the engine asks of a game: its command line, a model of it, fresh games, open choices.

The grader also grades sessions that belong to no game.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..sessions.transcript import Transcript
from ..sessions.verdict import WrongLine

if TYPE_CHECKING:
    from .known_faults import FaultKind, KnownFault


class EndOfInput(Exception):
    """Raised when a session reads one more line than there is."""


class GameModel:
    """A session that is played in this process, with the arguments of the program's command line.

    `texts` is what is printed before each input line that is read, and after the last. Where the
    model follows a program that prints something else, `due` is what the model prints there.

    A game is a subclass whose `play` reads by `ask` and prints by `say`. Each decision of a game
    is a method of its own, so that a subclass can make it differently.
    """

    due = ''

    def __init__(self, lines: Iterable[str], arguments: Collection[str] = ()) -> None:
        self.lines = iter(lines)
        self.prompts = '--prompts' in arguments
        self.texts = ['']

    @classmethod
    def is_left_free(cls, line: str) -> bool:
        """Return whether the program may print other lines, or none, in place of a line."""
        return False

    def play(self) -> None:
        """Play from the first line to the last. Raises `EndOfInput`."""
        raise NotImplementedError

    def ask(self, prompt: str) -> str:
        """Read a line."""
        self.write(self.prompted(prompt))
        line = next(self.lines, None)
        if line is None:
            raise EndOfInput
        self.texts.append('')
        return line

    def prompted(self, prompt: str) -> str:
        """Return the text that asks for a line."""
        return prompt if self.prompts else ''

    def say(self, line: str) -> None:
        """Print a line of the protocol."""
        self.write(line + '\n')

    def write(self, text: str) -> None:
        """Print a text as it is."""
        self.texts[-1] += text

    def upcoming(self) -> str:
        """Return what the followed program prints next, `''` for nothing."""
        return ''


Item = TypeVar('Item')
Cell = Hashable  # names a place in a position, as its game counts places


class Position(Protocol):
    """A position of a game: the contents of its cells."""

    missing: str  # a sentence for pages, if a program printed none
    template: str  # of its picture, SVG; its path in this folder

    @property
    def cells(self) -> Mapping[Cell, object]:
        """The contents of each cell."""

    @property
    def caption(self) -> str:
        """The text that was printed beside the cells."""

    @property
    def is_small(self) -> bool:
        """Whether the position is small enough for a picture."""

    def name_of(self, cell: Cell) -> str:
        """Return the name of a cell, `''` if there is only one."""


Find = Callable[[str], Sequence[Position]]  # finds all positions in a text, in order


def indexes(items: Sequence[object]) -> Sequence[int]:
    """Return the indexes of some items."""
    return range(len(items))


def without(items: Sequence[Item], left_out: Collection[int]) -> list[Item]:
    """Return some items but for those with indexes that are left out."""
    return [item for index, item in enumerate(items) if index not in left_out]


# A kind of parts that can be left out of a scenario: what lists them, and what leaves some out.
PartKind = tuple[Callable[[Any], Sequence[Hashable]], Callable[[Any, Collection[Any]], Any]]
LINES: PartKind = indexes, without


def typed_size(session: Transcript, step: int) -> tuple[object, ...]:
    """Return a key that orders sessions by size: the step, input lines, then characters."""
    lines = session.inputs
    return step, len(lines), sum(map(len, lines)), lines


@dataclass(frozen=True)
class Maker:
    """Makes fresh games: sessions that nobody has seen.

    `make` gets a generator of random numbers, on which everything depends, and returns all input
    lines of a session. Our own console, whose output is due, gets the `arguments`.

    To make a failed session smaller, the grader leaves out its `parts`, one kind after the other.
    `read` returns the scenario that has the parts, and `lines` the input lines of what is left of
    it, None if that is no game. `size` says which of two sessions is smaller. `read` and `size` get
    a session and the step in which the program fails.
    """

    make: Callable[[Random], list[str]]
    arguments: Sequence[str] = ()
    read: Callable[[Transcript, int], Any] = lambda session, step: session.inputs
    parts: Sequence[PartKind] = (LINES,)
    lines: Callable[[Any], list[str] | None] = list
    size: Callable[[Transcript, int], tuple[object, ...]] = typed_size


@dataclass(frozen=True, eq=False)  # a game is only like itself
class Game:
    """A game: what the grader knows about it besides recorded sessions.

    `command` is the command line of our own console. `model` implements the game once more, with a
    method for each decision, so that `faults`, the known faults, can replace single ones; the
    simplest fault comes first. `hint` returns in words how two lines differ in meaning, `''` if
    unknown. `positions` finds the positions in a text. `left_open` returns a session for others'
    programs, with the choices that the assignment leaves to them. `kinds` says what most authors
    have to change whose program prints a wrong line, by the first word that is due and the first
    one that is printed.
    """

    name: str
    command: tuple[str, ...]
    model: type[GameModel]
    faults: Sequence[KnownFault] = ()
    hint: Callable[[WrongLine], str] | None = None
    positions: Find = lambda text: ()
    maker: Maker | None = None  # of fresh games, None if the game has none
    has_prompts: bool = False  # whether it is also played with prompts
    left_open: Callable[[Transcript], Transcript] | None = None
    begins: str = ''  # a pattern of first input lines that no other game has
    kinds: Mapping[tuple[str, str], FaultKind] = field(default_factory=dict)

    @property
    def program(self) -> str:
        """The name of the program that plays the game; a console may play several games."""
        return self.command[0].partition('_console')[0]
