"""The report on a submission in a terminal, and one line about each submission of a class.

A terminal of 24 lines shows only the end of a report. So the sessions come first, then the findings
in reverse order (the finding to fix first comes last), and the score at the very end.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..printable import counted, shorten
from ..results import Results
from .messages import AT_ONCE, FLAKY, PROSE, QUOTED, Fact, headline, message_on_submission, rows
from .students import for_students
from .wording import (
    ReportEntry,
    all_notes,
    as_points,
    ended_by,
    entries,
    failures_by_cause,
    first_line,
    in_list,
    label_of,
    lines_in_words,
    list_sessions,
    reasons_not_run,
    shown_findings,
)

TERMINAL_COLUMNS = 80


def line(results: Results) -> str:
    """Return a line about one submission of a class; a `summary` of its results is enough."""
    if results.score is None:
        return f'{results.submission}: not graded: {results.output}'
    parts = [f'{results.submission}: {points(results)}']
    others = [in_list(finding.sentence) for finding in shown_findings(results) if not finding.id]
    reasons = ', '.join(map(first_line, reasons_not_run(results)))
    if results.faults:
        parts.append(' '.join(results.faults))
    elif others:
        parts.append(', '.join(others))
    elif reasons and not results.ended:
        parts.append(reasons)
    return '  '.join([*parts, *ended_by(results)])


def points(results: Results) -> str:
    """Return the points of a submission, such as `3 of 4 points`."""
    return f'{as_points(results.score or 0)} of {as_points(results.max_score)} points'


def report(results: Results) -> Iterator[str]:
    """Yield the lines of the report on one submission, for its author."""
    results = for_students(results)
    if results.passed:
        yield f'passed  {counted(results.passed)}'
    failures = failures_by_cause(results)
    for causes, tests in failures.items():
        if causes:
            yield from wrap(f'FAILED  {counted(len(tests))}: {causes}', 8)
            yield from wrap(' ' * 8 + list_sessions([test.name for test in tests]), 8)
    for test in failures.get('', []):
        if test.example:
            yield from wrap(f'FAILED  {" ".join(headline(test.example))}', 8)
    not_run = sum(test.is_not_run for test in results.tests)
    if not_run:
        yield f'not run {counted(not_run)}'
    for note in all_notes(results):
        yield from wrap(f'note: {note}', 6)
    for message in [*filter(None, [message_on_submission(results)]), *reasons_not_run(results)]:
        yield ''
        for text in message.split('\n'):
            is_quoted = text.startswith('  ')  # a compiler's output
            yield from [text] if is_quoted else wrap(text)
    if results.smallest:
        yield from [
            '',
            'The smallest failing fresh game found:',
            '',
            *results.smallest.rstrip('\n').split('\n'),
        ]
        if results.flaky:
            yield FLAKY
    for entry in reversed(entries(results)):
        yield from ['', *lines_about(entry)]
    way = f' ({AT_ONCE})' if results.at_once else ''
    yield from ['', f'{results.submission}: {results.game}, {points(results)}{way}']


def lines_about(entry: ReportEntry) -> Iterator[str]:
    finding = entry.finding
    yield from wrap(entry.title, 3)
    if finding.advice:
        yield from wrap(f'   {finding.advice}', 3)
    yield from wrap(f'   {entry.seen}. {entry.clean}'.rstrip(), 3)
    yield ''
    position, what = headline(finding.example)
    if len(position) + len(what) < TERMINAL_COLUMNS:
        yield f'{position} {what}'
    else:
        yield from [position, *wrap(f'    {what}', 4)]
    places = [
        Fact(
            f'{label_of(place):11}',
            f'{place.file}, {lines_in_words([place])}: ' + place.source.strip().partition('\n')[0],
        )
        for place in finding.places
    ]
    for row in [*rows(finding.example), *places]:
        yield from fit(row)


def fit(row: Fact) -> list[str]:
    """Return a row as lines for a terminal.

    Sentences are wrapped, and lines of source code are cut. A row with quoted input or output
    remains one line, even if it is too long: the caret below must point to the right column.
    """
    whole = str(row)
    if row.label in QUOTED:
        return [whole]
    if row.label in PROSE:
        return wrap(whole, len(row.label) + 4)
    if row.label in ('crash', 'stderr'):
        return wrap(whole, 12)
    return [shorten(whole, TERMINAL_COLUMNS)]


def wrap(text: str, indent: int = 0) -> list[str]:
    """Return a sentence as lines that fit into a terminal; all but the first are indented.

    >>> len(wrap('1. The program prints ' + 'more and ' * 8 + 'more.', 3))
    2
    """
    if len(text) <= TERMINAL_COLUMNS:
        return [text]
    import textwrap  # slow to import

    return textwrap.wrap(
        text, TERMINAL_COLUMNS, subsequent_indent=' ' * indent, break_on_hyphens=False
    )
