"""Hints about the protocols of Nim: why a recorded game is not valid."""

from __future__ import annotations

from ...sessions.difference import Situation
from .computer import INTEGER
from .model import Recorded

INVALID = 'Invalid Game.\n'


def hint(situation: Situation) -> str:
    """Return a hint about a line that differs in meaning, `''` if nothing is certain."""
    if situation.expected == INVALID:
        why = why_invalid(situation.inputs)
        is_told = INVALID in (situation.printed, *situation.printed_next)
        return (f'this recorded game is invalid{why and ": "}{why}'
                + '; print this line alone, not even the starting state' * is_told)
    if situation.printed == INVALID:
        return 'this recorded game is valid'
    return ''


def why_invalid(lines: list[str]) -> str:
    """Return why a recorded game is invalid, `''` if it is valid."""
    game = Recorded([])
    rows: list[list[int]] = []
    for number, parts in enumerate(game.split(lines), 1):
        if not all(map(INTEGER.fullmatch, parts)) or (number != 2 and len(parts) != 2):
            integers = 'integers' if number == 2 else 'two integers'
            return f'line {number} of the input must be {integers} with ; between them'
        rows.append(game.integers(parts))
    if len(rows) < 2:
        return 'there is no line with the piles'
    [counters, piles], game.sizes, *moves = rows
    if counters < 1 or piles < 1:
        return 'both numbers in line 1 of the input must be 1 or more'
    if piles != len(game.sizes):
        return f'line 1 of the input says {piles} piles, line 2 has {len(game.sizes)}'
    if min(game.sizes) < 0:
        return 'no pile may be below 0'
    if not game.adds_up(counters):
        return f'line 1 of the input says {counters} tokens, the piles have {sum(game.sizes)}'
    for number, (pile, taken) in enumerate(moves, 3):
        why = why_illegal(game, pile, taken)
        if why:
            return f'line {number} of the input: {why}'
        game.sizes[pile] -= taken
    return '' if game.is_over() else f'{sum(game.sizes)} tokens are left at the end, not 1'


def why_illegal(game: Recorded, pile: int, taken: int) -> str:
    """Return why a move of a recorded game is not legal, `''` if it is."""
    if not 0 <= pile < len(game.sizes):
        return f'there is no pile {pile}'
    if taken < 1:
        return 'a player takes at least 1 token'
    if taken > game.sizes[pile]:
        return f'pile {pile} has only {game.sizes[pile]}'
    return '' if game.leaves_enough(taken) else 'no token would be left'
