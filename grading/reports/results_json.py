"""results.json: written as a whole, checked when it is read, and questions about its contents.

Its format is Gradescope's; the grader's own data are in `extra_data`. The exit status of the grader
follows from it.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Dict, Sequence

from ..diagnosis.finding import LARGEST, Example, Finding
from ..installation import grader_version

SavedResults = Dict[str, Any]           # what results.json holds
HIDDEN = 'What is typed and printed in this session is hidden.'
FOR_TEACHERS = ('digest', 'fingerprint', 'seed')        # facts for the teacher alone
BEYOND = 'beyond the assignment'        # the tag of such a test
# Defaults of what may be absent from `extra_data`.
ABSENT = {'game': '', 'ended': '', 'complete': False, 'late': None, 'faults': [], 'findings': [],
          'notes': []}
OTHER_VERSION = 'graded by another version: grade again'
RIGHT, WRONG, WRONG_USAGE, UNGRADED = range(4)      # exit statuses of the grader
NOT_WHOLE = ('This is not the whole grade: the grading did not finish. That is not the fault of '
             'the submission, which has to be graded again.')


def without_grade(name: str, note: str) -> SavedResults:
    """Return the results of a submission that could not be graded, with the reason."""
    return {'score': None, 'output': note, 'execution_time': 0, 'tests': [],
            'extra_data': {'submission': name, 'faults': []}}


def read_results(path: Path) -> SavedResults:
    """Return the results in a file, `{}` if there are none.

    Results of another version of the grader, and those that something has changed, are no grade.
    """
    results: Any = {}
    try:
        # Do not open a FIFO, which might never have a writer.
        if stat.S_ISREG(path.lstat().st_mode):
            results = json.loads(path.read_text(encoding='utf-8'))
        require(results['extra_data']['submission'], str)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}
    try:
        check(results)
    except (ValueError, TypeError, KeyError):
        return without_grade(path.parent.name, OTHER_VERSION)
    return {**results, 'extra_data': {**ABSENT, **results['extra_data']}}


def check(results: Any) -> None:
    """Raise `TypeError`, `ValueError` or `KeyError` if a value is not results of the grader."""
    facts = results['extra_data']
    require(results, dict)
    require(facts, dict)
    if facts['version'] != grader_version():
        raise ValueError('version')
    require_number(results['execution_time'])
    if results['score'] is not None:
        require_number(results['score'])
    for text in (results['output'], facts['submission']):
        require(text, str)
    for name in ('assignment', 'game', 'confinement', 'ended', 'smallest', 'flaky', 'fingerprint',
                 'digest', 'id', 'email'):
        require(facts.get(name, ''), str)
    for name in ('faults', 'notes', 'reach'):
        require_texts(facts.get(name, []))
    for name in ('late', 'complete'):
        require(facts.get(name), (bool, type(None)))
    require(facts.get('seed'), (int, type(None)))
    require(facts.get('findings', []), list)
    findings_in(results)
    require(results['tests'], list)
    for test in results['tests']:
        require(test['name'], str)
        require(test['output'], str)
        require_texts(test['tags'])
        require_number(test['score'])
        require_number(test['max_score'])
        if test['status'] not in ('passed', 'failed'):
            raise ValueError('status')
        require(test['extra_data'], dict)
        require(test['extra_data'].get('title', ''), str)
        example_in(test)


def require(value: object, types: type | tuple[type, ...]) -> None:
    """Raise `TypeError` if a value is of none of some types."""
    if not isinstance(value, types):
        raise TypeError(type(value).__name__)


def require_texts(values: object) -> None:
    """Raise `TypeError` if a value is not a list of texts."""
    require(values, list)
    for value in values:                # type: ignore[attr-defined]
        require(value, str)


def require_number(value: object) -> None:
    """Raise `TypeError` or `ValueError` if a value is not a number of a usual size."""
    require(value, (int, float))
    if isinstance(value, bool) or not abs(value) <= LARGEST:    # type: ignore[arg-type]
        raise ValueError('number')


def write_results(path: Path, results: SavedResults) -> None:
    """Write results.json as a whole, with the version of the grader. Raises `OSError`."""
    facts = {**results['extra_data'], 'version': grader_version()}
    write_whole(path, json.dumps({**results, 'extra_data': facts}, indent=1) + '\n')


def write_whole(path: Path, text: str) -> None:
    """Write a file as a whole, for its owner alone; it replaces whatever has its name.

    Raises `OSError`.
    """
    descriptor, name = tempfile.mkstemp(prefix=f'.{path.name[:50]}-', dir=path.parent)
    try:
        with open(descriptor, 'w', encoding='utf-8') as stream:
            stream.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def findings_in(results: SavedResults) -> list[Finding]:
    """Return the findings in results; the one to fix first comes first."""
    return [*map(Finding.from_dict, results['extra_data'].get('findings') or [])]


def example_in(test: SavedResults) -> Example | None:
    """Return the example of a test that failed, None if it passed or did not run."""
    example = test['extra_data'].get('example')
    return Example.from_dict(example) if example else None


def for_students(results: SavedResults) -> SavedResults:
    """Return results as students see them, whatever shows them.

    Of a hidden session they have its name, title and result: nothing that it types or expects, and
    nothing that the program says in it, which may repeat that.
    """
    facts = {name: fact for name, fact in results['extra_data'].items() if name not in FOR_TEACHERS}
    hidden = {test['name'] for test in results['tests'] if test['extra_data'].get('hidden')}
    if not hidden:
        return {**results, 'extra_data': facts}
    tests = []
    for test in results['tests']:
        example = example_in(test)
        if test['name'] in hidden and example:
            test = {**test, 'output': HIDDEN, 'extra_data': {
                **test['extra_data'], 'example': asdict(hidden_example(example))}}
        tests.append(test)
    findings = []
    for finding in findings_in(results):
        example = finding.example
        findings.append(replace(
            finding, sentence=finding.plain or finding.sentence,
            example=hidden_example(example) if example.session in hidden else example,
            places=[place for place in finding.places if not hidden.issuperset(place.sessions)]
        ).to_dict())
    return {**results, 'tests': tests, 'extra_data': {**facts, 'findings': findings}}


def hidden_example(example: Example) -> Example:
    """Return an example in a hidden session as students see it."""
    return Example(example.session, 0, 0, example.kind, is_hidden=True)


def causes_of(name: str, findings: Sequence[Finding]) -> list[str]:
    """Return the findings that a session shows, as ids of known faults, or sentences."""
    return [finding.id or finding.sentence for finding in findings if name in finding.sessions]


def name_of(results: SavedResults) -> str:
    """Return the name of a submission."""
    return str(results['extra_data']['submission'])


def most_points(results: SavedResults) -> float:
    """Return the most points that a submission can have."""
    return float(sum(test['max_score'] for test in results['tests']))


def passed(results: SavedResults) -> int:
    """Return how many tests a submission has passed."""
    return sum(test['status'] == 'passed' for test in results['tests'])


def is_not_run(test: SavedResults) -> bool:
    """Return whether a test was not run."""
    return test['status'] == 'failed' and not test['extra_data'].get('example')


def why_not_run(results: SavedResults) -> list[str]:
    """Return the reasons why tests did not run, each once."""
    return list(dict.fromkeys(test['output'] for test in results['tests'] if is_not_run(test)))


def why_not_whole(facts: dict[str, Any]) -> str:
    """Return why a grading is not complete, `''` if it is."""
    ended = f'ended by {facts["ended"]}' if facts['ended'] else ''
    return '\n\n'.join(filter(None, [ended, '' if facts['complete'] else NOT_WHOLE]))


def status_of(results: SavedResults) -> int:
    """Return the exit status for the results of a submission.

    Tests beyond the assignment do not count; all others do, even tests for no points.
    """
    if results['score'] is None:
        return UNGRADED
    is_right = all(test['status'] == 'passed' or BEYOND in test['tags']
                   for test in results['tests'])
    return RIGHT if is_right else WRONG
