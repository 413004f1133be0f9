"""A place for everybody: what attackers cost the others of a class. Run it by `make bench-class`.

The right programs are graded alone, then behind all attackers, by the grader as a whole.
"""

import csv
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from programs import our_pair, read_sample, write_files

from grading.installation import ROOT

RIGHT = 24
MOST_TIMES, MOST_LATER = 3, 240         # what the assignment of places promises
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
        'input()', '[input(), sum(number * number for number in range(10 ** 7))][0]'),
    'a-maps': 'import mmap, os\nheld = mmap.mmap(os.open("/dev/zero", os.O_RDWR), 2 << 30,\n'
              '                 mmap.MAP_SHARED)\n'
              'for place in range(0, len(held), 4096):\n    held[place] = 1\n'
              'held.madvise(mmap.MADV_DONTNEED)\nwhile True:\n    pass\n'}


def graded(folders, out):
    """Grade a class; return its rows, and when each was done, in seconds from the beginning."""
    begin, done = time.monotonic(), {}
    command = [sys.executable, '-m', 'grading', 'grade', 'othello', '--out', str(out),
               *map(str, folders)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, encoding='utf-8') as grader:
        for line in grader.stdout:
            if line.startswith('['):
                done[line.split()[1].rstrip(':')] = time.monotonic() - begin
    with open(out / 'grades.csv', encoding='utf-8-sig', newline='') as rows:
        return {row['submission']: row for row in csv.DictReader(rows)}, done


def main(number=RIGHT):
    """Print what so many right programs take alone, and behind the attackers."""
    with tempfile.TemporaryDirectory(prefix='bench-') as name:
        scratch = Path(name)
        right = [write_files(scratch / f'right-{one:02}', our_pair('othello'))
                 for one in range(int(number))]
        attackers = [write_files(scratch / attacker, {'main.py': source})
                     for attacker, source in ATTACKERS.items()]
        _, alone = graded(right, scratch / 'alone')
        rows, done = graded([*attackers, *right], scratch / 'together')
    last = max(done[folder.name] for folder in right)
    most = MOST_TIMES * max(alone.values())
    print(f'{number} right programs alone: {max(alone.values()):.1f} s')
    print(f'behind {len(attackers)} attackers: the last right one after {last:.1f} s (at most '
          f'{most:.1f}), all after {max(done.values()):.1f} s (at most {last + MOST_LATER:.1f})')
    for attacker in ATTACKERS:
        print(f'{attacker}: {rows[attacker]["score"]} points, {rows[attacker]["seconds"]} s of its '
              f'own, done after {done[attacker]:.1f} s: {rows[attacker]["note"]}')
    wrong = [folder.name for folder in right
             if rows[folder.name]['score'] != rows[folder.name]['max_score']]
    print('without all points:', *wrong or ['none'])
