"""Hostile submissions get no points and leave nothing behind, in every kind of sandbox."""

import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import internals
import pexpect
import pytest
from assigned import transcripts_for, with_transcripts
from attacks import (
    ALL_ELSE,
    ATTACKS,
    ENDLESS,
    FORMER_RUNS,
    GOES_ON,
    GREEDY,
    LAST,
    LEAVES,
    OUTLIVES,
    ROWS,
    SHARED_BY_ALL,
    SYSTEM_CALLS,
)
from graders import results_by
from programs import our_pair, write_files
from sandboxes import (
    BOUND,
    KINDS,
    SHARED,
    bounded,
    find_marked,
    probed_for,
    skip_unless_unshared,
)

from grading.installation import ROOT
from grading.limits import Limits
from grading.sandbox import other_user
from grading.sandbox.calls import filter_of_calls
from grading.sandbox.choose import confine, machine_probed, output
from grading.sandbox.kernel import Process, descendants, fork, stat_fields
from grading.sandbox.other_user import closed_to_others, one_at_a_time, world_writable_folders
from grading.sandbox.program import Program, SandboxError
from grading.sandbox.scratch import remove_abandoned, scratch_folder
from grading.sandbox.usage import LOWEST
from grading.sandbox.view import SYSTEM, view
from grading.sessions.run import running

BLOCK = '# if __name__ == ' + "'__main__':"
# The attacks' targets among the files of the project.
FILES = (
    'othello_console.py',
    'pyproject.toml',
    'tests/conftest.py',
    'grading/__init__.py',
    'transcripts/othello/worked_example.txt',
)
TRANSCRIPTS = transcripts_for('othello')[:2]
# In the kind `user`, programs share the machine's network. This attack succeeds, and the probe says
# so.
NOT_PREVENTED = ('abstract_socket',)
LIMITED = [
    'setpriv',
    '--reuid',
    '61183',
    '--clear-groups',
    'prlimit',
    '--nproc=20',
    '/usr/bin/python3',
]
NAMES = {
    group: [name for name, attack in ATTACKS.items() if attack.group == group]
    for group in (SYSTEM_CALLS, FORMER_RUNS, ALL_ELSE, GREEDY, ENDLESS, LAST)
}
GROUPS = {
    **{group: NAMES[group] for group in (SYSTEM_CALLS, FORMER_RUNS, ALL_ELSE)},
    **{name: [name] for name in NAMES[GREEDY] + NAMES[ENDLESS] + NAMES[LAST]},
}
USE_UP_THE_MACHINE = (*NAMES[GREEDY], 'fork_bomb', 'busy_sessions')
MARKED_GROUPS = [
    pytest.param(group, marks=pytest.mark.alone if group in USE_UP_THE_MACHINE else ())
    for group in GROUPS
]


@pytest.fixture(scope='module')
def base():
    """Yield a folder readable by all users, with a project, two submissions, and a tool."""
    folder = Path(tempfile.mkdtemp(prefix='attacked-'))
    folder.chmod(0o755)
    for name in FILES:
        (folder / 'project' / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / 'project' / name)
    for name in ('other', 'ungraded'):
        write_files(folder / 'class' / name, our_pair('othello'))
    shutil.copy(shutil.which('cat'), folder / 'tool')
    (folder / 'tool').chmod(0o4755)
    for path in of_all(folder):
        path.mkdir(parents=True)
        path.chmod(0o1777)
    is_mounted = (
        subprocess.run(
            ['mount', '-t', 'tmpfs', '-o', 'mode=1777,size=1m', 'tmpfs', str(path)],
            check=False,
            capture_output=True,
        ).returncode
        == 0
    )
    (folder / 'results.json').write_text('')
    yield folder
    if is_mounted:
        subprocess.run(['umount', str(path)], check=True)
    shutil.rmtree(folder)


@pytest.fixture
def grader(base, monkeypatch):
    """Set up the grader in an unfortunate place and with little patience; return the folder."""
    project = base / 'project'
    monkeypatch.chdir(project)
    monkeypatch.setenv('GRADER_TOKEN', str(base))
    monkeypatch.setenv('PYTHONPATH', str(project))
    for name, value in {
        internals.PROJECT_FOLDER: project,
        internals.VIEW_SYSTEM: [*SYSTEM, str(base)],
        internals.CHOOSE_SYSTEM: [*SYSTEM, str(base)],
        internals.TRANSCRIPTS_FOLDER: project / 'transcripts',
        internals.GRACE_SECONDS: 0.1,
        internals.MAX_SECONDS: 0.1,
        internals.WORLD_WRITABLE_FOLDERS: lambda: [*SHARED, *map(str, of_all(base))],
    }.items():
        monkeypatch.setattr(name, value)
    view.cache_clear()
    yield base
    view.cache_clear()


def test_what_the_manual_promises_is_attacked():
    """Each sentence about what a program cannot do has its attacks."""
    text = (ROOT / 'docs' / 'security.md').read_text(encoding='utf-8')
    table = text.partition('| a submission cannot | how |\n|---|---|\n')[2].partition('\n\n')[0]
    assert [line.split(' | ')[0] for line in table.splitlines()] == [f'| {row}' for row in ROWS]
    assert {attack.row for attack in ATTACKS.values()} == {*ROWS}


def hostile(folder, attacks, **aims):
    """Write a submission with some attacks; return its folder."""
    return write_files(
        folder,
        {
            'common.py': SHARED_BY_ALL,
            **{f'{name}.py': f'from common import *\n{ATTACKS[name].source}' for name in attacks},
            f'{aims["mark"]}.py': f'{BLOCK}\nimport common\ncommon.run({attacks!r}, {aims!r})',
        },
    )


def snapshot(folder):
    """Return the mode, size, time and inode of each file in a folder."""
    return {
        path: (found.st_mode, found.st_size, found.st_mtime_ns, found.st_ino)
        for path in folder.rglob('*')
        for found in [path.lstat()]
        if path.name not in ('of_all', 'mounted')
    }


@contextmanager
def aimed(grader, attacks, folder):
    """Write a submission with attacks on known targets; yield its folder and its mark.

    Everything the attacks leave behind has the mark in its name or its command line.
    """
    mark = f'mark{os.getpid()}mark'  # no other process's mark contains it
    with (
        scratch_folder() as scratch,
        socket.socket() as port,
        socket.socket(socket.AF_UNIX) as name,
        tempfile.TemporaryDirectory(dir=Path.home()) as home,
    ):
        write_files(Path(home), {'notes': ''})
        write_files(scratch / 'submission', our_pair('othello'))
        port.bind(('127.0.0.1', 0))
        name.bind('\0' + mark)
        port.listen(9)
        name.listen(9)
        yield (
            hostile(
                folder / 'one',
                attacks,
                base=str(grader),
                project=str(grader / 'project'),
                other=str(grader / 'class' / 'other'),
                ungraded=str(grader / 'class' / 'ungraded'),
                results=str(grader / 'results.json'),
                tool=str(grader / 'tool'),
                scratch=str(scratch),
                mark=mark,
                port=str(port.getsockname()[1]),
                home=home,
                of_all=' '.join(map(str, of_all(grader))),
            ),
            mark,
        )


def of_all(grader):
    """Return world-writable folders, one far down the tree and one on another file system."""
    return grader / 'of_all', grader / 'a' / 'b' / 'c' / 'd' / 'of_all', grader / 'mounted'


def attacked(grader, attacks, kind, folder):
    """Grade some attacks; check that all fail and leave nothing behind."""
    goes_on = attacks[0] in NAMES[ENDLESS]
    with aimed(grader, attacks, folder) as (submission, mark):
        # Attacks have time to succeed, but endless ones are ended soon.
        settings = probed_for(kind, grader / 'class' / 'other').with_changes(
            timeout=0.3 if goes_on else 60,
            limits=Limits(alone=0),
        )
        before, running = snapshot(grader), descendants(os.getpid())
        transcripts = TRANSCRIPTS[: 1 + any(name in NAMES[FORMER_RUNS] for name in attacks)]
        results = results_by(
            with_transcripts(transcripts, settings),
            submission,
            trusts_looks=attacks[0] not in NAMES[GREEDY],  # these have several processes
        )
        assert descendants(os.getpid()) == running
        assert snapshot(grader) == before
        assert find_marked(mark) == []
    for test in results['tests']:
        assert (test['score'], test['status']) == (0, 'failed')
        succeeded = re.findall('succeeded: (.*)', test['output'])
        was_killed = attacks[0] in NAMES[GREEDY] and 'killed: the program' in test['output']
        assert succeeded == ['none'] or ((goes_on or was_killed) and not succeeded), test['output']


@pytest.mark.parametrize('group', MARKED_GROUPS)
@pytest.mark.parametrize('kind', KINDS)
def test_attack(kind, group, grader, tmp_path):
    if group == SYSTEM_CALLS and not filter_of_calls():
        pytest.skip('not prevented without pyseccomp and libseccomp')
    beyond = (
        *(NOT_PREVENTED if kind == 'user' else ()),
        *([] if os.geteuid() == 0 else ['setuid_tool']),
    )
    attacked(grader, [name for name in GROUPS[group] if name not in beyond], kind, tmp_path)


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason='only root can search as another user')
def test_a_search_finds_world_writable_folders(base):
    """A search finds the world-writable folders. It is slow, so the other tests list them."""
    world_writable_folders.cache_clear()  # a result may be older than these folders
    assert {*SHARED, *map(str, of_all(base))} <= {*world_writable_folders()}


@pytest.mark.parametrize('kind', KINDS)
def test_attack_where_no_system_call_is_refused(kind, grader, tmp_path, monkeypatch):
    """Without libseccomp these attacks still fail, because something else prevents them."""
    monkeypatch.setattr(internals.FILTER_OF_CALLS, lambda _: b'')
    attacks = ['former_run_queue', 'former_run_system_v']
    if kind == 'user' and not os.path.ismount('/dev/mqueue'):
        attacks.remove('former_run_queue')  # where no system calls are refused, queues remain
    attacked(grader, attacks, kind, tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason='only root may write there')
@pytest.mark.parametrize('place', ['/opt', '/usr', '/usr/share', '/srv'])
@pytest.mark.parametrize('kind', KINDS)
def test_a_program_does_not_see_other_submissions(kind, place):
    """A program sees no other submission and no answers, wherever the class and the judge are.

    It sees the files beside the judge only if runs share the file systems, or if the judge is in a
    folder of the system.
    """
    answers = ['answers'] * (kind == 'user' or place == '/usr/share')
    folder = Path(tempfile.mkdtemp(prefix='attacked-', dir=place))
    try:
        folder.chmod(0o755)
        write_files(
            folder,
            {
                'course/judge': '#!/bin/sh\n'
                f'cat {folder}/class/*/game {folder}/class/ben/game '
                f'{folder}/course/answers\necho judged\n',
                'course/answers': 'answers\n',
                'class/ann/game': 'of ann\n',
                'class/ben/game': 'of ben\n',
            },
        )
        judge = folder / 'course' / 'judge'
        judge.chmod(0o755)
        before = snapshot(folder)
        with (
            machine_probed(kind, str(judge), [folder / 'class' / 'ann']) as machine,
            scratch_folder() as scratch,
        ):
            status, printed = output(
                confine(machine.confine, scratch, machine.hidden), [str(judge)]
            )
        lines = re.findall('^(of .*|answers|judged)$', printed.decode(), re.MULTILINE)
        assert (status, lines) == (0, [*answers, 'judged'])
        assert snapshot(folder) == before
    finally:
        shutil.rmtree(folder)


@pytest.mark.skipif(os.uname().machine != 'x86_64', reason='these are the calls of x86-64')
@pytest.mark.skipif(not filter_of_calls(), reason='there is no filter of system calls here')
@pytest.mark.parametrize(
    'source',
    [
        'ctypes.CDLL(None).syscall((1 << 30) + 39)',  # getpid on x32
        # getpid on i386: mov eax, 20; int 0x80; ret
        """code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE, 7)
code.write(bytes.fromhex('b814000000cd80c3'))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()""",
    ],
)
@pytest.mark.parametrize('kind', KINDS, scope='module')
def test_system_calls_of_another_architecture_end_a_program(source, kind, sandbox):
    assert output(sandbox, [sandbox.python, '-c', f'import ctypes, mmap\n{source}'])[0] in (
        -signal.SIGSYS,
        128 + signal.SIGSYS,
    )


EFFECTS = {  # how to see that an attack has succeeded, if it does not say so
    'daemon': lambda grader, submission, mark: (grader / 'results.json').read_text() == mark,
    # The command lines of `unshare` and `sh` also contain the mark.
    'rolling_forks': lambda grader, submission, mark: len(find_marked(mark)) > 2,
    'litters': lambda grader, submission, mark: os.path.exists(f'/tmp/fifo-{mark}'),
    'deletes_its_folder': lambda grader, submission, mark: not submission.exists(),
}

APART = ['--fork', '--pid', '--mount-proc', '--kill-child']  # options of unshare


def alone(submission, words=(sys.executable,), at_end=''):
    """Start an attack without the grader, in a new PID namespace, beside a sleeping process."""
    script = f'sleep 100 & exec 9< /dev/null; "$@"; {at_end}'
    return pexpect.spawn(
        'unshare',
        [
            *APART,
            'sh',
            '-c',
            script,
            'sh',
            *words,
            *(path.name for path in submission.glob('mark*.py')),
        ],
        cwd=str(submission),
        timeout=60,
        env={**os.environ, 'HOME': str(submission), 'TMPDIR': str(submission)},
    )


@pytest.mark.skipif(os.geteuid() != 0, reason='only root has what makes these attacks harmless')
@pytest.mark.parametrize('group', MARKED_GROUPS)
def test_attack_succeeds_alone(group, grader):
    """Each attack succeeds without the grader, so it is the sandbox that makes it fail.

    The attack runs in its own PID namespace, because `kills` and `stops_all` reach all visible
    processes.
    """
    skip_unless_unshared(*APART)
    folder, attacks = grader / 'alone', GROUPS[group]
    holds = ATTACKS[attacks[0]].shown_by
    folder.mkdir()
    with bounded(), aimed(grader, attacks, folder) as (submission, mark):
        try:
            if group == FORMER_RUNS:
                alone(submission).expect(pexpect.EOF)
            # A limit on processes does not apply to root.
            process = alone(
                submission,
                LIMITED if group == 'fork_bomb' else (sys.executable,),
                'echo over; wait' if holds == OUTLIVES else '',
            )
            if holds == GOES_ON:
                with pytest.raises(pexpect.TIMEOUT):
                    process.expect(pexpect.EOF, timeout=0.5)
            elif holds == OUTLIVES:
                process.expect('over')
                while not EFFECTS[group](grader, submission, mark):
                    assert process.isalive()
            elif holds == LEAVES:
                process.expect(pexpect.EOF)
                assert EFFECTS[group](grader, submission, mark)
            else:
                process.expect(f'succeeded: {" ".join(attacks)}\r')
        finally:
            process.kill(signal.SIGKILL)
            process.wait()  # so many processes may take long to end
            process.close()
            for place in [*SHARED, '/', '/dev', '/mnt', grader, *of_all(grader)]:
                for path in Path(place).glob(f'*{mark}'):
                    subprocess.run(['rm', '-rf', '--', str(path)], check=True)
            ctypes.CDLL(None).mq_unlink(f'/{mark}'.encode())
            number = mark.strip('mark')
            subprocess.run(
                ['ipcrm', '-M', number, '-Q', number, '-S', number],
                check=False,
                capture_output=True,
            )
            shutil.rmtree(folder, ignore_errors=True)


def test_folders_that_all_need_are_not_closed(tmp_path):
    """Only folders needed by nobody else are closed.

    Folders with a sticky bit and folders of system tools stay open.
    """
    sticky, needed, own = (tmp_path / name for name in ('sticky', 'needed', 'own'))
    for folder, mode in ((sticky, 0o1777), (needed, 0o755), (own, 0o775)):
        folder.mkdir()
        folder.chmod(mode)
    (own / 'file').write_text('')
    (own / 'file').chmod(0o644)
    paths = [sticky, needed, own, own / 'file']
    with (
        scratch_folder() as scratch,
        closed_to_others(
            [*paths, tmp_path / 'no such'], [needed / 'bin' / 'python', needed], scratch
        ),
    ):
        assert [path.stat().st_mode & 0o7777 for path in paths] == [0o1777, 0o755, 0o700, 0o600]
    assert [path.stat().st_mode & 0o7777 for path in paths] == [0o1777, 0o755, 0o775, 0o644]


def test_a_second_grader_that_closes_folders_waits_for_the_first(tmp_path, monkeypatch):
    """Otherwise, one grader would open what the other still needs closed."""
    monkeypatch.setattr(internals.LOCKED_FOLDER, str(tmp_path))
    monkeypatch.setattr(internals.LOCK_SECONDS, 0)
    outlet, inlet = os.pipe()

    def wait():
        other_user.LOCK_SECONDS = BOUND
        os.write(inlet, b'1')
        with one_at_a_time():
            os.write(inlet, b'2')

    with one_at_a_time():
        with pytest.raises(SandboxError, match='another grader'), one_at_a_time():
            pass
        second = Process(fork(wait))
        assert os.read(outlet, 2) == b'1'
    assert os.read(outlet, 1) == b'2'
    assert second.status(BOUND) == 0
    with one_at_a_time():  # the lock is free again
        os.close(outlet)
        os.close(inlet)


def test_the_next_grader_says_what_a_killed_one_has_left_closed(tmp_path, monkeypatch):
    """It names only what is still closed, and its command opens that."""
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path / 'tmp'))
    folders = [tmp_path / name for name in ('tmp', "ann's", 'ben', 'opened', 'gone')]
    for folder in folders:
        folder.mkdir()
        folder.chmod(0o755)
    (tmp_path / 'file').touch(0o644)

    def grade():
        closed = [*folders[1:], tmp_path / 'file']
        with scratch_folder() as scratch, closed_to_others(closed, [], scratch):
            os.kill(os.getpid(), signal.SIGKILL)

    assert Process(fork(grade)).status(BOUND) == -signal.SIGKILL
    modes = [path.stat().st_mode & 0o777 for path in (*folders[1:], tmp_path / 'file')]
    assert modes == [0o700] * 4 + [0o600]
    folders[3].chmod(0o755)
    folders[4].rmdir()
    remove_abandoned()  # as a worker does: it says nothing, and leaves the list
    notes = []
    remove_abandoned(notes.append)
    (note,) = notes
    command = note.partition('To open them, type: ')[2]
    assert str(folders[3]) not in command
    assert str(folders[4]) not in command
    subprocess.run(['sh', '-c', command], check=True)
    assert [path.stat().st_mode & 0o777 for path in folders[1:3]] == [0o755] * 2
    assert (tmp_path / 'file').stat().st_mode & 0o777 == 0o644
    remove_abandoned(notes.append)
    assert len(notes) == 1
    assert list(folders[0].iterdir()) == []


BUSY = 'while True: pass'


def processor_seconds(processes):
    """Return the processor time of some processes and their ended children, in seconds."""
    # The fields are utime, stime, cutime and cstime.
    ticks = sum(int(field) for process in processes for field in stat_fields(process)[11:15])
    return ticks / os.sysconf('SC_CLK_TCK')


@pytest.mark.alone
@pytest.mark.skipif(not os.path.exists('/proc/self/autogroup'), reason='sessions get no shares')
@pytest.mark.parametrize('kind', KINDS)
def test_busy_sessions_leave_the_processors_to_others(kind):
    """200 busy sessions of a program get little more than eight programs with a session each.

    Eight of its sessions keep a full share of the processors, and all others get one together.
    Without this, the program would get some 25 times as much as the others.
    """
    source = f'{SHARED_BY_ALL}{ATTACKS["busy_sessions"].source}\nattack()'
    with scratch_folder() as scratch, bounded():
        sandbox = confine(kind, scratch)
        attacker = Program([sandbox.python, '-c', source], write_files(scratch / 'one', {'a': ''}))
        # They are here before the run, so they are not taken for processes of the run.
        others = [
            subprocess.Popen([sys.executable, '-c', BUSY], start_new_session=True) for _ in range(8)
        ]
        numbers = [other.pid for other in others]
        try:
            with running(attacker, sandbox, 200) as run:
                # This takes some seconds, because only few sessions may be changed in a second.
                while list(run._watch._nice.values()).count(LOWEST) < 190:
                    assert run.read(0.5) is None
                before = processor_seconds(run.processes), processor_seconds(numbers)
                run.read(3)
                after = processor_seconds(run.processes), processor_seconds(numbers)
        finally:
            for other in others:
                other.kill()
                other.wait()
        assert after[0] - before[0] < 3 * (after[1] - before[1])
