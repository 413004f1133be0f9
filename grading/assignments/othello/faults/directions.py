"""Othello programs that do not look for discs to turn over in all directions."""

from __future__ import annotations

import re
from typing import Iterable

from ....diagnosis.fault_models import Departure, GameModel, varied
from ..model import DIRECTIONS, Othello, Pair

NAMES = {(-1, -1): 'up and left', (-1, 0): 'up', (-1, 1): 'up and right', (0, -1): 'left',
         (0, 1): 'right', (1, -1): 'down and left', (1, 0): 'down', (1, 1): 'down and right'}


class OneRun(Othello):
    """Turns over discs in one direction only: the one that the program has chosen."""

    def chosen(self, runs: dict[Pair, list[Pair]]) -> dict[Pair, list[Pair]]:
        runs = super().chosen(runs)
        if len(runs) < 2:
            return runs
        upcoming = cells_in(self.upcoming())
        places = {direction: upcoming.find(cells_in(self.board_with(run)))
                  for direction, run in runs.items()}
        seen = [direction for direction, place in places.items() if place >= 0]
        direction = min(seen or runs, key=lambda direction: places[direction])
        return {direction: runs[direction]}

    def board_with(self, run: list[Pair]) -> str:
        """Return the board as it is printed when only this run is turned over."""
        (row, column), color = self.moved, self.moving
        turned = {(row, column): color, **dict.fromkeys(run, color)}
        return '\n'.join(' '.join(turned.get((r, c), disc) for c, disc in enumerate(discs))
                         for r, discs in enumerate(self.board))


def cells_in(text: str) -> str:
    """Return only the cells in a text, in lines.

    >>> cells_in('TURN: W\\n. B \\nW .')
    'W\\n.B\\nW.'
    """
    cells = re.sub('[A-Z]+', lambda word: '' if word[0].strip('BW') else word[0], text)
    return re.sub(r'[^BW.\n]', '', cells)


class NoRuns(Othello):
    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        return []


class DirectionMissing(Othello):
    """Turns over no discs in some directions."""

    missing: frozenset[Pair] = frozenset()

    def run(self, row: int, column: int, color: str, down: int, right: int) -> list[Pair]:
        return [] if (down, right) in self.missing else super().run(row, column, color, down, right)

    @classmethod
    def detail(cls) -> str:
        return ': ' + ', '.join(NAMES[direction] for direction in sorted(cls.missing))


def with_directions_missing(place: Departure) -> Iterable[type[GameModel]]:
    """Yield variants with one more direction missing.

    Another one misses all directions in which the last move turned over no disc.
    """
    session = place.session
    known: frozenset[Pair] = place.known('missing', frozenset())
    choices = [frozenset([direction]) for direction in DIRECTIONS]
    found, color = place.known('found', {}), place.known('moving', '')
    board = place.known('board', [])
    rows = cells_in(session.texts[-1] + session.upcoming()).split('\n')
    for start in range(len(rows) - len(board) + 1):
        printed = rows[start:start + len(board)]
        if found and list(map(len, printed)) == list(map(len, board)):
            choices.append(frozenset(direction for direction, run in found.items() if not any(
                printed[row][column] == color for row, column in run)))
            break
    for choice in dict.fromkeys(choices):
        if not known.issuperset(choice):
            yield varied(DirectionMissing, missing=known | choice)
