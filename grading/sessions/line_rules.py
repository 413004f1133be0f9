"""How one printed line is compared with the one that is expected: the rules for a line.

Lines are compared byte for byte, unless the session or a directive before the line says otherwise.
A regular expression such as `(a+)+b` may take longer than the universe will last to find that a
text does not match. A timer's signal ends that: CPython looks for signals while it matches. PyPy
does not, and Windows has no such timer; the manual says so.
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
from .tolerance import with_expected_numbers

FIRST_FLAGS = re.compile(r'(\(\?[a-zA-Z]+\))+')  # which hold for a whole expression
MOST_EXPRESSIONS = 1 << 14  # that are kept compiled


class LineRule(NamedTuple):
    """A rule by which a printed line is compared with the expected one."""

    # Whether a text without a newline is right for a line, by the rules of the session.
    allows: Callable[[ExpectedLine, str, Rules], bool]
    in_words: str  # in a report
    obeys: Collection[str] = ()  # the directives about all lines that hold for this one
    allows_anything: bool = False  # so that no other line can be mistaken for this one
    is_pattern: bool = False  # whether the line in the session is no sample of what is printed
    # Raises `ValueError` for the text of a line that cannot be compared.
    check: Callable[[str, Rules], object] = lambda text, rules: None


class TooSlow(Exception):
    """A search took too long."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlow` if the block takes more than some seconds of processor time.

    Windows has no such timer, and there only the user's own programs run. Only the main thread gets
    signals, and no other thread of the grader plays sessions.
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


def folded(text: str, rules: Rules) -> str:
    """Return a text without the differences that a session ignores."""
    text = ' '.join(text.split()) if rules.ignores_whitespace else text
    return text.lower() if rules.ignores_case else text


def is_same(expected: str, printed: str, rules: Rules) -> bool:
    """Return whether a text is the expected one, which is folded, and numbers are near enough."""
    own = folded(printed, rules)
    if own != expected and rules.tolerance is not None:
        own = with_expected_numbers(own, expected, rules.tolerance)
    return own == expected


@lru_cache(MOST_EXPRESSIONS)
def expression_in(text: str, rules: Rules) -> re.Pattern[str]:
    """Return the compiled regular expression of a printed line. Raises `ValueError`.

    >>> bool(expression_in('(?i)yes|no', Rules(ignores_whitespace=True)).fullmatch(' NO '))
    True
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', FutureWarning)
            warnings.simplefilter('error', DeprecationWarning)  # of flags in other places
            expression = re.compile(text, re.IGNORECASE if rules.ignores_case else 0)
            if rules.ignores_whitespace:
                end = '\n' if expression.flags & re.VERBOSE else ''  # of a comment
                expression = re.compile(
                    rf'\s*(?:{FIRST_FLAGS.sub("", text)}{end})\s*', expression.flags
                )
    except (re.error, RecursionError, OverflowError, DeprecationWarning) as error:
        raise ValueError(f'not a regular expression: {error}') from None
    return expression


def is_same_text(line: ExpectedLine, printed: str, rules: Rules) -> bool:
    """Return whether a text is that of a line, but for what the session ignores."""
    return is_same(folded(line.text, rules), printed, rules)


def is_anything(line: ExpectedLine, printed: str, rules: Rules) -> bool:
    """Return whether anything is printed: an empty line counts, an empty prompt does not."""
    return line.ends or bool(printed)


def matches_expression(line: ExpectedLine, printed: str, rules: Rules) -> bool:
    """Return whether a text matches a line that is a regular expression."""
    return bool(expression_in(line.text, rules).fullmatch(printed))
