"""grades.csv and JUnit XML for other programs, and the points promised in reports."""

import csv
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from assigned import settings_for, transcripts_for, with_transcripts
from graders import TRAILING_SPACES, TRANSCRIPTS, explained_here, graded, run_grader_here
from pages import HOSTILE, PASSED, example, failed, finding, not_run, results_of
from programs import OTHELLO, write_files
from running import rest_long, short_patience

from grading.installation import ROOT
from grading.reports.grades_csv import (
    COLUMNS,
    as_text,
    row_of,
    score_without_printing,
    write_grades,
)
from grading.reports.junit import junit_xml
from grading.reports.messages import describe
from grading.reports.results_json import from_json, to_json
from grading.reports.students import summary
from grading.reports.wording import LONGEST_NOTE, UNCONFINED, clean_in_words, note_on
from grading.results import BEYOND, Crash, Interruption, Results, SessionResult, without_grade
from grading.workers.task import Task, grade_task


def results_with(name, scores=(1, 1), seconds=1.5, **about):
    """Return results; each test has a maximum of 2 points."""
    tests = [
        SessionResult(
            f'{number}.txt',
            2,
            score,
            'passed' if score else 'failed',
            example=None if score else example(),
        )
        for number, score in enumerate(scores)
    ]
    return Results(name, sum(scores), execution_time=seconds, tests=tests, **about)


def read(path):
    """Return the rows of grades.csv, each as a dictionary by column."""
    with open(path, encoding='utf-8-sig', newline='') as stream:
        return list(csv.DictReader(stream))


def test_columns(tmp_path):
    write_grades(tmp_path / 'grades.csv', [])
    assert (tmp_path / 'grades.csv').read_text(encoding='utf-8') == (
        '\ufeffsubmission,score,max_score,passed,failed,late,faults,seconds,note,'
        'score_if_printing_were_right,id,email\n'
    )


def test_grades(tmp_path):
    """The rows are in the order of names; columns without a value are empty."""
    path = tmp_path / 'grades.csv'
    write_grades(
        path,
        [
            results_with(
                'Zoë',
                [2, 0, 0.5],
                late=True,
                id='7',
                email='z@b.c',
                findings=[finding('x', id='one-space'), finding('x', id='no-full')],
            ),
            results_with('ann', [2, 2], late=False, ended=Interruption('time limit', '240')),
            results_with('Bob', [0], notes=['left out: a, b: a link'], late=None),
            without_grade('lost', 'no permission'),
        ],
    )
    assert path.read_text().split('\n')[1] == (
        'ann,4,4,2,0,no,,1.5,ended early: the time limit of 240 s was reached,4,,'
    )
    _, bob, lost, zoe = read(path)
    assert tuple(zoe) == COLUMNS
    assert [*zoe.values()] == [
        'Zoë',
        '2.5',
        '6',
        '2',
        '1',
        'yes',
        'one-space; no-full',
        '1.5',
        '',
        '2.5',
        '7',
        'z@b.c',
    ]
    assert (bob['late'], bob['note']) == ('', 'left out: a, b: a link')
    assert [*lost.values()] == ['lost', '', '', '', '', '', '', '', 'no permission', '', '', '']


def test_a_reason_why_nothing_was_run_is_noted():
    results = results_with('none', [0, 0, 2])
    for test in results.tests[:2]:
        test.state, test.reason, test.example = 'not run', 'no program', None
        test.detail = 'not run:\nno program'
    assert note_on(results) == 'not run: no program'
    assert len(note_on(replace(results, score=None, output='x ' * 999))) == LONGEST_NOTE


WORDS, RULE = finding('0.txt', '1.txt', is_printing=True), finding('1.txt', id='rule')


@pytest.mark.parametrize(
    ('findings', 'score'),
    [
        ([WORDS, RULE], '4'),
        ([finding('0.txt', cut=['0.txt'], is_printing=True), RULE], ''),
        ([finding('3.txt', cut=['3.txt']), RULE], ''),
    ],
)
def test_score_if_printing_were_right(findings, score):
    """The score includes the sessions that fail only because of printing."""
    results = results_with('one', [0, 0, 2, 0], findings=findings)
    assert score_without_printing(results) == row_of(results)[COLUMNS[9]] == score


@pytest.mark.long
@pytest.mark.parametrize('word', rest_long(['WINNER:', 'TURN:']))
def test_a_missing_line_is_not_a_fault_of_printing(word, tmp_path):
    """A program may print no winner because it knows none, so the score does not change."""
    results = graded(
        tmp_path,
        OTHELLO.replace(f"print('{word}", f"(lambda *words, **more: None)('{word}"),
        here=True,
    )
    found = from_json(Results, results)
    assert (*found.faults, score_without_printing(found)) == (
        f'{word[:-1].lower()}-missing',
        f'{found.score:g}',
    )


NOTES = [
    ([], [finding('a')], 'flips discs in one direction only'),
    (
        [],
        [finding('a', id=''), finding('a', id='', sentence='crashes')],
        'flips discs in one direction only; crashes',
    ),
    (
        [],
        [
            finding(
                'a',
                id='',
                example=example(
                    crash=Crash("ModuleNotFoundError: No module named 'numpy'", 'game.py', 1, '')
                ),
            )
        ],
        "ModuleNotFoundError: No module named 'numpy', at game.py, line 1",
    ),
    ([2], [finding('a'), finding('a', id='')], ''),
    (
        [2],
        [finding('a', id='', sentence='crashes at a.py, line 3 (KeyError)')],
        'crashes at a.py, line 3 (KeyError)',
    ),
    ([], [], ''),
]


@pytest.mark.parametrize(('scores', 'findings', 'note'), NOTES)
def test_the_failure_is_noted_without_points_or_known_faults(scores, findings, note):
    results = results_with('one', [0, *scores], complete=True, findings=findings)
    assert note_on(results) == note_on(summary(results)) == note


def test_an_unconfined_run_is_noted():
    assert note_on(results_with('one', confinement='none')) == UNCONFINED


FORMULAS = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    ' =1',
    '"=1',
    '\uff1d1',
    '\x1b[2J',
    "=cmd|' /C calc'!A0",
    'a;=1',
    'a,=1',
    'a; "=1',
    'a\n=1',
    'a\r\n=1',
    'a;b;@x',
    '\u202e=1',
]


@pytest.mark.parametrize('name', FORMULAS)
def test_no_formula_in_any_cell(name, tmp_path):
    path = tmp_path / 'grades.csv'
    write_grades(
        path,
        [
            results_with(
                name,
                ended=Interruption('failure', name),
                notes=[name],
                id=name,
                email=name,
                findings=[finding('0.txt', id=name, sentence=name)],
            ),
            without_grade(name, name),
        ],
    )
    text = path.read_text(encoding='utf-8-sig')
    assert len(text.splitlines()) == 3
    assert text.replace('\n', '').isprintable()
    parts = [
        part.lstrip(' "')
        for row in read(path)
        for cell in row.values()
        for part in cell.replace(',', ';').split(';')
    ]
    assert [part for part in parts if part[:1] in tuple('=+-@\uff1d')] == []


@pytest.mark.parametrize(
    'name', ['a","b', 'doejane_12345', "Ann-Marie O'Neil", 'a = b', 'x+y', 'me@home']
)
def test_plain_names_stay_as_they_are_in_their_cells(name, tmp_path):
    write_grades(tmp_path / 'grades.csv', [results_with(name)])
    assert [row['submission'] for row in read(tmp_path / 'grades.csv')] == [as_text(name)] == [name]


# The manual


def documented(heading):
    """Return the names in the first column of the table with this heading in the manual."""
    text = (ROOT / 'docs' / 'reference.md').read_text(encoding='utf-8')
    table = text.split(f'| {heading} | |\n|---|---|\n')[1].partition('\n\n')[0]
    return [name for row in table.splitlines() for name in re.findall('`(.*?)`', row.split('|')[1])]


def test_the_manual_has_all_columns():
    assert sorted(documented('column of `grades.csv`')) == sorted(COLUMNS)


def test_the_manual_has_all_fields_of_results(tmp_path):
    """The results of failed fresh games have every field but `flaky`; the file adds `version`."""
    settings = with_transcripts(
        transcripts_for('piles')[:1],
        settings_for(
            'piles', confine='none', fresh=1, seed=1, where=False, timeout=short_patience()
        ),
    )
    source = write_files(tmp_path / 'one', {'piles.py': TRAILING_SPACES})
    with explained_here():
        results = grade_task(Task('one', source, *settings, tmp_path / 'out'))
    saved = to_json(results)['extra_data']
    assert {*documented('`extra_data`')} == {*saved, 'flaky', 'version'}
    assert {*documented('`findings[]`')} == {*saved['findings'][0]}


# In how many sessions nothing else is wrong, as the report says

CUT = 'What follows in this session cannot be seen yet.'
ALL_CUT = 'What follows in these sessions cannot be seen yet.'
ONE = 'Nothing else is wrong in this session (1 point).'
ALL = 'Nothing else is wrong in these sessions ({0} points).'
INVALID = "print('INVALID', flush=True)"


@pytest.mark.long
@pytest.mark.parametrize(
    ('old', 'new', 'sentences', 'printing'),
    [
        ("'FULL'", "'Full'", [ALL], 'all'),
        ("'VALID'", "'OK'", [ONE], 'all'),
        # A word that is right elsewhere is not a fault of printing.
        ("print('VALID')", "print('VALID' if board[0][0] != 'B' else 'OK')", [ONE], None),
        ("'INVALID', flush=True", "'VALID', flush=True", [ONE], None),  # plays to the end
        ('def main():', 'print(', [ALL_CUT], ''),  # a missing parenthesis
        ('rows, columns, turn', '1 / 0\n    rows, columns, turn', [ALL_CUT], ''),
        (INVALID, '1 / 0', [CUT], ''),
        (INVALID, "print('BAD')\n            raise SystemExit", [CUT, CUT], ''),
        # Both findings may have one cause.
        (INVALID, "print('BAD', flush=True)\n            input()", [CUT, CUT], ''),
    ],
)
def test_reports_count_the_sessions_in_which_nothing_else_is_wrong(
    old, new, sentences, printing, tmp_path
):
    assert old in OTHELLO
    results = from_json(
        Results,
        graded(
            tmp_path,
            OTHELLO.replace(old, new),
            TRANSCRIPTS[:5],
            here=True,
            timeout=short_patience(),
        ),
    )
    lost = 5 - results.score
    assert [clean_in_words(found, results) for found in results.findings] == [
        sentence.format(f'{lost:g}') for sentence in sentences
    ]
    expected = {'all': '5', None: f'{results.score:g}', '': ''}
    assert score_without_printing(results) == expected[printing]


@pytest.mark.parametrize(
    ('printed', 'left', 'end', 'sentence'),
    [
        ('yes', 'x', '', ONE),
        ('no', 'ab', '', ONE),
        ('no', 'x', '', CUT),
        ('yes', 'xy', '', CUT),
        ('no', 'ab', 'raise SystemExit(3)', CUT),
        ('no', 'ab', 'input()', CUT),
    ],
)
def test_a_session_with_wrong_files_or_a_wrong_end_is_not_clean(
    printed, left, end, sentence, tmp_path
):
    session = '3\n|yes\n4\n|4\n# file: a\n|a\n# file: b\n|b\n'
    source = (
        f'input()\nprint({printed!r}, flush=True)\nprint(input(), flush=True)\n'
        f"for name, text in zip('ab', {left!r} + 'b'):\n"
        f"    with open(name, 'w') as file:\n        print(text, file=file)\n{end}\n"
    )
    results = from_json(
        Results,
        graded(tmp_path, source, None, here=True, game='own', sessions=(('s.txt', session),)),
    )
    assert [clean_in_words(found, results) for found in results.findings] == [sentence]


# JUnit XML, for GitHub, GitLab and Jenkins


def test_each_session_is_a_test():
    free = replace(failed('d.txt'), tags=[BEYOND])
    suites = ElementTree.fromstring(
        junit_xml(
            results_of(
                failed(),
                PASSED,
                not_run(reason='not run:\nno program'),
                free,
                submission='doe',
                findings=[finding(failed().name, places=())],
            )
        )
    )
    assert suites.tag == 'testsuites'
    counts = {'failures': '1', 'errors': '1', 'skipped': '1'}
    assert suites.attrib == counts
    [suite] = suites
    assert suite.attrib == {'name': 'doe', 'tests': '4', 'time': '1.25', **counts}
    assert [(case.tag, case.attrib) for case in suite] == [
        ('testcase', {'name': name, 'classname': 'othello'}) for name in 'abcd'
    ]
    wrong, right, unknown, beyond = ([*case] for case in suite)
    assert right == []
    assert [
        (element.tag, element.attrib, element.text) for element in (*wrong, *unknown, *beyond)
    ] == [
        (
            'failure',
            {'message': '1. The program flips discs in one direction only.'},
            f'{describe(failed().example)}\n  explained by one-run\n\n'
            '1. The program flips discs in one direction only.\n'
            'Look in all directions.\n'
            'Nothing else is wrong in this session (1 point).',
        ),
        ('error', {'message': 'not run'}, 'not run:\nno program'),
        ('skipped', {'message': 'd.txt:12: not the expected output'}, describe(free.example)),
    ]


def test_hostile_texts_stay_text():
    results = results_of(
        not_run(HOSTILE, HOSTILE),
        submission=HOSTILE,
        findings=[finding(HOSTILE, sentence=HOSTILE, advice=HOSTILE)],
    )
    suites = ElementTree.fromstring(junit_xml(results))
    assert [element.tag for element in suites.iter()] == [
        'testsuites',
        'testsuite',
        'testcase',
        'error',
    ]
    assert suites[0].get('name') == HOSTILE


def test_junit_option(tmp_path):
    """The name of the test suite is the program's name, as in the report."""
    write_files(tmp_path, {'mine.py': 'print("b")\n', 'game.txt': '|a\n'})
    words = ['grade', tmp_path / 'game.txt', '--command', f'python3 {tmp_path / "mine.py"}']
    path = tmp_path / 'junit.xml'
    status, output, errors = run_grader_here(*words, '--junit', path)
    assert (status, errors) == (1, '')
    assert output.splitlines()[-1] == 'mine: game, 0 of 1 points'
    suite = ElementTree.parse(path).getroot()[0]
    assert (suite.get('name'), suite.get('failures')) == ('mine', '1')


@pytest.mark.parametrize('words', [['x.py', 'x.py'], ['x.py', '--export', 'canvas']])
def test_junit_needs_a_single_submission(words, tmp_path):
    write_files(tmp_path, {'x.py': ''})
    words = [tmp_path / word if word == 'x.py' else word for word in words]
    status, _, errors = run_grader_here(
        'grade', 'othello', *words, '--junit', tmp_path / 'j', '--out', tmp_path / 'out'
    )
    assert status == 2
    assert '--junit needs a single SUBMISSION; for several, use --out' in errors
