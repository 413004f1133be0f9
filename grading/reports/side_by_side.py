"""Compares expected and printed text side by side, line by line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import zip_longest

from ..differences import DifferenceKind, difference_of
from ..printable import quoted_line

SPACES_DIFFER = 'The spaces in {expected} differ.'
NOTES: dict[DifferenceKind, str] = {  # by the kind of difference between two lines
    'extra line': '{printed} was printed, but is not expected.',
    'missing line': '{expected} is expected, but was not printed.',
    'missing newline': 'The newline at the end is missing.',
    'extra newline': 'No newline is expected at the end.',
    'trailing spaces': SPACES_DIFFER,
    'missing spaces': SPACES_DIFFER,
    'indentation': SPACES_DIFFER,
    'spaces': SPACES_DIFFER,
    'other': '{expected} is expected, but {printed} was printed.',
}

TextPair = tuple[str | None, str | None]  # an expected and a printed line; None means missing
# A line, whether it differs from the line beside it, and whether it differs only in whitespace.
ComparedLine = tuple[str, bool, bool]


def line_pairs(expected: str, printed: str) -> list[TextPair]:
    """Return the lines of two texts in pairs, with None where a text has no line to match."""
    left, right = expected.splitlines(keepends=True), printed.splitlines(keepends=True)
    spans = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [
        pair
        for _, start, end, right_start, right_end in spans
        for pair in zip_longest(left[start:end], right[right_start:right_end])
    ]


def compare_texts(expected: str, printed: str) -> tuple[list[ComparedLine], list[ComparedLine]]:
    """Return the lines of two texts, each compared with the line beside it in the other text.

    If one of the texts is empty, mark no line as different.
    """
    both_have_text = bool(expected and printed)

    def compared(pairs: Iterable[TextPair]) -> list[ComparedLine]:
        lines = []
        for line, other in pairs:
            if line is not None:
                differs = both_have_text and line != other
                only_whitespace = differs and difference_of(line, other or '').is_whitespace
                lines.append((line, differs, only_whitespace))
        return lines

    pairs = line_pairs(expected, printed)
    return compared(pairs), compared((right, left) for left, right in pairs)


def describe_difference(expected: str, printed: str) -> str:
    """Return a sentence about the first difference between two texts, or `''` if there is none.

    >>> describe_difference('B .\\nTURN: B\\n', 'B .\\nTURN: W\\n')
    '"TURN: B" is expected, but "TURN: W" was printed.'
    >>> describe_difference('WINNER: B\\n', '')
    '"WINNER: B" is expected, but was not printed.'
    """
    pairs = [pair for pair in line_pairs(expected, printed) if pair[0] != pair[1]]
    if not pairs:
        return ''
    difference = difference_of(*(line or '' for line in pairs[0]))
    sentence = NOTES.get(difference.kind, NOTES['other']).format(
        expected=quoted_line(difference.expected.rstrip('\n')),
        printed=quoted_line(difference.printed.rstrip('\n')),
    )
    return sentence[:1].upper() + sentence[1:]
