"""If programs of a class use up something on a small machine, the others lose no points.

The grader runs as root and may not mount anything, so the programs share the world-writable
folders; or it may start only a few processes. Each test fills only small file systems, in
namespaces of its own.
"""

import ctypes
import errno
import json
import multiprocessing
import os
import signal
import subprocess
import tempfile
import threading
import time
import traceback
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from unittest import mock

import internals
import pytest
from assigned import settings_for
from graders import results_by
from programs import write_files
from running import SECONDS, rest_long, wait_for
from sandboxes import find_marked, skip_unless_unshared, works

from grading.diagnosis.apart import explain_apart
from grading.installation import ROOT
from grading.limits import Limits
from grading.reports.wording import reasons_not_run
from grading.sandbox import control_groups, kernel, kinds, other_user
from grading.sandbox.choose import machine_probed
from grading.sandbox.kernel import Descendants, Process, descendants, fork, stat_fields
from grading.sandbox.kinds import AsOtherUser, Sandbox
from grading.sandbox.other_user import FEW_USER_IDS, OtherUser
from grading.sandbox.scratch import scratch_folder
from grading.workers.class_processes import grade_all
from grading.workers.task import Task, grade_one_of_many

as_root = pytest.mark.skipif(os.geteuid() != 0, reason='only root can be other users')

NEW_MOUNTS = 0x20000
MAX_PROCESSES = 143  # the limit for the grader and everything it starts
SMALL = (
    'mount --make-rprivate / && mount -t tmpfs -o mode=1777,size=64m,nr_inodes={} tmpfs /tmp'
    ' && mount -t tmpfs -o mode=1777,size=8m tmpfs /dev/shm'
)
RIGHT = 'print("right")\n'
# Waits for something to be done by another program, if there is one, but not for long.
WAITS = """
import os, time
def wait_for(condition, seconds=0.3):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
"""
LOGS = (
    f"""{WAITS}
with open('/tmp/game.log', 'w') as log:
    print('begins', file=log, flush=True)
    wait_for(lambda: False)
"""
    + RIGHT
)
FILLS_MEMORY = (
    f"""{WAITS}
try:
    with open('/dev/shm/filled', 'wb') as file:
        while True:
            file.write(bytes(1 << 16))
            file.flush()
except OSError:
    pass
wait_for(lambda: False)
"""
    + RIGHT
)
LOCKS = f"""{WAITS}
import multiprocessing
wait_for(lambda: os.path.exists('/dev/shm/filled') and not os.statvfs('/dev/shm').f_bavail)
with multiprocessing.Lock():
    print('right')
"""
MANAGES = """
import multiprocessing
if __name__ == "__mai" "n__":
    with multiprocessing.Manager() as manager:
        found = manager.list(['right'])
        print(found[0])
"""
# Creates files until /tmp has room for only six more.
FILLS_NAMES = (
    f"""{WAITS}
names = 0
os.mkdir('/tmp/names')
def fill():
    global names
    while os.statvfs('/tmp').f_favail > 6:
        names += 1
        open(f'/tmp/names/{{names}}', 'w').close()
wait_for(fill, 1)
"""
    + RIGHT
)
COMES_LATER = (
    f"""{WAITS}
wait_for(lambda: os.statvfs('/tmp').f_favail < 20)
"""
    + RIGHT
)
STARTS_MANY = """
import threading
over = threading.Event()
threads = [threading.Thread(target=over.wait, args=[0.3]) for _ in range(50)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print('right')
"""
# For each case: the programs of a class, the sandbox, and how many files /tmp may have (0: any).
CLASSES = {
    'one name in tmp': ([LOGS] * 3, 'user', 0),
    'shared memory': ([FILLS_MEMORY, LOCKS, MANAGES], 'user', 0),
    'names of files': ([FILLS_NAMES, *[COMES_LATER] * 5], 'user', 1500),
    'processes': ([STARTS_MANY] * 3, 'bwrap', 0),
}


def in_small_machine(action, files, is_in_group):
    """Run a function in a fork with small file systems; return the result.

    With `is_in_group`, the fork may have only a few processes.
    """
    group = Path('/sys/fs/cgroup', f'few-{os.getpid()}')
    try:
        if is_in_group:
            if not (group.parent / 'cgroup.controllers').exists():
                pytest.skip('no control groups here')
            group.mkdir()
            (group / 'pids.max').write_text(str(MAX_PROCESSES))
    except OSError:
        pytest.skip('no control groups here')

    def act():
        try:
            if is_in_group:
                (group / 'cgroup.procs').write_text('0')
            assert ctypes.CDLL(None).unshare(NEW_MOUNTS) == 0
            project = os.open(ROOT, os.O_RDONLY)
            subprocess.run(['sh', '-c', SMALL.format(files)], check=True)
            if not ROOT.exists():  # an empty file system now hides the project
                ROOT.mkdir(parents=True)
                place = f'/proc/{os.getpid()}/fd/{project}'
                subprocess.run(['mount', '-c', '--bind', place, ROOT], check=True)
            tempfile.tempdir = '/tmp'
            outcome.write(json.dumps(action()))
        except BaseException:
            outcome.write(json.dumps(traceback.format_exc()))
        outcome.flush()

    with tempfile.TemporaryFile('w+') as outcome:
        process = Process(fork(act))
        try:
            assert process.status(SECONDS) is not None
        finally:
            process.end()
            with suppress(OSError):
                group.rmdir()
        outcome.seek(0)
        return json.load(outcome)


def graded_at_once(sources, kind, **options):
    """Grade the programs of a class in parallel; return the score and the notes of each."""
    folders = [
        write_files(Path('/tmp/class', str(number)), {'main.py': source})
        for number, source in enumerate(sources)
    ]
    settings = settings_for(
        'few',
        [('a.txt', '|right\n')],
        command='python3 main.py',
        where=False,
        timeout=SECONDS,
        **options,
    )
    with machine_probed(kind, None, [Path('/tmp/class')]) as machine:
        settings = settings.with_changes(**machine._asdict())
        tasks = [
            Task(folder.name, folder, *settings, Path('/tmp/out', folder.name))
            for folder in folders
        ]
        return {
            results.submission: (
                results.score,
                results.output + ''.join(reasons_not_run(results)),
            )
            for results in grade_all(tasks)
        }


@as_root
@pytest.mark.parametrize('what', rest_long(CLASSES))
def test_programs_that_fill_the_machine_cost_no_other_program_points(what):
    sources, kind, files = CLASSES[what]
    skip_unless_unshared('--mount')
    if not works(kind):
        pytest.skip(f'programs cannot be confined by {kind} here')
    with ExitStack() as stack:
        for name, value in {
            internals.TREE_FOR_RUNS: lambda: None,
            internals.PROCESSORS: lambda: 4,
        }.items():
            stack.enter_context(mock.patch(name, value))
        results = in_small_machine(
            lambda: graded_at_once(sources, kind), files, what == 'processes'
        )
    assert isinstance(results, dict), results
    assert {name: score for name, (score, _) in results.items()} == {
        str(number): 1 for number in range(len(sources))
    }, results


def is_killed(*words):
    os.kill(os.getpid(), signal.SIGKILL)


# What the grader lacks in its first try at a submission: the function that fails, and how.
LACKS = {
    'room for a copy': (internals.OPEN_SUBMISSION, OSError(errno.ENOSPC, 'full')),
    'room for results': (internals.WRITE_RESULTS, OSError(errno.ENOSPC, 'full')),
    'room for pages': (internals.WRITE_PAGES, OSError(errno.ENOSPC, 'full')),
    'memory': (internals.MAKE_PROGRAM, MemoryError()),
    'memory, so that it is killed': (internals.MAKE_PROGRAM, is_killed),
}


@pytest.mark.parametrize('what', rest_long(LACKS))
def test_a_temporary_lack_costs_no_points(what, tmp_path, monkeypatch):
    """A submission the grader could not grade is graded again after all others."""
    name, error = LACKS[what]
    module, _, function = name.rpartition('.')
    real = getattr(__import__(module, fromlist=[function]), function)
    mark = tmp_path / 'mark'

    def fails_once(*words, **about):
        if multiprocessing.parent_process() and not mark.exists():
            mark.touch()
            if not isinstance(error, Exception):
                error()
            raise error
        return real(*words, **about)

    monkeypatch.setattr(name, fails_once)
    monkeypatch.setattr(internals.PROCESSORS, lambda: 1)
    settings = settings_for(
        'few',
        [('a.txt', '|right\n')],
        command='python3 main.py',
        confine='none',
        where=False,
    )
    tasks = [
        Task(
            name,
            write_files(tmp_path / name, {'main.py': RIGHT}),
            *settings,
            tmp_path / 'out' / name,
        )
        for name in ('one', 'two')
    ]
    assert [(results.submission, results.score) for results in grade_all(tasks)] == [
        ('two', 1),
        ('one', 1),
    ]
    assert mark.exists()


def test_a_submission_is_not_graded_if_the_lack_lasts(tmp_path, monkeypatch):
    """After a second failure for lack of something, a submission is not graded."""
    tries = tmp_path / 'tries'

    def fails(*words, **about):
        with open(tries, 'a') as file:
            file.write('x')
        raise OSError(errno.ENOSPC, 'full')

    monkeypatch.setattr(internals.OPEN_SUBMISSION, fails)
    (results,) = grade_all([Task('one', tmp_path, *settings_for())])
    assert (results.score, results.output) == (None, 'OSError: [Errno 28] full')
    assert tries.read_text() == 'xx'


def test_a_full_disk_while_a_program_runs_costs_nothing(tmp_path, monkeypatch):
    ways = [mock.Mock(side_effect=OSError(errno.ENOSPC, 'full'))]
    real = tempfile.mkdtemp

    def mkdtemp(suffix=None, prefix=None, dir=None):
        return (ways.pop() if prefix == kinds.RUN and ways else real)(suffix, prefix, dir)

    monkeypatch.setattr('tempfile.mkdtemp', mkdtemp)
    settings = settings_for(
        'few', [('a.txt', '|right\n')], command='python3 main.py', confine='none', where=False
    )
    task = Task('one', write_files(tmp_path / 'one', {'main.py': RIGHT}), *settings)
    assert (grade_one_of_many(task).score, ways) == (1, [])
    limits = Limits(free_files=1 << 60)
    if os.statvfs(tempfile.gettempdir()).f_files:
        results = grade_one_of_many(replace(task, options=replace(task.options, limits=limits)))
        assert (results.score, results.output) == (
            None,
            "this machine's disk is full",
        )


def test_the_grader_waits_for_a_free_process(monkeypatch):
    lacks = [OSError(errno.EAGAIN, 'none'), OSError(errno.ENOMEM, 'none')]

    def fork_later(real=os.fork):
        if lacks:
            raise lacks.pop()
        return real()

    monkeypatch.setattr(os, 'fork', fork_later)
    assert kernel.succeeds_in_new_process(lambda: None, SECONDS)
    lacks = [OSError(errno.EAGAIN, 'none')]
    monkeypatch.setattr(kernel, 'PATIENCE', -1)
    with pytest.raises(OSError, match='none'):
        fork(lambda: None)


def test_processes_end_even_if_they_cannot_be_killed_all_at_once():
    started = Descendants(mock.Mock(side_effect=BlockingIOError))
    child = Process(fork(signal.pause))
    try:
        started.close()
        assert child.number not in descendants(os.getpid())
    finally:
        with suppress(ChildProcessError):
            child.end()


@as_root
def test_every_submission_has_its_own_user(monkeypatch):
    """Each submission gets its own user ID, even if there are only a few.

    A folder has the same user in each kind of sandbox.
    """
    monkeypatch.setattr(other_user, 'USER_IDS', FEW_USER_IDS[:8])
    monkeypatch.setattr(other_user, 'FEW_USER_IDS', FEW_USER_IDS[:8])
    with ExitStack() as stack:
        folders = [stack.enter_context(scratch_folder()) for _ in range(4)]
        users = [AsOtherUser(folder)._user for folder in folders]
        numbers = [number for user in users for number in (user.number, user._killer)]
        assert sorted(numbers) == [*FEW_USER_IDS[:8]]
        assert [OtherUser.of_folder(folder).number for folder in folders] == numbers[::2]


def test_the_machine_limits_how_many_programs_run_at_once(tmp_path, monkeypatch):
    control_groups.tree_for_runs()  # find the real control groups first: the result is cached
    monkeypatch.setattr(kernel, 'PROCESSES', tmp_path)
    monkeypatch.setattr(control_groups, 'PROCESSES', str(tmp_path))
    monkeypatch.setattr(internals.DESCENDANTS_PROCESSES, str(tmp_path))
    monkeypatch.setattr(control_groups, 'GROUPS', tmp_path / 'groups')
    monkeypatch.setattr(os, 'geteuid', lambda: 0)
    is_limited = control_groups.is_limited.__wrapped__
    write_files(
        tmp_path,
        {
            'meminfo': f'MemTotal: {8 << 20} kB\nMemAvailable: {3 << 20} kB\n',
            'self/cgroup': '3:pids:/a\n0::/c/d\n',  # the first group is of version 1
        },
    )
    with scratch_folder() as scratch:
        sandbox = Sandbox(scratch)
        assert (sandbox.most_runs(), is_limited()) == (3, False)
        group = tmp_path / 'groups' / 'c' / 'd'
        write_files(group, {'cgroup.procs': '', 'pids.max': '610\n', 'pids.current': '9\n'})
        assert (sandbox.most_runs(), is_limited()) == (2, True)
        write_files(group, {'pids.current': '609\n'})
        assert sandbox.most_runs() == 1
        write_files(group, {'pids.max': 'max\n'})
        monkeypatch.setattr(os, 'geteuid', lambda: 1000)
        monkeypatch.setattr(control_groups, 'allowed_limit', lambda number, most: 600)
        assert sandbox.most_runs() == 2
        monkeypatch.setattr(Sandbox, 'shares_folders', True)
        assert sandbox.most_runs() == 1


# When traced, this program starts processes replacing each other forever.
LITTERS = """
import os, sys
if '-c' in sys.orig_argv:
    os.execv(sys.executable, [sys.executable, '-c', {endless!r}, 'traced-{mark}'])
print('wrong')
"""
ENDLESS = """
import os, time
os.fork()
while True:
    time.sleep(0.01)
    if os.fork():
        os._exit(0)
"""


@as_root
def test_processes_of_a_killed_explanation_are_removed(best_sandbox, tmp_path):
    """If an explanation is killed, the processes of the traced program are removed."""
    best_sandbox('user')
    mark = f'mark{os.getpid()}mark'

    def kill():  # the program itself may not signal the explaining process
        wait_for(lambda: find_marked(f'traced-{mark}'))
        for child in multiprocessing.active_children():
            child.kill()

    settings = settings_for(
        'few',
        [('a.txt', '|right\n')],
        command=f'python3 {mark}.py',
        confine='user',
        timeout=SECONDS,
    )
    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    source = LITTERS.format(endless=ENDLESS, mark=mark)
    results = results_by(settings, write_files(tmp_path / 'one', {f'{mark}.py': source}))
    killer.join(SECONDS)
    assert results['extra_data']['not_explained'] == [
        {'reason': 'explanation', 'detail': 'its process was killed'}
    ]
    assert find_marked(mark) == []


def test_an_explanation_is_killed_only_after_its_processes_are_removed():
    """When time is up, the explaining process is stopped until `clear` has returned."""
    states = []

    def clear():
        (child,) = multiprocessing.active_children()
        wait_for(lambda: stat_fields(child.pid)[:1] == [b'T'])
        states.append(child.is_alive())

    def explain():
        yield 'first'
        time.sleep(600)

    assert explain_apart(explain, 3.0, 1 << 30, clear) == ('first', 'it took more than 3 s')
    assert states == [True]
    assert multiprocessing.active_children() == []
    assert explain_apart(lambda: iter(['all']), SECONDS, 1 << 30, clear) == ('all', '')
    assert states == [True]
