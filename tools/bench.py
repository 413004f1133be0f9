"""Measure what the games cost: `make bench`. BENCH_PYTHON is the interpreter to measure.

Every round runs each command once, so that a busy machine slows all of them alike. Processor time
is measured, because other load on the machine changes it less than elapsed time. For each session,
the median of all rounds is printed; a ratio of 1.2 means that the session takes a fifth more time
than a bare start of Python.
"""

import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from nim_logic import NimGame
from othello_logic import OthelloGame

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 40
PERFT_DEPTH = 7
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith('PYTHON')}


def othello_session(size):
    """Return the name, the console and the input of a random game on a square board."""
    rng = random.Random(size)
    game = OthelloGame(size, size)
    lines = [str(size), str(size), 'B', '>', str(game)]
    while not game.is_over():
        move = rng.choice(game.legal_moves())
        game.make_move(*move)
        lines.append('{} {}'.format(*move))
    return (
        f'Othello {size}x{size}, {len(lines) - 5} moves',
        'othello_console.py',
        '\n'.join([*lines, '']),
    )


def recorded_session(piles, count, is_valid):
    """Return the name, the console and the input of a recorded game of random moves.

    Unless `is_valid`, the last move takes too many counters.
    """
    rng = random.Random(count)
    moves = [(rng.randrange(piles), rng.randint(1, 3)) for _ in range(count)]
    sizes = [0] * (piles - 1) + [1]
    for pile, taken in moves:
        sizes[pile] += taken
    lines = [
        f'{sum(sizes)};{piles}',
        ';'.join(map(str, sizes)),
        *(f'{pile};{taken}' for pile, taken in moves),
    ]
    name = f'Nim, {piles:,} piles, {count:,} moves'
    if not is_valid:
        lines[-1] += '0'  # ten times as many counters
        name += ', invalid'
    return name, 'nim_console.py', '\n'.join([*lines, ''])


def seconds_of(command, text):
    """Return how many seconds of processor time a command needs for the input `text`."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, input=text.encode(), env=ENVIRONMENT, stdout=subprocess.DEVNULL, check=True
    )
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def bench_sessions():
    """Print the processor time of whole sessions, and its ratio to a bare start of Python."""
    runs = [('bare start of Python', [sys.executable, '-c', 'pass'], '')] + [
        (name, [sys.executable, str(ROOT / console)], text)
        for name, console, text in [
            *map(othello_session, (4, 8, 16)),
            recorded_session(3, 9, True),
            recorded_session(1000, 5000, True),
            recorded_session(1000, 10_000, True),
            recorded_session(1000, 10_000, False),
        ]
    ]
    times = {name: [] for name, _, _ in runs}
    for _ in range(ROUNDS):
        for name, command, text in runs:
            times[name].append(seconds_of(command, text))
    medians = {name: statistics.median(measured) for name, measured in times.items()}
    start_alone = medians['bare start of Python']
    for name, median in medians.items():
        print(f'{name:55} {median * 1000:6.1f} ms   {median / start_alone:5.2f}')


def perft(game, depth, in_bulk=True):
    """Count all games of `depth` moves, through the public interface, and return their number.

    With `in_bulk`, the last moves are only counted; otherwise, each of them is made on a copy.
    """
    if depth == 0:
        return 1
    if depth == 1 and in_bulk:
        return len(game.legal_moves())
    count = 0
    for move in game.legal_moves():
        child = game.copy()
        child.make_move(*move)
        count += perft(child, depth - 1, in_bulk)
    return count


def bench_perft():
    """Print how many games per second `perft` counts."""
    for name, in_bulk in (('OthelloGame', True), ('OthelloGame, each move made on a copy', False)):
        best = 0.0
        for _ in range(ROUNDS // 8):
            start = time.process_time()
            nodes = perft(OthelloGame(), PERFT_DEPTH, in_bulk)
            best = max(best, nodes / (time.process_time() - start))
            assert nodes == 55092
        print(f'{"perft 7, " + name:55} {best / 1000:6.0f} k/s')


def bench_winning_moves():
    """Print how long `winning_moves` takes for a huge position."""
    rng = random.Random(1000)
    for rule, rules in (
        ('normal', {}),
        ('a limit', {'max_take': 10**500}),
        ('misère', {'misere': True}),
    ):
        game = NimGame([rng.randrange(10**1000) for _ in range(1000)], **rules)
        best = float('inf')
        for _ in range(ROUNDS):
            start = time.process_time()
            game.winning_moves()
            best = min(best, time.process_time() - start)
        name = f'winning_moves, 1,000 piles of 1,000 digits, {rule}'
        print(f'{name:55} {best * 1000:6.2f} ms')


def main():
    """Print all measurements."""
    print(
        f'{platform.python_implementation()} {platform.python_version()}, {sys.executable}, '
        f'{ROUNDS} rounds'
    )
    bench_sessions()
    bench_perft()
    bench_winning_moves()
