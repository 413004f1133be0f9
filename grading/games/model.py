r"""A model of a game: a session that is played in this process, as a program with faults plays it.

A game is a class whose `play` reads with `ask` and prints with `say`. What it decides on the way
are its decisions: methods with `@decision`, and values made by `setting`. A variant of the game
changes some of them, by name:

>>> class Sums(GameModel):
...     first = setting(0)
...
...     def play(self) -> None:
...         self.say(str(self.add(self.first, int(self.ask('')))))
...
...     @decision
...     def add(self, total: int, number: int) -> int:
...         return total + number

>>> def add_twice(game, add, total, number):
...     return add(add(total, number), number)

>>> for variants in [], [variant(first=10)], [variant(add=add_twice), variant(first=10)]:
...     session = Sums(['5'], variants=variants)
...     session.play()
...     print(session.texts, sorted(session.used))
['', '5\n'] ['add', 'first', 'print_line', 'read', 'write']
['', '15\n'] ['add', 'first', 'print_line', 'read', 'write']
['', '20\n'] ['add', 'first', 'print_line', 'read', 'write']

>>> Sums([], variants=[variant(last=1)])
Traceback (most recent call last):
AttributeError: Sums has no decision named last
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

if TYPE_CHECKING:
    from .kinds import Kind

T = TypeVar('T')
Given = ParamSpec('Given')
Decision = Callable[..., Any]  # a decision, as a function that replaces it gets it
Replacement = tuple[str, Any]  # the name of a decision, and what takes its place


class EndOfInput(Exception):
    """Raised when a session reads one more line than there is."""


class setting(Generic[T]):
    """A value that a variant may change: an attribute of a game."""

    def __init__(self, default: T) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, game: None, owner: type) -> T: ...
    @overload
    def __get__(self, game: Deciding, owner: type) -> T: ...
    def __get__(self, game: Deciding | None, owner: type) -> T:
        return self.default if game is None else game.decided(self.name, self.default)


class decision(Generic[Given, T]):
    """A method that a variant may change."""

    def __init__(self, default: Callable[Concatenate[Any, Given], T]) -> None:
        self.default = default
        self.__doc__ = default.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, game: None, owner: type) -> Callable[Concatenate[Any, Given], T]: ...
    @overload
    def __get__(self, game: Deciding, owner: type) -> Callable[Given, T]: ...
    def __get__(self, game: Deciding | None, owner: type) -> Callable[..., T]:
        if game is None:
            return self.default
        method = partial(self.default, game)
        is_super = game.attribute(self.name) is not self  # a subclass calls it by `super()`
        return method if is_super else game.decided(self.name, method)


class Deciding:
    """Something with decisions. Each is made when it is first used, and then kept.

    `used` are the names of the decisions that were used. `changes` are those of all variants, the
    innermost first.
    """

    def __init__(self, changes: Sequence[Replacement] = ()) -> None:
        self.changes = changes
        self.used: set[str] = set()

    @classmethod
    @cache
    def decisions(cls) -> frozenset[str]:
        """Return the names of all decisions."""
        return frozenset(
            name
            for base in cls.__mro__
            for name, value in vars(base).items()
            if isinstance(value, (setting, decision))
        )

    @classmethod
    def attribute(cls, name: str) -> object:
        """Return what a name stands for in the class."""
        return next(vars(base)[name] for base in cls.__mro__ if name in vars(base))

    def decided(self, name: str, default: Any) -> Any:
        """Return a decision with its changes.

        A function as a change replaces a method. It gets the game, the method as it was before, and
        the arguments. Any other change is the value itself, or the answer of the method.
        """
        decided = default
        for changed, change in self.changes:
            if changed == name and callable(default):
                decided = partial(change, self, decided) if callable(change) else always(change)
            elif changed == name:
                decided = change
        self.used.add(name)
        vars(self)[name] = decided
        return decided


def always(answer: T) -> Callable[..., T]:
    """Return a function that always returns the same."""
    return lambda *given: answer


@dataclass(frozen=True, eq=False)  # a variant is equal only to itself
class Variant:
    """Decisions that a program with a fault makes differently, in the order of the changes.

    `state` are attributes with which a session begins.
    """

    changes: tuple[Replacement, ...]
    state: Mapping[str, Any] = field(default_factory=dict)
    detail: str = ''  # what follows the sentence of the fault
    kind: Kind | None = None  # if it is another one than the fault's

    @property
    def names(self) -> set[str]:
        """The names of the decisions that it changes."""
        return {name for name, _ in self.changes}


def variant(
    *bases: Variant,
    state: Mapping[str, Any] | None = None,
    detail: str = '',
    kind: Kind | None = None,
    **changes: Any,
) -> Variant:
    """Return a variant with the changes of others, the last one innermost, and with more."""
    return Variant(
        (*(change for base in reversed(bases) for change in base.changes), *changes.items()),
        {**{name: value for base in bases for name, value in base.state.items()}, **(state or {})},
        detail or next((base.detail for base in bases if base.detail), ''),
        kind or next((base.kind for base in bases if base.kind), None),
    )


class Output:
    """Where a session prints: here it is only kept.

    `texts` is what was printed before each input line that was read, and after the last.
    """

    def __init__(self) -> None:
        self.texts = ['']
        # What the model prints next, where the program that it follows prints something else.
        self.unmatched = ''

    def write(self, text: str) -> None:
        """Print a text as it is."""
        self.texts[-1] += text

    def end_turn(self) -> None:
        """Go on where a line has been read."""
        self.texts.append('')

    def takes(self, line: str, game: GameModel) -> bool:
        """Return whether a line is to be printed."""
        return True

    def has_prompt(self) -> bool:
        """Return whether the prompts of the game are to be printed."""
        return True

    def upcoming(self) -> str:
        """Return what the program that is followed prints next, `''` for nothing."""
        return ''


class GameModel(Deciding):
    """A session that is played in this process, with the arguments of the program's command line.

    The variants change decisions; what the first one decides counts most. Where the session follows
    a program, `output` knows what the program printed.
    """

    def __init__(
        self,
        lines: Iterable[str],
        arguments: Collection[str] = (),
        variants: Sequence[Variant] = (),
        output: Output | None = None,
    ) -> None:
        super().__init__([change for variant in reversed(variants) for change in variant.changes])
        unknown = {name for name, _ in self.changes} - self.decisions()
        if unknown:
            raise AttributeError(f'{type(self).__name__} has no decision named {min(unknown)}')
        for variant in reversed(variants):
            vars(self).update(variant.state)
        self.lines = iter(lines)
        self.prompts = '--prompts' in arguments
        self.output = output or Output()
        self.texts = self.output.texts

    @classmethod
    def is_left_free(cls, line: str) -> bool:
        """Return whether the program may print other lines, or none, in place of a line."""
        return False

    def play(self) -> None:
        """Play from the first line to the last. Raises `EndOfInput`."""
        raise NotImplementedError

    def ask(self, prompt: str) -> str:
        """Print a prompt, and read a line. Raises `EndOfInput`."""
        return self.read(prompt)

    @decision
    def read(self, prompt: str) -> str:
        self.write(self.prompted(prompt))
        line = next(self.lines, None)
        if line is None:
            raise EndOfInput
        self.output.end_turn()
        return line

    def prompted(self, prompt: str) -> str:
        """Return the text that asks for a line."""
        return prompt if self.prompts and self.output.has_prompt() else ''

    def say(self, line: str) -> None:
        """Print a line of the protocol, unless the program has another one there."""
        if self.output.takes(line, self):
            self.print_line(line)

    @decision
    def print_line(self, line: str) -> None:
        self.write(line + '\n')

    @decision
    def write(self, text: str) -> None:
        """Print a text as it is."""
        self.output.write(text)

    @property
    def unmatched(self) -> str:
        """What the model prints next, where the program that it follows prints something else."""
        return self.output.unmatched

    def upcoming(self) -> str:
        """Return what the program that is followed prints next, `''` for nothing."""
        return self.output.upcoming()
