"""The turns of a session, each lined up with what a game prints in it.

Lines in other words stand beside those that are due; any other line is one too many, or left out:

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
from typing import Callable, Iterator, NamedTuple, Sequence

from ..sessions.comparison import Item
from ..sessions.directives import EXACT
from ..sessions.transcript import Printed, Transcript
from .pairs import cheapest
from .program_output import Heard, Reading
from .protocol import Protocol, parts_of, shape_of
from .style import LONGEST, Piece, Style

OF_A_KIND = 4                           # turns that are lined up for each kind of line
WINDOW = 60                             # lines of a turn that are


class DueLine(NamedTuple):
    """A line that is due."""

    text: str
    kind: str
    is_first: bool                      # whether it is the first line after an input
    is_free: bool                       # whether any line is right
    ends: bool = True                   # whether it ends with a newline


class TrustedPair(NamedTuple):
    """Two lines that match each other; one of them is None for a line without a match."""

    due: DueLine | None
    printed: Piece | None
    trust: int                          # 0, 1 or 2: how well the rest of the turn is aligned


@dataclass
class GameOutput:
    """A session that fails: what the program printed, and what a game prints in each turn."""

    heard: Heard
    texts: Sequence[str]
    prompts: Sequence[str]              # at the ends of these texts
    is_free: Callable[[str], bool]      # whether other lines, or none, may stand for a line

    def due_lines(self, turn: int, protocol: Protocol, has_prompts: bool) -> Iterator[DueLine]:
        """Yield the lines that are due in a turn, with or without the prompt at its end."""
        *lines, rest = self.texts[turn].split('\n')
        for number, line in enumerate(lines):
            yield DueLine(line, protocol.kind_of(line) or shape_of(line),
                          number == 0 and turn > 0, self.is_free(line))
        if self.prompts[turn] and has_prompts:
            yield DueLine(rest, protocol.kind_of(rest) or shape_of(rest), not lines, False, False)


def aligned(transcript: Transcript, due: Sequence[DueLine],
            printed: Sequence[Piece]) -> list[TrustedPair]:
    """Return the pairs of lines of a turn from the first difference on, up to a limit."""
    start = next((number for number, (line, piece) in enumerate(zip(due, printed))
                  if line.text != piece.text), min(len(due), len(printed)))
    start = max(0, start - 1)           # with one line that is right before
    due, printed = due[start:start + WINDOW], printed[start:start + WINDOW]
    items = [(0, Item([Printed(0, line.text, line.ends, 'free' if line.is_free else 'text')],
                      EXACT)) for line in due]
    lines = [piece.text + '\n' * piece.ends for piece in printed]
    path = cheapest(transcript, items, lines, [set() for _ in range(len(due) + 1)])
    pairs: list[TrustedPair] = []
    row = column = 0
    for one, other, _ in path:
        pairs.append(TrustedPair(due[row] if one else None, printed[column] if other else None, 0))
        row, column = row + one, column + other
    return pairs


def with_trust(pairs: Sequence[TrustedPair], protocol: Protocol,
               is_whole: bool) -> Iterator[TrustedPair]:
    """Yield the pairs of a turn, each with its trust; it `is_whole` if the program went on.

    A line of the protocol in the place of another one is the game: of what stands beside it, and
    of words with nothing in common beside others, nothing is known.
    """
    both = [(pair, pair.due, pair.printed) for pair in pairs if pair.due and pair.printed]
    right = [pair for pair, due, printed in both if due.text == printed.text]
    alike = [pair for pair, due, printed in both
             if {*parts_of(due.text)}.intersection(parts_of(printed.text))]
    # A line that is printed once more is no line of another kind.
    paired = {printed.text for _, _, printed in both}
    again = [pair for pair in pairs if pair.printed and not pair.due
             and pair.printed.text in paired]
    unlike = [pair for pair in pairs if pair not in [*right, *alike, *again]]
    left_out = [pair for pair in unlike if not pair.printed]
    is_game = any(protocol.kind_of(printed.text) not in (None, due.kind)
                  for _, due, printed in both)
    trust = 2 if len(pairs) - len(right) == 1 else 1
    for pair in pairs:
        if not pair.printed:
            is_sure = len(left_out) == len(unlike) and is_whole
        elif not pair.due:
            is_sure = pair in unlike and not left_out and not is_game
        else:
            is_sure = pair not in unlike or len(unlike) == 1
        yield pair._replace(trust=trust * is_sure)


class View:
    """The sessions of a program, rewritten by some rules of its style."""

    def __init__(self, style: Style, failed: Sequence[GameOutput],
                 passed: Counter[str | None]) -> None:
        self.style = style
        self.protocol = style.protocol
        self.failed = failed
        self.passed = passed
        self.readings = [Reading(output.heard, style) for output in failed]
        self.pairs = [*self._aligned()]
        self.written = passed + Counter(self.protocol.kind_of(piece.text)
                                        for reading in self.readings for piece in reading.pieces)

    def _aligned(self) -> Iterator[list[TrustedPair]]:
        """Yield the pairs of enough turns: some for each kind of line, due or printed."""
        seen: Counter[str] = Counter()
        for output, reading in zip(self.failed, self.readings):
            for due, pieces, is_last in self._turns(output, reading):
                kinds = {line.kind for line in due}.union(shape_of(piece.text) for piece in pieces)
                if all(seen[kind] >= OF_A_KIND for kind in kinds):
                    continue
                seen.update(kinds)
                pairs = aligned(output.heard.transcript, due, pieces)
                alone = sum(not pair.due or not pair.printed for pair in pairs)
                is_whole = not is_last or (output.heard.has_ended and 2 * alone < len(pairs))
                yield [*with_trust(pairs, self.protocol, is_whole)]

    def _turns(self, output: GameOutput,
               reading: Reading) -> Iterator[tuple[list[DueLine], list[Piece], bool]]:
        """Yield what is due and what was printed in each turn that is not right.

        Yield also whether it is the last one.
        """
        has_prompts, turns = self.style.prompts is None, reading.turns
        dues = [[*output.due_lines(turn, self.protocol, has_prompts)]
                for turn in range(len(output.texts))]
        if output.heard.is_joined:
            dues, turns = [[line for due in dues for line in due]], [reading.pieces]
        for number, (due, pieces) in enumerate(zip(dues, turns), 1):
            if [line.text for line in due] != [piece.text for piece in pieces]:
                yield due, pieces, number == len(turns)

    def foreign(self) -> Iterator[tuple[TrustedPair, str, str]]:
        """Yield the pairs of a line of the protocol and another one, and the two texts."""
        for pairs in self.pairs:
            for pair in pairs:
                if (pair.due and pair.printed and not pair.due.is_free and pair.due.ends
                        and pair.printed.ends and not self.protocol.has(pair.printed.text)
                        and pair.due.text != pair.printed.text and pair.printed.text.strip()
                        and len(pair.printed.text) <= LONGEST + len(pair.due.text)):
                    yield pair, pair.due.text, pair.printed.text
