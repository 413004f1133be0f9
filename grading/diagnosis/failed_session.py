"""A failed session of no known game: its wrong rows, and why it did not go on, or did not end."""

from __future__ import annotations

from dataclasses import replace

from ..printable import decoded, quoted, quoted_line, status_in_words
from ..results import HAPPENS, FailureKind
from ..sessions.rows import LONGEST_ALIKE, Row, wrong_rows
from ..sessions.verdict import Dialogue, Failure, PlayedSession, wrong_files
from .crash import lines_of_errors
from .finding import Fault
from .manners import end_of
from .printing import MISSING_LINES
from .protocol import shape_of
from .what_happens import NOTHING

FLOOD = 'flood'  # the key of the fault of printing far too much
MAX_REPEATED = 200  # how long a text printed again and again may be, in characters
LONG = 10_000  # in characters; no program prints a longer line on purpose


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
            if not row.printed
            and row.step >= self.last
            and '\n' not in text_around(row, dialogue)[2]
        ]
        self.wrong = [row for row in self.rows if row not in self.missing]

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
    def has_other_wrong_files(self) -> bool:
        """Whether the program writes a wrong file other than the one where the session fails."""
        file = self.played.failure.file
        wrong = wrong_files(self.played.session, self.played.dialogue)
        return any(failure.file != file for failure in wrong)

    def at(self, kind: FailureKind, row: Row | None = None) -> PlayedSession:
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


def at_the_end(session: FailedSession, is_silent: bool) -> Fault:
    """Return the fault of a program that did not go on or end, although all its lines are correct.

    `is_silent` says whether the program prints neither output nor errors in any session.
    """
    played, dialogue = session.played, session.played.dialogue
    kind, row = played.failure.kind, next(iter(session.missing), None)
    text = quoted(row.expected.rstrip()) if row else ''
    if dialogue.excess:
        return Fault(session.at('ended', row), key=('excess', dialogue.excess))
    if (
        dialogue.end in ('silence', 'time', 'cut')
        and kind != 'not ended'
        and not dialogue.turns[session.last].was_waiting
    ):
        return Fault(
            session.at('silent', row),
            key='loops',
            examples=['is too slow, or in an endless loop' + (text and f': {text} is missing')],
        )
    if session.has_ended and played.session.end.still_asks:
        return Fault(
            session.at('ended', row),
            key='ends',
            examples=[
                f'ends where {text} is expected'
                if text
                else 'ends instead of asking for more input'
            ],
        )
    if row:
        return without_a_line(session, row, is_silent)
    known = end_of(played, session.has_closed_input)
    if not known:
        return Fault(played, key=(kind, dialogue.status))
    return Fault(
        session.at(kind if kind == 'status' else 'not ended'),
        id=known.id,
        examples=[known.sentence],
    )


def without_a_line(session: FailedSession, row: Row, is_silent: bool) -> Fault:
    """Return the fault of ending, or asking for input, where a line is expected."""
    dialogue, steps = session.played.dialogue, session.played.session.steps
    end, text, status = session.at('ended', row), row.expected.rstrip(), dialogue.status
    if not session.has_ended:
        return Fault(
            session.at('differs', row),
            key=('waits', shape_of(row.expected)),
            examples=[f'waits for input instead of printing {quoted(text)}'],
        )
    if is_silent:
        return Fault(end, key=(NOTHING, shape_of(row.expected)), examples=[NOTHING])
    times_printed = decoded(dialogue.turns[session.last].printed).splitlines().count(text)
    happens = HAPPENS['ended'] + ('' if status is None else f', with {status_in_words(status)}')
    sentence = happens if times_printed else f'{happens}: {quoted(text)} is missing'
    if text and text in map(str.rstrip, lines_of_errors(dialogue.errors)):
        sentence = f'prints {quoted(text)} to standard error, not to standard output'
    elif not times_printed and text and (before := printed_before(session, row)):
        sentence = f'prints {quoted(before)} and then ends; {quoted(text)} is expected'
    elif (
        not times_printed
        and session.last == len(steps) - 1
        and dialogue.output.strip()
        and session.played.session.end.accepts(status or 0)
    ):
        return Fault(end, id=MISSING_LINES, examples=[text])
    return Fault(end, key=('ends', shape_of(row.expected)), examples=[sentence])


def printed_before(session: FailedSession, row: Row) -> str:
    """Return the last line printed before an early end, if it explains the end.

    The line may be an error message: it is the only line although the session has further steps, or
    any lines are allowed before the missing line. Otherwise, return ''.
    """
    lines = decoded(session.played.dialogue.output).rstrip().splitlines()
    is_all = len(lines) == 1 and session.last < len(session.played.session.steps) - 1
    may_be_any = bool(row.item and row.item.parts[0].skips)
    return lines[-1].rstrip() if lines and (is_all or may_be_any) else ''


def begins_unlike_flood(session: FailedSession) -> bool:
    """Return whether a line is printed wrongly, and is unlike the lines of an endless output."""
    row = next(iter(session.wrong), None)
    if not row or not row.expected or not row.printed or len(row.printed) > LONG:
        return False
    lines = decoded(session.played.dialogue.turns[session.last].printed).splitlines() or ['']
    complete = lines[:-1] or lines  # the last line may be cut off
    return shape_of(row.printed) != shape_of(f'{complete[-1]}\n')


def flood_in(session: FailedSession) -> Fault:
    """Return the fault of printing far too much: one text again and again, or a very long line."""
    dialogue = session.played.dialogue
    text = decoded(dialogue.turns[session.last].printed)
    *lines, last = text.split('\n')
    longest = max([*lines, last], key=len)
    extra = Row(session.last, session.last, None, '', longest, text.index(longest), 'extra')
    row = next(iter(session.wrong), extra)
    repeated = repeated_at_end(decoded(dialogue.turns[-1].printed))
    if repeated:
        when = ' after the end of its input' if session.has_closed_input else ''
        what = quoted_line(repeated.rstrip('\n'))
        sentence = f'prints {what} again and again{when}, until the grader stops it'
    elif len(longest) > LONG:
        row = extra
        sentence = f'prints a line of {len(longest):,} characters or more: {quoted(longest)}'
    else:
        last_line = quoted_line((lines or [last])[-1].rstrip())
        sentence = f'prints far too much, perhaps in an endless loop: {last_line}'
    return Fault(session.at('differs', row), key=FLOOD, examples=[sentence])


def repeated_at_end(text: str) -> str:
    """Return what is repeated at the end of a text, from the beginning of a line, or `''`.

    It must fill the last `LONG` characters.

    >>> repeated_at_end('Sum? ' * 3000 + 'Su'), repeated_at_end('no\\n' + 'a\\nb\\n' * 3000)
    ('Sum? ', 'a\\nb\\n')
    """
    for size in range(1, MAX_REPEATED + 1):
        unit = text[-size:]
        if text.endswith(unit * (LONG // size)):
            begin = text.rfind('\n', 0, len(text) - size) + 1
            first = text[begin : begin + size]
            return first if first in unit * 2 else unit
    return ''
