"""Makes the manual's page of all known faults from their tables; `make faults` writes it."""

from grading.diagnosis.manners import MANNERS
from grading.diagnosis.printing import WAYS
from grading.games import GAMES
from grading.games.known_faults import faults_of
from grading.installation import ROOT

PAGE = ROOT / 'docs' / 'faults.md'
BEGIN = """# Known faults

The grader knows these faults. If a program has one of them, the report says what the program does
wrong and what to do. `grades.csv` and `results.json` (under `extra_data.faults`) contain the ids.
`make faults` writes this page.
"""
TITLES = {
    'othello': 'Othello',
    'recorded': 'Nim: a recorded game',
    'stones': 'Nim: Taking Stones',
    'tlcw': 'Nim: take the last coin to win',
    'piles': 'Nim: classic, with piles',
}


def page():
    """Return the text of the page."""
    parts = [BEGIN, section('Programs for any assignment', [*WAYS, *MANNERS])]
    parts += [section(TITLES[name], faults_of(game).known) for name, game in GAMES.items()]
    return '\n'.join(parts)


def section(title, known_faults):
    """Return a section of the page: a title, and a table of faults."""
    rows = [f'| `{known.id}` | {known.sentence} | {known.advice} |' for known in known_faults]
    head = ['', '| id | the program ... | what to do |', '|---|---|---|']
    return '\n'.join([f'## {title}', *head, *rows, ''])
