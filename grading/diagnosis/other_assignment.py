"""Finds out whether a program seems to be for a different assignment.

If so, nearly everything it prints is wrong, and a list of its faults would help nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..sessions.comparison import words_of
from ..sessions.rows import rows_of
from .evidence import Evidence
from .exchange import with_expected_line
from .finding import Fault
from .match import Match
from .observed import ObservedSession
from .protocol import ROW, Protocol, shape_of
from .where_shown import wrong_rows_of

MIN_PRINTED = 3  # kinds of lines; if a program prints fewer, it may be for any assignment
# Up to these limits, output for another assignment may resemble the expected output by chance.
MAX_IN_COMMON = 1  # kinds of lines both expected and printed
MAX_EXPLAINED = 1  # lines of a session explained by a model
MAX_RIGHT = 0.05  # share of the expected lines that are right
SENTENCE = 'prints almost none of the lines that this assignment ("{game}") expects'
ADVICE = (
    'Check that you submitted your program for "{game}", not one for another assignment. If you '
    'did, print exactly the lines that the assignment shows, starting with the first.'
)


def of_other_assignment(evidence: Evidence, game: str) -> Fault | None:
    """Return the fault of a program if it seems to be for an assignment other than `game`.

    Return None if this is not certain: if the program passes a session or crashes, if it prints
    hardly anything, or if its output is more like the expected output than chance would explain.
    """
    sessions = [session for session, _ in evidence.failed]
    passes_any = len(sessions) < len(evidence.matches)
    if passes_any or any(session.has_crashed for session in sessions):
        return None
    printed = kinds_of(line for session in sessions for line in session.text.splitlines())
    protocol = evidence.explanation.style.protocol
    explained = max(lines_explained(match, protocol) for match in evidence.matches)
    if (
        len(printed) < MIN_PRINTED
        or len(kinds_in_common(sessions, printed)) > MAX_IN_COMMON
        or explained > MAX_EXPLAINED
        or share_of_right_lines(sessions) > MAX_RIGHT
    ):
        return None
    shown = [
        with_expected_line(wrong.with_failure(wrong.first))
        for wrong in map(wrong_rows_of, sessions)
    ]
    sentence = SENTENCE.format(game=game)
    return Fault(
        shown[0],
        shown,
        key='other assignment',
        sentence=sentence,
        plain=sentence,
        advice=ADVICE.format(game=game),
    )


def kinds_of(lines: Iterable[str]) -> set[str]:
    """Return the kinds of some lines: the words of each line, with 0 for each number.

    Rows of a board, and lines without letters, do not count: many assignments have them.

    >>> sorted(kinds_of(['pile 0 = 3', 'Pile 1 = 5', '. B W', '3  5']))
    ['pile 0 0']
    """
    return {
        words_of(line) for line in lines if any(map(str.isalpha, line)) and shape_of(line) != ROW
    }


def kinds_in_common(sessions: Sequence[ObservedSession], printed: set[str]) -> list[str]:
    """Return the kinds of expected lines that are printed, perhaps as part of a longer line."""
    expected = kinds_of(
        line.text
        for session in sessions
        for step in session.transcript.steps
        for line in step.expected
    )
    return [kind for kind in expected if any(f' {kind} ' in f' {own} ' for own in printed)]


def lines_explained(match: Match, protocol: Protocol) -> int:
    """Return how many lines of the protocol a model explains; free text does not count."""
    lines = [line for text in match.output.texts for line in text.splitlines()]
    return sum(protocol.has(line) and not match.game.is_left_free(line) for line in lines)


def share_of_right_lines(sessions: Sequence[ObservedSession]) -> float:
    """Return the share of the expected lines that are right.

    Only the turns reached by the program count.
    """
    rows = [
        row
        for session in sessions
        for row in rows_of(session.failed.session, session.failed.dialogue)
        if row.item
    ]
    return sum(row.state == 'right' for row in rows) / max(1, len(rows))
