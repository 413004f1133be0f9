"""The results of one submission: what all reports show, and what results.json holds.

The format of the file is Gradescope's; what only the grader knows is in `extra_data`. Anybody may
put files where results are kept, so a file counts only if this version of the grader wrote it.
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Dict, Literal, Sequence, get_args

from ..diagnosis.finding import Clean, Crash, Example, Finding, Place
from ..installation import grader_version
from ..sessions.verdict import Kind

Json = Dict[str, Any]                   # an object in a file
Status = Literal['passed', 'failed']    # of a test

HIDDEN = 'What is typed and printed in this session is hidden.'
FRESH = 'fresh games'                   # the name of their test
BEYOND = 'beyond the assignment'        # the tag of such a test
NOT_WHOLE = ('This is not the whole grade: the grading did not finish. That is not the fault of '
             'the submission, which has to be graded again.')
OTHER_VERSION = 'graded by another version: grade again'
RIGHT, WRONG, WRONG_USAGE, UNGRADED = range(4)      # exit statuses of the grader
LARGEST = 10**9                         # of the numbers that are read


@dataclass
class SessionResult(Clean):
    """The result of one session, or of all fresh games."""

    name: str
    max_score: float
    score: float = 0
    status: Status = 'failed'
    output: str = ''                    # how it fails, or why it was not run
    tags: list[str] = field(default_factory=list)
    visibility: str = 'visible'
    title: str = ''
    hidden: bool = False                # whether students must not see what is typed and printed
    example: Example | None = None      # where it fails

    @property
    def has_passed(self) -> bool:
        """Whether the session is right."""
        return self.status == 'passed'

    @property
    def is_not_run(self) -> bool:
        """Whether the session was not run."""
        return not self.has_passed and not self.example


@dataclass
class Results(Clean):
    """The results of one submission."""

    submission: str
    score: float | None = 0             # None if it could not be graded; `output` says why
    output: str = ''
    execution_time: float | None = 0    # seconds, None where students must not see it
    visibility: str = 'visible'         # of the tests, on Gradescope
    tests: list[SessionResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)       # the one to fix first is the first
    assignment: str = ''
    game: str = ''                      # the assignment's title
    prompts: bool = False
    at_once: bool = False
    confinement: str = ''
    reach: list[str] = field(default_factory=list)      # what the program could reach
    notes: list[str] = field(default_factory=list)
    late: bool | None = None            # None if the export does not say it
    id: str = ''                        # of the student
    email: str = ''
    cut_short: list[str] = field(default_factory=list)  # parts of the explanation
    ended: str = ''                     # what ended the grading before it was complete
    complete: bool = False              # whether all points are known
    smallest: str = ''                  # the smallest fresh game that fails
    flaky: str = ''                     # a doubt about it
    seed: int | None = None             # of the fresh games
    digest: str = ''                    # of the program, without names, blanks and comments
    fingerprint: str = ''               # of all that the results depend on, if they are kept
    version: str = ''                   # of the grader

    @property
    def faults(self) -> list[str]:
        """The ids of the known faults."""
        return [finding.id for finding in self.findings if finding.id]

    @property
    def max_score(self) -> float:
        """The most points that a submission can have."""
        return float(sum(test.max_score for test in self.tests))

    @property
    def passed(self) -> int:
        """How many tests the submission has passed."""
        return sum(test.has_passed for test in self.tests)

    @property
    def reasons_not_run(self) -> list[str]:
        """Why tests were not run, each reason once."""
        return list(dict.fromkeys(test.output for test in self.tests if test.is_not_run))

    @property
    def exit_status(self) -> int:
        """The exit status of the grader: tests beyond the assignment do not count."""
        if self.score is None:
            return UNGRADED
        return WRONG if any(not test.has_passed and BEYOND not in test.tags
                            for test in self.tests) else RIGHT

    @property
    def failures(self) -> dict[str, list[SessionResult]]:
        """The sessions that fail, by their causes: ids of known faults, or sentences."""
        groups: dict[str, list[SessionResult]] = {}
        for test in self.tests:
            if not test.has_passed and not test.is_not_run:
                groups.setdefault(', '.join(
                    finding.id or finding.sentence for finding in self.findings
                    if test.name in finding.sessions), []).append(test)
        return groups


def without_grade(name: str, note: str) -> Results:
    """Return the results of a submission that could not be graded, with the reason."""
    return Results(name, None, note)


def for_students(results: Results) -> Results:
    """Return results as students see them, whatever shows them.

    Of a hidden session they have its name, title and result: nothing that it types or expects, and
    nothing that the program prints in it, which may repeat that. Nor do they see how long the
    program took, for it may have waited as many seconds as some number that was typed.
    """
    results = replace(results, digest='', fingerprint='', seed=None, version='')
    hidden = {test.name for test in results.tests if test.hidden}
    if not hidden:
        return results
    return replace(results, execution_time=None, cut_short=[], tests=[
        replace(test, output=HIDDEN, example=hidden_example(test.example))
        if test.hidden and test.example else test for test in results.tests
    ], findings=[replace(
        finding, sentence=(finding.plain or finding.sentence
                           if hidden.issuperset(finding.sessions) else finding.sentence),
        example=(hidden_example(finding.example) if finding.example.session in hidden
                 else finding.example)) for finding in results.findings])


def hidden_example(example: Example) -> Example:
    """Return an example without all that was typed, expected and printed."""
    return Example(example.session, 0, 0, example.kind, is_hidden=True)


# --------------------------------------------------------------------------------- results.json

# What Gradescope gives a meaning, of a submission and of a test; the rest goes into `extra_data`.
OF_ALL = ('score', 'output', 'execution_time', 'visibility', 'tests')
OF_TEST = ('name', 'max_score', 'score', 'status', 'output', 'tags', 'visibility')
# What is left out there where it says nothing.
OPTIONAL = ('execution_time', 'confinement', 'seed', 'smallest', 'flaky', 'digest', 'fingerprint',
            'version', 'title', 'example')
RECORDS = {one.__name__: one for one in (Results, SessionResult, Finding, Example, Crash, Place)}
# What the other fields may hold, by their annotations.
PLAIN_TYPES = {'str': (str,), 'bool': (bool,), 'int': (int,), 'float': (int, float)}
LITERALS = {'Kind': get_args(Kind), 'Status': get_args(Status)}


def to_json(results: Results) -> Json:
    """Return results as results.json has them."""
    saved = split(asdict(results), OF_ALL)
    saved['tests'] = [split(test, OF_TEST) for test in saved['tests']]
    saved['extra_data']['faults'] = results.faults
    return saved


def split(facts: Json, names: Sequence[str]) -> Json:
    """Return the facts with some names, and below `extra_data` all others, if they say something.
    """
    told = {name: fact for name, fact in facts.items()
            if not (name in OPTIONAL and fact in (None, ''))}
    others = {name: fact for name, fact in told.items() if name not in names}
    return {**{name: told[name] for name in names if name in told}, 'extra_data': others}


def from_json(kind: str, value: Any) -> Any:
    """Return a value of an annotated type, such as `Results`, made of what results.json holds.

    Raises `TypeError`, `ValueError`, `KeyError` or `AttributeError` if it is none.
    """
    if kind.endswith(' | None'):
        return None if value is None else from_json(kind[:-len(' | None')], value)
    if kind.startswith(('list[', 'Sequence[')):
        if not isinstance(value, list):
            raise TypeError(kind)
        return [from_json(kind[kind.index('[') + 1:-1], one) for one in value]
    if kind in RECORDS:
        facts = {**value, **value.get('extra_data', {})}
        kinds: dict[str, Any] = {one.name: one.type for one in fields(RECORDS[kind])}
        return RECORDS[kind](**{name: from_json(kinds[name], one) for name, one in facts.items()
                                if name not in ('extra_data', 'faults')})
    if kind in LITERALS:
        if value not in LITERALS[kind]:
            raise ValueError(kind)
    elif type(value) not in PLAIN_TYPES[kind] or (kind != 'str' and not abs(value) <= LARGEST):
        raise TypeError(kind)
    return value


def read_results(path: Path) -> Results | None:
    """Return the results in a file, None if it is none of the grader's.

    Results of another version of the grader, and those that something has changed, are no grade.
    """
    try:
        # Do not open a FIFO, which might never have a writer.
        if not stat.S_ISREG(path.lstat().st_mode):
            return None
        saved = json.loads(path.read_text(encoding='utf-8'))
        facts = saved['extra_data']
        if not isinstance(facts['submission'], str):
            return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    other = without_grade(path.parent.name, OTHER_VERSION)
    try:
        return from_json('Results', saved) if facts['version'] == grader_version() else other
    except (ValueError, TypeError, KeyError, AttributeError):
        return other


def write_results(path: Path, results: Results) -> None:
    """Write results.json as a whole, with the version of the grader. Raises `OSError`."""
    write_json(path, to_json(replace(results, version=grader_version())))


def write_json(path: Path, saved: Json) -> None:
    """Write a file in JSON as a whole. Raises `OSError`."""
    write_whole(path, json.dumps(saved, indent=1) + '\n')


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
