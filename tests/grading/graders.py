"""The grader as a command, in the project or in a copy of it that has few transcripts."""

import contextlib
import functools
import io
import os
import shlex
import shutil
import signal
import sys
import tempfile
from unittest import mock

import pytest
from running import child_environment, finished

from grading import main
from grading.assignments.games import GAMES, assignment, transcripts_for
from grading.batch.grade import grade_one_of_many
from grading.installation import ROOT
from grading.sandbox.confine import reachable, scratch_folder
from grading.sandbox.kinds import Sandbox
from grading.sandbox.start import Process, fork
from grading.signals import ENDING_SIGNALS

BLOCK = 'if __name__ == ' + '"__main__": pass'
FAST = ['--confine', 'none', '--no-where']      # where neither is what is tested
FEW = 2                                 # transcripts of each kind, for each costs a start of Python


def few_transcripts(game, prompts=False):
    """Return the first transcripts of a game, and one that is beyond the assignment, if any is."""
    chosen = transcripts_for(game, prompts, beyond=True)
    return [*chosen[:FEW], *[transcript for transcript in chosen if transcript.is_beyond][:1]]


@functools.lru_cache(maxsize=None)
def few_of_all():
    """Return few transcripts of each game."""
    return [transcript for game in GAMES for prompts in (False, True)
            for transcript in few_transcripts(game, prompts)]


def make_small_project(folder):
    """Copy the project into a folder, with few of its transcripts; return the folder."""
    folder.mkdir()
    shutil.copytree(ROOT / 'grading', folder / 'grading')
    for path in [*ROOT.glob('*.py'), ROOT / 'README.md', ROOT / 'pyproject.toml']:
        shutil.copy2(path, folder)
    for transcript in few_of_all():
        (folder / transcript.name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / transcript.name, folder / transcript.name)
    return folder


def command_of_grader(*words):
    """Return the command line of the grader."""
    return [sys.executable, '-m', 'grading', *map(str, words)]


def run_grader(*words, project=ROOT, **variables):
    """Run the grader of a project as a user does; return (status, output, errors)."""
    return said(command_of_grader(*words), project, **variables)


def said(command, folder, **variables):
    """Run a command in a folder, outside of CI; return (status, output, errors) as texts."""
    environment = {name: value for name, value in child_environment().items() if name != 'CI'}
    status, *printed = finished(command, cwd=folder, env={**environment, **variables})
    return (status, *map(bytes.decode, printed))


def environment_with_command(folder):
    """Put the command `grading` into a folder; return an environment that finds it, outside CI."""
    folder.mkdir()
    path = folder / 'grading'
    words = shlex.join([sys.executable, str(ROOT / 'grading')])
    path.write_text(f'#!/bin/sh\nexec {words} "$@"\n', encoding='utf-8')
    path.chmod(0o755)
    environment = {name: value for name, value in child_environment().items() if name != 'CI'}
    return {**environment, 'PATH': f'{folder}{os.pathsep}{environment["PATH"]}'}


def run_grader_here(*words, folder=ROOT, few=False, **variables):
    """Run the grader in this process, where a process of its own is not the point; return the same.

    Many submissions are graded one after the other; with `few` by few transcripts.
    """
    output, errors = io.StringIO(), io.StringIO()
    handlers = [(number, signal.getsignal(number)) for number in ENDING_SIGNALS]
    before = os.getcwd()
    os.chdir(folder)
    try:
        with mock.patch.object(sys, 'argv', ['bin/grading', *map(str, words)]), \
                mock.patch.dict(os.environ, {'CI': '', **variables}), \
                mock.patch('grading.batch.workers.grade_all', one_by_one), \
                mock.patch('grading.sandbox.confine.reachable', probed_once), \
                few_are_known() if few else contextlib.nullcontext(), \
                contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors), \
                pytest.raises(SystemExit) as caught:
            sys.exit(main())
    finally:
        os.chdir(before)
        for number, handler in handlers:
            signal.signal(number, handler)
    return caught.value.code, output.getvalue(), errors.getvalue()


@contextlib.contextmanager
def grader_forked(folder, *words, before=lambda: None):
    """Start the grader in a fork of this process, with a folder for what it makes meanwhile.

    Yield the process, and a file of all that it prints; `before` is done in it at first.
    """
    def become_grader():
        os.setsid()
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


@functools.lru_cache(maxsize=None)
def reach_of_all(python):
    """Return what any program can reach that nothing confines."""
    with scratch_folder() as scratch:
        return reachable(Sandbox(scratch), ROOT)


def probed_once(sandbox, submission):
    """Return what programs can reach; without a sandbox it is the same each time."""
    if sandbox.kind == 'none':
        return reach_of_all(sandbox.python)
    return reachable(sandbox, submission)


def one_by_one(tasks):
    """Yield what became of each task; no process is forked from one that may have threads."""
    yield from map(grade_one_of_many, tasks)


@contextlib.contextmanager
def few_are_known():
    """Know the transcripts of the small project alone."""
    few = few_of_all()
    assignment.cache_clear()
    with mock.patch('grading.assignments.games.read_transcripts', return_value=few):
        yield
    assignment.cache_clear()


def check_format(report):
    """Check a report against what Gradescope documents of results.json."""
    assert set(report) <= {'score', 'execution_time', 'output', 'output_format', 'visibility',
                           'stdout_visibility', 'extra_data', 'tests', 'leaderboard'}
    assert isinstance(report['score'], (int, float))
    for test in report['tests']:
        assert set(test) <= {'score', 'max_score', 'status', 'name', 'name_format', 'number',
                             'output', 'output_format', 'tags', 'visibility', 'extra_data'}
        assert 0 <= test['score'] <= test['max_score']
        assert test['status'] in ('passed', 'failed')
        assert test['visibility'] in ('hidden', 'after_due_date', 'after_published', 'visible')
        assert isinstance(test['name'], str)
        assert isinstance(test['output'], str)
