"""Checks of refused calls, and integers whose type is not `int`."""

import enum

import pytest


class Number:
    """An object that has `__index__`, like numpy's integers, but no arithmetic."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


INTEGERS = [tuple(map(Number, (1, 2, 3))), tuple(enum.IntEnum('Counts', 'ONE TWO THREE'))]


def refusal(kind, call, *arguments, **options):
    """Check that a call raises an error of the class `kind`, and return the error.

    Its message must be one short line of printable characters.
    """
    with pytest.raises(kind) as caught:
        call(*arguments, **options)
    text = str(caught.value)
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
