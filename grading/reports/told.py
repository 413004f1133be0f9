"""What an author is told, once for each cause, as results.json has it for a page to draw."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from ..diagnosis.diagnose import Diagnosis
from ..sessions.difference import Difference
from ..sessions.transcript import Transcript
from .details import details
from .files import SavedResults
from .messages import describe, what_happens

REASONS = {'ran': 'ran where it goes wrong, and seldom elsewhere'}


def reason(why: str) -> str:
    """Return why to look at a place in a program, in words that begin a sentence."""
    return REASONS.get(why, why).capitalize()


def lines_in_words(places: Sequence[SavedResults]) -> str:
    """Return the numbers of some lines in words.

    >>> lines_in_words([{'first': 7, 'last': 9}, {'first': 3, 'last': 3}])
    'lines 3, 7 to 9'
    """
    spans = sorted((place['first'], place['last']) for place in places)
    words = [f'{first}' if first == last else f'{first} to {last}' for first, last in spans]
    return f'line{"s" * (len(spans) > 1 or " " in words[0])} {", ".join(words)}'


def beside(facts: dict[str, Any]) -> list[str]:
    """Return what happens in a submission that is no known fault, in a few words each."""
    return [told['sentence'] for told in facts.get('told') or [] if not told['id']]


def causes_of(test: SavedResults, facts: dict[str, Any]) -> list[str]:
    """Return what is behind a test that failed: known faults, then what else happens in it."""
    return [*test['extra_data'].get('faults', []),
            *(told['sentence'] for told in facts.get('told') or []
              if not told['id'] and test['name'] in told['sessions'])]


def told_of(diagnosis: Diagnosis, test_of: Callable[[Transcript], str]) -> list[dict[str, Any]]:
    """Return the faults of a program, the simplest first, then what happens beside them.

    What has no `id` is no known fault. `test_of` returns the name of a session's test.
    """
    told = [entry(fault.place, fault.sentence, [*map(test_of, fault.transcripts)],
                  id=fault.id, advice=fault.advice) for fault in diagnosis.faults]
    return told + [entry(group.place, what_happens(group.place),
                         [*map(test_of, group.transcripts)], advice=group.advice)
                   for group in diagnosis.groups]


def entry(place: Difference, sentence: str, sessions: list[str], id: str = '',
          advice: str = '') -> dict[str, Any]:
    """Return one cause: its sentence, the sessions that show it, and where it is seen best."""
    return {'id': id, 'sentence': sentence, 'advice': advice, 'sessions': sessions,
            'place': {**details(place), 'name': place.transcript.name, 'message': describe(place)}}
