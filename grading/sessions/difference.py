"""How a program departs from a transcript: in what it prints, or in the files that it leaves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Iterator, Sequence

from ..printable import decoded
from .dialogue import Dialogue
from .directives import Rules
from .expected_output import FIRST, Before, Progress, alignment_of
from .play import MOST_UNEXPECTED
from .steps import File, Printed, Step, lines_in
from .transcript import Transcript
from .verdict import AT_ONCE, Kind, Played, wrong_files

LINE = re.compile(b'[^\n]*\n|[^\n]+')

SMALLEST_BUFFER = 1 << 12               # bytes after which output comes though nobody flushes it


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
    def is_runaway(self) -> bool:
        """Whether the output was so long that it was cut."""
        return len(self.printed) >= MOST_UNEXPECTED + self.expected.size

    @property
    def expected(self) -> Step:
        """The step of the transcript in which the program departs from it, or the file's lines."""
        return self.file.content if self.file else self.transcript.steps[self.step]

    @property
    def typed(self) -> str | None:
        """The input line before this step, None in the first step."""
        typed = self.transcript.steps[self.step - 1].input if self.step else None
        return typed and typed.rpartition('\n')[2]

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
    def rule(self) -> str:
        """The rule by which that line was compared, in words: '' for byte by byte."""
        return rule_of(self.line, self.transcript.rules) if self.line else ''

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
        read_early=lines_before_output(played) if kind == 'silent' else 0, excess=dialogue.excess,
        before=progress.before, dialogue=dialogue, is_settled=played.is_settled, played=played)


def lines_before_output(played: Played) -> int:
    """Return how many lines a silent program read before it printed, and then read more.

    Return 0 if the output may have come because a buffer was full, or at the end.
    """
    wrong = played.wrong.turn if played.wrong else 0
    for number, turn in enumerate(played.dialogue.turns[:len(played.session.steps)]):
        if number > wrong and turn.printed:
            is_asking = turn.was_waiting and len(turn.printed) < SMALLEST_BUFFER
            return number - wrong if is_asking else 0
    return 0


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
    def of(cls, difference: Difference) -> Observation:
        """Return what the dialogue of a failed session holds."""
        dialogue = difference.dialogue
        assert dialogue
        return cls(difference.transcript, difference, dialogue.output, dialogue.status,
                   dialogue.errors, dialogue.is_cut, difference.played)


@dataclass
class Situation:
    """The first line that differs, with the lines around it; `''` for a line that is not there."""

    expected: str
    printed: str
    number: int                         # of the line in the transcript
    expected_next: list[str]
    printed_next: list[str]
    printed_before: str                 # the line before
    typed: str                          # the input line before
    inputs: list[str]                   # all input lines before
    output_before: str                  # everything that was due and printed before
    is_end: bool                        # whether everything that was due has been printed


def situation_of(difference: Difference) -> Situation:
    """Return the first line of a step that differs, with the lines around it."""
    steps = difference.transcript.steps
    step = difference.expected
    printed = decoded(difference.printed)
    inputs = [step.input or '' for step in steps[:difference.step]]
    if difference.pair:
        pair = difference.pair
        return Situation(pair.due, pair.printed,
                         pair.number or step.number or difference.transcript.last_line, [], [], '',
                         difference.typed or '', inputs, '', False)
    due = difference.due
    matched = len(due if difference.kind in ('runs on', 'status') else difference.accepted)
    line = step.printed[matched] if matched < len(due) else None
    start = sum(map(len, due[:matched]))
    rest = lines_in(printed[start:]) or ['']
    output_before = ''.join(s.output for s in steps[:difference.step]) + printed[:start]
    before = output_before.splitlines()
    return Situation(
        due[matched] if line else '', rest[0],
        line.number if line else step.number or difference.transcript.last_line,
        due[matched + 1:], rest[1:], before[-1] if before else '',
        difference.typed or '', inputs, output_before,
        difference.step == len(steps) - 1 and not line)


def rule_of(line: Printed, rules: Rules) -> str:
    """Return in words the rules by which a line is compared, '' for byte by byte.

    >>> rule_of(Printed(1, '2.50', True), Rules(ignores_case=True, tolerance=0.01))
    'ignoring case, numbers within 0.01'
    """
    names = [name for name, is_ignored in (('case', rules.ignores_case),
                                           ('blanks', rules.ignores_blanks)) if is_ignored]
    words = [{'text': '', 'free': 'any line', 'regex': 'a regular expression',
              'words': 'own words', 'question': 'own words'}[line.rule],
             'ignoring ' + ' and '.join(names) if names and line.rule in ('text', 'regex') else '',
             f'numbers within {rules.tolerance:g}'
             if rules.tolerance is not None and line.rule == 'text' else '',
             'after any lines' if line.skips else '']
    return ', '.join(filter(None, words))
