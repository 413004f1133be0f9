"""Reads the tracer's report about a run with care: a hostile program may have written it."""

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

MOST_NUMBER = 10**9  # bytes that a single write counts for at most
LONGEST_NAME = 4096  # bytes of a file's name
MOST_TEXT = 800  # bytes of the message of an exception
# The three forms of a line: a file, an exception, and numbers only.
FILE = re.compile('F ([0-9]{1,9}) ((?:[0-9a-f]{2})+)')
EXCEPTION = re.compile(r'E ([0-9]{1,9}) ([0-9]{1,9}) (\w{1,50}) ((?:[0-9a-f]{2})*)')
NUMBERS = re.compile('([LWRX])((?: [0-9]{1,10})*)')
# The exceptions that only end loops or input, and so are no mistakes.
ORDINARY = ('EOFError', 'StopAsyncIteration', 'StopIteration')


class Line(NamedTuple):
    """A line of a program: the path of its file in the program's folder, and its number."""

    file: str
    number: int


Lines = tuple[Line, ...]  # the line of the innermost function first, then those of its callers


class Write(NamedTuple):
    """Some bytes of output, from `start` to `end`, and the lines that printed them."""

    start: int
    end: int
    sum: int  # the CRC-32 of the bytes
    lines: Lines  # lines of the program's own files only


class RaisedException(NamedTuple):
    """A line that raises a built-in exception, and its type."""

    line: Line
    type: str


class Occurrence(NamedTuple):
    """The first time that a step raised an exception."""

    text: str  # the message of the exception
    printed: int  # how many bytes the run had printed before


@dataclass
class TracedStep:
    """The part of a run up to the first input after some output, or up to the end."""

    start: int  # how many bytes had been printed when the step began
    wanted: int  # how many lines of input had been read by then, or -1 for the first step
    # The lines that ran, each with the bytes printed before.
    lines: dict[Line, int] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    raised: dict[RaisedException, Occurrence] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """How many bytes had been printed when the step ended."""
        return self.writes[-1].end if self.writes else self.start


@dataclass
class Trace:
    """A run of a program with the tracer: its steps, what was printed, and how it ended."""

    output: bytes = b''
    status: int | None = None  # the exit status, or None if the program was stopped
    is_same: bool = True  # whether the program did the same as the first time
    is_whole: bool = True  # whether the tracer noticed all lines that ran
    steps: list[TracedStep] = field(default_factory=lambda: [TracedStep(0, -1)])
    # For each line of input: the lines of the program that read it, and the bytes printed before.
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
        """Return the trace in a report of the tracer.

        Lines that the tracer cannot have written are ignored, and so are lines about files that the
        assignment gives (`given`).
        """
        trace = cls(output, status, is_same)
        files: dict[int, str] = {}  # the files by their numbers in the report
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
        """Add what a line of numbers in the report says: see `injected/tracer.py`."""
        step = self.steps[-1]
        if kind == 'L':
            for line in lines_of(numbers, files):
                step.lines.setdefault(line, step.end)
        elif kind == 'W' and len(numbers) >= 2:
            size, checksum, *others = numbers
            end = step.end + min(size, MOST_NUMBER)
            step.writes.append(Write(step.end, end, checksum, lines_of(others, files)))
        elif kind == 'R':
            if step.writes:
                self.steps.append(TracedStep(step.end, len(self.readers)))
            self.readers.append(lines_of(numbers, files))
            self.printed.append(step.end)
        elif kind == 'X':
            self.is_whole = False

    def _add_exception(self, found: re.Match[str], files: dict[int, str]) -> None:
        """Add an exception, if it may be a mistake.

        An exception before the first input is none: until then a program only tests what the
        machine has.
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
    """Return the path of a file, given in hexadecimal digits, or '' if it is too long.

    The path is normalized, so that each file has only one name.

    >>> file_name('2e2f612e7079')
    'a.py'
    """
    if len(digits) > 2 * LONGEST_NAME:
        return ''
    return posixpath.normpath(os.fsdecode(bytes.fromhex(digits)).replace(os.sep, '/'))


def lines_of(numbers: Sequence[int], files: Mapping[int, str]) -> Lines:
    """Return lines from pairs of numbers: the number of the file, and that of the line.

    >>> lines_of([0, 3, 1, 8], {0: 'a.py'})
    (Line(file='a.py', number=3),)
    """
    pairs = zip(numbers[::2], numbers[1::2], strict=False)
    return tuple(Line(files[file], number) for file, number in pairs if file in files)


class FailedRun:
    """A run of a session that shows a fault, up to the step that goes wrong.

    `place` is the session at the place of the fault, or None if another fault comes first.
    """

    def __init__(self, name: str, step: int, place: PlayedSession | None, trace: Trace) -> None:
        self.wrong = wrong = place.failure_found if place else None
        self.name = name
        self.place = place
        self.is_whole = trace.is_whole
        # The write that printed the first wrong byte, or None if it is not known.
        self.write = wrong_write(place, wrong, trace) if place and wrong else None
        if self.write:
            before = [done for done in trace.steps if done.end <= self.write.start]
        else:
            before = [done for done in trace.steps[1:] if done.wanted < max(0, step)]
        self.steps = trace.steps[: len(before) + 1]  # up to the step that goes wrong
        self.ran_so_far = {line for done in self.steps for line in done.lines}
        # What ran and what was raised in the step that goes wrong, before the wrong text came.
        until = self.write.start if self.write else math.inf
        self.ran = [line for line, printed in self.steps[-1].lines.items() if printed <= until]
        self.raised = {
            raised: raising
            for raised, raising in self.steps[-1].raised.items()
            if raising.printed <= until
        }
        # If nothing is printed where the output is wrong, the lines that wait for input there; else
        # the lines that read the last input before.
        number = max(0, step)
        if wrong and wrong.kind != 'differs':
            number += 1
        readers = trace.readers[:number]
        self.readers: Lines = readers[-1] if readers else ()
        self.read_once = trace.read_once
        self.crash = crash_lines(place) if place else ()
        self.last_write = None if self.crash else self._last_write(trace)

    def _last_write(self, trace: Trace) -> Write | None:
        """Return the last write of a program that ended too early, or None if it is not known.

        Return None also if the program read more input after that.
        """
        is_end = self.wrong and self.wrong.kind == 'ended' and self.steps[-1] is trace.steps[-1]
        write = next(reversed(self.steps[-1].writes), None) if is_end else None
        return write if write and is_in(trace.output, write) else None


def crash_lines(played: PlayedSession) -> Lines:
    """Return the program's lines in the traceback of a crash, the innermost first.

    They begin with the line at which the crash is reported. Return () if the failure of the session
    is no crash.
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

    If only the end of a line is missing, the last byte that was printed of it counts as wrong.
    """
    if wrong.kind != 'differs' and not wrong.comes_late:
        return None
    turns = played.dialogue.turns
    start = sum(len(turn.printed) for turn in turns[: wrong.turn])
    printed = turns[wrong.turn].printed if wrong.turn < len(turns) else b''
    position = start + len(printed)
    if wrong.comes_late:  # free text may have come late as well, before the expected line
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
    """Return whether a run's output has the bytes that the tracer reported as written."""
    return crc32(output[write.start : write.end]) == write.sum
