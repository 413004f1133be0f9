"""How a program departs from a transcript: in what it prints, or in the files that it leaves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Iterator, Sequence

from ..printable import decoded
from .dialogue import MOST_UNEXPECTED, Dialogue, LeftFile, Turn
from .expected_output import FIRST, Before, Progress, alignment_of
from .play import at_once
from .steps import File, Printed, Step, lines_in
from .transcript import Transcript
from .verdict import AT_ONCE, Kind, Pair, Played, Wrong, wrong_files

LINE = re.compile(b'[^\n]*\n|[^\n]+')



@dataclass
class Difference:
    """Where a program departs from a transcript: the first place, or a later one if `is_derived`.
    """

    transcript: Transcript
    step: int                           # the index of the step in which it does
    kind: Kind
    printed: bytes                      # all that was printed in this step
    late: bytes = b''                   # what came only after more input
    status: int | None = None           # the exit status, negative for a signal; None: running
    errors: bytes = b''                 # the end of what it printed on standard error
    way: str = ''                       # how it was played, if not line by line
    folder: str = ''                    # where the program's files are, as it sees them
    prints_on: bool = False             # whether more came until it was cut
    seconds: float = 0                  # the time limit, if that is what is wrong
    read_early: int = 0                 # lines that it read before `late`, if it then read more
    excess: str = ''                    # what it used too much of, if the grader killed it for that
    whole: bytes | None = None          # all its output, where all the input came at once
    is_open: bool = False               # whether nobody knows what is due after the line
    before: Before = FIRST              # what the step takes over from those before
    dialogue: Dialogue | None = None    # the whole session, where it was played
    is_settled: bool = False            # whether the machine has no part in what is wrong
    file: File | None = None            # the wrong file; `printed` is its content
    complaint: str = ''                 # why the file cannot be read: 'no such file'
    pair: Any = None                    # the line that is wrong, where it is known: see `pairs`
    position: int | None = None         # in all its output, of what is wrong, where that is known
    played: Played | None = None        # the session, the dialogue, and what is wrong first

    @property
    def expected(self) -> Step:
        """The step of the transcript in which the program departs from it, or the file's lines."""
        return self.file.content if self.file else self.transcript.steps[self.step]

    @cached_property
    def accepted(self) -> list[str]:
        """The printed lines of this step that match the lines due, up to the first wrong one."""
        return list(map(decoded, accepted_of(self, self.printed)))

    @property
    def due(self) -> list[str]:
        """The lines due in this step; lines that match are as the program printed them."""
        return [*self.accepted, *map(str, self.expected.printed[len(self.accepted):])]

    @property
    def line(self) -> Printed | None:
        """The first line due that was not printed, None if all were and more came."""
        if self.pair:
            return self.pair.item.parts[-1] if self.pair.item else None
        lines = self.expected.printed[len(self.accepted):]
        return lines[0] if lines else None

    @property
    def comes_late(self) -> bool:
        """Whether the output of this step came only after more input."""
        return self.kind == 'silent' and self.line is not None and (
            len(accepted_of(self, self.printed + self.late)) == len(self.expected.printed))


def accepted_of(difference: Difference, printed: bytes) -> list[bytes]:
    """Return the parts of a text that match the lines due where a program departs."""
    alignment = alignment_of(difference.transcript, difference.expected,
                             before=difference.before)
    alignment.take(printed)
    return alignment.accepted()


def difference_from(played: Played) -> Difference | None:
    """Return where a program departs from the session that it has played, None if nowhere."""
    if not played.wrong:
        return None
    transcript, dialogue, number = played.session, played.dialogue, played.wrong.turn
    progress = Progress(transcript)
    for turn in dialogue.turns[:number]:
        progress.take(turn.printed)
        progress.type()
    kind = played.wrong.kind
    later = dialogue.turns[number + 1:]
    return Difference(
        transcript, number, kind,
        b'' if kind in ('runs on', 'status') else dialogue.turns[number].printed,
        b'' if kind == 'differs' else b''.join(turn.printed for turn in later),
        None if kind == 'differs' else dialogue.status, dialogue.errors, played.way,
        dialogue.folder, prints_on=dialogue.end == 'output', seconds=played.seconds,
        read_early=played.wrong.read_early, excess=dialogue.excess,
        before=progress.before, dialogue=dialogue, is_settled=played.is_settled, played=played)


def difference_at_once(transcript: Transcript, played: Played) -> Difference | None:
    """Return where a program departs from a session that it has played at once, None if nowhere."""
    if not played.wrong:
        return None
    dialogue = played.dialogue
    has_ended = dialogue.end in ('exit', 'excess')
    difference = departure(transcript, dialogue.output, has_ended, dialogue.status) or Difference(
        transcript, len(transcript.steps) - 1, 'status' if has_ended else 'runs on', b'')
    difference.way, difference.errors, difference.folder = AT_ONCE, dialogue.errors, dialogue.folder
    difference.whole, difference.status = dialogue.output, dialogue.status
    difference.seconds, difference.excess = played.seconds, dialogue.excess
    difference.dialogue, difference.is_settled = dialogue, played.is_settled
    difference.played = played
    return difference


def departure(transcript: Transcript, output: bytes, has_ended: bool,
              status: int | None) -> Difference | None:
    """Return the first step whose output is wrong, None if all is right.

    The step counts as having printed as many of the remaining lines as it should print.
    """
    alignment = alignment_of(transcript, *transcript.steps)
    alignment.take(output)
    if has_ended:
        alignment.end()
    last = len(transcript.steps) - 1
    if not alignment.is_whole:
        pieces = alignment.accepted()
        number, start = place_of(transcript, pieces)
        rest = output[start:]
        if alignment.verdict(is_waiting=True) == 'begun':
            return Difference(transcript, number, 'ended' if has_ended else 'silent', rest,
                              status=status)
        if transcript.still_asks and len(pieces) == len(alignment.lines):
            return None                 # the rest is about the end of its input
        step = transcript.steps[number]
        if transcript.is_exact and len(pieces) < len(alignment.lines):
            rest = b''.join(LINE.findall(rest)[:len(step.printed)])
        return Difference(transcript, number, 'differs', rest[:MOST_UNEXPECTED + step.size])
    if transcript.still_asks:
        return None
    if not has_ended:
        return Difference(transcript, last, 'runs on', b'')
    if not transcript.accepts_status(status or 0):
        return Difference(transcript, last, 'status', b'', status=status)
    return None


def place_of(transcript: Transcript, pieces: Sequence[bytes]) -> tuple[int, int]:
    """Return the first step without all its output, or the last, and where its output begins.

    `pieces` are the outputs that match the lines that are due.
    """
    start = done = 0
    for number, step in enumerate(transcript.steps):
        upto = done + len(step.printed)
        if upto > len(pieces) or number == len(transcript.steps) - 1:
            break
        start += sum(map(len, pieces[done:upto]))
        done = upto
    return number, start


def differences_in_files(transcript: Transcript, dialogue: Dialogue) -> Iterator[Difference]:
    """Yield the difference in each file that is wrong."""
    for wrong in wrong_files(transcript, dialogue):
        assert wrong.file
        left = dialogue.files[wrong.file.path]
        yield Difference(transcript, wrong.turn, 'file', left.content,
                         file=wrong.file, complaint=left.complaint, dialogue=dialogue)


@dataclass
class Observation:
    """All that a program does in a session that it fails."""

    transcript: Transcript
    difference: Difference              # where it first departs from the session
    output: bytes                       # up to its end, or until the program was stopped
    status: int | None                  # the exit status, negative for a signal; None: stopped
    errors: bytes = field(default=b'')  # the end of what it printed on standard error
    is_cut: bool = False                # whether what it prints after the difference is not known
    played: Played | None = None        # the session, the dialogue, and what is wrong first

    @classmethod
    def of(cls, played: Played) -> Observation:
        """Return what the dialogue of a failed session holds."""
        wrong, dialogue = played.wrong, played.dialogue
        assert wrong
        if wrong.file:
            left = dialogue.files[wrong.file.path]
            difference: Difference | None = Difference(
                played.session, wrong.turn, 'file', left.content, file=wrong.file,
                complaint=left.complaint, dialogue=dialogue, played=played)
        elif played.session.in_turns:
            difference = difference_at_once(played.session.in_turns, played)
        else:
            difference = difference_from(played)
        assert difference
        return cls(difference.transcript, difference, dialogue.output, dialogue.status,
                   dialogue.errors, dialogue.is_cut, played)


def played_of(difference: Difference) -> Played:
    """Return a difference as the session that shows it."""
    steps = difference.transcript.steps
    dialogue = replace(
        difference.dialogue or Dialogue(), status=difference.status, errors=difference.errors,
        excess=difference.excess, folder=difference.folder)
    accepted: Sequence[bytes] = accepted_of(difference, difference.printed)
    if difference.kind in ('runs on', 'status'):
        accepted = [str(line).encode() for line in steps[difference.step].printed]
    pair = difference.pair
    if difference.is_open:
        line = difference.line
        start = len(b''.join(accepted))
        rest = lines_in(decoded(difference.printed[start:]))
        pair = Pair(difference.step, str(line) if line else '', ''.join(rest[:1]),
                    line.number if line else 0, difference.step,
                    len(decoded(difference.printed[:start])))
    if not difference.pair:
        dialogue.turns = [Turn(step.output.encode()) for step in steps[:difference.step]]
        dialogue.turns += [Turn(difference.printed), Turn(difference.late)]
    if difference.file:
        dialogue.files = {difference.file.path: LeftFile(difference.printed, difference.complaint)}
    session, step = difference.transcript, difference.step
    if difference.pair and difference.whole is not None:
        session, step = at_once(session), 1
    return Played(
        session, dialogue, Wrong(difference.kind, step, accepted, difference.file, pair,
                                 difference.comes_late, difference.read_early),
        difference.is_settled, difference.way, 0 if difference.is_open else difference.seconds)
