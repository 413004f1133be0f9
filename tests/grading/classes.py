"""Programs that are graded: a class by the command, one of a single module in this process."""

from __future__ import annotations

import csv
import subprocess
from unittest import mock

from graders import FAST, FEW, command_of_grader, run_grader_here
from independent import write_modules
from running import SECONDS, child_environment, started
from sandboxes import bounded

from grading.assignments.games import find, transcripts_for
from grading.grader import grade
from grading.installation import ROOT
from grading.reports.results import Results
from grading.settings import Settings
from grading.submissions.submission import open_submission

TRANSCRIPTS = transcripts_for('othello')
FULL = FEW                              # points
RIGHT = (ROOT / 'tests' / 'grading' / 'samples' / 'piles.py').read_text(encoding='utf-8')
BLANKS = RIGHT.replace('piles[number])', "piles[number], end=' \\n')")


class Grader:
    def __init__(self, folder, project):
        self.project = project
        self.out = folder / 'out'
        self.temporary = folder / 'temporary'
        self.temporary.mkdir()

    def start(self, *words):
        """Start the grader; its process, for a `with` statement."""
        return self.start_in_any_sandbox(*FAST, *words)

    def start_in_any_sandbox(self, *words):
        """Start the grader with no word about how programs are confined."""
        environment = {**child_environment(), 'TMPDIR': str(self.temporary)}
        return started(
            command_of_grader('grade', 'piles', '--prompts', '--out', self.out, *words),
            cwd=self.project, env=environment, stdin=subprocess.DEVNULL)

    def grade(self, *words):
        """Return the exit status, the lines on standard output, and standard error."""
        with self.start(*words) as process:
            output, errors = process.communicate(timeout=SECONDS)
        return self.checked(process.returncode, output.decode(), errors.decode())

    def grade_here(self, *words, fast=FAST):
        """Do so in this process, one submission after the other; return the same."""
        with mock.patch('tempfile.tempdir', str(self.temporary)):
            return self.checked(*run_grader_here(
                'grade', 'piles', '--prompts', '--out', self.out, *fast, *words, few=True))

    def checked(self, status, output, errors):
        assert 'Traceback' not in output + errors, errors
        assert list(self.temporary.iterdir()) == []
        return status, output.splitlines(), errors

    def grades(self):
        """Return what grades.csv says, by name of the submission."""
        with open(self.out / 'grades.csv', encoding='utf-8-sig', newline='') as stream:
            return {row['submission']: row for row in csv.DictReader(stream)}

    def times(self):
        """Return when each file of the submissions' results was written."""
        return {path.relative_to(self.out): path.stat().st_mtime_ns
                for path in self.out.glob('*/*')}

    def index(self):
        return (self.out / 'index.html').read_text(encoding='utf-8')


def submission(folder, name, source):
    """Write a submission of one module; return its folder."""
    place = folder / name
    place.mkdir(parents=True)
    (place / 'piles.py').write_text(source)
    return place


def graded(folder, source=None, transcripts=TRANSCRIPTS, **settings):
    """Return the results of what stands in a folder or zip, or of a program of one module."""
    if source is not None:
        write_modules(folder, othello=source)
    settings = Settings('othello', no_where=True,
                        **{'confine': 'none', 'timeout': SECONDS, **settings})
    return results_by(settings, folder, transcripts).to_dict()


def results_by(settings, source, transcripts=None):
    """Return the results of a submission, by the sessions of its game unless others are given."""
    if transcripts is None:
        transcripts = find(settings).transcripts
    results = Results([*transcripts], settings, 'one')
    results.fingerprint = 'as it was'
    with bounded(), open_submission(source) as submission:
        grade(submission, settings, results)
    return results
