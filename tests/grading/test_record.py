"""Recording by a program that is not ours, in lock step."""

from __future__ import annotations

import pytest
from graders import run_grader_here
from independent import write_files
from running import PYTHON, short_patience

import grading.sessions.record
from grading.sessions.transcript import TranscriptError

SCENARIO = '# A sum.\n$ sum.py --of 2\n3\n# and\n4\n'
SOLUTION = '''import sys, time
assert sys.argv[1:] == ['--of', '2']
print('Sum')
print('First? ', end='', flush=True)
first = int(sys.stdin.readline())
time.sleep(0.1)                 # it thinks, and does not wait
print('Thank you.')
print('Second? ', end='')
time.sleep(0.1)
print(first + int(input()))
'''
RECORDED = ('# A sum.\n$ sum.py --of 2\n|Sum\n|First? \\\n3\n|Thank you.\n|Second? \\\n# and\n4\n'
            '|7\n')


@pytest.fixture
def record(tmp_path):
    """Record a scenario by a program; return (what the command says, what the file holds)."""
    def record(source, scenario=SCENARIO):
        path = write_files(tmp_path, {'a.txt': scenario, 'sum.py': source}) / 'a.txt'
        words = f'{PYTHON} {tmp_path / "sum.py"}'
        return (*run_grader_here('record', path, '--command', words),
                path.read_text(encoding='utf-8'))
    return record


def test_what_is_printed_before_an_input_stands_before_it(record):
    assert record(SOLUTION) == (0, '', '', RECORDED)
    assert record(SOLUTION, RECORDED) == (0, '', '', RECORDED)


def test_where_nobody_can_look_a_program_that_is_silent_waits(record, monkeypatch):
    monkeypatch.setattr(grading.sessions.record, 'waits_for_input', lambda group: None)
    assert record(SOLUTION) == (0, '', '', RECORDED)


def test_a_program_that_reads_all_before_it_prints_has_its_input_ended(record):
    status, _, errors, text = record('import sys\nprint(sum(map(int, sys.stdin)))\n', '3\n4\n')
    assert (status, text) == (0, '3\n4\n|7\n')
    assert 'nothing was printed before the last line had been read' in errors


@pytest.mark.parametrize(('source', 'message'), [
    (SOLUTION + 'input()\n', 'a.txt:5: an input line is missing after this one'),
    (SOLUTION + 'sys.exit("no")\n', 'a.txt:5: the program ends with exit status 1: no'),
    (SOLUTION.replace('int(input())', '9'), "a.txt:5: not read any more: '4'"),
    (SOLUTION.replace('first +', 'time.time_ns() +'),
     'a.txt:5: the program answers differently the second time'),
    (SOLUTION + 'while True: print("x" * 1000)\n', 'a.txt:5: the program prints without end'),
    (SOLUTION + 'time.sleep(600)\n', 'a.txt:5: the program neither waits for input nor ends'),
    (SOLUTION + 'sys.stdout.buffer.write(b"\\xff")\n', 'a.txt:5: the program prints what is no'),
    (SOLUTION + 'print("a\\\\")\n', "a.txt: a transcript cannot hold 'a\\\\'"),
    ('input()\ninput()\ninput()\n', 'a.txt:5: the program ends with exit status 1: EOFError'),
], ids=['unfinished', 'status', 'unread', 'chance', 'flood', 'hangs', 'bytes', 'format', 'silent'])
def test_what_is_refused(source, message, record, monkeypatch):
    if 'sleep(600)' in source:
        monkeypatch.setattr(grading.sessions.record, 'LINE_SECONDS', 2 * short_patience())
    status, output, errors, text = record(source)
    assert (status, output, text) == (2, '', SCENARIO)
    assert message in errors
    assert errors.count('\n') == 1


def test_a_program_that_cannot_be_started(tmp_path):
    path = write_files(tmp_path, {'a.txt': SCENARIO}) / 'a.txt'
    status, _, errors = run_grader_here('record', path, '--command', 'no_such_program')
    assert status == 2, errors
    assert path.read_text(encoding='utf-8') == SCENARIO
    with pytest.raises(TranscriptError):
        grading.sessions.record.record_by(['no_such_program'], path)
