"""How reports refer to sessions, and to lines of a program."""

from __future__ import annotations

from collections.abc import Sequence

from ..printable import list_names
from ..results import Crash, Place

MAX_NAMED = 6  # maximum number of session names in a list
# Reasons for looking at a place, as headings, by `Place.why`. Any other reason, such as 'printed
# by', is used as the heading.
REASONS = {
    'ran': 'ran mostly when the output was wrong',
    'decided by': 'decided by this function; add any missing check before this line',
    'copied by': 'makes a shallow copy; a deep copy corrects the output',
    'raised by': 'raised an exception that the program caught',
}
LABELS = {'ran': 'look at'}  # short labels, by `Place.why`; any other reason is the label


def list_sessions(names: Sequence[str]) -> str:
    """Return session names as a phrase: `one, two, and 3 more` if there are many."""
    return list_names([*map(short, names)], MAX_NAMED)


def short(name: str) -> str:
    """Return a session's name without `.txt`, and without its folder if it is built in.

    >>> short('transcripts/sums/worked_example.txt'), short('more/words.txt')
    ('worked_example', 'more/words')
    """
    name = name[:-4] if name.endswith('.txt') else name
    return name.rpartition('/')[2] if name.startswith('transcripts/') else name


def where_to_look(places: Sequence[Place]) -> str:
    """Return why to look at some places, and where they are.

    All places must have the same `file` and the same `why`.
    """
    why, file = places[0].why, places[0].file
    return f'{REASONS.get(why, why).capitalize()}: {file}, {lines_in_words(places)}'


def place_of(crash: Crash) -> str:
    """Return where a program crashed, such as `game.py, line 3`, or `''` if unknown."""
    return f'{crash.file}, line {crash.line}' if crash.file else ''


def label_of(place: Place) -> str:
    """Return a short label that says why to look at a place, such as `printed by`."""
    return LABELS.get(place.why, place.why)


def lines_in_words(places: Sequence[Place]) -> str:
    """Return the line numbers of some places, and the functions they name, if any.

    >>> lines_in_words([Place('a.py', 3, 3, '', 'decided by', [], 1, '', 'is_legal')])
    'line 3 in is_legal'
    """
    spans = sorted((place.first, place.last) for place in places)
    words = [f'{first}' if first == last else f'{first} to {last}' for first, last in spans]
    noun = 'line' if len(spans) == 1 and spans[0][0] == spans[0][1] else 'lines'
    functions = ', '.join(dict.fromkeys(place.function for place in places if place.function))
    return f'{noun} {", ".join(words)}' + (functions and f' in {functions}')
