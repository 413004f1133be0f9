"""A third game, added as CONTRIBUTING.md says: a folder, a console, and sessions."""

import json
import shutil
from pathlib import Path

import pytest
from graders import FAST, make_small_project, run_grader

HERE = Path(__file__).parent / 'third_game'
# A student's program, which is right; the other one forgets hundreds.
RIGHT = """total = 0
while True:
    number = int(input())
    if number == 0:
        print('In all', total)
        break
    total = total + number
    print('Now', total, flush=True)
"""
WRONG = RIGHT.replace('total + number', '(total + number) % 100')


@pytest.fixture(scope='module')
def project(tmp_path_factory):
    """A copy of the project with the game; its session has been recorded there."""
    project = make_small_project(tmp_path_factory.mktemp('third') / 'project')
    shutil.copytree(HERE / 'sums', project / 'grading' / 'assignments' / 'sums')
    shutil.copy(HERE / 'sums_console.py', project)
    session = project / 'transcripts' / 'sums' / 'two_numbers.txt'
    session.parent.mkdir()
    session.write_text('# adds two numbers\n$ sums_console.py\n3\n4\n0\n', encoding='utf-8')
    assert run_grader('record', session, project=project) == (0, '', '')
    assert session.read_text(encoding='utf-8') == (
        '# adds two numbers\n$ sums_console.py\n3\n|Now 3\n4\n|Now 7\n0\n|In all 7\n')
    return project


def graded(project, folder, source, *words):
    """Grade a program of one module; return the exit status and what results.json holds."""
    (folder / 'sums.py').write_text(source, encoding='utf-8')
    path = folder.parent / f'{folder.name}.json'
    status, _, errors = run_grader('grade', 'sums', folder, '--results', path, *words,
                                   project=project)
    assert 'Traceback' not in errors
    return status, json.loads(path.read_text(encoding='utf-8'))


def test_a_right_program(project, tmp_path):
    status, results = graded(project, tmp_path, RIGHT, *FAST, '--fresh', '20', '--fresh-points',
                             '2')
    assert (status, results['score']) == (0, 3)


def test_a_wrong_program_gets_its_smallest_fresh_game(project, tmp_path):
    status, results = graded(project, tmp_path, WRONG, *FAST, '--fresh', '20', '--seed', '1')
    assert (status, results['score']) == (1, 1)
    fresh = results['tests'][-1]['output']
    assert "# The smallest of the fresh games found" in fresh
    *_, first, _, second, _, end, last = fresh.strip().splitlines()
    assert int(first) + int(second) > 99
    assert (end, last) == ('0', f'|In all {int(first) + int(second)}')


def test_it_is_named_where_a_game_is_asked_for(project):
    status, _, errors = run_grader('grade', 'chess', '--command', 'true', project=project)
    assert status == 2
    assert 'chess: no game (othello, sums, recorded, stones, tlcw, piles, nim)' in errors
