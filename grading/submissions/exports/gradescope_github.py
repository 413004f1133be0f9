"""Exports with a folder or a zip for each student: those of Gradescope and GitHub Classroom.

Gradescope's says in `submission_metadata.yml` whose each folder is. That file also has the times of
the submissions, but not when they were due. It is YAML; since one program writes it, always in the
same shape, no library reads it here:

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
from typing import Iterator, NamedTuple

from ..executable import ARCHIVES, ONE_FILE
from .files import Files, Parts, Share

METADATA = 'submission_metadata.yml'

# The output of programs stands in the metadata, too, always further to the right than these.
ENTRY = re.compile(r'(?=\S)(?!#|---)(?P<key>.+):\s*$')
FIELD = re.compile(r' {2}(:\w+:)')
FACT = re.compile(r' {2}(?P<new>- | {2})(?P<key>:(?:name|sid|email):) (?P<value>.+)$')


def shares_of_gradescope(files: Files) -> list[Share]:
    """Return whose the files of an export are, by its metadata, if there are any."""
    place = place_of_metadata(files)
    if place is None:
        return shares_of_github(files)
    known = owners(files.text(place))
    shares = shares_by_folder(files, len(place) - 1)
    found = {share.who for share in shares}
    shares += [Share(key) for key in known if key not in found]     # who has handed in nothing
    for share in shares:
        share.who, share.id, share.email = known.get(share.who, (share.who, '', ''))
    return shares


def shares_of_github(files: Files) -> list[Share]:
    """Return whose the files of an export are that may have folders around all submissions."""
    return shares_by_folder(files, depth_of_shares(files))


def place_of_metadata(files: Files) -> Parts | None:
    """Return the path of the export's own metadata: a student may hand in a file of this name."""
    paths = [parts for parts in files.paths if not parts[-1].startswith('.')]
    places = sorted((parts for parts in paths if parts[-1] == METADATA), key=len)[:1]
    return next((place for place in places
                 if all(parts[:len(place) - 1] == place[:-1] for parts in paths)), None)


class Owner(NamedTuple):
    """Who has handed in a submission; facts about several people are joined by '+'."""

    name: str                           # and the number, or else the address
    id: str
    email: str


def owners(text: str) -> dict[str, Owner]:
    """Return for each submission, by its folder, who has handed it in.

    >>> owners('submission_1:\\n  :submitters:\\n  - :name: Ann\\n    :sid: 100\\n')
    {'submission_1': Owner(name='Ann_100', id='100', email='')}
    """
    return {key: Owner('+'.join(map(owner_name, people)), *(
        '+'.join(filter(None, (person.get(fact) for person in people)))
        for fact in (':sid:', ':email:'))) for key, people in entries(text) if people}


def entries(text: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield each submission's folder, and the facts about each person who has handed it in."""
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


def owner_name(person: dict[str, str]) -> str:
    """Return a person's name and number, as far as they are known."""
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


def shares_by_folder(files: Files, depth: int) -> list[Share]:
    """Return whose the files are where each student has a folder, or a file, so many folders deep.
    """
    shares: dict[str, Share] = {}
    for parts in files.paths:
        if len(parts) > depth + 1:
            share = shares.setdefault(parts[depth], Share(parts[depth]))
            share.files.update({parts: '/'.join(parts[depth + 1:])} if parts[-1] else {})
        elif len(parts) == depth + 1 and parts[-1].lower().endswith(ONE_FILE):
            who = parts[-1].rpartition('.')[0]
            shares.setdefault(who, Share(who)).files[parts] = parts[-1]
    return list(shares.values())


def depth_of_shares(files: Files) -> int:
    """Return how many folders are around all submissions."""
    paths = [parts for parts in files.paths if not parts[-1].startswith('.')]
    depth = 0
    while is_around_all(paths, depth, files.repositories):
        depth += 1
    return depth


def is_around_all(paths: list[Parts], depth: int, repositories: set[str]) -> bool:
    """Return whether there is one folder at a depth, and in it nothing but folders and zips."""
    heads = {parts[depth] for parts in paths}
    below = [parts[depth + 1:] for parts in paths]
    return len(heads) == 1 and not heads & repositories and all(
        len(parts) > 1 or (parts and parts[0].lower().endswith(('.zip', *ARCHIVES)))
        for parts in below)
