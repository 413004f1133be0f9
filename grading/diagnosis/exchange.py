r"""What rows say about a failing turn, an exchange, and about how a program words a line.

A wording is certain if two turns show it, or one turn without any other difference. But a turn with
the line printed as expected contradicts the wording:

    expected    printed         expected    printed
    VALID       OK              VALID       VALID       so "OK" is not how it words "VALID"
    TURN: W     TURN: W         TURN: B     TURN: B
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any

from ..printable import decoded
from ..sessions.items import Item
from ..sessions.rows import Row, rows_of, rows_of_file
from ..sessions.transcript import lines_in, parse
from ..sessions.verdict import Dialogue, PlayedSession, failure_in
from .crash import crash_at
from .protocol import ends_like_prompt, shape_of, wording_of

ENOUGH = 2  # if this many turns show a wording, it is certain


class Exchange:
    r"""The expected and the printed lines of a session's failing turn, and the wrong row.

    Turns without output are joined with the next turn, because their output may have been late. If
    a file is wrong, its lines take the place of the turn's lines.

    >>> exchange = first_wrong_exchange('4 4\n|VALID\n|TURN: W\n', '', 'TURN: W\n')
    >>> exchange.expected, exchange.printed
    ('VALID\n', 'TURN: W\n')
    >>> exchange.lacks('VALID\n'), exchange.has_too_often('TURN: W\n')
    (True, False)
    """

    def __init__(self, played: PlayedSession, examples: Sequence[str] = ()) -> None:
        self.played = played
        self.examples = examples  # those in the sentence of the fault that shows there
        self.expected = played.wrong_line.expected  # the expected line of the wrong row, or ''
        self.printed = played.wrong_line.printed  # the printed line of that row, or ''
        failure, dialogue = played.failure, played.dialogue
        self.turn = min((failure.row or failure).turn, len(dialogue.turns) - 1)
        if failure.file:
            content = dialogue.files[failure.file.path].content
            rows = rows_of_file(played.session, failure.file, content)
        else:
            content = dialogue.turns[self.turn].printed
            rows = [row for row in rows_of(played.session, dialogue) if row.turn == self.turn]
        self.rows = rows
        self.items = [row.item for row in rows if row.item]
        self.lines = lines_in(decoded(content))

    def lacks(self, expected: str) -> bool:
        """Return whether an expected line is printed less often than it is expected.

        Return True also for a line not expected in this turn.
        """
        states = {row.state for row in self.rows if row.expected == expected}
        return not states or not states.isdisjoint(('wrong', 'missing'))

    def has_too_often(self, printed: str) -> bool:
        """Return whether a printed line is printed more often than it is expected.

        Return True also for a line not printed in this turn.
        """
        rows = [row for row in self.rows if row.printed == printed]
        unmatched = [row for row in self.rows if row.is_wrong or not row.printed]
        return not rows or any(
            row.is_wrong and not any(other.is_printed_in(row) for other in unmatched)
            for row in rows
        )

    @property
    def all_lines_differ(self) -> bool:
        """Whether the turn has expected and printed lines, and lacks each of its expected lines."""
        return bool(self.items and self.lines) and all(self.lacks(str(item)) for item in self.items)

    def paired(self, item: Item, number: int = 0) -> PlayedSession:
        """Return the session with this expected line and a printed line as its wrong row.

        `number` is the index of the printed line in `lines`.
        """
        step = min(self.turn, len(self.played.session.steps) - 1)
        start = len(''.join(self.lines[:number]))
        row = Row(self.turn, step, item, str(item), self.lines[number], start, 'wrong')
        return replace(
            self.played, failure_found=replace(self.played.failure, kind='differs', row=row)
        )

    @property
    def line_after(self) -> str:
        """The first expected line among those printed after the wrong line, or ''."""
        rows = [row for row in self.rows if row.printed]
        wrong = [number for number, row in enumerate(rows, 1) if row.printed == self.printed]
        after = rows[wrong[0] if wrong else 0 :]
        lines = [
            row.printed for row in after if row.state == 'moved' or (row.item and not row.is_wrong)
        ]
        return lines[0] if lines else ''

    @property
    def comes_before_expected(self) -> bool:
        """Whether the wrong line is certainly printed before the expected line."""
        printed = [row.printed for row in self.rows]
        are_both_printed = {self.expected, self.printed} <= {*printed}
        if (
            not are_both_printed
            or printed.index(self.printed) > printed.index(self.expected)
            or self.lacks(self.expected)
        ):
            return False
        # Otherwise, all lines may be wrong by as much, such as numbers that are one too small.
        return (
            len(self.lines) > len(self.items)
            or shape_of(self.printed) != shape_of(self.expected)
            or not any(map(self.has_too_often, self.lines))
        )

    @property
    def later_output(self) -> str:
        """What the program printed in later turns."""
        return decoded(
            b''.join(turn.printed for turn in self.played.dialogue.turns[self.turn + 1 :])
        )

    @property
    def is_silent(self) -> bool:
        """Whether the program fell silent in the turn, and did not crash."""
        return self.played.failure.kind == 'silent' and not crash_at(self.played)


def with_expected_line(played: PlayedSession) -> PlayedSession:
    r"""Return the session, perhaps with its extra line paired with an expected line.

    If the wrong line is an extra line, and the turn lacks all its expected lines, the first
    expected line and the first printed line become the wrong row.

    >>> played = first_wrong_exchange('1 1\n|INVALID\n', '', 'B: 3\nVALID\n').played
    >>> extra = replace(played.failure, row=Row(1, 1, None, '', 'B: 3\n', 0, 'extra'))
    >>> Exchange(with_expected_line(replace(played, failure_found=extra))).expected
    'INVALID\n'
    """
    exchange = Exchange(played)
    is_misleading = exchange.printed and not exchange.expected and exchange.all_lines_differ
    return exchange.paired(exchange.items[0]) if is_misleading else played


def first_wrong_exchange(text: str, *printed: str, **facts: Any) -> Exchange:
    r"""Return the exchange where a session first fails, for doctests.

    `text` is the transcript, `printed` is what a program prints in each turn, and `facts` are other
    attributes of the dialogue.

    >>> first_wrong_exchange('1\n|One\n2\n|Two\n', '', 'One\n', 'Too\n').expected
    'Two\n'
    """
    session = parse(text, 'example')
    dialogue = replace(Dialogue.printing(printed), **facts)
    return Exchange(PlayedSession(session, dialogue, failure_in(session, dialogue)))


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
                others += row.is_wrong and (is_line(line) or is_line(row.printed))
            elif not row.is_wrong:
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
