"""What a grader reads in a terminal: sessions in groups, what is wrong, the score last."""

from __future__ import annotations

import pytest

from grading.reports.messages import status_in_words
from grading.reports.text import COLUMNS, fitted, line, report

PLACE = {'name': 'transcripts/othello/s0.txt', 'message': 'a message'}


def entry(number, status, **about):
    """Return a test as results hold it."""
    return {'name': f'transcripts/othello/s{number}.txt', 'status': status, 'max_score': 1,
            'output': 'a message\nof many lines', 'extra_data': about}


def results_of(*tests, output='', faults=(), told=(), notes=()):
    """Return results as results.json holds them."""
    return {'score': 3.0, 'tests': [*tests], 'output': output,
            'extra_data': {'submission': 'doe', 'game': 'othello', 'faults': [*faults],
                           'told': [*told], 'notes': [*notes], 'ended': ''}}


def crash(*tests):
    return {'id': '', 'sentence': 'crashes at x.py, line 3 (KeyError)', 'place': PLACE,
            'sessions': [test['name'] for test in tests]}


def test_a_report_ends_with_what_is_wrong_and_the_score():
    passed = [entry(number, 'passed') for number in range(3)]
    runs = [entry(number, 'failed', faults=['one-run']) for number in range(3, 5)]
    crashes = [entry(number, 'failed', faults=[]) for number in range(5, 30)]
    lines = list(report(results_of(*runs, *passed, *crashes, output='1. The program ...',
                                   faults=['one-run'], told=[crash(*crashes)], notes=['a note'])))
    assert lines == [
        'passed  3 sessions',
        'FAILED  2 sessions: one-run',
        '        s3, s4',
        'FAILED  25 sessions: crashes at x.py, line 3 (KeyError)',
        '        s5, s6, s7, s8, s9, s10, and 19 more',
        'note: a note', '', '1. The program ...', '', 'doe: othello, 3 of 30 points']


def test_a_session_whose_cause_is_not_told_has_a_line_of_its_own():
    tests = [entry(number, 'failed', faults=[]) for number in range(2)]
    assert list(report(results_of(*tests)))[:2] == [
        'FAILED  transcripts/othello/s0.txt: a message',
        'FAILED  transcripts/othello/s1.txt: a message']


def test_names_of_sessions_fit_in_a_terminal():
    tests = [entry(f'-{"long" * 9}-{number}', 'failed', faults=['one-run']) for number in range(6)]
    assert max(map(len, report(results_of(*tests)))) <= COLUMNS


LONG = 'more and ' * 12
FITTED = [
    (f'   Print {LONG}', '   Print more', '   more'),
    (f'12. The program {LONG}', '12. The program more', '    more'),
    (f'  hint: {LONG}', '  hint: more', '        more'),
    (f'transcripts/othello/{"s" * 40}.txt:37: the program has ended',
     f'transcripts/othello/{"s" * 40}.txt:37:', '    the program has ended')]


@pytest.mark.parametrize(('line', 'first', 'second'), FITTED)
def test_a_long_line_goes_on_below_its_beginning(line, first, second):
    lines = fitted(line)
    assert max(map(len, lines)) <= COLUMNS
    assert lines[0].startswith(first)
    assert lines[1].startswith(second)
    assert ' '.join(' '.join(lines).split()) == ' '.join(line.split())


def test_a_long_line_of_source_is_cut_and_what_a_program_prints_is_not():
    for label in ('printed by |', 'ran        |', 'in       |', 'crash    |'):
        line, = fitted(f'  {label}othello.py, line 3: print({LONG})')
        assert (len(line), line[-3:]) == (COLUMNS, '...')
    for label in ('  expected |', '  printed  |', '  build    |'):
        assert fitted(label + LONG) == [label + LONG]
    assert fitted(f'{" " * 99}^') == [f'{" " * 99}^']


def test_what_was_not_run_is_told_once():
    tests = [entry(number, 'failed', kind='not run') for number in range(9)]
    lines = list(report(results_of(*tests)))
    assert lines[0] == 'not run 9 sessions'
    assert lines.count('a message') == 1


@pytest.mark.parametrize(('about', 'said'), [
    ({'faults': ['one-run'], 'told': [crash()]}, 'one-run'),
    ({'told': [crash()]}, 'crashes at x.py, line 3 (KeyError)')])
def test_a_line_of_a_class_says_what_happens(about, said):
    tests = [entry(0, 'failed', faults=[])]
    assert line(results_of(*tests, **about)) == f'doe: 3 of 1 points  {said}'


def test_a_line_of_a_class_says_why_nothing_was_run():
    assert line(results_of(entry(0, 'failed', kind='not run'))) == 'doe: 3 of 1 points  a message'


@pytest.mark.parametrize(('status', 'words'), [
    (0, 'exit status 0'), (3, 'exit status 3'), (128, 'exit status 128'),
    (-9, 'signal 9 (SIGKILL)'), (139, 'signal 11 (SIGSEGV)'), (255, 'exit status 255')])
def test_a_signal_has_its_name(status, words):
    assert status_in_words(status) == words
