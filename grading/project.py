"""Where the project and its transcripts are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / 'transcripts'


def all_transcripts() -> list[Path]:
    """Return the paths of the project's transcripts, in order of name."""
    return sorted(FOLDER.rglob('*.txt'))
