r"""Defines models of games: a model plays a session as a program with certain faults would.

The model of a game is a subclass of `GameModel`. Its method `play` reads with `ask` and prints with
`say`. The decisions of a model are its methods decorated with `@decision` and its attributes made
with `setting`. A variant replaces some of them, by name. `used` lists the decisions needed by a
session so far; those of `GameModel` itself are about reading and printing.

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
...     print(session.texts)
['', '5\n']
['', '15\n']
['', '20\n']

>>> sorted(session.used)
['add', 'first', 'print_line', 'read', 'write']

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
    from .fault_kinds import Kind

T = TypeVar('T')
Arguments = ParamSpec('Arguments')
Method = Callable[..., Any]  # a replaced method, as passed to its replacement
Replacement = tuple[str, Any]  # the name of a decision, and what replaces it


class EndOfInput(Exception):
    """A model asked for an input line, but there were no more lines."""


class setting(Generic[T]):
    """An attribute of a model; a variant can replace its value."""

    def __init__(self, default: T) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, game: None, owner: type) -> T: ...
    @overload
    def __get__(self, game: Decider, owner: type) -> T: ...
    def __get__(self, game: Decider | None, owner: type) -> T:
        return self.default if game is None else game.with_replacements(self.name, self.default)


class decision(Generic[Arguments, T]):
    """A method of a model; a variant can replace it."""

    def __init__(self, default: Callable[Concatenate[Any, Arguments], T]) -> None:
        self.default = default
        self.__doc__ = default.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, game: None, owner: type) -> Callable[Concatenate[Any, Arguments], T]: ...
    @overload
    def __get__(self, game: Decider, owner: type) -> Callable[Arguments, T]: ...
    def __get__(self, game: Decider | None, owner: type) -> Callable[..., T]:
        if game is None:
            return self.default
        method = partial(self.default, game)
        is_super = game.class_attribute(self.name) is not self  # a subclass is calling `super()`
        return method if is_super else game.with_replacements(self.name, method)


class Decider:
    """An object whose decisions can be replaced.

    The `replacements` are applied in their order. If several replace the same method, each receives
    the previous replacement as the method to replace. If several replace the same setting, the last
    one counts. `used` contains the names of all decisions used so far.
    """

    def __init__(self, replacements: Sequence[Replacement] = ()) -> None:
        self.replacements = replacements
        self.used: set[str] = set()

    @classmethod
    @cache
    def decisions(cls) -> frozenset[str]:
        return frozenset(
            name
            for base in cls.__mro__
            for name, value in vars(base).items()
            if isinstance(value, (setting, decision))
        )

    @classmethod
    @cache
    def class_attribute(cls, name: str) -> object:
        """Return the class attribute with this name, without calling its `__get__`."""
        return next(vars(base)[name] for base in cls.__mro__ if name in vars(base))

    def with_replacements(self, name: str, default: Any) -> Any:
        """Return a decision with its replacements applied, and remember the result.

        A function that replaces a method is called with the game, the replaced method, and the
        method's arguments. Any other replacement of a method becomes its result.
        """
        is_method = callable(default)
        decided = default
        for replaced, replacement in self.replacements:
            if replaced != name:
                continue
            if not is_method:
                decided = replacement
            elif callable(replacement):
                decided = partial(replacement, self, decided)
            else:
                decided = always(replacement)
        self.used.add(name)
        vars(self)[name] = decided  # from now on, Python finds this attribute first
        return decided


def always(answer: T) -> Callable[..., T]:
    """Return a function that always returns the same value."""
    return lambda *args: answer


@dataclass(frozen=True, eq=False)  # a variant is equal only to itself
class Variant:
    """The decisions a program with a fault makes differently.

    For the order of the `replacements`, see `Decider`. `state` contains extra attributes to set on
    the model before it plays.
    """

    replacements: tuple[Replacement, ...]
    state: Mapping[str, Any] = field(default_factory=dict)
    detail: str = ''  # added to the fault's sentence
    kind: Kind | None = None  # None for the kind of the fault itself

    @property
    def names(self) -> set[str]:
        """The names of the replaced decisions."""
        return {name for name, _ in self.replacements}


def variant(
    *bases: Variant,
    state: Mapping[str, Any] | None = None,
    detail: str = '',
    kind: Kind | None = None,
    **replacements: Any,
) -> Variant:
    """Return a variant with the replacements of `bases`, and further `replacements` around them.

    Those of the first base are wrapped around those of the second, and so on. The detail and the
    kind, unless given, are those of the first base that has one. If several states set the same
    attribute, `state` counts, or else the last base's state.
    """
    of_bases = [pair for base in reversed(bases) for pair in base.replacements]
    states: dict[str, Any] = {}
    for base in bases:
        states.update(base.state)
        detail = detail or base.detail
        kind = kind or base.kind
    states.update(state or {})
    return Variant((*of_bases, *replacements.items()), states, detail, kind)


class Output:
    """Collects what a model prints.

    `texts` contains the text printed before each input line, and the text printed after the last
    one. A subclass can follow a program: it compares the model's output with the program's output,
    and lets the model see what the program prints next.
    """

    def __init__(self) -> None:
        self.texts = ['']
        # The first text of the model that does not match the followed program's output, if any.
        self.unmatched = ''

    def write(self, text: str) -> None:
        """Print text, without adding a newline."""
        self.texts[-1] += text

    def end_turn(self) -> None:
        """Begin the next text, because a line was read."""
        self.texts.append('')

    def should_print(self, line: str, game: GameModel) -> bool:
        """Return whether the model should print this line.

        If the followed program may word this line freely, `game` prints the program's own lines.
        """
        return True

    def should_prompt(self) -> bool:
        """Return whether the model should print its prompts."""
        return True

    def upcoming(self) -> str:
        """Return what the followed program prints next, or `''` if nothing follows."""
        return ''


class GameModel(Decider):
    """A model of a game, which plays one session.

    `lines` are the input lines, and `arguments` are the program's command-line arguments. As in
    `variant`, the replacements of the first variant are wrapped around those of the second, and so
    on. If the model follows a program, `output` knows what the program printed. Raises
    `AttributeError` if a variant replaces a decision that the game does not have.
    """

    def __init__(
        self,
        lines: Iterable[str],
        arguments: Collection[str] = (),
        variants: Sequence[Variant] = (),
        output: Output | None = None,
    ) -> None:
        ordered = variants[::-1]
        super().__init__([pair for variant in ordered for pair in variant.replacements])
        unknown = {name for name, _ in self.replacements} - self.decisions()
        if unknown:
            raise AttributeError(f'{type(self).__name__} has no decision named {min(unknown)}')
        for variant in ordered:
            vars(self).update(variant.state)
        self.lines = iter(lines)
        self.has_prompts = '--prompts' in arguments  # whether the session has prompts
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
        """Print a prompt if needed, and read a line. Raises `EndOfInput` if no line is left."""
        return self.read(prompt)

    @decision
    def read(self, prompt: str) -> str:
        self.write(self.prompt_text(prompt))
        line = next(self.lines, None)
        if line is None:
            raise EndOfInput
        self.output.end_turn()
        return line

    def prompt_text(self, prompt: str) -> str:
        """Return the prompt, or `''` if the model should not print prompts."""
        return prompt if self.has_prompts and self.output.should_prompt() else ''

    def say(self, line: str) -> None:
        """Print a line, unless the followed program omits it or words it in its own way."""
        if self.output.should_print(line, self):
            self.print_line(line)

    @decision
    def print_line(self, line: str) -> None:
        self.write(line + '\n')

    @decision
    def write(self, text: str) -> None:
        """Print text, without adding a newline."""
        self.output.write(text)

    @property
    def unmatched(self) -> str:
        """See `Output`."""
        return self.output.unmatched

    def upcoming(self) -> str:
        """Return what the followed program prints next, or `''` if nothing follows."""
        return self.output.upcoming()
