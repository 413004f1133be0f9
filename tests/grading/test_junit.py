"""JUnit XML: what GitHub, GitLab and Jenkins show of a submission."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from graders import run_grader_here
from independent import write_files
from pages import HOSTILE, PASSED, a_test, failed, finding, not_run, results_of

from grading.reports.files import junit_xml
from grading.reports.results import BEYOND


def test_each_session_is_a_test():
    free = replace(failed('d.txt'), tags=[BEYOND])
    suites = ElementTree.fromstring(junit_xml(results_of(
        failed(), PASSED, not_run(reason='not run:\nno program'), free, submission='doe',
        findings=[finding(failed().name, places=())])))
    assert suites.tag == 'testsuites'
    counts = {'failures': '1', 'errors': '1', 'skipped': '1'}
    assert suites.attrib == counts
    [suite] = suites
    assert suite.attrib == {'name': 'doe', 'tests': '4', 'time': '1.25', **counts}
    assert [(case.tag, case.attrib) for case in suite] == [
        ('testcase', {'name': name, 'classname': 'othello'}) for name in 'abcd']
    wrong, right, unknown, beyond = ([*case] for case in suite)
    assert right == []
    assert [(one.tag, one.attrib, one.text) for one in (*wrong, *unknown, *beyond)] == [
        ('failure', {'message': '1. The program flips discs in one direction only.'},
         'a message\n\n1. The program flips discs in one direction only.\n'
         'Look in all directions.\n'
         'Fixing this alone gives at least 1 of 3 lost points back.'),
        ('error', {'message': 'not run:'}, 'not run:\nno program'),
        ('skipped', {'message': 'a message'}, 'a message')]


def test_hostile_texts_stay_text():
    results = results_of(
        a_test(HOSTILE, 'failed', HOSTILE), submission=HOSTILE,
        findings=[finding(HOSTILE, sentence=HOSTILE, advice=HOSTILE)])
    suites = ElementTree.fromstring(junit_xml(results))
    assert [one.tag for one in suites.iter()] == ['testsuites', 'testsuite', 'testcase', 'error']
    assert suites[0].get('name') == HOSTILE


def test_option(tmp_path):
    """The title is the program's name, as in the report."""
    write_files(tmp_path, {'mine.py': 'print("b")\n', 'game.txt': '|a\n'})
    words = ['grade', tmp_path / 'game.txt', '--command', f'python3 {tmp_path / "mine.py"}']
    path = tmp_path / 'junit.xml'
    status, output, errors = run_grader_here(*words, '--junit', path)
    assert (status, errors) == (1, '')
    assert output.splitlines()[-1] == 'mine: game, 0 of 1 points'
    suite = ElementTree.parse(path).getroot()[0]
    assert (suite.get('name'), suite.get('failures')) == ('mine', '1')


@pytest.mark.parametrize('words', [['x.py', 'x.py'], ['x.py', '--export', 'canvas']])
def test_of_one_submission(words, tmp_path):
    write_files(tmp_path, {'x.py': ''})
    words = [tmp_path / word if word == 'x.py' else word for word in words]
    status, _, errors = run_grader_here('grade', 'othello', *words, '--junit', tmp_path / 'j',
                                        '--out', tmp_path / 'out')
    assert status == 2
    assert '--junit needs a single SUBMISSION; for several use --out' in errors
