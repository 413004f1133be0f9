"""How often the places that are told hold the fault: `make places`.

Right programs are changed, one small thing at a time, and graded: for how many of those that fail
is the changed line among the lines that are told, ten at most for each finding? A sample of the
changes is taken, the same each time; the arguments are how many for each program, and the seed of
another sample. The programs are written without comments, each statement on one line, as
`ast.unparse` does. A statement that was deleted is a `pass`, which no student would have there: the
second share counts the statements beside it, too.

Python 3.9 or later; some minutes.
"""

import ast
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import wrong_nim
import wrong_othello
from independent import OTHELLO, write_files
from mutation import mutants
from running import PYTHON
from wrong_programs import changed_lines

from grading.batch.grade import Task, grade_task
from grading.installation import ROOT
from grading.reports.results import to_json
from grading.settings import Limits, Settings

COUNT, SEED = 20, 1
LIMITS = Limits(explanation=120, tracing=60)    # enough for all runs of a busy machine
PROCESSES = 2
SAMPLES = ROOT / 'tests' / 'grading' / 'samples'
TOLD = PRINTED, RAN, CRASHED = 'printed by, called by or read by', 'ran', 'crashed in'
MODEL = '''
import sys
from game import {name}

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
    """Return a source as `ast.unparse` writes it; its own modules are beside it.

    Those of sessions are imported for annotations alone.
    """
    text = re.sub(r'^from \.\.sessions.*', '', path.read_text(encoding='utf-8'), flags=re.MULTILINE)
    text = re.sub(r'^from \.[\w.]*\b(\w+) import', r'from \1 import', text, flags=re.MULTILINE)
    return ast.unparse(ast.parse(text))


def sample(name):
    return {'main.py': source(SAMPLES / f'{name}.py')}


def console(name):
    """Return a console and its logic, the console first."""
    return {f'{name}_{part}.py': source(ROOT / f'{name}_{part}.py')
            for part in ('console', 'logic')}


def model(name, game, *modules):
    """Return a model of the diagnosis as a program: the game first, which alone is changed.

    `modules` are others of the assignment that it takes.
    """
    folder = ROOT / 'grading' / 'assignments' / game
    return {'game.py': source(folder / 'model.py'),
            **{f'{module}.py': source(folder / f'{module}.py') for module in modules},
            'fault_models.py': source(ROOT / 'grading' / 'diagnosis' / 'fault_models.py'),
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
    'piles model': ('piles', False, 'main.py', model('Piles', 'nim', 'computer'), 1),
}


def changes_of(name):
    """Yield all changes to a program: the program, the file, the changed lines, the new text."""
    _, _, _, files, number = PROGRAMS[name]
    for file, text in [*files.items()][:number]:
        for mutant in mutants(text):
            changed = ast.unparse(mutant.tree)
            if changed != text:
                lines = zip(text.split('\n'), changed.split('\n'))
                first = next(n for n, (old, new) in enumerate(lines, 1) if old != new)
                yield name, file, {first}, changed


def wrong_programs():
    """Yield the wrong programs of the tests, as `changes_of` does."""
    for game, wrong in {'othello': wrong_othello.WRONG, **wrong_nim.WRONG}.items():
        text = (SAMPLES / f'{game}.py').read_text(encoding='utf-8')
        for replacements in wrong.values():
            changed = text
            for old, new in replacements:
                changed = changed.replace(old, new)
            yield f'sample {game}', 'main.py', changed_lines(text, changed), changed


def told_of(change, texts=()):
    """Grade a changed program; return whether a changed line is told, and how, or one near it.

    With it whether it is told in the first finding, whether nothing is told, how many lines are, of
    how many findings, and the seconds. None, if all sessions pass. `texts` are the names and texts
    of sessions, if not all of the game are to be played.
    """
    name, file, changed, text = change
    game, prompts, run, files, _ = PROGRAMS[name]
    settings = Settings(game, texts, prompts=prompts, confine='none', timeout=2,
                        command=f'{PYTHON} {run}', limits=LIMITS)
    with tempfile.TemporaryDirectory() as folder:
        handed_in = write_files(Path(folder) / 'handed-in', {**files, file: text})
        begin = time.monotonic()
        outcome = to_json(grade_task(Task(name, handed_in, settings)))
        seconds = time.monotonic() - begin
    if all(test['status'] == 'passed' for test in outcome['tests']):
        return None
    told = {how: set() for how in TOLD}
    by_entry = defaultdict(set)
    first = set()
    for entry, finding in enumerate(outcome['extra_data']['findings']):
        for place in finding['places']:
            lines = {(place['file'], number)
                     for number in range(place['first'], place['last'] + 1)}
            told[RAN if place['why'] == RAN else PRINTED].update(lines)
            by_entry[entry].update(lines)
        crash = finding['example']['crash']
        lines = {(crash['file'].removeprefix('./'), crash['line'])} if crash else set()
        told[CRASHED] |= lines
        if not entry:
            first = lines | by_entry[0]
    hits = {how: any((file, line) in lines for line in changed) for how, lines in told.items()}
    is_first = any((file, line) in first for line in changed)
    near = any((file, line + step) in lines
               for line in changed for lines in told.values() for step in (-1, 0, 1))
    return Counter(**hits, wrong=1, told=any(hits.values()), first=is_first, near=near,
                   nothing=not any(told.values()), entries=len(by_entry), seconds=seconds,
                   lines=sum(map(len, by_entry.values())))


def main(count=COUNT, seed=SEED):
    """Print the shares for some changes to each program, chosen by a seed."""
    rng = random.Random(int(seed))
    sets = {name: [*changes_of(name)] for name in PROGRAMS}
    total = Counter()
    with ProcessPoolExecutor(PROCESSES, get_context('fork')) as pool:
        for name, changes in sets.items():
            _, _, run, files, _ = PROGRAMS[name]
            if told_of((name, run, (), files[run])):
                sys.exit(f'{name} is wrong itself')
            chosen = rng.sample(changes, min(int(count), len(changes)))
            counts = sum(filter(None, pool.map(told_of, chosen)), Counter())
            show(name, counts)
            total += counts
        show('all', total)
        show('the wrong programs of the tests', sum(
            filter(None, pool.map(told_of, wrong_programs())), Counter()))


def show(name, counter):
    wrong = counter['wrong']
    if wrong:
        shares = ', '.join(f'{counter[how] / wrong:.0%} {how}' for how in TOLD)
        print(f'{name}: of {wrong} wrong programs the line is told for '
              f'{counter["told"] / wrong:.0%} ({shares}), in the first finding for '
              f'{counter["first"] / wrong:.0%}, '
              f'it or one beside it for {counter["near"] / wrong:.0%}, '
              f'nothing for {counter["nothing"] / wrong:.0%}; '
              f'{counter["lines"] / max(1, counter["entries"]):.1f} lines for each finding, '
              f'{counter["seconds"] / wrong:.1f} s for each program',
              flush=True)
