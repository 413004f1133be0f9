"""Measures how often the places named in a report contain the fault: `make places`.

Right programs are changed, one small thing at a time, and graded. For how many of the failing
programs does the report name the changed line, and for how many does its first finding? The changes
are a random sample, the same each time. The arguments are the number of changes to each
program, and the seed of the sample. The programs are written by `ast.unparse`, without comments and
with each statement on one line. For the wrong programs of the tests, the goldens say whether the
report names the changed line.

Each program in `beginners/` has one mistake. The authors wrote as beginners write; they had seen
the assignments, and how many sessions each program passes. The first two lines of each file give
the lines to look at, and what is wrong; they were written before there was any report. There are up
to four such lines, for example those before and after a missing line. It is enough if the report
names one of them.

The measurement takes some minutes.
"""

import ast
import random
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from graders import graded
from mutation import mutants
from programs import OTHELLO, our_pair, read_sample, write_files
from running import PYTHON

from grading.installation import ROOT
from grading.limits import Limits

COUNT, SEED = 20, 1
BEGINNERS = ROOT / 'tests' / 'grading' / 'beginners'
LIMITS = Limits(explanation=120, tracing=60)  # enough for all runs on a busy machine
PROCESSES = 2
# The game and the files of each program. The first file is the one to run; all are changed.
PROGRAMS = {
    'another othello': ('othello', {'main.py': OTHELLO}),
    **{
        f'sample {game}': (game, {'main.py': read_sample(game)})
        for game in ('othello', 'recorded', 'piles', 'stones', 'tlcw')
    },
    **{f'{game} console': (game, our_pair(game)) for game in ('othello', 'nim')},
}


@cache
def program(name):
    """Return a program's game, and its files as `ast.unparse` writes them."""
    game, files = PROGRAMS[name]
    return game, {file: ast.unparse(ast.parse(text)) for file, text in files.items()}


def changes_of(name):
    """Yield all changes to a program, each as its name, a file, the changed lines, and the text."""
    for file, text in program(name)[1].items():
        for mutant in mutants(text):
            changed = ast.unparse(mutant.tree)
            if changed != text:
                lines = zip(text.split('\n'), changed.split('\n'), strict=False)
                yield (
                    name,
                    file,
                    [next(number for number, (old, new) in enumerate(lines, 1) if old != new)],
                    changed,
                )


def beginners():
    """Yield the beginners' programs in the form of changes, with the lines to look at."""
    for path in sorted(BEGINNERS.glob('*.txt')):
        about, _, _, text = path.read_text(encoding='utf-8').split('\n', 3)
        game, _, lines = about.partition(': ')
        PROGRAMS[path.stem] = game, {'main.py': text}
        yield path.stem, 'main.py', [*map(int, lines.split())], text


def grade_change(change, **settings):
    """Grade a changed program; return counts about the lines named in the report.

    The counts are 0 or 1, except `lines`, the number of lines named in the report. `named` says
    whether it names a changed line, `first` whether its first finding does, and `nothing` whether
    it names no line. Return None if all sessions pass. `settings` can replace the game's sessions.
    """
    name, file, lines, text = change
    game, files = program(name)
    changed = {(file, line) for line in lines}
    with tempfile.TemporaryDirectory() as folder:
        results = graded(
            write_files(Path(folder) / 'submission', {**files, file: text}),
            None,
            None,
            **{
                'game': game,
                'prompts': game in ('piles', 'stones', 'tlcw'),
                'where': True,
                'timeout': 2,
                'command': f'{PYTHON} {next(iter(files))}',
                'limits': LIMITS,
                **settings,
            },
        )
    named, first = set(), None
    for finding in results['extra_data']['findings']:
        crash = finding['example']['crash']
        if crash:
            named.add((crash['file'].removeprefix('./'), crash['line']))
        for place in finding['places']:
            named |= {(place['file'], line) for line in range(place['first'], place['last'] + 1)}
        if first is None:
            first = {*named}
    if all(test['status'] == 'passed' for test in results['tests']):
        return None
    return Counter(
        wrong=1,
        named=not changed.isdisjoint(named),
        nothing=not named,
        lines=len(named),
        first=not changed.isdisjoint(first or ()),
    )


def main(count=COUNT, seed=SEED):
    """Measure `count` random changes to each program, and the beginners' programs."""
    rng = random.Random(int(seed))
    total = Counter()
    with ProcessPoolExecutor(PROCESSES, get_context('fork')) as pool:
        for name in [*PROGRAMS]:
            run, text = next(iter(program(name)[1].items()))
            if grade_change((name, run, [], text)):
                sys.exit(f'{name} is wrong itself')
            changes = [*changes_of(name)]
            chosen = rng.sample(changes, min(int(count), len(changes)))
            counts = sum(filter(None, pool.map(grade_change, chosen)), Counter())
            show(name, counts)
            total += counts
        show('all', total)
        written = [*beginners()]  # this adds to PROGRAMS, so do it before the pool forks
    with ProcessPoolExecutor(PROCESSES, get_context('fork')) as pool:
        show('beginners', sum(filter(None, pool.map(grade_change, written)), Counter()))


def show(name, counts):
    """Print the shares of wrong programs whose reports name the lines."""
    wrong = max(1, counts['wrong'])
    print(
        f'{name}: of {counts["wrong"]} wrong programs, the report names the line for '
        f'{counts["named"] / wrong:.0%}, its first finding for '
        f'{counts["first"] / wrong:.0%}, and it names no line for {counts["nothing"] / wrong:.0%}; '
        f'{counts["lines"] / wrong:.1f} lines per program',
        flush=True,
    )
