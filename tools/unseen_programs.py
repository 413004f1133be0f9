"""Writes the reports about programs that the authors of the diagnosis had not seen: `make unseen`.

Three authors had seen only the assignments. Each wrote twenty programs into `unseen/`, and into
`FAULTS.txt` what is wrong with each program. They wrote both before there was any report.
`VERDICTS.md` contains what readers thought of the reports.

This module writes the grader's current reports into `REPORTS.txt`, and `git diff` shows what has
changed. With an argument, it writes a report only if the program's name contains the argument.
Writing all reports takes about ten minutes.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from graders import run_grader

from grading.installation import ROOT

HEADING = re.compile('^=== (.+) ===\n', re.MULTILINE)
FOLDER = ROOT / 'tests' / 'grading' / 'unseen'


def programs() -> Iterator[tuple[str, Path, str]]:
    """Yield each program's name, folder and game."""
    for folder in sorted(FOLDER.glob('*/*/')):
        game = folder / 'GAME'
        name = f'{folder.parent.name}{folder.name}'
        yield name, folder, game.read_text().strip() if game.exists() else 'othello'


def report(name: str, folder: Path, game: str) -> str:
    """Return the report about a program as its author reads it in the terminal."""
    with tempfile.TemporaryDirectory() as scratch:
        submission = Path(scratch, name)
        submission.mkdir()
        for file in folder.glob('*.txt'):
            shutil.copy(file, submission / file.stem)
        _, output, errors = run_grader('grade', game, submission)
    return output + errors


def reports_by_name() -> dict[str, str]:
    """Return the reports in `REPORTS.txt`, by the names of the programs."""
    texts = [path.read_text(encoding='utf-8') for path in sorted(FOLDER.glob('*/REPORTS.txt'))]
    pieces = HEADING.split(''.join(texts))[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def main(part: str = '') -> None:
    """Write the reports about all programs whose names contain `part`."""
    reports = reports_by_name()
    for name, folder, game in programs():
        if part in name:
            reports[name] = report(name, folder, game)
            print(name, file=sys.stderr)
    for author in sorted({folder.parent for _, folder, _ in programs()}):
        texts = [
            f'=== {name} ===\n{text}'
            for name, text in sorted(reports.items())
            if name.startswith(author.name)
        ]
        (author / 'REPORTS.txt').write_text(''.join(texts), encoding='utf-8')
