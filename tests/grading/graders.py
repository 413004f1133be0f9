"""The grader, as a command and as a function: submissions, classes, many small programs."""

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
from grading.command_line.parser import make_parser
from grading.diagnosis.diagnose import Diagnosis, diagnose
from grading.engine.grade import grade
from grading.games.registry import GAMES
from grading.installation import ROOT
from grading.limits import Limits
from grading.reports.results_json import to_json
from grading.sandbox.kernel import Process, fork
from grading.sandbox.kinds import Sandbox
from grading.sandbox.probe import reachable
from grading.sandbox.scratch import scratch_folder
from grading.sessions.parse import parse
from grading.sessions.play import Experience
from grading.signals import ENDING_SIGNALS
from grading.submissions.copying import open_submission
from grading.workers.saved_results import SavedResults
from grading.workers.stages import explain, grade_one_of_many
from grading.workers.task import Task

BLOCK = 'if __name__ == ' + '"__main__": pass'
FAST = ['--confine', 'none', '--no-where']  # where neither is what is tested
parser_made_once = lru_cache(maxsize=None)(make_parser)
FEW = 2  # transcripts of each kind, for each costs a start of Python


def few_transcripts(game, prompts=False):
    """Return the first transcripts of a game, and one that is beyond the assignment, if any is."""
    chosen = transcripts_for(game, prompts, beyond=True)
    return [*chosen[:FEW], *[transcript for transcript in chosen if transcript.is_beyond][:1]]


@cache
def few_of_all():
    """Return few transcripts of each game."""
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
        ROOT / 'README.md',
        ROOT / 'pyproject.toml',
        *(ROOT / transcript.name for transcript in few_of_all()),
    ]
    return write_files(folder, {str(path.relative_to(ROOT)): path.read_bytes() for path in paths})


def keep_compiled(project):
    """Give a copy of the project what is compiled of it here; return its folder."""
    for path in (project / 'grading').rglob('*.py'):
        source = ROOT / path.relative_to(project)
        for compiled in source.parent.glob(f'__pycache__/{path.stem}.*.pyc'):
            os.utime(path, ns=(0, source.stat().st_mtime_ns))  # by which it is known
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
    """Return the environment of a user's terminal, without Python's own settings."""
    return {name: value for name, value in child_environment().items() if name != 'CI'}


def run_command(command, folder, **variables):
    """Run a command in a folder, outside of CI; return (status, output, errors) as texts."""
    status, *printed = finished(command, cwd=folder, env={**outside_ci(), **variables})
    return (status, *map(bytes.decode, printed))


def environment_with_command(folder):
    """Put the command `grading` into a folder; return an environment that finds it, outside CI."""
    words = shlex.join([sys.executable, str(ROOT / 'grading')])
    write_files(folder, {'grading': f'#!/bin/sh\nexec {words} "$@"\n'})
    (folder / 'grading').chmod(0o755)
    return {**outside_ci(), 'PATH': f'{folder}{os.pathsep}{os.environ["PATH"]}'}


def run_grader_here(*words, folder=ROOT, few=False, encoding='utf-8', **variables):
    """Run the grader in this process, where a process of its own is not the point; return the same.

    Many submissions are graded one after the other; with `few` by the transcripts of the small
    project. Where the words have what is `FAST`, failures are explained here, too.
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
            mock.patch(internals.READ_TRANSCRIPTS, return_value=few_of_all())
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
    """Start the grader in a fork of this process, with a folder for what it makes meanwhile.

    Yield the process, and a file of all that it prints; `before` is done in it at first.
    """

    def become_grader():
        before()
        tempfile.tempdir = str(folder)
        status, *printed = run_grader_here(*words)
        said.write(''.join(printed).encode())
        said.flush()
        os._exit(status)

    with tempfile.TemporaryFile() as said:
        process = Process(fork(become_grader))
        try:
            yield process, said
        finally:
            process.end()


@cache
def reach_of_all(python):
    """Return what any program can reach that nothing confines."""
    with scratch_folder() as scratch:
        return reachable(Sandbox(scratch), [ROOT])


def probed_once(sandbox, submissions):
    """Return what programs can reach; without a sandbox it is the same each time."""
    return (
        reach_of_all(sandbox.python) if sandbox.kind == 'none' else reachable(sandbox, submissions)
    )


def one_by_one(tasks):
    """Yield what became of each task; no process is forked from one that may have threads."""
    yield from map(grade_one_of_many, tasks)


def check_format(report):
    """Check a report against what Gradescope documents of results.json."""
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
FULL = FEW  # points
RIGHT = read_sample('piles')
TRAILING_SPACES = RIGHT.replace('piles[number])', "piles[number], end=' \\n')")


def grades_in(out):
    """Return what grades.csv in a folder says, by name of the submission."""
    with open(out / 'grades.csv', encoding='utf-8-sig', newline='') as stream:
        return {row['submission']: row for row in csv.DictReader(stream)}


class Grader:
    def __init__(self, folder, project):
        self.project = project
        self.out = folder / 'out'
        self.temporary = folder / 'temporary'
        self.temporary.mkdir()

    def start(self, *words):
        """Start the grader; its process, for a `with` statement."""
        return started(
            command_of_grader('grade', 'piles', '--prompts', '--out', self.out, *FAST, *words),
            cwd=self.project,
            env={**child_environment(), 'TMPDIR': str(self.temporary)},
            stdin=subprocess.DEVNULL,
        )

    def grade(self, *words):
        """Return the exit status, the lines on standard output, and standard error."""
        with self.start(*words) as process:
            output, errors = process.communicate(timeout=SECONDS)
        return self.checked(process.returncode, output.decode(), errors.decode())

    def grade_here(self, *words, fast=FAST):
        """Do so in this process, one submission after the other; return the same."""
        with mock.patch('tempfile.tempdir', str(self.temporary)):
            return self.checked(
                *run_grader_here(
                    'grade', 'piles', '--prompts', '--out', self.out, *fast, *words, few=True
                )
            )

    def checked(self, status, output, errors):
        assert 'Traceback' not in output + errors, errors
        assert list(self.temporary.iterdir()) == []
        return status, output.splitlines(), errors

    def grades(self):
        """Return what grades.csv says, by name of the submission."""
        return grades_in(self.out)

    def times(self):
        """Return when each file of the submissions' results was written."""
        return {
            path.relative_to(self.out): path.stat().st_mtime_ns for path in self.out.glob('*/*')
        }

    def index(self):
        return (self.out / 'index.html').read_text(encoding='utf-8')


def submission(folder, name, source):
    """Write a submission of one module; return its folder."""
    return write_files(folder / name, {'piles.py': source})


def graded(folder, source=None, transcripts=TRANSCRIPTS, here=False, trusts_looks=True, **settings):
    """Return the results of a folder or a zip, or of a program of one module.

    `here` explains what the program does in this process. See `results_by` for `trusts_looks`.
    """
    if source is not None:
        write_files(folder, {'othello.py': source})
    settings = settings_for(**{'where': False, 'confine': 'none', 'timeout': SECONDS, **settings})
    with explained_here() if here else nullcontext():
        settings = settings if transcripts is None else with_transcripts(transcripts, settings)
        return results_by(settings, folder, trusts_looks)


def learn_nothing(experience, played):
    """Stand for `Experience.note`."""


@contextmanager
def explained_here():
    """Explain in this process what programs do: a fork of it would cost more than most of them."""
    with mock.patch(internals.EXPLAIN_APART, lambda explain, *_: ([*explain()][-1], '')):
        yield


def results_by(settings, source, trusts_looks=True):
    """Return what results.json says of a submission.

    With `trusts_looks` a look counts at once, in each session: time would prove it in none, for it
    has no end here. Of programs with several processes a look may be wrong.
    """
    with (
        bounded(),
        open_submission(source) as submission,
        mock.patch.object(Experience, 'looks_are_reliable', trusts_looks),
        mock.patch.object(Experience, 'note', learn_nothing),
        SavedResults(Task('one', source, *settings), 'as it was') as saved,
    ):
        assignment, options, machine = settings
        results = grade(assignment, submission, options, saved.update, machine, explain)
    return to_json(results)


def diagnosed(program, seconds=600):
    """Return the diagnosis of a wrong program, and the sessions that it fails and passes.

    It is played with sessions that are not too long. Where only these matter, the diagnosis gets
    no time.
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


# In which turn unbuffered output comes that nobody waits for is chance.
BUFFERED = 'assignment.ini', 'flush = required\n'


def judged(folder, cases, **settings):
    """Return the tests of many sessions and programs, each a text, graded as if they were one."""
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
