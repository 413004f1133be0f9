"""What a grader reads in a terminal: sessions in groups, what is wrong, the score last."""

import sys
from dataclasses import replace
from unittest import mock

from pages import PASSED, example, failed, finding, not_run, results_of
from tables import each

from grading.batch import progress
from grading.diagnosis.finding import Crash, Place
from grading.reports.text import COLUMNS, Row, fit, line, report, wrap
from grading.sandbox.program import status_in_words

CRASH = 'crashes at x.py, line 3 (KeyError)'


def name(number):
    return f'transcripts/othello/s{number}.txt'


def shows(number, **about):
    """Return an example of a line in other words."""
    return example(name(number), **{'typed': None, 'lines': ('B\n', 'W\n'), **about})


def crash(*numbers, **about):
    return finding(*map(name, numbers), id='', sentence=CRASH, advice='', **{
        'example': shows(numbers[0]), **about})


def lines_of(*tests, **about):
    return list(report(results_of(*tests, submission='doe', **about)))


def test_a_report_ends_with_what_to_fix_first_and_the_score():
    tests = [replace(PASSED, name=name(number)) for number in range(3)]
    tests += [failed(name(number)) for number in range(3, 30)]
    place = Place('x.py', 3, 4, 'print(1)\nprint(2)', 'printed by', ['s3'], 1, '')
    lines = lines_of(*tests, score=3, notes=['a note'], findings=[
        finding(name(3), name(4), points=2, places=[place],
                example=shows(3, typed='2 4', typed_line=11, lines=('B\n', 'W  \n'),
                              hint='look')),
        crash(*range(5, 30), points=25, example=shows(5, kind='ended', status=1, lines=('B\n', ''),
                                                      crash=Crash('KeyError: 3', 'x.py', 3, 'y')))])
    assert lines == [
        'passed  3 sessions',
        'FAILED  2 sessions: one-run',
        '        s3, s4',
        'FAILED  25 sessions: crashes at x.py, line 3 (KeyError)',
        '        s5, s6, s7, s8, s9, s10, and 19 more',
        'note: a note',
        '',
        '2. Also, the program crashes at x.py, line 3 (KeyError).',
        '   Seen in 25 sessions. Fixing this alone gives 25 of 27 lost points back.',
        '',
        'transcripts/othello/s5.txt:12: the program ended too early, with exit status 1',
        '  expected |B',
        '  printed  |    (nothing)',
        '            ^',
        '  crash    |KeyError: 3',
        '  in       |x.py, line 3: y',
        '',
        '1. The program flips discs in one direction only.',
        '   Look in all directions.',
        '   Seen in 2 sessions. Fixing this alone gives 2 of 27 lost points back.',
        '',
        'transcripts/othello/s3.txt:12: not the expected output',
        '  typed    |2 4    (line 11)',
        '  expected |B',
        '  printed  |W\N{MIDDLE DOT}\N{MIDDLE DOT}',
        '            ^',
        '  hint: look',
        '  printed by |x.py, lines 3 to 4: print(1)',
        '',
        'doe: othello, 3 of 30 points']


def test_what_costs_nothing_gives_nothing_back():
    free = replace(failed(name(0)), max_score=0)
    assert '   Seen in 1 session.' in lines_of(free, findings=[crash(0, points=0)])
    assert ('   Seen in 1 session. Fixing this alone gives no points back: the same sessions'
            in lines_of(failed(name(0)), findings=[
                crash(0, points=0), finding(name(0), points=0)]))


def test_what_was_not_run_may_give_more_back():
    assert ('   Seen in 1 session. Fixing this alone gives at least 1 of 2 lost points back.'
            in lines_of(failed(name(0)), not_run(name(1)), findings=[crash(0, points=1)]))


def test_a_session_that_no_finding_shows_has_a_line_of_its_own():
    assert lines_of(failed(name(0)), failed(name(1)))[:2] == [
        'FAILED  transcripts/othello/s0.txt:12: not the expected output',
        'FAILED  transcripts/othello/s1.txt:12: not the expected output']


def test_names_of_sessions_fit_in_a_terminal():
    names = [f'transcripts/othello/{"long" * 9}-{number}.txt' for number in range(6)]
    lines = lines_of(*map(failed, names), findings=[finding(*names)])
    assert max(map(len, lines)) <= COLUMNS


LONG = 'more and ' * 12


@each('first, indent', [('   Print', 3), ('12. The program', 4)])
def test_a_long_line_goes_on_below_its_beginning(first, indent):
    lines = wrap(f'{first} {LONG}', indent)
    assert max(map(len, lines)) <= COLUMNS
    assert lines[0].startswith(f'{first} more')
    assert lines[1].startswith(f'{" " * indent}more')
    assert ' '.join(' '.join(lines).split()) == ' '.join(f'{first} {LONG}'.split())


def test_a_long_line_of_source_is_cut_and_what_a_program_prints_is_not():
    for label in ('printed by ', 'ran        ', 'in'):
        line, = fit(Row(label, f'othello.py, line 3: print({LONG})'))
        assert (len(line), line[-3:]) == (COLUMNS, '...')
    for label in ('expected', 'printed', 'typed'):
        assert fit(Row(label, LONG)) == [f'  {label:9}|{LONG}']
    assert fit(Row('', f'{" " * 99}^')) == [f'{" " * 111}^']
    assert [part[:14] for part in fit(Row('hint', LONG))] == ['  hint: more a', '        more a']
    assert [part[:14] for part in fit(Row('crash', LONG))] == [
        '  crash    |mo', '            an']


def test_what_a_build_says_is_shown_as_it_is():
    said = f'the build failed:\n  build    |{LONG}'
    assert f'  build    |{LONG}' in lines_of(not_run(reason=said))


def test_what_was_not_run_is_told_once():
    lines = lines_of(*(not_run(name(number)) for number in range(9)))
    assert lines[0] == 'not run 9 sessions'
    assert lines.count('a message') == 1


@each('findings, said', [
    ([finding(name(0)), crash(0)], 'one-run'), ([crash(0)], CRASH)])
def test_a_line_of_a_class_says_what_happens(findings, said):
    results = results_of(failed(name(0)), submission='doe', findings=findings)
    assert line(results) == f'doe: 0 of 1 points  {said}'


def test_a_line_of_a_class_says_why_nothing_was_run():
    results = results_of(not_run(reason='no program:\n  b'), submission='doe')
    assert line(results) == 'doe: 0 of 1 points  no program:'


@each('status, words', [
    (0, 'exit status 0'), (3, 'exit status 3'), (128, 'exit status 128'),
    (-9, 'signal 9 (SIGKILL)'), (139, 'signal 11 (SIGSEGV)'), (255, 'exit status 255')])
def test_a_signal_has_its_name(status, words):
    assert status_in_words(status) == words


@each('is_terminal, shown', [
    (False, ''), (True, '\33[K1 of 28 sessions\r\33[K28 of 28 sessions\r\33[K')])
def test_progress_without_rich(is_terminal, shown, capsys, monkeypatch):
    monkeypatch.setattr('grading.batch.find_spec', lambda name: None)
    with mock.patch.object(sys.stderr, 'isatty', return_value=is_terminal), \
            progress('sessions') as report:
        report(1, 28)
        report(28, 28)
    assert capsys.readouterr().err == shown
