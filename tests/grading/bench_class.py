"""A place for everybody: what attackers cost the others of a class. Run it by `make bench-class`.

The right programs are graded alone, then behind all attackers, by the grader as a whole.
"""

import csv
import subprocess
import tempfile
import time
from pathlib import Path

from graders import command_of_grader
from programs import our_pair, read_sample, write_files

from grading.installation import ROOT

RIGHT = 24
MOST_TIMES, MOST_LATER = 3, 240  # what the assignment of places promises
RIGHT_PROGRAM = read_sample('othello')
ATTACKERS = {
    'a-burns': 'import os\nfor _ in range(5):\n    os.fork()\nwhile True:\n    pass\n',
    # What falls silent among others is played again alone; there it is silent, too.
    'a-is-silent': 'import time\ntime.sleep(600)\n',
    'a-trickles': 'import time\nfor character in "FULL\\n" * 100:\n'
    '    print(end=character, flush=True)\n    time.sleep(4)\n',
    'a-floods': 'import os\nwhile True:\n    os.write(1, b"FULL\\n" * 4096)\n'
    '    os.write(2, b"error\\n" * 4096)\n',
    # Each answer is right, but comes only after much work.
    'a-searches': RIGHT_PROGRAM.replace(
        'input()', '[input(), sum(number * number for number in range(10 ** 7))][0]'
    ),
    'a-maps': 'import mmap, os\nheld = mmap.mmap(os.open("/dev/zero", os.O_RDWR), 2 << 30,\n'
    '                 mmap.MAP_SHARED)\n'
    'for place in range(0, len(held), 4096):\n    held[place] = 1\n'
    'held.madvise(mmap.MADV_DONTNEED)\nwhile True:\n    pass\n',
}


# Each does next to nothing, and takes as long as it may; there are so many of them.
SLEEPERS = {
    'a-sleeps': 'import time\ntime.sleep(600)\n',
    'a-trickles-on': 'import time\nwhile True:\n    print(end="F", flush=True)\n'
    '    time.sleep(0.2)\n',
}
MOST_SLEEPING, FEW_RIGHT = 16, 8
SLEEPING_TIMES = 2  # what the right ones take alone


def graded(folders, out):
    """Grade a class; return its rows, and when each was done, in seconds from the beginning."""
    begin, done = time.monotonic(), {}
    command = command_of_grader('grade', 'othello', '--out', out, *folders)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, encoding='utf-8') as grader:
        for line in grader.stdout:
            if line.startswith('['):
                done[line.split()[1].rstrip(':')] = time.monotonic() - begin
    with open(out / 'grades.csv', encoding='utf-8-sig', newline='') as rows:
        return {row['submission']: row for row in csv.DictReader(rows)}, done


def bench(right, others, times):
    """Print what right programs take alone, and behind others that come first."""
    with tempfile.TemporaryDirectory(prefix='bench-') as name:
        scratch = Path(name)
        folders = [
            write_files(scratch / f'right-{one:02}', our_pair('othello')) for one in range(right)
        ]
        first = [
            write_files(scratch / other, {'main.py': source}) for other, source in others.items()
        ]
        _, alone = graded(folders, scratch / 'alone')
        rows, done = graded([*first, *folders], scratch / 'together')
    last = max(done[folder.name] for folder in folders)
    print(f'{right} right programs alone: {max(alone.values()):.1f} s')
    print(
        f'after {len(others)} others: the last right one after {last:.1f} s (at most '
        f'{times * max(alone.values()):.1f}), all after {max(done.values()):.1f} s (at most '
        f'{last + MOST_LATER:.1f})'
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
    """Run both measurements, or only `attackers` or `sleepers`."""
    if what != 'sleepers':
        bench(RIGHT, ATTACKERS, MOST_TIMES)
    if what != 'attackers':
        bench(
            FEW_RIGHT,
            {
                f'{name}-{number}': source
                for name, source in SLEEPERS.items()
                for number in range(MOST_SLEEPING // len(SLEEPERS))
            },
            SLEEPING_TIMES,
        )
