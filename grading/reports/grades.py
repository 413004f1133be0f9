"""What the results of a class come to: grades.csv, for a gradebook."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any, Iterable

from ..printable import printable
from .files import SavedResults, write_whole

COLUMNS = ('submission', 'score', 'max_score', 'passed', 'failed', 'late', 'faults', 'seconds',
           'note')
KEPT = ('submission', 'game', 'faults', 'late', 'notes', 'ended')     # of the facts in a summary
INTERRUPTED = 'the grading was interrupted; start it again'
NOT_WHOLE = ('This is not the whole grade: the grading has not come to its end, which is not the '
             'fault of the submission. It has to be graded again.')
LATE_IN_WORDS = {True: 'yes', False: 'no', None: ''}
MOST_NOTED = 300                        # characters of a note
# What a spreadsheet takes for a formula, at the start of a cell and behind each separator: with
# another language's settings it splits cells at semicolons.
FORMULA = re.compile(r'(^|[,;|])([ "\']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])')


def without_grade(name: str, note: str) -> SavedResults:
    """Return the results of a submission that could not be graded, and why it could not."""
    return {'score': None, 'output': note, 'execution_time': 0, 'tests': [],
            'extra_data': {'submission': name, 'faults': []}}


def summary(results: SavedResults) -> SavedResults:
    """Return results without what only the page of this submission shows.

    Those of a grading that has not come to its end are no grade.
    """
    facts = results['extra_data']
    if not facts.get('complete'):
        return without_grade(facts['submission'], ' '.join(filter(None, [
            facts['ended'] and f'ended by {facts["ended"]}:', INTERRUPTED])))
    about = {name: facts.get(name) for name in KEPT}
    about['told'] = [{key: told[key] for key in ('id', 'sentence')}
                     for told in facts.get('told') or []]
    tests = [{'status': test['status'], 'max_score': test['max_score'], 'tags': test['tags'],
              **({'output': test['output'], 'extra_data': {'kind': 'not run'}}
                 if is_not_run(test) else {'output': '', 'extra_data': {}})}
             for test in results['tests']]
    return {'score': results['score'], 'output': '', 'execution_time': results['execution_time'],
            'extra_data': about, 'tests': tests}


def write_grades(path: Path, all_results: Iterable[SavedResults]) -> None:
    """Write grades.csv, whole, in order of name. Raises `OSError`."""
    table = io.StringIO()
    writer = csv.DictWriter(table, COLUMNS, lineterminator='\n')
    writer.writeheader()
    for results in sorted(all_results, key=lambda results: (name_of(results).casefold(),
                                                            name_of(results))):
        writer.writerow(row_of(results))
    write_whole(path, table.getvalue())


def row_of(results: SavedResults) -> dict[str, object]:
    """Return the line of one submission; its grade is empty where none could be given."""
    about = results['extra_data']
    row: dict[str, object] = {
        'submission': as_text(name_of(results)),
        'late': LATE_IN_WORDS[about.get('late')],
        'note': as_text(note_on(results)),
    }
    if results['score'] is not None:
        row.update(score=f'{results["score"]:g}', max_score=f'{most_points(results):g}',
                   passed=passed(results), failed=len(results['tests']) - passed(results),
                   faults=as_text('; '.join(about['faults'])), seconds=results['execution_time'])
    return row


def note_on(results: SavedResults) -> str:
    """Return what a teacher should know of a submission beside its grade, in a line."""
    about = results['extra_data']
    notes = [results['output']] if results['score'] is None else []
    if about.get('ended'):
        notes.append(f'ended by {about["ended"]}')
    else:
        notes += why_not_run(results)
    notes += about.get('notes') or []
    note = ' '.join('; '.join(notes).split())
    return note if len(note) <= MOST_NOTED else f'{note[:MOST_NOTED]}...'


def why_not_whole(facts: dict[str, Any]) -> str:
    """Return what ended a grading, and whether it is no grade, `''` for one that is whole."""
    ended = f'ended by {facts["ended"]}' if facts['ended'] else ''
    return '\n\n'.join(filter(None, [ended, '' if facts['complete'] else NOT_WHOLE]))


def why_not_run(results: SavedResults) -> list[str]:
    """Return why tests have not been run, each reason once."""
    return list(dict.fromkeys(test['output'] for test in results['tests'] if is_not_run(test)))


def is_not_run(test: SavedResults) -> bool:
    """Return whether a test has not been run."""
    return bool(test['extra_data'].get('kind') == 'not run')


def as_text(cell: str) -> str:
    """Return a cell on one line that no spreadsheet takes for a formula.

    >>> as_text('=1+1'), as_text('a;-b'), as_text('doe-jane')
    ("'=1+1", "a;'-b", 'doe-jane')
    """
    return FORMULA.sub(r"\1\2'", printable(cell))


def name_of(results: SavedResults) -> str:
    """Return the name of a submission."""
    return str(results['extra_data']['submission'])


def most_points(results: SavedResults) -> float:
    """Return how many points a submission could have had."""
    return float(sum(test['max_score'] for test in results['tests']))


def passed(results: SavedResults) -> int:
    """Return how many tests a submission has passed."""
    return sum(test['status'] == 'passed' for test in results['tests'])
