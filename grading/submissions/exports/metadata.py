"""Whose submissions are, from the metadata in an export of Gradescope.

The file is YAML, but always written by the same program, in the same shape; only this is read,
and a library for all of YAML is not wanted:

    submission_123456789:
      :submitters:
      - :name: Ann Example
        :sid: '100'
        :email: ann@example.org
      :created_at: ...
"""

from __future__ import annotations

import json
import re
from typing import Iterator

METADATA = 'submission_metadata.yml'

# What a program has printed stands in it too, always further to the right than these.
ENTRY = re.compile(r'(?=\S)(?!#|---)(?P<key>.+):\s*$')
FIELD = re.compile(r' {2}(:\w+:)')
FACT = re.compile(r' {2}(?P<new>- | {2})(?P<key>:(?:name|sid|email):) (?P<value>.+)$')


def owners(text: str) -> dict[str, str]:
    """Return for each submission, by its folder, who has handed it in: names and numbers.

    >>> owners('submission_1:\\n  :submitters:\\n  - :name: Ann\\n    :sid: 100\\n')
    {'submission_1': 'Ann_100'}
    """
    return {key: '+'.join(map(owner, people)) for key, people in entries(text) if people}


def entries(text: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield each submission's folder, and what is said of each person who has handed it in."""
    key = ''
    people: list[dict[str, str]] = []
    is_inside = False
    for line in [*text.splitlines(), 'end:']:
        entry, field, fact = ENTRY.match(line), FIELD.match(line), FACT.match(line)
        if entry:
            if key:
                yield key, people
            key, people, is_inside = plain(entry['key']), [], False
        elif field:
            is_inside = field[1] == ':submitters:'
        elif fact and is_inside:
            if fact['new'] == '- ':
                people.append({})
            if people:
                people[-1][fact['key']] = plain(fact['value'])


def owner(person: dict[str, str]) -> str:
    """Return what a person is called: the name and the number, as far as they are known."""
    known = [person.get(':name:'), person.get(':sid:') or person.get(':email:')]
    return '_'.join(filter(None, known)) or 'somebody'


def plain(value: str) -> str:
    """Return a value without the quotes that YAML puts around some.

    >>> plain("'O''Neil'"), plain('"Zo\\\\u00eb"'), plain('Ann')
    ("O'Neil", 'Zoë', 'Ann')
    """
    value = value.strip()
    if value[:1] == "'" == value[-1:]:
        return value[1:-1].replace("''", "'")
    if value[:1] == '"' == value[-1:]:
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value
