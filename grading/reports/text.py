"""What a grader reads: the report of one submission, a line for one of many."""

from __future__ import annotations

from typing import Iterator

from .files import SavedResults
from .grades import is_not_run, most_points, name_of, why_not_run


def line(results: SavedResults) -> str:
    """Return what has become of one submission among many, from a summary."""
    if results['score'] is None:
        return f'{name_of(results)}: not graded: {results["output"]}'
    facts = results['extra_data']
    ended = f'ended by {facts["ended"]}' if facts['ended'] else ''
    return '  '.join(filter(None, [f'{name_of(results)}: {points(results)}',
                                   ' '.join(facts['faults']), ended]))


def points(results: SavedResults) -> str:
    """Return the points of a submission in words."""
    return f'{results["score"]:g} of {most_points(results):g} points'


def report(results: SavedResults) -> Iterator[str]:
    """Yield the lines of the report of one submission."""
    facts = results['extra_data']
    way = ' (with all its input at once)' if facts.get('at_once') else ''
    yield f'{facts["submission"]}: {facts["game"]}, {points(results)}{way}'
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
