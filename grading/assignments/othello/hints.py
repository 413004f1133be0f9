"""What the words of Othello's protocol mean, where one stands for another."""

from __future__ import annotations

import re

from ...sessions.difference import Situation


def hint(situation: Situation) -> str:
    """Return what is certain where a line differs in meaning, `''` where nothing is."""
    due, bare = situation.expected.rstrip('\n'), situation.printed.rstrip('\n')
    if situation.printed_before == 'INVALID' and re.match(r'B: \d+ +W: \d+', bare):
        return 'nothing follows INVALID: the next line is read, and is the next move'
    words = due.partition(' ')[0], bare.partition(' ')[0]
    if words == ('INVALID', 'VALID'):
        return 'this move is not legal here'
    if words == ('VALID', 'INVALID'):
        return 'this move is legal here; rows and columns count from 1'
    if words == ('WINNER:', 'TURN:'):
        return 'neither player can move: the game is over'
    if words == ('TURN:', 'WINNER:'):
        return 'the game is not over: a player can still move'
    if words == ('WINNER:', 'WINNER:') and bare[8:] in ('B', 'W', 'NONE'):
        return '> is won by most discs, < by fewest; equal counts are a tie, NONE'
    return ''
