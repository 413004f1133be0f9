"""Parses the tracer's report on a run defensively: a hostile program may have written it."""

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
MOST_TEXT = 800  # maximum length of an exception's message, in bytes
# The forms of a line in the report: a file, an exception, or only numbers.
FILE = re.compile('F ([0-9]{1,9}) ((?:[0-9a-f]{2})+)')
EXCEPTION = re.compile(r'E ([0-9]{1,9}) ([0-9]{1,9}) (\w{1,50}) ((?:[0-9a-f]{2})*)')
NUMBERS = re.compile('([LWRX])((?: [0-9]{1,10})*)')
# Exceptions that only signal the end of a loop or of the input, not a mistake.
ORDINARY = ('EOFError', 'StopAsyncIteration', 'StopIteration')


class Line(NamedTuple):
    """A line of a program: its file, relative to the program's folder, and its number."""

    file: str
    number: int


Lines = tuple[Line, ...]  # a call stack: the innermost function's line first


class Write(NamedTuple):
    """The bytes of the output from `start` to `end` - 1, and the lines that printed them."""

    start: int
    end: int
    sum: int  # the CRC-32 of the bytes
    lines: Lines  # the line that printed them, and its caller, in the program's own files


class RaisedException(NamedTuple):
    """A line that raises a built-in exception, and the exception's type."""

    line: Line
    type: str


class Occurrence(NamedTuple):
    """The first time that a step raised an exception."""

    text: str  # the message of the exception
    printed: int  # how many bytes the run had printed by then


@dataclass
class TracedStep:
    """A part of a run.

    It ends when the program reads input after it has printed something, or when the run ends.
    """

    start: int  # how many bytes had been printed when the step began
    lines_read: int  # how many lines of input had been read by then, or -1 for the first step
    # Each line that ran, with the number of bytes that had been printed before it first ran.
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
    is_whole: bool = True  # whether the tracer reported every line that ran
    steps: list[TracedStep] = field(default_factory=lambda: [TracedStep(0, -1)])
    # For each line of input: the call stack in which it was read, and how many bytes had been
    # printed by then.
    readers: list[Lines] = field(default_factory=list)
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

        Ignore lines that the tracer cannot have written, and lines about files that the assignment
        provides (`given`).
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
        """The lines that read exactly one line of input, themselves or in a function they call."""
        times = Counter(line for lines in self.readers for line in {*lines})
        return [line for line, number in times.items() if number == 1]

    def _add(self, kind: str, numbers: list[int], files: dict[int, str]) -> None:
        """Add a report line that has only numbers; `injected/tracer.py` defines its format."""
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
        kind = getattr(builtins, name, None)
        if not isinstance(kind, type) or not issubclass(kind, Exception) or name in ORDINARY:
            return
        if int(file) not in files or not self.readers:
            return
        step = self.steps[-1]
        raised = RaisedException(Line(files[int(file)], int(number)), name)
        step.raised.setdefault(
            raised, Occurrence(decoded(bytes.fromhex(text)[:MOST_TEXT]), step.end)
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
    """A traced run of a session that shows a fault, up to the step that went wrong.

    `played` is the session as it was graded, or None if another fault may have caused its failure.
    """

    def __init__(self, name: str, step: int, played: PlayedSession | None, trace: Trace) -> None:
        self.wrong = wrong = played.failure_found if played else None
        self.name = name
        self.played = played
        self.is_whole = trace.is_whole
        # The write that printed the first wrong byte, or None if it is not known.
        self.write = wrong_write(played, wrong, trace) if played and wrong else None
        if self.write:
            before = [done for done in trace.steps if done.end <= self.write.start]
        else:
            before = [done for done in trace.steps[1:] if done.lines_read < max(0, step)]
        self.steps = trace.steps[: len(before) + 1]  # up to the step that went wrong
        self.ran_so_far = {line for done in self.steps for line in done.lines}
        # What ran and what was raised in the step that went wrong, before the program printed the
        # wrong output.
        until = self.write.start if self.write else math.inf
        self.ran = [line for line, printed in self.steps[-1].lines.items() if printed <= until]
        self.raised = {
            raised: raising
            for raised, raising in self.steps[-1].raised.items()
            if raising.printed <= until
        }
        # The call stack in which the program read the last line of input before the wrong output
        # or, if output is missing, in which it waited for input instead of printing.
        number = max(0, step)
        if wrong and wrong.kind != 'differs':
            number += 1
        readers = trace.readers[:number]
        self.readers: Lines = readers[-1] if readers else ()
        self.read_once = trace.read_once
        self.crash = crash_lines(played) if played else ()
        self.last_write = None if self.crash else self._last_write(trace)

    def _last_write(self, trace: Trace) -> Write | None:
        """Return the last write of a program that ended too early, or None if it is not known.

        Also return None if the program read more input after that write.
        """
        is_end = self.wrong and self.wrong.kind == 'ended' and self.steps[-1] is trace.steps[-1]
        write = next(reversed(self.steps[-1].writes), None) if is_end else None
        return write if write and is_in(trace.output, write) else None


def crash_lines(played: PlayedSession) -> Lines:
    """Return the program's lines in the traceback of a crash, the innermost first.

    The first is the line that the report shows for the crash. Return () if there was no crash, or
    if its traceback lacks that line.
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
    """Return the write that printed the first wrong byte, or None if it is not certain.

    If only the end of a line is missing, its last printed byte counts as wrong.
    """
    if wrong.kind != 'differs' and not wrong.comes_late:
        return None
    turns = played.dialogue.turns
    start = sum(len(turn.printed) for turn in turns[: wrong.turn])
    printed = turns[wrong.turn].printed if wrong.turn < len(turns) else b''
    position = start + len(printed)
    if wrong.comes_late:  # free text before the expected line may also be late
        late = b'\n' + trace.output[position:]
        position += max(0, late.find(b'\n' + played.place.expected.encode()))
    else:
        at = len(decoded(printed)[: wrong.pair.start].encode()) if wrong.pair else wrong.start
        line = printed[at : printed.find(b'\n', at) + 1 or len(printed)]
        right = common_length(line, played.place.expected.encode())
        if not line or not trace.output.startswith(line[: right + 1], start + at):
            return None
        position = start + at + min(right, len(line) - 1)
    for write in [write for step in trace.steps for write in step.writes]:
        if write.start <= position < write.end and is_in(trace.output, write):
            return write
    return None


def is_in(output: bytes, write: Write) -> bool:
    """Return whether a run's output contains the bytes that the tracer reported for this write."""
    return crc32(output[write.start : write.end]) == write.sum
