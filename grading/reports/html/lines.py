"""Two texts side by side: which of their lines differ, and how."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

MOST_QUOTED = 60                        # characters of a line

@dataclass(frozen=True)
class Line:
    """A line of text to be shown, beside its twin in another text."""

    text: str
    differs: bool
    blanks_differ: bool                 # and nothing else but newlines
    is_open: bool                       # whether no newline ends it


def lines_of(text: str, other: str) -> list[Line]:
    """Return the lines of a text; those differ that another text has not in their place.

    Beside an empty text nothing is worth a mark.
    """
    own, others = text.splitlines(keepends=True), other.splitlines(keepends=True)
    lines = []
    matcher = SequenceMatcher(None, own, others, autojunk=False)
    for _, start, end, other_start, other_end in matcher.get_opcodes():
        for line, twin in zip_longest(own[start:end], others[other_start:other_end]):
            if line is not None:
                differs = bool(other) and line != twin
                blanks_differ = differs and twin is not None and line.split() == twin.split()
                lines.append(Line(line.rstrip('\n'), differs, blanks_differ,
                                  not line.endswith('\n')))
    return lines


def apart(expected: str, printed: str) -> str:
    """Return in words the first lines in which two texts differ, `''` where they are the same.

    >>> apart('B .\\nTURN: B\\n', 'B .\\nTURN: W\\n')
    '"TURN: B" is due, "TURN: W" was printed.'
    >>> apart('WINNER: B\\n', '')
    '"WINNER: B" is due, and was not printed.'
    """
    due, own = expected.splitlines(), printed.splitlines()
    for kind, start, _, own_start, _ in SequenceMatcher(
            None, due, own, autojunk=False).get_opcodes():
        if kind == 'equal':
            continue
        if kind == 'insert':
            return f'{quoted(own[own_start])} was printed, and is not due.'
        if kind == 'delete':
            return f'{quoted(due[start])} is due, and was not printed.'
        if due[start].split() == own[own_start].split():
            return f'The blanks of {quoted(due[start])} differ.'
        return f'{quoted(due[start])} is due, {quoted(own[own_start])} was printed.'
    return '' if expected == printed else 'The newline at the end is missing.'


def quoted(line: str) -> str:
    """Return a line in quotes, shortened."""
    if not line.strip():
        return 'An empty line'
    return f'"{line[:MOST_QUOTED]}{"..." if len(line) > MOST_QUOTED else ""}"'
