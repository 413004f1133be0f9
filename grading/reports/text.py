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

from ..diagnosis.finding import Finding
from ..printable import printable
from ..sandbox.program import UNCOUNTED
from ..settings import Settings
from .messages import (
    PROSE,
    QUOTED,
    Row,
    counted,
    gain,
    headline,
    named,
    place_row,
    rows,
    title,
)
from .results_json import (
    SavedResults,
    causes_of,
    example_in,
    findings_in,
    for_students,
    is_not_run,
    most_points,
    name_of,
    passed,
    why_not_run,
)

COLUMNS = 80
MOST_IGNORED = 9                        # files that are named

Report = Callable[[int, int], None]
"""Is told how many of how many are done."""


def line(results: SavedResults) -> str:
    """Return a line about one submission among many, from its summary."""
    if results['score'] is None:
        return f'{name_of(results)}: not graded: {results["output"]}'
    facts = results['extra_data']
    ended = f'ended by {facts["ended"]}' if facts['ended'] else ''
    not_run = [] if ended else [reason.partition('\n')[0] for reason in why_not_run(results)]
    beside = [finding.sentence for finding in findings_in(results) if not finding.id]
    what = ' '.join(facts['faults']) or ', '.join(beside or not_run)
    return '  '.join(filter(None, [f'{name_of(results)}: {points(results)}', what, ended]))


def points(results: SavedResults) -> str:
    """Return the points of a submission in words."""
    return f'{results["score"]:g} of {most_points(results):g} points'


def report(results: SavedResults) -> Iterator[str]:
    """Yield the lines of the report of one submission, for its author."""
    results = for_students(results)
    facts, findings = results['extra_data'], findings_in(results)
    yield from sessions(results, findings)
    for note in facts.get('notes', []):
        yield from wrapped(f'note: {note}', 6)
    for message in [results['output'], *why_not_run(results)]:
        if message:
            yield ''
            for one in message.split('\n'):     # what a build says is indented
                yield from [one] if one.startswith('  ') else wrapped(one)
    if 'smallest' in facts:
        yield from ['', 'The smallest of the fresh games that fail:', '',
                    *facts['smallest'].rstrip('\n').split('\n')]
        if 'flaky' in facts:
            yield facts['flaky']
    for number in range(len(findings), 0, -1):
        yield from ['', *told(number, findings, results)]
    way = ' (with all its input at once)' if facts.get('at_once') else ''
    yield from ['', f'{facts["submission"]}: {facts["game"]}, {points(results)}{way}']


def told(number: int, findings: Sequence[Finding], results: SavedResults) -> Iterator[str]:
    """Yield the lines about the finding with a number, from 1."""
    finding = findings[number - 1]
    yield from wrapped(title(number, findings), 3)
    seen = f'Seen in {counted(len(finding.sessions))}.'
    for text in (finding.advice, f'{seen} {gain(finding, results)}'):
        yield from wrapped(f'   {text}'.rstrip(), 3) if text else ()
    yield ''
    place, how = headline(finding.example)
    yield from [f'{place} {how}'] if len(place) + len(how) < COLUMNS else [place, f'    {how}']
    for row in [*rows(finding.example), *map(place_row, finding.places)]:
        yield from fitted(row)


def fitted(row: Row) -> list[str]:
    """Return a row as lines that fit into a terminal.

    Lines that a program printed stay whole, for the caret below; lines of its source are cut.
    """
    whole = str(row)
    if len(whole) <= COLUMNS or row.label in QUOTED:
        return [whole]
    if row.label in PROSE:
        return wrapped(whole, len(row.label) + 4)
    if row.label == 'crash':
        return wrapped(whole, 12)
    return [f'{whole[:COLUMNS - 3]}...']


def wrapped(text: str, indent: int = 0) -> list[str]:
    """Return a sentence as lines that fit into a terminal, indented after the first.

    >>> len(wrapped('1. The program prints ' + 'more and ' * 8 + 'more.', 3))
    2
    """
    return [text] if len(text) <= COLUMNS else textwrap.wrap(
        text, COLUMNS, subsequent_indent=' ' * indent, break_on_hyphens=False)


def sessions(results: SavedResults, findings: Sequence[Finding]) -> Iterator[str]:
    """Yield the lines about sessions: how many passed, and those that failed, in groups."""
    groups: dict[tuple[str, ...], list[str]] = {}
    not_run = 0
    if passed(results):
        yield f'passed  {counted(passed(results))}'
    for test in results['tests']:
        example = example_in(test)
        if is_not_run(test):
            not_run += 1
        elif example:
            causes = causes_of(test['name'], findings) or [
                test['name'], ' '.join(headline(example))]
            groups.setdefault(tuple(causes), []).append(test['name'])
    for behind, names in groups.items():
        if behind[0] == names[0]:
            yield from wrapped(f'FAILED  {behind[1]}', 8)
            continue
        yield from wrapped(f'FAILED  {counted(len(names))}: {", ".join(behind)}', 8)
        yield from textwrap.wrap(named(names), COLUMNS, initial_indent=' ' * 8,
                                 subsequent_indent=' ' * 8, break_on_hyphens=False)
    if not_run:
        yield f'not run {counted(not_run)}'


def tell_ignored(names: Sequence[str]) -> None:
    """Print on standard error the files of an export that belong to no student."""
    if names:
        more = f' and {len(names) - MOST_IGNORED} more' if len(names) > MOST_IGNORED else ''
        named = printable(', '.join(names[:MOST_IGNORED]))
        print(f'grading: ignored, because they belong to no student: {named}{more}',
              file=sys.stderr)


def warn(settings: Settings) -> None:
    """Print on standard error what programs can reach."""
    if settings.confine == 'none':
        print('grading: programs run without a sandbox: they can read and change all that you can',
              file=sys.stderr)
    elif settings.reach:
        print(f'grading: programs can get out of the sandbox ({settings.confine}) and reach: '
              f'{", ".join(settings.reach)}', file=sys.stderr)
        if UNCOUNTED in settings.reach:
            print('grading: a filter of system calls would prevent some of this: it needs '
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
