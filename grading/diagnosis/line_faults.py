"""Faults of whole lines that programs for any game can have: too many, too few, twice."""

from __future__ import annotations

from typing import ClassVar, Iterable

from ..printable import printable
from .known import Departure, Known, varied
from .model import GameModel
from .protocol import shape_of

MOST_EXTRA = 12                         # lines that are taken for extra ones at one place
WIDTH = 60                              # characters of a line that are told


class ExtraLines(GameModel):
    """Prints lines that the protocol does not have: an example of each, by their shapes."""

    extra: ClassVar[dict[str, str]] = {}

    def say(self, line: str) -> None:
        while not self.upcoming().startswith(line + '\n') and self.skips_one():
            pass
        super().say(line)

    def play(self) -> None:
        super().play()
        while self.skips_one():
            pass

    def ask(self, prompt: str) -> str:
        while self.skips_one():
            pass
        return super().ask(prompt)

    def skips_one(self) -> bool:
        """Print a line that is known to be extra, if the program does; return whether it did."""
        line, newline, _ = self.upcoming().partition('\n')
        if not newline or shape_of(line) not in self.extra:
            return False
        texts = self.texts
        self.texts = ['']               # it belongs to no step
        self.write(line + '\n')
        self.texts = texts
        return True

    @classmethod
    def detail(cls) -> str:
        return told(cls.extra.values())


def with_extra_lines(place: Departure) -> Iterable[type[GameModel]]:
    """Yield it with the lines before the one that is due, if it comes, else before the end."""
    lines = place.match.session.upcoming().split('\n')[:MOST_EXTRA + 1]
    due, folded = place.due.rstrip('\n').lower(), [line.lower() for line in lines]
    end = folded.index(due) if due in folded else len(lines) - 1
    if (place.due and due not in folded) or (not place.due and lines[-1:] != ['']):
        return
    extra = {shape_of(line): line for line in lines[:end]}
    known = place.known('extra', {})
    if extra and not extra.keys() & known.keys() and not any(
            place.protocol.has_behind_prompt(line) for line in extra.values()):
        yield varied(ExtraLines, extra={**extra, **known})


class MissingLines(GameModel):
    """Leaves out lines: an example of each, by their shapes."""

    left_out: ClassVar[dict[str, str]] = {}

    def say(self, line: str) -> None:
        if shape_of(line) not in self.left_out:
            super().say(line)

    @classmethod
    def detail(cls) -> str:
        return told(cls.left_out.values())


def with_missing_lines(place: Departure) -> Iterable[type[GameModel]]:
    """Yield it, unless the line comes with something before it."""
    line, due = place.match.session.line, place.due.rstrip('\n')
    lines = place.match.session.upcoming().split('\n')[:MOST_EXTRA]
    if place.due.endswith('\n') and not any(
            other.endswith(due) and other != due for other in lines):
        known = place.known('left_out', {})
        yield varied(MissingLines, left_out={**known, shape_of(line): line})


class Twice(GameModel):
    """Prints lines twice in a row: an example of each, by their shapes."""

    doubled: ClassVar[dict[str, str]] = {}

    def say(self, line: str) -> None:
        super().say(line)
        if shape_of(line) in self.doubled:
            super().say(line)

    @classmethod
    def detail(cls) -> str:
        return told(cls.doubled.values())


def with_lines_twice(place: Departure) -> Iterable[type[GameModel]]:
    heard, at = place.match.session.heard, place.match.session.at
    start = heard.rfind('\n', 0, max(0, at - 1)) + 1
    line = place.printed
    if line and place.protocol.has(line) and heard[start:at].endswith(line + '\n'):
        known = place.known('doubled', {})
        yield varied(Twice, doubled={**known, shape_of(line): line})


def told(lines: Iterable[str]) -> str:
    """Return lines of unknown origin in words."""
    return ': ' + ', '.join(dict.fromkeys(
        f'"{printable(line[:WIDTH])}"' if line.strip() else 'an empty line' for line in lines))


TWICE = Known('twice', 'prints lines twice in a row', 'Print each line of the protocol once.',
              with_lines_twice, is_learned=True)
EXTRA_LINES = Known(
    'extra-lines', 'prints lines that the protocol does not have',
    'Print nothing that the assignment does not show: no greeting, no help, no debugging.',
    with_extra_lines, is_learned=True)
MISSING_LINES = Known('missing-lines', 'leaves out lines', 'Print them wherever they are due.',
                      with_missing_lines, is_learned=True, is_of_lines=True)
