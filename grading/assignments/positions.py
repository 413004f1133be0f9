"""The positions that a console's text shows, and which two of them tell the difference."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator, Mapping, Sequence, Tuple, Union

ROW = re.compile(r'[ \t]*[BW.](?:[ \t]*[BW.])+[ \t]*')
COUNTS = re.compile(r'[ \t]*B: *\d+ +W: *\d+[ \t]*', re.ASCII)
TURN = re.compile(r'[ \t]*(?:TURN|WINNER): *(?:B|W|NONE)[ \t]*')
MOVE = re.compile(r'[ \t]*\+?(\d{1,2})[ \t]+\+?(\d{1,2})[ \t]*', re.ASCII)
PILE = re.compile(r'\bpile (\d{1,3}) = (\d{1,9})$', re.ASCII)
STATE = re.compile(r'[ \t]*\d{1,9}(?:[ \t]+\d{1,9})*[ \t]*', re.ASCII)
# The only pile of Taking Stones, and that of take the last coin to win.
SINGLE = re.compile(r'\bThere are (\d{1,9}) stones|\bCOINS: *(\d{1,9})', re.ASCII)

Cell = Union[Tuple[int, int], str]      # row and column, from 1; the number of a pile


@dataclass(frozen=True)
class Board:
    """An Othello board: `rows` of `B`, `W` and `.`, and what stood around it."""

    rows: tuple[str, ...]
    counts: str = ''
    turn: str = ''

    @property
    def cells(self) -> Mapping[Cell, str]:
        """What stands in each cell."""
        return {(row, column): disc for row, discs in enumerate(self.rows, 1)
                for column, disc in enumerate(discs, 1)}


@dataclass(frozen=True)
class Piles:
    """Nim piles: the number that each was printed with (`''` for an only one), and its size."""

    sizes: tuple[tuple[str, int], ...]

    @property
    def cells(self) -> Mapping[Cell, object]:
        """How many tokens each pile has."""
        return dict(self.sizes)


Position = Union[Board, Piles]


@dataclass(frozen=True)
class Comparison:
    """Two positions to be looked at side by side; None where there is none."""

    expected: Position | None
    printed: Position | None
    before: Position | None             # the one from which they came
    move: tuple[int, int] | None        # row and column of the Othello move, from 1

    @property
    def differing(self) -> list[Cell]:
        """The cells, or piles, that are not the same in both; none where one is missing."""
        if not self.expected or not self.printed:
            return []
        expected, printed = self.expected.cells, self.printed.cells
        return [cell for cell in {**expected, **printed}
                if expected.get(cell) != printed.get(cell)]


def compare_positions(before: str, typed: str, expected: str, printed: str) -> Comparison:
    """Return the first two positions that differ in two texts, else the last ones.

    `before` is the text that came before the input line `typed`.

    >>> comparison = compare_positions('', '', 'pile 0 = 3\\npile 1 = 4', 'pile 0 = 3\\npile 1 = 5')
    >>> comparison.differing
    ['1']
    """
    earlier, due, shown = (find_positions(text) for text in (before, expected, printed))
    most = min(len(due), len(shown))
    last = most if len(due) != len(shown) else max(0, most - 1)
    place = next((i for i in range(most) if due[i].cells != shown[i].cells), last)
    move = MOVE.fullmatch(typed)
    return Comparison(at(due, place), at(shown, place), at([*earlier, *due[:place]], -1),
                      (int(move[1]), int(move[2])) if move else None)


def at(positions: Sequence[Position], place: int) -> Position | None:
    """Return a position from a list, None beyond its end."""
    return positions[place] if positions and place < len(positions) else None


def find_positions(text: str) -> list[Position]:
    """Return all positions of one game in a text, in order."""
    lines = text.split('\n')
    for find in (find_boards, find_piles, find_single_piles, find_states):
        positions: list[Position] = list(find(lines))
        if positions:
            return positions
    return []


def find_boards(lines: list[str]) -> Iterator[Board]:
    """Yield the boards: two lines or more of as many cells."""
    start = 0
    while start < len(lines):
        rows = list(rows_from(lines, start))
        end = start + max(1, len(rows))
        if len(rows) > 1:
            yield Board(tuple(rows), matching(COUNTS, lines[start - 1:start]),
                        matching(TURN, lines[end:end + 1]))
        start = end


def rows_from(lines: list[str], start: int) -> Iterator[str]:
    """Yield the rows of the board that begins in a line, if one does, without blanks."""
    width = 0
    for line in lines[start:]:
        row = ''.join(line.split()) if ROW.fullmatch(line) else ''
        if not row or width not in (0, len(row)):
            return
        width = len(row)
        yield row


def matching(pattern: re.Pattern[str], lines: list[str]) -> str:
    """Return the one line in a list, without blanks around, if it is of a pattern."""
    return lines[0].strip() if lines and pattern.fullmatch(lines[0]) else ''


def find_piles(lines: list[str]) -> Iterator[Piles]:
    """Yield the piles that are printed one a line: `pile 0 = 3`."""
    sizes: list[tuple[str, int]] = []
    for line in [*lines, '']:
        match = PILE.search(line)
        if match:
            sizes.append((match[1], int(match[2])))
        elif sizes:
            yield Piles(tuple(sizes))
            sizes = []


def find_single_piles(lines: list[str]) -> Iterator[Piles]:
    """Yield the sizes that an only pile is said to have."""
    for line in lines:
        match = SINGLE.search(line)
        if match:
            yield Piles((('', int(match[1] or match[2])),))


def find_states(lines: list[str]) -> Iterator[Piles]:
    """Yield the states of a recorded game: the sizes of all piles in a line."""
    for line in lines:
        if STATE.fullmatch(line):
            yield Piles(tuple((str(number), int(size))
                              for number, size in enumerate(line.split(), 1)))
