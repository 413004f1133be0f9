"""Measures how long attackers delay the rest of a class: `make bench-class`.

The grader runs as a command. It grades a class of right programs, and then the same class with all
attackers in front of it.
"""

import csv
import subprocess
import tempfile
import time
from pathlib import Path

from graders import command_of_grader
from programs import our_pair, read_sample, write_files

from grading.installation import ROOT

RIGHT = 24  # right programs
# The right programs may take this many times as long as alone; the attackers may end this many
# seconds after the last right program.
MAX_TIMES, MAX_LATER = 2, 240
RIGHT_PROGRAM = read_sample('othello')
ATTACKERS = {
    'a-burns': 'import os\nfor _ in range(5):\n    os.fork()\nwhile True:\n    pass\n',
    # If a program falls silent beside others, it is played again alone. This program is silent even
    # then.
    'a-is-silent': 'import time\ntime.sleep(600)\n',
    'a-trickles': 'import time\nfor character in "FULL\\n" * 100:\n'
    '    print(end=character, flush=True)\n    time.sleep(4)\n',
    'a-floods': 'import os\nwhile True:\n    os.write(1, b"FULL\\n" * 4096)\n'
    '    os.write(2, b"error\\n" * 4096)\n',
    # Each answer is right, but takes a lot of computing.
    'a-searches': RIGHT_PROGRAM.replace(
        'input()', '[input(), sum(number * number for number in range(10 ** 7))][0]'
    ),
    'a-maps': 'import mmap, os\nheld = mmap.mmap(os.open("/dev/zero", os.O_RDWR), 2 << 30,\n'
    '                 mmap.MAP_SHARED)\n'
    'for place in range(0, len(held), 4096):\n    held[place] = 1\n'
    'held.madvise(mmap.MADV_DONTNEED)\nwhile True:\n    pass\n',
}


# Programs that use hardly any processor time and run until a time limit ends them.
SLEEPERS = {
    'a-sleeps': 'import time\ntime.sleep(600)\n',
    'a-trickles-on': 'import time\nwhile True:\n    print(end="F", flush=True)\n'
    '    time.sleep(0.2)\n',
}
SLEEPING = 16  # how many sleepers are in a class


def grade_class(folders, out):
    """Grade a class; return its rows, and when each submission was done, in seconds from the start.

    The keys of both dictionaries are the names of the submissions.
    """
    begin, done = time.monotonic(), {}
    command = command_of_grader('grade', 'othello', '--out', out, *folders)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, encoding='utf-8') as grader:
        for line in grader.stdout:
            if line.startswith('['):
                done[line.split()[1].rstrip(':')] = time.monotonic() - begin
    with open(out / 'grades.csv', encoding='utf-8-sig', newline='') as rows:
        return {row['submission']: row for row in csv.DictReader(rows)}, done


def bench(right, others, times):
    """Print how long right programs take alone, and after other programs of the same class.

    `right` is the number of right programs, and `others` maps the names of the other programs to
    their sources. After the others, the right programs may take at most `times` as long as alone.
    """
    with tempfile.TemporaryDirectory(prefix='bench-') as name:
        scratch = Path(name)
        folders = [
            write_files(scratch / f'right-{number:02}', our_pair('othello'))
            for number in range(right)
        ]
        first = [
            write_files(scratch / other, {'main.py': source}) for other, source in others.items()
        ]
        _, alone = grade_class(folders, scratch / 'alone')
        rows, done = grade_class([*first, *folders], scratch / 'together')
    last = max(done[folder.name] for folder in folders)
    print(f'{right} right programs alone: {max(alone.values()):.1f} s')
    print(
        f'after {len(others)} others: the last right one after {last:.1f} s (at most '
        f'{times * max(alone.values()):.1f}), all after {max(done.values()):.1f} s (at most '
        f'{last + MAX_LATER:.1f})'
    )
    for other in others:
        print(
            f'{other}: {rows[other]["score"]} points, {rows[other]["seconds"]} s of its '
            f'own, done after {done[other]:.1f} s: {rows[other]["note"]}'
        )
    wrong = [
        folder.name
        for folder in folders
        if rows[folder.name]['score'] != rows[folder.name]['max_score']
    ]
    print('without all points:', *wrong or ['none'])


def main(what='all'):
    """Measure both classes, or only the one with `attackers` or the one with `sleepers`."""
    if what != 'sleepers':
        bench(RIGHT, ATTACKERS, MAX_TIMES)
    if what != 'attackers':
        bench(
            RIGHT,
            {
                f'{name}-{number}': source
                for name, source in SLEEPERS.items()
                for number in range(SLEEPING // len(SLEEPERS))
            },
            MAX_TIMES,
        )
