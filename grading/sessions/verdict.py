"""The verdict on a session that was played: is it right, and if not, what is wrong first.

A failed session is a `Played`: what was due (`session`, a step for each turn), what the program did
(`dialogue`), and where it first went wrong (`wrong`). All that is told of a program comes from
these three.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Iterator, Literal, NamedTuple, Sequence

from ..printable import decoded
from .comparison import Alignment, Item, Progress
from .dialogue import Dialogue, Turn
from .transcript import File, Printed, Transcript, lines_in

Kind = Literal[
    'differs',                          # it prints something else
    'ended',                            # it ends while something is due
    'silent',                           # nothing comes for some time
    'trickles',                         # it takes too long in all
    'runs on',                          # it does not end
    'status',                           # it ends with another exit status
    'goes on',                          # it neither asks for more input, as is due, nor ends
    'file',                             # a file that it leaves is not what is due, or not there
]
HANGING = ('silent', 'trickles', 'runs on', 'goes on')     # kinds for a program that does not end
AT_END = ('runs on', 'status')           # kinds for what is wrong behind all that is due
AT_ONCE = 'with all its input at once'
SMALLEST_BUFFER = 1 << 12               # bytes after which output comes though nobody flushes it


class Pair(NamedTuple):
    """A line that was due, or printed, or one of each that do not match."""

    step: int                           # the index of the step in which it was due, or printed
    due: str                            # with its newline; '' for nothing
    printed: str                        # without a prompt of the program's own before it
    number: int                         # of the line in the session's file, 0 for none
    turn: int                           # the index of the turn in which it was printed
    start: int                          # where it begins in the text of that turn
    item: Item | None = None


@dataclass(frozen=True)
class Wrong:
    """What is wrong in a session: in which turn, how, and behind which right output."""

    kind: Kind
    turn: int
    lines: int = 0                      # that are due in the turn, and came before
    start: int = 0                      # how many bytes of the turn's output are right
    file: File | None = None            # the wrong file, if that is what is wrong
    pair: Pair | None = None            # the lines that do not match, where they were aligned
    comes_late: bool = False            # whether all that is due came, but only after more input
    read_early: int = 0                 # lines that it read before, if it then asked for more


@dataclass
class Played:
    """A session that was played: what was due, what the program did, and what is wrong first.

    The steps of `session` say what was due in the turns of the dialogue, one by one. A dialogue has
    fewer turns if the program ended before, and one more if the grader ended its input at last. One
    that tells of a fault has in `wrong` the best place to see that.
    """

    session: Transcript                 # as it was typed, perhaps at once; as the program went
    dialogue: Dialogue
    wrong: Wrong | None = None          # None: the session is right
    is_settled: bool = False            # whether the machine has no part in what is wrong
    way: str = ''                       # how it was played, if not line by line
    seconds: float = 0                  # for which the program could be silent, 0 if that is moot

    @property
    def status(self) -> int | None:
        """The exit status, negative for a signal; None if it was stopped, or only prints wrong."""
        return self.dialogue.status if self.wrong and self.wrong.kind != 'differs' else None

    @cached_property
    def place(self) -> WrongLine:
        """Where it is wrong: the lines that are due there, and those that were printed."""
        assert self.wrong
        return place_of(self.session, self.dialogue, self.wrong)


class WrongLine(NamedTuple):
    """Where a session goes wrong: the first line that is, and the lines around it."""

    session: Transcript                 # the session line by line, however it was played
    step: int                           # its step in which the wrong line is due
    number: int                         # of the line in the session's file
    line: Printed | None                # the due line that did not come, None if none is due
    before: str                         # what was due, and right, before
    expected: str                       # the line that is due, '' for none
    printed: str                        # the line that was printed there, '' for none
    expected_next: Sequence[str]        # the lines behind them, in the step
    printed_next: Sequence[str]
    expected_text: str                  # all that was due and printed in the step
    printed_text: str

    @property
    def typed(self) -> str | None:
        """The input line before, None in the first step, and in a pair of files."""
        is_known = self.step and not self.session.answers
        return self.session.steps[self.step - 1].input if is_known else None


def place_of(session: Transcript, dialogue: Dialogue, wrong: Wrong) -> WrongLine:
    """Return where a session goes wrong, as it is line by line."""
    whole, pair, step, done = session.line_by_line, wrong.pair, wrong.turn, wrong.lines
    own = pair.item.parts[-1] if pair and pair.item else None
    if pair:
        step = pair.step
    elif wrong.kind in AT_END:
        done = len(session.steps[step].printed)
    if session.in_turns:                # the line that is due tells the step
        if own:
            done = [due.number for due in session.steps[wrong.turn].printed].index(own.number)
        step = 0
        while step < len(whole.steps) - 1 and done >= len(whole.steps[step].printed):
            done -= len(whole.steps[step].printed)
            step += 1
    lines = whole.steps[step].printed
    printed = b''.join(turn.printed for turn in dialogue.turns[wrong.turn:wrong.turn + 1])
    if wrong.file:
        lines, printed = wrong.file.content.printed, dialogue.files[wrong.file.path].content
    before = ''.join(one.output for one in whole.steps[:step])
    line = lines[done] if done < len(lines) else None
    number = whole.steps[step].number or whole.last_line
    if pair:
        number = pair.number or (line.number if line and session.in_turns else number)
        text = decoded(printed)
        rest = lines_in(text[pair.start:])
        return WrongLine(
            whole, step, number, own, before + text[:pair.start], pair.due, pair.printed,
            [str(due) for due in lines if own and due.number > own.number],
            rest[1:] if pair.printed else rest, ''.join(map(str, lines)), text)
    right, due = ''.join(map(str, lines[:done])), [*map(str, lines[done:])]
    rest = lines_in(decoded(printed[wrong.start:])) if wrong.kind not in AT_END else []
    if session.in_turns and line:       # as many lines as should come
        rest = rest[:len(lines)]
    elif wrong.kind not in AT_END and not session.in_turns:
        right = decoded(printed[:wrong.start])
    return WrongLine(whole, step, line.number if line else number, line, before + right,
                     ''.join(due[:1]), ''.join(rest[:1]), due[1:], rest[1:], right + ''.join(due),
                     right + ''.join(rest))


def judged(session: Transcript, dialogue: Dialogue, turn: int | None = None) -> Wrong | None:
    """Return what is wrong first in a dialogue of a session, None if nothing is.

    If the first `turn` that is wrong is known, return what is wrong there.
    """
    progress, steps = Progress(session), session.steps
    for number, one in enumerate(dialogue.turns):
        later = dialogue.turns[number + 1:]
        is_last = number == len(steps) - 1
        progress.turn.take(one.printed)
        if (not later or is_last or not progress.turn.is_whole) if turn is None else number == turn:
            break
        progress.type()
    has_ended = not later and dialogue.end in ('exit', 'excess')
    lines, start = progress.turn.accepted()
    kind: Kind = 'silent'
    if progress.verdict(is_waiting=not has_ended) == 'wrong':
        return Wrong('differs', number, lines, start)
    if has_ended:
        progress.turn.end()
    is_whole = is_last and progress.turn.is_whole
    if turn is None and not later and is_whole and ends_right(session, dialogue):
        return next(wrong_files(session, dialogue), None)
    if is_whole and not has_ended:
        kind = 'goes on' if session.still_asks else 'runs on'
    elif has_ended:
        kind = 'status' if is_whole and not session.still_asks else 'ended'
    elif not later and dialogue.end == 'time':
        kind = 'trickles'
    if kind != 'silent':
        return Wrong(kind, number, lines, start)
    progress.turn.take(b''.join(one.printed for one in later))
    due = len(steps[number].printed)
    return Wrong(kind, number, lines, start, comes_late=lines < due == progress.turn.accepted()[0],
                 read_early=lines_before_output(later[:len(steps) - number - 1]))


def lines_before_output(turns: Sequence[Turn]) -> int:
    """Return how many lines a silent program read before it printed, and then asked for more.

    Return 0 if the output may have come because a buffer was full, or at the end.
    """
    for lines, turn in enumerate(turns, 1):
        if turn.printed:
            return lines if turn.was_waiting and len(turn.printed) < SMALLEST_BUFFER else 0
    return 0


def wrong_files(session: Transcript, dialogue: Dialogue) -> Iterator[Wrong]:
    """Yield what is wrong in each file that is not what is due, or cannot be read."""
    for file in session.files:
        left = dialogue.files[file.path]
        alignment = Alignment(session, [file.content])
        alignment.take(left.content)
        lines, start = alignment.accepted()
        alignment.end()
        if left.complaint or not alignment.is_whole:
            yield Wrong('file', len(session.steps) - 1, lines, start, file)


def ends_right(session: Transcript, dialogue: Dialogue) -> bool:
    """Return whether a program that printed all that is due has ended, or asks, as it should."""
    if session.still_asks:
        has_no_input = any(turn.ends_input for turn in dialogue.turns)
        return dialogue.end == 'asks' or (dialogue.end == 'exit' and has_no_input)
    return (dialogue.end == 'exit' and dialogue.status is not None
            and session.accepts_status(dialogue.status))
