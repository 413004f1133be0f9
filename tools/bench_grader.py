"""Measures how long the sandbox and grading take: part of `make bench`.

Each round starts the interpreter without a sandbox, starts it in the sandbox, and grades a
submission: all three run under the same load. The shortest time of all rounds counts. The
grader runs as a command to grade a class.
"""

import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import get_args

from assigned import settings_for, transcripts_for
from graders import command_of_grader
from programs import our_pair, read_sample, write_files

from grading.installation import ROOT
from grading.sandbox.choose import confine, output
from grading.sandbox.kinds import SandboxKind
from grading.sandbox.program import SandboxError
from grading.workers.class_processes import processors
from grading.workers.task import Task, grade_task

ROUNDS = 10
SUBMISSIONS = 40
STARTS = len(transcripts_for('othello'))  # program starts to grade a right submission


def seconds_of(action):
    """Return how many seconds an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def start_bare(sandbox):
    """Start the interpreter in the sandbox; it does nothing."""
    assert output(sandbox, [sandbox.python, '-c', 'pass']) == (0, b'')


def bench(kind, scratch):
    """Print how long a start in a sandbox takes, and how long grading a right Othello program."""
    sandbox = confine(kind, scratch)
    pair = write_files(scratch / 'pair', our_pair('othello'))
    plain, confined, graded = [], [], []
    task = Task('pair', pair, *settings_for('othello', confine=kind))
    for _ in range(ROUNDS):
        plain.append(seconds_of(lambda: subprocess.run([sandbox.python, '-c', 'pass'], check=True)))
        confined.append(seconds_of(lambda: start_bare(sandbox)))
        graded.append(seconds_of(lambda: grade_task(task)))
    start = min(confined)
    print(
        f'{kind:6} bare start {min(plain) * 1000:5.1f} ms, confined {start * 1000:5.1f} ms; '
        f'one submission, {STARTS} transcripts: {min(graded):.2f} s, '
        f'{min(graded) / (start * STARTS):.2f} confined starts each ({sandbox.python})'
    )


def bench_class(scratch, number):
    """Print how long grading a class of `number` right submissions takes."""
    folders = [
        write_files(scratch / f'submission-{index}', our_pair('othello')) for index in range(number)
    ]
    command = command_of_grader('grade', 'othello', '--out', scratch / 'out', *folders)

    def grade_class():
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)

    graded, again = seconds_of(grade_class), seconds_of(grade_class)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(
        f'{number} submissions, {processors()} at once: {graded:.1f} s; again {again:.1f} s; '
        f'no process above {most / 1024:.0f} MB'
    )


def bench_wrong(scratch):
    """Print how long grading wrong programs takes, without a search for places to look at.

    A right program is graded for comparison.
    """
    right = read_sample('othello')
    programs = {
        'right': right,
        'a prompt everywhere': right.replace('input()', "input('> ')"),
        'FULL, then silence': "import sys\nprint('FULL', flush=True)\nsys.stdin.read()\n",
        'a loop': 'while True: pass\n',
    }
    best = {}
    for round_number in range(ROUNDS):
        for name, source in programs.items():
            if name == 'a loop' and round_number:
                continue  # it is so slow that one round will do
            folder = write_files(scratch / name, {'main.py': source})
            settings = settings_for('othello', where=False, command='python3 main.py')
            seconds = seconds_to_grade(Task(name, folder, *settings))
            best[name] = tuple(map(min, seconds, best.get(name, seconds)))
    for name, (known, explained) in best.items():
        ratios = known / best['right'][0], explained / best['right'][1]
        print(
            f'{name}: points after {known:.2f} s, {ratios[0]:.2f} times a right program; '
            f'explained after {explained:.2f} s, {ratios[1]:.2f} times'
        )


def seconds_to_grade(task):
    """Return how many seconds it takes until a submission has its points, and is explained."""
    begin = time.perf_counter()
    results = grade_task(task)
    return results.execution_time, time.perf_counter() - begin


def main(number=SUBMISSIONS):
    """Measure each sandbox, wrong programs, and a class of `number` submissions."""
    for kind in get_args(SandboxKind):
        with tempfile.TemporaryDirectory(prefix='bench-') as scratch:
            try:
                bench(kind, Path(scratch))
            except SandboxError as error:
                print(f'{kind:6} {error}')
    with tempfile.TemporaryDirectory(prefix='bench-') as scratch:
        bench_wrong(Path(scratch))
        bench_class(Path(scratch), int(number))
