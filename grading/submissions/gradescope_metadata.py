"""Reads the student of each exported folder from Gradescope's `submission_metadata.yml`.

The file does not say which submissions were late. Gradescope always writes its YAML in the same
form, so no YAML library is needed:

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
from contextlib import suppress
from typing import NamedTuple

# The file also contains the output of programs. It is always indented more than the lines these
# patterns match.
ENTRY = re.compile(r'^(?!#|---)(\S.*):[ \t]*\n((?:(?: .*)?\n)*)', re.MULTILINE)
SUBMITTERS = re.compile(r'^ {2}:submitters:[ \t]*\n((?: {2}(?:- | {2}).*\n)*)', re.MULTILINE)
PERSON = re.compile(r'^ {2}- ', re.MULTILINE)
FACT = re.compile(r'^(?: {4})?:(name|sid|email): (.+)$', re.MULTILINE)


class Student(NamedTuple):
    """The student of a submission; if there are several, their values are joined by '+'."""

    who: str  # the name with the id, or else with the email address
    id: str  # '' if unknown
    email: str  # '' if unknown


def owners(text: str) -> dict[str, Student]:
    """Map the name of each submission's folder to the submission's student.

    >>> owners('submission_1:\\n  :submitters:\\n  - :name: Ann\\n    :sid: 100\\n')
    {'submission_1': Student(who='Ann_100', id='100', email='')}
    """
    known = {}
    # Only '\n' ends a line: programs may print other characters Python treats as line ends.
    for key, below in ENTRY.findall(text.replace('\r\n', '\n') + '\n'):
        people = []
        for person in PERSON.split(''.join(SUBMITTERS.findall(below)))[1:]:
            facts = {name: yaml_value(value) for name, value in FACT.findall(person)}
            number, address = facts.get('sid', ''), facts.get('email', '')
            who = '_'.join(filter(None, [facts.get('name'), number or address])) or 'somebody'
            people.append((who, number, address))
        if people:
            names, numbers, addresses = (
                '+'.join(filter(None, column)) for column in zip(*people, strict=True)
            )
            known[yaml_value(key)] = Student(names, numbers, addresses)
    return known


def yaml_value(value: str) -> str:
    """Return a YAML value without its quotes and escapes.

    >>> yaml_value("'O''Neil'"), yaml_value('"Zo\\\\u00eb"'), yaml_value('Ann')
    ("O'Neil", 'Zoë', 'Ann')
    """
    value = value.strip()
    if value[:1] == "'" == value[-1:]:
        return value[1:-1].replace("''", "'")
    if value[:1] == '"' == value[-1:]:
        with suppress(ValueError):
            return str(json.loads(value))
        return value[1:-1]
    return value
