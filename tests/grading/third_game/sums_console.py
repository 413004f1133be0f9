"""The console of a third game, which adds up numbers; a test adds the game to the project."""

from __future__ import annotations

import sys


def main() -> int:
    """Play one game, which ends at a 0; return the exit status."""
    total = 0
    try:
        for number in iter(lambda: int(input()), 0):
            total += number
            print('Now', total, flush=True)
    except (EOFError, ValueError):
        print('sums: the last number has to be 0', file=sys.stderr)
        return 1
    print('In all', total)
    return 0
