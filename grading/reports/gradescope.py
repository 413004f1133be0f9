"""The results of a submission in Gradescope's format.

See https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

from collections.abc import Iterator

from ..results import Results
from .messages import describe
from .results_json import Json, to_json
from .students import for_students
from .wording import all_notes, end_note, entries, list_sessions, where_to_look

TO_FIX = 'What to fix'


def for_gradescope(results: Results) -> Json:
    """Return results in Gradescope's format.

    If there are findings, an extra first test, `What to fix`, lists them. It is worth no points,
    and students see it when they see the other tests. They always see the `output` above the tests,
    so it must not quote anything from a test.
    """
    results = for_students(results)
    shown = to_json(results)
    shown['output'] = '\n\n'.join(
        filter(None, [end_note(results), *(f'note: {note}' for note in all_notes(results))])
    )
    for test in shown['tests']:
        test['tags'] += [
            finding.id
            for finding in results.findings
            if finding.id and test['name'] in finding.sessions
        ]
    if results.findings:
        shown['tests'].insert(
            0,
            {
                'name': TO_FIX,
                'score': 0,
                'max_score': 0,
                'status': 'failed',
                'output': '\n'.join(to_fix(results)),
                'output_format': 'html',
                'tags': results.faults,
                'visibility': results.visibility,
                'extra_data': {},
            },
        )
    return shown


def to_fix(results: Results) -> Iterator[str]:
    """Yield the extra test's output as HTML: each finding, and where to look in the program."""
    from html import escape  # needed only for --results

    for entry in entries(results):
        finding = entry.finding
        # A browser would show two spaces as one.
        title, *more = [
            escape(text).replace('  ', ' &nbsp;')
            for text in (entry.title, finding.advice, entry.clean)
            if text
        ]
        yield f'<h4>{title}</h4>'
        yield from (f'<p>{text}</p>' for text in more)
        yield f'<pre>{escape(describe(finding.example))}</pre>'
        for place in finding.places:
            yield f'<p>{escape(where_to_look([place]))}</p>\n<pre>{escape(place.source)}</pre>'
        yield f'<p>{entry.seen}: {escape(list_sessions(finding.sessions))}.</p>'
