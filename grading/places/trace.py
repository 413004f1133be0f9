"""What the tracer has noticed of one run, read as what a hostile program may have written."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import NamedTuple

MOST_NUMBER = 10**9


class Line(NamedTuple):
    """A line of a program: its file, as a path below the program's folder, and its number."""

    file: str
    number: int


class Write(NamedTuple):
    """Some bytes of output, from `start` to `end`: who printed them, and who had called that."""

    start: int
    end: int
    sum: int                            # their CRC-32
    lines: tuple[Line, ...]             # the innermost one first; none of the program's own: ()


@dataclass
class Step:
    """What happens until input is wanted after something has been printed, or to the end."""

    start: int                          # how much was printed before
    lines: dict[Line, int] = field(default_factory=dict)    # and what was printed before each
    writes: list[Write] = field(default_factory=list)
    reader: tuple[Line, ...] = ()       # the line that wanted the last input, and its callers

    @property
    def end(self) -> int:
        """How much has been printed when it ends."""
        return self.writes[-1].end if self.writes else self.start


@dataclass
class Trace:
    """The steps of a run; `is_whole` says whether all lines that ran were noticed."""

    steps: list[Step]
    is_whole: bool = True

    @classmethod
    def read(cls, content: bytes) -> Trace:
        """Return what the tracer has said; what it can never have said is passed over."""
        return Reader().read(content)

    def step_at(self, position: int) -> Step:
        """Return the step in which a byte of the output was printed, or was due."""
        return next((step for step in self.steps if position < step.end), self.steps[-1])


class Reader:
    """What has been read so far."""

    def __init__(self) -> None:
        self._files: dict[int, str] = {}
        self._trace = Trace([Step(0)])

    def read(self, content: bytes) -> Trace:
        """Read all that the tracer has said."""
        for text in content.split(b'\n')[:-1]:          # the last may have been cut short
            words = text.decode('latin-1').split(' ')
            if words[0] == 'F' and len(words) == 3:
                self._add_file(words[1], words[2])
            elif words[0] in ('L', 'W', 'R', 'X') and all(
                    re.fullmatch('[0-9]{1,10}', word) for word in words[1:]):
                self._add(words[0], [int(word) for word in words[1:]])
        return self._trace

    def _add_file(self, number: str, path: str) -> None:
        if re.fullmatch('[0-9]{1,9}', number) and re.fullmatch('([0-9a-f]{2})+', path):
            self._files[int(number)] = os.fsdecode(bytes.fromhex(path)).replace('\\', '/')

    def _add(self, kind: str, numbers: list[int]) -> None:
        step = self._trace.steps[-1]
        if kind == 'L':
            for line in self._lines(numbers):
                step.lines.setdefault(line, step.end)
        elif kind == 'W' and len(numbers) >= 2:
            end = step.end + min(numbers[0], MOST_NUMBER)
            step.writes.append(Write(step.end, end, numbers[1], self._lines(numbers[2:])))
        elif kind == 'R':
            step.reader = self._lines(numbers)
            if step.writes:
                self._trace.steps.append(Step(step.end, reader=step.reader))
        elif kind == 'X':
            self._trace.is_whole = False

    def _lines(self, numbers: list[int]) -> tuple[Line, ...]:
        return tuple(Line(self._files[file], number)
                     for file, number in zip(numbers[::2], numbers[1::2]) if file in self._files)
