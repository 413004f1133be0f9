"""results.json as Gradescope shows it: what to fix is a test of its own, above the sessions.

https://gradescope-autograders.readthedocs.io/en/latest/specs/ says what a page there is made from.
"""

from __future__ import annotations

from html import escape
from typing import Iterator

from ...diagnosis.finding import Place
from ..messages import counted, describe, gain, lines_in_words, named, reason, title
from ..results_json import (
    SavedResults,
    causes_of,
    findings_in,
    for_students,
    why_not_whole,
)

TO_FIX = 'What to fix'                  # the name of that test
SECRET = ('digest',)                    # facts for the teacher alone


def for_gradescope(results: SavedResults) -> SavedResults:
    """Return results with what to fix as a test for no points, which is as visible as all are.

    The text on the whole submission is shown whatever the visibility: it quotes no test.
    """
    results = for_students(results)
    facts, findings = results['extra_data'], findings_in(results)
    faults = [finding for finding in findings if finding.id]
    about = [why_not_whole(facts), *(f'note: {note}' for note in facts['notes'])]
    tests = [{**test, 'tags': [*test['tags'], *causes_of(test['name'], faults)]}
             for test in results['tests']]
    if findings:
        tests.insert(0, {
            'name': TO_FIX, 'score': 0, 'max_score': 0, 'status': 'failed',
            'output': '\n'.join(to_fix(results)), 'output_format': 'html',
            'tags': [*facts['faults']], 'visibility': results['visibility'], 'extra_data': {}})
    facts = {name: fact for name, fact in facts.items() if name not in SECRET}
    return {**results, 'output': '\n\n'.join(filter(None, about)), 'tests': tests,
            'extra_data': facts}


def to_fix(results: SavedResults) -> Iterator[str]:
    """Yield the lines of what to fix, as HTML: each finding, and where to look for it."""
    findings = findings_in(results)
    for number, finding in enumerate(findings, 1):
        yield f'<h4>{prose(title(number, findings))}</h4>'
        yield from (f'<p>{prose(text)}</p>' for text in (
            finding.advice, gain(finding, results)) if text)
        yield f'<pre>{escape(describe(finding.example))}</pre>'
        yield from map(place_shown, finding.places)
        yield (f'<p>Seen in {counted(len(finding.sessions))}: '
               f'{escape(named(finding.sessions))}.</p>')


def place_shown(place: Place) -> str:
    """Return a place in a program as HTML, with its lines."""
    return (f'<p>{escape(reason(place.why))}: {escape(place.file)}, '
            f'{lines_in_words([place])}</p>\n<pre>{escape(place.source)}</pre>')


def prose(text: str) -> str:
    """Return a text as HTML that shows two blanks as two."""
    return escape(text).replace('  ', ' &nbsp;')
