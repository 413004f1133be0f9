"""Parses the tracer's report on a run, and finds what ran before the wrong output.

The report is parsed defensively: a hostile program may have written it.
"""

from __future__ import annotations

import builtins
import math
import os
import posixpath
import re
from binascii import crc32
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...printable import common_length, decoded
from ...sessions.verdict import Failure, PlayedSession
from ..crash import FRAME, crash_at, own_file

LARGEST_WRITE = 10**9  # maximum size of a single write, in bytes
LONGEST_NAME = 4096  # maximum length of a file's path, in bytes
MAX_TEXT = 800  # maximum length of an exception's message, in bytes
# The forms of a line in the report: a file, an exception, or a letter and numbers.
FILE = re.compile('F ([0-9]{1,9}) ((?:[0-9a-f]{2})+)')
EXCEPTION = re.compile(r'E ([0-9]{1,9}) ([0-9]{1,9}) (\w{1,50}) ((?:[0-9a-f]{2})*)')
NUMBERS = re.compile('([LWRX])((?: [0-9]{1,10})*)')
# Exceptions that signal the end of a loop or of the input rather than a mistake.
ORDINARY = ('EOFError', 'StopAsyncIteration', 'StopIteration')


class Line(NamedTuple):
    """A line of a program: its file, relative to the program's folder, and its number."""

    file: str
    number: int


Lines = tuple[Line, ...]  # a call stack: the innermost function's line first


class Write(NamedTuple):
    """The bytes printed in one call, and the lines of that call in the program's files."""

    start: int  # the position of the first of the bytes in the output of the run
    end: int  # the position after the last of them
    checksum: int  # their CRC-32
    lines: Lines  # the line with the call, and the line calling the function around it


class RaisedException(NamedTuple):
    """A built-in exception: the line raising it, and its type."""

    line: Line
    type: str


class Occurrence(NamedTuple):
    """The first time an exception was raised in a step."""

    text: str  # the message of the exception
    printed: int  # how many bytes the run had printed by then


@dataclass
class TracedStep:
    """A part of a run.

    It ends when the program reads input after printing something, or when the run ends.
    """

    start: int  # how many bytes had been printed when the step began
    # How many lines of input had been read before the step began, or -1 for the first step.
    lines_read: int
    # Each executed line, and how many bytes had been printed before it first ran in the step.
    lines: dict[Line, int] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    raised: dict[RaisedException, Occurrence] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """How many bytes had been printed when the step ended."""
        return self.writes[-1].end if self.writes else self.start


@dataclass
class Trace:
    """A run of a program under the tracer: its steps, its output, and how it ended."""

    output: bytes = b''
    status: int | None = None  # the exit status, or None if the program was stopped
    is_same: bool = True  # whether the run went the same way as the run without the tracer
    is_whole: bool = True  # whether the tracer reported every executed line
    steps: list[TracedStep] = field(default_factory=lambda: [TracedStep(0, -1)])
    # The call stack of each read: of a line of input, or of all remaining input at once.
    readers: list[Lines] = field(default_factory=list)
    # How many bytes had been printed before each read.
    printed: list[int] = field(default_factory=list)

    @classmethod
    def read(
        cls,
        content: bytes,
        output: bytes = b'',
        status: int | None = None,
        is_same: bool = True,
        given: Collection[str] = (),
    ) -> Trace:
        """Parse a tracer report.

        Ignore what the tracer cannot have written, and all lines of the files provided by the
        assignment (`given`).
        """
        trace = cls(output, status, is_same)
        files: dict[int, str] = {}  # each file's path, by its number in the report
        for line in content.decode('latin-1').split('\n')[:-1]:  # the last line may be cut off
            if file := FILE.fullmatch(line):
                name = file_name(file[2])
                if name and name not in given:
                    files[int(file[1])] = name
            elif exception := EXCEPTION.fullmatch(line):
                trace._add_exception(exception, files)
            elif numbers := NUMBERS.fullmatch(line):
                trace._add(numbers[1], [int(number) for number in numbers[2].split()], files)
        return trace

    @property
    def read_once(self) -> list[Line]:
        """The lines that read input exactly once, themselves or in a function they call."""
        times = Counter(line for lines in self.readers for line in {*lines})
        return [line for line, number in times.items() if number == 1]

    def _add(self, kind: str, numbers: list[int], files: dict[int, str]) -> None:
        """Add a report line of this kind; `injected/tracer.py` defines its format."""
        step = self.steps[-1]
        if kind == 'L':
            for line in lines_of(numbers, files):
                step.lines.setdefault(line, step.end)
        elif kind == 'W' and len(numbers) >= 2:
            size, checksum, *others = numbers
            end = step.end + min(size, LARGEST_WRITE)
            step.writes.append(Write(step.end, end, checksum, lines_of(others, files)))
        elif kind == 'R':
            if step.writes:
                self.steps.append(TracedStep(step.end, len(self.readers)))
            self.readers.append(lines_of(numbers, files))
            self.printed.append(step.end)
        elif kind == 'X':
            self.is_whole = False

    def _add_exception(self, found: re.Match[str], files: dict[int, str]) -> None:
        """Record an exception if it may indicate a mistake.

        Ignore exceptions before the first input: until then, a program usually only checks what the
        machine offers, such as optional modules.
        """
        file, number, name, text = found.groups()
        type_ = getattr(builtins, name, None)
        if not isinstance(type_, type) or not issubclass(type_, Exception) or name in ORDINARY:
            return
        if int(file) not in files or not self.readers:
            return
        step = self.steps[-1]
        raised = RaisedException(Line(files[int(file)], int(number)), name)
        step.raised.setdefault(
            raised, Occurrence(decoded(bytes.fromhex(text)[:MAX_TEXT]), step.end)
        )


def file_name(digits: str) -> str:
    """Decode a file's path from hexadecimal digits; return '' if it is too long.

    Normalize the path, so that each file has a single name.

    >>> file_name('2e2f612e7079')
    'a.py'
    """
    if len(digits) > 2 * LONGEST_NAME:
        return ''
    return posixpath.normpath(os.fsdecode(bytes.fromhex(digits)).replace(os.sep, '/'))


def lines_of(numbers: Sequence[int], files: Mapping[int, str]) -> Lines:
    """Return the lines for pairs of numbers (file, line); skip files that are not in `files`.

    >>> lines_of([0, 3, 1, 8], {0: 'a.py'})
    (Line(file='a.py', number=3),)
    """
    pairs = zip(numbers[::2], numbers[1::2], strict=False)
    return tuple(Line(files[file], number) for file, number in pairs if file in files)


class FailedRun:
    """A traced run of a session with a fault, up to the wrong step.

    `name` is the session's name, and `step` is the index of the session's wrong step: how many
    lines are typed before the wrong output. `played` is the session as it was graded, or None if
    another fault may have caused its failure.
    """

    def __init__(self, name: str, step: int, played: PlayedSession | None, trace: Trace) -> None:
        self.name = name
        self.played = played
        self.wrong = played.failure_found if played else None
        self.is_whole = trace.is_whole
        # The write of the first wrong byte, or None if it is not known.
        self.write = wrong_write(played, self.wrong, trace) if played and self.wrong else None
        if self.write:
            before = [done for done in trace.steps if done.end <= self.write.start]
            self.steps = trace.steps[: len(before) + 1]
        else:
            # Only steps that began before `step` lines had been read.
            self.steps = [done for done in trace.steps if done.lines_read < max(0, step)]
        self.ran_so_far = {line for done in self.steps for line in done.lines}
        # What ran in the wrong step, until the program printed the wrong output.
        until = self.write.start if self.write else math.inf
        self.ran = [line for line, printed in self.steps[-1].lines.items() if printed <= until]
        # What was raised in the wrong step before the program printed the wrong output.
        self.raised = {
            raised: occurrence
            for raised, occurrence in self.steps[-1].raised.items()
            if occurrence.printed <= until
        }
        # The call stack of the last read before the wrong output. If output is missing, the call
        # stack of the read that happened instead.
        reads = max(0, step)
        if self.wrong and self.wrong.kind != 'differs':
            reads += 1
        readers = trace.readers[:reads]
        self.readers: Lines = readers[-1] if readers else ()
        self.read_once = trace.read_once
        self.crash = crash_lines(played) if played else ()
        self.last_write = None if self.crash else self._last_write(trace)

    def _last_write(self, trace: Trace) -> Write | None:
        """Return the last write before an early end, or None if it is not known.

        Also return None if the program read more input after the last write.
        """
        last = trace.steps[-1]
        if not self.wrong or self.wrong.kind != 'ended' or self.steps[-1] is not last:
            return None
        if not last.writes or not is_in(trace.output, last.writes[-1]):
            return None
        return last.writes[-1]


def crash_lines(played: PlayedSession) -> Lines:
    """Return the program's lines in the traceback of a crash, the innermost first.

    The first is the reported line of the crash. Return () if there was no crash, or if its
    traceback lacks this line.
    """
    dialogue, crash = played.dialogue, crash_at(played)
    lines = []
    for text in reversed(decoded(dialogue.errors).splitlines()):
        frame = FRAME.match(text)
        file = own_file(frame[1], dialogue.folder, dialogue.given) if frame else ''
        if frame and file:
            lines.append(Line(file, int(frame[2])))
    at = Line(crash.file, crash.line) if crash else None
    return tuple(lines[lines.index(at) :]) if at in lines else ()


def wrong_write(played: PlayedSession, wrong: Failure, trace: Trace) -> Write | None:
    """Return the write of the first wrong byte, or None if it is not certain."""
    position = wrong_byte(played, wrong, trace)
    if position is None:
        return None
    for step in trace.steps:
        for write in step.writes:
            if write.start <= position < write.end and is_in(trace.output, write):
                return write
    return None


def wrong_byte(played: PlayedSession, wrong: Failure, trace: Trace) -> int | None:
    """Return the position of the first wrong byte in a run's output, or None if it is not certain.

    If only the end of a line is missing, its last printed byte counts as wrong. If the output came
    late, the first byte of the expected line does.
    """
    if wrong.kind != 'differs' and not wrong.comes_late:
        return None
    turns = played.dialogue.turns
    start = sum(len(turn.printed) for turn in turns[: wrong.turn])
    printed = turns[wrong.turn].printed if wrong.turn < len(turns) else b''
    expected = played.wrong_line.expected.encode()
    if wrong.comes_late:
        position = start + len(printed)
        # Free text before the expected line may also be late.
        late = b'\n' + trace.output[position:]
        return position + max(0, late.find(b'\n' + expected))
    at = len(decoded(printed)[: wrong.row.start].encode()) if wrong.row else wrong.start
    line = printed[at : printed.find(b'\n', at) + 1 or len(printed)]
    right = common_length(line, expected)
    if not line or not trace.output.startswith(line[: right + 1], start + at):
        return None
    return start + at + min(right, len(line) - 1)


def is_in(output: bytes, write: Write) -> bool:
    """Return whether a run's output contains the bytes reported by the tracer for this write."""
    return crc32(output[write.start : write.end]) == write.checksum
