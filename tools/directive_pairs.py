"""Prints the verdicts on sessions with each possible pair of directives: `make directive-pairs`.

The sessions are chosen so that any two entries of different tables in `directive_cases.py` occur
together at least once. Each verdict, on a right or a wrong program, is one line. The grader can be
from any checkout:

    make -s directive-pairs GRADER=../main > before
    make -s directive-pairs | diff before -
"""

import json
import os
import subprocess
import sys
import tempfile
from itertools import combinations, product
from pathlib import Path

from directive_cases import (
    ENDS,
    LINES,
    PROGRAM,
    PROMPTS,
    TOPS,
    TWO_FOR_A_LINE,
    TYPED,
    as_files,
    as_session,
    can_occur,
    cases_of_files,
    cases_of_session,
    file_names,
)

MAX_AT_ONCE = 400  # maximum number of cases to grade as one submission
PLACES = [TOPS, {**LINES, **PROMPTS}, TYPED, LINES, ENDS]
# For each place, an entry with nothing special.
PLAIN = ('none', 'text', 'typed', 'text', 'end')


def chosen_sessions():
    """Yield sessions, each as a list of tops and an entry of each other table."""
    entries = [[(place, name) for name in table] for place, table in enumerate(PLACES)]
    missing = dict.fromkeys(
        pair for tables in combinations(entries, 2) for pair in product(*tables)
    )

    def new_pairs(session):
        if not can_occur(*session.values()):
            return -1
        return sum(pair in missing for pair in combinations(session.items(), 2))

    while missing:
        first_pair = next(iter(missing))
        session = {**dict(enumerate(PLAIN)), **dict(first_pair)}
        if can_occur(*session.values()):
            # Choose for each other place the entry adding the most missing pairs.
            for place in {*session} - {*dict(first_pair)}:
                session[place] = max(
                    PLACES[place], key=lambda name: new_pairs({**session, place: name})
                )
            top, *others = session.values()
            yield [top], *others
        for pair in [first_pair, *combinations(session.items(), 2)]:
            missing.pop(pair, None)
    for first, then in product(['text', *TWO_FOR_A_LINE], repeat=2):
        yield ['none'], first, 'typed', then, 'end'
    for both in combinations([*TOPS][1:], 2):
        yield both, *PLAIN[1:]


def sets_of_tops():
    """Yield the sets of directives for pairs of files: each that can be in an assignment.ini."""
    tops = [top for top in TOPS if top not in ('none', 'hidden', 'beyond')]
    yield from [*combinations(tops, 1), *combinations(tops, 2)]


def verdict(test):
    """Return the verdict of a test in results.json: what is wrong first, or the points."""
    first = test['output'].partition('\n')[0]
    return first.partition(':')[2] if first else f'right, {test["score"]:g} points'


def verdicts_by(grader, folder, files, *options):
    """Return the verdicts of the grader in a checkout on sessions, in the sessions' order.

    `files` maps the paths of all files of the assignment and the submission to their contents.
    """
    for name, text in files.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
    out = Path(folder, 'out')
    subprocess.run(
        [
            sys.executable,
            '-m',
            'grading',
            'grade',
            'course',
            'one',
            '--command',
            'sh main.sh',
            '--out',
            out,
            '--confine',
            'none',
            '--no-where',
            '--beyond',
            '--timeout',
            '1',
            *options,
        ],
        cwd=folder,
        env={**os.environ, 'PYTHONPATH': str(Path(grader).resolve())},
        check=False,
        stdout=subprocess.DEVNULL,
    )
    tests = json.loads((out / 'one' / 'results.json').read_text(encoding='utf-8'))['tests']
    return [verdict(test) for test in sorted(tests, key=lambda test: test['name'])]


def main(grader='.'):
    """Print the verdicts of the grader in a checkout on all cases."""
    for way, is_free, options, place in [
        ('in turns', False, [], 'one'),
        ('in turns', True, [], 'one'),
        ('at once', False, ['--at-once'], 'one'),
        ('files/', False, [], 'course/files'),
    ]:
        cases = [case for each in chosen_sessions() for case in cases_of_session(each, is_free)]
        for start in range(0, len(cases), MAX_AT_ONCE):
            some = cases[start : start + MAX_AT_ONCE]
            with tempfile.TemporaryDirectory() as folder:
                found = verdicts_by(
                    grader,
                    folder,
                    {
                        'one/README': '',
                        f'{place}/main.sh': PROGRAM,
                        'course/assignment.ini': '',
                        **{
                            f'course/{number:04}.txt': as_session(case)
                            for number, case in enumerate(some)
                        },
                    },
                    *options,
                )
            for case, text in zip(some, found, strict=False):
                print(f'{way}: {case.name}: {text}', flush=True)
    for tops in sets_of_tops():
        ini, cases = cases_of_files(tops)
        files = {
            f'course/{name}': text
            for number, case in enumerate(cases)
            for name, text in zip(file_names(number), as_files(case), strict=False)
        }
        with tempfile.TemporaryDirectory() as folder:
            found = verdicts_by(
                grader, folder, {'one/main.sh': PROGRAM, 'course/assignment.ini': ini, **files}
            )
        for case, text in zip(cases, found, strict=False):
            print(f'files: {case.name}: {text}', flush=True)
