"""What a program did in a session, and its first failure.

A dialogue records what a program did, turn by turn, as plain, picklable data. A `PlayedSession` has
the expected output (`session`), what the program did (`dialogue`), and the first failure. Every
report about a program is made from these three.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..printable import decoded
from ..results import FailureKind
from .comparison import Alignment, SessionProgress
from .session import ExpectedFile, ExpectedLine, Session
from .transcript import lines_in

if TYPE_CHECKING:
    from .rows import Row

DialogueEnd = Literal[
    'exit',  # the program ended, with a status or by a signal
    # In all other cases the grader ended the program:
    'asks',  # it was waiting for more input, as expected
    'silence',  # it was silent for too long
    'time',  # the run's time was used up
    'excess',  # it exceeded another limit, such as the memory limit
    'output',  # it printed without end
    'cut',  # a limit on what follows the first failure was reached
]
# The kinds of failure of a hanging program.
HANGING = ('silent', 'trickles', 'not ended', 'not asking')
# The kinds of failure after entirely correct output: the program does not exit as expected.
AT_END = ('not ended', 'status')
SMALLEST_BUFFER = 1 << 12  # bytes; a full buffer is written even without a flush


@dataclass
class Turn:
    """What a program printed before it read a line, and that line."""

    printed: bytes = b''
    typed: bytes = b''  # the line, with its newline, or b'' if nothing was typed
    ends_input: bool = False  # whether the input ended after the typed line
    was_waiting: bool = False  # whether the program was then seen to be waiting for input
    was_busy: bool = False  # whether it used a processor for as long as it may be silent
    polls: bool = False  # whether it was silent for too long while it waited with a time limit
    waits_for_thread: bool = False  # whether it was silent because a thread of it went on
    silence: float = 0  # seconds of silence before late output, or 0
    in_time: int = 0  # if `silence`: how many bytes were printed before the silence

    @property
    def printed_in_time(self) -> bytes:
        """What the program printed before it was silent for too long."""
        return self.printed[: self.in_time] if self.silence else self.printed

    @property
    def printed_too_late(self) -> bytes:
        """What the program printed after it was silent for too long."""
        return self.printed[len(self.printed_in_time) :]


@dataclass
class LeftFile:
    """An expected file, as the program left it."""

    content: bytes = b''
    complaint: str = ''  # why it cannot be read, such as 'no such file'


@dataclass(eq=False)  # a dialogue is equal only to itself
class Dialogue:
    """Everything a program did in a session, turn by turn, and how it ended."""

    turns: list[Turn] = field(default_factory=list)
    end: DialogueEnd = 'exit'
    status: int | None = None  # see `Run.status`; None if the grader ended the program
    errors_begin: bytes = b''  # the first 16 KB of standard error
    errors: bytes = b''  # the last 16 KB of standard error
    excess: str = ''  # the limit the run exceeded (see `Run.excess`), or ''
    # What the sandbox refused before the failure, if that is known, such as 'ptrace (EPERM)'.
    refused: Sequence[str] = ()
    files: dict[str, LeftFile] = field(default_factory=dict)  # the expected files by path
    came_late: bool = False  # whether output was moved to earlier turns, where it was expected
    folder: str = ''  # the path of the program's folder, as the program sees it: see `Run.folder`
    given: frozenset[str] = frozenset()  # paths of the assignment's own files in that folder
    # If the session failed: the paths of the program's files, relative to its folder, and N if
    # Python 3.N runs it, or 0 if that is unknown.
    names: frozenset[str] = frozenset()
    python: int = 0
    starter: str = ''  # the assignment's file that was started, or ''
    command: str = ''  # the command line as one would type it, or '' if it has no arguments

    @classmethod
    def printing(cls, texts: Iterable[str]) -> Dialogue:
        """Return the dialogue of a program that prints one text in each turn and exits normally."""
        return cls([Turn(text.encode()) for text in texts], status=0)

    @property
    def output(self) -> bytes:
        return b''.join(turn.printed for turn in self.turns)


@dataclass(frozen=True)
class Failure:
    """What went wrong in a session: how, in which turn, and after how much correct output."""

    kind: FailureKind
    turn: int  # the index of the turn
    lines: int = 0  # how many expected lines of the turn precede the failure
    start: int = 0  # how many bytes of correct output in the turn precede the failure
    file: ExpectedFile | None = None  # the wrong file, or None if something else is wrong
    row: Row | None = None  # the row of the wrong line; only the diagnosis sets it
    comes_late: bool = False  # whether all the turn's output was printed, but only after more input
    read_early: int = 0  # lines read before late output: see `lines_before_output`


@dataclass
class PlayedSession:
    """A played session: the expected output, what the program did, and the first failure.

    Each step of `session` corresponds to a turn of the dialogue. There are fewer turns than steps
    if the session ended early, and one turn more if the grader ended the input after the last step.
    If the session is the example of a fault, `failure_found` is the failure that best shows it.
    """

    session: Session  # as played: with the program's choices, and perhaps all input at once
    dialogue: Dialogue
    failure_found: Failure | None = None  # None if the session passed
    is_settled: bool = False  # whether a slow machine cannot be the reason for the failure
    seconds: float = 0  # how long the program was allowed to be silent, or 0 if irrelevant
    # Whether all input was sent at once only because the program never flushes.
    only_at_once: bool = False

    @property
    def failure(self) -> Failure:
        """The first failure of a failed session."""
        assert self.failure_found
        return self.failure_found

    @property
    def is_mute(self) -> bool:
        """Whether the session failed before the end of the first expected line."""
        wrong = self.failure_found
        return (
            wrong is not None
            and wrong.lines == 0
            and not any(step.expected for step in self.session.steps[: wrong.turn])
        )

    @property
    def status(self) -> int | None:
        """The exit status (negative for a signal).

        It is None if the session passed, if the output differs, or if the grader ended the program.
        """
        failure = self.failure_found
        return self.dialogue.status if failure and failure.kind != 'differs' else None

    @property
    def silence(self) -> float:
        """Seconds of silence before late output, or 0 if late output is not the failure."""
        failure, turns = self.failure_found, self.dialogue.turns
        if not failure or failure.kind != 'silent' or failure.turn >= len(turns):
            return 0
        return turns[failure.turn].silence

    @property
    def polls(self) -> bool:
        """Whether the program fell silent while it waited with a time limit, as in `select`."""
        failure = self.failure_found
        if not failure or failure.kind != 'silent':
            return False
        return self.dialogue.turns[failure.turn].polls

    @property
    def was_seen_waiting(self) -> bool:
        """Whether the program was seen to wait for input where it should have printed or ended.

        If so, the grader did not wait for the time limit to pass.
        """
        failure = self.failure_found
        if not failure or failure.kind not in ('silent', 'not ended') or self.silence:
            return False
        return self.dialogue.turns[failure.turn].was_waiting

    @cached_property
    def wrong_line(self) -> WrongLine:
        """The first wrong line, with the expected and printed lines around it."""
        session, failure, row = self.session.line_by_line, self.failure, self.failure.row
        step, line = where_it_fails(self.session, failure)
        lines = failure.file.content.expected if failure.file else session.steps[step].expected
        right, rest = self._printed_around(lines, line)
        expected, printed = (row.expected, row.printed) if row else (str(line or ''), '')
        # If the row's line was expected in an earlier step, `rest` was printed only after more
        # input.
        is_late = row is not None and row.step < row.turn
        if not printed and not is_late:
            printed = ''.join(rest[:1])  # the line printed in place of a missing line
        following = row.following.parts[0] if row and row.following else None
        nearest = line or following
        next_lines = [other for other in lines if nearest and other.number > nearest.number]
        if following:
            next_lines.insert(0, following)
        if nearest:
            number = nearest.number
        else:
            number = session.steps[step].number or number_of_last_line(session)
        return WrongLine(
            session=session,
            step=step,
            number=number,
            line=line,
            before=''.join(before.output for before in session.steps[:step]) + right,
            expected=expected,
            printed=printed,
            expected_next=[*map(str, next_lines)],
            printed_next=rest[1:] if printed else rest,
            expected_text=''.join(map(str, lines)),
            printed_text=right + ''.join(rest),
        )

    def _printed_around(
        self, lines: Sequence[ExpectedLine], line: ExpectedLine | None
    ) -> tuple[str, Sequence[str]]:
        """Return a step's correct output, and the lines printed after it, the wrong line first.

        `lines` are the expected lines of the step; `line` is the wrong one, or None if the failure
        follows all of them.
        """
        failure, turns = self.failure, self.dialogue.turns
        is_at_end = failure.kind in AT_END
        if failure.file:
            printed = self.dialogue.files[failure.file.path].content
        else:  # the program may have ended before this turn
            printed = turns[failure.turn].printed if failure.turn < len(turns) else b''
        text = decoded(printed)
        start = failure.row.start if failure.row else len(decoded(printed[: failure.start]))
        right, rest = text[:start], lines_in(text[start:])
        # All expected lines before the failure were printed. Show them as the session has them at
        # its end, and if all input was sent at once: then nothing shows where the step's output
        # begins.
        if not failure.row and (self.session.at_once_from or is_at_end):
            right = ''.join(str(other) for other in lines if not line or other.number < line.number)
            if line:
                rest = rest[: len(lines)]  # no more lines than expected
        return right, [] if is_at_end else rest


class WrongLine(NamedTuple):
    """The first wrong line of a session, and the lines around it."""

    session: Session  # line by line, even if it was played with all input at once
    step: int  # the index of the wrong step
    number: int  # the line's number in the session's file, or the number of a line near it
    line: ExpectedLine | None  # the expected line, or None if no line is expected here
    before: str  # the correct output before the wrong line
    expected: str  # the expected line, or ''
    printed: str  # the line printed in its place, or ''
    expected_next: Sequence[str]  # the step's expected lines after `expected`
    printed_next: Sequence[str]  # the lines printed after `printed` in the same step
    expected_text: str  # all expected output of the step
    printed_text: str  # all printed output of the step

    @property
    def typed(self) -> str | None:
        """The preceding input line; None in the first step, and in a pair of files."""
        is_known = self.step and not self.session.answers
        return self.session.steps[self.step - 1].input if is_known else None


def number_of_last_line(session: Session) -> int:
    """Return the number of the last line in the file with the expected output, from 1."""
    if session.answers:
        return max(1, len(session.steps[-1].expected))
    return len(session.lines)


def where_it_fails(session: Session, failure: Failure) -> tuple[int, ExpectedLine | None]:
    """Return the index of the wrong step in the line-by-line session, and its wrong line, if any.

    If all input was typed at once, the wrong step is the one with the wrong line.
    """
    if failure.file:
        expected = failure.file.content.expected
    else:
        expected = session.steps[-1 if session.at_once_from else failure.turn].expected
    following = expected[failure.lines :]
    line = following[0] if following and failure.kind not in AT_END else None
    wanted = line
    step = failure.turn
    if failure.row:
        step, item = failure.row.step, failure.row.item
        line = item.parts[-1] if item else None
        wanted = line or wanted
    if failure.file or session.at_once_from:
        step = step_that_expects(session.line_by_line, wanted)
    return step, line


def step_that_expects(session: Session, wanted: ExpectedLine | None) -> int:
    """Return the index of the step that expects a line, or of the last step if there is none."""
    for index, step in enumerate(session.steps):
        if wanted and wanted.number in [line.number for line in step.expected]:
            return index
    return len(session.steps) - 1


def failure_in(session: Session, dialogue: Dialogue, turn: int | None = None) -> Failure | None:
    """Return the first failure in a dialogue, or None if there is none.

    If the first wrong `turn` is already known, return the failure in that turn, without comparing
    files. Return None if that is the last turn and the program ended as expected after all.
    """
    progress, turns = SessionProgress(session), dialogue.turns
    last = min(len(session.steps), len(turns)) - 1 if turn is None else turn
    number = 0
    progress.alignment.take(turns[number].printed_in_time)
    while number < last and (turn is not None or progress.alignment.is_whole):
        progress.begin_turn()
        number += 1
        progress.alignment.take(turns[number].printed_in_time)
    if progress.alignment.is_whole:  # then late output is extra
        progress.alignment.take(turns[number].printed_too_late)
    is_last_turn = number == len(turns) - 1
    if is_last_turn and dialogue.end in ('exit', 'excess'):
        progress.alignment.end()
    is_last_step = number == len(session.steps) - 1
    if (
        is_last_turn
        and is_last_step
        and progress.alignment.is_whole
        and ends_right(session, dialogue)
    ):
        return next(wrong_files(session, dialogue), None) if turn is None else None
    return failure_in_turn(session, dialogue, number, progress)


def failure_in_turn(
    session: Session, dialogue: Dialogue, turn: int, progress: SessionProgress
) -> Failure:
    """Return the failure in a dialogue, given the index of its first wrong turn.

    `progress` must have compared the output up to and including this turn.
    """
    later, must_ask = dialogue.turns[turn + 1 :], session.end.still_asks
    has_ended = not later and dialogue.end in ('exit', 'excess')
    is_session_whole = turn == len(session.steps) - 1 and progress.alignment.is_whole
    lines, start = progress.alignment.accepted()
    kind: FailureKind = 'silent'
    if progress.verdict(is_waiting=not has_ended) == 'wrong':
        kind = 'differs'
    elif has_ended:
        kind = 'status' if is_session_whole and not must_ask else 'ended'
    elif is_session_whole:
        kind = 'not asking' if must_ask else 'not ended'
    elif not later and dialogue.end == 'time':
        kind = 'trickles'
    if kind != 'silent' or dialogue.turns[turn].silence:
        return Failure(kind, turn, lines, start)
    progress.alignment.take(b''.join(later_turn.printed for later_turn in later))
    expected = len(session.steps[turn].expected)
    printed_later, _ = progress.alignment.accepted()
    return Failure(
        kind,
        turn,
        lines,
        start,
        comes_late=lines < expected == printed_later,
        # If there is a turn after the last step, the grader did not type a line before it.
        read_early=lines_before_output(later[: len(session.steps) - turn - 1]),
    )


def lines_before_output(turns: Sequence[Turn]) -> int:
    """Return how many lines a silent program read before it printed something and asked for more.

    `turns` are the turns after the silent one. Return 0 if the output may have appeared only
    because a buffer was full, or because the program ended.

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
    """Return whether a program exits with an expected status or, if it must, asks for more input.

    Its output is not compared.
    """
    if session.end.still_asks:
        # If the grader ended the input, the program may exit instead.
        input_was_ended = any(turn.ends_input for turn in dialogue.turns)
        return dialogue.end == 'asks' or (dialogue.end == 'exit' and input_was_ended)
    return (
        dialogue.end == 'exit'
        and dialogue.status is not None
        and session.end.accepts(dialogue.status)
    )
