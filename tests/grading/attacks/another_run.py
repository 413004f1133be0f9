"""Find the grader's own copies of what others have handed in."""

from __future__ import annotations

import glob
import os

from common import SHARED, aims, anything


def attack() -> bool:
    for folder in [*SHARED, os.environ['TMPDIR'] + '/..', os.path.dirname(aims.scratch)]:
        for place in glob.glob(f'{folder}/grading*'):
            if any('othello_console.py' in files for _, _, files in os.walk(place)):
                return True
    return anything([lambda: os.listdir(aims.scratch)[0]])
