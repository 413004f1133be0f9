"""Read the answers."""

from __future__ import annotations

import os

from common import aims, anything, read


def attack() -> bool:
    return anything([lambda: os.listdir(f'{aims.project}/transcripts')[0],
                     lambda: read(f'{aims.project}/transcripts/othello/worked_example.txt')])
