"""Where the project and its transcripts are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / 'transcripts'
