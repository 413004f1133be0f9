"""The lines of a program to look at, with those around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence, Tuple

from ..files import SavedResults
from ..told import lines_in_words, reason

Row = Tuple[int, str, bool]             # the number of a line, its text, whether to look at it


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file for one reason, in pieces that follow one another."""

    reason: str
    where: str
    pieces: list[list[Row]]


def excerpts_of(number: int, where: Sequence[SavedResults]) -> list[Excerpt]:
    """Return what to look at for the cause of a number: for each reason and file one excerpt."""
    groups: dict[tuple[str, str], list[SavedResults]] = {}
    for place in where:
        if place['entry'] == number:
            groups.setdefault((place['why'], place['file']), []).append(place)
    return [Excerpt(reason(why), f'{file}, {lines_in_words(places)}', pieces_of(places))
            for (why, file), places in groups.items()]


def pieces_of(places: Sequence[SavedResults]) -> list[list[Row]]:
    """Return the lines of some places in a file, each once, in pieces without a gap."""
    texts: dict[int, str] = {}
    for place in places:
        texts.update(enumerate(place['context'].split('\n'), place['start']))
    pieces: list[list[Row]] = []
    for line in sorted(texts):
        row = line, texts[line], any(place['first'] <= line <= place['last'] for place in places)
        if pieces and pieces[-1][-1][0] == line - 1:
            pieces[-1].append(row)
        else:
            pieces.append([row])
    return pieces
