"""The scorebook of one submission: its results while it is graded, from the first moment saved."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Mapping, Sequence

from ..diagnosis.finding import Example, Finding
from ..printable import clean
from ..sessions.transcript import Transcript
from ..settings import Settings
from .gradescope import for_gradescope
from .results import BEYOND, FRESH, Results, SessionResult, write_json, write_results
from .text import describe, end_note

NOT_RUN = 'not run yet'
SAVE_SECONDS = 1.0                      # at least, between two times while sessions are played


class Scorebook:
    """The results of one submission while it is graded; all its tests are there from the start.

    `save` writes them to the file `path`, and as Gradescope shows them to the file `gradescope`.
    """

    def __init__(self, settings: Settings, name: str = '', path: Path | None = None,
                 gradescope: Path | None = None) -> None:
        self.fingerprint = ''           # of the submission, if its results are kept
        self.results = Results(
            name, assignment=settings.assignment.label, game=settings.assignment.title,
            prompts=settings.prompts, at_once=settings.at_once, reach=[*settings.reach],
            visibility=settings.visibility)
        self.tests = {one.name: SessionResult(
            one.name, points_of(one), output=NOT_RUN, tags=[BEYOND] * one.is_beyond,
            visibility=settings.visibility, title=one.title, hidden=one.is_hidden)
            for one in settings.assignment.transcripts}
        if settings.fresh:
            self.results.seed = settings.seed
            self.tests[FRESH] = SessionResult(
                FRESH, settings.fresh_points, output=NOT_RUN, visibility=settings.visibility)
        self.results.tests = [*self.tests.values()]
        self._path = path
        self._gradescope = gradescope
        self._start = time.monotonic()
        self._saved = -SAVE_SECONDS     # when they were saved last

    def complete(self) -> None:
        """Note that all points are known."""
        self._note_time()
        self.results.complete = True

    def keep(self) -> None:
        """Note that the results stand until the submission, the grader or a setting changes."""
        self.results.fingerprint = self.fingerprint

    def save(self, is_needed: bool = True) -> None:
        """Replace the files as a whole, so that nobody reads half of one. Raises `OSError`.

        Do nothing if it is not needed and has been done in the last second: it takes the time of
        the submission.
        """
        if not is_needed and time.monotonic() < self._saved + SAVE_SECONDS:
            return
        self._note_time()
        self.results.score = round(sum(test.score for test in self.results.tests), 6)
        self.results.output = end_note(self.results)
        if self._path:
            write_results(self._path, self.results)
        if self._gradescope:
            write_json(self._gradescope, for_gradescope(self.results))
        self._saved = time.monotonic()

    def _note_time(self) -> None:
        """Note how long it has taken, until all points were known."""
        if not self.results.complete:
            self.results.execution_time = round(time.monotonic() - self._start, 3)

    def passed(self, name: str) -> None:
        """Give a test all its points."""
        test = self._test(name)
        test.status, test.score, test.output, test.example = 'passed', test.max_score, '', None

    def failed(self, name: str, example: Example, faults: Sequence[str] = ()) -> None:
        """Note how a program fails a session, and which faults explain it."""
        test = self._test(name)
        parts = [describe(example)]
        if faults:
            parts[0] += f'\n  explained by {", ".join(faults)}'
        if test.name == FRESH:
            parts += [self.results.smallest, self.results.flaky]
        test.status, test.score, test.example = 'failed', 0, example
        test.output = '\n\n'.join(filter(None, parts))

    def not_run(self, name: str, reason: str) -> None:
        """Note why a test did not run."""
        test = self._test(name)
        test.status, test.score, test.output, test.example = 'failed', 0, reason, None

    def smallest_game(self, text: str, doubt: str) -> None:
        """Note the smallest fresh game that fails, and any doubt about it, '' for none."""
        self.results.smallest, self.results.flaky = text, doubt

    def explain(self, findings: Sequence[Finding], examples: Mapping[str, Example]) -> None:
        """Note the findings, and an example for each session that failed.

        `examples` has the sessions by the names of their transcripts.
        """
        for finding in findings:
            finding.sessions[:] = [self._test(name).name for name in finding.sessions]
        self.results.findings = [*findings]
        for name, example in examples.items():
            shown = self._test(name).name
            self.failed(name, example, [finding.id for finding in findings
                                        if finding.id and shown in finding.sessions])

    def not_explained(self, reason: str) -> None:
        """Note why there is no explanation, or no complete one."""
        self.results.notes.append(clean(f'not explained: {reason}'))

    def end(self, reason: str) -> None:
        """Note what ended the grading, or the explanation, before it was complete."""
        if self.results.complete:
            self.not_explained(reason)
            return
        self.results.ended = reason
        self.fail_the_rest(f'not run: the grading was ended by {reason}')

    def fail_the_rest(self, message: str) -> None:
        """Note in all tests that have not run why they did not."""
        for test in self.results.tests:
            if test.is_not_run and test.output == NOT_RUN:
                test.output = message

    def _test(self, name: str) -> SessionResult:
        """Return the test of a session; a session without a test is a fresh game."""
        return self.tests.get(name) or next(
            (test for test in self.results.tests if test.name == name), None) or self.tests[FRESH]


def points_of(transcript: Transcript) -> float:
    """Return the points of a session: 0 beyond the assignment."""
    return 0 if transcript.is_beyond else transcript.points
