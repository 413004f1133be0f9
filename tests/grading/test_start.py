"""Starting programs, running them as another user, and limits on all processes of a run."""

import ctypes
import errno
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import replace
from itertools import count, repeat
from pathlib import Path
from unittest import mock

import internals
import pytest
from graders import TRANSCRIPTS, graded
from programs import write_files
from running import BARE, unless_matches_never_end
from sandboxes import ALL_KINDS, KINDS, bounded, works

from grading.cli.grade_command import warn
from grading.installation import ROOT
from grading.limits import MEGABYTE, Limits
from grading.sandbox import (
    calls,
    control_groups,
    kernel,
    kinds,
    other_user,
    usage,
)
from grading.sandbox.calls import filter_of_calls
from grading.sandbox.choose import confine, machine_probed
from grading.sandbox.kernel import (
    Process,
    counts_by_namespace,
    descendants,
    fork,
    succeeds_in_new_process,
)
from grading.sandbox.kinds import Sandbox, process_inside
from grading.sandbox.other_user import OtherUser
from grading.sandbox.program import UNCOUNTED, Program, StartError
from grading.sandbox.scratch import scratch_folder
from grading.sessions import items
from grading.sessions.run import running
from grading.sessions.transcript import parse

CAP_SYS_RESOURCE = 24


@pytest.fixture(autouse=True)
def in_bounded_time():
    with bounded():
        yield


def program(sandbox, source=''):
    """Write a program of one module to a folder the sandbox can read; return the program."""
    folder = write_files(sandbox.scratch / 'one', {'program.py': source})
    return Program([sandbox.python, 'program.py'], folder)


def test_a_failed_start_is_not_the_programs_fault(sandbox, monkeypatch):
    monkeypatch.setattr(kernel, 'PATIENCE', 0)
    before = descendants(os.getpid())
    nowhere = Program([sandbox.python, 'program.py'], sandbox.scratch / 'no such')
    for failing, why in ((nowhere, 'no such'), (program(sandbox), 'no more processes')):
        with pytest.raises(StartError, match=why), running(failing, sandbox, 60):
            raise AssertionError
        assert descendants(os.getpid()) == before
        monkeypatch.setattr(
            kernel.os,
            'fork',
            mock.Mock(side_effect=BlockingIOError(errno.EAGAIN, 'no more processes')),
        )


# For each program: its source, its output, its exit status, and its standard error.
OUTPUTS = {
    'a word of the start is not taken for it': (
        'import sys\nsys.stderr.write("ready\\n")\nprint("ready")\nsys.exit(126)',
        b'ready\n',
        126,
        b'ready\n',
    ),
    # The grader waits for the end of standard error to get the message of a crash.
    'standard error may end after the output': (
        'import os, sys, time\nos.close(1)\ntime.sleep(0.3)\nsys.exit("wrong")',
        b'',
        1,
        b'wrong\n',
    ),
}


@pytest.mark.parametrize('what', OUTPUTS)
def test_output_and_status_of_a_program(sandbox, what):
    source, *result = OUTPUTS[what]
    with running(program(sandbox, source), sandbox, 60) as run:
        printed, errors = run.read(60), run.read_errors()
        assert [printed, run.status(60), errors] == result


def test_a_missing_command_is_its_authors_fault(sandbox):
    command = Program(['./no-such'], program(sandbox).folder)
    with running(command, sandbox, 60) as run:
        assert (run.status(60), b'no-such' in run.read_errors()) == (127, True)


@pytest.mark.parametrize(
    ('source', 'was_killed'),
    [
        ('import os\nos.kill(os.getpid(), 9)', True),
        ('import os\nos.kill(os.getpid(), 15)', False),
        ('', False),
    ],
)
def test_a_program_that_the_system_may_have_killed(sandbox, source, was_killed, monkeypatch):
    """A program counts as killed by the system only if the system reports a kill during the run."""
    for kills, is_reported in (repeat(0), False), (count(), was_killed):
        monkeypatch.setattr(kernel, 'killed_for_memory', kills.__next__)
        with running(program(sandbox, source), sandbox, 60) as run:
            assert run.status(60) is not None
            assert run.was_killed_by_system == is_reported


# This program tries not to be the first to be killed when the memory runs out.
STAYS = """
try:
    with open("/proc/self/oom_score_adj", "w") as adjustment:
        adjustment.write("0")
except OSError:
    pass
print(open("/proc/self/oom_score_adj").read(), end="", flush=True)
"""


@pytest.mark.skipif(sys.platform != 'linux', reason='only Linux ends processes for want of memory')
def test_a_program_ends_first_when_the_memory_runs_out(sandbox, kind):
    # If a process with this capability changes the setting, a process without it cannot undo this.
    rights = Path('/proc/self/status').read_text(encoding='ascii').partition('CapEff:')[2].split()
    is_bound = kind == 'bwrap' or (kind == 'user' and int(rights[0], 16) >> CAP_SYS_RESOURCE & 1)
    with running(program(sandbox, STAYS), sandbox, 60) as run:
        assert run.read(60) == (b'1000\n' if is_bound else b'0\n')


def test_a_program_that_the_grader_ends_is_not_killed_by_the_system(sandbox):
    source = 'import time\nprint(flush=True)\ntime.sleep(600)'
    with running(program(sandbox, source), sandbox, 60) as run:
        assert run.read(60) == b'\n'
        assert not run.was_killed_by_system
    assert run.status(0) is not None
    assert not run.was_killed_by_system


def test_lower_limits_are_kept_silently():
    """Lower limits, as in a container or on macOS, cause no message on standard error."""
    source = (
        'import resource\n'
        'print(resource.getrlimit(resource.RLIMIT_NOFILE), '
        'resource.getrlimit(resource.RLIMIT_FSIZE), flush=True)'
    )

    def play():
        for what, most in (('NOFILE', 200), ('FSIZE', 1 << 20), ('CORE', 0)):
            resource.setrlimit(getattr(resource, f'RLIMIT_{what}'), (most, most))
        with scratch_folder() as scratch:
            sandbox = confine('none', scratch)
            with running(program(sandbox, source), sandbox, 60) as run:
                printed, _ = run.read(60), run.status(60)
                assert (printed, run.read_errors()) == (b'(200, 200) (1048576, 1048576)\n', b'')

    assert succeeds_in_new_process(play, 60)


def test_a_sandbox_that_was_made_before_a_fork_works_after_it(sandbox):
    """The processes of a run end with the run, even if they have opened a session of their own."""
    source = (
        'import os, time\nprint(os.fork() and os.getpid(), flush=True)\n'
        'try: os.setsid()\nexcept PermissionError: pass\n'
    )

    def play():
        with running(program(sandbox, source + 'time.sleep(600)'), sandbox, 60) as run:
            assert run.read(60)
            assert descendants(os.getpid())
        assert descendants(os.getpid()) == []

    assert succeeds_in_new_process(play, 60)


# One program starts as many processes as it can; the other needs four threads.
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
    # The Python in a virtual environment may be a link in a folder only root can read.
    monkeypatch.setattr(sys, 'executable', os.path.realpath(sys.executable))
    monkeypatch.setattr(internals.TREE_FOR_RUNS, lambda: None)  # only root may make groups

    def play():
        resource.setrlimit(resource.RLIMIT_NPROC, (400, 400))
        OtherUser().become()
        with scratch_folder() as scratch:
            sandbox = confine('bwrap', scratch)
            with running(program(sandbox, HOLDS_ALL), sandbox, 60) as run:
                assert run.read(60) == b'full\n'
                with running(program(sandbox, NEEDS_FOUR), sandbox, 60) as other:
                    assert (other.status(60), other.read_errors()) == (0, b'')

    if not works('bwrap'):
        pytest.skip('programs cannot be confined by bwrap here')
    assert succeeds_in_new_process(play, 60)


# Running programs as another user

as_root = pytest.mark.skipif(os.geteuid() != 0, reason='only root can be another user')


@as_root
@pytest.mark.parametrize(
    ('target_kills', 'sender_kills', 'may'),
    [(True, False, False), (False, True, True), (False, False, True)],
)
def test_who_may_signal_whom(target_kills, sender_kills, may):
    user = OtherUser()
    reader, writer = os.pipe()

    def wait():
        user.become(target_kills)
        os.write(writer, b'.')
        signal.pause()

    def look():
        user.become(sender_kills)
        with nullcontext() if may else pytest.raises(PermissionError):
            os.kill(number, 0)

    number = fork(wait)
    try:
        os.read(reader, 1)
        assert succeeds_in_new_process(look, 60)
    finally:
        os.kill(number, signal.SIGKILL)
        os.waitpid(number, 0)
        os.close(reader)
        os.close(writer)


@as_root
def test_all_files_are_removed_however_many_and_whatever_they_are_called(monkeypatch, tmp_path):
    user = OtherUser()
    folder = tmp_path.joinpath(*['d' * 250] * 14)  # so long that a few paths exceed a command line
    folder.mkdir(parents=True)
    monkeypatch.setattr(other_user, 'world_writable_folders', lambda: [str(folder)])
    for name in ['a\nb', '-rf', '\udcff', *map(str, range(900))]:
        os.mknod(folder / name)
        os.chown(folder / name, user.number, user.number)
    (folder / 'of somebody else').touch()
    user.remove_all()
    assert os.listdir(folder) == ['of somebody else']


# Limits on what all processes of a run use in total

KEEP_SIZE = 1  # a flag of fallocate
# Low limits: most of the programs below exceed them.
LITTLE = Limits(memory=64 * MEGABYTE, disk=16 * MEGABYTE, processes=32)
# Four processes of 20 MB each.
MEMORY = """
import os, sys, time
reader, writer = os.pipe()
for _ in range(4):
    if not os.fork():
        os.close(1)
        held = b"x" * (20 << 20)
        os.write(writer, b".")
        time.sleep(600)
for _ in range(4):
    os.read(reader, 1)
"""
# The start of a program only root can look into.
UNSEEN = 'import ctypes\nSET_DUMPABLE = 4\nctypes.CDLL(None).prctl(SET_DUMPABLE, 0)\n'
# Ten processes sharing the same 7 MB.
SHARED = """
import mmap, os, sys, time
reader, writer = os.pipe()
with open("shared", "wb+") as file:
    file.truncate(7 << 20)
    shared = mmap.mmap(file.fileno(), 7 << 20)
for _ in range(10):
    if not os.fork():
        os.close(1)
        for place in range(0, 7 << 20, 4096):
            shared[place]
        os.write(writer, b".")
        time.sleep(600)
for _ in range(10):
    os.read(reader, 1)
"""
DISK = """
import os, sys
for number in range(10):
    with open(f"{FOLDER}/{number}", "wb") as file:
        file.write(bytes(2 << 20))
"""
REMOVED = """
import os, sys
files = []
for number in range(10):
    files.append(open("removed", "wb"))
    os.remove("removed")
    files[-1].write(bytes(2 << 20))
    files[-1].flush()
"""
# Removed files, mapped, but open in no process.
MAPPED_FILES = """
import ctypes, mmap, os, sys
library = ctypes.CDLL(None)
library.mmap.restype = ctypes.c_void_p
for number in range(10):
    file = os.open("unseen", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.remove("unseen")
    os.write(file, bytes(2 << 20))
    library.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_PRIVATE, file,
                 ctypes.c_size_t(0))
    os.close(file)
"""
# Two processes with twenty threads each; the program prints whether the system allows them.
THREADS = """
import os, sys, threading, time
reader, writer = os.pipe()
is_child = not os.fork()
if is_child:
    os.close(1)
result = b"allowed"
try:
    for _ in range(19):
        threading.Thread(target=time.sleep, args=[600], daemon=True).start()
except RuntimeError:
    result = b"refused"
os.write(writer, result)
if is_child:
    time.sleep(600)
print({os.read(reader, 7), os.read(reader, 7)} == {b"allowed"} and "allowed" or "refused")
"""
# 80 MB of shared memory, none of it resident.
SHARED_MEMORY = """
import mmap, os, sys
held = mmap.mmap(os.open("/dev/zero", os.O_RDWR), 80 << 20, mmap.MAP_SHARED)
for place in range(0, len(held), 4096):
    held[place] = 1
held.madvise(mmap.MADV_DONTNEED)
"""
# Mappings the kernel cannot merge.
CHAIN = """
import mmap, sys
held = [mmap.mmap(-1, 4096, mmap.MAP_PRIVATE, (mmap.PROT_READ, mmap.PROT_WRITE)[number % 2])
        for number in range(2000)]
"""
# Two processes with sockets; they share the first 10.
SOCKETS = """
import os, socket, sys, time
reader, writer = os.pipe()
pairs = [socket.socketpair() for _ in range(5)]
is_child = not os.fork()
pairs += [socket.socketpair() for _ in range(NUMBER)]
if is_child:
    os.close(1)
    os.write(writer, b".")
    time.sleep(600)
os.read(reader, 1)
"""
FILES = {
    'in its folder': DISK.replace('{FOLDER}', '.'),
    'above it': DISK.replace('{FOLDER}', '..'),
    'removed': REMOVED,
}
HELD = b'held\nstill held\n'
WAITS = """
print("held", flush=True)
sys.stdin.read()
print("still held", flush=True)
"""


def held_too_much(sandbox, source):
    """Run a program until its resources are measured; return the excess and the output.

    The program waits after it has used the resources.
    """
    with (
        bounded(),
        running(program(sandbox, source + WAITS), sandbox, 60) as run,
        mock.patch.object(usage, 'excess_of', wraps=usage.excess_of) as looked,
    ):
        printed = run.read(60)
        looked.reset_mock()
        while printed and not (run.excess or looked.called):
            run.read(0.1)
        run.end_input()
        while piece := run.read(60):
            printed += piece
        assert run.status(60) is not None
        assert not run.was_killed_by_system
        return run.excess, printed


@pytest.fixture(scope='module', params=['bwrap', 'none'])
def kind(request):
    """Yield the kinds of two sandboxes: with its own namespace of processes, and without."""
    with mock.patch(internals.TREE_FOR_RUNS, return_value=None):  # no control groups
        yield request.param


@pytest.fixture(scope='module')
def little(kind):
    """Yield a sandbox of each kind with low limits, and with its scratch folder on the disk."""
    with mock.patch('tempfile.tempdir', '/tmp'), scratch_folder() as scratch:
        yield confine(kind, scratch, limits=LITTLE)


# For each program: its limits, its source, and the message about what it exceeds, if anything.
EXCESSES = {
    'memory of four processes': ('little', MEMORY, 'more than 64 MB of memory'),
    'memory of an unseen one': (
        'little',
        f'{UNSEEN}import sys\nheld = b"x" * (80 << 20)',
        'more than 64 MB of memory',
    ),
    'memory that is shared counts once': ('little', SHARED, ''),
    **{
        f'files {where}': ('little', source, 'more than 16 MB of disk space')
        for where, source in {**FILES, 'removed, but mapped': MAPPED_FILES}.items()
    },
    'sockets': ('usual', SOCKETS.replace('NUMBER', '85'), 'more than 256 sockets'),
    'sockets, unseen': ('usual', UNSEEN + SOCKETS.replace('NUMBER', '85'), 'more than 256 sockets'),
    # 180 sockets and 70 others are within the limit.
    'sockets that are shared count once': (
        'usual',
        SOCKETS.replace('range(NUMBER)', 'range(35 if is_child else 85)'),
        '',
    ),
    # As with unseen processes, only root can examine processes after their end.
    'processes that have ended hold nothing': (
        'usual',
        'import os, sys\nfor _ in range(3):\n    os.fork() or os._exit(0)\n',
        '',
    ),
}


@pytest.mark.long
@pytest.mark.parametrize('what', EXCESSES)
def test_all_processes_together_are_limited(what, little, sandbox):
    limits, source, bound = EXCESSES[what]
    excess, printed = held_too_much(little if limits == 'little' else sandbox, source)
    # In bubblewrap, the file system is too small for the program to exceed the limit.
    assert excess == ('' if bound.endswith('disk space') and little.kind == 'bwrap' else bound)
    if bound:
        assert b'still' not in printed
    else:
        assert printed == HELD


@pytest.mark.skipif(not os.path.exists('/proc/self/maps'), reason='no list of mappings')
def test_processes_that_end_while_they_are_counted_use_nothing(monkeypatch):
    children = [Process(fork(signal.pause)) for _ in range(3)]
    monkeypatch.setattr(
        usage, 'mappings_of', lambda numbers: b''.join(child.end() or b'' for child in children)
    )
    numbers = [child.number for child in children]
    assert not usage.excess_of(numbers, (), Limits(), is_grouped=False)


OPENS = {
    'sockets': 'kept = [socket.socket() for _ in range(300)]',
    'pseudo-terminals': 'kept = [os.openpty() for _ in range(70)]',
}


@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='only Linux lists open files')
@pytest.mark.parametrize('what', OPENS)
def test_a_control_group_does_not_limit_everything(what):
    """Sockets and pseudo-terminals are counted even if a control group limits a run."""
    source = f'import os, socket, sys\n{OPENS[what]}\nprint("open", flush=True)\nsys.stdin.read()'
    with subprocess.Popen(
        [BARE, '-c', source], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b'open\n'
        excess = usage.excess_of([process.pid], (), Limits(), is_grouped=True)
    assert excess.endswith(what)


def test_processes_and_threads_are_limited(little):
    """The system refuses more if it counts per program; otherwise the grader ends the program."""
    excess, printed = held_too_much(little, THREADS)
    if little.kind == 'none' or (os.geteuid() != 0 and not counts_by_namespace()):
        assert excess == 'more than 32 processes and threads'
        assert b'still' not in printed
    else:
        assert (excess, printed) == ('', b'refused\n' + HELD)


@pytest.mark.skipif(not os.path.exists('/proc/self/maps'), reason='no list of mappings')
@pytest.mark.parametrize(
    ('source', 'expected'),
    [(SHARED_MEMORY, 'more than 64 MB of memory'), (CHAIN, 'more than 20 memory mappings')],
)
def test_memory_that_no_process_has_resident_is_limited(little, source, expected, monkeypatch):
    if 'mappings' in expected:
        monkeypatch.setattr(usage, 'MAX_MAPPINGS', 20)
        monkeypatch.setattr(usage, 'MAPPING', 2000)
    excess, printed = held_too_much(little, source)
    assert excess == expected
    assert b'still' not in printed


@pytest.mark.parametrize('name', ['a\nb', 'a\n-9999999\tb', '\udcff', '-s'])
def test_files_count_whatever_they_are_called(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(b'x' * 100_000)
    os.link(name, 'again')
    assert 100_000 <= usage.disk_usage([name, 'again'], [], LITTLE.disk) < 150_000


@pytest.mark.skipif(sys.platform != 'linux', reason='a call of Linux')
def test_the_space_of_a_file_counts_whatever_its_size(tmp_path):
    """A program may reserve space beyond the end of a file; a limit on file sizes misses it."""
    with open(tmp_path / 'empty', 'wb') as file:
        if (
            ctypes.CDLL(None).fallocate(
                file.fileno(), KEEP_SIZE, ctypes.c_long(0), ctypes.c_long(1 << 20)
            )
            != 0
        ):
            pytest.skip('this file system keeps no space')
    assert (tmp_path / 'empty').stat().st_size == 0
    assert usage.disk_usage([str(tmp_path)], [], LITTLE.disk) >= 1 << 20


def test_empty_files_and_long_paths_count(tmp_path, monkeypatch):
    """Empty files use up inodes, and long paths hide files; counting stops above the limit."""
    for number in range(100):
        (tmp_path / str(number)).touch()
    assert usage.disk_usage([str(tmp_path)], [], 1 << 30) >= 100 * 4096
    assert 16 * 4096 < usage.disk_usage([str(tmp_path)], [], 16 * 4096) <= 18 * 4096
    monkeypatch.chdir(tmp_path)
    for _ in range(20):
        os.mkdir('d' * 250)
        os.chdir('d' * 250)
    assert usage.disk_usage([str(tmp_path)], [], 1 << 30) == math.inf


def test_descendants_are_found_where_the_kernel_does_not_list_them(monkeypatch):
    child = Process(fork(signal.pause))
    try:
        assert child.number in descendants(os.getpid())
        monkeypatch.setattr(internals.HAS_CHILDREN, False)
        assert child.number in descendants(os.getpid())
        with pytest.raises(OSError, match='it was killed'):
            process_inside(child.number)
    finally:
        child.end()


def test_a_process_is_killed_before_it_leads_a_group(monkeypatch):
    monkeypatch.setattr(os, 'setsid', signal.pause)
    child = Process(fork(signal.pause))
    child.end()
    assert child.status(0) == -signal.SIGKILL


def test_control_groups(tmp_path, monkeypatch):
    """A plain folder replaces the tree of groups, with the files the kernel would create."""
    monkeypatch.setattr(kernel, 'PROCESSES', tmp_path)
    monkeypatch.setattr(control_groups, 'GROUPS', tmp_path / 'groups')
    own, name = tmp_path / 'groups' / 'a', f'{control_groups.PREFIX}one'
    files = dict.fromkeys(['memory.max', 'memory.swap.max', 'pids.max'], '')
    files['memory.events'] = 'oom 2\noom_kill 1\n'
    write_files(tmp_path, {'self/cgroup': '0::/a\n'})
    write_files(
        own,
        {
            'cgroup.procs': '',
            'cgroup.controllers': 'cpuset cpu memory pids\n',
            'cgroup.subtree_control': '',
            **{
                f'{group}/{file}': text
                for file, text in files.items()
                for group in (name, f'{control_groups.PREFIX}probe-{os.getpid()}')
            },
        },
    )
    assert control_groups.tree_for_runs.__wrapped__() == own
    assert (own / 'cgroup.subtree_control').read_text() == '+memory +pids +cpu'
    group = control_groups.Group(name, own, LITTLE)
    group.enter()
    assert [(own / name / file).read_text() for file in [*files, 'cgroup.procs']] == [
        str(LITTLE.memory),
        '0',
        '36',
        files['memory.events'],
        '0',
    ]
    assert not group.has_run_out_of_memory
    (own / name / 'memory.events').write_text('oom 3\noom_kill 2\n')
    assert group.has_run_out_of_memory


def test_a_run_gets_no_more_memory_than_the_machine_has(tmp_path, monkeypatch):
    """The control groups of a container, at any level, also limit the memory."""
    control_groups.tree_for_runs()  # caches the real control groups for all tests
    monkeypatch.setattr(kernel, 'PROCESSES', tmp_path)
    monkeypatch.setattr(control_groups, 'GROUPS', tmp_path / 'groups')
    with scratch_folder() as scratch:
        assert (
            Sandbox(scratch)._limits.memory == Limits().memory
        )  # the size of the memory is unknown
        write_files(tmp_path, {'meminfo': 'MemTotal: 1000 kB\nMemAvailable: 900 kB\n'})
        assert control_groups.memory_sizes() == (1000 << 10, 900 << 10)
        assert Sandbox(scratch)._limits.memory == 750 << 10
        group = 'groups/a'
        write_files(
            tmp_path,
            {
                'self/cgroup': '3:cpu,memory:/c\n0::/a/b\n',
                f'{group}/cgroup.procs': '',
                f'{group}/memory.max': 'max\n',
                f'{group}/memory.current': '5\n',
                f'{group}/memory.stat': '',
                f'{group}/b/cgroup.procs': '',
                f'{group}/b/memory.max': 'max\n',
                f'{group}/b/memory.current': '5\n',
                f'{group}/b/memory.stat': '',
            },
        )
        assert control_groups.memory_sizes() == (1000 << 10, 900 << 10)
        stat = 'anon 7\ninactive_file 3\n'
        write_files(
            tmp_path,
            {f'{group}/b/memory.max': '500000\n', f'{group}/b/memory.stat': stat},
        )
        assert control_groups.memory_sizes() == (500_000, 499_998)
        write_files(
            tmp_path,
            {
                f'{group}/memory.max': '400000\n',
                f'{group}/memory.current': '300001\n',
                f'{group}/memory.stat': 'inactive_file 1\n',
            },
        )
        assert control_groups.memory_sizes() == (400_000, 100_000)
        assert Sandbox(scratch)._limits.memory == 300_000
        assert not Sandbox(scratch).has_room()


# Only a control group counts these: pages in pipes (if system calls are not filtered), and empty
# files.
PIPES_FULL = """
import ctypes, mmap, os, sys
HUGE = 2 << 20
library = ctypes.CDLL(None)
for _ in range(30):
    _, writer = os.pipe()
    pages = mmap.mmap(-1, 2 * HUGE, mmap.MAP_PRIVATE)
    pages.madvise(mmap.MADV_HUGEPAGE)
    pages.write(bytes(2 * HUGE))
    place = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    held = (ctypes.c_size_t * 2)(place + -place % HUGE, 1)      # one byte keeps all of the page
    library.vmsplice(writer, held, 1, 0)
"""
EMPTY_FILES = """
import os, sys
for number in range(50_000):
    os.close(os.open(f"/tmp/{number}", os.O_CREAT, 0o600))
"""
EIGHT = 'import os, time\nmain = os.getpid()\nfor _ in range(3):\n    os.fork()\n'
WAIT_FOR_ALL = 'time.sleep(2 if os.getpid() == main else 600)\n'
# These programs use more than 32 MB of memory. A control group counts it at least as well as the
# grader.
GROUPED = {
    'memory': MEMORY,
    'mapped from a device': SHARED_MEMORY,
    'pipes': PIPES_FULL,
    'empty files': EMPTY_FILES,
    'chains of mappings': EIGHT + CHAIN.replace('2000', '30_000') + WAIT_FOR_ALL,
    'sockets': f"""{EIGHT}
import socket
pairs = [socket.socketpair() for _ in range(55)]
for one, _ in pairs:
    one.setblocking(False)
    one.send(bytes(200_000))
{WAIT_FOR_ALL}""",
}


@pytest.mark.parametrize(
    ('what', 'is_grouped'),
    [*((what, True) for what in GROUPED), ('pipes', False), ('empty files', False)],
)
@pytest.mark.long
def test_a_control_group_counts_everything(what, is_grouped, monkeypatch):
    """Without a group, pipes and empty files are not counted unless system calls are filtered."""
    if not control_groups.tree_for_runs() or not works('bwrap'):
        pytest.skip('no control groups can be made here, or no programs confined')
    monkeypatch.setattr(internals.FILTER_OF_CALLS, lambda _: b'')
    monkeypatch.setattr(
        internals.TREE_FOR_RUNS,
        control_groups.tree_for_runs if is_grouped else lambda: None,
    )
    with scratch_folder() as scratch:
        sandbox = confine('bwrap', scratch, (), replace(LITTLE, memory=32 * MEGABYTE))
        excess, printed = held_too_much(sandbox, GROUPED[what])
    if is_grouped:
        # When the grader notices the excess, the program may still print before it is ended.
        assert excess in ('', 'more than 32 MB of memory')
        assert excess or printed != HELD
    else:
        assert (excess, printed) == ('', HELD)


def test_a_program_within_the_limits_is_not_ended(sandbox):
    assert held_too_much(sandbox, MEMORY + ''.join(FILES.values()) + THREADS) == (
        '',
        b'allowed\n' + HELD,
    )


@pytest.mark.long
@unless_matches_never_end
def test_a_run_is_watched_while_a_pattern_is_tried(tmp_path, monkeypatch):
    """Meanwhile, the program may use more and more memory if no control group limits it."""
    looks, tried = [], []

    def looking(*values):
        looks.append(values)
        return ''

    def trying(*values):
        before = len(looks)
        try:
            return comparison_of_parts(*values)
        finally:
            tried.append(len(looks) - before)

    comparison_of_parts = items.matches_parts
    monkeypatch.setattr(usage, 'excess_of', looking)
    monkeypatch.setattr(items, 'matches_parts', trying)
    monkeypatch.setattr(items, 'SECONDS_A_LINE', 0.4)
    monkeypatch.setattr(usage, 'PAUSE', 0.05)
    graded(
        tmp_path / 'one',
        "import sys\nprint('a' * 99, flush=True)\nsys.stdin.read()\n",
        [parse('# regex\n|(a+)+b\n', 'a')],
    )
    assert max(tried) >= 2


def test_the_report_names_the_exceeded_limit(tmp_path):
    """If a program exceeds a limit in its first two sessions, the others are not run."""
    results = graded(
        tmp_path / 'one',
        f'{MEMORY}\nsys.stdin.read()',
        TRANSCRIPTS[:4],
        timeout=60,
        limits=replace(LITTLE, hanging=0.1),
    )
    outputs = [test['output'] for test in results['tests']]
    assert (
        'killed: the program and its child processes used more than 64 MB of memory' in outputs[0]
    )
    assert (
        outputs[2:]
        == ['not run: the program hung, or exceeded a limit, in every earlier session'] * 2
    )


def test_the_report_names_the_exceeded_limit_of_a_build(tmp_path):
    source = f'{MEMORY}\nsys.stdin.read()\ntime.sleep(600)'
    results = graded(
        write_files(tmp_path / 'one', {'build.py': source}),
        '',
        TRANSCRIPTS[:1],
        limits=LITTLE,
        command='true',
        build='python3 build.py',
    )
    assert 'killed: the build used more than 64 MB of memory' in results['tests'][0]['output']


# What programs can reach

OPEN_TO_ALL = ["this machine's abstract sockets", 'sockets in the folder /tmp']
BY_FILTER = ['the host, if this machine is virtual', 'memory that counts towards no limit']
BESIDE = 'the files beside the submissions'
REACHED = {
    'bwrap': [],
    'user': ["the grader's process (to see it)", *OPEN_TO_ALL],
    'none': [
        'the transcripts',
        'submissions',
        BESIDE,
        "the grader's process (to see it)",
        "the grader's process (to signal it)",
        'the network',
        *OPEN_TO_ALL,
        *BY_FILTER,
    ],
}


def reached(kind, folder, graded='graded'):
    """Return what a program can reach; an ungraded submission is beside the graded one."""
    write_files(folder, {'graded/game.py': '', 'ungraded/game.py': '', 'one.py': '', 'two.py': ''})
    with machine_probed(kind, None, [folder / graded]) as machine:
        return set(machine.reach)


@pytest.mark.skipif(not filter_of_calls(), reason='there is no filter of system calls here')
def test_names_of_calls_are_in_one_table_once():
    """Each call is in one of these tables, or among the calls allowed for some values."""
    tables = calls.ALLOWED, calls.REFUSED, calls.PRIVILEGED, calls.UNREPORTED
    lists = [names for table in tables for names in table.values()]
    names = ' '.join(lists).split()
    of_values = {name for name, *_ in calls.conditional_rules(mock.Mock())}
    assert len(names) == len({*names})
    assert not of_values & {*names}


@pytest.mark.skipif(not filter_of_calls(), reason='there is no filter of system calls here')
@pytest.mark.parametrize('graded', ['graded', 'one.py'])
@pytest.mark.parametrize('kind', ALL_KINDS)
def test_what_is_reached(kind, graded, tmp_path):
    """A sandbox shows the files named on a command line, but the probe's names none."""
    assert reached(kind, tmp_path / 'one', graded) == set(REACHED[kind])


@pytest.mark.parametrize('kind', KINDS)
def test_what_a_submitted_link_leads_to_is_not_reported_as_reached(kind, tmp_path):
    folder = write_files(tmp_path / 'class', {'bob/game.py': ''})
    (folder / 'ann').symlink_to('/etc')
    with machine_probed(kind, None, [folder / 'ann', folder / 'bob']) as machine:
        assert set(machine.reach) == set(REACHED[kind])


@pytest.mark.parametrize('kind', ALL_KINDS)
def test_what_is_reached_without_a_filter(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(kinds, 'filter_of_calls', lambda _: b'')
    network = ['the network'] if kind == 'user' else []
    found = {*REACHED[kind], *BY_FILTER, *network}
    assert reached(kind, tmp_path / 'one') == found


@as_root
@pytest.mark.parametrize(('mode', 'is_reached'), [(0o755, False), (0o1777, True)])
def test_files_beside_a_submission_are_reached_in_a_shared_folder(mode, is_reached):
    """In a folder such as /tmp, the grader closes only the submission, not the folders above."""
    folder = Path(tempfile.mkdtemp(dir='/srv'))
    try:
        folder.chmod(mode)
        assert (BESIDE in reached('user', folder)) == is_reached
        assert folder.stat().st_mode & 0o7777 == mode
    finally:
        shutil.rmtree(folder)


def test_the_warning_names_the_cure(capsys):
    warn('user', [UNCOUNTED])
    errors = capsys.readouterr().err
    assert 'libseccomp' in errors
    assert 'all other programs are graded as usual' in errors  # the consequence
    warn('user', ['the network'])
    assert 'libseccomp' not in capsys.readouterr().err


def test_the_filter_is_an_extra_of_the_grader():
    assert "pyseccomp>=0.1.2; sys_platform == 'linux'" in (ROOT / 'pyproject.toml').read_text()
