"""Results in the format that Gradescope documents for autograders (results.json)."""

from __future__ import annotations

import json
import time


class Gradescope:
    """A pytest plugin that writes the results of all replays into one file.

    Raises `OSError` at once where that file cannot be written.
    """

    def __init__(self, path):
        self._path = path.resolve()
        self._start = time.monotonic()
        self._tests = []
        self._write()

    def pytest_runtest_logreport(self, report):
        points = dict(report.user_properties).get('points')
        if points is None or (report.when != 'call' and not report.failed):
            return
        self._tests.append({
            'name': report.nodeid.partition('[')[2].rstrip(']'),
            'score': points if report.passed else 0,
            'max_score': points,
            'status': 'passed' if report.passed else 'failed',
            'output': '' if report.passed else report.longreprtext,
            'visibility': 'visible',
        })

    def pytest_sessionfinish(self):
        self._write()

    def _write(self):
        self._tests.sort(key=lambda test: test['name'])
        results = {
            'score': sum(test['score'] for test in self._tests),
            'execution_time': round(time.monotonic() - self._start, 3),
            'visibility': 'visible',
            'tests': self._tests,
        }
        self._path.write_text(json.dumps(results, indent=1, ensure_ascii=True) + '\n')
