"""Makes the manual's pictures, docs/*.png, of a class of wrong programs: `make pictures`."""

from __future__ import annotations

import html
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import chromium
from programs import changed, read_sample
from wrong_othello import WRONG

from grading.installation import ROOT

# The class: the faults of each submission.
CLASS = {
    'alder': (),
    'aspen': ('one-run',),
    'birch': ('one-run',),
    'cedar': ('one-space',),
    'elm': ('no-tie', 'one-space'),
    'hazel': ('direction-missing',),
    'larch': ('turn-last',),
    'maple': ('wins-swapped',),
}
SHOWN = 'birch'  # its report is in the pictures
WIDE = 1280  # pixels
# JavaScript: where an element ends, and a margin, in pixels from the top.
BELOW = "Math.ceil(document.querySelector('{}').getBoundingClientRect().bottom) + 16"
COLUMNS = 80


def main(folder: Path = ROOT / 'docs') -> None:
    """Make all pictures in a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        for name, faults in CLASS.items():
            write(work / 'class' / name / 'othello.py', with_faults(faults))
        grade(work, *map(str, sorted((work / 'class').iterdir())), '--out', 'results')
        output = grade(work, f'class/{SHOWN}')
        terminal = write(work / 'terminal.html', terminal_page(output.splitlines()))
        with chromium(work) as page:
            for name, path, width, last in [
                ('terminal', terminal, 860, 'body'),
                ('class', work / 'results/index.html', WIDE, 'body'),
                ('report', work / f'results/{SHOWN}/report.html', WIDE, '.case'),
            ]:
                page.open(path, width, 100)
                page.open(path, width, page.evaluate(BELOW.format(last)))
                (folder / f'{name}.png').write_bytes(page.screenshot())


def with_faults(names: tuple[str, ...]) -> str:
    """Return the sample Othello program with some faults."""
    return changed(read_sample('othello'), [change for name in names for change in WRONG[name]])


def write(path: Path, text: str) -> Path:
    """Write a file; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding='utf-8')
    return path


def grade(folder: Path, *words: str) -> str:
    """Run the grader in a folder; return its output."""
    done = subprocess.run(
        [sys.executable, '-m', 'grading', 'grade', 'othello', *words],
        cwd=folder,
        env={'PYTHONPATH': str(ROOT), 'PATH': '/usr/bin:/bin'},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.returncode
    return done.stdout


def terminal_page(lines: list[str]) -> str:
    """Return a page of output, shown as in a terminal of 80 columns and 24 lines."""
    rows = [
        row
        for line in lines
        for row in (line[i : i + COLUMNS] for i in range(0, max(len(line), 1), COLUMNS))
    ]
    command = f'$ grading grade othello class/{SHOWN}'
    text = html.escape('\n'.join([command, *rows[-22:]]))
    return (
        '<!doctype html><meta charset="utf-8"><body style="margin: 0; background: #1d1f21">'
        '<pre style="margin: 0; padding: 20px; color: #e4e2dc; '
        f"font: 16px/1.35 'DejaVu Sans Mono', monospace\">{text}</pre>"
    )
