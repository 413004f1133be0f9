"""What fails before a program begins is never its fault; programs run as another user."""

import errno
import os
import resource
import signal
import sys
from pathlib import Path
from unittest import mock

import pytest
from independent import write_modules
from sandboxes import bounded, works

from grading.sandbox import other_user
from grading.sandbox.confine import confine, output, scratch_folder
from grading.sandbox.kernel import Process, counts_by_namespace, fork
from grading.sandbox.kinds import AsOtherUser
from grading.sandbox.other_user import MOST_FILES, OtherUser, can_separate
from grading.sandbox.processes import descendants
from grading.sandbox.program import Program, StartError
from grading.sessions.run import running

CAP_SYS_RESOURCE = 24


@pytest.fixture(autouse=True)
def in_bounded_time():
    with bounded():
        yield


def program(sandbox, source=''):
    """Write a program of one module where a sandbox can read it."""
    folder = write_modules(sandbox.scratch / 'one', program=source)
    return Program([sandbox.python, 'program.py'], folder)


def succeeds_forked(action):
    """Return whether something succeeds in a fork of this process."""
    number = os.fork()
    if not number:
        try:
            action()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(number, 0)[1] == 0


def test_start_that_fails_is_not_the_programs_fault(sandbox, monkeypatch):
    before = descendants(os.getpid())
    nowhere = Program([sandbox.python, 'program.py'], sandbox.scratch / 'no such')
    for one, why in ((nowhere, 'no such'), (program(sandbox), 'no more processes')):
        with pytest.raises(StartError, match=why), running(one, sandbox, 60):
            raise AssertionError
        assert descendants(os.getpid()) == before
        monkeypatch.setattr('grading.sandbox.kernel.os.fork', mock.Mock(
            side_effect=BlockingIOError(errno.EAGAIN, 'no more processes')))


# What it runs; what it prints, its exit status, and what stands on its standard error.
SAID = {
    'a word of the start is not taken for it': (
        'import sys\nsys.stderr.write("ready\\n")\nprint("ready")\nsys.exit(126)',
        b'ready\n', 126, b'ready\n'),
    # It is waited for: what a crash says is in it.
    'standard error may end after the output': (
        'import os, sys, time\nos.close(1)\ntime.sleep(0.3)\nsys.exit("wrong")',
        b'', 1, b'wrong\n'),
}


@pytest.mark.parametrize('what', SAID)
def test_what_a_program_says(sandbox, what):
    source, *said = SAID[what]
    with running(program(sandbox, source), sandbox, 60) as run:
        printed, errors = run.read(60), run.errors
        assert [printed, run.status(60), errors] == said


def test_command_that_is_not_there_is_its_authors_fault(sandbox):
    command = Program(['./no-such'], program(sandbox).folder)
    with running(command, sandbox, 60) as run:
        assert (run.status(60), b'no-such' in run.errors) == (127, True)


@pytest.mark.parametrize(('source', 'was_killed'), [
    ('import os\nos.kill(os.getpid(), 9)', True), ('import os\nos.kill(os.getpid(), 15)', False),
    ('', False)])
def test_killed_but_not_by_the_grader(sandbox, source, was_killed):
    with running(program(sandbox, source), sandbox, 60) as run:
        assert run.status(60) is not None
        assert (run.was_killed_by_system, run.was_memory_short) == (was_killed, False)


# What a program may do about being the first to end when the memory runs out.
STAYS = '''
try:
    with open("/proc/self/oom_score_adj", "w") as adjustment:
        adjustment.write("0")
except OSError:
    pass
print(open("/proc/self/oom_score_adj").read(), end="", flush=True)
'''


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux ends processes for want of memory')
def test_a_program_ends_first_when_the_memory_runs_out(sandbox, kind):
    # What one process sets of that another one without this right cannot take back.
    rights = Path('/proc/self/status').read_text(encoding='ascii').partition('CapEff:')[2].split()
    is_bound = kind == 'bwrap' or (kind == 'user' and int(rights[0], 16) >> CAP_SYS_RESOURCE & 1)
    with running(program(sandbox, STAYS), sandbox, 60) as run:
        assert run.read(60) == (b'1000\n' if is_bound else b'0\n')


def test_ended_by_the_grader_is_not_killed_by_the_system(sandbox):
    source = 'import time\nprint(flush=True)\ntime.sleep(600)'
    with running(program(sandbox, source), sandbox, 60) as run:
        assert run.read(60) == b'\n'
        assert not run.was_killed_by_system
    assert run.status(0) is not None
    assert not run.was_killed_by_system


def test_limits_that_are_lower_already_are_kept_without_a_word():
    """As in a container, or on macOS: nothing of it reaches a program's standard error."""
    source = ('import resource\n'
              'print(resource.getrlimit(resource.RLIMIT_NOFILE), '
              'resource.getrlimit(resource.RLIMIT_FSIZE), flush=True)')
    def play():
        for what, most in (('NOFILE', 200), ('FSIZE', 1 << 20), ('CORE', 0)):
            resource.setrlimit(getattr(resource, f'RLIMIT_{what}'), (most, most))
        with scratch_folder() as scratch:
            sandbox = confine('none', scratch)
            with running(program(sandbox, source), sandbox, 60) as run:
                printed, _ = run.read(60), run.status(60)
                assert (printed, run.errors) == (b'(200, 200) (1048576, 1048576)\n', b'')

    assert succeeds_forked(play)


def test_a_sandbox_that_was_made_before_a_fork_works_after_it(sandbox):
    """And what was started there ends with its run, whatever session it has opened."""
    source = ('import os, time\nprint(os.fork() and os.getpid(), flush=True)\n'
              'try: os.setsid()\nexcept PermissionError: pass\n')

    def play():
        with running(program(sandbox, source + 'time.sleep(600)'), sandbox, 60) as run:
            assert run.read(60)
            assert descendants(os.getpid())
        assert descendants(os.getpid()) == []

    assert succeeds_forked(play)


# It holds all processes that it can get; another one needs four threads.
HOLDS_ALL = """
import os, time
try:
    while os.fork():
        pass
except OSError:
    print("full", flush=True)
time.sleep(600)
"""
NEEDS_FOUR = """
import threading
is_over = threading.Event()
threads = [threading.Thread(target=is_over.wait) for _ in range(4)]
for thread in threads:
    thread.start()
is_over.set()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason='only root can be a user without other processes')
@pytest.mark.skipif(not counts_by_namespace(), reason='this kernel counts all of a user together')
def test_processes_of_one_program_are_not_taken_from_another_of_the_same_user(monkeypatch):
    # The link in a virtual environment may stand where only root finds it.
    monkeypatch.setattr(sys, 'executable', os.path.realpath(sys.executable))
    monkeypatch.setattr('grading.sandbox.kinds.trees_for_runs', tuple)  # only root may make them

    def play():
        resource.setrlimit(resource.RLIMIT_NPROC, (100, 100))
        OtherUser().become()
        with scratch_folder() as scratch:
            sandbox = confine('bwrap', scratch)
            with running(program(sandbox, HOLDS_ALL), sandbox, 60) as run:
                assert run.read(60) == b'full\n'
                with running(program(sandbox, NEEDS_FOUR), sandbox, 60) as other:
                    assert (other.status(60), other.errors) == (0, b'')

    if not works('bwrap'):
        pytest.skip('programs cannot be confined by bwrap here')
    assert succeeds_forked(play)


# The sandbox of another user.

as_root = pytest.mark.skipif(os.geteuid() != 0, reason='only root can be another user')


def status_of(become, target):
    """Return the exit status of a process that becomes somebody and looks whether it may signal."""
    def look():
        become()
        try:
            os.kill(target, 0)
        except PermissionError:
            os._exit(2)
        os._exit(0)

    return Process(fork(look)).status(60)


@as_root
@pytest.mark.parametrize(('target', 'sender', 'status'), [
    ('become_killer', 'become', 2), ('become', 'become_killer', 0), ('become', 'become', 0)])
def test_who_may_signal_whom(target, sender, status):
    user = OtherUser()
    reader, writer = os.pipe()

    def wait():
        getattr(user, target)()
        os.write(writer, b'.')
        signal.pause()

    number = fork(wait)
    try:
        os.read(reader, 1)
        assert status_of(getattr(user, sender), number) == status
    finally:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
        os.close(reader)
        os.close(writer)


@as_root
def test_all_files_are_removed_however_many_and_whatever_they_are_called(monkeypatch, tmp_path):
    user = OtherUser()
    monkeypatch.setattr(other_user, 'world_writable_folders', lambda: [str(tmp_path)])
    for name in ['a\nb', '-rf', '\udcff', *(f'{number:0200}' for number in range(12_000))]:
        os.mknod(tmp_path / name)
        os.chown(tmp_path / name, user.number, user.number)
    (tmp_path / 'of somebody else').touch()
    user.remove_all()
    assert os.listdir(tmp_path) == ['of somebody else']


# Says how many terminals and files it gets, and how many files of 15 MB; not more than it tries.
TAKES = '''
import os
def most(count, take):
    held = []
    try:
        for number in range(count):
            held.append(take(number))
    except OSError:
        pass
    return len(held)
print(most(20, lambda _: os.openpty()), most(25_000, lambda n: os.mknod(f'/tmp/{n}')),
      most(12, lambda n: open(f'/dev/shm/{n}', 'wb', buffering=0).write(bytes(15 << 20))))
'''


@as_root
@pytest.mark.skipif(not can_separate(), reason='no run has file systems of its own here')
def test_a_run_has_little_of_what_all_would_share():
    with scratch_folder() as scratch:
        sandbox = AsOtherUser(scratch)
        status, printed = output(sandbox, [sandbox.python, '-c', TAKES])
    terminals, files, large = map(int, printed.split())
    assert (status, terminals) == (0, 0)
    assert MOST_FILES - 100 < files < MOST_FILES
    assert large in (8, 9)              # the last of them in part
