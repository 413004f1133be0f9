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
from .comparison import Item
from .dialogue import Dialogue, Turn
from .expected_output import Alignment, Progress
from .steps import File, Printed, lines_in
from .transcript import Transcript

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
    # The output of the turn that matches each line that is due in it, up to the first wrong one.
    accepted: Sequence[bytes] = ()
    file: File | None = None            # the wrong file, if that is what is wrong
    pair: Pair | None = None            # the lines that do not match, where they were aligned
    comes_late: bool = False            # whether all that is due came, but only after more input
    read_early: int = 0                 # lines that it read before, if it then asked for more

    @property
    def start(self) -> int:
        """How many bytes of the turn's output are right before the line that is not."""
        return sum(map(len, self.accepted))


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
    def place(self) -> Place:
        """Where it is wrong: the lines that are due there, and those that were printed."""
        assert self.wrong
        return place_of(self.session, self.dialogue, self.wrong)


class Place(NamedTuple):
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
        """The input line before, None in the first step."""
        typed = self.session.steps[self.step - 1].input if self.step else None
        return typed and typed.rpartition('\n')[2]


def place_of(session: Transcript, dialogue: Dialogue, wrong: Wrong) -> Place:
    """Return where a session goes wrong, as it is line by line."""
    pair, step, done = wrong.pair, wrong.turn, len(wrong.accepted)
    text = dialogue.turns[step].printed if step < len(dialogue.turns) else b''
    line = pair.item.parts[-1] if pair and pair.item else None
    whole = session.in_turns or session
    if session.in_turns:                # all input came at once: what is due tells the step
        number = line.number if line else 0
        step = 0
        while step < len(whole.steps) - 1 and (
                done >= len(whole.steps[step].printed) if not line else
                number not in [due.number for due in whole.steps[step].printed]):
            done, step = done - len(whole.steps[step].printed), step + 1
    elif pair:
        step = pair.step
    lines = wrong.file.content.printed if wrong.file else whole.steps[step].printed
    text = dialogue.files[wrong.file.path].content if wrong.file else text
    before = ''.join(one.output for one in whole.steps[:step])
    end = whole.steps[step].number or whole.last_line
    if pair:
        own, behind = decoded(text), [due for due in lines if line and due.number > line.number]
        rest = lines_in(own[pair.start:])
        return Place(whole, step, pair.number or end, line, before + own[:pair.start], pair.due,
                     pair.printed, [*map(str, behind)], rest[1:] if pair.printed else rest,
                     ''.join(map(str, lines)), own)
    accepted = [decoded(piece) for piece in wrong.accepted[len(wrong.accepted) - done:]]
    rest, due = lines_in(decoded(text[wrong.start:])), [*map(str, lines[done:])]
    if session.in_turns and due:        # as many lines as should come
        rest = rest[:len(lines)]
    if wrong.kind in ('runs on', 'status'):
        rest, due = [], []
    right = ''.join(accepted)
    line = lines[done] if due else None
    return Place(whole, step, line.number if line else end, line, before + right, ''.join(due[:1]),
                 ''.join(rest[:1]), due[1:], rest[1:], right + ''.join(due), right + ''.join(rest))


def wrong_in(session: Transcript, dialogue: Dialogue, turn: int) -> Wrong:
    """Return what is wrong in the first turn of a dialogue that is not right."""
    progress = Progress(session)
    for earlier in dialogue.turns[:turn]:
        progress.take(earlier.printed)
        progress.type()
    progress.take(dialogue.turns[turn].printed)
    is_last = turn == len(session.steps) - 1
    is_over = turn == len(dialogue.turns) - 1
    has_ended = is_over and dialogue.end in ('exit', 'excess')
    accepted = progress.accepted()
    kind: Kind = 'silent'
    if progress.verdict(is_waiting=not has_ended) == 'wrong':
        return Wrong('differs', turn, accepted)
    if has_ended:
        progress.end()
    if is_last and progress.is_whole and not (session.still_asks and has_ended):
        kind = 'goes on' if session.still_asks else 'status' if has_ended else 'runs on'
    elif has_ended:
        kind = 'ended'
    elif is_over and dialogue.end == 'time':
        kind = 'trickles'
    if kind != 'silent' or len(accepted) == len(session.steps[turn].printed):
        return Wrong(kind, turn, accepted)
    progress.take(b''.join(one.printed for one in dialogue.turns[turn + 1:]))
    comes_late = len(progress.accepted()) == len(session.steps[turn].printed)
    # What comes because a buffer is full, or at the end, was not held back until a line was read.
    lines, shown = next(((lines, one) for lines, one in enumerate(
        dialogue.turns[turn + 1:len(session.steps)], 1) if one.printed), (0, Turn()))
    is_asking = shown.was_waiting and len(shown.printed) < SMALLEST_BUFFER
    return Wrong(kind, turn, accepted, comes_late=comes_late,
                 read_early=lines if is_asking else 0)


def judged(session: Transcript, dialogue: Dialogue) -> Wrong | None:
    """Return what is wrong first in a dialogue of a session, None if nothing is."""
    progress = Progress(session)
    for number, turn in enumerate(dialogue.turns):
        is_over, is_last = turn is dialogue.turns[-1], number == len(session.steps) - 1
        progress.take(turn.printed)
        if is_over and dialogue.end == 'exit':
            progress.end()
        if is_over and is_last and progress.is_whole and ends_right(session, dialogue):
            return next(wrong_files(session, dialogue), None)
        if is_over or is_last or not progress.is_whole:
            return wrong_in(session, dialogue, number)
        progress.type()
    return None


def wrong_files(session: Transcript, dialogue: Dialogue) -> Iterator[Wrong]:
    """Yield what is wrong in each file that is not what is due, or cannot be read."""
    for file in session.files:
        left = dialogue.files[file.path]
        alignment = Alignment(session, [file.content])
        alignment.take(left.content)
        accepted = alignment.accepted()
        alignment.end()
        if left.complaint or not alignment.is_whole:
            yield Wrong('file', len(session.steps) - 1, accepted, file)


def ends_right(session: Transcript, dialogue: Dialogue) -> bool:
    """Return whether a program that printed all that is due has ended, or asks, as it should."""
    if session.still_asks:
        has_no_input = any(turn.ends_input for turn in dialogue.turns)
        return dialogue.end == 'asks' or (dialogue.end == 'exit' and has_no_input)
    return (dialogue.end == 'exit' and dialogue.status is not None
            and session.accepts_status(dialogue.status))
