"""The wrong rows of a failed session, without a model of the game."""

from __future__ import annotations

from dataclasses import replace

from ..printable import decoded
from ..results import Kind
from ..sessions.rows import LONGEST_ALIKE, Row, wrong_rows
from ..sessions.verdict import Dialogue, Failure, PlayedSession, wrong_files


class FailedSession:
    """A failed session, with the rows that are not right."""

    def __init__(self, played: PlayedSession) -> None:
        session, dialogue = played.session, played.dialogue
        self.played = played
        # Whether the program kept reading after the last step, and so had its input closed.
        self.has_closed_input = len(dialogue.turns) > len(session.steps)
        # The index of the last turn with a step.
        self.last = len(dialogue.turns) - (2 if self.has_closed_input else 1)
        self.has_ended = dialogue.end == 'exit' and not self.has_closed_input
        is_file = played.failure.kind == 'file'
        self.rows = [] if is_file else wrong_rows(session, dialogue)
        # The missing lines at the end: the program ended, or read more input, without printing
        # another whole line.
        self.missing = [
            row
            for row in self.rows
            if row.state == 'missing'
            and row.step >= self.last
            and '\n' not in text_around(row, dialogue)[2]
        ]
        self.wrong = [row for row in self.rows if row not in self.missing]
        # Whether the program ends, or is stopped, before the session is over.
        self.ends_early = not is_file and bool(
            self.last < len(session.steps) - 1
            or self.missing
            or dialogue.end not in ('exit', 'asks')
        )

    @property
    def ends_at_a_line(self) -> bool:
        """Whether the program ends before the last step, in the turn of its only wrong line.

        Missing lines do not count. There must be no wrong row in an earlier turn, and the first
        wrong row must not be an extra line.
        """
        return (
            self.has_ended
            and self.last < len(self.played.session.steps) - 1
            and self.last == min(row.turn for row in self.wrong)
            and bool(self.wrong[0].expected)
            and len([row for row in self.wrong if row.printed]) == 1
        )

    @property
    def ends_wrong(self) -> bool:
        """Whether the program ends wrongly after wrong lines, or writes further wrong files."""
        session, dialogue = self.played.session, self.played.dialogue
        if session.end.still_asks:
            is_right = not self.has_ended
        else:
            is_right = not self.has_closed_input and session.end.accepts(dialogue.status or 0)
        reported_files = 1 if self.played.failure.kind == 'file' else 0
        wrong_file_count = len([*wrong_files(session, dialogue)])
        return (bool(self.wrong) and not is_right) or wrong_file_count > reported_files

    def at(self, kind: Kind, row: Row | None = None) -> PlayedSession:
        """Return the session with a different failure, of the given kind.

        The new failure is in the row or, without a row, in the last turn.
        """
        first, turn = self.played.failure_found, row.turn if row else self.last
        lines, start = (first.lines, first.start) if first and first.turn == turn else (0, 0)
        return replace(self.played, failure_found=Failure(kind, turn, lines, start, row=row))


def text_around(row: Row, dialogue: Dialogue) -> tuple[str, str, str]:
    """Return the output around a wrong line, in three strings.

    They are the end of the output of earlier turns, the output of the line's turn up to the line,
    and the rest of that turn.
    """
    earlier = b''.join(turn.printed for turn in dialogue.turns[: row.turn])[-LONGEST_ALIKE:]
    printed = decoded(dialogue.turns[row.turn].printed)
    return decoded(earlier), printed[: row.start], printed[row.start :]
