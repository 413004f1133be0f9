"""The public names of the package `grading`, as described in docs/api.md."""

import os
import sys
from dataclasses import replace

import pytest
from programs import read_sample, write_files
from running import finished

import grading
from grading.installation import ROOT

HERE = {'confine': 'none', 'where': False}
# Prints the modules loaded when a public name is first used.
LOADED = """
import sys
import grading
before = {*sys.modules}
grading.NAME
print(*(name for name in sys.modules if name.startswith('grading.') and name not in before))
"""
CLIENT = """
from __future__ import annotations

from pathlib import Path

from grading import Assignment, Results, assignment_named, explain, grade, publish

assignment: Assignment = assignment_named('sums')
results: Results = grade(assignment, Path('ann.py'), explain=explain, timeout=2)
results = grade('sums', 'ann.py', on_progress=lambda results: print(results.score))
publish(results, 'out', assignment)
"""


@pytest.fixture
def sums(tmp_path):
    """Return the folders of an assignment and of a submission that fails one of two sessions."""
    write_files(tmp_path / 'sums', {'a.txt': '1\n|1\n', 'b.txt': '2\n|two\n'})
    write_files(tmp_path / 'ann', {'main.py': 'print(input())\n'})
    return tmp_path / 'sums', tmp_path / 'ann'


@pytest.mark.parametrize(
    ('name', 'others'), [('Results', ['diagnosis', 'engine', 'reports']), ('grade', ['diagnosis'])]
)
def test_a_public_name_is_loaded_when_it_is_used(name, others):
    code = LOADED.replace('NAME', name)
    status, output, _ = finished([sys.executable, '-c', code], cwd=ROOT, env=os.environ)
    loaded = output.decode().split()
    assert (status, f'grading.{grading.PUBLIC[name]}' in loaded) == (0, True)
    assert not {f'grading.{other}' for other in others} & {*loaded}


def test_public_names_exist_and_have_docstrings():
    assert sorted(grading.PUBLIC) == sorted(grading.__all__)
    assert [name for name in grading.__all__ if not getattr(grading, name).__doc__] == []
    with pytest.raises(AttributeError, match='publsh'):
        _ = grading.publsh


def test_points_are_the_same_without_an_explanation(sums):
    scores = []
    plain = grading.grade(*sums, on_progress=lambda results: scores.append(results.score), **HERE)
    explained = grading.grade(*sums, explain=grading.explain, **HERE)
    assert (plain.score, plain.max_score, plain.findings) == (1, 2, [])
    assert explained.score == 1
    assert [finding.sentence for finding in explained.findings] == ['prints "2" instead of "two"']
    # The score is reported at the start, after each session, and at the end.
    assert scores == [0, 1, 1, 1]


def test_published_results_become_rows_of_the_table(sums, tmp_path):
    results, assignment = grading.grade(*sums, **HERE), grading.assignment_named(str(sums[0]))
    for published in (results, replace(results, submission='ben')):
        grading.publish(published, tmp_path / 'out', assignment)
    _, *rows = (tmp_path / 'out' / 'grades.csv').read_text('utf-8-sig').splitlines()
    assert [row.split(',')[:5] for row in rows] == [
        [name, '1', '2', '1', '1'] for name in ('ann', 'ben')
    ]
    assert (tmp_path / 'out' / 'ben' / 'report.html').exists()


def test_a_game_is_an_assignment(tmp_path):
    write_files(tmp_path / 'ann', {'main.py': read_sample('othello')})
    results = grading.grade('othello/worked_example', tmp_path / 'ann', **HERE)
    assert (results.score, results.submission, results.game) == (1, 'ann', 'worked_example')


def test_a_submission_without_a_program_gets_no_points_and_a_reason(sums, tmp_path):
    results = grading.grade(sums[0], write_files(tmp_path / 'ben', {'notes.docx': ''}), **HERE)
    assert results.score == 0
    assert {(test.state, test.reason) for test in results.tests} == {('not run', 'no program')}


def test_unknown_options_are_errors(sums):
    with pytest.raises(TypeError, match='time_out'):
        grading.grade(*sums, time_out=2)


@pytest.mark.long
def test_a_program_that_calls_the_grader_passes_a_strict_type_checker(tmp_path):
    api = pytest.importorskip('mypy.api')
    (tmp_path / 'client.py').write_text(CLIENT)
    printed, errors, status = api.run(['--strict', str(tmp_path / 'client.py')])
    assert (status, errors) == (0, ''), printed
