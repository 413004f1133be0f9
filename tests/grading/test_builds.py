"""A build may change folders under the grader's feet: it is graded with its own files alone."""

import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from assigned import by, transcripts_for
from graders import results_by
from running import SECONDS
from sandboxes import ALL_KINDS, KINDS, surveyed_for

from grading.installation import ROOT
from grading.submissions.copy import BUILT

TRANSCRIPTS = transcripts_for('othello')[:1]
COMMAND = 'python3 othello_console.py'
SWAP = 'cd .. && mv submission gone && ln -s {alice} submission'
THEFTS = {
    'by its path': SWAP,
    'by the current folder of who copies': SWAP.replace('{alice}', '/proc/self/cwd/class/alice'),
    'by a descriptor of who copies': SWAP.replace('{alice}', '/proc/self/fd/{folder}/alice'),
    'in a new folder': 'cd .. && mv submission gone && mkdir submission && '
                       'ln -s {alice}/*.py submission',
    'by links to files': 'ln -s {alice}/*.py .',
    'by a link to a folder': 'rm -rf src && ln -s {alice} src && ln -s src/*.py .',
}


@pytest.fixture(scope='module')
def alice(tried_once):
    """A right submission, in a class that is the current folder's; all can look into that."""
    folder = Path(tempfile.mkdtemp(prefix='class-'))
    folder.chmod(0o755)
    alice = folder / 'class' / 'alice'
    alice.mkdir(parents=True)
    for name in ('othello_logic.py', 'othello_console.py'):
        shutil.copy(ROOT / name, alice)
    before = os.getcwd()
    os.chdir(folder)
    yield alice
    os.chdir(before)
    shutil.rmtree(folder)


@pytest.fixture
def thefts(alice):
    """The commands, for where everything is."""
    descriptor = os.open(alice.parent, os.O_RDONLY)
    yield {name: text.format(alice=alice, folder=descriptor) for name, text in THEFTS.items()}
    os.close(descriptor)


def score(folder, kind, alice, build, command=COMMAND):
    """Return the score of a submission, after a look that its build has been run."""
    return score_and_notes(folder, kind, alice, build, command)[0]


def score_and_notes(folder, kind, alice, build, command=COMMAND):
    """Return the score of a submission, and the notes on it."""
    (folder / 'notes.txt').write_text('something is handed in')
    settings = replace(surveyed_for(kind, alice), timeout=SECONDS, build=build, command=command)
    results = results_by(by(TRANSCRIPTS, settings), folder)
    test, = results['tests']
    assert 'handed in' not in test['output']
    return test['score'], results['extra_data']['notes']


@pytest.mark.parametrize('name', THEFTS)
@pytest.mark.parametrize('kind', KINDS)
def test_build_that_puts_a_classmates_files_in_its_place(kind, name, alice, thefts, tmp_path):
    (tmp_path / 'one' / 'src').mkdir(parents=True)
    assert score(tmp_path / 'one', kind, alice, thefts[name]) == 0


@pytest.mark.parametrize('name', THEFTS)
def test_whoever_follows_links_has_a_classmates_files(name, alice, thefts, tmp_path):
    """Each of these thefts succeeds where what a build has left is copied by its path."""
    (tmp_path / 'submission' / 'src').mkdir(parents=True)
    subprocess.run(['sh', '-c', thefts[name]], cwd=tmp_path / 'submission', check=True)
    shutil.copytree(tmp_path / 'submission', tmp_path / 'left')
    assert (tmp_path / 'left' / 'othello_console.py').read_text() == (
        ROOT / 'othello_console.py').read_text()


def test_a_classmates_files_are_there_to_be_read_without_confinement(alice, tmp_path):
    (tmp_path / 'one').mkdir()
    assert score(tmp_path / 'one', 'none', alice, f'cp {alice}/*.py .') == 1


@pytest.mark.parametrize('kind', KINDS)
def test_a_classmates_files_cannot_be_read(kind, alice, tmp_path):
    (tmp_path / 'one').mkdir()
    assert score(tmp_path / 'one', kind, alice, f'cp {alice}/*.py . || true') == 0


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_honest_build_keeps_its_links(kind, alice, tmp_path):
    folder = tmp_path / 'one'
    shutil.copytree(alice, folder / 'src')
    (folder / 'README').write_text('')
    assert score(folder, kind, alice, 'mkdir bin && ln -s src lib && ln -s ../lib/othello_logic.py '
                 'bin && mv src/othello_console.py bin', 'python3 bin/othello_console.py') == 1


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_what_a_build_installs_is_kept(kind, alice, tmp_path):
    """Also where it would be ignored if it had been handed in."""
    folder = shutil.copytree(alice, tmp_path / 'one')
    build = ('python3 -m venv --without-pip .venv && mkdir -p node_modules/a __pycache__ && '
             'mv othello_logic.py node_modules/a && touch __pycache__/kept')
    run = ('test -e __pycache__/kept && PYTHONPATH=node_modules/a '
           '.venv/bin/python othello_console.py')
    assert score_and_notes(folder, kind, alice, build, f"sh -c '{run}'") == (1, [])


def test_what_a_build_loses_is_noted(alice, tmp_path):
    """Links to a tool are kept; those that a tool's path only begins are not."""
    folder = shutil.copytree(alice, tmp_path / 'one')
    links = {'passwd': '/etc/passwd', 'up': '/usr/bin/..', 'bin': '/usr/bin/', 'sh': '/bin/sh'}
    made = [f'ln -s {target} {name}' for name, target in links.items()]
    lost = 'after the build, left out: {}: a link to nothing in the folder'
    assert score_and_notes(folder, 'none', alice, ' && '.join(made), COMMAND) == (
        1, [lost.format(name) for name in ('bin', 'passwd', 'up')])
    with mock.patch('grading.submissions.submission.BUILT', BUILT._replace(files=9)):
        assert score_and_notes(folder, 'none', alice, 'touch z1 z2 z3 z4 z5 z6 z7', COMMAND) == (
            1, ['after the build, left out: the rest: more than 9 files in all'])
