"""Classifies differences between expected and printed lines.

Fault names, sentences, hints, headlines and labels are all derived from a `Difference`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

NUMBER = re.compile(r'\d+')
# A sequence for the terminal, as printed, or with its first character escaped.
ESCAPE_SEQUENCE = re.compile(r'(?:\x1b|\\x1b)(?:\[[0-?]*[ -/]*)?([@-~])')
# Letters and signs of other alphabets, and the ASCII characters that they look like: Cyrillic,
# Greek, quotation marks, dashes and the minus sign, the multiplication sign.
LOOKS_LIKE = str.maketrans(
    '\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455'
    '\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405'
    '\u03bf\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7'
    '\u2018\u2019\u2032\xb4\u201c\u201d\u2033\u2010\u2011\u2012\u2013\u2014\u2212\xd7',
    'aeopcyxijsABEKMHOPCTYXIJSoABEZHIKMNOPTYX' + 4 * "'" + 3 * '"' + 6 * '-' + 'x',
)

DifferenceKind = Literal[
    'missing line',  # nothing was printed
    'extra line',  # nothing was expected
    'missing newline',
    'extra newline',  # no newline is expected, as after a prompt
    'look-alike',  # other characters that look like the expected ones
    'escape sequence',  # the only difference is a sequence for the terminal, such as a color
    'carriage return',  # the only difference is in \r, as in \r\n
    'trailing spaces',  # too many at the end of the line
    'missing spaces',  # too few at the end of the line
    'indentation',  # the whitespace before the line
    'spaces',  # whitespace within the line
    'cut',  # the line ends too early
    'case',
    'prefix',  # the line is correct, but other text precedes it
    'other',
]
WHITESPACE: tuple[DifferenceKind, ...] = (
    'missing newline',
    'extra newline',
    'carriage return',
    'trailing spaces',
    'missing spaces',
    'indentation',
    'spaces',
)


@dataclass(frozen=True)
class Difference:
    """How a printed line differs from the expected line, or which lines are missing or extra.

    Lines include their newlines. `expected` is `''` for an extra line, and `printed` is `''` for a
    missing line.
    """

    kind: DifferenceKind
    expected: str
    printed: str

    @property
    def is_whitespace(self) -> bool:
        """Whether only whitespace differs."""
        return self.kind in WHITESPACE

    @property
    def prefix(self) -> str:
        """The text before the expected line if the kind is `prefix`, otherwise `''`.

        >>> difference_of('VALID\\n', 'Your move: VALID\\n').prefix
        'Your move: '
        """
        if self.kind != 'prefix':
            return ''
        return self.printed.removesuffix('\n').removesuffix(self.expected.removesuffix('\n'))


def difference_of(expected: str, printed: str) -> Difference:
    """Return how a printed line differs from the expected line; they must not be equal.

    >>> difference_of('B: 3\\n', 'B: 3').kind, difference_of('B: 3\\n', 'B:3\\n').kind
    ('missing newline', 'spaces')
    >>> difference_of('Move? ', 'Move?').kind, difference_of('', 'Hello!\\n').kind
    ('missing spaces', 'extra line')
    """
    return Difference(_kind_of(expected, printed), expected, printed)


def _kind_of(expected: str, printed: str) -> DifferenceKind:
    if not printed:
        return 'missing line'
    if not expected:
        return 'extra line'
    if expected == printed + '\n':
        return 'missing newline'
    if printed == expected + '\n':
        return 'extra newline'
    if looks_like(printed) == looks_like(expected):
        return 'look-alike'
    if ESCAPE_SEQUENCE.sub('', printed) == expected:
        return 'escape sequence'
    if printed.replace('\r', '') == expected:
        return 'carriage return'
    expected_line, printed_line = expected.removesuffix('\n'), printed.removesuffix('\n')
    if printed_line.rstrip() == expected_line.rstrip() and len(printed_line) != len(expected_line):
        if len(printed_line) < len(expected_line):
            return 'missing spaces'
        added = printed_line[len(expected_line.rstrip()) :]
        return 'trailing spaces' if added.isascii() else 'look-alike'
    if printed_line.lstrip() == expected_line.lstrip():
        return 'indentation'
    if differ_in_spaces(expected_line, printed_line):
        return 'spaces'
    if expected.startswith(printed):
        return 'cut'
    if printed_line.lower() == expected_line.lower():
        return 'case'
    if expected_line and printed_line.endswith(expected_line):
        before = printed_line.removesuffix(expected_line)
        begins_within_word = before[-1:].isalnum() and expected_line[0].isalnum()
        return 'other' if begins_within_word else 'prefix'
    return 'other'


def looks_like(text: str) -> str:
    r"""Return text as it looks: ASCII characters in place of those that look like them.

    >>> looks_like('H\u0435l\u200blo\xa0\uff33'), looks_like('e\u0301') == looks_like('\xe9')
    ('Hello S', True)
    """
    if text.isascii():
        return text
    from unicodedata import category, normalize  # seldom needed

    # The signs come first: a no-break hyphen is normalized to another hyphen.
    seen = normalize('NFKC', text.translate(LOOKS_LIKE))
    return ''.join(character for character in seen if category(character) != 'Cf')


def differ_in_spaces(left: str, right: str) -> bool:
    """Return whether two lines differ at most in whitespace, and have the same numbers.

    >>> differ_in_spaces('B:3 W:4', 'B: 3  W: 4'), differ_in_spaces('1 2', '12')
    (True, False)
    """
    has_same_text = ''.join(left.split()) == ''.join(right.split())
    return has_same_text and NUMBER.findall(left) == NUMBER.findall(right)
