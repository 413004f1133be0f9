"""What is run: a command line, and the folder that it runs in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Program:
    """A command line, and where it runs.

    Each run has a fresh copy of `folder`, and begins in the folder `below` in it; a program
    without a folder runs as it stands, in the current one.
    """

    words: list[str]
    folder: Path | None = None
    below: str = '.'
