"""Compares numbers within a tolerance, for the directive `# tolerance`."""

from __future__ import annotations

import re

DECIMAL = re.compile(r'(?<![\w.])([+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?!\w)')


def is_near(expected: float, printed: float, tolerance: float) -> bool:
    """Return whether a printed number is close to the expected one.

    The difference may be up to `tolerance` or, if that is more, `tolerance` times the expected
    number.
    """
    return abs(expected - printed) <= tolerance * max(1, abs(expected)) < float('inf')


def with_expected_numbers(printed: str, expected: str, tolerance: float) -> str:
    """Return printed text, with the expected number in place of each number close to it.

    If there are more numbers than expected, or fewer, return the printed text unchanged.

    >>> with_expected_numbers('mean 2.501 of 3', 'mean 2.5 of 4', 0.01)
    'mean 2.5 of 3'
    """
    parts, wanted_parts = DECIMAL.split(printed), DECIMAL.split(expected)  # text and numbers
    if len(parts) != len(wanted_parts):
        return printed
    numbers = zip(parts[1::2], wanted_parts[1::2], strict=True)  # they are at odd positions
    parts[1::2] = [
        wanted if is_near(float(wanted), float(number), tolerance) else number
        for number, wanted in numbers
    ]
    return ''.join(parts)
