"""What the tracer wrote about a run, read with care: a hostile program may have written it."""

from __future__ import annotations

import builtins
import os
import posixpath
import re
from binascii import crc32
from dataclasses import dataclass, field
from typing import Iterator, NamedTuple, Tuple

from ...printable import decoded
from ...sessions.verdict import Played, Wrong
from ..crash import FRAME, crash_at, own_file

MOST_NUMBER = 10**9
LONGEST_NAME = 4096                     # bytes of a file's name
MOST_TEXT = 800                         # bytes of what an exception says
# How loops and input end, and no mistake.
ORDINARY = ('EOFError', 'StopAsyncIteration', 'StopIteration')


class Line(NamedTuple):
    """A line of a program: the path of its file in the program's folder, and its number."""

    file: str
    number: int


Lines = Tuple[Line, ...]                # the innermost first, then its callers


class Write(NamedTuple):
    """Some bytes of output, from `start` to `end`, and the lines that printed them."""

    start: int
    end: int
    sum: int                            # their CRC-32
    lines: Lines                        # () where it was none of the program's own


class Raised(NamedTuple):
    """A line that raises an exception of a type of Python's own."""

    line: Line
    type: str


class Raising(NamedTuple):
    """What an exception says, and how much was printed before it was first raised in a step."""

    text: str
    printed: int


@dataclass
class TracedStep:
    """What happens up to the first input after some output, or up to the end."""

    start: int                          # how much was printed before
    wanted: int                         # lines of input before, -1 at the start of all
    lines: dict[Line, int] = field(default_factory=dict)    # and what was printed before each
    writes: list[Write] = field(default_factory=list)
    raised: dict[Raised, Raising] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """How much has been printed when it ends."""
        return self.writes[-1].end if self.writes else self.start


@dataclass
class Trace:
    """The steps of a run, the lines that read each input, and how much was printed before.

    `is_whole` says whether all lines that ran were noticed.
    """

    steps: list[TracedStep] = field(default_factory=lambda: [TracedStep(0, -1)])
    readers: list[Lines] = field(default_factory=list)
    printed: list[int] = field(default_factory=list)
    is_whole: bool = True

    @classmethod
    def read(cls, content: bytes) -> Trace:
        """Return what the tracer has said; what it can never have said is passed over."""
        trace = cls()
        files: dict[int, str] = {}
        for text in content.split(b'\n')[:-1]:          # the last may have been cut short
            kind, *words = text.decode('latin-1').split(' ')
            if kind == 'F' and len(words) == 2:
                add_file(files, *words)
            elif kind == 'E' and len(words) == 4:
                trace.add_exception(files, *words)
            elif kind in ('L', 'W', 'R', 'X') and all(
                    re.fullmatch('[0-9]{1,10}', word) for word in words):
                trace.add(kind, [int(word) for word in words], files)
        return trace

    def step_of(self, number: int) -> int:
        """Return the index of the step in which so many lines of input have been read."""
        return max(index for index, step in enumerate(self.steps) if step.wanted < max(0, number))

    def add(self, kind: str, numbers: list[int], files: dict[int, str]) -> None:
        """Add what a line of the tracer says."""
        step = self.steps[-1]
        skipped = 2 if kind == 'W' else 0
        lines = tuple(Line(files[file], number) for file, number in zip(
            numbers[skipped::2], numbers[skipped + 1::2]) if file in files)
        if kind == 'L':
            for line in lines:
                step.lines.setdefault(line, step.end)
        elif kind == 'W' and len(numbers) >= skipped:
            end = step.end + min(numbers[0], MOST_NUMBER)
            step.writes.append(Write(step.end, end, numbers[1], lines))
        elif kind == 'R':
            if step.writes:
                self.steps.append(TracedStep(step.end, len(self.readers)))
            self.readers.append(lines)
            self.printed.append(step.end)
        elif kind == 'X':
            self.is_whole = False


    def add_exception(self, files: dict[int, str], file: str, line: str, name: str,
                      text: str) -> None:
        """Add an exception; before it reads anything, a program only tries what there is."""
        kind = getattr(builtins, name, None)
        if (self.readers and re.fullmatch('[0-9]{1,9} [0-9]{1,9}', f'{file} {line}')
                and int(file) in files and isinstance(kind, type) and issubclass(kind, Exception)
                and name not in ORDINARY and re.fullmatch('([0-9a-f]{2})*', text)):
            raised = Raised(Line(files[int(file)], int(line)), name)
            step = self.steps[-1]
            step.raised.setdefault(raised, Raising(
                decoded(bytes.fromhex(text[:2 * MOST_TEXT])), step.end))


def add_file(files: dict[int, str], number: str, path: str) -> None:
    """Add a file that the tracer names: by one name, however it is written."""
    if (re.fullmatch('[0-9]{1,9}', number) and len(path) <= 2 * LONGEST_NAME
            and re.fullmatch('([0-9a-f]{2})+', path)):
        name = os.fsdecode(bytes.fromhex(path)).replace(os.sep, '/')
        files[int(number)] = posixpath.normpath(name)


class Traced(NamedTuple):
    """The result of a traced program."""

    trace: Trace
    output: bytes
    status: int | None                  # the exit status, None if it was stopped
    is_same: bool = True                # whether the program did what it had done before


class Failed:
    """A session that shows what goes wrong, in a step, and how the program ran in it.

    `place` is where the session goes wrong, None if it first does for another reason.
    """

    def __init__(self, name: str, step: int, place: Played | None, traced: Traced) -> None:
        self.name = name
        self.place = place
        wrong = place.wrong if place else None
        self._step = max(0, step)
        self._may_read_on = wrong is not None and wrong.kind != 'differs'
        self._trace = traced.trace
        self.is_whole = traced.trace.is_whole
        self.write = None
        if place and wrong and (wrong.kind == 'differs' or wrong.comes_late):
            self.write = write_at(wrong_byte(place, wrong, traced), traced)
        last = self._trace.step_of(step)
        if self.write:
            last = next(number for number, one in enumerate(self._trace.steps)
                        if self.write.start < one.end)
        self.steps = self._trace.steps[:last + 1]       # up to the one that goes wrong

    @property
    def readers(self) -> Lines:
        """What wants a line where nothing is printed, or else read the last one; its callers."""
        readers = self._trace.readers[:self._step + self._may_read_on]
        return readers[-1] if readers else ()

    @property
    def crash(self) -> Lines:
        """The lines in which it crashes, the innermost first, then its callers."""
        return crash_lines(self.place) if self.place else ()

    @property
    def ran_so_far(self) -> set[Line]:
        """The lines that ran up to the step that goes wrong."""
        return {line for step in self.steps for line in step.lines}

    @property
    def raised(self) -> dict[Raised, Raising]:
        """The exceptions in the step that goes wrong, before what is wrong was printed."""
        return {raised: raising for raised, raising in self.steps[-1].raised.items()
                if not self.write or raising.printed <= self.write.start}

    @property
    def ran(self) -> Iterator[Line]:
        """The lines that ran in the step that goes wrong, before what is wrong was printed."""
        for line, printed in self.steps[-1].lines.items():
            if not self.write or printed <= self.write.start:
                yield line


def crash_lines(played: Played) -> Lines:
    """Return the program's own lines in the traceback of a crash, if that is what is wrong."""
    dialogue, crash = played.dialogue, crash_at(played)
    frames = [FRAME.match(line) for line in decoded(dialogue.errors).splitlines()]
    lines = [Line(file, int(frame[2])) for frame in frames if frame
             for file in [own_file(frame[1], dialogue.folder)] if file]
    if not crash or Line(crash.file, crash.line) not in lines:
        return ()                       # it is no exception of Python
    lines.reverse()
    return tuple(lines[lines.index(Line(crash.file, crash.line)):])


def wrong_byte(played: Played, wrong: Wrong, traced: Traced) -> int | None:
    """Return how many bytes a program printed before what is wrong, None if that is not there.

    Of a line that only lacks its end, the last byte is wrong.
    """
    turns, place = played.dialogue.turns, played.place
    start = sum(len(turn.printed) for turn in turns[:wrong.turn])
    if wrong.comes_late:
        return start + len(turns[wrong.turn].printed)
    printed = turns[wrong.turn].printed if wrong.turn < len(turns) else b''
    at = len(decoded(printed)[:wrong.pair.start].encode()) if wrong.pair else wrong.start
    text = line_at(printed, at)
    right = len(os.path.commonprefix([text, place.expected.encode()]))
    is_there = text and traced.output.startswith(text[:right + 1], start + at)
    return start + at + min(right, len(text) - 1) if is_there else None


def line_at(text: bytes, start: int) -> bytes:
    """Return the rest of the line that an index of a text is in, with its newline."""
    return text[start:text.find(b'\n', start) + 1 or len(text)]


def write_at(position: int | None, traced: Traced) -> Write | None:
    """Return what printed a byte of the output, if it is certain."""
    writes = (write for step in traced.trace.steps for write in step.writes)
    write = next((write for write in writes if position is not None
                  and write.start <= position < write.end), None)
    is_certain = write and crc32(traced.output[write.start:write.end]) == write.sum
    return write if is_certain else None
