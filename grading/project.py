"""Where the project and its transcripts are, and which of its files are the grader."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TRANSCRIPTS_FOLDER = ROOT / 'transcripts'
GRADER = ('*_logic.py', '*_console.py', 'pyproject.toml', 'LICENSE', 'grading/**/*.py',
          'grading/reports/html/templates/*')


def all_transcripts() -> list[Path]:
    """Return the paths of the project's transcripts, in order of name."""
    return sorted(TRANSCRIPTS_FOLDER.rglob('*.txt'))


def grader_files() -> list[Path]:
    """Return the files that the grader is made of, but for transcripts, in order."""
    return sorted(path for pattern in GRADER for path in ROOT.glob(pattern))
