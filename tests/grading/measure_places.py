"""How often the places that are told hold the fault: `make places`.

Right programs are changed, one small thing at a time, and graded: for how many of those that fail
is the changed line among the lines that are told, ten at most for each fault? A sample of the
changes is taken, the same each time; the arguments are how many for each program, and the seed of
another sample. The programs are written without comments, each statement on one line, as
`ast.unparse` does. A statement that was deleted is a `pass`, which no student would have there: the
second share counts the statements beside it, too.

Python 3.9 or later; some minutes.
"""

from __future__ import annotations

import ast
import random
import re
import sys
import tempfile
import time
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / 'tests')]

from independent import OTHELLO, write_files  # noqa: E402
from mutation import mutants  # noqa: E402

import grading.grader  # noqa: E402
from grading.batch.tasks import Task, grade_task  # noqa: E402
from grading.settings import Settings  # noqa: E402

COUNT, SEED = 20, 1
TRACING_SECONDS = 60.0                  # enough for all runs, however busy the machine is
PROCESSES = 2
SAMPLES = ROOT / 'tests' / 'grading' / 'samples'
CRASH = re.compile(r'^  (?:in|reads in) +\|(.+), line ([0-9]+): ', re.MULTILINE)
TOLD = PRINTED, RAN, CRASHED = 'printed by, called by or read by', 'ran', 'crashed in'
MODEL = '''
import sys
from model import {name}

class Console({name}):
    def ask(self, prompt):
        self.write(self.prompted(prompt))
        sys.stdout.flush()
        self.texts.append('')
        return input()

    def write(self, text):
        sys.stdout.write(text)

Console([], sys.argv[1:]).play()
'''


def source(path):
    """Return a source as `ast.unparse` writes it; its own modules are beside it."""
    text = re.sub(r'^from \.[\w.]*\b(\w+) import', r'from \1 import', path.read_text(
        encoding='utf-8'), flags=re.MULTILINE)
    return ast.unparse(ast.parse(text))


def sample(name):
    return {'main.py': source(SAMPLES / f'{name}.py')}


def console(name):
    """Return a console and its logic, the console first."""
    return {f'{name}_{part}.py': source(ROOT / f'{name}_{part}.py')
            for part in ('console', 'logic')}


def model(name, game):
    """Return a model of the diagnosis as a program: the model first, which alone is changed."""
    return {'model.py': source(ROOT / 'grading' / 'assignments' / game / 'model.py'),
            'session.py': source(ROOT / 'grading' / 'diagnosis' / 'session.py'),
            'main.py': MODEL.format(name=name)}


# The game, whether with prompts, the file that is run, the files, and how many of them are changed.
PROGRAMS = {
    'sample othello': ('othello', False, 'main.py', sample('othello'), 1),
    'another othello': ('othello', False, 'main.py', {'main.py': ast.unparse(ast.parse(OTHELLO))},
                        1),
    'sample piles': ('piles', True, 'main.py', sample('piles'), 1),
    'sample stones': ('stones', True, 'main.py', sample('stones'), 1),
    'sample tlcw': ('tlcw', True, 'main.py', sample('tlcw'), 1),
    'sample recorded': ('recorded', False, 'main.py', sample('recorded'), 1),
    'Othello console': ('othello', False, 'othello_console.py', console('othello'), 2),
    'Nim console': ('nim', False, 'nim_console.py', console('nim'), 2),
    'Othello model': ('othello', False, 'main.py', model('Othello', 'othello'), 1),
    'piles model': ('piles', False, 'main.py', model('Piles', 'nim'), 1),
}


def changes_of(name):
    """Return all changes to a program: the file, the changed line, the changed text."""
    _, _, _, files, number = PROGRAMS[name]
    changes = []
    for file, text in [*files.items()][:number]:
        for mutant in mutants(text):
            changed = ast.unparse(mutant.tree)
            if changed != text:
                lines = zip(text.split('\n'), changed.split('\n'))
                first = next(n for n, (old, new) in enumerate(lines, 1) if old != new)
                changes.append((name, file, first, changed))
    return changes


def told_of(change):
    """Grade a changed program; return its name and how each line is told that is, and near it.

    None, if it passes all sessions.
    """
    name, file, line, text = change
    game, prompts, run, files, _ = PROGRAMS[name]
    settings = Settings(game, prompts=prompts, confine='none', timeout=2,
                        command=f'{sys.executable} {run}')
    with tempfile.TemporaryDirectory() as folder:
        handed_in = write_files(Path(folder) / 'handed-in', {**files, file: text})
        begin = time.monotonic()
        outcome = grade_task(Task(name, handed_in, settings))
        seconds = time.monotonic() - begin
    if all(test['status'] == 'passed' for test in outcome['tests']):
        return None
    told = {how: set() for how in TOLD}
    for place in outcome['extra_data'].get('where', ()):
        told[RAN if place['why'] == RAN else PRINTED].update(
            (place['file'], number) for number in range(place['first'], place['last'] + 1))
    told[CRASHED] = {(crashed.removeprefix('./'), int(number))
                     for crashed, number in CRASH.findall(outcome['output'])}
    hits = {how: (file, line) in lines for how, lines in told.items()}
    near = any((file, line + step) in lines for lines in told.values() for step in (-1, 0, 1))
    return name, hits, near, len(set().union(*told.values())), seconds


def main():
    """Print the shares."""
    grading.grader.TRACING_SECONDS = TRACING_SECONDS
    count, seed = (*map(int, sys.argv[1:]), *(COUNT, SEED)[len(sys.argv) - 1:])
    rng = random.Random(seed)
    changes = []
    for name in PROGRAMS:
        possible = changes_of(name)
        changes += rng.sample(possible, min(count, len(possible)))
    rng.shuffle(changes)
    counts = {name: Counter() for name in PROGRAMS}
    with get_context('fork').Pool(PROCESSES) as pool:
        for found in filter(None, pool.imap_unordered(told_of, changes)):
            name, hits, near, lines, seconds = found
            counts[name].update({**hits, 'wrong': 1, 'told': any(hits.values()), 'near': near,
                                 'lines': lines, 'seconds': seconds})
    for name, counter in counts.items():
        show(name, counter)
    show('all', sum(counts.values(), Counter()))


def show(name, counter):
    wrong = counter['wrong']
    if wrong:
        shares = ', '.join(f'{counter[how] / wrong:.0%} {how}' for how in TOLD)
        print(f'{name}: of {wrong} wrong programs the line is told for '
              f'{counter["told"] / wrong:.0%} ({shares}), '
              f'it or one beside it for {counter["near"] / wrong:.0%}; '
              f'{counter["lines"] / wrong:.1f} lines, {counter["seconds"] / wrong:.1f} s each',
              flush=True)


main()
