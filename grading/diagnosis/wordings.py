r"""Decides, from the turns of the failed sessions, whether a program really rewords a line.

A wording is certain if two turns show it, or one turn without any other difference. But a turn with
the line printed as expected contradicts the wording:

    expected    printed         expected    printed
    VALID       OK              VALID       VALID       so "OK" is not how it words "VALID"
    TURN: W     TURN: W         TURN: B     TURN: B
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from ..sessions.rows import Row, rows_of
from ..sessions.verdict import PlayedSession
from .protocol import ends_like_prompt, wording_of

ENOUGH = 2  # if this many turns show a wording, it is certain


def turns_of(failed: Iterable[PlayedSession]) -> list[list[Row]]:
    """Return the rows of each turn of these sessions; a file is not a turn."""
    return [
        [*rows]
        for played in failed
        for _, rows in groupby(rows_of(played.session, played.dialogue), attrgetter('turn'))
    ]


def is_certain(
    expected: str, printed: str, turns: Sequence[Sequence[Row]], is_learned: bool
) -> bool:
    r"""Return whether a program prints an expected line in different words, as `printed` shows.

    No turn may contradict the wording. Enough turns must show it, unless a search has already
    confirmed it (`is_learned`). Return True for prompts, and for lines with different values,
    because they are not checked.
    """
    wording = wording_of(expected.removesuffix('\n'), printed.removesuffix('\n'))
    if not wording or not expected.endswith('\n'):
        return True
    turns_with_it, is_alone = 0, False
    for rows in turns:
        shown = others = 0
        for row in rows:
            line = row.expected.removesuffix('\n')
            other = wording.written(line) if is_line(line) else None
            if other in (None, line):
                others += row.state != 'right' and (is_line(line) or is_line(row.printed))
            elif row.state == 'right':
                return False
            else:
                is_shown = row.printed.removesuffix('\n').endswith(other)
                shown, others = shown + is_shown, others + (not is_shown)
        turns_with_it += shown > 0
        is_alone |= shown > 0 and not others
    return is_learned or is_alone or turns_with_it >= ENOUGH


def is_line(text: str) -> bool:
    """Return whether a text is neither empty nor like a prompt."""
    return bool(text.strip()) and not ends_like_prompt(text)
