"""What a program did in a session, and its first failure.

A dialogue records what a program did, turn by turn, as plain data that can be pickled. A
`PlayedSession` has the expected output (`session`, with a step for each turn), what the program did
(`dialogue`), and the first failure. Every report about a program is made from these three.
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

MOST_UNEXPECTED = 1 << 16  # maximum bytes to read beyond the expected output

End = Literal[
    'exit',  # the program ended, with a status or by a signal
    'asks',  # it asked for more input, as expected
    # In all other cases the grader ended the program:
    'silence',  # it was silent for too long
    'time',  # the run's time was used up
    'excess',  # it exceeded another limit, such as the memory limit
    'output',  # it printed without end
    'cut',  # enough had been read after the first wrong byte
]
# Kinds of failure in which the program hangs.
HANGING = ('silent', 'trickles', 'not ended', 'not asking')
# Kinds of failure in which all output is correct, but the program does not end as expected.
AT_END = ('not ended', 'status')
SMALLEST_BUFFER = 1 << 12  # bytes; a full buffer is written even without a flush


@dataclass
class Turn:
    """What a program printed before it read a line, and that line."""

    printed: bytes = b''
    typed: bytes = b''  # the line, with its newline, or b'' if nothing was typed
    ends_input: bool = False  # whether the input ended after the typed line
    was_waiting: bool = False  # whether the program was seen to be waiting for input
    polls: bool = False  # whether it was silent for too long while it waited with a time limit
    late: float = 0  # seconds of silence before output that was too late, or 0
    in_time: int = 0  # bytes of output printed before the program was silent for too long

    @property
    def printed_in_time(self) -> bytes:
        """What the program printed before it was silent for too long."""
        return self.printed[: self.in_time] if self.late else self.printed

    @property
    def printed_too_late(self) -> bytes:
        """What the program printed after it was silent for too long."""
        return self.printed[len(self.printed_in_time) :]


@dataclass
class LeftFile:
    """A file that a session expects, as the program left it."""

    content: bytes = b''
    complaint: str = ''  # why it cannot be read, such as 'no such file'


@dataclass
class Dialogue:
    """All that a program did in a session, turn by turn, and how it ended."""

    turns: list[Turn] = field(default_factory=list)
    end: End = 'exit'
    status: int | None = None  # see `Run.status`; None if the grader ended the program
    errors_begin: bytes = b''  # the first 16 KB of standard error
    errors: bytes = b''  # the last 16 KB of standard error
    excess: str = ''  # the limit that the run exceeded (see `Run.excess`), or ''
    files: dict[str, LeftFile] = field(default_factory=dict)  # the expected files by path
    came_late: bool = False  # whether output was moved to earlier turns, where it was expected
    folder: str = ''  # the path of the program's folder, as the program sees it: see `Run.folder`
    given: frozenset[str] = frozenset()  # paths of the assignment's own files in that folder
    starter: str = ''  # the assignment's file that was started, or ''

    @classmethod
    def printing(cls, texts: Iterable[str]) -> Dialogue:
        """Return the dialogue of a program that prints one text in each turn and exits normally."""
        return cls([Turn(text.encode()) for text in texts], status=0)

    @property
    def output(self) -> bytes:
        """All that the program printed."""
        return b''.join(turn.printed for turn in self.turns)


class Pair(NamedTuple):
    """An expected and a printed line that do not match; one of the two may be missing."""

    step: int  # the index of the step that expects the line, or that has the extra line
    expected: str  # the expected line, with its newline, or ''
    printed: str  # the printed line, without a free prompt at its beginning
    turn: int  # the index of the turn in which it was printed
    start: int  # where it begins in the output of that turn, in characters
    item: Item | None = None  # the expected item, or None if the printed line is extra
    following: Item | None = None  # the next expected item after an extra line, in the same turn


@dataclass(frozen=True)
class Failure:
    """What went wrong in a session: how, in which turn, and after how much correct output."""

    kind: Kind
    turn: int
    lines: int = 0  # how many expected lines of the turn precede the failure
    start: int = 0  # how many bytes of correct output in the turn precede the failure
    file: ExpectedFile | None = None  # the wrong file, or None if something else is wrong
    pair: Pair | None = None  # the pair of lines that do not match, if lines were aligned
    comes_late: bool = False  # whether all the turn's output was printed, but only after more input
    read_early: int = 0  # lines read before that output: see `lines_before_output`


@dataclass
class PlayedSession:
    """A played session: the expected output, what the program did, and the first failure.

    Each step of `session` corresponds to a turn of the dialogue. There are fewer turns than steps
    if the program ended early, and one turn more if the grader ended the input after the last step.
    If the session is the example of a fault, `failure_found` is the failure that shows this fault
    best.
    """

    session: Session  # as played: with the program's choices, and perhaps all input at once
    dialogue: Dialogue
    failure_found: Failure | None = None  # None if the session passed
    is_settled: bool = False  # whether a slow machine cannot be the reason for the failure
    seconds: float = 0  # how long the program was allowed to be silent, or 0 if irrelevant
    timing_leaks: bool = False  # see `LiveSession.timing_leaks`

    @property
    def failure(self) -> Failure:
        """The first failure of a failed session."""
        assert self.failure_found
        return self.failure_found

    @property
    def status(self) -> int | None:
        """The exit status (negative for a signal).

        It is None if the session passed, if the output differs, or if the grader ended the program.
        """
        failure = self.failure_found
        return self.dialogue.status if failure and failure.kind != 'differs' else None

    @property
    def late(self) -> float:
        """Seconds of silence before late output, or 0 if late output is not the failure."""
        wrong, turns = self.failure_found, self.dialogue.turns
        is_silent = wrong and wrong.kind == 'silent' and wrong.turn < len(turns)
        return turns[wrong.turn].late if wrong and is_silent else 0

    @property
    def polls(self) -> bool:
        """Whether the program fell silent while it waited with a time limit, as in `select`."""
        failure = self.failure_found
        return bool(
            failure and failure.kind == 'silent' and self.dialogue.turns[failure.turn].polls
        )

    @property
    def was_seen_waiting(self) -> bool:
        """Whether the program was seen to be waiting for input where output was expected.

        In that case the grader did not wait for the time limit to pass.
        """
        failure = self.failure_found
        is_silent = failure and failure.kind == 'silent' and not self.late
        return bool(failure and is_silent and self.dialogue.turns[failure.turn].was_waiting)

    @cached_property
    def place(self) -> WrongLine:
        """The first wrong line, with the expected and printed lines around it."""
        whole, wrong, pair = self.session.line_by_line, self.failure, self.failure.pair
        step, line = wrong_line(self.session, wrong)
        lines = wrong.file.content.printed if wrong.file else whole.steps[step].printed
        right, rest = self._printed_around(lines, line)
        following = pair.following.parts[0] if pair and pair.following else None
        known = line or following
        expected, own = (pair.expected, pair.printed) if pair else (str(line or ''), '')
        # If the pair's line was expected in an earlier step, `rest` was printed only after more
        # input.
        if not own and not (pair and pair.step < pair.turn):
            own = ''.join(rest[:1])  # the line printed in place of a missing line
        last = max(1, len(whole.steps[-1].printed)) if whole.answers else len(whole.lines)
        next_lines = [other for other in lines if known and other.number > known.number]
        if following:
            next_lines.insert(0, following)
        return WrongLine(
            session=whole,
            step=step,
            number=known.number if known else whole.steps[step].number or last,
            line=line,
            before=''.join(before.output for before in whole.steps[:step]) + right,
            expected=expected,
            printed=own,
            expected_next=[*map(str, next_lines)],
            printed_next=rest[1:] if own else rest,
            expected_text=''.join(map(str, lines)),
            printed_text=right + ''.join(rest),
        )

    def _printed_around(
        self, lines: Sequence[ExpectedLine], line: ExpectedLine | None
    ) -> tuple[str, Sequence[str]]:
        """Return a step's correct output, and the lines printed after that, the wrong line first.

        `lines` are the expected lines of the step; `line` is the wrong one, or None if the failure
        follows all of them.
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
        # If all input was sent at once, it is unknown which step the output belongs to.
        if not wrong.pair and (self.session.in_turns or is_at_end):
            right = ''.join(str(other) for other in lines if not line or other.number < line.number)
            rest = rest[: len(lines) if line else None]  # no more lines than expected
        return right, [] if is_at_end else rest


class WrongLine(NamedTuple):
    """The first wrong line of a session, and the lines around it."""

    session: Session  # line by line, even if it was played with all input at once
    step: int  # the index of the step that is wrong
    number: int  # the line's number in the session's file
    line: ExpectedLine | None  # the expected line that was not printed, or None if none is expected
    before: str  # the expected output before the wrong line
    expected: str  # the expected line, or ''
    printed: str  # the line printed in its place, or ''
    expected_next: Sequence[str]  # the lines that the step expects after `expected`
    printed_next: Sequence[str]  # the lines printed after `printed` in the same step
    expected_text: str  # all expected output of the step
    printed_text: str  # all printed output of the step

    @property
    def typed(self) -> str | None:
        """The preceding input line; None in the first step, and in a pair of files."""
        is_known = self.step and not self.session.answers
        return self.session.steps[self.step - 1].input if is_known else None


def wrong_line(session: Session, wrong: Failure) -> tuple[int, ExpectedLine | None]:
    """Return the index of the wrong step in the line-by-line session, and its wrong line, if any.

    If all input was typed at once, the wrong step is the one that expects the wrong line.
    """
    if wrong.file:
        expected = wrong.file.content.printed
    else:
        expected = session.steps[-1 if session.in_turns else wrong.turn].printed
    first = None if wrong.kind in AT_END else next(iter(expected[wrong.lines :]), None)
    line, step = first, wrong.turn
    if wrong.pair:
        line, step = wrong.pair.item.parts[-1] if wrong.pair.item else None, wrong.pair.step
    if wrong.file or session.in_turns:
        wanted, steps = line or first, session.line_by_line.steps
        step = len(steps) - 1
        for index, candidate in enumerate(steps):
            if wanted and wanted.number in [other.number for other in candidate.printed]:
                step = index
                break
    return step, line


def failure_in(session: Session, dialogue: Dialogue, turn: int | None = None) -> Failure | None:
    """Return the first failure in a dialogue, or None if there is none.

    If the first wrong `turn` is already known, return the failure in that turn, without comparing
    files. Return None if that is the last turn and the program ended as expected after all.
    """
    progress, turns = Progress(session), dialogue.turns
    last = min(len(session.steps), len(turns)) - 1 if turn is None else turn
    for number, played_turn in enumerate(turns):
        progress.turn.take(played_turn.printed_in_time)
        if number == last or (turn is None and not progress.turn.is_whole):
            break
        progress.type()
    if progress.turn.is_whole:  # then output that was too late is extra
        progress.turn.take(played_turn.printed_too_late)
    if number == len(turns) - 1 and dialogue.end in ('exit', 'excess'):
        progress.turn.end()
    if (
        number == len(turns) - 1 == len(session.steps) - 1
        and progress.turn.is_whole
        and ends_right(session, dialogue)
    ):
        return next(wrong_files(session, dialogue), None) if turn is None else None
    return failure_in_turn(session, dialogue, number, progress)


def failure_in_turn(session: Session, dialogue: Dialogue, turn: int, progress: Progress) -> Failure:
    """Return the failure in a dialogue whose first wrong turn is `turn`.

    `progress` must have compared the output up to and including that turn.
    """
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
        return Failure(kind, turn, lines, start)
    progress.turn.take(b''.join(turn.printed for turn in later))
    expected = len(session.steps[turn].printed)
    return Failure(
        kind,
        turn,
        lines,
        start,
        comes_late=lines < expected == progress.turn.accepted()[0],
        read_early=lines_before_output(later[: len(session.steps) - turn - 1]),
    )


def lines_before_output(turns: Sequence[Turn]) -> int:
    """Return how many lines a silent program read before it printed something and asked for more.

    Return 0 if the output may have appeared only because a buffer was full, or because the program
    ended.

    >>> lines_before_output([Turn(), Turn(b'7', was_waiting=True)])
    2
    """
    for lines, turn in enumerate(turns, 1):
        if turn.printed:
            return lines if turn.was_waiting and len(turn.printed) < SMALLEST_BUFFER else 0
    return 0


def wrong_files(session: Session, dialogue: Dialogue) -> Iterator[Failure]:
    """Yield a failure for each expected file that differs or cannot be read."""
    for file in session.end.files:
        left = dialogue.files[file.path]
        alignment = Alignment(session, [file.content])
        alignment.take(left.content)
        lines, start = alignment.accepted()
        alignment.end()
        if left.complaint or not alignment.is_whole:
            yield Failure('file', len(session.steps) - 1, lines, start, file)


def ends_right(session: Session, dialogue: Dialogue) -> bool:
    """Return whether a program exits, or keeps asking, as expected; its output is not compared."""
    if session.end.still_asks:
        return dialogue.end == 'asks' or (
            dialogue.end == 'exit' and any(turn.ends_input for turn in dialogue.turns)
        )
    return (
        dialogue.end == 'exit'
        and dialogue.status is not None
        and session.end.accepts(dialogue.status)
    )
