"""How often the places that are told hold the fault: `make places`.

Right programs are changed, one small thing at a time, and graded: for how many of those that fail
is the changed line among the lines that are told, or among those of the first finding? A sample of
the changes is taken, the same each time; the arguments are how many for each program, and the seed
of another sample. The programs are written without comments, each statement on one line, as
`ast.unparse` does. For the wrong programs of the tests their goldens say it.

The programs in `beginners/` were written as beginners write, each with one mistake, by authors who
had seen the assignments, and how many sessions each program passes. The first two lines of each
file, written before there was a report, say which lines to look at, and what is wrong. These are
up to four: where something lacks, those before and behind it. One that is told is enough.

Python 3.9 or later; some minutes.
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
LIMITS = Limits(explanation=120, tracing=60)  # enough for all runs of a busy machine
PROCESSES = 2
# The game, and the files, of which the first is run; all of them are changed.
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
    """Return the game of a program, and its files as `ast.unparse` writes them."""
    game, files = PROGRAMS[name]
    return game, {file: ast.unparse(ast.parse(text)) for file, text in files.items()}


def changes_of(name):
    """Yield all changes to a program: the program, the file, the changed lines, the new text."""
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
    """Yield the programs of beginners as changes: each has a mistake in some lines."""
    for path in sorted(BEGINNERS.glob('*.txt')):
        about, _, _, text = path.read_text(encoding='utf-8').split('\n', 3)
        game, _, lines = about.partition(': ')
        PROGRAMS[path.stem] = game, {'main.py': text}
        yield path.stem, 'main.py', [*map(int, lines.split())], text


def told_of(change, **settings):
    """Grade a changed program; count whether it fails, whether a line is told, and how many are.

    None, if all sessions pass. Others than those of the game may be in the `settings`.
    """
    name, file, lines, text = change
    game, files = program(name)
    changed = {(file, line) for line in lines}
    with tempfile.TemporaryDirectory() as folder:
        handed_in = write_files(Path(folder) / 'handed-in', {**files, file: text})
        results = graded(
            handed_in,
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
    told, first = set(), None
    for finding in results['extra_data']['findings']:
        crash = finding['example']['crash']
        told |= {(crash['file'].removeprefix('./'), crash['line'])} if crash else set()
        for place in finding['places']:
            told |= {(place['file'], line) for line in range(place['first'], place['last'] + 1)}
        first = {*told} if first is None else first
    if all(test['status'] == 'passed' for test in results['tests']):
        return None
    return Counter(
        wrong=1,
        told=not changed.isdisjoint(told),
        nothing=not told,
        lines=len(told),
        first=not changed.isdisjoint(first or ()),
    )


def main(count=COUNT, seed=SEED):
    """Print the shares for some changes to each program, chosen by a seed."""
    rng = random.Random(int(seed))
    total = Counter()
    with ProcessPoolExecutor(PROCESSES, get_context('fork')) as pool:
        for name in [*PROGRAMS]:
            run, text = next(iter(program(name)[1].items()))
            if told_of((name, run, [], text)):
                sys.exit(f'{name} is wrong itself')
            changes = [*changes_of(name)]
            chosen = rng.sample(changes, min(int(count), len(changes)))
            counts = sum(filter(None, pool.map(told_of, chosen)), Counter())
            show(name, counts)
            total += counts
        show('all', total)
        written = [*beginners()]  # before the processes of a new pool know them
    with ProcessPoolExecutor(PROCESSES, get_context('fork')) as pool:
        show('beginners', sum(filter(None, pool.map(told_of, written)), Counter()))


def show(name, counts):
    """Print the shares of one program, or of all."""
    wrong = max(1, counts['wrong'])
    print(
        f'{name}: of {counts["wrong"]} wrong programs the line is told for '
        f'{counts["told"] / wrong:.0%}, in the first finding for '
        f'{counts["first"] / wrong:.0%}, no line for {counts["nothing"] / wrong:.0%}; '
        f'{counts["lines"] / wrong:.1f} lines for each program',
        flush=True,
    )
