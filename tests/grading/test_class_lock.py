"""What the machine did is nobody's fault: what was disturbed is played once more, alone."""

import json
import os
import signal
import threading
import types
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock, patch

import pytest
from assigned import settings_for
from graders import FULL, RIGHT, TRANSCRIPTS, graded, submission
from independent import OTHELLO, write_modules
from running import SECONDS, short_patience, wait_for

from grading import workers
from grading.batch import Task, grade_one_of_many
from grading.limits import Limits
from grading.player import MOST_CONFIRMED, Player
from grading.reports.results import UNGRADED
from grading.sandbox.kernel import Process, fork
from grading.sandbox.kinds import Sandbox
from grading.sandbox.processes import descendants, processor_seconds
from grading.sandbox.program import StartError
from grading.sessions.class_lock import (
    CLAIM,
    CLASS,
    LATER,
    LONG,
    OVER,
    ClassLock,
    locked,
    processors,
)
from grading.sessions.run import running

FEW = TRANSCRIPTS[:3]
SETTINGS = settings_for('few', [(one.name, '\n'.join(one.lines)) for one in FEW], confine='none',
                        timeout=SECONDS)
# Does something in its first run alone, and notes each.
AT_FIRST = """
import os, time
with open({path!r}, 'a') as log:
    log.write('run\\n')
    is_first = log.tell() == 4
if is_first:
    {does}
"""


@pytest.fixture(autouse=True)
def short_of_time(monkeypatch):
    monkeypatch.setattr('grading.sessions.play.GRACE_SECONDS', 0.1)


def entering(lock, way):
    """Start somebody who enters a lock; return the thread, and the event that he has entered."""
    is_in = threading.Event()

    def enter():
        with getattr(lock, way)():
            is_in.set()

    thread = threading.Thread(target=enter, daemon=True)
    thread.start()
    return thread, is_in


def waits(lock, way):
    """Return whether somebody has to wait, while what holds him up goes on."""
    return not entering(lock, way)[1].wait(0.2)


def long_lock(folder, had=LONG, **words):
    """Return the lock of a submission that no longer holds a place: it has had so many seconds."""
    lock = ClassLock(folder, **words)
    lock._begin -= had
    return lock


def test_turns_are_shared_or_had_alone(tmp_path):
    """One alone waits for those that run, and those that come wait for it; that is counted."""
    late = ClassLock(tmp_path)
    with ClassLock(tmp_path).shared():
        with ClassLock(tmp_path).shared():          # beside it
            writer, is_alone = entering(ClassLock(tmp_path), 'alone')
        assert not is_alone.wait(0.2)
    writer.join(SECONDS)
    with ClassLock(tmp_path).alone():
        reader, is_beside = entering(late, 'shared')
        assert not is_beside.wait(0.2)
    reader.join(SECONDS)
    assert is_alone.is_set()
    assert is_beside.is_set()
    assert late.waited >= 0.1
    assert ClassLock().waited == 0


def test_who_wants_to_be_alone_keeps_nobody_from_starting(tmp_path):
    """Nor from going on; only those wait for him who have had much more time."""
    with ExitStack() as class_:
        assert locked(class_, tmp_path / CLASS, alone=True)     # some have not begun
        assert waits(ClassLock(tmp_path), 'alone')
        assert not waits(ClassLock(tmp_path), 'shared')
        assert not waits(long_lock(tmp_path, 2 * LATER), 'shared')
    with ClassLock(tmp_path).shared():
        assert waits(ClassLock(tmp_path), 'alone')
        assert not waits(ClassLock(tmp_path), 'shared')
        assert not waits(long_lock(tmp_path), 'shared')
        assert waits(long_lock(tmp_path, 2 * LATER), 'shared')


def test_the_next_place_is_for_whoever_has_had_the_least_time(tmp_path, monkeypatch):
    """Whoever was first; and a claim of a process that was killed does not count."""
    monkeypatch.setattr('grading.sessions.class_lock.processors', lambda: 1)
    monkeypatch.setattr('grading.sessions.class_lock.MOST_LONG', 1)
    (tmp_path / f'{CLAIM}{LONG:012.3f}-1').touch()
    order = []

    def enter(had):
        with long_lock(tmp_path, had).shared():
            order.append(had)

    threads = [threading.Thread(target=enter, args=[had], daemon=True) for had in (20, 10)]
    with long_lock(tmp_path).shared():
        for number, thread in enumerate(threads, 1):
            thread.start()
            wait_for(lambda number=number: len(list(tmp_path.glob(f'{CLAIM}*'))) >= number)
    for thread in threads:
        thread.join(SECONDS)
    assert order == [10, 20]


def test_who_has_had_his_time_runs_in_one_of_a_few_seats(tmp_path, monkeypatch):
    monkeypatch.setattr('grading.sessions.class_lock.processors', lambda: 1)
    monkeypatch.setattr('grading.sessions.class_lock.MOST_LONG', 2)
    with long_lock(tmp_path).shared():
        assert not waits(long_lock(tmp_path), 'shared')
        with long_lock(tmp_path).shared():
            assert waits(long_lock(tmp_path), 'shared')
            assert not waits(ClassLock(tmp_path), 'shared')


def test_waiting_counts_once_all_have_begun_and_ends_with_the_time(tmp_path):
    with ClassLock(tmp_path).shared():
        (tmp_path / OVER).write_text('0')
        late = ClassLock(tmp_path, 30, whole=0.1)
        with late.alone():
            assert late.waited == 0


def burn():
    while True:
        pass


def test_who_has_used_up_his_time_gets_the_lowest_priority(monkeypatch):
    """With all that he has started, but not the grader's own session."""
    child = Process(fork(lambda: (os.fork() or burn(), signal.pause())))
    try:
        wait_for(lambda: descendants(child.number))
        both = [child.number, *descendants(child.number)]
        for used, priority in ((0, os.getpriority(os.PRIO_PROCESS, 0)), (0.01, 19)):
            monkeypatch.setattr(workers, 'LONG', used or workers.LONG)
            while processor_seconds(both) < used:
                pass
            workers.give_way({None: (types.SimpleNamespace(pid=child.number), None, 0)})
            assert {os.getpriority(os.PRIO_PROCESS, one) for one in both} == {priority}
        groups = [Path(f'/proc/{number}/autogroup') for number in (child.number, 'self')]
        if groups[0].exists():
            assert [one.read_text().endswith('nice 19\n') for one in groups] == [True, False]
    finally:
        child.end()


# What a program does in its first run; whether others can use up the processes; the points that it
# costs, and how many runs more there are.
DISTURBED = {
    'silent': ('time.sleep(600)', False, 0, 1),
    'killed': ('os.kill(os.getpid(), 9)', False, 0, 1),
    'an exit among others': ('raise SystemExit(1)', True, 0, 1),
    'an exit that nobody else can cause': ('raise SystemExit(1)', False, 1, 0),
}


@pytest.mark.parametrize('what', DISTURBED)
def test_a_session_that_was_disturbed_costs_nothing(what, tmp_path):
    does, is_shared, points, more = DISTURBED[what]
    log = tmp_path / 'log'
    source = AT_FIRST.format(path=str(log), does=does) + OTHELLO
    with patch.object(Sandbox, 'shares_processes', is_shared):
        results = graded(tmp_path / 'one', source, FEW,
                         timeout=short_patience() if what == 'silent' else SECONDS)
    assert [test['output'] != '' for test in results['tests']].count(True) == points
    assert results['score'] == len(FEW) - points
    assert len(log.read_text().split()) == len(FEW) + more


def test_what_hangs_alone_too_is_repeated_twice_at_most(tmp_path):
    with patch.object(Player, '_play_once', autospec=True, side_effect=Player._play_once) as play:
        results = graded(tmp_path / 'one', 'import time\ntime.sleep(600)', FEW, timeout=0.1,
                         limits=Limits(hanging=SECONDS))
    assert results['score'] == 0
    assert play.call_count == len(FEW) + MOST_CONFIRMED


# Two programs of a class: one holds a file locked while it plays, the first time until the other
# has met it; the other, wherever it finds it locked, is killed, as if the first had taken all of
# the machine.
HOLDS = """
import fcntl, os, time
held = open({path!r}, 'w')
fcntl.flock(held, fcntl.LOCK_SH)
while not os.path.exists({path!r} + '-disturbed'):
    time.sleep(0.01)
"""
NEEDS = """
import fcntl, os, time
is_first = not os.path.exists({path!r} + '-disturbed')
while True:
    with open({path!r}, 'w') as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            open({path!r} + '-disturbed', 'a').close()
            os.kill(os.getpid(), 9)
    if not is_first:
        break
    time.sleep(0.01)
"""


@pytest.mark.skipif(processors() < 2, reason='only one program runs at a time')
def test_one_program_costs_another_nothing(tmp_path, grader):
    path = str(tmp_path / 'file')
    sources = [submission(tmp_path, name, source.format(path=path) + RIGHT)
               for name, source in (('holds', HOLDS), ('needs', NEEDS))]
    status, lines, errors = grader.grade(*sources, '--timeout', str(SECONDS))
    assert os.path.exists(path + '-disturbed')
    assert status == 0, (lines, errors)
    assert {row['score'] for row in grader.grades().values()} == {str(FULL)}


# It is killed unless the grader lets nothing else run.
PLAYS_ALONE = """
import fcntl, os
with open({path!r}) as course:
    try:
        fcntl.flock(course, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        pass
    else:
        os.kill(os.getpid(), 9)
"""


def test_what_is_disturbed_in_each_session_is_played_alone_in_each(tmp_path):
    source = PLAYS_ALONE.format(path=str(tmp_path / 'course')) + OTHELLO
    results = graded(tmp_path / 'one', source, FEW, lock_folder=tmp_path)
    assert results['score'] == len(FEW) > MOST_CONFIRMED


failing = Mock(side_effect=StartError('no process for it'))


def test_a_start_that_fails_costs_nothing(tmp_path, monkeypatch):
    ways = [running, failing]
    monkeypatch.setattr('grading.player.running',
                        lambda *words: (ways.pop() if ways else running)(*words))
    assert graded(tmp_path / 'one', OTHELLO, FEW)['score'] == len(FEW)
    assert not ways


def task_of(folder, source):
    """Return the task of grading a program of one module."""
    return Task('one', write_modules(folder / 'one', othello=source), SETTINGS,
                folder / 'out' / 'one')


def check_ungraded(task, why):
    results, written = grade_one_of_many(task), json.loads(task.path.read_text())
    assert (results.score, results.exit_status) == (None, UNGRADED)
    assert why in results.output
    assert why in written['output']
    assert written['output'].startswith('ended by ')
    assert 'fingerprint' not in written['extra_data']


def test_what_cannot_be_started_is_not_graded(tmp_path, monkeypatch):
    """Nor is it with a full disk; and it is graded when the grader is started again."""
    task = task_of(tmp_path, OTHELLO)
    with monkeypatch.context() as context:
        context.setattr('grading.player.running', failing)
        check_ungraded(task, 'the program cannot be started: ')
    full = replace(SETTINGS, limits=Limits(free_disk=1 << 80))
    check_ungraded(replace(task, settings=full), 'the disk of this machine is full')
    assert grade_one_of_many(task).score == len(FEW)


def test_a_full_disk_does_not_end_a_class(tmp_path, monkeypatch):
    """A program may fill it just when the grader notes that all have begun."""
    monkeypatch.setattr(workers, 'write_whole', Mock(side_effect=OSError(28, 'full')))
    task = task_of(tmp_path, OTHELLO)
    task = replace(task, settings=replace(task.settings, lock_folder=tmp_path))
    assert [results.score for results in workers.grade_all([task])] == [len(FEW)]


class Killed(Mock):
    """A run that the system is said to have ended, being short of memory."""

    was_killed_by_system = was_memory_short = True


def test_what_the_system_has_killed_for_want_of_memory_is_not_graded(tmp_path, monkeypatch):
    task = task_of(tmp_path, 'raise SystemExit(9)')
    check = Player._check_shortage
    monkeypatch.setattr(Player, '_check_shortage', lambda self, run, difference: check(
        self, Killed(), difference))
    with patch.object(Sandbox, 'has_room', return_value=False):
        check_ungraded(task, 'too little memory')
    # Alone on a machine that had room for all that it may hold, the program is to blame.
    monkeypatch.setattr(Player, '_machine_may_be_at_fault', lambda self, difference: True)
    with patch.object(Sandbox, 'has_room', return_value=True):
        assert grade_one_of_many(task).score == 0
    tests = json.loads(task.path.read_text())['tests']
    assert 'used more memory than the machine has' in tests[0]['output']


def test_a_build_that_was_disturbed_costs_nothing(tmp_path):
    """A second one stands; of one that fails twice, the second complaint is told."""
    mark = tmp_path / 'mark'
    for build, expected in ((f'mkdir {mark} && exit 1; exit 0', 1), ('exit 1', 0)):
        results = graded(tmp_path / 'one', OTHELLO, FEW[:1], build=build)
        assert results['score'] == expected


# Whatever it does alone, it first falls silent; alone it prints what is right, a character a time.
TRICKLES_ALONE = """
import fcntl, sys, time
with open({path!r}) as course:
    try:
        fcntl.flock(course, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        pass
    else:
        time.sleep(600)
for character in "FULL\\n":
    print(end=character, flush=True)
    time.sleep({pause})
"""


def test_nobody_is_alone_for_longer_than_the_limit(tmp_path):
    """Silence among others earns time alone; what is silent or slow alone uses it up."""
    patience = short_patience()
    source = TRICKLES_ALONE.format(path=str(tmp_path / 'course'), pause=patience / 2)
    lock = ClassLock(tmp_path, patience)
    with patch('grading.grader.ClassLock', return_value=lock):
        results = graded(tmp_path / 'one', source, FEW[:2], timeout=patience,
                         limits=Limits(hanging=SECONDS))
    kinds = [test['extra_data']['example']['kind'] for test in results['tests']]
    assert kinds == ['silent'] * 2
    assert lock.seconds_left == 0


def test_a_build_that_fails_is_not_alone_for_longer_than_the_limit(tmp_path):
    """Its first complaint is told, not that of the time when it was cut."""
    mark = tmp_path / 'mark'
    results = graded(tmp_path / 'one', OTHELLO, FEW[:1], limits=Limits(alone=0.5),
                     build=f'mkdir {mark} && exit 7; sleep 600')
    assert results['tests'][0]['output'].startswith('the build failed, exit status 7:')
