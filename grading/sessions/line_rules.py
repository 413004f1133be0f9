"""The rules for comparing a printed line with the expected one.

Lines are compared byte for byte, unless the session or a directive before the line says otherwise.
A regular expression such as `(a+)+b` can take practically forever to reject a line. A timer
signal stops such a match: CPython handles signals while matching. PyPy does not, and Windows has no
such timer; the manual warns about both.
"""

from __future__ import annotations

import re
import signal
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import current_thread, main_thread
from typing import NamedTuple

from .session import ExpectedLine, Rules

DECIMAL = re.compile(r'(?<![\w.])([+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?!\w)')
FIRST_FLAGS = re.compile(r'\A(\(\?[a-zA-Z]+\))+')  # flags at the start of an expression: `(?i)`
MAX_EXPRESSIONS = 1 << 14  # how many compiled expressions to cache


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


class LineRule(NamedTuple):
    """A rule for comparing a printed line with the expected one."""

    # Returns whether a printed line, without its newline, is correct for the expected line.
    allows: Callable[[ExpectedLine, str, Rules], bool]
    description: str  # what is expected, as reports put it: 'any line'
    obeys: Collection[str] = ()  # session-wide directives that also apply, such as 'ignore'
    allows_anything: bool = False  # whether any printed line is correct
    is_pattern: bool = False  # whether the expected line is a pattern, not sample output
    # Raises `ValueError` for an invalid expected line, such as a broken regular expression.
    check: Callable[[str, Rules], object] = lambda text, rules: None


class TooSlow(Exception):
    """A comparison took too long."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` if the block takes more than this many seconds of processor time.

    There is no limit on Windows, which lacks the timer, or outside the main thread, because only
    the main thread gets signals.
    """
    if not hasattr(signal, 'setitimer') or current_thread() is not main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def normalized(text: str, rules: Rules) -> str:
    """Return text without extra whitespace and in lower case, if the session ignores these.

    >>> normalized('  The  END ', Rules(ignores_case=True, ignores_whitespace=True))
    'the end'
    """
    text = ' '.join(text.split()) if rules.ignores_whitespace else text
    return text.lower() if rules.ignores_case else text


def is_same(expected: str, printed: str, rules: Rules) -> bool:
    """Return whether printed text equals the expected text, which must already be normalized.

    >>> is_same('mean 2.50', 'mean 2.5', Rules(tolerance=0.01)), is_same('2.50', '2.5', Rules())
    (True, False)
    """
    printed = normalized(printed, rules)
    if printed != expected and rules.tolerance is not None:
        printed = with_expected_numbers(printed, expected, rules.tolerance)
    return printed == expected


@lru_cache(MAX_EXPRESSIONS)
def expression_in(text: str, rules: Rules) -> re.Pattern[str]:
    """Return a compiled regular expression for whole lines. Raises `ValueError`.

    >>> bool(expression_in('(?i)yes|no', Rules(ignores_whitespace=True)).fullmatch(' NO '))
    True
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', FutureWarning)
            warnings.simplefilter('error', DeprecationWarning)  # for flags not at the start
            expression = re.compile(text, re.IGNORECASE if rules.ignores_case else 0)
            if rules.ignores_whitespace:
                # A verbose expression may end with a comment; the newline ends the comment.
                end = '\n' if expression.flags & re.VERBOSE else ''
                expression = re.compile(
                    rf'\s*(?:{FIRST_FLAGS.sub("", text)}{end})\s*', expression.flags
                )
    except (re.error, RecursionError, OverflowError, DeprecationWarning) as error:
        raise ValueError(f'invalid regular expression: {error}') from None
    return expression


def is_same_text(line: ExpectedLine, printed: str, rules: Rules) -> bool:
    """Return whether printed text is the text of a line, except for what the session ignores."""
    return is_same(normalized(line.text, rules), printed, rules)


def is_anything(line: ExpectedLine, printed: str, rules: Rules) -> bool:
    """Return whether anything was printed: an empty line counts, an empty prompt does not."""
    return line.has_newline or bool(printed)


def matches_expression(line: ExpectedLine, printed: str, rules: Rules) -> bool:
    """Return whether printed text matches the regular expression in a line."""
    return bool(expression_in(line.text, rules).fullmatch(printed))
