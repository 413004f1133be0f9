"""Late output counts if an assignment does not require flushing."""

import re

import internals
import pytest
from graders import FAST, run_grader_here
from programs import changed, write_files
from running import PYTHON, rest_long

from grading.sessions.late_output import as_if_flushed
from grading.sessions.transcript import parse
from grading.sessions.verdict import Dialogue, failure_in

# The start of a program that prints only when its buffer is full, or at its end.
BUFFERED = """import sys
out = open(1, 'w', buffering=1 << 16, closefd=False)
"""
TWICE = (
    BUFFERED
    + """for _ in range(2):
    print('Number?', end=' ', file=out)
    number = int(input())
    print('Twice:', 2 * number, file=out)
out.flush()
"""
)
WITH_A_THREAD = """import threading, time
threading.Thread(target=time.sleep, args=(99,), daemon=True).start()
"""
SESSIONS = {
    'prompts that are recorded': '|Number? \\\n3\n|Twice: 6\n|Number? \\\n4\n|Twice: 8\n',
    'prompts that are free': '# prompts: free\n3\n|Twice: 6\n4\n|Twice: 8\n',
    'a line by a pattern': '# prompts: free\n3\n# regex\n|Twice: \\d\n4\n# free\n|Twice: 8\n',
    'whitespace that does not count': '# prompts: free\n# ignore: whitespace\n3\n|Twice:  6\n4\n|Twice: 8\n',
}
SESSIONS['an exit status'] = '# exit status: not 0\n' + SESSIONS['prompts that are free']
SESSIONS['the end of input'] = SESSIONS['prompts that are free'] + '# end of input\n'
PROGRAMS = {
    'an exit status': TWICE + 'sys.exit(3)\n',
    'the end of input': TWICE.replace('out.flush', 'ended = sys.stdin.read()\nout.flush'),
}


@pytest.fixture
def grade(tmp_path):
    def grade(session, source, flush=''):
        course = write_files(
            tmp_path / 'course', {'one.txt': session, 'assignment.ini': flush or 'title = Course\n'}
        )
        folder = write_files(tmp_path / 'submitted', {'main.py': source})
        return run_grader_here(
            'grade', course, folder, '--command', f'{PYTHON} main.py', *FAST, '--timeout', '1'
        )[:2]

    return grade


@pytest.mark.parametrize('name', rest_long(SESSIONS, 3))
def test_late_output_that_is_right_gets_the_points(name, grade):
    source = PROGRAMS.get(name, TWICE)
    assert grade(SESSIONS[name], source) == (
        0,
        'passed  1 session\n\nsubmitted: Course, 1 of 1 points\n',
    )
    status, output = grade(SESSIONS[name], source, 'title = Course\nflush = required\n')
    assert (status, output.splitlines()[-1]) == (1, 'submitted: Course, 0 of 1 points')


def test_a_program_that_only_seems_to_wait_gets_its_points_for_late_output(grade):
    session = SESSIONS['prompts that are free']
    assert grade(session, WITH_A_THREAD + TWICE)[0] == 0


WRONG = {
    'a wrong line': (
        ('2 * number', '3 * number'),
        'one.txt:3: not the expected output\n  typed    |3    (line 2)\n  expected |Twice: 6\n'
        '  printed  |Twice: 9\n',
    ),
    'a wrong line in a later turn': (
        ('2 * number', '6 + number // 4'),
        'one.txt:5: not the expected output\n  typed    |4    (line 4)\n  expected |Twice: 8\n'
        '  printed  |Twice: 7\n',
    ),
    'a line that is missing': (('range(2)', 'range(1)'), 'one.txt:5: the program ended too early'),
    'a line too many': (
        ('out.flush()', 'print("Bye", file=out); out.flush()'),
        'typed    |4    (line 4)\n  expected |    (nothing)\n  printed  |Bye\n',
    ),
    'a crash': (('2 * number', '2 * [6, 9, 9, 3][number]'), 'IndexError'),
    'reads on': (
        ('out.flush', 'ended = sys.stdin.read()\nout.flush'),
        'the program was still waiting for input after the session was over',
    ),
}


@pytest.mark.parametrize('name', WRONG)
def test_late_output_that_is_wrong_is_reported_where_it_was_expected(name, grade):
    """The report mentions neither silence nor flushing, since a missing flush costs no points."""
    change, message = WRONG[name]
    status, output = grade(SESSIONS['prompts that are free'], changed(TWICE, [change]))
    assert status == 1
    assert ' '.join(message.split()) in ' '.join(output.split())
    for word in ('flush', 'printed nothing', 'hung', 'all its input at once'):
        assert word not in output


@pytest.mark.parametrize(
    ('printed', 'turns', 'wrong'),
    [
        (
            'Number? Twice: 6\nNumber? Twice: 8\n',
            ['Number? ', 'Twice: 6\nNumber? ', 'Twice: 8\n'],
            None,
        ),
        ('Number? Twice: 7\nNumber? ', ['Number? ', 'Twice: 7\nNumber? ', ''], 1),
        (
            'Number? Twice: 6\nNumber? Twice: 9\n',
            ['Number? ', 'Twice: 6\nNumber? ', 'Twice: 9\n'],
            2,
        ),
        ('', ['', '', ''], 0),
    ],
)
def test_each_turn_gets_the_output_that_it_needs(printed, turns, wrong):
    session = parse(SESSIONS['prompts that are recorded'], 'a')
    dialogue, number = as_if_flushed(session, Dialogue.printing(['', '', printed]))
    assert [turn.printed.decode() for turn in dialogue.turns] == turns
    assert number == wrong
    assert wrong is None or failure_in(session, dialogue, number).turn == wrong


def test_a_line_that_is_left_out_is_not_late(grade):
    source = (
        'for _ in range(3):\n    n = int(input())\n    if n > 3:\n        print("Twice:", 2 * n)\n'
    )
    session = '3\n|Twice: 6\n4\n|Twice: 8\n5\n|Twice: 10\n'
    status, output = grade(session, source)
    assert (status, 'leaves out lines: "Twice: 6"' in output, 'extra' in output) == (1, True, False)


def test_output_that_came_too_late_is_reported_with_its_time(grade, monkeypatch):
    """The grader cannot see here whether the program waits for input, so it goes on reading."""
    monkeypatch.setattr(internals.PLAY_WAITS_FOR_INPUT, lambda *about, **more: None)
    monkeypatch.setattr(internals.SILENCE, 9)
    monkeypatch.setattr(internals.MAX_SECONDS, 9)
    source = 'import time\ntime.sleep(1.5)\nprint("Hello", flush=True)\ninput()\nprint("Bye")\n'
    status, output = grade('|Hello\n1\n|Bye\n', source, 'flush = required\n')
    assert status == 1
    assert re.search(
        r'1\. The program prints "Hello" too late: after \d\.\d s\.\n(.*\n)*'
        r'one\.txt:1: this took \d\.\d s to appear; the limit is 1 s\n'
        r'  expected \|Hello\n  printed  \|Hello\n',
        output,
    )
