"""What was found of one submission, in the format that Gradescope documents: results.json."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import time
from pathlib import Path
from typing import Any

from ..assignments.find import game_of
from ..assignments.game import Game
from ..diagnosis.diagnose import Diagnosis
from ..printable import decoded, printable
from ..sessions.difference import Difference, Observed
from ..sessions.transcript import Transcript
from ..settings import Settings
from .messages import overview

MOST_SHOWN = 4000                       # characters of what was printed in one step
NOT_RUN = 'not run yet'
FRESH = 'fresh games'                   # the name of their test
NOT_WHOLE = ('This is not the whole grade: the grading has not come to its end, which is not the '
             'fault of the submission. It has to be graded again.')


class Results:
    """The results of one submission, all transcripts among them from the start.

    They are written to `path`, if there is one, whole, as often as `save` is called.
    """

    def __init__(self, transcripts: list[Transcript], settings: Settings, name: str,
                 path: Path | None = None) -> None:
        self.facts: dict[str, Any] = {
            'submission': name, 'game': settings.game, 'prompts': settings.prompts,
            'reach': list(settings.reach), 'late': None, 'notes': [], 'faults': [], 'ended': ''}
        self.transcripts = transcripts
        self.output = ''
        self.tests = {transcript.name: entry(transcript.name, points_of(transcript), settings)
                      for transcript in transcripts}
        if settings.fresh:
            self.facts['seed'] = settings.seed
            self.tests[FRESH] = entry(FRESH, settings.fresh_points, settings)
        self._visibility = settings.visibility
        self._path = path
        self._fingerprint = ''
        self._earlier = read_results(path) if path and not settings.again else {}
        self._are_kept = False           # whether the earlier ones hold
        self._adopted: dict[str, Any] = {}
        self._start = time.monotonic()
        self._end = 0.0                 # once it is complete

    def to_dict(self) -> dict[str, Any]:
        """Return the results as `results.json` has them."""
        if self._are_kept or self._adopted:
            return self._adopted or self._earlier
        tests = list(self.tests.values())
        ended = self.facts['ended']
        parts = [ended and f'ended by {ended}', '' if self._end else NOT_WHOLE, self.output]
        return {
            'score': round(sum(test['score'] for test in tests), 6),
            'execution_time': round((self._end or time.monotonic()) - self._start, 3),
            'visibility': self._visibility,
            'output': '\n\n'.join(filter(None, parts)),
            'extra_data': self.facts,
            'tests': tests,
        }

    def take_over(self, fingerprint: str) -> bool:
        """Return whether the results of the same submission are there already; keep them then."""
        self._fingerprint = fingerprint
        facts = self._earlier.get('extra_data', {})
        self._are_kept = facts.get('fingerprint') == fingerprint
        return self._are_kept

    def adopt(self, results: dict[str, Any]) -> None:
        """Take over what another grader has found of a copy of the same submission."""
        own = ('submission', 'late', 'notes')
        results['extra_data'].update((name, self.facts[name]) for name in own)
        self.facts = results['extra_data']
        self._adopted = results

    def complete(self) -> None:
        """Say that nothing has to be graded again, until something changes."""
        self._end = time.monotonic()
        if self._fingerprint:
            self.facts['fingerprint'] = self._fingerprint

    def save(self) -> None:
        """Replace the file, whole: nobody ever sees half of it. Raises `OSError`."""
        if self._path and not self._are_kept:
            results = self.to_dict()
            if self._end and self._visibility != 'visible':
                # Gradescope shows it even so, and it quotes the tests.
                results = {**results, 'output': ''}
            write_whole(self._path, json.dumps(results, indent=1) + '\n')

    def passed(self, name: str) -> None:
        """Give a test its points."""
        test = self.tests[name]
        test.update(status='passed', score=test['max_score'], output='', extra_data={})

    def failed(self, name: str, message: str, **details: Any) -> None:
        """Say why a test has failed."""
        self.tests[name].update(status='failed', score=0, output=message, extra_data=details)

    def explain(self, diagnosis: Diagnosis, failed: list[Observed]) -> None:
        """Say which faults are behind the tests that have failed."""
        self.facts['faults'] = [fault.id for fault in diagnosis.faults]
        for observed in failed:
            name = observed.transcript.name
            test = self.tests[name if name in self.tests else FRESH]
            faults = [fault.id for fault in diagnosis.of(observed.transcript)]
            test['extra_data']['faults'] = faults
            if faults:
                test['output'] += f'\n  explained by {", ".join(faults)}'
        self.output = overview(diagnosis, failed)

    def end(self, reason: str) -> None:
        """Say what has ended the grading too early."""
        self.facts['ended'] = reason
        self.fail_the_rest(f'not run: the grading was ended by {reason}')

    def fail_the_rest(self, message: str) -> None:
        """Say why the tests that have not been run are not."""
        for name, test in self.tests.items():
            if test['output'] == NOT_RUN:
                self.failed(name, message, kind='not run', faults=[])


def points_of(transcript: Transcript) -> float:
    """Return what a transcript is worth: nothing beyond the assignment."""
    return 0 if transcript.is_beyond else transcript.points


def entry(name: str, points: float, settings: Settings) -> dict[str, Any]:
    """Return a test before it is run."""
    return {'name': name, 'score': 0, 'max_score': points, 'status': 'failed', 'output': NOT_RUN,
            'visibility': settings.visibility, 'extra_data': {'kind': 'not run', 'faults': []}}


def details(difference: Difference) -> dict[str, Any]:
    """Return a difference as a page draws it."""
    line = difference.line
    game = game_of(difference.transcript)
    return {
        'kind': difference.kind,
        'game': game.name if game else '',
        'faults': [],
        'line': line.number if line else difference.expected.number,
        'typed': printable(difference.typed or ''),
        'expected': printable(difference.expected.output, keep='\n'),
        'printed': printable(decoded(difference.printed)[:MOST_SHOWN], keep='\n'),
        'before': printable(text_before(difference, game), keep='\n') if game else '',
    }


def text_before(difference: Difference, game: Game) -> str:
    """Return the last text before a step that shows a position: `INVALID` alone shows none."""
    texts = [step.output for step in difference.transcript.steps[:difference.step]]
    return next(filter(game.positions, reversed(texts)), '')


def read_results(path: Path) -> dict[str, Any]:
    """Return the results in a file, `{}` if there are none."""
    try:
        # Whatever it is that stands there, it is not waited for.
        is_plain = stat.S_ISREG(path.lstat().st_mode)
        results = json.loads(path.read_text(encoding='utf-8')) if is_plain else {}
    except (OSError, ValueError, RecursionError):
        return {}
    is_ours = isinstance(results, dict) and isinstance(results.get('extra_data'), dict)
    return results if is_ours else {}


def write_whole(path: Path, text: str) -> None:
    """Replace a file, whatever stands there, by one that only its owner may read and write."""
    descriptor, name = tempfile.mkstemp(prefix=f'.{path.name[:50]}-', dir=path.parent)
    try:
        with open(descriptor, 'w', encoding='utf-8') as stream:
            stream.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
