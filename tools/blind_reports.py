"""Write the grader's reports about a sealed set of wrong programs (tests/blind/README.md)."""

import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOT_SUBMITTED = ('GAME', 'COMMAND', 'FAULTS.txt', 'REPORT.txt', '__pycache__')
PIPED = {'stdout': subprocess.PIPE, 'stderr': subprocess.STDOUT, 'text': True}


def main(number, target):
    """Unpack set `number`, and write a report about each of its programs into the folder `target`.

    Print for each program its game, its score, and the seconds of a processor that grading and
    explaining it took.
    """
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(ROOT / 'tests' / 'blind' / f'{number}.tar.xz') as archive:
            archive.extractall(folder)
        Path(target).mkdir(parents=True, exist_ok=True)
        for game in sorted(Path(folder).glob('*/GAME')):
            printed, seconds = report_on(game.parent)
            (Path(target) / f'{game.parent.name}.txt').write_text(printed, encoding='utf-8')
            score = printed.rstrip().rpartition('\n')[2]
            print(f'{game.parent.name}  {seconds:.1f} s  {score}', flush=True)


def report_on(program):
    """Return the report on the program in a folder, and the seconds of a processor that it took."""
    game = (program / 'GAME').read_text(encoding='utf-8').strip()
    own = program.parent / 'assignments' / game
    build, _, command = (program / 'COMMAND').read_text(encoding='utf-8').strip().rpartition(' && ')
    with tempfile.TemporaryDirectory() as folder:
        submission = Path(folder, 'program')
        shutil.copytree(program, submission, ignore=shutil.ignore_patterns(*NOT_SUBMITTED))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        words = ['grade', str(own) if own.is_dir() else game, str(submission), '--command', command]
        printed = subprocess.run(
            [sys.executable, str(ROOT / 'grading'), *words, *(['--build', build] if build else [])],
            check=False,
            **PIPED,
        ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return printed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
