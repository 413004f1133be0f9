"""Signals end the grader at any moment: soon, with their status, and without a traceback."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from graders import command_of_grader
from running import SECONDS, child_environment
from tables import each

from grading.installation import ROOT
from grading.signals import ENDING_SIGNALS

LONGEST = 3.0                           # seconds that the grader works before it is ended


def ended_after(seconds, number, folder, has_out):
    """Grade by very many fresh games, end it after some time; return status and standard error."""
    folder.mkdir(exist_ok=True)
    submission = folder / 'sub'
    submission.mkdir(exist_ok=True)
    for module in ('othello_logic.py', 'othello_console.py'):
        (submission / module).write_bytes((ROOT / module).read_bytes())
    process = subprocess.Popen(
        command_of_grader('grade', 'othello', submission, '--fresh', '100000', '--confine', 'none',
                          *['--out', folder / 'out'] * has_out),
        cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**child_environment(), 'TMPDIR': str(folder)}, start_new_session=True)
    try:
        time.sleep(seconds)
        os.killpg(process.pid, number)  # as a terminal does
        _, errors = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
        process.wait()
    left = [path.name for path in folder.iterdir() if path.name not in ('sub', 'out')]
    return process.returncode, errors.decode(), left


def check(seed, folder):
    """End the grader by a signal at a moment that the seed chooses."""
    rng = Random(seed)
    number = rng.choice(ENDING_SIGNALS)
    has_out = seed % 2 == 0
    status, errors, left = ended_after(rng.uniform(0.5, LONGEST), number, folder, has_out)
    assert (status, left) == (128 + number, []), errors
    assert errors.splitlines()[-1] == f'grading: ended by {signal.Signals(number).name}' + (
        '; start it again to go on' if has_out else '')
    assert 'Traceback' not in errors


@each('seed', [1, 2])
def test_a_signal_ends_the_grader(seed, tmp_path):
    check(seed, tmp_path)


def main(count='60'):
    """Check as many moments."""
    for seed in range(int(count)):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            check(seed, Path(folder))
        print(seed, f'{time.monotonic() - begin:.1f} s', file=sys.stderr)
