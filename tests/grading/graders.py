"""Runs the grader, as a command or in this process, on submissions, classes and small programs."""

import csv
import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from functools import cache, lru_cache
from operator import itemgetter
from pathlib import Path
from unittest import mock

import internals
import pytest
from assigned import settings_for, transcripts_for, with_transcripts
from programs import read_sample, write_files
from running import SECONDS, child_environment, finished, short_patience, started
from sandboxes import bounded

from grading import main
from grading.cli.parser import make_parser
from grading.diagnosis.diagnose import Diagnosis, diagnose
from grading.engine.grade import grade
from grading.games import GAMES
from grading.installation import ROOT
from grading.limits import Limits
from grading.reports.results_json import to_json
from grading.sandbox.choose import reachable
from grading.sandbox.kernel import Process, fork
from grading.sandbox.kinds import Sandbox
from grading.sandbox.scratch import scratch_folder
from grading.sessions.play import Experience
from grading.sessions.transcript import parse
from grading.signals import ENDING_SIGNALS
from grading.submissions.copying import open_submission
from grading.workers.saved_results import SavedResults
from grading.workers.task import explain, grade_one_of_many

BLOCK = 'if __name__ == ' + '"__main__": pass'
# Options for tests that are not about sandboxes or places.
FAST = ['--confine', 'none', '--no-where']
parser_made_once = lru_cache(maxsize=None)(make_parser)
FEW = 2  # transcripts of each kind: each costs a start of Python


def few_transcripts(game, prompts=False):
    """Return a game's first transcripts, and one beyond the assignment, if there is any."""
    chosen = transcripts_for(game, prompts, beyond=True)
    return [*chosen[:FEW], *[transcript for transcript in chosen if transcript.is_beyond][:1]]


@cache
def few_of_all():
    """Return a few transcripts of each game."""
    return [
        transcript
        for game in GAMES
        for prompts in (False, True)
        for transcript in few_transcripts(game, prompts)
    ]


def make_small_project(folder):
    """Copy the project into a folder, with few of its transcripts; return the folder."""
    shutil.copytree(ROOT / 'grading', folder / 'grading')
    paths = [
        *ROOT.glob('*.py'),
        ROOT / 'pyproject.toml',
        *(ROOT / transcript.name for transcript in few_of_all()),
    ]
    return write_files(folder, {str(path.relative_to(ROOT)): path.read_bytes() for path in paths})


def keep_compiled(project):
    """Copy the compiled modules of this project into a copy of it; return the copy's folder."""
    for path in (project / 'grading').rglob('*.py'):
        source = ROOT / path.relative_to(project)
        for compiled in source.parent.glob(f'__pycache__/{path.stem}.*.pyc'):
            # A compiled module is used only if its source has the recorded modification time.
            os.utime(path, ns=(0, source.stat().st_mtime_ns))
            (path.parent / '__pycache__').mkdir(exist_ok=True)
            shutil.copy(compiled, path.parent / '__pycache__')
    return project


def command_of_grader(*words):
    """Return the command line of the grader."""
    return [sys.executable, '-m', 'grading', *map(str, words)]


def run_grader(*words, project=ROOT, **variables):
    """Run the grader of a project as a user does; return (status, output, errors)."""
    return run_command(command_of_grader(*words), project, **variables)


def outside_ci():
    """Return the environment of a user's terminal: without CI, and without Python's settings."""
    return {name: value for name, value in child_environment().items() if name != 'CI'}


def run_command(command, folder, **variables):
    """Run a command in a folder, outside of CI; return (status, output, errors) as strings."""
    status, *printed = finished(command, cwd=folder, env={**outside_ci(), **variables})
    return (status, *map(bytes.decode, printed))


def environment_with_command(folder):
    """Write a command `grading` into a folder; return an environment outside CI that finds it."""
    words = shlex.join([sys.executable, str(ROOT / 'grading')])
    write_files(folder, {'grading': f'#!/bin/sh\nexec {words} "$@"\n'})
    (folder / 'grading').chmod(0o755)
    return {**outside_ci(), 'PATH': f'{folder}{os.pathsep}{os.environ["PATH"]}'}


def run_grader_here(*words, folder=ROOT, few=False, encoding='utf-8', **variables):
    """Run the grader in this process, for speed; return the same as `run_grader`.

    Submissions are graded one after the other. With `few`, only the transcripts of the small
    project are played. If the words contain the options `FAST`, failures are also explained in this
    process.
    """
    streams = [
        io.TextIOWrapper(io.BytesIO(), encoding, newline='', write_through=True) for _ in range(2)
    ]
    handlers = [(number, signal.getsignal(number)) for number in ENDING_SIGNALS]
    before = os.getcwd()
    os.chdir(folder)
    try:
        with (
            mock.patch.object(sys, 'argv', ['bin/grading', *map(str, words)]),
            mock.patch.dict(os.environ, {'CI': '', **variables}),
            mock.patch(internals.MAKE_PARSER, parser_made_once),
            mock.patch(internals.GRADE_ALL, one_by_one),
            mock.patch(internals.REACHABLE, probed_once),
            mock.patch(internals.READ_SESSIONS, return_value=few_of_all())
            if few
            else nullcontext(),
            explained_here() if {*FAST} <= {*words} else nullcontext(),
            redirect_stdout(streams[0]),
            redirect_stderr(streams[1]),
            pytest.raises(SystemExit) as caught,
        ):
            sys.exit(main())
    finally:
        os.chdir(before)
        for number, handler in handlers:
            signal.signal(number, handler)
    return (caught.value.code, *(stream.buffer.getvalue().decode() for stream in streams))


@contextmanager
def grader_forked(folder, *words, before=lambda: None):
    """Start the grader in a fork of this process, with a folder for its temporary files.

    Yield the process, and a file with all its output. The fork calls `before` first.
    """

    def become_grader():
        before()
        tempfile.tempdir = str(folder)
        status, *printed = run_grader_here(*words)
        output.write(''.join(printed).encode())
        output.flush()
        os._exit(status)

    with tempfile.TemporaryFile() as output:
        process = Process(fork(become_grader))
        try:
            yield process, output
        finally:
            process.end()


@cache
def reach_of_all(python):
    """Return what every program can reach without a sandbox."""
    with scratch_folder() as scratch:
        return reachable(Sandbox(scratch), [ROOT])


def probed_once(sandbox, submissions):
    """Return what programs can reach; look only once if there is no sandbox."""
    return (
        reach_of_all(sandbox.python) if sandbox.kind == 'none' else reachable(sandbox, submissions)
    )


def one_by_one(tasks):
    """Grade tasks one by one, and yield their results, without forks: there may be threads."""
    yield from map(grade_one_of_many, tasks)


def check_format(report):
    """Check that results.json has the format documented by Gradescope."""
    assert set(report) <= {
        'score',
        'execution_time',
        'output',
        'output_format',
        'visibility',
        'stdout_visibility',
        'extra_data',
        'tests',
        'leaderboard',
    }
    assert isinstance(report['score'], (int, float))
    for test in report['tests']:
        assert set(test) <= {
            'score',
            'max_score',
            'status',
            'name',
            'name_format',
            'number',
            'output',
            'output_format',
            'tags',
            'visibility',
            'extra_data',
        }
        assert 0 <= test['score'] <= test['max_score']
        assert test['status'] in ('passed', 'failed')
        assert test['visibility'] in ('hidden', 'after_due_date', 'after_published', 'visible')
        assert (type(test['name']), type(test['output'])) == (str, str)


TRANSCRIPTS = transcripts_for('othello')
FULL = FEW  # points of a right program for the transcripts of the small project
RIGHT = read_sample('piles')
TRAILING_SPACES = RIGHT.replace('piles[number])', "piles[number], end=' \\n')")


def grades_in(out):
    """Return the rows of grades.csv in a folder by the names of the submissions."""
    with open(out / 'grades.csv', encoding='utf-8-sig', newline='') as stream:
        return {row['submission']: row for row in csv.DictReader(stream)}


class Grader:
    """A project's grader: it grades Nim programs and writes the results into one folder."""

    def __init__(self, folder, project):
        self.project = project
        self.out = folder / 'out'
        self.temporary = folder / 'temporary'
        self.temporary.mkdir()

    def start(self, *words):
        """Start the grader; return its process, for a `with` statement."""
        return started(
            command_of_grader('grade', 'piles', '--prompts', '--out', self.out, *FAST, *words),
            cwd=self.project,
            env={**child_environment(), 'TMPDIR': str(self.temporary)},
            stdin=subprocess.DEVNULL,
        )

    def grade(self, *words):
        """Run the grader; return the exit status, the lines of its output, and its errors."""
        with self.start(*words) as process:
            output, errors = process.communicate(timeout=SECONDS)
        return self.checked(process.returncode, output.decode(), errors.decode())

    def grade_here(self, *words, fast=FAST):
        """Grade in this process, one submission after the other; return the same as `grade`."""
        with mock.patch('tempfile.tempdir', str(self.temporary)):
            return self.checked(
                *run_grader_here(
                    'grade', 'piles', '--prompts', '--out', self.out, *fast, *words, few=True
                )
            )

    def checked(self, status, output, errors):
        """Check that no traceback and no temporary file is left; return the same as `grade`."""
        assert 'Traceback' not in output + errors, errors
        assert list(self.temporary.iterdir()) == []
        return status, output.splitlines(), errors

    def grades(self):
        """Return the rows of grades.csv by the names of the submissions."""
        return grades_in(self.out)

    def times(self):
        """Return the modification time of each file in the submissions' folders of results."""
        return {
            path.relative_to(self.out): path.stat().st_mtime_ns for path in self.out.glob('*/*')
        }

    def index(self):
        return (self.out / 'index.html').read_text(encoding='utf-8')


def submission(folder, name, source):
    """Write a submission of one module; return its folder."""
    return write_files(folder / name, {'piles.py': source})


def graded(folder, source=None, transcripts=TRANSCRIPTS, here=False, trusts_looks=True, **settings):
    """Return the results of a submission: a folder or zip, or the `source` of a single module.

    With `here`, failures are explained in this process. See `results_by` for `trusts_looks`.
    """
    if source is not None:
        write_files(folder, {'othello.py': source})
    settings = settings_for(**{'where': False, 'confine': 'none', 'timeout': SECONDS, **settings})
    with explained_here() if here else nullcontext():
        settings = settings if transcripts is None else with_transcripts(transcripts, settings)
        return results_by(settings, folder, trusts_looks)


def learn_nothing(experience, played):
    """Replace `Experience.note`, so that a session does not change how the next is played."""


@contextmanager
def explained_here():
    """Explain failures in this process: forking it would take longer than most explanations."""
    with mock.patch(internals.EXPLAIN_APART, lambda explain, *_: ([*explain()][-1], '')):
        yield


def results_by(settings, source, trusts_looks=True):
    """Return the contents of results.json for a submission.

    With `trusts_looks`, a program counts as waiting for input as soon as it looks that way.
    Otherwise, the grader would first wait for the timeout, which is very long in the tests. A look
    at a program with several processes may be wrong.
    """
    with (
        bounded(),
        open_submission(source) as submission,
        mock.patch.object(Experience, 'looks_are_reliable', trusts_looks),
        mock.patch.object(Experience, 'note', learn_nothing),
        SavedResults(None, None, 'as it was') as saved,
    ):
        assignment, options, machine = settings
        results = grade(assignment, submission, options, saved.update, machine, explain)
    return to_json(results)


def diagnosed(program, seconds=600):
    """Return the diagnosis of a wrong program, and the sessions it fails and passes.

    Sessions are played unless they are too long. The diagnosis may take this many `seconds`; 0 is
    enough if only the sessions matter.
    """
    sessions = tuple(program.short.items())
    found = [Diagnosis(), (), [parse(text, name) for name, text in sessions]]

    def note(game_of, failed, passed, *limits):
        found[:] = diagnose(game_of, failed, passed, seconds), failed, passed
        return found[0]

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch(internals.DIAGNOSE, note),
    ):
        write_files(Path(folder, 'one'), {'main.py': program.source})
        graded(
            Path(folder, 'one'),
            None,
            None,
            here=True,
            game='sessions',
            timeout=short_patience(),
            limits=Limits(submission=10_000),
            sessions=sessions,
            beyond=True,
        )
    return found


# Let programs buffer their output. Otherwise, timing might decide in which turn output is read.
BUFFERED = 'assignment.ini', 'flush = required\n'


def judged(folder, cases, **settings):
    """Return the tests of many pairs of a session and a program, graded as one submission."""
    files = {f'{number}.py': source for number, (_, source) in enumerate(cases)}
    write_files(folder, {**files, 'main.py': 'import sys\nexec(open(sys.argv[1]).read())\n'})
    sessions = {
        f'{number:04}.txt': f'$ main.py {number}.py\n{text}'
        for number, (text, _) in enumerate(cases)
    }
    results = graded(
        folder,
        transcripts=None,
        game='many',
        sessions=(*sessions.items(), BUFFERED),
        **{'command': 'python3 main.py', 'here': True, **settings},
    )
    return sorted(results['tests'], key=itemgetter('name'))
