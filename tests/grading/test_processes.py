"""Right programs get all points, whatever threads, processes and IPC they use."""

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from graders import graded, run_grader_here
from programs import write_files
from right_programs import LOCALHOST, QUEUES, RIGHT_PROGRAMS, SESSION, SYSTEM_V
from running import rest_long
from sandboxes import ALL_KINDS, KINDS, skip_unless_confined, works

from grading.sandbox import control_groups, kinds, usage
from grading.sandbox.calls import filter_of_calls
from grading.sandbox.choose import confine, output
from grading.sandbox.program import is_inside
from grading.sandbox.scratch import scratch_folder
from grading.sandbox.view import SYSTEM

QUICK = [name for name, right in RIGHT_PROGRAMS.items() if right.is_quick]
# Seconds. A JVM, or a program with 100 threads, may be slow to start on a busy machine.
PATIENCE = 30


def skip_unless_it_runs(language):
    """Skip a test if a language is not installed here, or only in a folder of the user."""
    if not is_inside(Path(shutil.which(language.tool) or language.tool).absolute(), SYSTEM):
        pytest.skip(f'there is no {language.tool}, or it is in a folder of the user')


def is_allowed(need, kind):
    """Return whether a kind of sandbox allows what a program needs, by the table of the manual."""
    is_grouped = control_groups.tree_for_runs() is not None
    return (
        kind == 'none'
        or {
            '': True,
            LOCALHOST: kind == 'bwrap',
            QUEUES: kind == 'bwrap' or os.path.ismount('/dev/mqueue'),
            SYSTEM_V: kind == 'user' or is_grouped or (os.geteuid() == 0 and usage.can_limit()),
        }[need]
    )


def check(name, kind, folder):
    """Check that a right program gets all points, or that the report names what is refused."""
    right = RIGHT_PROGRAMS[name]
    skip_unless_it_runs(right.language)
    results = graded(
        write_files(folder / 'one', right.files),
        None,
        None,
        game='squares',
        sessions=(('squares.txt', SESSION),),
        confine=kind,
        timeout=PATIENCE,
        trusts_looks=False,
        build=right.language.build,
        command=right.language.command,
    )
    if is_allowed(right.needs, kind):
        assert [test['output'] for test in results['tests']] == ['']
        assert results['score'] == 1
    else:
        assert results['score'] == 0
        assert 'before this, the sandbox refused: ' in results['tests'][0]['output']


@pytest.mark.parametrize('name', QUICK)
def test_a_right_program_gets_all_points(name, tmp_path):
    check(name, 'bwrap' if works('bwrap') else 'none', tmp_path)


@pytest.mark.long
@pytest.mark.parametrize('name', RIGHT_PROGRAMS)
@pytest.mark.parametrize('kind', ALL_KINDS)
def test_a_right_program_gets_all_points_in_each_sandbox(kind, name, tmp_path):
    check(name, kind, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize('name', RIGHT_PROGRAMS)
def test_a_right_program_gets_all_points_at_home(name, tmp_path):
    """Students start their own programs in the current folder, without a sandbox."""
    right = RIGHT_PROGRAMS[name]
    skip_unless_it_runs(right.language)
    write_files(tmp_path, {**right.files, 'squares/squares.txt': SESSION})
    if right.language.build:
        assert not os.waitstatus_to_exitcode(
            os.system(f'cd {tmp_path} && {right.language.build}')  # as in a terminal
        )
    status, output, errors = run_grader_here(
        'grade', 'squares', '--command', right.language.command, folder=tmp_path
    )
    assert (status, errors) == (0, '')
    assert 'passed  1 session' in output


# For each program that ignores an error: what the report says is refused.
REFUSED = {
    """
import os
number = int(input())
try:
    os.memfd_create('square')
    print(number ** 2)
except OSError:
    input()
""": 'memfd_create (EPERM)',
    """
import ctypes, threading
number = int(input())
thread = threading.Thread(target=lambda: print(
    number ** 2 if ctypes.CDLL(None).inotify_init1(0) >= 0 else -1))
thread.start()
thread.join()
""": 'inotify_init1 (EPERM)',
    """
import threading, time
number, held = int(input()), threading.Event()
threading.stack_size(1 << 16)
try:
    for _ in range(300):
        threading.Thread(target=held.wait, daemon=True).start()
    print(number ** 2)
except RuntimeError:
    time.sleep(600)
""": 'more than 256 processes and threads (EAGAIN)',
}
needs_filter = pytest.mark.skipif(not filter_of_calls(), reason='no call is refused here')


@needs_filter
@pytest.mark.parametrize('source', rest_long(REFUSED, 2))
@pytest.mark.parametrize('kind', KINDS)
def test_the_report_names_what_is_refused(kind, source, tmp_path):
    results = graded(
        tmp_path / 'one',
        source,
        None,
        game='squares',
        sessions=(('squares.txt', '7\n|49\n'),),
        confine=kind,
        timeout=5,
        trusts_looks=False,
        here=True,
    )
    output = results['tests'][0]['output']
    assert f'before this, the sandbox refused: {REFUSED[source]}' in output
    (finding,) = results['extra_data']['findings']
    assert finding['sentence'] == f'fails after the sandbox refuses {REFUSED[source]}'


@needs_filter
def test_what_is_refused_in_a_hidden_session_stays_hidden(tmp_path):
    """Otherwise a program could tell what it reads there by the calls that it makes."""
    skip_unless_confined()
    results = graded(
        tmp_path / 'one',
        next(iter(REFUSED)),
        None,
        game='squares',
        sessions=(('squares.txt', '# hidden\n7\n|49\n'),),
        confine='auto',
        timeout=5,
        trusts_looks=False,
        here=True,
    )
    assert 'memfd_create' not in str(results)


@needs_filter
@pytest.mark.parametrize(
    ('source', 'refused'), [*[*REFUSED.items()][:2], ('print(int(input()) ** 2)', '')]
)
def test_record_warns_of_what_the_sandbox_refuses(source, refused, tmp_path):
    if not works('auto'):
        pytest.skip('programs cannot be confined here')
    write_files(tmp_path, {'main.py': source, 'squares/squares.txt': '7\n'})
    status, output, errors = run_grader_here(
        'record',
        '--command',
        f'{shlex.quote(sys.executable)} main.py',
        'squares/squares.txt',
        folder=tmp_path,
    )
    assert (status, errors) == (0, '')
    assert (tmp_path / 'squares/squares.txt').read_text() == '7\n|49\n'
    warning = f'; WARNING: the program fails in the sandbox of submissions, which refuses {refused}'
    assert ('WARNING' in output) == bool(refused)
    assert not refused or warning in output


SHOWN = """
import multiprocessing, os
print(multiprocessing.cpu_count(), len(os.sched_getaffinity(0)))
print(open('/proc/stat').read().count('cpu') - 1)
"""


@pytest.mark.parametrize('kind', KINDS)
def test_a_run_sees_only_some_of_many_processors(kind, monkeypatch):
    """Many programs start a process for each processor."""
    monkeypatch.setattr(kinds, 'MAX_PROCESSORS', 1)
    with scratch_folder() as scratch:
        sandbox = confine(kind, scratch)
        status, printed = output(sandbox, [sandbox.python, '-c', SHOWN])
    processors, allowed, listed = map(int, printed.split())
    assert (status, allowed) == (0, 1)
    # In the kind `user`, a program sees the machine's own list.
    assert (processors, listed) == ((1, 1) if kind == 'bwrap' else (os.cpu_count(),) * 2)


def test_other_runs_have_other_processors(monkeypatch):
    """Each run has some of the processors by chance, so that a class uses all of them."""
    monkeypatch.setattr(os, 'sched_getaffinity', lambda process: set(range(100, 228)))
    chosen = []
    monkeypatch.setattr(os, 'sched_setaffinity', lambda process, own: chosen.append({*own}))
    for _ in range(200):
        kinds.share_processors()
    assert {len(own) for own in chosen} == {8}
    assert set.union(*chosen) == set(range(100, 228))
