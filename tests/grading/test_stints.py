"""Submissions of a class do not disturb each other, and the time of each is limited."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import Mock, patch

import internals
import pytest
from assigned import settings_for
from graders import (
    FULL,
    RIGHT,
    TRANSCRIPTS,
    command_of_grader,
    explained_here,
    graded,
    grader_forked,
    submission,
)
from programs import OTHELLO, write_files
from running import SECONDS, child_environment, rest_long, short_patience, wait_for
from sandboxes import KINDS, bounded, find_marked, skip_unless_confined, skip_unless_unshared

from grading.engine.grade import MIN_HUNG, sandbox_probed
from grading.engine.retries import MAX_CONFIRMED
from grading.engine.stints import Stint, next_stint
from grading.installation import ROOT
from grading.limits import Limits
from grading.reports.results_json import write_whole
from grading.results import UNGRADED, Results
from grading.sandbox.choose import as_in_terminal, confine, interpreter_in, output
from grading.sandbox.kinds import Sandbox
from grading.sandbox.program import Program, SandboxError, StartError
from grading.sandbox.scratch import remove_abandoned, scratch_folder
from grading.sessions.play import GRACE_SECONDS, Experience, play
from grading.sessions.run import Run, running
from grading.sessions.transcript import parse
from grading.sessions.verdict import Dialogue, PlayedSession, Turn
from grading.sessions.waiting import ProcessorTime
from grading.settings import Options
from grading.workers import class_processes
from grading.workers.task import Task, grade_one_of_many, grade_task

graded = partial(graded, here=True)
FEW = TRANSCRIPTS[:3]
SETTINGS = settings_for(
    'few',
    [(session.name, '\n'.join(session.lines)) for session in FEW],
    confine='none',
    where=False,
    timeout=SECONDS,
)
# Logs each run in a file, and does something extra in the first run.
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
    monkeypatch.setattr(internals.GRACE_SECONDS, 0.1)


# Who gets a stint: decided without a machine.


def run_class(needs, most, quick=5.0):
    """Play a class on a clock of its own; return when each submission was done, and its stints.

    `needs` maps the names of the submissions to the seconds of their stints, by kind. A submission
    asks for its next stint when one ends; a quick stint ends after `quick` seconds at the latest.
    """
    waiting = [(name, 'quick') for name in needs]
    running, done, order, now, before = [], {}, [], 0.0, 'quick'
    while waiting or running:
        number = next_stint(
            [kind for _, kind in waiting], [kind for *_, kind in running], most, before
        )
        if number is None:
            now, name, kind = min(running)
            running.remove((now, name, kind))
            kinds = [*needs[name]]
            following = kinds[kinds.index(kind) + 1 :]
            if following:
                waiting.append((name, following[0]))
            else:
                done[name] = now
            continue
        name, before = waiting.pop(number)
        seconds = needs[name][before]
        ends = now + (min(seconds, quick) if before == 'quick' else seconds)
        running.append((ends, name, before))
        order.append((name, before))
        assert len(running) <= most
        assert len(running) == 1 or all(kind != 'alone' for *_, kind in running)
    return done, order


HANGS = {'quick': 600, 'slow': 230, 'alone': 10}


@pytest.mark.parametrize('most', [1, 2, 8])
def test_what_hangs_delays_the_others_by_its_quick_stint(most):
    names = [*(f'hangs-{number}' for number in range(16)), *(f'right-{n:02}' for n in range(24))]
    needs = {name: HANGS if name.startswith('hangs') else {'quick': 1} for name in names}
    done, order = run_class(needs, most)
    last = max(seconds for name, seconds in done.items() if name.startswith('right'))
    assert last <= (16 * 5 + 24 * 1) / most + 5
    assert [name for name, kind in order if kind == 'quick'] == names
    kinds = [kind for _, kind in order]
    assert kinds == ['quick'] * 40 + ['slow'] * 16 + ['alone'] * 16


def test_all_that_wait_to_run_alone_do_so_before_others_run_again():
    """What submissions ask for after their stints alone can then run at the same time."""
    assert next_stint(['alone', 'slow', 'alone'], [], 2, before='alone') == 0
    assert next_stint(['alone', 'slow', 'alone'], [], 2, before='slow') == 1
    assert next_stint(['alone', 'quick'], [], 2, before='alone') == 1
    assert next_stint(['alone'], ['slow'], 2, before='alone') is None
    assert next_stint(['slow'], ['alone'], 2) is None
    assert next_stint([], [], 2) is None


# Which stints a submission asks for, and what it plays in them.

# Plays right, but starts slowly in its second and third run.
STARTS_SLOWLY = """
import os, time
with open({path!r}, 'a') as log:
    log.write('run\\n')
    runs = log.tell() // 4
if runs in (2, 3):
    time.sleep(2)
"""
MISSPELLS = OTHELLO.replace("'VALID'", "'Valid'")


def graded_in_stints(folder, source, kind='quick', **options):
    """Grade a program; return the results, and the stints it asked for."""
    asked = []
    task = task_of(folder, source)
    options = replace(task.options, **options)
    with explained_here():
        return grade_task(
            replace(task, options=options, folder=None), stint=Stint(kind, asked.append)
        ), asked


def test_a_right_program_needs_one_quick_stint(tmp_path):
    results, asked = graded_in_stints(tmp_path, OTHELLO, limits=Limits(quick=SECONDS))
    assert (results.score, asked) == (len(FEW), [])


def test_a_wrong_line_is_final_and_explained_in_a_slow_stint(tmp_path):
    results, asked = graded_in_stints(tmp_path, MISSPELLS, limits=Limits(quick=SECONDS))
    assert (asked, bool(results.findings)) == (['slow'], True)


def test_what_a_quick_stint_is_too_short_for_is_played_anew_in_a_slow_stint(tmp_path, monkeypatch):
    """What has been played stays; the session is played anew, with all limits in full."""
    log = tmp_path / 'log'
    monkeypatch.setattr(internals.FIRST_SILENCE, 1)
    source = STARTS_SLOWLY.format(path=str(log)) + OTHELLO
    results, asked = graded_in_stints(tmp_path, source, limits=Limits(quick=SECONDS))
    assert (results.score, asked) == (len(FEW), ['slow'])
    assert len(log.read_text().split()) == len(FEW) + 1


def test_a_quick_stint_lasts_as_long_as_the_limit(tmp_path):
    results, asked = graded_in_stints(tmp_path, OTHELLO, limits=Limits(quick=0.01))
    assert (results.score, asked) == (len(FEW), ['slow'])


@pytest.mark.parametrize(('line', 'runs'), [('No', 1), ('FULL', len(FEW))])
def test_a_quick_stint_is_shorter_while_nothing_right_has_come(line, runs, tmp_path, monkeypatch):
    monkeypatch.setattr(internals.FIRST_SILENCE_IN_ALL, 0)
    log, before = tmp_path / 'log', []
    task = task_of(tmp_path, f'open({str(log)!r}, "a").write("run\\n")\nprint({line!r})\n')
    options = replace(task.options, limits=Limits(quick=SECONDS))
    with explained_here():
        grade_task(
            replace(task, options=options, folder=None),
            stint=Stint('quick', lambda kind: before.append(len(log.read_text().split()))),
        )
    assert before[0] == runs


def test_a_build_that_takes_longer_is_done_anew_in_a_slow_stint(tmp_path):
    results, asked = graded_in_stints(
        tmp_path, OTHELLO, build='sleep 1', command='python3 othello.py', limits=Limits(quick=0.5)
    )
    assert (results.score, asked) == (len(FEW), ['slow'])


def test_a_failure_in_doubt_is_played_again_alone_at_the_end(tmp_path):
    log = tmp_path / 'log'
    source = AT_FIRST.format(path=str(log), does='os.kill(os.getpid(), 9)') + OTHELLO
    results, asked = graded_in_stints(tmp_path, source, limits=Limits(quick=SECONDS))
    assert (results.score, asked) == (len(FEW), ['alone'])
    assert len(log.read_text().split()) == len(FEW) + 1


def test_a_submission_that_is_graded_alone_asks_for_no_other_stint(tmp_path):
    results, asked = graded_in_stints(tmp_path, SLEEPS, kind='alone', timeout=short_patience())
    assert (results.score, asked) == (0, [])


def test_waiting_for_a_stint_does_not_count(tmp_path):
    stint = Stint('quick', lambda kind: time.sleep(1))
    begin = time.monotonic()
    with explained_here():
        results = grade_task(task_of(tmp_path, MISSPELLS), stint=stint)
    assert stint.waited >= 1
    assert results.execution_time <= time.monotonic() - begin - stint.waited


# What hangs costs little.


def test_a_loop_has_had_its_time_and_is_not_played_again(tmp_path):
    """A thread that has used a processor for as long as it may be silent needs no second try."""
    log = tmp_path / 'log'
    source = AT_FIRST.format(path=str(log), does='pass') + 'while True: pass\n'
    results = graded(tmp_path / 'one', source, FEW, timeout=0.5)
    runs = len(log.read_text().split())
    assert results['score'] == 0
    # On a busy machine, the loop may not get its time; then it is played again.
    assert MIN_HUNG <= runs <= MIN_HUNG + MAX_CONFIRMED


def test_a_busy_program_gets_its_time_on_a_busy_machine(tmp_path, monkeypatch):
    """A silence lasts longer while a busy program has not had its time, but not forever."""
    used = iter([0.6, 0.8, 1.0])
    monkeypatch.setattr(ProcessorTime, 'of_busiest', property(lambda _: next(used, 1.0)))
    source = write_files(tmp_path / 'one', {'main.py': 'import time\ntime.sleep(600)\n'})
    with scratch_folder() as scratch:
        program = Program([sys.executable, 'main.py'], source)
        with running(program, confine('none', scratch), SECONDS) as run:
            done = play(parse('|Go\n', 'a'), run, Experience(1.0))
    assert (done.is_settled, done.dialogue.turns[0].was_busy) == (True, True)


def test_after_a_loop_other_silences_are_short():
    experience = Experience(5)
    looped = PlayedSession(parse('|x\n', 'a'), Dialogue([Turn(was_busy=True)]), None)
    assert (experience.patience, experience.first_patience) == (5, 5)
    experience.note(looped)
    assert (experience.patience, experience.first_patience) == (1, 1)


# Classes on this machine.


def test_the_oldest_waiting_submissions_start_over(tmp_path, monkeypatch):
    """If too many submissions wait for a stint, some are stopped, and start over in a slow one."""
    log = tmp_path / 'log'

    def work(task, kind, grader):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, class_processes.ENDING_SIGNALS)
        grader.recv()
        with log.open('a') as file:
            file.write(f'{task.name} {kind}\n')
        if kind == 'quick':
            grader.send('slow')
            grader.recv()
        grader.send(Results(task.name, 1))

    for name, value in {'processors': lambda: 1, 'MAX_WAITING': 1, 'work': work}.items():
        monkeypatch.setattr(class_processes, name, value)
    names = ['one', 'two', 'three']
    results = [*class_processes.grade_all([Task(name, None, *SETTINGS) for name in names])]
    assert {result.submission: result.score for result in results} == dict.fromkeys(names, 1)
    assert len(results) == len(names)
    assert log.read_text().splitlines() == [
        'one quick',
        'two quick',
        'three quick',
        'one slow',
        'two slow',
    ]


def test_a_process_that_waits_gets_a_stint_if_no_other_can_be_started(tmp_path, monkeypatch):
    """Without any process, there is no grade; nobody gets 0 points."""
    started = []

    def work(task, kind, grader):
        grader.recv()
        grader.send('alone')
        grader.recv()
        grader.send(Results(task.name, 1))

    def start_one(worker, real=class_processes.start):
        if started:
            raise BlockingIOError(11, 'no process')
        started.append(worker)
        real(worker)

    monkeypatch.setattr(class_processes, 'work', work)
    monkeypatch.setattr(class_processes, 'start', start_one)
    tasks = [Task(name, None, *SETTINGS) for name in ('one', 'two')]
    scores = {result.submission: result.score for result in class_processes.grade_all(tasks)}
    assert scores == {'one': 1, 'two': None}


# For each case: what a program does in its first run, whether other programs can use up the
# processes, the points lost, and the number of extra runs.
DISTURBED = {
    'silent': ('time.sleep(600)', False, 0, 1),
    'killed': ('os.kill(os.getpid(), 9)', False, 0, 1),
    'an exit among others': ('raise SystemExit(1)', True, 0, 1),
    'an end among others': ('raise SystemExit', True, 0, 1),
    'an exit that nobody else can cause': ('raise SystemExit(1)', False, 1, 0),
}


@pytest.mark.parametrize('what', rest_long(DISTURBED, 2))
def test_a_session_that_was_disturbed_costs_nothing(what, tmp_path):
    does, is_shared, points, more = DISTURBED[what]
    log = tmp_path / 'log'
    source = AT_FIRST.format(path=str(log), does=does) + OTHELLO
    with patch.object(Sandbox, 'shares_limits', is_shared):
        results = graded(
            tmp_path / 'one', source, FEW, timeout=short_patience() if what == 'silent' else SECONDS
        )
    assert [test['output'] != '' for test in results['tests']].count(True) == points
    assert results['score'] == len(FEW) - points
    assert len(log.read_text().split()) == len(FEW) + more


@pytest.mark.long
def test_sessions_of_a_program_that_always_hangs_are_repeated_twice_at_most(tmp_path):
    log = tmp_path / 'log'
    results = graded(
        tmp_path / 'one',
        AT_FIRST.format(path=str(log), does='pass') + 'time.sleep(600)',
        FEW,
        timeout=short_patience(),
        limits=Limits(hanging=SECONDS),
    )
    assert results['score'] == 0
    assert len(log.read_text().split()) == MIN_HUNG + MAX_CONFIRMED


# Two programs of a class. The first keeps a file locked while it plays. In its first run, it waits
# until the second has found the file locked. The second kills itself whenever it finds the file
# locked, as if the first had used up the machine.
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


@pytest.mark.long
@pytest.mark.skipif(class_processes.processors() < 2, reason='only one program runs at a time')
def test_one_program_costs_another_nothing(tmp_path, grader):
    path = str(tmp_path / 'file')
    sources = [
        submission(tmp_path, name, source.format(path=path) + RIGHT)
        for name, source in (('holds', HOLDS), ('needs', NEEDS))
    ]
    status, lines, errors = grader.grade(*sources, '--timeout', str(SECONDS))
    assert os.path.exists(path + '-disturbed')
    assert status == 0, (lines, errors)
    assert {row['score'] for row in grader.grades().values()} == {str(FULL)}


failing = Mock(side_effect=StartError('no process for it'))


def test_a_start_that_fails_costs_nothing(tmp_path, monkeypatch):
    ways = [running, failing]
    monkeypatch.setattr(internals.RUNNING, lambda *words: (ways.pop() if ways else running)(*words))
    assert graded(tmp_path / 'one', OTHELLO, FEW)['score'] == len(FEW)
    assert not ways


def task_of(folder, source):
    """Return the task of grading a program with one module."""
    return Task(
        'one',
        write_files(folder / 'one', {'othello.py': source}),
        *SETTINGS,
        folder / 'out' / 'one',
    )


def check_ungraded(task, why):
    results, written = (
        grade_one_of_many(task),
        json.loads((task.folder / 'results.json').read_text()),
    )
    assert (results.score, results.exit_status) == (None, UNGRADED)
    assert why in results.output
    assert why in written['output']
    assert written['output'].startswith('ended early: ')
    assert 'fingerprint' not in written['extra_data']


def test_a_program_that_cannot_be_started_is_not_graded(tmp_path, monkeypatch):
    """If a program cannot be started, or if the disk is full, it is graded the next time."""
    task = task_of(tmp_path, OTHELLO)
    with monkeypatch.context() as context:
        context.setattr(internals.RUNNING, failing)
        check_ungraded(task, 'the program cannot be started: ')
    full = SETTINGS.with_changes(limits=Limits(free_disk=1 << 80))
    check_ungraded(replace(task, options=full.options), "this machine's disk is full")
    assert grade_one_of_many(task).score == len(FEW)


def test_a_program_that_is_killed_for_lack_of_memory_is_not_graded(tmp_path, monkeypatch):
    task = task_of(tmp_path, 'raise SystemExit(9)')
    monkeypatch.setattr(Run, 'was_killed_by_system', True)
    with patch.object(Sandbox, 'has_room', return_value=False), explained_here():
        check_ungraded(task, 'too little memory')
    # If the program ran alone and the machine had enough free memory, it is the program's fault.
    monkeypatch.setattr(Sandbox, 'shares_limits', True)
    with patch.object(Sandbox, 'has_room', return_value=True), explained_here():
        assert grade_one_of_many(task).score == 0
    tests = json.loads((task.folder / 'results.json').read_text())['tests']
    assert 'used more memory than the machine has' in tests[0]['output']


def test_a_build_that_was_disturbed_costs_nothing(tmp_path):
    """A failed build is tried once more, and counts as failed only if it fails again."""
    mark = tmp_path / 'mark'
    for build, expected in ((f'mkdir {mark} && exit 1; exit 0', 1), ('exit 1', 0)):
        results = graded(tmp_path / 'one', OTHELLO, FEW[:1], build=build)
        assert results['score'] == expected


# Prints nothing in its first two runs; later, it prints the right line, but very slowly.
TRICKLES_LATER = """
import os, time
if len(os.listdir({path!r})) < 2:
    open(os.path.join({path!r}, str(os.getpid())), 'w').close()
    time.sleep(600)
for character in "FULL\\n":
    print(end=character, flush=True)
    time.sleep({pause})
"""


@pytest.mark.long
def test_a_program_runs_alone_no_longer_than_the_limit(tmp_path):
    """If a session falls silent, it is played alone until the time alone is used up."""
    patience = short_patience()
    (tmp_path / 'runs').mkdir()
    source = TRICKLES_LATER.format(path=str(tmp_path / 'runs'), pause=patience / 2)
    results = graded(
        tmp_path / 'one',
        source,
        FEW[:2],
        timeout=patience,
        limits=Limits(hanging=SECONDS, alone=patience),
    )
    kinds = [test['extra_data']['example']['kind'] for test in results['tests']]
    assert kinds == ['silent'] * 2


def test_a_build_that_fails_is_not_alone_for_longer_than_the_limit(tmp_path):
    """If the second try of a build exceeds the limit, the report is about the first."""
    mark = tmp_path / 'mark'
    results = graded(
        tmp_path / 'one',
        OTHELLO,
        FEW[:1],
        limits=Limits(alone=0.5),
        build=f'mkdir {mark} && exit 7; sleep 600',
    )
    assert results['tests'][0]['output'].startswith('the build failed with exit status 7:')


# The limits of a submission.

IMPATIENT = Limits(hanging=0, alone=0)
SESSION = ROOT / 'transcripts' / 'othello' / 'worked_example.txt'
SLEEPS = 'import time\ntime.sleep(600)\n'
TRICKLES = """
import sys, time
for character in "FULL":
    sys.stdout.write(character)
    sys.stdout.flush()
    time.sleep(0.2)
time.sleep(600)
"""
READS_ON = OTHELLO + '\ninput()\n'


def kind_of(test):
    """Return how a program departs from a session, or None if it does not or was not run."""
    return test['extra_data'].get('example', {}).get('kind')


FLOODS = 'while True:\n    print("WINNER: B\\n" * 9999, flush=True)\n'
HUNG = 'hung in every earlier session'
# For each case: the program, the kind of its first failure, the reason why its last sessions are
# not run, the timeout (None: to suit this machine), and the time limit of a session.
ENDLESS = {
    'floods at once': (
        FLOODS,
        'differs',
        'hung or printed far too much in every earlier session',
        SECONDS,
        SECONDS,
    ),
    'floods at the end': (
        OTHELLO + FLOODS,
        'differs',
        'hung or printed far too much in every earlier session',
        SECONDS,
        SECONDS,
    ),
    'sleeps': (SLEEPS, 'silent', HUNG, 0.3, SECONDS),
    'trickles': (TRICKLES, 'trickles', HUNG, 5, 0.5),
    'reads on': (READS_ON, 'not ended', HUNG, None, SECONDS),
}


@pytest.mark.parametrize('what', rest_long(ENDLESS, 2))
def test_a_program_without_end_costs_little_time(what, tmp_path):
    source, kind, why, timeout, seconds = ENDLESS[what]
    results = graded(
        tmp_path / 'one',
        source,
        timeout=timeout or short_patience(),
        limits=replace(IMPATIENT, session=seconds),
    )
    kinds = [kind_of(test) for test in results['tests']]
    assert (kinds[0], {*kinds[4:]}, results['score']) == (kind, {None}, 0)
    assert results['tests'][-1]['output'] == f'not run: the program {why}'


def test_default_limits():
    """By default, the grader waits at most 30 s in all for a program that always hangs."""
    timeout, limits = Options.timeout, Limits()
    longest = timeout + 2 * GRACE_SECONDS
    assert max(limits.hanging, 2 * (MIN_HUNG - 1) * longest) + 2 * longest <= 30
    assert (timeout, limits.session, limits.submission, limits.alone) == (5, 60, 240, 30)


def test_a_program_that_waits_instead_of_printing_the_first_line_is_run_to_the_end(tmp_path):
    asks = OTHELLO.replace("    print('FULL', flush=True)\n", '')
    results = graded(tmp_path / 'one', asks, TRANSCRIPTS[:4])
    assert [kind_of(test) for test in results['tests']] == ['silent'] * 4


def test_program_that_sometimes_hangs_is_run_to_the_end(tmp_path):
    begin = '    pass_on()\n    show()\n'
    assert OTHELLO.count(begin) == 1
    hangs = OTHELLO.replace(begin, '    rows == 4 or input()\n' + begin)
    results = graded(
        tmp_path / 'one', hangs, TRANSCRIPTS[:8], timeout=short_patience(), limits=IMPATIENT
    )
    assert {kind_of(test) for test in results['tests']} == {None, 'silent'}


def test_endless_wrong_output_is_read_for_limited_seconds_in_all(tmp_path, monkeypatch):
    """When the time for wrong output is used up, a session ends at its first wrong byte."""
    monkeypatch.setattr(internals.ALL_SECONDS, 0)
    results = graded(tmp_path / 'one', TRICKLES.replace('"FULL"', '"WRONG" * 99'), TRANSCRIPTS[:4])
    assert ({kind_of(test) for test in results['tests']}, results['extra_data']['ended']) == (
        {'differs'},
        None,
    )


# Plays its first session correctly and hangs in all others.
HANGS_LATER = """
import os, time
if os.path.exists({path!r}):
    time.sleep(600)
open({path!r}, "x").close()
"""


@pytest.mark.long
def test_time_limit_of_a_submission(tmp_path):
    seconds = 3 * short_patience()  # enough even to start a program in a sandbox
    source = HANGS_LATER.format(path=str(tmp_path / 'has played')) + OTHELLO
    results = graded(tmp_path / 'one', source, timeout=SECONDS, limits=Limits(seconds))
    limit = f'the time limit of {seconds:g} s was reached'
    ended = {'reason': 'time limit', 'detail': f'{seconds:g}'}
    assert (results['score'], results['extra_data']['ended']) == (1, ended)
    assert results['output'].startswith(f'ended early: {limit}')
    assert {(test['output'], kind_of(test)) for test in results['tests'][1:]} == {
        (f'not run, because grading ended early: {limit}', None)
    }


def test_the_time_limit_of_a_submission_includes_its_build(tmp_path):
    results = graded(tmp_path / 'one', OTHELLO, build='sleep 0.6', limits=Limits(0.5))
    assert ({kind_of(test) for test in results['tests']}, results['extra_data']['ended']) == (
        {None},
        {'reason': 'time limit', 'detail': '0.5'},
    )


def test_fresh_games_that_are_cut_short(tmp_path):
    """Fresh games cut short by the time limit cost a right program points; the report says why.

    The results have no fingerprint, so the program is graded again: a faster machine may finish.
    """
    source = f'import time\ntime.sleep(0.3)\n{OTHELLO}'
    results = graded(tmp_path / 'one', source, [], fresh=5000, fresh_points=5, limits=Limits(2))
    (fresh,) = results['tests']
    assert fresh['output'].startswith('not finished: the time limit of 2 s was reached after ')
    assert (fresh['score'], kind_of(fresh), results['extra_data']['ended']) == (
        0,
        None,
        {'reason': 'time limit', 'detail': '2'},
    )
    assert 'fingerprint' not in results['extra_data']


def test_a_wrong_program_that_is_cut_short_is_not_graded_again(tmp_path):
    seconds = 3 * short_patience()  # enough even to start a program in a sandbox
    limits = Limits(seconds, alone=0, hanging=2 * seconds)
    results = graded(tmp_path / 'one', SLEEPS, timeout=seconds / 2, limits=limits)
    assert [results['extra_data'][name] for name in ('ended', 'fingerprint')] == [
        {'reason': 'time limit', 'detail': f'{seconds:g}'},
        'as it was',
    ]


def test_time_limit_of_a_build(tmp_path):
    for build in ('sleep 99', 'yes', 'sleep 99 & sleep 99'):
        results = graded(
            tmp_path / 'one', '', build=build, command='true', limits=Limits(build=0.1)
        )
        assert results['tests'][0]['output'].startswith(
            'the build was still running after 0.1 s:\n'
        )


def test_writing_to_a_program_that_does_not_read(tmp_path):
    (tmp_path / 'floods.py').write_text('import sys\nwhile True: sys.stderr.write("x" * 9999)')
    with bounded(), scratch_folder() as scratch:
        program = Program([sys.executable, 'floods.py'], tmp_path)
        with running(program, confine('none', scratch), SECONDS) as run:
            wait_for(lambda: run.read_errors())
            run.send(bytes(1 << 20), 0.1)
            assert run.read(0.1) is None
            assert run.read_errors().endswith(b'xxx')


WAITS = """
import os, sys, time
mark = "{mark}"
if os.fork():
    print("FULL", flush=True)
else:
    try:
        os.setsid()
    except PermissionError:             # the filter refuses it
        pass
time.sleep(600)
"""


@pytest.fixture
def open_folder():
    """Yield a folder readable by all users; only the owner can enter pytest's folders."""
    with tempfile.TemporaryDirectory(prefix='ended-') as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.mark.long
@pytest.mark.parametrize('number', [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize('kind', KINDS)
def test_results_are_complete_whatever_ends_the_grader(kind, number, open_folder, monkeypatch):
    folder = open_folder
    mark = f'mark{os.getpid()}{kind}{int(number)}'
    path = folder / 'results.json'
    source = write_files(folder / 'one', {f'{mark}.py': WAITS})
    words = [source, '--results', path, '--confine', kind]

    with grader_forked(folder, 'grade', 'othello', *words, '--timeout', '60') as (process, printed):
        wait_for(lambda: find_marked(mark))
        assert (folder / 'one').stat().st_mode & 0o777 == (0o700 if kind == 'user' else 0o755)
        assert {test['output'] for test in json.loads(path.read_text())['tests']} == {'not run yet'}
        os.kill(process.number, number)
        status = process.status(SECONDS)
        printed.seek(0)
        assert b'Traceback' not in printed.read()
    results = json.loads(path.read_text())
    assert (len(results['tests']), results['score']) == (len(TRANSCRIPTS), 0)
    if number == signal.SIGKILL:
        assert status == -number
        monkeypatch.setattr(tempfile, 'tempdir', str(folder))
        notes = []
        remove_abandoned(notes.append)  # the next grader does so
        for note in notes:
            subprocess.run(['sh', '-c', note.partition('type: ')[2]], check=True)
        assert len(notes) == (kind == 'user')
    else:
        ended = {'reason': 'signal', 'detail': number.name}
        # The grader exits with 128 + number, as a shell does; that counts as the signal itself.
        assert (status, results['extra_data']['ended']) == (-number, ended)
        assert results['output'].startswith(f'ended early: the grader received {number.name}')
    assert sorted(path.name for path in folder.iterdir()) == ['one', 'results.json']
    assert (folder / 'one').stat().st_mode & 0o777 == 0o755
    wait_for(lambda: not find_marked(mark))


def test_a_file_is_replaced_completely_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / 'results.json'
    write_whole(path, 'old')
    for text, error in (('new\ud800', UnicodeEncodeError), ('new', ZeroDivisionError)):
        with pytest.raises(error):
            write_whole(path, text)
        monkeypatch.setattr(os, 'replace', lambda *names: 1 / 0)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ('old', 0o600)
    assert list(tmp_path.iterdir()) == [path]


HIDE = """
for tool in bwrap setpriv; do
    if path=$(command -v $tool); then mount --bind /dev/null "$path" || exit 99; fi
done
"$@"
"""
NEW_MOUNTS = 0x20000


def hide_tools():
    """Hide bwrap and setpriv from this process, in a new mount namespace."""
    assert ctypes.CDLL(None).unshare(NEW_MOUNTS) == 0
    subprocess.run(['sh', '-c', f'mount --make-rprivate /\n{HIDE}'], check=True)
    interpreter_in.cache_clear()  # the sandboxes working with these tools are cached


def without_tools(*words):
    """Run the grader without bwrap and setpriv, and without root's right to change the user."""
    new = ['--mount'] if os.geteuid() == 0 else ['--mount', '--user', '--map-root-user']
    skip_unless_unshared(*new)
    fewer = ['setpriv', '--bounding-set=-setuid,-setgid']
    result = subprocess.run(
        [
            'unshare',
            *new,
            *fewer,
            'sh',
            '-c',
            HIDE,
            'sh',
            *command_of_grader('grade', SESSION, *words),
        ],
        cwd=ROOT,
        env=child_environment(),
        check=False,
        capture_output=True,
        timeout=SECONDS,
    )
    if result.returncode == 99:
        pytest.skip('tools cannot be hidden here')
    return result.returncode, result.stdout.decode(), result.stderr.decode()


@pytest.mark.parametrize(
    ('kind', 'reason'), [('auto', 'no sandbox works'), ('user', 'the user sandbox does not work')]
)
@pytest.mark.long
def test_grader_refuses_where_nothing_confines(kind, reason, open_folder):
    (open_folder / 'othello.py').write_text(f'open("{open_folder}/ran", "w")')
    words = [open_folder / 'othello.py', '--results', open_folder / 'results.json']
    assert without_tools(*words, '--confine', kind) == (
        3,
        '',
        f'grading: {reason} here, so nothing was run: install bubblewrap (on Debian and '
        'Ubuntu: apt install bubblewrap); or add --confine none, but then these programs can read, '
        'change and send everything that you can. Your own program needs no sandbox: use --command "CMD" '
        'instead of the file name\n',
    )
    assert [path.name for path in open_folder.iterdir()] == ['othello.py']


def test_grader_says_why_bubblewrap_is_refused(monkeypatch):
    """The message quotes bubblewrap's own error, and does not advise installing bubblewrap."""
    complaint = b'bwrap: setting up uid map: Permission denied\n'
    interpreter_in.cache_clear()  # the working sandboxes are cached
    monkeypatch.setattr(internals.OUTPUT, lambda sandbox, words: (None, complaint))
    monkeypatch.setattr('shutil.which', lambda tool, path=None: f'/usr/bin/{tool}')
    with pytest.raises(SandboxError) as caught, scratch_folder() as scratch:
        confine('bwrap', scratch)
    assert str(caught.value).startswith(
        'the bwrap sandbox does not work here, so nothing was run: bubblewrap is installed, but '
        'reports "bwrap: setting up uid map: Permission denied"; allow it to create namespaces ('
    )


def test_workers_need_not_probe_the_machine_again(monkeypatch, tmp_path, open_folder):
    """The grader finds out, before it forks, what works in the sandbox of its submissions."""
    skip_unless_confined()
    interpreter_in.cache_clear()
    as_in_terminal.cache_clear()
    log = tmp_path / 'log'
    monkeypatch.setattr(internals.OUTPUT, partial(logged_output, log))
    (open_folder / 'one.py').write_text('print(1)\n')
    assignment, options, _ = settings_for('few', [('a.txt', '|1\n')], confine='auto')
    with sandbox_probed(assignment, options, [open_folder]) as (options, machine):
        task = Task('ann', open_folder / 'one.py', assignment, options, machine)
        [results] = class_processes.grade_all([task])
    assert results.score == 1
    assert {*log.read_text().split()} == {str(os.getpid())}


def logged_output(log, *facts):
    """Do the same as `output`, and write down which process does it."""
    with log.open('a') as lines:
        lines.write(f'{os.getpid()}\n')
    return output(*facts)


@pytest.mark.long
def test_grader_runs_programs_without_a_sandbox_only_on_request(open_folder):
    (open_folder / 'othello.py').write_text(f'open("{open_folder}/ran", "w")')
    status, _, errors = without_tools(open_folder / 'othello.py', '--no-where', '--confine', 'none')
    assert status == 1
    assert 'programs run without a sandbox' in errors
    assert (open_folder / 'ran').exists()


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason='only root can be another user')
def test_another_user_is_enough_where_bubblewrap_is_missing(open_folder):
    skip_unless_unshared('--mount')
    (open_folder / 'othello.py').write_text(OTHELLO)
    results = open_folder / 'results.json'
    words = [open_folder / 'othello.py', '--results', results]
    with grader_forked(open_folder, 'grade', SESSION, *words, before=hide_tools) as (process, _):
        assert process.status(SECONDS) == 0
    assert json.loads(results.read_text())['extra_data']['confinement'] == 'user'
