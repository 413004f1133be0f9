"""The verdict on a session that was played: is it right, and if not, what is wrong first.

A failed session is a `Played`: what was due (`session`, a step for each turn), what the program did
(`dialogue`), and where it first went wrong (`wrong`). All that is told of a program comes from
these three.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Literal, Sequence

from .dialogue import Dialogue
from .expected_output import Alignment, Progress
from .steps import File
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


@dataclass(frozen=True)
class Wrong:
    """What is wrong in a session: in which turn, how, and behind which right output."""

    kind: Kind
    turn: int
    # The output of the turn that matches each line that is due in it, up to the first wrong one.
    accepted: Sequence[bytes] = ()
    file: File | None = None            # the wrong file, if that is what is wrong

    @property
    def start(self) -> int:
        """How many bytes of the turn's output are right before the line that is not."""
        return sum(map(len, self.accepted))


@dataclass
class Played:
    """A session that was played: what was due, what the program did, and what is wrong first.

    The steps of `session` say what was due in the turns of the dialogue, one by one. A dialogue has
    fewer turns if the program ended before, and one more if the grader ended its input at last.
    """

    session: Transcript                 # as it was typed, perhaps at once; as the program went
    dialogue: Dialogue
    wrong: Wrong | None = None          # None: the session is right
    is_settled: bool = False            # whether the machine has no part in what is wrong
    way: str = ''                       # how it was played, if not line by line
    seconds: float = 0                  # for which the program could be silent


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
    return Wrong(kind, turn, accepted)


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
