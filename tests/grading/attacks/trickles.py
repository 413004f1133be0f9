"""Print right answers, very slowly."""

from __future__ import annotations

import sys
import time


def attack() -> None:
    for character in 'FULL':
        sys.stdout.write(character)
        sys.stdout.flush()
        time.sleep(0.2)
    time.sleep(600)
