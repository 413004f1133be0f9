"""Writes results.json, the results of one submission, and reads it back.

The format is Gradescope's; facts without a Gradescope field are in `extra_data`. The results.json
in an --out folder may have been written by somebody else, so `read_results` checks the version of
the grader and the type of each value.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..installation import grader_version
from ..results import Results, SessionResult, without_grade
from .messages import message_about, message_on_submission

Json = dict[str, Any]  # a JSON object
OTHER_VERSION = 'graded by another version of the grader; grade it again'
LARGEST = 10**9  # the largest number to accept from a file
# Gradescope's fields for a submission and for a test; all other facts go into `extra_data`.
SUBMISSION_FIELDS = ('score', 'output', 'execution_time', 'visibility', 'tests')
TEST_FIELDS = ('name', 'max_score', 'score', 'status', 'output', 'tags', 'visibility')
# Facts left out by `split` if they are None or ''.
OPTIONAL = (
    'execution_time',
    'confinement',
    'seed',
    'smallest',
    'reason',
    'detail',
    'digest',
    'sessions',
    'fingerprint',
    'version',
    'title',
    'example',
)
# Keys in the file that are not fields of the dataclass, or have another meaning there.
DERIVED: dict[type, Sequence[str]] = {
    Results: ('extra_data', 'faults'),
    SessionResult: ('extra_data', 'output', 'status'),
}
types_in = lru_cache(maxsize=None)(get_type_hints)


def to_json(results: Results) -> Json:
    """Return results as the JSON object for results.json."""
    saved = split({**asdict(results), 'output': message_on_submission(results)}, SUBMISSION_FIELDS)
    saved['tests'] = [
        split(
            {
                **asdict(test),
                'status': 'passed' if test.has_passed else 'failed',
                'output': message_about(test, results),
            },
            TEST_FIELDS,
        )
        for test in results.tests
    ]
    saved['extra_data']['faults'] = results.faults
    return saved


def split(facts: Json, names: Sequence[str]) -> Json:
    """Return the facts with these names, and all others under `extra_data`.

    Leave out the `OPTIONAL` facts that are None or ''.
    """
    kept = {
        name: fact for name, fact in facts.items() if not (name in OPTIONAL and fact in (None, ''))
    }
    others = {name: fact for name, fact in kept.items() if name not in names}
    return {**{name: kept[name] for name in names if name in kept}, 'extra_data': others}


def from_json(kind: Any, value: Any) -> Any:
    """Return an object of the type `kind`, such as `Results`, from its JSON value.

    Raises `TypeError`, `ValueError`, `KeyError` or `AttributeError` if the JSON does not fit the
    type.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:
        (kind,) = (argument for argument in arguments if argument is not NoneType)
        return None if value is None else from_json(kind, value)
    if origin in (list, Sequence):
        if not isinstance(value, list):
            raise TypeError(kind)
        return [from_json(arguments[0], item) for item in value]
    if isinstance(kind, type) and is_dataclass(kind):
        facts, kinds = {**value, **value.get('extra_data', {})}, types_in(kind)
        return kind(
            **{
                name: from_json(kinds[name], fact)
                for name, fact in facts.items()
                if name not in DERIVED.get(kind, ())
            }
        )
    if origin is Literal:
        if value not in arguments:
            raise ValueError(kind)
        return value
    if type(value) not in ((int, float) if kind is float else (kind,)):
        raise TypeError(kind)
    if kind is not str and not abs(value) <= LARGEST:  # too large, or NaN
        raise ValueError(kind)
    return value


def read_results(path: Path) -> Results | None:
    """Return the results in a file, or None if it cannot be read or is not a results.json.

    If the results are damaged or come from another version of the grader, return results without a
    grade.
    """
    try:
        # Opening a FIFO might wait forever for a writer.
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        saved = json.loads(path.read_text(encoding='utf-8'))
        facts = saved['extra_data']
        if not isinstance(facts['submission'], str):
            return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    ungraded = without_grade(path.parent.name, OTHER_VERSION)
    try:
        if facts['version'] != grader_version():
            return ungraded
        results: Results = from_json(Results, saved)
        results.output = ''  # the file has a message for Gradescope here: see `to_json`
        return results
    except (ValueError, TypeError, KeyError, AttributeError):
        return ungraded


def write_results(path: Path, results: Results) -> None:
    """Write results.json atomically, with the version of the grader. Raises `OSError`."""
    write_json(path, to_json(replace(results, version=grader_version())))


def write_json(path: Path, saved: Json) -> None:
    """Write a JSON file atomically. Raises `OSError`."""
    write_whole(path, json.dumps(saved, indent=1) + '\n')


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically, readable and writable only by its owner; replace an existing file.

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
