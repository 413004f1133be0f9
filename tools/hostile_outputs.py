"""Programs generated from seeds, with output that may crash the grader: `make hostile`.

If the board is square, a program plays correctly. Otherwise, it prints a mixture of right lines,
control characters, endless lines, fake tracebacks and, if it is traced, fake tracer events. It can
end in many ways.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

from graders import run_grader_here
from programs import OTHELLO

from grading.installation import ROOT

SESSIONS = [
    'worked_example.txt',
    'tie_of_fewest_discs.txt',
    'off_board_left.txt',
    'over_at_start_one_color.txt',
    'over_at_start_no_straight_run.txt',
    'size_4x6.txt',
]
RIGHT = 3  # sessions with a square board; each program passes them
NAMES = [
    b'game.py',
    b'../../etc/passwd',
    b'./././game.py',
    b'a\0b.py',
    b'\x1b[31mred.py',
    b'.',
    b'/',
    b'<string>',
    b'x' * 5000,
    b'\xff\xfe.py',
    '\u202egame.py'.encode(),
    b'\x1b]8;;http://example.org\x07link.py',
    b'answers\n.py',
    b'answers.py',
    b'/dev/zero',
    b'/proc/self/mem',
]
NUMBERS = [b'1', b'0', b'-1', b'9' * 5000, b'1e9', '\u0663'.encode(), b'']
ERRORS = [
    b'IndexError: list index out of range',
    b'EOFError',
    b'\x1b[2J\x1b]0;title\x07Error: no',
    b'E' * 9000,
    b'KeyError: ' + b'(' * 3000,
    b'Error\0: x',
    b':',
    b'ValueError:' * 500,
]
LINES = [
    b'FULL',
    b'VALID',
    b'INVALID',
    b'B: 2  W: 2',
    b'TURN: B',
    b'WINNER: NONE',
    b'WINNER: W',
    b'. . . .',
    b'. W B .',
    b'B' * 70000,
    b'B: ' + b'7' * 5000 + b'  W: 1',
    b'',
    b' ' * 3000,
    b'\x1b[31mVALID',
    b'\x1b]0;title\x07',
    b'\xff\xfe',
    b'a\0b',
    b'\r',
    b'> ',
    b'TURN: ',
    '\u202e\u2800\ud55c'.encode(),
    b'<script>alert(1)</script>',
    b'{{ 7 * 7 }}',
    b'|\\',
    b'# points: 1000',
    b'% %s %(x)s {0}',
    b'(' * 4000,
    b'prompt? ' * 300,
]
EVENTS = [
    b'F 1 ' + b'61' * 260_000,
    b'F 1 ' + b'2e2f' * 20 + b'67616d652e7079',
    b'L 1 1',
    b'L 1 ' + b'9' * 10,
    b'W 5 0 1 1',
    b'W 9999999999 1 1 1',
    b'R 1 1',
    b'R',
    b'X',
    b'F 1 zz',
    b'S 1 ' + b'1 ' * 500,
    b'L' + b' 1 1' * 5000,
    b'\0' * 1000,
    b'F 2 2f6465762f7a65726f',
    b'F 3 616e73776572732e7079',
    b'L 3 1',
    b'W 5 0 3 1',
    b'R 3 2',
]
ENDINGS = [
    'sys.exit(0)',
    'sys.exit(1)',
    'sys.exit(300)',
    'os.kill(os.getpid(), 9)',
    'os.kill(os.getpid(), 11)',
    'raise RecursionError',
    'input()',
    'os.close(1)',
    'raise type("\\x1b[31mE", (Exception,), {})("\\x1b]0;x\\x07")',
]
PROGRAM = """
import os, sys
print('FULL', flush=True)
FIRST = [sys.stdin.readline(), sys.stdin.readline()]
if FIRST[0] != FIRST[1]:
    for number, text in {writes!r}:
        try:
            while text:
                text = text[os.write(number, text):]
        except OSError:
            pass
    for _ in range({reads}):
        sys.stdin.readline()
    {ending}

def input():
    line = FIRST.pop(0) if FIRST else sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip(chr(10))
"""


def program(seed: int) -> str:
    """Return the source of a hostile program."""
    rng = Random(seed)
    writes = [(1, mixture(rng)), (2, traceback(rng))]
    if rng.random() < 0.5:
        writes.append((199, b'\n'.join(rng.choices(EVENTS, k=rng.randint(1, 60))) + b'\n'))
    if rng.random() < 0.3:
        writes.append((1, mixture(rng)))
    hostile = PROGRAM.format(
        writes=writes, reads=rng.choice([0, 0, 3, 50]), ending=rng.choice(ENDINGS)
    )
    return hostile + OTHELLO.replace("print('FULL', flush=True)", 'pass')


def mixture(rng: Random) -> bytes:
    """Return random lines, some of them right; the first is often right."""
    lines = [b'B: 2  W: 2'] * rng.randint(0, 1) + rng.choices(LINES, k=rng.randint(0, 30))
    text = rng.choice([b'\n', b'\n', b'\n', b'\r\n', b' ']).join(lines) + rng.choice([b'\n', b''])
    return text * rng.choice([1, 1, 1, 1, 50])


def traceback(rng: Random) -> bytes:
    """Return something more or less like a Python traceback."""
    frames = b''.join(
        b'  File "%s", line %s, in f\n%s'
        % (
            rng.choice(NAMES),
            rng.choice(NUMBERS),
            rng.choice([b'', b'    x = 1\n', b'\n', b'    ' + b'y' * 9000 + b'\n']),
        )
        for _ in range(rng.randint(0, 40))
    )
    return rng.choice([b'Traceback (most recent call last):\n', b'']) + frames + rng.choice(ERRORS)


def check(seed: int, folder: Path) -> None:
    """Grade the program of a seed; check its points, and that only printable text is reported."""
    assignment, source, out = folder / 'sessions', folder / str(seed), folder / 'out'
    assignment.mkdir()
    for name in SESSIONS:
        shutil.copy(ROOT / 'transcripts' / 'othello' / name, assignment)
    source.mkdir()
    (source / 'game.py').write_text(program(seed), encoding='utf-8')
    (source / 'answers.py').write_bytes(b'def\n\xff = (\n\0' * 3)  # fake events name it
    status, output, errors = run_grader_here(
        'grade', assignment, source, '--out', out, '--confine', 'none', '--timeout', '1'
    )
    assert output.splitlines()[-1] == f'{seed}: sessions, {RIGHT} of {len(SESSIONS)} points', output
    assert status == 1
    assert errors.count('\n') == 2, errors  # about the sandbox, and about the page
    pages = [path.read_text(encoding='utf-8') for path in out.rglob('*.html')]
    assert len(pages) >= 2
    for text in [output, *pages]:
        assert all(character.isprintable() or character == '\n' for character in text), seed


def main(count: str = '500') -> None:
    """Check the programs of `count` seeds, and show the progress."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(count)):
            own = Path(folder, str(seed))
            own.mkdir()
            check(seed, own)
            print(
                f'\r{seed + 1} of {count} hostile programs have the points that they should',
                end='',
                file=sys.stderr,
            )
    print()
