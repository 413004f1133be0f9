"""Programs that are graded: a class by the command, one submission in this process."""

import csv
import importlib
import os
import subprocess
import sys
import traceback
from contextlib import contextmanager
from functools import lru_cache, partial
from operator import itemgetter
from pathlib import Path
from unittest import mock

from graders import FAST, FEW, command_of_grader, run_grader_here
from independent import write_files, write_modules
from running import SECONDS, child_environment, started
from sandboxes import bounded

from grading.assignments.games import find, transcripts_for
from grading.grader import grade
from grading.installation import ROOT
from grading.reports.results import Results
from grading.sandbox.kinds import Sandbox
from grading.sandbox.start import READY, Launch
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


def graded(folder, source=None, transcripts=TRANSCRIPTS, sandbox=None, **settings):
    """Return the results of what stands in a folder or zip, or of a program of one module.

    Programs run in the `sandbox` that is made of a folder for its files, if one is given.
    """
    if source is not None:
        write_modules(folder, othello=source)
    settings = Settings(**{'game': 'othello', 'no_where': True, 'confine': 'none',
                           'timeout': SECONDS, **settings})
    if sandbox:
        with mock.patch('grading.grader.confine', lambda kind, scratch, *_: sandbox(scratch)):
            return results_by(settings, folder, transcripts)
    return results_by(settings, folder, transcripts)


def results_by(settings, source, transcripts=None):
    """Return the results of a submission, by the sessions of its game unless others are given."""
    if transcripts is None:
        transcripts = find(settings).transcripts
    results = Results([*transcripts], settings, 'one')
    results.fingerprint = 'as it was'
    with bounded(), open_submission(source) as submission:
        grade(submission, settings, results)
    return results.to_dict()


def judged(folder, cases, **settings):
    """Return the tests of many sessions and programs, each a text, graded as if they were one."""
    files = {f'{number}.py': source for number, (_, source) in enumerate(cases)}
    write_files(folder, {**files, 'main.py': 'import sys\nexec(open(sys.argv[1]).read())\n'})
    sessions = {f'{number:04}.txt': f'$ main.py {number}.py\n{text}'
                for number, (text, _) in enumerate(cases)}
    results = graded(folder, transcripts=None, game='many', sessions=tuple(sessions.items()),
                     **{'command': 'python3 main.py', 'sandbox': Forked, **settings})
    return sorted(results['tests'], key=itemgetter('name'))


class Forked(Sandbox):
    """Runs a program in Python in a fork of this process: all is real but the start of Python.

    It runs where it stands, not in a copy. What it prints on standard error can go to a file.
    """

    def __init__(self, scratch, errors=None):
        super().__init__(scratch)
        self._errors = errors

    @contextmanager
    def _launch(self, program):
        folder = program.folder or Path.cwd()
        words = program.words[[word.endswith('.py') for word in program.words].index(True):]
        code = compiled((folder / words[0]).read_text(encoding='utf-8'), str(folder / words[0]))
        if words[0].endswith('_console.py'):            # all that it needs is imported here
            importlib.import_module(words[0][:-3])
        yield Launch([], {}, str(folder), lambda: become_program(code, folder, words, self._errors))


compiled = lru_cache(maxsize=100)(partial(compile, mode='exec'))


def become_program(code, folder, words, errors):
    """Run a program on the standard streams, after what a start says; see `start.START`."""
    os.write(2, READY)
    os.read(2, 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_APPEND) if errors else 3, 2)
    os.close(3)
    os.chdir(folder)
    sys.argv = [*words]
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False) for number, mode in enumerate('rww'))
    status = 0
    try:
        exec(code, {'__name__': '__main__'})
    except SystemExit as error:
        status = error.code
        if isinstance(status, str):
            print(status, file=sys.stderr, flush=True)
            status = 1
    except Exception:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status or 0)
