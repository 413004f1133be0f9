r"""Defines models of games: a model plays a session as a program with given faults would.

A model is a class whose `play` reads with `ask` and prints with `say`. Its decisions are methods
decorated with `@decision`, and attributes made with `setting`. A variant of the game replaces some
decisions, by name:

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
Decision = Callable[..., Any]  # a replaced method, as passed to the function that replaces it
Replacement = tuple[str, Any]  # the name of a decision, and its replacement


class EndOfInput(Exception):
    """A model asked for an input line, but there were no more lines."""


class setting(Generic[T]):
    """An attribute of a model whose value a variant can replace."""

    def __init__(self, default: T) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, game: None, owner: type) -> T: ...
    @overload
    def __get__(self, game: Decider, owner: type) -> T: ...
    def __get__(self, game: Decider | None, owner: type) -> T:
        return self.default if game is None else game.decided(self.name, self.default)


class decision(Generic[Given, T]):
    """A method of a model that a variant can replace."""

    def __init__(self, default: Callable[Concatenate[Any, Given], T]) -> None:
        self.default = default
        self.__doc__ = default.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, game: None, owner: type) -> Callable[Concatenate[Any, Given], T]: ...
    @overload
    def __get__(self, game: Decider, owner: type) -> Callable[Given, T]: ...
    def __get__(self, game: Decider | None, owner: type) -> Callable[..., T]:
        if game is None:
            return self.default
        method = partial(self.default, game)
        is_super = game.attribute(self.name) is not self  # a subclass is calling `super()`
        return method if is_super else game.decided(self.name, method)


class Decider:
    """An object whose decisions can be replaced.

    `changes` are the replacements of all variants. Each is wrapped around the earlier replacements
    of the same decision. They are applied when the decision is first used; the result is cached.
    `used` contains the names of all decisions used so far.
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
    @cache
    def attribute(cls, name: str) -> object:
        """Return the class attribute with this name, without calling its `__get__`."""
        return next(vars(base)[name] for base in cls.__mro__ if name in vars(base))

    def decided(self, name: str, default: Any) -> Any:
        """Return a decision with its changes applied.

        If a change to a method is a function, it is called with the game, the replaced method and
        the method's arguments. Any other change is the new value of a setting, or the new result of
        a method.
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
    """Return a function that always returns the same value."""
    return lambda *given: answer


@dataclass(frozen=True, eq=False)  # a variant is equal only to itself
class Variant:
    """The decisions that a program with a fault makes differently.

    If two changes replace the same decision, the later change receives the earlier one as the
    decision that it replaces. `state` contains extra attributes to set on the model before it
    plays.
    """

    changes: tuple[Replacement, ...]
    state: Mapping[str, Any] = field(default_factory=dict)
    detail: str = ''  # added to the fault's sentence
    kind: Kind | None = None  # None for the kind of the fault itself

    @property
    def names(self) -> set[str]:
        """The names of the changed decisions."""
        return {name for name, _ in self.changes}


def variant(
    *bases: Variant,
    state: Mapping[str, Any] | None = None,
    detail: str = '',
    kind: Kind | None = None,
    **changes: Any,
) -> Variant:
    """Return a variant with the changes of `bases`, and with `changes` wrapped around them.

    The changes of the first base are wrapped around those of the second, and so on.
    """
    of_bases = [change for base in reversed(bases) for change in base.changes]
    states: dict[str, Any] = {}
    for base in bases:
        states.update(base.state)
        detail = detail or base.detail
        kind = kind or base.kind
    states.update(state or {})
    return Variant((*of_bases, *changes.items()), states, detail, kind)


class Output:
    """Collects what a model prints.

    `texts` contains the text printed before each input line was read, and the text after the last
    line. A subclass can follow a program: it compares the model's output with the program's output,
    and lets the model see what the program prints next.
    """

    def __init__(self) -> None:
        self.texts = ['']
        # The first text of the model that does not match the followed program's output, if any.
        self.unmatched = ''

    def write(self, text: str) -> None:
        """Print text unchanged."""
        self.texts[-1] += text

    def end_turn(self) -> None:
        """Begin the next text, because a line was read."""
        self.texts.append('')

    def takes(self, line: str, game: GameModel) -> bool:
        """Return whether the model should print this line."""
        return True

    def has_prompt(self) -> bool:
        """Return whether the model should print its prompts."""
        return True

    def upcoming(self) -> str:
        """Return what the followed program prints next, or `''` if nothing follows."""
        return ''


class GameModel(Decider):
    """A model of a game, which plays one session.

    `lines` are the input lines, and `arguments` are the program's command-line arguments. The
    changes of the first variant are wrapped around those of the second, and so on. If the model
    follows a program, `output` knows what the program printed.
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
        self.has_looked = False  # whether any decision has looked at what the program prints next
        self.lines = iter(lines)
        self.prompts = '--prompts' in arguments
        self.output = output or Output()
        self.texts = self.output.texts

    @classmethod
    def is_left_free(cls, line: str) -> bool:
        """Return whether the assignment lets programs reword or omit a line."""
        return False

    def play(self) -> None:
        """Play the whole session. Raises `EndOfInput` if the input lines run out."""
        raise NotImplementedError

    def ask(self, prompt: str) -> str:
        """Print a prompt, and read a line. Raises `EndOfInput` if there are no more lines."""
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
        """Return the text to print for a prompt."""
        return prompt if self.prompts and self.output.has_prompt() else ''

    def say(self, line: str) -> None:
        """Print an expected line, unless the followed program omits or replaces it."""
        if self.output.takes(line, self):
            self.print_line(line)

    @decision
    def print_line(self, line: str) -> None:
        self.write(line + '\n')

    @decision
    def write(self, text: str) -> None:
        """Print text unchanged."""
        self.output.write(text)

    @property
    def unmatched(self) -> str:
        """The first text of the model that does not match the followed program's output, if any."""
        return self.output.unmatched

    def upcoming(self) -> str:
        """Return what the followed program prints next, or `''` for nothing."""
        self.has_looked = True
        return self.output.upcoming()
