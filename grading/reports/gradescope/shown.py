"""results.json as Gradescope shows it: what to mend is a test of its own, above the sessions.

https://gradescope-autograders.readthedocs.io/en/latest/specs/ says what a page there is made from.
"""

from __future__ import annotations

from html import escape
from typing import Any, Iterator

from ..files import SavedResults
from ..grades import why_not_whole
from ..text import short
from ..told import lines_in_words, reason

TO_MEND = 'What to mend'                # the name of that test
MOST_NAMED = 6                          # sessions of a cause


def for_gradescope(results: SavedResults) -> SavedResults:
    """Return results with what to mend as a test for no points, which is as visible as all are.

    The text on the whole submission is shown whatever the visibility: it quotes no test.
    """
    facts = results['extra_data']
    about = [why_not_whole(facts), *(f'note: {note}' for note in facts['notes'])]
    tests = [{**test, 'tags': [*test['tags'], *test['extra_data'].get('faults', [])]}
             for test in results['tests']]
    if facts.get('told'):
        tests.insert(0, {
            'name': TO_MEND, 'score': 0, 'max_score': 0, 'status': 'failed',
            'output': '\n'.join(to_mend(facts)), 'output_format': 'html',
            'tags': [*facts['faults']], 'visibility': results['visibility'], 'extra_data': {}})
    return {**results, 'output': '\n\n'.join(filter(None, about)), 'tests': tests}


def to_mend(facts: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of what to mend, as HTML: each cause, and where to look for it."""
    for number, told in enumerate(facts['told'], 1):
        beside = not told['id'] and facts['faults']
        yield (f'<h4>{number}. {"These aside, the" if beside else "The"} program '
               f'{prose(told["sentence"])}</h4>')
        yield f'<p>{prose(told["advice"])}</p>' if told['advice'] else ''
        yield f'<pre>{escape(told["place"]["message"])}</pre>'
        yield from (place_shown(place) for place in facts.get('where') or []
                    if place['entry'] == number)
        names = [*map(short, told['sessions'][:MOST_NAMED])]
        others = len(told['sessions']) - len(names)
        more = f', and {others} more' if others else ''
        yield f'<p>Seen in {escape(", ".join(names))}{more}.</p>'


def place_shown(place: dict[str, Any]) -> str:
    """Return a place in a program as HTML, with its lines."""
    return (f'<p>{escape(reason(place["why"]))}: {escape(place["file"])}, '
            f'{lines_in_words([place])}</p>\n'
            f'<pre>{escape(place["source"])}</pre>')


def prose(text: str) -> str:
    """Return a text as HTML that shows two blanks as two."""
    return escape(text).replace('  ', ' &nbsp;')
