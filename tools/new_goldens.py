"""Writes the goldens, the grader's reports about the wrong programs of the tests: `make goldens`.

For a new golden, it chooses the sessions. A golden that exists keeps its sessions.
"""

import os
import random
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import groupby, zip_longest

from goldens import FOLDER, MAX_SESSIONS, golden, hangs_in, read, results_of, sessions_in
from wrong_programs import PROGRAMS

WHOLE = FOLDER / 'whole'  # goldens with all sessions, and with places for each program
MAX_TRIES = 20  # how many choices of sessions to try for a new golden


def chosen_sessions(program):
    """Return the names of a few sessions with the same findings as all sessions.

    Most of them are examples of the findings, and at least one passes if any does.
    """

    def graded_with(names):
        results = results_of(program, names, program.is_traced, True)
        findings = results['extra_data']['findings']
        return results, [(finding['id'], finding['sentence']) for finding in findings]

    whole, expected = graded_with([*program.short])
    right = [test['name'] for test in whole['tests'] if test['status'] == 'passed']
    shown = [
        dict.fromkeys([finding['example']['session'], *finding['sessions']])
        for finding in whole['extra_data']['findings']
    ]
    failed = [*dict.fromkeys(name for names in zip_longest(*shown) for name in names if name)]
    rng = random.Random(0)  # the choices are the same each time
    tried = []
    for number in range(MAX_TRIES):
        # Begin with few sessions, and take more if they do not suffice.
        most = min(MAX_SESSIONS, 2 + number // 2)
        few = max(1, most - 1 - number % 2)
        names = [*failed[:few], *rng.sample(right, min(len(right), most - few))]
        _, found = graded_with(names)
        tried.append((len({*found} ^ {*expected}), found != expected, number, names))
        if found == expected:
            break
        rng.shuffle(failed)
    return min(tried)[-1]


def new_golden(name, is_whole, before):
    """Return a program's name and new golden, with the sessions of the golden `before`, if any."""
    program = PROGRAMS[name]
    sessions = [*program.sessions] if is_whole else sessions_in(before) or chosen_sessions(program)
    return name, golden(program, sessions, is_whole or program.is_traced, hangs_in(before))


def main(only='', whole=''):
    """Write the goldens of the programs whose names contain `only`.

    If `whole` is not empty, use all sessions, and write into a separate folder. If `only` is empty,
    also remove the goldens of programs that no longer exist.
    """
    folder = WHOLE if whole else FOLDER
    folder.mkdir(exist_ok=True, parents=True)
    before = read(folder)
    found = {name: text for name, text in before.items() if only and name in PROGRAMS}
    names = [name for name in PROGRAMS if only in name]
    with ProcessPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        done = [pool.submit(new_golden, name, bool(whole), before.get(name, '')) for name in names]
        for number, future in enumerate(as_completed(done), 1):
            name, text = future.result()
            found[name] = text
            change = {'': 'new', text: 'as before'}.get(before.get(name, ''), 'changed')
            print(f'[{number}/{len(names)}] {name}: {change}', file=sys.stderr)
    for path in folder.glob('*.txt'):
        path.unlink()
    for kind, group in groupby(sorted(found), key=lambda name: name.partition('/')[0]):
        (folder / f'{kind}.txt').write_text(
            '\n'.join(found[name] for name in group), encoding='utf-8'
        )
