"""The results of one submission while it is graded, from the first moment fit to be saved."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, Mapping, Sequence

from ..diagnosis.finding import Example, Finding
from ..printable import clean
from ..sessions.transcript import Transcript
from ..settings import Settings
from .gradescope import for_gradescope
from .messages import describe
from .results_json import (
    BEYOND,
    SavedResults,
    causes_of,
    is_not_run,
    why_not_whole,
    write_results,
)

Status = Literal['passed', 'failed']    # of a test

NOT_RUN = 'not run yet'
FRESH = 'fresh games'                   # the name of their test
SAVE_SECONDS = 1.0                      # at least, between two times while sessions are played
ABOUT = ('title', 'hidden')             # of a session, in its test's `extra_data`


class Results:
    """The results of one submission; all its tests are there from the start.

    `save` writes them to the file `path`, and as Gradescope shows them to the file `gradescope`.
    `facts` are the `extra_data` of results.json.
    """

    def __init__(self, transcripts: list[Transcript], settings: Settings, name: str = '',
                 path: Path | None = None, gradescope: Path | None = None) -> None:
        self.facts: dict[str, Any] = {
            'submission': name, 'assignment': settings.game, 'game': settings.game,
            'prompts': settings.prompts, 'at_once': settings.at_once,
            'reach': list(settings.reach), 'late': None, 'notes': [], 'faults': [], 'findings': [],
            'cut_short': [], 'ended': '', 'complete': False}
        self.transcripts = transcripts
        self.fingerprint = ''           # of the submission, if its results are kept
        self.tests = {transcript.name: test_of(transcript, settings) for transcript in transcripts}
        if settings.fresh:
            self.facts['seed'] = settings.seed
            self.tests[FRESH] = new_test(FRESH, settings.fresh_points, settings)
        self._by_name = {test['name']: test for test in self.tests.values()}
        self._visibility = settings.visibility
        self._path = path
        self._gradescope = gradescope
        self._start = time.monotonic()
        self._end = 0.0                 # when it was complete, 0 before
        self._saved = -SAVE_SECONDS     # when they were saved last

    def to_dict(self) -> SavedResults:
        """Return the results as `results.json` has them."""
        tests = list(self.tests.values())
        return {
            'score': round(sum(test['score'] for test in tests), 6),
            'execution_time': round((self._end or time.monotonic()) - self._start, 3),
            'visibility': self._visibility,
            'output': why_not_whole(self.facts),
            'extra_data': self.facts,
            'tests': tests,
        }

    def complete(self) -> None:
        """Note that all points are known."""
        self._end = time.monotonic()
        self.facts['complete'] = True

    def keep(self) -> None:
        """Note that the results stand until the submission, the grader or a setting changes."""
        if self.fingerprint:
            self.facts['fingerprint'] = self.fingerprint

    def save(self, is_needed: bool = True) -> None:
        """Replace the files as a whole, so that nobody reads half of one. Raises `OSError`.

        Do nothing if it is not needed and has been done in the last second: it takes the time of
        the submission.
        """
        if not is_needed and time.monotonic() < self._saved + SAVE_SECONDS:
            return
        results = self.to_dict()
        if self._path:
            write_results(self._path, results)
        if self._gradescope:
            write_results(self._gradescope, for_gradescope(results))
        self._saved = time.monotonic()

    def passed(self, name: str) -> None:
        """Give a test all its points."""
        self._set(name, 'passed', self._test(name)['max_score'], '')

    def failed(self, name: str, example: Example, faults: Sequence[str] = ()) -> None:
        """Note how a program fails a session, and which faults explain it."""
        test = self._test(name)
        output = describe(example)
        if faults:
            output += f'\n  explained by {", ".join(faults)}'
        if test['name'] == FRESH:
            output = '\n\n'.join(filter(None, [
                output, self.facts.get('smallest'), self.facts.get('flaky')]))
        self._set(name, 'failed', 0, output, example=asdict(example))

    def not_run(self, name: str, reason: str) -> None:
        """Note why a test did not run."""
        self._set(name, 'failed', 0, reason)

    def _set(self, name: str, status: Status, score: float, output: str, **facts: Any) -> None:
        test = self._test(name)
        about = {fact: test['extra_data'][fact] for fact in ABOUT if fact in test['extra_data']}
        test.update(status=status, score=score, output=output, extra_data={**about, **facts})

    def smallest_game(self, text: str, doubt: str) -> None:
        """Note the smallest fresh game that fails, and any doubt about it, '' for none."""
        self.facts['smallest'] = text
        if doubt:
            self.facts['flaky'] = doubt

    def explain(self, findings: Sequence[Finding], examples: Mapping[str, Example]) -> None:
        """Note the findings, and an example for each session that failed.

        `examples` has the sessions by the names of their transcripts.
        """
        for finding in findings:
            finding.sessions[:] = [self._test(name)['name'] for name in finding.sessions]
        self.facts['findings'] = [finding.to_dict() for finding in findings]
        self.facts['faults'] = [finding.id for finding in findings if finding.id]
        faults = [finding for finding in findings if finding.id]
        for name, example in examples.items():
            self.failed(name, example, causes_of(self._test(name)['name'], faults))

    def not_explained(self, reason: str) -> None:
        """Note why there is no explanation, or no complete one."""
        self.facts['notes'].append(clean(f'not explained: {reason}'))

    def end(self, reason: str) -> None:
        """Note what ended the grading, or the explanation, before it was complete."""
        if self.facts['complete']:
            self.not_explained(reason)
            return
        self.facts['ended'] = reason
        self.fail_the_rest(f'not run: the grading was ended by {reason}')

    def fail_the_rest(self, message: str) -> None:
        """Note in all tests that have not run why they did not."""
        for name, test in self.tests.items():
            if is_not_run(test) and test['output'] == NOT_RUN:
                self.not_run(name, message)

    def _test(self, name: str) -> dict[str, Any]:
        """Return the test of a session; a session without a test is a fresh game."""
        return self.tests.get(name) or self._by_name.get(name) or self.tests[FRESH]


def points_of(transcript: Transcript) -> float:
    """Return the points of a session: 0 beyond the assignment."""
    return 0 if transcript.is_beyond else transcript.points


def test_of(transcript: Transcript, settings: Settings) -> dict[str, Any]:
    """Return the test of a session, which has not run yet; its `extra_data` are `ABOUT` it."""
    test = new_test(transcript.name, points_of(transcript), settings)
    test['tags'] += [BEYOND] * transcript.is_beyond
    facts = {'title': clean(transcript.title), 'hidden': transcript.is_hidden}
    test['extra_data'].update({name: fact for name, fact in facts.items() if fact})
    return test


def new_test(name: str, points: float, settings: Settings) -> dict[str, Any]:
    """Return a test that has not run yet."""
    status: Status = 'failed'
    return {'name': clean(name), 'score': 0, 'max_score': points, 'status': status,
            'output': NOT_RUN, 'tags': [], 'visibility': settings.visibility, 'extra_data': {}}
