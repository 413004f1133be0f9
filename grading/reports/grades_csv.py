"""The file grades.csv: one row for each submission of a class."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path

from ..printable import printable
from ..results import Results
from .results_json import write_whole
from .wording import as_points, note_on

COLUMNS = (
    'submission',
    'score',
    'max_score',
    'passed',
    'failed',
    'late',
    'faults',
    'seconds',
    'note',
    'score_if_printing_were_right',
    'id',
    'email',
)
LATE_IN_WORDS = {True: 'yes', False: 'no', None: ''}
# Matches where a formula may start in a spreadsheet: at the start of a cell, and after a separator,
# because in some locales, spreadsheets split cells at semicolons.
FORMULA = re.compile(r'(^|[,;|])([ "\']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])')


def write_grades(path: Path, all_results: Iterable[Results]) -> None:
    """Write grades.csv, with the submissions sorted by name. Raises `OSError`."""
    import csv  # needed only for --out

    ordered = sorted(
        all_results, key=lambda results: (results.submission.casefold(), results.submission)
    )
    table = io.StringIO()
    writer = csv.DictWriter(table, COLUMNS, lineterminator='\n')
    writer.writeheader()
    writer.writerows(map(row_of, ordered))
    # Without a byte order mark, Excel does not read the file as UTF-8.
    write_whole(path, '\ufeff' + table.getvalue())


def row_of(results: Results) -> dict[str, object]:
    """Return the row of one submission. Without a grade, most cells are empty."""
    row: dict[str, object] = {
        'submission': as_text(results.submission),
        'late': LATE_IN_WORDS[results.late],
        'note': as_text(note_on(results)),
        'id': as_text(results.id),
        'email': as_text(results.email),
    }
    if results.score is not None:
        row.update(
            score=as_points(results.score),
            max_score=as_points(results.max_score),
            passed=results.passed,
            failed=len(results.tests) - results.passed,
            faults=as_text('; '.join(results.faults)),
            seconds=results.execution_time,
            score_if_printing_were_right=score_without_printing(results),
        )
    return row


def score_without_printing(results: Results) -> str:
    """Return the points a submission would get if its printing were correct.

    A failed session counts as passed if all its findings are printing faults. Return `''` if the
    points are unknown because a session did not run or may have more faults than can be seen.
    """
    points = float(results.score or 0)
    if results.findings and (
        any(test.is_not_run for test in results.tests)
        or any(len(finding.cut) == len(finding.sessions) for finding in results.findings)
    ):
        return ''
    for test in results.tests:
        shown = [finding for finding in results.findings if test.name in finding.sessions]
        if shown and all(finding.is_printing for finding in shown):
            if test.name in shown[0].cut:
                return ''
            points += test.max_score - test.score
    return as_points(points)


def as_text(cell: str) -> str:
    """Return text for a cell, on one line. An apostrophe turns a formula into text.

    >>> as_text('=1+1'), as_text('a;-b'), as_text('doe-jane')
    ("'=1+1", "a;'-b", 'doe-jane')
    """
    return FORMULA.sub(r"\1\2'", printable(cell))
