"""Values that misbehave when they are used.

The logic modules must refuse `VALUES` with errors of their own. They must accept `INTEGERS`,
whose type is not `int`.
"""

import enum

import pytest


class Failure(RuntimeError):
    """An error that no module of ours raises."""


def fail(*_, **__):
    raise Failure


class Number:
    """An object that has `__index__`, like numpy's integers, but no arithmetic."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class NoIndex(Number):
    """A number whose `__index__` does not return an integer."""

    def __repr__(self):
        return 'NoIndex()'


INTEGERS = [tuple(map(Number, (1, 2, 3))), tuple(enum.IntEnum('Counts', 'ONE TWO THREE'))]


class Repr:
    """A value whose `repr` has several lines, and would move the cursor of a terminal."""

    def __repr__(self):
        return 'one\n\x1b[2Jtwo\u202e\u2028three'


class NoRepr:
    __repr__ = fail


class StrangeText(str):
    """A string whose own methods fail."""

    __slots__ = ()
    __getitem__ = __iter__ = __len__ = __eq__ = __str__ = __format__ = __contains__ = fail
    split = replace = strip = endswith = startswith = isdigit = isascii = join = fail
    __hash__ = None


class ReprOfStrangeText:
    def __repr__(self):
        return StrangeText('x' * 200)


class StrangeInt(int):
    """An integer whose own methods fail."""

    __repr__ = __str__ = __format__ = __eq__ = __lt__ = __le__ = __gt__ = __ge__ = fail
    __add__ = __sub__ = __rsub__ = __mod__ = __index__ = __int__ = __bool__ = bit_length = fail
    __hash__ = None


class NoLength(list):
    """A list whose length, items and truth value cannot be read."""

    __len__ = __iter__ = __getitem__ = __bool__ = __eq__ = __repr__ = fail
    __hash__ = None


class NothingWorks:
    """A value that cannot be compared or converted, and has no attributes."""

    __eq__ = __bool__ = __len__ = __iter__ = __getattr__ = __repr__ = __index__ = __int__ = fail
    __hash__ = None


class Array:
    """A value whose comparisons have no single truth value, like those of numpy's arrays."""

    def __eq__(self, other):
        return self

    __bool__ = fail
    __hash__ = None


class NoClass:
    __class__ = property(fail)
    __repr__ = fail


class StrangeName(type):
    __name__ = property(fail)
    __repr__ = fail


class OfStrangeName(metaclass=StrangeName):
    __repr__ = fail


VALUES = {
    type(value).__qualname__: value
    for value in (
        Repr(),
        NoRepr(),
        StrangeText('B'),
        ReprOfStrangeText(),
        StrangeInt(4),
        NoLength(),
        NothingWorks(),
        NoIndex(4.0),
        Array(),
    )
}
VALUES.update(
    {
        'NoClass': NoClass(),
        'OfStrangeName': OfStrangeName(),
        'True': True,
        'None': None,
        'float': 4.0,
        'nan': float('nan'),
        'complex': 4j,
        'type': int,
        'ellipsis': ...,
        'huge': 10**5000,
        'huge and negative': -(10**5000),
        'nested': [[10**5000]],
        'bytes': b'B',
        'surrogate': '\udc80',
        'long': 'x' * 100_000,
        'control': '\x1b[2J\n',
        'dict': {4: 4},
        'set': {'B'},
    }
)


def refusal(kind, call, *arguments, **options):
    """Check that a call raises an error of the class `kind`, and return the error.

    Its message and its `repr` must each be one short line of printable characters.
    """
    with pytest.raises(kind) as caught:
        call(*arguments, **options)
    for text in (str(caught.value), repr(caught.value)):
        assert type(text) is str
        assert text.isprintable(), ascii(text)
        assert len(text) < 300
    return caught.value


def snapshot(game):
    """Return all public facts about a game, which a refused call must not change."""
    public = {name: getattr(game, name) for name in dir(type(game)) if not name.startswith('_')}
    return (
        str(game),
        repr(game),
        game.copy(),
        [*game.legal_moves()],
        game.is_over(),
        {name: value for name, value in public.items() if not callable(value)},
    )
