"""Lines of text in a page: two texts side by side, and lines of a program to look at."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Sequence, Tuple

from ...diagnosis.finding import Place
from ..messages import lines_in_words, reason

MOST_QUOTED = 60                        # characters of a line

Row = Tuple[int, str, bool]             # the number of a line, its text, whether to look at it


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


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file for one reason, in pieces that follow one another."""

    reason: str
    where: str
    pieces: list[list[Row]]


def excerpts_of(places: Sequence[Place]) -> list[Excerpt]:
    """Return what to look at in a program: for each reason and file one excerpt."""
    groups: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        groups.setdefault((place.why, place.file), []).append(place)
    return [Excerpt(reason(why), f'{file}, {lines_in_words(group)}', pieces_of(group))
            for (why, file), group in groups.items()]


def pieces_of(places: Sequence[Place]) -> list[list[Row]]:
    """Return the lines of some places in a file, each once, in pieces without a gap."""
    texts: dict[int, str] = {}
    for place in places:
        texts.update(enumerate(place.context.split('\n'), place.start))
    pieces: list[list[Row]] = []
    for line in sorted(texts):
        row = line, texts[line], any(place.first <= line <= place.last for place in places)
        if pieces and pieces[-1][-1][0] == line - 1:
            pieces[-1].append(row)
        else:
            pieces.append([row])
    return pieces
