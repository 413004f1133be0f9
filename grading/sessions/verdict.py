"""What a program did in a session, and the verdict on it: is it right, and if not, what is wrong.

A dialogue is all that a program did, turn by turn, as plain data that can be pickled. A wrong line
does not end it: the grader types on while the program waits for input. A session that was played is
a `Played`: what was expected (`session`, a step for each turn), what the program did (`dialogue`),
and where it first went wrong (`wrong`). All that is reported of a program comes from these three.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

from ..printable import decoded
from ..results import Kind
from .comparison import Alignment, Progress
from .items import Item
from .session import ExpectedFile, ExpectedLine, Session
from .transcript import lines_in

MOST_UNEXPECTED = 1 << 16  # bytes that are read beyond what is expected

End = Literal[
    'exit',  # the program ended, with a status or by a signal
    'asks',  # it still asked for input where that is expected
    # The grader ended it, because
    'silence',  # nothing came for the time that a silence may last,
    'time',  # the time of the run was over,
    'excess',  # the run used too much of something,
    'output',  # the program printed without end, or
    'cut',  # enough had been read after the first wrong byte.
]
HANGING = ('silent', 'trickles', 'not ended', 'not asking')  # the program does not end
AT_END = ('not ended', 'status')  # all expected output has come, and what follows is wrong
SMALLEST_BUFFER = 1 << 12  # bytes after which output comes though nobody flushes it


@dataclass
class Turn:
    """What a program printed before it read, and the line that it then got."""

    printed: bytes = b''
    typed: bytes = b''  # with its newline; b'' at the end, or where input ends
    ends_input: bool = False  # whether the input ended after what was typed
    was_waiting: bool = False  # whether a look saw that the program waited for input
    late: float = 0  # seconds of silence, if they were too many, and then output came all the same
    in_time: int = 0  # bytes that came before that silence

    @property
    def printed_in_time(self) -> bytes:
        """What the program printed before it was silent for too long."""
        return self.printed[: self.in_time] if self.late else self.printed


@dataclass
class LeftFile:
    """A file that a session names, as the program left it."""

    content: bytes = b''
    complaint: str = ''  # why it cannot be read: 'no such file'


@dataclass
class Dialogue:
    """All that a program did in a session, turn by turn, and how it ended."""

    turns: list[Turn] = field(default_factory=list)
    end: End = 'exit'
    status: int | None = None  # the exit status, negative for a signal; None: ended by us
    errors_begin: bytes = b''  # the first 16 KB of standard error
    errors: bytes = b''  # the last 16 KB
    excess: str = ''  # what the run used too much of
    files: dict[str, LeftFile] = field(default_factory=dict)  # by their paths
    came_late: bool = False  # whether output is in the turns in which it was due, but came later
    folder: str = ''  # where the program ran, as it sees it
    given: frozenset[str] = frozenset()  # paths there of the assignment's own files
    starter: str = ''  # the one of these that was started, '' for none

    @classmethod
    def printing(cls, texts: Iterable[str]) -> Dialogue:
        """Return the dialogue of a program that prints these texts in its turns, and ends well."""
        return cls([Turn(text.encode()) for text in texts], status=0)

    @property
    def output(self) -> bytes:
        """All that the program printed."""
        return b''.join(turn.printed for turn in self.turns)


class Pair(NamedTuple):
    """An expected line, or a printed one, or one of each that do not match."""

    step: int  # the index of the step in which it was expected, or printed
    due: str  # with its newline; '' for nothing
    printed: str  # without a prompt of the program's own before it
    turn: int  # the index of the turn in which it was printed
    start: int  # where it begins in the text of that turn
    item: Item | None = None


@dataclass(frozen=True)
class Wrong:
    """What is wrong in a session: in which turn, how, and after which right output."""

    kind: Kind
    turn: int
    lines: int = 0  # that are expected in the turn, and came before
    start: int = 0  # how many bytes of the turn's output are right
    file: ExpectedFile | None = None  # the wrong file, if that is what is wrong
    pair: Pair | None = None  # the lines that do not match, where they were aligned
    comes_late: bool = False  # whether all expected output came, but only after more input
    read_early: int = 0  # lines that it read before, if it then asked for more


@dataclass
class Played:
    """A session that was played: what was expected, what the program did, and what is wrong first.

    The steps of `session` say what was expected in the turns of the dialogue, one by one. A
    dialogue has fewer turns if the program ended before, and one more if the grader ended its input
    at last. In the example of a fault, `wrong` is the place that shows this fault best.
    """

    session: Session  # as it was typed, perhaps at once; as the program went
    dialogue: Dialogue
    wrong: Wrong | None = None  # None: the session is right
    is_settled: bool = False  # whether the machine has no part in what is wrong
    seconds: float = 0  # for which the program could be silent, 0 if that is moot
    # Whether a line was typed so soon that the program could learn from that that it was due.
    timing_leaks: bool = False

    @property
    def failure(self) -> Wrong:
        """What is wrong first, where the program fails the session."""
        assert self.wrong
        return self.wrong

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None if it was stopped, or only prints wrong."""
        return self.dialogue.status if self.wrong and self.wrong.kind != 'differs' else None

    @property
    def late(self) -> float:
        """The seconds after which the output came that is what is wrong first, 0 if it is not."""
        wrong, turns = self.wrong, self.dialogue.turns
        is_silent = wrong and wrong.kind == 'silent' and wrong.turn < len(turns)
        return turns[wrong.turn].late if wrong and is_silent else 0

    @cached_property
    def place(self) -> WrongLine:
        """Where it is wrong, line by line: the expected lines, and those that were printed."""
        whole, wrong, pair = self.session.line_by_line, self.failure, self.failure.pair
        step, line = wrong_line(self.session, wrong)
        lines = wrong.file.content.printed if wrong.file else whole.steps[step].printed
        right, rest = self._printed_around(lines, line)
        due, own = (pair.due, pair.printed) if pair else (str(line or ''), ''.join(rest[:1]))
        last = max(1, len(whole.steps[-1].printed)) if whole.answers else len(whole.lines)
        return WrongLine(
            whole,
            step,
            line.number if line else whole.steps[step].number or last,
            line,
            ''.join(one.output for one in whole.steps[:step]) + right,
            due,
            own,
            [str(one) for one in lines if line and one.number > line.number],
            rest[1:] if own else rest,
            ''.join(map(str, lines)),
            right + ''.join(rest),
        )

    def _printed_around(
        self, lines: Sequence[ExpectedLine], line: ExpectedLine | None
    ) -> tuple[str, Sequence[str]]:
        """Return what was printed in a step before what is wrong, and the lines from there on.

        These `lines` are expected in the step; the `line` among them is wrong, None for what is
        after them.
        """
        wrong, is_at_end = self.failure, self.failure.kind in AT_END
        printed = (
            self.dialogue.files[wrong.file.path].content
            if wrong.file
            else b''.join(turn.printed for turn in self.dialogue.turns[wrong.turn : wrong.turn + 1])
        )
        text = decoded(printed)
        start = wrong.pair.start if wrong.pair else len(decoded(printed[: wrong.start]))
        right, rest = text[:start], lines_in(text[start:])
        # Where all input came at once, nobody knows what was printed in which step.
        if not wrong.pair and (self.session.in_turns or is_at_end):
            right = ''.join(str(one) for one in lines if not line or one.number < line.number)
            rest = rest[: len(lines) if line else None]  # as many as should come
        return right, [] if is_at_end else rest


class WrongLine(NamedTuple):
    """Where a session goes wrong: the first line that is, and the lines around it."""

    session: Session  # the session line by line, however it was played
    step: int  # its step in which the wrong line is expected
    number: int  # of the line in the session's file
    line: ExpectedLine | None  # the expected line that did not come, None if none is expected
    before: str  # what was expected, and right, before
    expected: str  # the expected line, '' for none
    printed: str  # the line that was printed there, '' for none
    expected_next: Sequence[str]  # the lines after them, in the step
    printed_next: Sequence[str]
    expected_text: str  # all that was expected and printed in the step
    printed_text: str

    @property
    def typed(self) -> str | None:
        """The input line before, None in the first step, and in a pair of files."""
        is_known = self.step and not self.session.answers
        return self.session.steps[self.step - 1].input if is_known else None


def wrong_line(session: Session, wrong: Wrong) -> tuple[int, ExpectedLine | None]:
    """Return the step of a session, line by line, that is wrong, and the expected line that is.

    Where all input came at once, the line tells the step.
    """
    due = (
        wrong.file.content.printed
        if wrong.file
        else session.steps[-1 if session.in_turns else wrong.turn].printed
    )
    first = None if wrong.kind in AT_END else next(iter(due[wrong.lines :]), None)
    line, step = first, wrong.turn
    if wrong.pair:
        line, step = wrong.pair.item.parts[-1] if wrong.pair.item else None, wrong.pair.step
    if wrong.file or session.in_turns:
        shown, steps = line or first, session.line_by_line.steps
        step = next(
            (
                number
                for number, one in enumerate(steps)
                if shown and shown.number in [due.number for due in one.printed]
            ),
            len(steps) - 1,
        )
    return step, line


def judged(session: Session, dialogue: Dialogue, turn: int | None = None) -> Wrong | None:
    """Return what is wrong first in a dialogue of a session, None if nothing is.

    If the first `turn` that is wrong is known, return what is wrong there.
    """
    progress, turns = Progress(session), dialogue.turns
    last = min(len(session.steps), len(turns)) - 1 if turn is None else turn
    for number, one in enumerate(turns):
        progress.turn.take(one.printed_in_time)
        if number == last or (turn is None and not progress.turn.is_whole):
            break
        progress.type()
    if number == len(turns) - 1 and dialogue.end in ('exit', 'excess'):
        progress.turn.end()
    if (
        turn is None
        and number == len(turns) - 1 == len(session.steps) - 1
        and progress.turn.is_whole
        and ends_right(session, dialogue)
    ):
        return next(wrong_files(session, dialogue), None)
    return wrong_in(session, dialogue, number, progress)


def wrong_in(session: Session, dialogue: Dialogue, turn: int, progress: Progress) -> Wrong:
    """Return what is wrong in the first turn of a dialogue that is not right."""
    later, asks = dialogue.turns[turn + 1 :], session.end.still_asks
    has_ended = not later and dialogue.end in ('exit', 'excess')
    is_whole = turn == len(session.steps) - 1 and progress.turn.is_whole
    lines, start = progress.turn.accepted()
    kind: Kind = 'silent'
    if progress.verdict(is_waiting=not has_ended) == 'wrong':
        kind = 'differs'
    elif has_ended:
        kind = 'status' if is_whole and not asks else 'ended'
    elif is_whole:
        kind = 'not asking' if asks else 'not ended'
    elif not later and dialogue.end == 'time':
        kind = 'trickles'
    if kind != 'silent' or dialogue.turns[turn].late:
        return Wrong(kind, turn, lines, start)
    progress.turn.take(b''.join(one.printed for one in later))
    due = len(session.steps[turn].printed)
    return Wrong(
        kind,
        turn,
        lines,
        start,
        comes_late=lines < due == progress.turn.accepted()[0],
        read_early=lines_before_output(later[: len(session.steps) - turn - 1]),
    )


def lines_before_output(turns: Sequence[Turn]) -> int:
    """Return how many lines a silent program read before it printed, and then asked for more.

    Return 0 if the output may have come because a buffer was full, or at the end.
    """
    return next(
        (
            lines if turn.was_waiting and len(turn.printed) < SMALLEST_BUFFER else 0
            for lines, turn in enumerate(turns, 1)
            if turn.printed
        ),
        0,
    )


def wrong_files(session: Session, dialogue: Dialogue) -> Iterator[Wrong]:
    """Yield what is wrong in each file that is not as expected, or cannot be read."""
    for file in session.end.files:
        left = dialogue.files[file.path]
        alignment = Alignment(session, [file.content])
        alignment.take(left.content)
        lines, start = alignment.accepted()
        alignment.end()
        if left.complaint or not alignment.is_whole:
            yield Wrong('file', len(session.steps) - 1, lines, start, file)


def ends_right(session: Session, dialogue: Dialogue) -> bool:
    """Return whether a program that printed as expected has ended, or asks, as it should."""
    if session.end.still_asks:
        return dialogue.end == 'asks' or (
            dialogue.end == 'exit' and any(turn.ends_input for turn in dialogue.turns)
        )
    return (
        dialogue.end == 'exit'
        and dialogue.status is not None
        and session.end.accepts(dialogue.status)
    )
