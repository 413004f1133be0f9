"""Two texts side by side: which lines of what was expected and of what was printed differ."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import zip_longest

from ..printable import quoted_line

TextPair = tuple[str | None, str | None]  # of lines
# A line of a text, whether it differs from that of another text, and whether both have the same
# words.
ComparedLine = tuple[str, bool, bool]


def line_pairs(expected: str, printed: str) -> list[TextPair]:
    """Return the lines of two texts side by side; None stands where one text has no such line."""
    due, own = expected.splitlines(keepends=True), printed.splitlines(keepends=True)
    spans = SequenceMatcher(None, due, own, autojunk=False).get_opcodes()
    return [
        pair
        for _, start, end, own_start, own_end in spans
        for pair in zip_longest(due[start:end], own[own_start:own_end])
    ]


def compare_texts(expected: str, printed: str) -> tuple[list[ComparedLine], list[ComparedLine]]:
    """Return the lines of two texts, each compared with the other text.

    If one text is empty, no line is marked.
    """

    def compared(pairs: Iterable[TextPair]) -> list[ComparedLine]:
        return [
            (line, are_both and line != other, other is not None and line.split() == other.split())
            for line, other in pairs
            if line is not None
        ]

    pairs, are_both = line_pairs(expected, printed), bool(expected and printed)
    return compared(pairs), compared((own, due) for due, own in pairs)


def describe_difference(expected: str, printed: str) -> str:
    """Return a sentence about the first lines that differ in two texts, `''` if none does.

    >>> describe_difference('B .\\nTURN: B\\n', 'B .\\nTURN: W\\n')
    '"TURN: B" is expected, "TURN: W" was printed.'
    >>> describe_difference('WINNER: B\\n', '')
    '"WINNER: B" is expected, but was not printed.'
    """
    due, own = next(
        ((one, other) for one, other in line_pairs(expected, printed) if one != other), ('', '')
    )
    one, other = ((line or '').rstrip('\n') for line in (due, own))
    told = next(
        told
        for is_so, told in [
            (due is None, f'{quoted_line(other)} was printed, but is not expected.'),
            (own is None, f'{quoted_line(one)} is expected, but was not printed.'),
            (due == own, ''),
            (one == other, 'The newline at the end is missing.'),
            (one.split() == other.split(), f'The blanks of {quoted_line(one)} differ.'),
            (True, f'{quoted_line(one)} is expected, {quoted_line(other)} was printed.'),
        ]
        if is_so
    )
    return told[:1].upper() + told[1:]
