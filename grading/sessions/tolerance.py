"""Numbers that are near enough: the directive `# tolerance`."""

from __future__ import annotations

import re

DECIMAL = re.compile(r'(?<![\w.])([+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?!\w)')


def is_near(expected: float, printed: float, tolerance: float) -> bool:
    """Return whether a number is near enough, absolutely or relatively."""
    return abs(expected - printed) <= tolerance * max(1, abs(expected)) < float('inf')


def with_expected_numbers(printed: str, expected: str, tolerance: float) -> str:
    """Return a printed text in which each number that is near enough is as expected.

    >>> with_expected_numbers('mean 2.501 of 3', 'mean 2.5 of 4', 0.01)
    'mean 2.5 of 3'
    """
    parts, others = DECIMAL.split(printed), DECIMAL.split(expected)
    if len(parts) != len(others):
        return printed
    parts[1::2] = [
        due if is_near(float(due), float(own), tolerance) else own
        for own, due in zip(parts[1::2], others[1::2], strict=True)
    ]
    return ''.join(parts)
