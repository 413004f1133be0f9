r"""Decides, from the turns of the failed sessions, whether a program really rewords a line.

A wording is certain if two turns show it, or one turn without any other difference. But a turn with
the line printed as expected contradicts the wording:

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

ENOUGH = 2  # if this many turns show a wording, it is certain


class TurnLines(NamedTuple):
    """The expected lines and the printed lines of a turn, each with its count."""

    expected: Counter[str]
    printed: Counter[str]


def turns_of(failed: Iterable[PlayedSession]) -> list[TurnLines]:
    """Return the turns of these sessions; a turn without output is joined with the next turn.

    The expected lines of a turn do not include patterns.
    """
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

    No turn may contradict the wording. Enough turns must show it, unless a search has already
    confirmed it (`is_learned`). Return True for prompts, and for lines with different values,
    because they are not checked.

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
    evidence = [TurnEvidence.of(wording, turn) for turn in turns]
    if any(turn.contradicts for turn in evidence):
        return False
    if is_learned or any(turn.shows_nothing_else for turn in evidence):
        return True
    return len([turn for turn in evidence if turn.shows]) >= ENOUGH


class TurnEvidence(NamedTuple):
    """What a turn says about a wording."""

    shows: bool  # whether a line is printed in this wording
    shows_nothing_else: bool  # whether, besides that, no line differs
    contradicts: bool  # whether a line is printed as expected, though the wording applies to it

    @classmethod
    def of(cls, wording: Wording, turn: TurnLines) -> TurnEvidence:
        """Return what a turn says about a wording."""
        lacking = texts_in(turn.expected - turn.printed)
        extra = texts_in(turn.printed - turn.expected)
        reworded, contradicts = 0, False
        for line in texts_in(turn.expected):
            other = wording.written(line)
            if other is None or other == line:
                continue
            is_printed = any(text.endswith(other) for text in extra)  # perhaps after a free prompt
            if is_printed and line in lacking:
                reworded += 1
            elif not is_printed and line not in lacking:
                contradicts = True
        shows = reworded > 0
        return cls(shows, shows and reworded == len(lacking) == len(extra), contradicts)


def texts_in(lines: Counter[str]) -> list[str]:
    r"""Return the lines without their newlines; leave out empty lines and prompts.

    >>> texts_in(Counter(['One\n', '\n', 'Name? ', 'Number:\n']))
    ['One']
    """
    texts = [line.removesuffix('\n') for line in lines.elements()]
    return [text for text in texts if text.strip() and not ends_like_prompt(text)]
