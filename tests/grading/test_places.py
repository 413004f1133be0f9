"""Where to look in a program: the tracer, and the statements named in reports."""

import json
import math
import shutil
import sys
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest
from assigned import settings_for
from graders import BLOCK, explained_here, run_grader_here
from programs import write_files
from running import PYTHON, finished, rest_long, short_patience
from sandboxes import KINDS, skip_unless_discarded
from wrong_own import CALCULATOR, CALCULATORS, TEXTS

from grading.diagnosis.exchange import first_wrong_exchange
from grading.diagnosis.finding import Fault
from grading.diagnosis.places.ranking import scores_of
from grading.diagnosis.places.sources import MAX_BYTES, Sources, statements_in
from grading.diagnosis.places.trace import (
    Line,
    Occurrence,
    RaisedException,
    Trace,
    TracedStep,
    Write,
    wrong_write,
)
from grading.diagnosis.places.tracing import TRACER, TracedRuns
from grading.games.fault_kinds import CHECK, OTHER, RANGE_CHECK
from grading.games.nim.places_of_faults import CHOICE
from grading.games.traced_program import TracedProgram
from grading.installation import ROOT
from grading.limits import Limits
from grading.reports.results_json import to_json
from grading.sandbox.program import Program, script_of
from grading.sessions.transcript import parse
from grading.sessions.verdict import Dialogue, Failure, PlayedSession
from grading.submissions.which_program import OWN_PROGRAM_BOUNDS
from grading.workers.task import Task, grade_task

WRONG = CALCULATOR.replace(*CALCULATORS['a-wrong-word'])
TEXTS = tuple(TEXTS.items())
FEW = TEXTS[1], TEXTS[4]  # one of them exceeds the calculator's limit


def graded(folder, files, texts=FEW, **settings):
    """Return the results of a program (a string, or files); skip the test unless tracing works."""
    skip_unless_discarded()
    files = {'main.py': files} if isinstance(files, str) else files
    with nullcontext() if 'confine' in settings else explained_here():
        return to_json(
            grade_task(
                Task(
                    'submission',
                    write_files(folder / 'submission', files),
                    *settings_for('calculator', texts, **{'confine': 'none', **settings}),
                )
            )
        )


def places_in(results):
    """Return the places of all findings, in order."""
    return [place for finding in results['extra_data']['findings'] for place in finding['places']]


def named_lines(results):
    """Return the reason, the first line and the last line of each place."""
    return {(place['why'], place['first'], place['last']) for place in places_in(results)}


@pytest.mark.parametrize(
    ('source', 'settings', 'is_right'),
    [
        (CALCULATOR, {}, True),
        (WRONG, {'where': False}, True),
        ({'main.sh': 'echo a; read line; echo b'}, {'command': 'sh main.sh'}, False),
    ],
)
def test_correct_programs_and_other_languages_have_no_places(source, settings, is_right, tmp_path):
    """A wrong program has no places either if the search for them is off."""
    results = graded(tmp_path, source, **settings)
    assert places_in(results) == []
    assert (results['score'] > 0) is is_right


def test_a_package_and_a_module_in_a_folder(tmp_path):
    block = 'if __name__ == ' + '"__main__":\n    '
    files = {
        'game/__init__.py': '',
        'game/rules.py': 'WORD = "limits"\ndef say():\n    print(WORD)\n',
        'game/main.py': 'from . import rules\n'
        + WRONG.replace("print('limits')", 'rules.say()')
        + '\n'
        + block
        + 'pass\n',
    }
    where = places_in(graded(tmp_path, files))
    assert [(place['file'], place['first']) for place in where[:2]] == [
        ('game/rules.py', 3),
        ('game/main.py', 13),
    ]


def test_modules_of_the_program_with_names_of_the_library(tmp_path):
    modules = {'types.py': '', 'binascii.py': 'raise OSError'}
    alone, beside = (
        places_in(graded(tmp_path / name, {'main.py': f'{WRONG}\n{BLOCK}', **more}))
        for name, more in (('alone', {}), ('beside', modules))
    )
    assert beside == alone != []


def test_the_program_imports_its_own_modules(tmp_path):
    """The program gets its own modules, although the tracer uses modules of the library."""
    files = {
        'main.py': f'from types import say\n{WRONG}\n{BLOCK}'.replace("print('limits')", 'say()'),
        'types.py': 'def say():\n    print("limits")\n',
    }
    assert ('types.py', 2) in [
        (place['file'], place['first']) for place in places_in(graded(tmp_path, files))
    ]


def test_a_program_in_place(tmp_path, monkeypatch):
    skip_unless_discarded()
    write_files(tmp_path, {'main.py': WRONG})
    monkeypatch.chdir(tmp_path)
    results = to_json(
        grade_task(
            Task(
                'mine',
                None,
                *settings_for('calculator', FEW, confine='none', command=f'{PYTHON} -u main.py'),
            )
        )
    )
    assert {place['file'] for place in places_in(results)} == {'main.py'}
    folder = graded(tmp_path, {'main.py': (tmp_path / 'main.py').read_text(encoding='utf-8')})
    assert places_in(folder) == places_in(results)


def test_a_program_below_a_folder_that_is_too_large_to_copy(tmp_path, monkeypatch):
    """The grader then copies only the program's folder, for example from a home folder."""
    skip_unless_discarded()
    others = {f'a{number}.txt': '' for number in range(OWN_PROGRAM_BOUNDS.files)}
    write_files(tmp_path, {**others, 'x/y/main.py': WRONG})
    monkeypatch.chdir(tmp_path)
    command = f'{PYTHON} -u x/y/main.py'
    settings = settings_for('calculator', FEW, confine='none', command=command)
    results = to_json(grade_task(Task('mine', None, *settings)))
    assert {place['file'] for place in places_in(results)} == {'main.py'}


@pytest.mark.parametrize('best', KINDS)
def test_in_each_sandbox(tmp_path, best_sandbox, best):
    if not best_sandbox(best):
        pytest.skip('no run has file systems of its own here')
    for kind in (best, 'none'):
        results = graded(tmp_path, WRONG, FEW[1:], confine=kind)
        assert ('printed by', 12, 12) in named_lines(results)


def test_no_where_option(tmp_path):
    """With --no-where, the report shows no lines of the program."""
    skip_unless_discarded()
    write_files(tmp_path, {'main.py': 'print("b")\n', 'game.txt': '|a\n'})
    words = ['grade', tmp_path / 'game.txt', tmp_path / 'main.py', '--confine', 'none']
    assert '  printed by |main.py, line 1: print("b")' in run_grader_here(*words)[1]
    assert 'printed by' not in run_grader_here(*words, '--no-where')[1]


@pytest.mark.parametrize(
    ('words', 'number'),
    [
        (['python3', 'a.py'], 1),
        (['/usr/bin/python3.8', '-u', 'a.py', '-x'], 2),
        (['pypy3', '-X', 'dev', '-Wignore', '-m', 'a.b'], 4),
        (['C:\\py.exe', 'a.py'], 1),
        (['python3'], None),
        (['python3', '-c', 'pass'], None),
        (['python3', '-'], None),
        (['python3', '-m'], None),
        (['python3', '-i', 'a.py'], None),
        (['java', 'Game'], None),
        (['sh', '-c', 'python3 a.py'], None),
        (['pythonista', 'a.py'], None),
        ([], None),
    ],
)
def test_command_lines(words, number):
    assert script_of(words) == number


# Programs about which little is certain: the source, and all places a report may name.
NOTHING = {
    'prints something else when it is traced': (
        'import os\ntry:\n    os.fstat(199)\n    print("seen")\nexcept OSError:\n'
        '    print("limits")\n',
        set(),
    ),
    'prints something else each time': (
        'import time\nprint(time.time())\n',
        {('printed by', 2, 2)},
    ),
    'os.write': ('import os\nos.write(1, b"limits\\n")\n', set()),
    'a syntax error': ('print(\n', set()),
    'exits': ('import sys\nsys.exit(3)\n', set()),
    'an endless loop': ('import time\nwhile True:\n    time.sleep(1)\n', set()),
    'memory': ('a = []\nwhile True:\n    a.append(bytes(10**8))\n', {('ran', 1, 2)}),
    'endless output': (
        'while True:\n    print("limits" * 1000)\n',
        {('printed by', 2, 2), ('ran', 1, 1)},
    ),
    'huge output': ('print("limits\\n" * 2 * 10**4)\n', {('printed by', 1, 1)}),
}

TOTAL = (('a.txt', '|total\n'),)


@pytest.mark.parametrize('name', rest_long(NOTHING, 2))
def test_only_certain_places_are_reported(tmp_path, name):
    source, places = NOTHING[name]
    limited = {'confine': 'none'} if name == 'memory' else {}
    results = graded(tmp_path, source, TOTAL, timeout=short_patience(), **limited)
    assert results['score'] == 0
    assert named_lines(results) <= places


HOSTILE = """
import os
for number in range(3, 256):
    try:
        os.write(number, JUNK)
    except OSError:
        pass
print('limits')
"""

JUNK = {
    'lines': (
        b'F 1 2e2e2f2e2e2f6574632f706173737764\nL 1 1\nW 7 0 1 1\n'  # a file elsewhere
        b'F 1 6d61696e2e7079\nL 1 999999999\nR 1 999999999\n'  # a line beyond the end of the file
        b'W 99999999999 1\nR 1\nR x\nF\nL\nX\nW 1\nL ' + b'9' * 10**6 + b'\n'
    ),
    'no lines': b'\xff\0' * 10**6,
}


@pytest.mark.parametrize('name', JUNK)
def test_a_program_may_write_anything_to_the_tracer(tmp_path, name):
    places = places_in(graded(tmp_path, f'JUNK = {JUNK[name]!r}\n{HOSTILE}', TOTAL))
    assert [place for place in places if place['file'] != 'main.py' or place['last'] > 10] == []


def test_lines_that_the_tracer_cannot_have_written():
    trace = Trace.read(
        b'F 1 61\nF 2 zz\nF x 61\nL 1 3\nL 2 3\nL 1\nL 1 3 4\nW 5 9 1 2\nW\nW 1\n'
        b'R 1 3 7\nE 1 3 TypeError 61ff\nE 1 3 TypeError 62\nE 2 3 TypeError 61\n'
        b'E 1 3 type 61\nE 1 3 KeyboardInterrupt 61\nE 1 3 EOFError 61\n'
        b'E 1 x TypeError 61\nE 1 3 IndexError 6\nE 1 3 KeyError zz\nE 1 3\n'
        b'Q 1\n\nL 1 -3\nL 1 12345678901\nW 99999999999 0\nL 1 4'
    )
    assert trace.is_whole
    assert [set(step.lines) for step in trace.steps] == [{Line('a', 3)}, set()]
    assert [step.end for step in trace.steps] == [5, 5]
    assert trace.readers == [(Line('a', 3),)]
    assert trace.steps[1].raised == {
        RaisedException(Line('a', 3), 'TypeError'): Occurrence('a\\xff', 5)
    }


def test_long_names_of_files_and_names_in_several_spellings():
    names = ['a/' * 2048 + 'b', './x/../big', '././big']
    trace = Trace.read(
        ''.join(
            f'F {number} {name.encode().hex()}\nL {number} 1\n' for number, name in enumerate(names)
        ).encode()
    )
    assert [*trace.steps[0].lines] == [Line('big', 1)]


def test_the_number_of_bytes_read_from_files_is_limited(tmp_path):
    write_files(
        tmp_path,
        {
            'big': 'a\n' * MAX_BYTES,
            'one': 'b\n' * (MAX_BYTES // 4),
            'two': 'c\n' * (MAX_BYTES // 4),
            'three': 'd\n',
        },
    )
    sources = Sources(tmp_path)
    assert [sources.text(name, 1, 1) for name in ('big', 'one', 'two', 'three')] == [
        '',
        'b',
        'c',
        '',
    ]
    assert sources.text('a/' * 10**5, 1, 1) == ''


def test_source_in_reports_is_escaped(tmp_path):
    results = graded(tmp_path, "print('limits')    # \u202e\x1b[2J\n", TOTAL)
    text = json.dumps(results, ensure_ascii=False)
    assert r'# \\u202e\\x1b[2J' in text
    assert '\u202e' not in text


@pytest.mark.parametrize(
    'path',
    [
        '../secret.py',
        '/etc/passwd',
        'link.py',
        'folder',
        'a\0',
        '',
        '../back/main.py',
        '{}/back/main.py',
        'folder/../main.py',
    ],
)
def test_only_files_of_the_submission_are_read(tmp_path, path):
    """Not even a path out of the submission and back into it is read."""
    write_files(
        tmp_path,
        {'secret.py': 'secret\n', 'submission/folder/main.py': 'a\n', 'submission/main.py': 'a\n'},
    )
    (tmp_path / 'submission' / 'link.py').symlink_to(tmp_path / 'secret.py')
    (tmp_path / 'back').symlink_to(tmp_path / 'submission')
    path = path.format(tmp_path)
    sources = Sources(tmp_path / 'submission')
    assert sources.statement(Line(path, 1)) is None
    assert sources.text(path, 1, 9) == ''


SOURCES = [
    '(' * 10**4,
    'if a:\n' * 300,
    '\0',
    '"""',
    'a = (1,\n',
    'if a:\n  b\n c\n',
    '\ufeffa\n',
    '\x0c\n',
    'f"{' * 50,
    '\\',
    'a' * 10**5,
    '-' * 10**5 + '1',
    'async def\n',
    '',
]


def test_any_source_can_be_read(tmp_path):
    """If a file cannot be parsed, each of its lines is a statement."""
    files = {f'{number}.py': source for number, source in enumerate(SOURCES)}
    write_files(tmp_path, {**files, 'ast.py': '1 / 0', 'main.py': 'a = (1,\n2)', 'folder/a': ''})
    sources = Sources(tmp_path)
    found = {
        file: sources.statement(Line(file, 2))
        for file in [*files, 'ast.py', 'folder', 'none.py', 'a\0', '/etc/passwd', 'main.py']
    }
    assert {
        file: (statement.first, statement.last) for file, statement in found.items() if statement
    } == {
        **{f'{number}.py': (2, 2) for number in (1, 4, 5, 6, 7, 12)},
        'main.py': (1, 2),
    }


def test_statements():
    source = (
        'A = {1: 2,\n     3: 4}\ndef f(x, *,\n      z=1):\n    y = A\n    return f"{x} {y}"\n'
        'while A: A.pop()\nif (A and\n        f):\n    A.b[c] = 1; d = 2\nelif A:\n    pass\n'
        'try:\n    import e.f as g\nexcept (A, B) as h:\n    for i, j in k: break\n'
    )
    found = statements_in('a', source)
    assert [
        (
            statement.first,
            statement.last,
            statement.keyword,
            ' '.join(sorted(statement.sets)),
            statement.is_setting,
        )
        for statement in found
    ] == [
        (1, 2, '', 'A', True),
        (3, 4, 'def', 'f', False),
        (5, 5, '', 'y', False),
        (6, 6, 'return', '', False),
        (7, 7, 'while', 'A', False),
        (8, 9, 'if', '', False),
        (10, 10, '', 'b d', False),
        (11, 11, 'if', '', False),
        (12, 12, 'pass', '', False),
        (13, 13, 'try', '', False),
        (14, 14, 'import', '', False),
        (15, 15, 'except', '', False),
        (16, 16, 'for', 'i j', False),
    ]
    assert [statement.within for statement in found[:5]] == [None, None, found[1], found[1], None]
    assert found[3].names == {'x', 'y'}


def test_the_reasons_for_a_statement_add_up():
    source = 'a = 1\nb = a\nif b:\n    c = b\n    print(c)\nd = 0\npass\nimport e\n'
    found = {statement.first: statement for statement in statements_in('a', source)}

    def ranked(suspicions, focus, last, kind=OTHER):
        scores = scores_of(
            kind,
            {found[line]: value for line, value in suspicions.items()},
            {found[5]},
            found.values(),
            {found[line] for line in focus},
            [found[line] for line in last],
        )
        return [statement.first for statement in sorted(scores, key=scores.get, reverse=True)]

    # Suspicious statements come first, then statements the kind of fault points to, then statements
    # the output needs, nearest first. Statements that ran late count more, unless faults of this
    # kind occur long before the output that shows them.
    assert ranked({4: 0.5, 6: 0.1, 8: 0.5}, [6], [4, 3, 5]) == [4, 6, 3, 2, 1]
    assert ranked({}, [7], []) == [7, 4, 3, 2, 1]
    assert ranked({}, [7], [1, 2, 3, 4]) == [7, 4, 3, 2, 1]
    assert ranked({}, [7], [1, 2, 4, 3], CHECK) == [7, 4, 1, 2, 3]


# This program looks for a single pile of 1. None of its functions decides what it prints.
ENDS_EARLY = """\
import sys

def read():
    return [line.split(';') for line in sys.stdin.read().split()]

def state(piles):
    return '  '.join(map(str, piles))

def main():
    _, row, *moves = read()
    piles = list(map(int, row))
    text = ['Starting State:', state(piles)]
    for pile, taken in moves:
        piles[int(pile)] -= int(taken)
        text += ['State:', state(piles)]
    if piles.count(1) == 1:
        for line in text:
            print(line)
    else:
        print('Invalid Game.')

main()
"""
EARLY_END = (('a.txt', '$ nim_console.py recorded\n7;2\n3;4\n1;1\n0;2\n|Invalid Game.\n'),)


def test_functions_that_only_read_or_join_decide_nothing(tmp_path):
    found = named_lines(graded(tmp_path, ENDS_EARLY, EARLY_END))
    assert not [place for place in found if place[0] == 'decided by']
    assert any(why == 'ran' and first <= 16 <= last for why, first, last in found)


RECURSIVE = """\
def is_inside(board, row, column):
    return 0 <= row < len(board) and 0 <= column < len(board[0])

def run(board, row, column, step, mover, number=0):
    if not is_inside(board, row, column):
        return 0
    if board[row][column] in ('.', mover):
        return number if board[row][column] == mover else 0
    return run(board, row + step[0], column + step[1], step, mover, number + 1)

def flips(board, row, column, mover):
    found = []
    for step in [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x]:
        number = run(board, row + step[0], column + step[1], step, mover)
        found += [(row + n * step[0], column + n * step[1]) for n in range(1, number + 1)]
    return found

def is_legal(board, row, column, mover):
    if not is_inside(board, row, column):
        return False
    if board[row][column] != '.':
        return False
    found = flips(board, row, column, mover)
    return len(found) > 0

def can_move(board, mover):
    cells = [(row, column) for row in range(len(board)) for column in range(len(board[0]))]
    return any(is_legal(board, *cell, mover) for cell in cells)

def show(board):
    text = ''.join(map(''.join, board))
    print(f"B: {text.count('B')}  W: {text.count('W')}")
    for row in board:
        print(' '.join(row))

def ask(board, mover):
    while True:
        row, column = (int(number) - 1 for number in input().split())
        if is_legal(board, row, column, mover):
            break
        print('INVALID')
    print('VALID')
    return row, column

def main():
    print('FULL')
    rows, _, mover, wins = int(input()), input(), input(), input()
    board = [input().split() for _ in range(rows)]
    while can_move(board, mover) or can_move(board, 'BW'[mover == 'B']):
        if not can_move(board, mover):
            mover = 'BW'[mover == 'B']
        show(board)
        print('TURN:', mover)
        row, column = ask(board, mover)
        for y, x in [*flips(board, row, column, mover), (row, column)]:
            board[y][x] = mover
        mover = 'BW'[mover == 'B']
    show(board)
    more = sum(map(''.join(map(''.join, board)).count, 'B')) * 2
    more -= sum(cell != '.' for row in board for cell in row)
    more *= 1 if wins == '>' else -1
    print('WINNER:', 'B' if more > 0 else 'W' if more else 'NONE')

main()
"""
OTHELLO_SESSIONS = [
    (name, (ROOT / 'transcripts' / 'othello' / name).read_text(encoding='utf-8'))
    for name in (
        'occupied_by_the_mover.txt',
        'over_at_start_full_board.txt',
        'tie_of_fewest_discs.txt',
        'size_4x6.txt',
    )
]


def othello_places(folder, *changes):
    """Return the places of the first finding about an Othello program with some changes."""
    source = RECURSIVE
    for old, new in changes:
        assert source.count(old) == 1
        source = source.replace(old, new)
    results = graded(folder, source, OTHELLO_SESSIONS)
    return results['extra_data']['findings'][0]['places']


def test_where_a_missing_check_belongs(tmp_path):
    """The place is in the deciding function, after the checks that passed."""
    check = "    if board[row][column] != '.':\n        return False\n"
    places = othello_places(tmp_path, (f'{check}    found', '    found'))
    decided = [place for place in places if place['why'] == 'decided by']
    assert [(place['function'], place['first'], place['last']) for place in decided] == [
        ('is_legal', 21, 21)
    ]
    assert decided[0]['source'] == '    found = flips(board, row, column, mover)'


@pytest.mark.long
@pytest.mark.parametrize(
    ('old', 'new', 'line'),
    [
        ('        return 0\n', '        return number\n', 6),
        ('number if board[row][column] == mover else 0', 'number', 8),
    ],
)
def test_a_recursion_that_walks_over_cells_comes_before_what_prints(tmp_path, old, new, line):
    places = othello_places(tmp_path, (old, new))
    reasons = [place['why'] for place in places]
    assert reasons == sorted(reasons, key=lambda why: why in ('printed by', 'called by'))
    assert any(place['first'] <= line <= place['last'] for place in places)


# Each row: changes to RECURSIVE, and the reason and the line of the place to fix.
ASK = RECURSIVE[RECURSIVE.index('    while True:\n') : RECURSIVE.index('def main')]
WHILE = RECURSIVE[
    RECURSIVE.index('    while can_move') : RECURSIVE.index('        if not can_move')
]
PLACES = {
    'a helper that the condition of a walk calls': (
        [('0 <= row < len(board) and 0 <= column <', 'row < len(board) and column <')],
        ('ran', '    return row < len(board) and column < len(board[0])'),
    ),
    'a helper that does nothing yet': (
        [
            (
                '[*flips(board, row, column, mover), (row, column)]',
                'flips(board, row, column, mover)',
            ),
            (
                '            board[y][x] = mover\n',
                '            flip(board, y, x)\n        board[row][column] = mover\n',
            ),
            ('def main', 'def flip(board, y, x):\n    pass  # later\n\ndef main'),
        ],
        ('ran', '    pass  # later'),
    ),
    'the caller of a generator of runs': (
        [
            (
                'def flips(board, row, column, mover):\n    found = []',
                'def runs(board, row, column, mover):',
            ),
            ('        found += [', '        if number:\n            yield ['),
            (
                '    return found\n',
                '\ndef flips(board, row, column, mover):\n'
                '    found = next(runs(board, row, column, mover), [])\n    return found\n',
            ),
        ],
        ('ran', '    found = next(runs(board, row, column, mover), [])'),
    ),
    'what reads all input first': (
        [
            (
                'def is_inside',
                'import io, sys\nsys.stdin = io.StringIO(sys.stdin.read())\n\ndef is_inside',
            )
        ],
        ('read by', 'sys.stdin = io.StringIO(sys.stdin.read())'),
    ),
    'the loop that ends too early': (
        [
            (WHILE, '    for _ in range(1):\n'),
            ('    show(board)\n    more', '    return\n    more'),
        ],
        ('ran', '    for _ in range(1):'),
    ),
    'where a line that is never printed belongs': (
        [("    print('VALID')\n", '')],
        ('ran', '    return row, column'),
    ),
    'the literal with an empty line': (
        [("    print('VALID')\n", "    text = 'VALID\\n'\n    print(text)\n")],
        ('ran', "    text = 'VALID\\n'"),
    ),
    'what reads the setup': (
        [('for _ in range(rows)]', 'for _ in range(rows)][::-1]')],
        ('ran', '    board = [input().split() for _ in range(rows)][::-1]'),
    ),
    'the end of a recursion': (
        [('        return 0\n', '        return run(board, row, column, step, mover)\n')],
        ('ran', '    if not is_inside(board, row, column):'),
    ),
    'where a missing check belongs in a function that reads': (
        [
            (
                ASK,
                '    move = []\n    while not answer(board, mover, move):\n'
                "        print('INVALID')\n    print('VALID')\n    return move\n\n"
                'def answer(board, mover, move):\n'
                '    move[:] = (int(number) - 1 for number in input().split())\n'
                '    turned = flips(board, *move, mover)\n'
                '    return len(turned) > 0\n\n',
            ),
        ],
        ('decided by', '    turned = flips(board, *move, mover)'),
    ),
}


@pytest.mark.parametrize('name', rest_long(PLACES))
def test_the_place_to_fix_is_named(tmp_path, name):
    changes, (why, line) = PLACES[name]
    places = othello_places(tmp_path, *changes)
    assert [place['why'] for place in places if line in place['source'].split('\n')] == [why]


def test_the_last_output_of_a_program_that_ends_too_early_is_a_place(tmp_path):
    change = '        row, column = ask(board, mover)\n', '        return\n'
    places = othello_places(tmp_path, change)
    printed = [place['source'] for place in places if place['why'] == 'ends after']
    assert printed == ["        print('TURN:', mover)"]


CHOOSING = """\
def nim_sum(piles):
    return piles[0] ^ piles[1]

def choose(piles):
    if nim_sum(piles) == 0:
        return anything(piles)
    number = piles[0] ^ nim_sum(piles)
    return 0, piles[0] - number

def anything(piles):
    return 0, 0

def show(piles):
    print(piles)
"""


@pytest.mark.parametrize(
    ('kind', 'source', 'lines'),
    [
        (CHOICE, CHOOSING, [1, 2, 5, 6, 7, 8, 11]),
        (CHOICE, CHOOSING.replace('^', '+'), [1, 2, 5, 6, 7, 8, 11]),
        (RANGE_CHECK, 'def play(piles, pile):\n    assert pile < len(piles)\n    pile += 1\n', [2]),
    ],
)
def test_what_a_kind_of_fault_points_to(kind, source, lines):
    ran, none = {*statements_in('a.py', source)}, set()
    text = source.split('\n')
    program = TracedProgram(
        *(None, ran, ran, ran, none, none, none, none, none, none),
        lambda file, first, last: '\n'.join(text[first - 1 : last]),
    )
    assert sorted(statement.first for statement in kind.points_to(program)) == lines


def test_a_late_line_is_found_after_free_text():
    session, output = parse('|Hello\n1\n|One\n2\n', 'a.txt'), b'Hello\nOne\n'
    late = Failure('silent', 1, comes_late=True)
    played = PlayedSession(session, Dialogue.printing(['', '', output.decode()]), late)
    writes = [
        Write(start, end, crc32(output[start:end]), (Line('a.py', start),))
        for start, end in ((0, 6), (6, 10))
    ]
    trace = Trace(output, steps=[TracedStep(0, -1, writes=writes)])
    assert wrong_write(played, late, trace) == writes[1]


def test_the_time_of_tracing_is_bounded(tmp_path):
    """If a program is slow at each move, few runs are traced. Each run adds a line to a log."""
    log = tmp_path / 'log'
    reads = '    words = input().split()\n'
    slow = WRONG.replace(reads, f'{reads}    __import__("time").sleep(0.1)\n')
    slow += f'open({str(log)!r}, "a").write("run\\n")\n'
    graded(tmp_path, slow, TEXTS, limits=Limits(tracing=0.5))
    assert len(TEXTS) <= len(log.read_text().split()) < 2 * len(TEXTS)


def test_the_number_of_traced_runs_is_fixed(tmp_path):
    """The number does not depend on the time left, so a busy machine traces the same sessions."""
    wrong = {name: first_wrong_exchange(text.replace('|', '|x'), '').played for name, text in TEXTS}
    faults = [
        Fault(replace(failed, session=replace(failed.session, name=name)))
        for name, failed in wrong.items()
    ]
    for number in (0, 1, 3):
        played = []

        def play(session, *about):
            played.append(session.name)
            return Trace(status=0)

        runs = TracedRuns(play, Program(['python3', 'main.py'], tmp_path), math.inf, number, 0)
        runs.trace_all(
            faults, {fault.clearest.session.name: fault.clearest for fault in faults}, {}
        )
        assert len(played) == number


# The tracer

OTHERS = [f'python3.{minor}' for minor in range(8, 16)] + ['pypy3']


@cache
def interpreters():
    """Return the path of an interpreter of each installed version."""
    code = 'import sys; print(sys.implementation.name, sys.version_info[:2]); print(sys.executable)'
    found = {}
    beside = [path for name in OTHERS for path in Path.home().glob(f'.pyenv/versions/*/bin/{name}')]
    # Leave out scripts: they would take long to start an interpreter, or find none.
    on_path = [
        path
        for path in map(shutil.which, OTHERS)
        if path and not Path(path).read_bytes().startswith(b'#!')
    ]
    for python in [*beside, *on_path, sys.executable]:
        version, _, path = finished([python, '-c', code])[1].decode().strip().partition('\n')
        if path:
            found[version] = path
    return list(found.values())


def traced(folder, text='', words=('main.py',), python=sys.executable, options=('-S',)):
    """Return the trace of a program; check that the program does the same without the tracer.

    The default option skips `site`, so an interpreter starts in a third of the time.
    """
    plain = finished([python, *options, *words], text, cwd=folder)
    status, output, trace = finished(
        [python, *options, '-c', TRACER, 'lines', '', *words], text, cwd=folder
    )
    assert (status, output) == plain[:2]
    assert b'Traceback' not in trace
    return Trace.read(trace)


def numbers(step, file='main.py'):
    """Return the numbers of a file's lines that ran in a step."""
    return {line.number for line in step.lines if line.file == file}


ASKING = """\
def ask(question):
    return int(input(question))

def tell(number):
    if number > 5:
        print('more')
    else:
        print('less',
              number)

while True:
    number = ask('? ')
    tell(number)
"""


@pytest.mark.long
def test_steps_of_a_program(tmp_path):
    write_files(tmp_path, {'main.py': ASKING})
    for python in interpreters():
        trace = traced(tmp_path, '7\n', python=python)
        assert trace.is_whole
        # Some interpreters leave out line 11, because its condition is constant.
        assert [numbers(step) - {11} for step in trace.steps] == [
            {1, 2, 4, 12},
            {2, 5, 6, 12, 13},
            {2, 12},
        ]
        assert trace.readers[0] == (Line('main.py', 2), Line('main.py', 12))


def test_the_tracer_stops_after_a_number_of_lines(tmp_path, monkeypatch):
    """The tracer counts lines, not seconds, so its result does not depend on the machine."""
    monkeypatch.setattr(
        'test_places.TRACER', TRACER.replace('MAX_LINES = 1_000_000', 'MAX_LINES = 9')
    )
    write_files(tmp_path, {'main.py': 'for number in range(9):\n    number += 1\nprint(number)\n'})
    trace = traced(tmp_path)
    assert (trace.is_whole, [numbers(step) for step in trace.steps]) == (False, [{1, 2}])


def test_no_step_ends_where_nothing_is_printed(tmp_path):
    """PyPy writes an empty string before each input."""
    write_files(tmp_path, {'main.py': "a = input()\nprint(end='')\nb = input()\nprint(a + b)\n"})
    assert len(traced(tmp_path, '1\n2\n').steps) == 1


RAISING = """\
import json

class Mine(Exception):
    pass

def inner(number):
    return number + ''

def outer(work):
    try:
        work()
    except Exception:
        pass

int(input())
for _ in range(2):
    outer(lambda: inner(1))
    outer(lambda: json.loads(1))
    outer(lambda: json.loads('{'))
    outer(lambda: int('x'))
try:
    raise Mine
except Mine:
    print()
input()
outer(lambda: inner(''))
outer(lambda: inner(1))
"""


@pytest.mark.long
def test_exceptions_that_python_raises(tmp_path):
    """Each exception is recorded once in a step, at the innermost line of the program."""
    write_files(tmp_path, {'main.py': RAISING})
    for python in interpreters():
        *_, before, after = traced(tmp_path, '1\n2\n', python=python).steps
        assert [(raised.line.number, raised.type) for raised in before.raised] == [
            (7, 'TypeError'),
            (18, 'TypeError'),
            (20, 'ValueError'),
        ]
        assert [raised.line.number for raised in after.raised] == [7]
        assert 'x' in before.raised[RaisedException(Line('main.py', 20), 'ValueError')].text


# These programs read two lines, or all lines, and print after the first.
READERS = {
    'input': "a = input()\nprint(a)\nb = input('more? ')\nprint(b)\n",
    'readline': (
        'import sys\na = sys.stdin.readline()\nprint(a)\nb = sys.stdin.readline()\nprint(b)\n'
    ),
    'stdin': 'import sys\nfor line in sys.stdin:\n    print(line)\n',
    'iter': "for line in iter(input, '5'):\n    print(line)\nprint('end')\n",
    'fileinput': 'import fileinput\nfor line in fileinput.input():\n    print(line)\n',
    'read': 'import sys\nprint(sys.stdin.read())\n',
    'readlines': 'import sys\nprint(sys.stdin.readlines())\n',
    'buffer': 'import sys\nfor line in sys.stdin.buffer:\n    print(line)\n',
    'os.read': 'import os\nprint(os.read(0, 2))\nprint(os.read(0, 9))\n',
    'open': 'for line in open(0):\n    print(line)\n',
    'past the end': 'while True:\n    print(input())\n',
    'write': (
        "import sys\nsys.stdout.write('a' + input() + '\\n')\n"
        "sys.stdout.writelines(['b', input()])\n"
    ),
    'print to': 'import sys\nprint(input(), file=sys.stdout, flush=True)\nprint(input(), end="")\n',
    'print to the standard error': 'import sys\nprint(input(), file=sys.stderr)\nprint(input())\n',
    'os.write': "import os\nos.write(1, b'a\\n')\nprint(input())\n",
    'a buffer': "import sys\nsys.stdout.buffer.write(b'a\\n')\nprint(input())\n",
    'sys.exit': "import sys\nprint(input())\nsys.exit('enough')\n",
    'os._exit': 'import os\nprint(input(), flush=True)\nos._exit(7)\n',
    'a crash': 'print(input())\nprint(1 / 0)\n',
    'a syntax error': 'print(input()\n',
    'no characters': "print('\\ud800')\n",
    'bytes that are no source': '\udcff\n',
    'recursion': (
        'def f(n):\n    print(n)\n    return f(n - 1) if n else 0\nf(100)\nprint(input())\n'
    ),
    'endless recursion': (
        'def f(n):\n    return f(n + 1)\ntry:\n    f(0)\n'
        "except RecursionError:\n    print('deep')\nprint(input())\n"
    ),
    'a generator': (
        'def lines():\n    while True:\n        try:\n            yield input()\n'
        '        except EOFError:\n            return\n'
        'for line in lines():\n    print(line)\n'
    ),
    'exec': "exec('def f():\\n  print(input())\\nf()\\nf()')\n",
    'names in any script': "größe = int(input())\nπ = 'ж' * größe\nprint(π)\n",
    'threads': (
        'import threading\ndef work():\n    print(input())\n'
        'threads = [threading.Thread(target=work) for _ in range(2)]\n'
        'for thread in threads:\n    thread.start()\n    thread.join()\n'
    ),
    'a thread at the end': (
        'import threading, time\ndef work():\n    time.sleep(0.1)\n'
        '    print(input())\nthreading.Thread(target=work).start()\n'
    ),
    'sys.settrace': (
        'import sys\ndef trace(frame, event, argument):\n    return trace\n'
        'sys.settrace(trace)\nprint(input())\nprint(input())\nsys.settrace(None)\n'
    ),
    'sys.setprofile': (
        'import sys\ncalls = []\ndef f():\n    pass\n'
        'sys.setprofile(lambda *a: calls.append(a))\nf()\nsys.setprofile(None)\n'
        'print(input(), len(calls))\n'
    ),
    'another standard output': (
        'import io, sys\nold = sys.stdout\nsys.stdout = io.StringIO()\n'
        'print(input())\ntext = sys.stdout.getvalue()\nsys.stdout = old\n'
        'print(text, end=input())\n'
    ),
    'a new standard output': (
        "import sys\nsys.stdout = open(1, 'w', buffering=1)\nprint(input())\nprint(input())\n"
    ),
    'a new standard input': (
        'import sys\nsys.stdin = open(0)\nprint(input())\n'
        "for line in open(sys.stdin.fileno(), 'r', closefd=False):\n"
        '    print(line)\n'
    ),
    'os.fdopen': (
        "import os, sys\nsys.stdout = os.fdopen(1, 'w')\nprint(input(), flush=True)\n"
        'print(os.fdopen(0).read())\n'
    ),
    'bytes': (
        "import sys\nsys.stdout = open(1, 'wb', 0)\nsys.stdout.write(b'a\\n')\n"
        "sys.stdout.write(open(0, 'rb', 0).read())\n"
    ),
    'another file': "with open('main.py') as file:\n    print(file.read(), input())\n",
    'a detached one': (
        'import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.detach())\nprint(input())\n'
    ),
    'a configured one': (
        'import sys\nsys.stdout.reconfigure(line_buffering=True)\n'
        "sys.stdin.reconfigure(encoding='latin-1')\nprint(input())\n"
    ),
    'a closed one': 'import sys\nprint(input())\nsys.stdout.close()\n',
    'a fork': (
        'import os\nprint(input(), flush=True)\nif not os.fork():\n'
        "    print('child', flush=True)\n    os._exit(0)\nos.wait()\nprint(input())\n"
    ),
    'a child': (
        'import subprocess, sys\nprint(input(), flush=True)\n'
        "subprocess.run([sys.executable, '-c', 'print(input())'])\n"
    ),
    'atexit': "import atexit\natexit.register(print, 'bye')\nprint(input())\n",
    'warnings': "import warnings\nwarnings.warn('w')\nprint(input())\n",
    'all descriptors closed': 'import os\nos.closerange(3, 256)\nprint(input())\nprint(input())\n',
    'a change of folder': "import os\nprint(input())\nos.chdir('/')\nprint(input())\n",
    'what it is': (
        'import sys, os\n'
        'print(sys.argv, sys.path[0], __name__, type(__builtins__), __spec__, __doc__)\n'
        'print(sys.stdin.name, sys.stdin.mode, sys.stdin.encoding, sys.stdin.errors)\n'
        'print(sys.stdout.name, sys.stdout.mode, sys.stdout.encoding, '
        'sys.stdout.errors)\n'
        'print(sys.stdin.fileno(), sys.stdout.fileno(), sys.stdin.isatty())\n'
        'print(sys.modules["__main__"].__dict__ is globals(), sorted(globals()))\n'
        'print(__file__, __package__, os.path.basename(__loader__.path))\n'
    ),
    'dataclasses': (
        'from __future__ import annotations\nfrom dataclasses import dataclass\n'
        '@dataclass\nclass A:\n    a: int\nprint(A(int(input())))\n'
    ),
    'pickle': (
        'import pickle\nclass A:\n    pass\n'
        'print(type(pickle.loads(pickle.dumps(A()))).__module__, input())\n'
    ),
}
# These programs change nothing but the remaining input, so they can run one after the other.
IN_A_ROW = (
    'input',
    'iter',
    'write',
    'print to',
    'print to the standard error',
    'os.write',
    'a buffer',
    'recursion',
    'exec',
    'names in any script',
    'threads',
    'pickle',
    'another file',
    'warnings',
    'sys.setprofile',
    'another standard output',
    'a fork',
    'atexit',
    'a change of folder',
)


@pytest.mark.long
@pytest.mark.parametrize('name', [name for name in READERS if name not in IN_A_ROW])
def test_tracing_does_not_change_a_program(tmp_path, name):
    source = READERS[name].encode(errors='surrogateescape')
    write_files(tmp_path, {'main.py': source})
    traced(tmp_path, '5\nlast\n', ('main.py', 'a b', '-c'))


def test_tracing_does_not_change_many_programs_in_a_row(tmp_path):
    write_files(tmp_path, {'main.py': ''.join(READERS[name] for name in IN_A_ROW)})
    assert traced(tmp_path, 30 * '5\n').is_whole


@pytest.mark.parametrize('options', [('-u',), ('-O', '-B'), ('-I',), ('-X', 'utf8'), ()])
def test_options_of_the_interpreter(tmp_path, options):
    write_files(tmp_path, {'main.py': READERS['what it is'] + READERS['input']})
    traced(tmp_path, '5\nlast\n', options=options)


def test_a_module_of_a_package(tmp_path):
    what = 'import sys\nprint(sys.argv, sys.path[0], __name__, __package__, __file__)\n'
    write_files(
        tmp_path, {'game/__init__.py': 'a = 1\n', 'game/__main__.py': what + READERS['input']}
    )
    trace = traced(tmp_path, '5\nlast\n', ('-m', 'game', 'a'))
    assert trace.readers[0] == (Line('game/__main__.py', 3),)


def test_the_block_that_starts_a_program_is_not_suspected():
    block, call = statements_in('a.py', BLOCK.replace(' pass', '\n    main()'))
    scores = scores_of(OTHER, {block: 1.0, call: 1.0}, [], [block, call], [], [block, call])
    assert [*scores] == [call]
