"""What the tracer has noticed of one run, read as what a hostile program may have written."""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass, field
from typing import NamedTuple, Tuple

MOST_NUMBER = 10**9
LONGEST_NAME = 4096                     # bytes of a file's name


class Line(NamedTuple):
    """A line of a program: its file, as a path below the program's folder, and its number."""

    file: str
    number: int


Lines = Tuple[Line, ...]                # the innermost first, then its callers


class Write(NamedTuple):
    """Some bytes of output, from `start` to `end`, and what printed them."""

    start: int
    end: int
    sum: int                            # their CRC-32
    lines: Lines                        # () where it was none of the program's own


@dataclass
class Step:
    """What happens until input is wanted after something has been printed, or to the end."""

    start: int                          # how much was printed before
    wanted: int                         # lines of input before, -1 at the start of all
    lines: dict[Line, int] = field(default_factory=dict)    # and what was printed before each
    writes: list[Write] = field(default_factory=list)

    @property
    def end(self) -> int:
        """How much has been printed when it ends."""
        return self.writes[-1].end if self.writes else self.start


@dataclass
class Trace:
    """The steps of a run; what wanted each line of input, and how much was printed before.

    `is_whole` says whether all lines that ran were noticed.
    """

    steps: list[Step] = field(default_factory=lambda: [Step(0, -1)])
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
                self.steps.append(Step(step.end, len(self.readers)))
            self.readers.append(lines)
            self.printed.append(step.end)
        elif kind == 'X':
            self.is_whole = False


def add_file(files: dict[int, str], number: str, path: str) -> None:
    """Add a file that the tracer names: by one name, however it is written."""
    if (re.fullmatch('[0-9]{1,9}', number) and len(path) <= 2 * LONGEST_NAME
            and re.fullmatch('([0-9a-f]{2})+', path)):
        name = os.fsdecode(bytes.fromhex(path)).replace(os.sep, '/')
        files[int(number)] = posixpath.normpath(name)
