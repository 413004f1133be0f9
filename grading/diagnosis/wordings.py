r"""Decides, from all of a program's turns, whether it really words a line differently.

A wording is certain if two turns show it, or one turn in which nothing else differs. A turn in
which the line is printed as expected contradicts the wording:

    expected    printed         expected    printed
    VALID       OK              VALID       VALID       so "OK" is not how it words "VALID"
    TURN: W     TURN: W         TURN: B     TURN: B
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..printable import decoded
from ..sessions.transcript import lines_in
from ..sessions.verdict import PlayedSession
from .protocol import Wording, ends_like_prompt, wording_of

FEW = 2  # this many turns make a wording certain


class TurnLines(NamedTuple):
    """The expected lines and the printed lines of a turn, each with its count."""

    expected: Counter[str]
    printed: Counter[str]


def turns_of(failed: Iterable[PlayedSession]) -> list[TurnLines]:
    """Return the turns of these sessions; a turn without output is joined with the next turn."""
    return [turn for played in failed for turn in turns_in(played)]


def turns_in(played: PlayedSession) -> Iterator[TurnLines]:
    """Yield the turns of a session, joined as in `turns_of`."""
    expected = Counter[str]()
    for step, turn in zip(played.session.steps, played.dialogue.turns, strict=False):
        expected += Counter(str(line) for line in step.printed if line.is_text)
        if turn.printed:
            yield TurnLines(expected, Counter(lines_in(decoded(turn.printed))))
            expected = Counter()


def is_certain(expected: str, printed: str, turns: Sequence[TurnLines], is_learned: bool) -> bool:
    r"""Return whether a program prints an expected line in different words, as `printed` shows.

    No turn may contradict the wording and, unless a search has already confirmed it (`is_learned`),
    enough turns must show it. Prompts, and lines with other values, are not checked: return True
    for these.

    >>> right, other = Counter(['VALID\n', 'FULL\n']), Counter(['OK\n', 'FULL\n'])
    >>> is_certain('VALID\n', 'OK\n', [TurnLines(right, other)], False)
    True
    >>> is_certain('VALID\n', 'OK\n', [TurnLines(right, Counter(['OK\n', 'NO\n']))], False)
    False
    >>> is_certain('VALID\n', 'OK\n', [TurnLines(right, other), TurnLines(right, right)], True)
    False
    """
    wording = wording_of(expected.removesuffix('\n'), printed.removesuffix('\n'))
    if not wording or not expected.endswith('\n'):
        return True
    shown = [TurnShows.of(wording, turn) for turn in turns]
    if any(turn.contradicts for turn in shown):
        return False
    return (
        is_learned or any(turn.is_alone for turn in shown) or sum(turn.has for turn in shown) >= FEW
    )


class TurnShows(NamedTuple):
    """Whether a turn shows a wording, shows only the wording, or contradicts it."""

    has: bool
    is_alone: bool
    contradicts: bool

    @classmethod
    def of(cls, wording: Wording, turn: TurnLines) -> TurnShows:
        """Return what a turn shows about a wording."""
        lacking = texts_in(turn.expected - turn.printed)
        extra = texts_in(turn.printed - turn.expected)
        changed, contradicts = 0, False
        for line in texts_in(turn.expected):
            other = wording.written(line)
            if other is None or other == line:
                continue
            is_printed = any(text.endswith(other) for text in extra)  # perhaps after a free prompt
            if is_printed and line in lacking:
                changed += 1
            elif not is_printed and line not in lacking:
                contradicts = True
        has = changed > 0
        return cls(has, has and changed == len(lacking) == len(extra), contradicts)


def texts_in(lines: Counter[str]) -> list[str]:
    r"""Return the lines that have text and are not prompts, without their newlines.

    >>> texts_in(Counter(['One\n', '\n', 'Name? ', 'Number:\n']))
    ['One']
    """
    texts = [line.removesuffix('\n') for line in lines.elements()]
    return [text for text in texts if text.strip() and not ends_like_prompt(text)]
