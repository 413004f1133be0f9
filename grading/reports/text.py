"""What a grader reads: a report of one submission, a line for one of many; warnings; progress."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Sequence

from ..batch.tasks import Graded
from ..printable import printable
from ..settings import Settings
from .grades import is_not_run, why_not_run

MOST_NAMED = 9                          # files that are ignored


def line(graded: Graded) -> str:
    """Return what has become of one submission among many."""
    if not graded.results:
        return f'{graded.task.name}: not graded: {graded.note}'
    facts = graded.results['extra_data']
    ended = f'ended by {facts["ended"]}' if facts['ended'] else ''
    return '  '.join(filter(None, [f'{facts["submission"]}: {points(graded.results)}',
                                   ' '.join(facts['faults']), ended]))


def points(results: dict[str, Any]) -> str:
    """Return the points of a submission in words."""
    most = sum(test['max_score'] for test in results['tests'])
    return f'{results["score"]:g} of {most:g} points'


def report(results: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the report of one submission."""
    facts = results['extra_data']
    yield f'{facts["submission"]}: {facts["game"]}, {points(results)}'
    for note in facts.get('notes', []):
        yield f'note: {note}'
    for message in [results['output'], *why_not_run(results)]:
        if message:
            yield from ['', *message.split('\n')]
    if 'smallest' in facts:
        yield from ['', 'The smallest of the fresh games that fail:', '',
                    *facts['smallest'].rstrip('\n').split('\n')]
        if 'flaky' in facts:
            yield facts['flaky']
    yield ''
    for test in results['tests']:
        name = test['name']
        if test['status'] == 'passed':
            yield f'passed  {name}'
        elif is_not_run(test):
            yield f'not run {name}'
        elif test['extra_data'].get('faults'):
            yield f'FAILED  {name}: {" ".join(test["extra_data"]["faults"])}'
        else:
            first = test['output'].partition('\n')[0]
            yield 'FAILED  ' + (first if first.startswith(name) else f'{name}: {first}')


def tell_ignored(names: Sequence[str]) -> None:
    """Say on standard error which files of an export are nobody's, if there are any."""
    if names:
        more = f' and {len(names) - MOST_NAMED} more' if len(names) > MOST_NAMED else ''
        print(f"grading: nobody's, and ignored: {printable(', '.join(names[:MOST_NAMED]))}{more}",
              file=sys.stderr)


def warn(settings: Settings) -> None:
    """Say on standard error what the walls are not."""
    if settings.confine == 'none':
        print('grading: programs are not confined: they can read and write what you can',
              file=sys.stderr)
    elif settings.reach:
        print(f'grading: programs are confined ({settings.confine}), but can reach: '
              f'{", ".join(settings.reach)}', file=sys.stderr)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show on standard error how many of how many are done, where that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console  # which takes long to import
    from rich.progress import Progress

    # Lines on standard output are printed above the bar, where both are the same terminal. The
    # bar gets no thread of its own: the grader forks.
    with Progress(console=Console(stderr=True), transient=True, auto_refresh=False,
                  redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total, refresh=True)
