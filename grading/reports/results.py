"""What was found of one submission, in the format that Gradescope documents: results.json."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal, Sequence, Union

from ..diagnosis.diagnose import Diagnosis
from ..places.where import Place
from ..sessions.difference import Kind, Observation
from ..sessions.transcript import Transcript
from ..settings import Settings
from .files import SavedResults, write_results
from .grades import why_not_whole
from .gradescope.shown import for_gradescope
from .messages import overview
from .told import told_of

Status = Literal['passed', 'failed']    # of a test
TestKind = Union[Kind, Literal['not run']]      # why a test has failed

NOT_RUN = 'not run yet'
BEYOND = 'beyond the assignment'         # the tag of such a test
FRESH = 'fresh games'                   # the name of their test


class Results:
    """The results of one submission, all transcripts among them from the start.

    They are written to `path`, and as Gradescope shows them to `gradescope`, whole, as often as
    `save` is called. `facts` are the `extra_data` of results.json.
    """

    def __init__(self, transcripts: list[Transcript], settings: Settings, name: str,
                 path: Path | None = None, gradescope: Path | None = None) -> None:
        self.facts: dict[str, Any] = {
            'submission': name, 'game': settings.game, 'prompts': settings.prompts,
            'at_once': settings.at_once, 'reach': list(settings.reach), 'late': None, 'notes': [],
            'faults': [], 'ended': '', 'complete': False}
        self.transcripts = transcripts
        self.output = ''
        self.fingerprint = ''           # of what is graded, where the results can be kept
        self.tests = {transcript.name: entry(transcript.name, points_of(transcript), settings,
                                             tags_of(transcript))
                      for transcript in transcripts}
        if settings.fresh:
            self.facts['seed'] = settings.seed
            self.tests[FRESH] = entry(FRESH, settings.fresh_points, settings)
        self._visibility = settings.visibility
        self._path = path
        self._gradescope = gradescope
        self._start = time.monotonic()
        self._end = 0.0                 # once it is complete

    def to_dict(self) -> SavedResults:
        """Return the results as `results.json` has them."""
        tests = list(self.tests.values())
        return {
            'score': round(sum(test['score'] for test in tests), 6),
            'execution_time': round((self._end or time.monotonic()) - self._start, 3),
            'visibility': self._visibility,
            'output': '\n\n'.join(filter(None, [why_not_whole(self.facts), self.output])),
            'extra_data': self.facts,
            'tests': tests,
        }

    def complete(self) -> None:
        """Say that nothing has to be graded again, until something changes."""
        self._end = time.monotonic()
        self.facts['complete'] = True
        if self.fingerprint:
            self.facts['fingerprint'] = self.fingerprint

    def save(self) -> None:
        """Replace the files, whole: nobody ever sees half of one. Raises `OSError`."""
        results = self.to_dict()
        if self._path:
            write_results(self._path, results)
        if self._gradescope:
            write_results(self._gradescope, for_gradescope(results))

    def passed(self, name: str) -> None:
        """Give a test its points."""
        self._set(name, 'passed', self.tests[name]['max_score'], '', {})

    def failed(self, name: str, message: str, **details: Any) -> None:
        """Say why a test has failed."""
        self._set(name, 'failed', 0, message, details)

    def _set(self, name: str, status: Status, score: float, output: str,
             details: dict[str, Any]) -> None:
        self.tests[name].update(status=status, score=score, output=output, extra_data=details)

    def explain(self, diagnosis: Diagnosis, failed: list[Observation]) -> None:
        """Say which faults are behind the tests that have failed."""
        self.facts['faults'] = [fault.id for fault in diagnosis.faults]
        for observed in failed:
            test = self.tests[self._test_of(observed.transcript)]
            faults = [fault.id for fault in diagnosis.of(observed.transcript)]
            test['extra_data']['faults'] = faults
            if faults:
                test['output'] += f'\n  explained by {", ".join(faults)}'
        self.facts['told'] = told_of(diagnosis, self._test_of)
        self.output = overview(diagnosis)

    def _test_of(self, transcript: Transcript) -> str:
        """Return the name of the test that a session belongs to."""
        return transcript.name if transcript.name in self.tests else FRESH

    def locate(self, diagnosis: Diagnosis, where: Sequence[Sequence[Place]]) -> None:
        """Say where in the program to look for each fault, and then for each group."""
        ids = [*self.facts['faults'], *('' for _ in diagnosis.groups)]
        self.facts['where'] = [
            {'entry': number, 'fault': id_, **place.to_dict()}
            for number, (id_, places) in enumerate(zip(ids, where), 1) for place in places]
        self.output = overview(diagnosis, where)

    def end(self, reason: str) -> None:
        """Say what has ended the grading too early."""
        self.facts['ended'] = reason
        self.fail_the_rest(f'not run: the grading was ended by {reason}')

    def fail_the_rest(self, message: str) -> None:
        """Say why the tests that have not been run are not."""
        for name, test in self.tests.items():
            if test['output'] == NOT_RUN:
                self.failed(name, message, **not_run())


def points_of(transcript: Transcript) -> float:
    """Return what a transcript is worth: nothing beyond the assignment."""
    return 0 if transcript.is_beyond else transcript.points


def tags_of(transcript: Transcript) -> list[str]:
    """Return whether a transcript is beyond the assignment, as Gradescope's format can say it."""
    return [BEYOND] if transcript.is_beyond else []


def entry(name: str, points: float, settings: Settings, tags: Sequence[str] = ()) -> dict[str, Any]:
    """Return a test before it is run."""
    status: Status = 'failed'
    return {'name': name, 'score': 0, 'max_score': points, 'status': status, 'output': NOT_RUN,
            'tags': [*tags], 'visibility': settings.visibility, 'extra_data': not_run()}


def not_run() -> dict[str, Any]:
    """Return the details of a test that has not been run."""
    kind: TestKind = 'not run'
    return {'kind': kind, 'faults': []}
