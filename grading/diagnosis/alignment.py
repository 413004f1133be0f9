"""The output of a program, lined up with the output that is due.

Lines are aligned by dynamic programming. A line of the protocol matches a line of the same kind
with any values; any other line may match anything:

    FULL            FULL
    B: 8  W: 8      B: 8 W: 8       the same line, written differently
    . B W .         . B W .
                    Debug: 3        a line too many
    TURN: B         TURN: W         the game
    VALID                           a line left out
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from .protocol import Protocol, parts_of, shape_of
from .style import LONGEST, Piece, Style

OF_A_KIND = 4                           # sessions that are lined up for each kind of line
WINDOW = 70                             # lines of a session that are aligned at once
OTHER_VALUES, FREE, ALIKE, UNLIKE, ALONE, NEVER = 0.5, 0.1, 0.6, 1.0, 0.9, 9.0     # costs
BEHIND = 0.3                            # the cost of a line behind the end of the other window


class DueLine(NamedTuple):
    """A line that is due."""

    text: str
    kind: str
    step: int
    is_first: bool                      # whether it is the first line after an input
    is_free: bool                       # whether any line is right
    ends: bool = True                   # whether it ends with a newline


class Pair(NamedTuple):
    """Two lines that match each other; one of them is None for a line without a match."""

    due: DueLine | None
    printed: Piece | None
    trust: int                          # 0, 1 or 2: how well the pairs around are aligned


@dataclass
class Played:
    """A session that fails: the output due before each input and at the end, and the real output.
    """

    texts: Sequence[str]
    prompts: Sequence[str]              # at the ends of these texts
    is_free: Callable[[str], bool]      # whether other lines, or none, may stand for a line
    output: str
    has_ended: bool                     # whether the program ended by itself
    step: int = -1                      # whose output is known line by line, -1 for none
    printed: str = ''                   # the output of that step

    def due_lines(self, protocol: Protocol, has_prompts: bool) -> list[DueLine]:
        """Return the lines that are due, with or without prompts before them."""
        found: list[DueLine] = []
        for step, (text, prompt) in enumerate(zip(self.texts, self.prompts)):
            *lines, rest = text.split('\n')
            for number, line in enumerate(lines):
                found.append(DueLine(line, protocol.kind_of(line) or shape_of(line), step,
                                     number == 0 and step > 0, self.is_free(line)))
            if prompt and has_prompts:
                found.append(DueLine(rest, protocol.kind_of(rest) or shape_of(rest), step,
                                     not lines, False, False))
        return found


Lines = List[Tuple[Optional[DueLine], Optional[Piece]]]


def aligned(due: Sequence[DueLine], printed: Sequence[Piece], protocol: Protocol,
            has_ended: bool) -> list[Pair]:
    """Return the pairs of lines from the first difference on, up to a limit."""
    start = next((number for number, (line, piece) in enumerate(zip(due, printed))
                  if line.text != piece.text), min(len(due), len(printed)))
    start = max(0, start - 1)           # with one line that is right before
    is_cut = max(len(due), len(printed)) > start + WINDOW
    due, printed = due[start:start + WINDOW], printed[start:start + WINDOW]
    rows = {(piece.text, piece.ends): piece for piece in printed}
    rows_of = {key: [cost_of(line, piece, protocol) for line in due] for key, piece in rows.items()}
    changes = [rows_of[piece.text, piece.ends] for piece in printed]
    costs = costs_of(changes, len(due))
    row, column = best_end(costs) if is_cut else (len(due), len(printed))
    lines: Lines = []
    while row or column:
        cost = costs[column][row]
        if row and column and cost == costs[column - 1][row - 1] + changes[column - 1][row - 1]:
            row, column = row - 1, column - 1
            lines.append((due[row], printed[column]))
        elif column and cost == costs[column - 1][row] + ALONE:
            column -= 1
            lines.append((None, printed[column]))
        else:
            row -= 1
            lines.append((due[row], None))
    return trusted(lines[::-1], protocol, start == 0, has_ended and not is_cut)


def costs_of(changes: Sequence[Sequence[float]], rows: int) -> list[list[float]]:
    """Return the costs of aligning the first lines printed with the first lines due."""
    costs = [[ALONE * row for row in range(rows + 1)]]
    for change in changes:
        before = costs[-1]
        cost = before[0] + ALONE
        now = [cost]
        for row in range(rows):
            cost = min(before[row] + change[row], before[row + 1] + ALONE, cost + ALONE)
            now.append(cost)
        costs.append(now)
    return costs


def best_end(costs: Sequence[Sequence[float]]) -> tuple[int, int]:
    """Return how many lines due and lines printed the best alignment covers: all of one."""
    rows, columns = len(costs[0]) - 1, len(costs) - 1
    ends = [(costs[columns][row] + BEHIND * (rows - row), row, columns)
            for row in range(rows + 1)]
    ends += [(costs[column][rows] + BEHIND * (columns - column), rows, column)
             for column in range(columns + 1)]
    _, row, column = min(ends)
    return row, column


def cost_of(due: DueLine, piece: Piece, protocol: Protocol) -> float:
    """Return the cost of matching a printed line with a line that is due."""
    if due.text == piece.text:
        return 0.0
    if due.ends != piece.ends:
        return NEVER
    if due.is_free:
        return FREE
    kind = protocol.kind_of(piece.text)
    if kind is not None:
        return OTHER_VALUES if kind == due.kind else NEVER
    if not piece.text.strip() or not due.text.strip():
        return NEVER
    return ALIKE if set(parts_of(piece.text)).intersection(parts_of(due.text)) else UNLIKE


def trusted(lines: Lines, protocol: Protocol, begins: bool, ends: bool) -> list[Pair]:
    """Return the pairs, each with its trust: how far the pairs around it are alike.

    Lines in a row without a match are judged together.
    """
    likeness: list[int | None] = []
    for due, piece in lines:
        if due is None and piece is not None and not protocol.has(piece.text):
            likeness.append(None)
        else:
            likeness.append(0 if due is None or piece is None else 1 + (due.text == piece.text))
    before: list[int] = []
    latest = 2 * begins
    for one in likeness:
        before.append(latest)
        latest = latest if one is None else one
    after: list[int] = []
    latest = 2 * ends
    for one in reversed(likeness):
        after.append(latest)
        latest = latest if one is None else one
    return [Pair(due, piece, min(trust)) for (due, piece), trust
            in zip(lines, zip(before, reversed(after)))]


class View:
    """The sessions of a program, rewritten by some rules of its style."""

    def __init__(self, style: Style, failed: Sequence[Played], passed: Counter[str | None]) -> None:
        self.style = style
        self.protocol = style.protocol
        self.failed = failed
        self.passed = passed
        self.pieces = [style.pieces(played.output) for played in failed]
        self.pairs = [*self._aligned()]
        self.written = passed + Counter(self.protocol.kind_of(piece.text)
                                        for pieces in self.pieces for piece in pieces)

    def _aligned(self) -> Iterator[list[Pair]]:
        """Yield the pairs of enough sessions: some for each kind of line, due or printed."""
        seen: Counter[str] = Counter()
        for played, pieces in zip(self.failed, self.pieces):
            due = played.due_lines(self.protocol, self.style.prompts is None)
            kinds = {line.kind for line in due}.union(shape_of(piece.text) for piece in pieces)
            if any(seen[kind] < OF_A_KIND for kind in kinds):
                seen.update(kinds)
                yield aligned(due, pieces, self.protocol, played.has_ended)

    def foreign(self) -> Iterator[tuple[Pair, str, str]]:
        """Yield the pairs of a line of the protocol and another one, and the two texts."""
        for pairs in self.pairs:
            for pair in pairs:
                if (pair.due and pair.printed and not pair.due.is_free and pair.due.ends
                        and pair.printed.ends and not self.protocol.has(pair.printed.text)
                        and pair.due.text != pair.printed.text
                        and len(pair.printed.text) <= LONGEST + len(pair.due.text)):
                    yield pair, pair.due.text, pair.printed.text
