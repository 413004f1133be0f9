"""Hostile submissions: no point, no trace, in bounded time, under each confinement there is."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

import pytest
from attacks import ATTACKS, CHEATS

import grading.sandbox.base
import grading.sandbox.bubblewrap
import grading.sandbox.environment
import grading.sandbox.probe
import grading.sessions.replay
from grading.assignments.find import transcripts_for
from grading.grader import grade, opened
from grading.project import ROOT
from grading.reports.results import Results
from grading.sandbox.cleanup import descendants, scratch_folder
from grading.sandbox.environment import SYSTEM
from grading.sandbox.kinds import ConfinementError, confine
from grading.sandbox.other_user import folders_of_all
from grading.sandbox.probe import close_to_others, survey
from grading.settings import Settings

BLOCK = '# if __name__ == ' + "'__main__':"
TRANSCRIPTS = transcripts_for('othello')[:2]
SHARED = ['/tmp', '/var/tmp', '/dev/shm', '/dev/mqueue', '/run/lock']
BOUND = 300                             # seconds, after which an attack counts as a success


def works(kind):
    try:
        with scratch_folder() as scratch:
            confine(kind, scratch)
    except ConfinementError:
        return False
    return True


KINDS = [pytest.param(kind, marks=[] if works(kind) else pytest.mark.skip(
    reason=f'programs cannot be confined by {kind} here')) for kind in ('bwrap', 'user')]
ALL_KINDS = [*KINDS, 'none']


@contextmanager
def bounded():
    """Fail when the time is over, instead of waiting for ever."""
    def fail(number, frame):
        pytest.fail(f'not over after {BOUND} s')

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(BOUND)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope='module')
def base():
    """A folder that all can look into, with a project, somebody's submission, and a tool."""
    folder = Path(tempfile.mkdtemp(prefix='attacked-'))
    folder.chmod(0o755)
    shutil.copytree(ROOT, folder / 'project', ignore=shutil.ignore_patterns('.*', '__pycache__'))
    make_answer(folder / 'other', 'othello_console.py')
    shutil.copy(shutil.which('cat'), folder / 'tool')
    (folder / 'tool').chmod(0o4755)
    (folder / 'of_all').mkdir()
    (folder / 'of_all').chmod(0o1777)
    folders_of_all.cache_clear()
    (folder / 'results.json').write_text('')
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def grader(base, monkeypatch):
    """The grader in an ill-chosen place, and short of time."""
    project = base / 'project'
    monkeypatch.chdir(project)
    monkeypatch.setenv('GRADER_TOKEN', str(base))
    monkeypatch.setenv('PYTHONPATH', str(project))
    monkeypatch.setattr(grading.sandbox.base, 'ROOT', project)
    for module in (grading.sandbox.bubblewrap, grading.sandbox.environment):
        monkeypatch.setattr(module, 'SYSTEM', [*SYSTEM, str(base)])
    monkeypatch.setattr(grading.sandbox.probe, 'FOLDER', project / 'transcripts')
    monkeypatch.setattr(grading.sessions.replay, 'LATE', 0.1)
    return base


def make_answer(folder, console):
    """Write a right program, its console under another name."""
    folder.mkdir()
    shutil.copy(ROOT / 'othello_logic.py', folder)
    shutil.copy(ROOT / 'othello_console.py', folder / console)


def hostile(folder, attack, **aims):
    """Make a submission of an attack; with a right program in it, for when it has succeeded."""
    folder.mkdir()
    make_answer(folder / 'answer', 'console')
    shutil.copy(Path(__file__).with_name('attacks.py'), folder)
    (folder / 'main.py').write_text(f'{BLOCK}\nimport attacks\nattacks.run({attack!r}, **{aims!r})')
    return folder


def snapshot(folder):
    """Return what can be seen of all files in a folder, without reading them."""
    return {path: (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino)
            for path in folder.rglob('*') for found in [path.lstat()]
            if path.name != 'of_all'}


def traces(mark):
    """Return the processes and files that have a mark in their command lines and names."""
    found = [path for folder in SHARED for path in Path(folder).glob(f'*{mark}*')]
    for process in filter(str.isdigit, os.listdir('/proc')):
        path = Path('/proc', process, 'cmdline')
        with suppress(OSError):         # it has ended meanwhile
            if mark.encode() in path.read_bytes():
                found.append(path)
    return found


@lru_cache(maxsize=None)
def order_for(kind, other):
    return survey(Settings('othello', timeout=0.3 if kind != 'none' else 60, confine=kind), [other])


def attacked(grader, attack, kind, folder):
    """Grade an attack; return the results, after a look for its traces."""
    mark = f'mark{os.getpid()}'
    with scratch_folder() as scratch, socket.socket() as port, \
            socket.socket(socket.AF_UNIX) as name, bounded():
        make_answer(scratch / 'submission', 'othello_console.py')
        port.bind(('127.0.0.1', 0))
        name.bind('\0' + mark)
        port.listen(1)
        name.listen(1)
        path = grader / 'results.json'
        submission = hostile(folder / mark, attack, base=str(grader),
                             project=str(grader / 'project'), other=str(grader / 'other'),
                             results=str(path), tool=str(grader / 'tool'),
                             scratch=str(scratch), mark=mark, port=str(port.getsockname()[1]))
        settings = order_for(kind, grader / 'other')
        before, running = snapshot(grader), descendants(os.getpid())
        results = Results(TRANSCRIPTS[:2 if attack == 'former_run' else 1], settings, attack)
        with opened(submission) as handed_in:
            grade(handed_in, settings, results)
        assert snapshot(grader) == before
        assert descendants(os.getpid()) == running
        assert traces(mark) == []
    return results.to_dict()


@pytest.mark.parametrize('attack', ATTACKS)
@pytest.mark.parametrize('kind', KINDS)
def test_attack(kind, attack, grader, tmp_path, monkeypatch):
    if kind == 'user' and attack in ('network', 'many_files'):
        pytest.skip('not prevented')
    if attack == 'setuid_tool' and os.geteuid() != 0:
        pytest.skip('there is no such tool')
    results = attacked(grader, attack, kind, tmp_path)
    assert results['score'] == 0
    assert {test['status'] for test in results['tests']} == {'failed'}


def test_what_all_need_is_not_closed(tmp_path):
    """Neither the folders of the system, should results go there, nor what is theirs."""
    sticky, needed, own = (tmp_path / name for name in ('sticky', 'needed', 'own'))
    for folder, mode in ((sticky, 0o1777), (needed, 0o755), (own, 0o775)):
        folder.mkdir()
        folder.chmod(mode)
    (own / 'file').write_text('')
    close_to_others([sticky, needed, own, own / 'file', tmp_path / 'no such'],
                    [needed / 'bin' / 'python', needed])
    assert [path.stat().st_mode & 0o7777 for path in (sticky, needed, own, own / 'file')] == [
        0o1777, 0o755, 0o700, 0o600]


@pytest.mark.parametrize('attack', [attack.__name__ for attack in CHEATS])
def test_without_walls_the_attack_succeeds(attack, grader, tmp_path):
    assert attacked(grader, attack, 'none', tmp_path)['score'] == 1
