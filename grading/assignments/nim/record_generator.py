"""Fresh recorded games of Nim: about half of them are valid, the others have a single fault.

No move takes exactly one token, because the assignment does not say whether to print "1 tokens".
"""

from __future__ import annotations

import re
from random import Random
from typing import Any, Collection, Iterable, Iterator, Sequence

from nim_logic import NimGame

from ...sessions.transcript import Transcript
from ..game import Maker, Parts, lines_of
from .model import Recorded

RECORD_ROW = re.compile(r'-?[0-9]+(;-?[0-9]+)*')
UNSAID = re.compile(r'[0-9]+;(0|-[0-9]+)')      # a move that takes nothing: is it valid?


def make(rng: Random) -> list[str]:
    """Return the lines of a recorded game; about half of the games have one fault."""
    sizes = [rng.randint(0, 9) for _ in range(rng.randint(1, 5))]
    if not ends_by_twos(sizes):
        return make(rng)
    game = NimGame(sizes, misere=True)
    states = [game.piles]
    rows: list[list[Any]] = [[sum(sizes), len(sizes)], sizes]
    while not game.is_over():
        rows.append([*rng.choice([
            (pile, count) for pile, count in game.legal_moves()
            if count > 1 and ends_by_twos([size - count * (number == pile)
                                           for number, size in enumerate(game.piles)])])])
        game.make_move(*rows[-1])
        states.append(game.piles)
    if rng.random() < 0.5:
        rows = rng.choice([*faulty(rows, states, rng.randrange(len(rows)))])
    return [';'.join(map(str, row)) for row in rows]


def ends_by_twos(piles: Sequence[int]) -> bool:
    """Return whether moves of two tokens or more can leave exactly one token."""
    return any(size not in (0, 2) and 1 not in (*piles[:i], *piles[i + 1:])
               for i, size in enumerate(piles))


def faulty(rows: list[list[Any]], states: list[tuple[int, ...]],
           line: int) -> Iterator[list[list[Any]]]:
    """Yield a recorded game with each single fault, some of them in the line with an index.

    `states` are the piles before each move and after the last.
    """
    (counters, number), sizes, *moves = rows
    row = rows[line]

    def instead(line: int, row: list[Any]) -> list[list[Any]]:
        return [*rows[:line], row, *rows[line + 1:]]

    for wrong in ([counters + 1, number], [counters - 1, number], [counters, number + 1],
                  [counters, number - 1], [counters], [counters, number, 0]):
        yield instead(0, wrong)
    yield instead(1, [*sizes, 0])
    yield [[0, number], [0] * number]
    yield [[counters, number + 1], [sizes[0] + 1, *sizes[1:], -1], *moves]
    for wrong in ([*row[:-1], 'x'], [*row[:-1], '1.5'], [*row, ''], [*row, 0]):
        yield instead(line, wrong)
    for separator in (',', ' ') if len(row) > 1 else ():
        yield instead(line, [separator.join(map(str, row))])
    yield rows[:0]
    yield rows[:1]
    yield [*rows, ['x']]
    yield [*rows, [states[-1].index(1), 1]]             # takes the last token
    if moves:
        line = max(line, 2)
        pile, count = rows[line]
        for wrong in ([pile - number, count], [pile + number, count], [pile]):
            yield instead(line, wrong)
        yield rows[:-1]
        pile, count = rows[-1]
        yield [*rows[:-1], [pile, count + 1]]
    for move, piles in enumerate(states):
        for pile, held in enumerate(piles):
            if sum(piles) - held == 2:      # takes one more than it holds: one token is left
                yield [*rows[:2 + move], [pile, held + 1]]


def moves_of(transcript: Transcript, step: int) -> Parts:
    """Return the moves of a recorded game, each with its number of tokens."""
    rows = rows_of(transcript)

    def without(left_out: Collection[int]) -> list[str] | None:
        head, sizes = [*rows[0]], [*rows[1]]
        for number in left_out:
            row = rows[2 + number]
            if len(row) > 1 and 0 <= row[0] < len(sizes):
                sizes[row[0]] -= row[1]
                head[0] -= row[1]
        return if_clear([text_of(head), text_of(sizes), *(
            line for number, line in enumerate(transcript.inputs[2:]) if number not in left_out)])
    return Parts(range(len(rows[2:]) if all(rows[:2]) else 0), without)


def piles_of(transcript: Transcript, step: int) -> Parts:
    """Return the piles of a recorded game, each with its moves."""
    rows = rows_of(transcript)

    def without(left_out: Collection[int]) -> list[str] | None:
        head, sizes, *moves = rows
        kept = [pile for pile in range(len(sizes)) if pile not in left_out]
        numbers = {pile: number for number, pile in enumerate(kept)}
        lines = [text_of([head[0] - sum(sizes[pile] for pile in left_out),
                          *(number - len(left_out) for number in head[1:2]), *head[2:]]),
                 text_of([sizes[pile] for pile in kept])]
        for line, row in zip(transcript.inputs[2:], moves):
            if not row:
                lines.append(line)
            elif row[0] not in left_out:
                beyond = row[0] - len(left_out) * (1 if row[0] > 0 else -1)
                lines.append(text_of([numbers.get(row[0], beyond), *row[1:]]))
        return if_clear(lines)
    return Parts(range(len(rows[1]) if len(rows) > 1 and all(rows[:2]) else 0), without)


def clear_lines_of(transcript: Transcript, step: int) -> Parts:
    """Return the lines of a recorded game."""
    lines = lines_of(transcript, step)
    return Parts(lines.parts, lambda left_out: if_clear(lines.without(left_out) or []))


def rows_of(transcript: Transcript) -> list[list[int]]:
    """Return the integers of each line, none for a line with anything else."""
    return [[int(cell) for cell in line.split(';')] if RECORD_ROW.fullmatch(line) else []
            for line in transcript.inputs]


def text_of(row: Iterable[int]) -> str:
    """Return a line with some integers."""
    return ';'.join(map(str, row))


def if_clear(lines: list[str]) -> list[str] | None:
    """Return a recorded game if the assignment defines its output, else None."""
    record = Recorded(lines)
    record.play()
    is_clear = ' 1 tokens' not in record.texts[-1] and not any(map(UNSAID.fullmatch, lines[2:]))
    return lines if is_clear else None


MAKER = Maker(make, (clear_lines_of, moves_of, piles_of))
