"""grades.csv: what a gradebook reads, and what no spreadsheet may run."""

import csv
import re
from dataclasses import replace

import pytest
from assigned import settings_for
from graders import BLANKS
from independent import write_files
from pages import example, finding
from tables import each

from grading.batch import Task, grade_task
from grading.diagnosis.finding import Crash
from grading.installation import ROOT
from grading.reports.files import (
    COLUMNS,
    as_text,
    row_of,
    score_without_printing,
    summary,
    write_grades,
)
from grading.reports.results import Results, SessionResult, to_json, without_grade
from grading.reports.text import MOST_NOTED, UNCONFINED, note_on


def results_of(name, scores=(1, 1), seconds=1.5, **about):
    """Return results; each test has a maximum of 2 points."""
    tests = [SessionResult(f'{number}.txt', 2, score, 'passed' if score else 'failed',
                           example=None if score else example())
             for number, score in enumerate(scores)]
    return Results(name, sum(scores), execution_time=seconds, tests=tests, **about)


def read(path):
    """Return the lines of grades.csv, by column."""
    with open(path, encoding='utf-8-sig', newline='') as stream:
        return list(csv.DictReader(stream))


def test_columns(tmp_path):
    write_grades(tmp_path / 'grades.csv', [])
    assert (tmp_path / 'grades.csv').read_text(encoding='utf-8') == (
        '\ufeffsubmission,score,max_score,passed,failed,late,faults,seconds,note,'
        'score_if_printing_were_right,id,email\n')


def test_grades(tmp_path):
    """In the order of names; a grade that could not be given is empty."""
    path = tmp_path / 'grades.csv'
    write_grades(path, [
        results_of('Zoë', [2, 0, 0.5], late=True, id='7', email='z@b.c',
                   findings=[finding('x', id='one-blank'), finding('x', id='no-full')]),
        results_of('ann', [2, 2], late=False, ended='the time limit of 240 s'),
        results_of('Bob', [0], notes=['left out: a, b: a link'], late=None),
        without_grade('lost', 'no permission')])
    assert path.read_text().split('\n')[1] == (
        'ann,4,4,2,0,no,,1.5,ended by the time limit of 240 s,4,,')
    _, bob, lost, zoe = read(path)
    assert tuple(zoe) == COLUMNS
    assert [*zoe.values()] == [
        'Zoë', '2.5', '6', '2', '1', 'yes', 'one-blank; no-full', '1.5', '', '2.5', '7', 'z@b.c']
    assert (bob['late'], bob['note']) == ('', 'left out: a, b: a link')
    assert [*lost.values()] == ['lost', '', '', '', '', '', '', '', 'no permission', '', '', '']


def test_a_reason_why_nothing_was_run_is_noted():
    results = results_of('none', [0, 0, 2])
    for test in results.tests[:2]:
        test.output, test.example = 'not run:\nno program', None
    assert note_on(results) == 'not run: no program'
    assert len(note_on(replace(results, score=None, output='x ' * 999))) == MOST_NOTED


WORDS, RULE = finding('0.txt', '1.txt', is_printing=True), finding('1.txt', id='rule')


@each('findings, score', [
    ([WORDS, RULE], '4'),
    ([finding('0.txt', unseen=['0.txt'], is_printing=True), RULE], ''),
    ([finding('3.txt', is_end=True), RULE], '')])
def test_points_if_printing_were_right(findings, score):
    """A session counts that shows faults of printing, and nothing else."""
    results = results_of('one', [0, 0, 2, 0], findings=findings)
    assert score_without_printing(results) == row_of(results)[COLUMNS[9]] == score


NOTES = [
    ([], ['one-blank'], [finding('a')], 'flips discs in one direction only'),
    ([], [], [finding('a', id=''), finding('a', id='', sentence='crashes')],
     'flips discs in one direction only; crashes'),
    ([], [], [finding('a', id='', example=example(crash=Crash(
        "ModuleNotFoundError: No module named 'numpy'", 'game.py', 1, '')))],
     "ModuleNotFoundError: No module named 'numpy', at game.py, line 1"),
    ([2], ['one-blank'], [finding('a'), finding('a', id='')], ''),
    ([2], [], [finding('a', id='', sentence='crashes at a.py, line 3 (KeyError)')],
     'crashes at a.py, line 3 (KeyError)'), ([], [], [], '')]


@each('scores, faults, findings, note', NOTES)
def test_what_happens_is_noted_without_points_or_known_faults(scores, faults, findings, note):
    results = results_of('one', [0, *scores], complete=True, findings=findings)
    assert note_on(results) == note_on(summary(results)) == note


def test_what_ran_unconfined_is_noted():
    assert note_on(results_of('one', confinement='none')) == UNCONFINED


HOSTILE = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '"=1', '\uff1d1', '\x1b[2J',
           "=cmd|' /C calc'!A0", 'a;=1', 'a,=1', 'a; "=1', 'a\n=1', 'a\r\n=1', 'a;b;@x', '\u202e=1']


@pytest.mark.parametrize('name', HOSTILE)
def test_no_formula_in_any_cell(name, tmp_path):
    path = tmp_path / 'grades.csv'
    write_grades(path, [results_of(name, ended=name, notes=[name], id=name, email=name,
                                   findings=[finding('0.txt', id=name, sentence=name)]),
                        without_grade(name, name)])
    text = path.read_text(encoding='utf-8-sig')
    assert len(text.splitlines()) == 3
    assert text.replace('\n', '').isprintable()
    parts = [part.lstrip(' "') for row in read(path) for cell in row.values()
             for part in cell.replace(',', ';').split(';')]
    assert [part for part in parts if part[:1] in tuple('=+-@\uff1d')] == []


@each('name', ['a","b', 'doejane_12345', "Ann-Marie O'Neil", 'a = b', 'x+y', 'me@home'])
def test_plain_names_stay_as_they_are_in_their_cells(name, tmp_path):
    write_grades(tmp_path / 'grades.csv', [results_of(name)])
    assert [row['submission'] for row in read(tmp_path / 'grades.csv')] == [as_text(name)] == [name]


# The manual.


def documented(heading):
    """Return what stands in the first column of a table of the manual, below its heading."""
    text = (ROOT / 'docs' / 'grading.md').read_text(encoding='utf-8')
    table = text.split(f'| {heading} | |\n|---|---|\n')[1].partition('\n\n')[0]
    return [name for row in table.splitlines()
            for name in re.findall('`(.*?)`', row.split('|')[1])]


def test_the_manual_has_all_columns():
    assert sorted(documented('column of `grades.csv`')) == sorted(COLUMNS)


def test_the_manual_has_all_that_results_hold(tmp_path):
    """Of a program that fails fresh games, too; it is not flaky. The file has a version as well."""
    settings = settings_for('piles', confine='none', fresh=1, seed=1, no_where=True)
    source = write_files(tmp_path / 'one', {'piles.py': BLANKS})
    results = grade_task(Task('one', source, settings, tmp_path / 'out'))
    saved = to_json(results)['extra_data']
    assert {*documented('`extra_data`')} == {*saved, 'flaky', 'version'}
    assert {*documented('`findings[]`')} == {*saved['findings'][0]}
