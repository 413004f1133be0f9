"""What a terminal shows: the report of one submission, a line for each of many, warnings, progress.

A terminal of 24 lines shows the end of a report. So the sessions come first, then the findings,
with the one to fix first at the end, and the score.
"""

from __future__ import annotations

import sys
import textwrap
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Callable, Iterator, Sequence

from ..printable import list_names, printable, shorten
from ..sandbox.program import UNCOUNTED
from ..settings import Settings
from .messages import (
    PROSE,
    QUOTED,
    Entry,
    Row,
    counted,
    ended_by,
    entries,
    headline,
    list_sessions,
    place_row,
    rows,
)
from .results import Results, for_students

COLUMNS = 80
MOST_IGNORED = 9                        # files that are named

Report = Callable[[int, int], None]
"""Is told how many of how many are done."""


def line(results: Results) -> str:
    """Return a line about one submission among many, from its summary."""
    if results.score is None:
        return f'{results.submission}: not graded: {results.output}'
    ended = ended_by(results)
    not_run = [] if ended else [reason.partition('\n')[0] for reason in results.reasons_not_run]
    beside = [finding.sentence for finding in results.findings if not finding.id]
    what = ' '.join(results.faults) or ', '.join(beside or not_run)
    return '  '.join([f'{results.submission}: {points(results)}', *filter(None, [what]), *ended])


def points(results: Results) -> str:
    """Return the points of a submission in words."""
    return f'{results.score:g} of {results.max_score:g} points'


def report(results: Results) -> Iterator[str]:
    """Yield the lines of the report of one submission, for its author."""
    results = for_students(results)
    yield from sessions(results)
    for note in results.notes:
        yield from wrap(f'note: {note}', 6)
    for message in [*filter(None, [results.output]), *results.reasons_not_run]:
        yield ''
        for one in message.split('\n'):     # what a build says is indented
            yield from [one] if one.startswith('  ') else wrap(one)
    if results.smallest:
        yield from ['', 'The smallest of the fresh games that fail:', '',
                    *results.smallest.rstrip('\n').split('\n'), *filter(None, [results.flaky])]
    for entry in reversed(entries(results)):
        yield from ['', *about(entry)]
    way = ' (with all its input at once)' if results.at_once else ''
    yield from ['', f'{results.submission}: {results.game}, {points(results)}{way}']


def about(entry: Entry) -> Iterator[str]:
    """Yield the lines about a finding."""
    finding = entry.finding
    yield from wrap(entry.title, 3)
    seen = f'Seen in {counted(len(finding.sessions))}.'
    for text in (finding.advice, f'{seen} {entry.gain}'):
        yield from wrap(f'   {text}'.rstrip(), 3) if text else ()
    yield ''
    place, how = headline(finding.example)
    yield from [f'{place} {how}'] if len(place) + len(how) < COLUMNS else [place, f'    {how}']
    for row in [*rows(finding.example), *map(place_row, finding.places)]:
        yield from fit(row)


def fit(row: Row) -> list[str]:
    """Return a row as lines that fit into a terminal.

    Lines that a program printed stay whole, for the caret below; lines of its source are cut.
    """
    whole = str(row)
    if len(whole) <= COLUMNS or row.label in QUOTED:
        return [whole]
    if row.label in PROSE:
        return wrap(whole, len(row.label) + 4)
    if row.label == 'crash':
        return wrap(whole, 12)
    return [shorten(whole, COLUMNS)]


def wrap(text: str, indent: int = 0) -> list[str]:
    """Return a sentence as lines that fit into a terminal, indented after the first.

    >>> len(wrap('1. The program prints ' + 'more and ' * 8 + 'more.', 3))
    2
    """
    return [text] if len(text) <= COLUMNS else textwrap.wrap(
        text, COLUMNS, subsequent_indent=' ' * indent, break_on_hyphens=False)


def sessions(results: Results) -> Iterator[str]:
    """Yield the lines about sessions: how many passed, and those that failed, in groups."""
    if results.passed:
        yield f'passed  {counted(results.passed)}'
    for causes, tests in results.failures.items():
        if causes:
            yield from wrap(f'FAILED  {counted(len(tests))}: {causes}', 8)
            names = list_sessions([test.name for test in tests])
            yield from wrap(f'{" " * 8}{names}', 8)
    for test in results.failures.get('', []):
        if test.example:
            yield from wrap(f'FAILED  {" ".join(headline(test.example))}', 8)
    not_run = sum(test.is_not_run for test in results.tests)
    if not_run:
        yield f'not run {counted(not_run)}'


def tell_ignored(names: Sequence[str]) -> None:
    """Print on standard error the files of an export that belong to no student."""
    if names:
        print('grading: ignored, because they belong to no student: '
              f'{list_names(names, MOST_IGNORED)}', file=sys.stderr)


def warn(settings: Settings) -> None:
    """Print on standard error what programs can reach."""
    if settings.confine == 'none':
        print('grading: programs run without a sandbox: they can read and change all that you can',
              file=sys.stderr)
    elif settings.reach:
        print(f'grading: programs run in the sandbox {settings.confine}, but can still reach: '
              f'{", ".join(settings.reach)}', file=sys.stderr)
        if UNCOUNTED in settings.reach:
            print('grading: a filter of system calls prevents most of this; it needs '
                  'libseccomp (on Debian and Ubuntu: apt install libseccomp2) and pyseccomp (pip '
                  'install pyseccomp)', file=sys.stderr)


def tell_page(path: Path) -> None:
    """Print on standard error where the page is."""
    print(f'grading: see {printable(str(path))}', file=sys.stderr)


def unreported(done: int, total: int) -> None:
    """Report no progress."""


@contextmanager
def progress(what: str) -> Iterator[Report]:
    """Show a progress bar on standard error, if that is a terminal; a line without library rich."""
    if not sys.stderr.isatty():
        yield unreported
        return
    if not find_spec('rich'):           # What is printed next is printed over the line.
        yield lambda done, total: print(f'\33[K{done} of {total} {what}\r', end='',
                                        file=sys.stderr, flush=True)
        print('\33[K', end='', file=sys.stderr, flush=True)
        return
    from rich.console import Console  # which takes long to import
    from rich.progress import Progress

    # Lines on standard output are printed above the bar, where both are the same terminal. The
    # bar gets no thread of its own: the grader forks.
    with Progress(console=Console(stderr=True), transient=True, auto_refresh=False,
                  redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, refresh=True)
