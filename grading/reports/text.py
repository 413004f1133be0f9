"""What a grader reads: the report of one submission, a line for one of many.

A report is made for a terminal of 24 lines of 80 columns: its end is what is seen, so that the
sessions come first, then what is wrong, and the score last.
"""

from __future__ import annotations

import re
import textwrap
from typing import Any, Iterator

from .files import SavedResults
from .grades import is_not_run, most_points, name_of, passed, why_not_run
from .messages import counted
from .told import beside, causes_of

COLUMNS = 80
MOST_NAMED = 6                          # sessions of a group
# Lines of the program are shown as they are, for carets stand below them; lines of its source are
# cut; the place in a transcript stands on a line of its own.
AS_IT_IS = re.compile(r' {2}(typed|expected|printed|build) *\|| *\^$')
CUT = re.compile(r' {2}[a-z ]+\|')
START = re.compile(r' *(\d+\. |hint: |note: |FAILED  )?')
PLACE = re.compile(r'(\S.*?\.txt:\d+:) (.*)')


def line(results: SavedResults) -> str:
    """Return what has become of one submission among many, from a summary."""
    if results['score'] is None:
        return f'{name_of(results)}: not graded: {results["output"]}'
    facts = results['extra_data']
    ended = f'ended by {facts["ended"]}' if facts['ended'] else ''
    not_run = [] if ended else [reason.partition('\n')[0] for reason in why_not_run(results)]
    what = ' '.join(facts['faults']) or ', '.join(beside(facts) or not_run)
    return '  '.join(filter(None, [f'{name_of(results)}: {points(results)}', what, ended]))


def fitted(line: str) -> list[str]:
    """Return a line of a report as lines that fit in a terminal, but for what a program printed.

    >>> len(fitted('1. The program prints ' + 'more and ' * 8 + 'more.'))
    2
    """
    if len(line) <= COLUMNS or AS_IT_IS.match(line):
        return [line]
    if CUT.match(line):
        return [f'{line[:COLUMNS - 3]}...']
    place = PLACE.fullmatch(line)
    if place:
        return [place[1], *fitted(f'    {place[2]}')]
    start = START.match(line)
    return textwrap.wrap(line, COLUMNS, subsequent_indent=' ' * (start.end() if start else 0),
                         break_on_hyphens=False)


def points(results: SavedResults) -> str:
    """Return the points of a submission in words."""
    return f'{results["score"]:g} of {most_points(results):g} points'


def report(results: SavedResults) -> Iterator[str]:
    """Yield the lines of the report of one submission."""
    facts = results['extra_data']
    for one in [*sessions(results), *(f'note: {note}' for note in facts.get('notes', []))]:
        yield from fitted(one)
    for message in [results['output'], *why_not_run(results)]:
        if message:
            yield ''
            for one in message.split('\n'):
                yield from fitted(one)
    if 'smallest' in facts:
        yield from ['', 'The smallest of the fresh games that fail:', '',
                    *facts['smallest'].rstrip('\n').split('\n')]
        if 'flaky' in facts:
            yield facts['flaky']
    way = ' (with all its input at once)' if facts.get('at_once') else ''
    yield from ['', f'{facts["submission"]}: {facts["game"]}, {points(results)}{way}']


def sessions(results: SavedResults) -> Iterator[str]:
    """Yield what became of the sessions: passed ones as a number, the others in groups."""
    groups: dict[str, list[str]] = {}
    for test in results['tests']:
        if test['status'] == 'failed':
            groups.setdefault(what_became(test, results['extra_data']), []).append(test['name'])
    if passed(results):
        yield f'passed  {counted(passed(results))}'
    for what, names in groups.items():
        label, _, cause = what.partition('  ')
        if cause.startswith(names[0]):
            yield what
            continue
        yield f'{label:8}{counted(len(names))}{cause and ": "}{cause}'
        more = [f'and {len(names) - MOST_NAMED} more'] if len(names) > MOST_NAMED else []
        if label == 'FAILED':
            yield from textwrap.wrap(', '.join([*map(short, names[:MOST_NAMED]), *more]), COLUMNS,
                                     initial_indent=' ' * 8, subsequent_indent=' ' * 8,
                                     break_on_hyphens=False)


def what_became(test: SavedResults, facts: dict[str, Any]) -> str:
    """Return what a session that failed shares with others: its faults, or what happens in it."""
    if is_not_run(test):
        return 'not run'
    first = test['output'].partition('\n')[0]
    own = first if first.startswith(test['name']) else f'{test["name"]}: {first}'
    return f'FAILED  {", ".join(causes_of(test, facts)) or own}'


def short(name: str) -> str:
    """Return the name of a session without the project's folder of all sessions.

    >>> short('transcripts/sums/worked_example.txt'), short('more/words.txt')
    ('worked_example', 'more/words')
    """
    name = name[:-4] if name.endswith('.txt') else name
    return name.rpartition('/')[2] if name.startswith('transcripts/') else name
